/* What the script and the server share: panels, controls and events, under one mutex. */
#include "live/board.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    UNUSED_MOST = 6, /* frames that are kept for the next version of a panel */
    LONG_QUEUE = 64  /* events, from which movements of the pointer are combined */
};

bool board_open(Board *board)
{
    pthread_condattr_t attributes;
    memset(board, 0, sizeof *board);
    board->events = calloc(EVENTS_MOST, sizeof *board->events);
    pthread_mutex_init(&board->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&board->arrived, &attributes);
    pthread_condattr_destroy(&attributes);
    return board->events != NULL;
}

void board_close(Board *board)
{
    for (int i = 0; i < board->panel_count; i++) {
        frame_free(board->panels[i].latest);
    }
    while (board->unused) {
        Frame *frame = board->unused;
        board->unused = frame->next;
        frame_free(frame);
    }
    free(board->events);
    pthread_cond_destroy(&board->arrived);
    pthread_mutex_destroy(&board->mutex);
}

/* ---- frames */

/* Returns the unused frame whose capacity fits best, and removes it from the list. The mutex is locked. */
static Frame *reuse(Board *board, size_t bytes)
{
    Frame **best = NULL;
    for (Frame **link = &board->unused; *link; link = &(*link)->next) {
        bool fits = (*link)->capacity >= bytes && (*link)->capacity / 4 <= bytes;
        if (fits && (!best || (*link)->capacity < (*best)->capacity)) {
            best = link;
        }
    }
    Frame *frame = best ? *best : NULL;
    if (frame) {
        *best = frame->next;
        board->unused_count--;
    }
    return frame;
}

Frame *board_frame(Board *board, size_t bytes)
{
    pthread_mutex_lock(&board->mutex);
    Frame *frame = reuse(board, bytes);
    pthread_mutex_unlock(&board->mutex);
    if (!frame) {
        frame = calloc(1, sizeof *frame);
        if (!frame || !(frame->bytes = malloc(bytes ? bytes : 1))) {
            frame_free(frame);
            return NULL;
        }
        frame->capacity = bytes;
        pthread_mutex_lock(&board->mutex);
        board->frame_count++;
        pthread_mutex_unlock(&board->mutex);
    }
    frame->references = 1;
    frame->size = bytes;
    frame->header.length = frame->message.length = 0;
    frame->encoding = FRAME_BYTES;
    frame->has_palette = false;
    return frame;
}

/* The mutex is locked. */
static void release(Board *board, Frame *frame)
{
    if (frame && --frame->references == 0) {
        if (board->unused_count >= UNUSED_MOST) { /* removes the oldest */
            Frame **link = &board->unused;
            while ((*link)->next) {
                link = &(*link)->next;
            }
            frame_free(*link);
            *link = NULL;
            board->unused_count--;
            board->frame_count--;
        }
        frame->next = board->unused;
        board->unused = frame;
        board->unused_count++;
    }
}

void board_release(Board *board, Frame *frame)
{
    pthread_mutex_lock(&board->mutex);
    release(board, frame);
    pthread_mutex_unlock(&board->mutex);
}

/* ---- panels and controls */

static Panel *find_panel(Board *board, const char *name)
{
    for (int i = 0; i < board->panel_count; i++) {
        if (strcmp(board->panels[i].name, name) == 0) {
            return &board->panels[i];
        }
    }
    return NULL;
}

/* Returns a panel that was removed, or NULL. */
static Panel *find_removed(Board *board)
{
    for (int i = 0; i < board->panel_count; i++) {
        if (!board->panels[i].latest) {
            return &board->panels[i];
        }
    }
    return NULL;
}

static Control *find_control(Board *board, const char *name)
{
    for (int i = 0; i < board->control_count; i++) {
        if (strcmp(board->controls[i].name, name) == 0) {
            return &board->controls[i];
        }
    }
    return NULL;
}

bool board_publish(Board *board, const char *name, PanelKind kind, double rows, double columns, Frame *frame)
{
    pthread_mutex_lock(&board->mutex);
    Panel *panel = find_panel(board, name);
    if (!panel) {
        panel = board->panel_count < PANELS_MOST ? &board->panels[board->panel_count++] : find_removed(board);
        if (panel) { /* the version of a removed panel stays, so that browsers get the new one */
            memset(panel->name, 0, sizeof panel->name);
            memcpy(panel->name, name, strnlen(name, NAME_MOST));
        }
    }
    if (panel) {
        release(board, panel->latest);
        panel->latest = frame;
        panel->kind = kind;
        panel->rows = rows;
        panel->columns = columns;
        panel->version++;
    } else {
        release(board, frame);
    }
    pthread_mutex_unlock(&board->mutex);
    return panel != NULL;
}

uint64_t board_untaken(Board *board, const char *name)
{
    pthread_mutex_lock(&board->mutex);
    const Panel *panel = find_panel(board, name);
    uint64_t count = panel ? panel->version - panel->taken : 0;
    pthread_mutex_unlock(&board->mutex);
    return count;
}

void board_remove(Board *board, const char *name)
{
    pthread_mutex_lock(&board->mutex);
    Panel *panel = find_panel(board, name);
    if (panel) {
        release(board, panel->latest);
        panel->latest = NULL;
        panel->kind = PANEL_HIDDEN;
    }
    pthread_mutex_unlock(&board->mutex);
}

bool board_control(Board *board, const Control *control)
{
    pthread_mutex_lock(&board->mutex);
    Control *found = find_control(board, control->name);
    if (!found && board->control_count < PANELS_MOST) {
        found = &board->controls[board->control_count++];
    }
    if (found) {
        *found = *control;
    }
    pthread_mutex_unlock(&board->mutex);
    return found != NULL;
}

Frame *board_newer(Board *board, const uint64_t *sent, int last, int *index, uint64_t *version)
{
    Frame *frame = NULL;
    pthread_mutex_lock(&board->mutex);
    int count = board->panel_count;
    for (int k = 0; k <= count && count > 0 && !frame; k++) {
        int i = k == 0 ? 0 : (last + k) % count;
        if (board->panels[i].latest && board->panels[i].version != sent[i]) {
            frame = board->panels[i].latest;
            frame->references++;
            *index = i;
            *version = board->panels[i].taken = board->panels[i].version;
        }
    }
    pthread_mutex_unlock(&board->mutex);
    return frame;
}

/* ---- events */

/* Moves a position to the border of an image if it is outside: element i extends from i - 1/2 to i + 1/2. */
static double inside(double at, double count)
{
    return fmin(fmax(at, 0.5), count + 0.5);
}

static bool check_set(Board *board, const Event *event)
{
    const Control *control = find_control(board, event->name);
    bool press = strcmp(event->text, "press") == 0;
    if (!control || (control->kind == CONTROL_BUTTON) != press) {
        return false;
    }
    double value = event->values[0];
    bool whole = control->kind == CONTROL_NUMBER || value == floor(value);
    return press || (whole && value >= control->min && value <= control->max);
}

static bool check(Board *board, Event *event)
{
    if (event->verb == VERB_SET) {
        return check_set(board, event);
    } else if (event->verb >= VERB_RUN) {
        return true;
    }
    const Panel *panel = find_panel(board, event->name);
    if (!panel || panel->kind == PANEL_HIDDEN) {
        return false;
    }
    if (event->verb == VERB_POINTER || event->verb == VERB_PROBE || event->verb == VERB_VIEW) {
        if (panel->kind != PANEL_IMAGE) {
            return false;
        }
        if (event->verb != VERB_PROBE || event->values[0] != 0) { /* 0, 0: the pointer has left */
            event->values[0] = inside(event->values[0], panel->rows);
            event->values[1] = inside(event->values[1], panel->columns);
        }
    }
    return event->verb != VERB_ORBIT || panel->kind == PANEL_MESH;
}

/* Combines an event with the last one of the queue. Returns whether it is done. */
static bool combine(Board *board, const Event *event)
{
    if (board->event_count == 0) {
        return false;
    }
    Event *last = &board->events[(board->event_first + board->event_count - 1) % EVENTS_MOST];
    bool alike =
        last->verb == event->verb && strcmp(last->name, event->name) == 0 && strcmp(last->text, event->text) == 0;
    bool moves = event->verb == VERB_POINTER && board->event_count >= LONG_QUEUE &&
                 (strcmp(event->text, "move") == 0 || strcmp(event->text, "drag") == 0);
    bool replaces = event->verb == VERB_VIEW || event->verb == VERB_SIZE || event->verb == VERB_PROBE ||
                    (event->verb == VERB_SET && !event->text[0]);
    bool turns = event->verb == VERB_ORBIT && last->values[2] > 0 && event->values[2] > 0;
    if (alike && turns) { /* two angles, and a factor */
        last->values[0] += event->values[0];
        last->values[1] += event->values[1];
        last->values[2] = fmin(fmax(last->values[2] * event->values[2], 1e-6), 1e6);
    } else if (alike && (moves || replaces)) {
        *last = *event;
    }
    return alike && (turns || moves || replaces);
}

bool board_event(Board *board, Event *event, bool append)
{
    pthread_mutex_lock(&board->mutex);
    bool good = check(board, event);
    if (good && append && !combine(board, event)) {
        if (board->event_count == EVENTS_MOST) {
            board->event_first = (board->event_first + 1) % EVENTS_MOST;
            board->event_count--;
            board->dropped++;
        }
        board->events[(board->event_first + board->event_count++) % EVENTS_MOST] = *event;
        pthread_cond_signal(&board->arrived);
    }
    pthread_mutex_unlock(&board->mutex);
    return good;
}

bool board_next(Board *board, Event *event)
{
    pthread_mutex_lock(&board->mutex);
    bool found = board->event_count > 0;
    if (found) {
        *event = board->events[board->event_first];
        board->event_first = (board->event_first + 1) % EVENTS_MOST;
        board->event_count--;
    }
    pthread_mutex_unlock(&board->mutex);
    return found;
}

bool board_wait(Board *board, double seconds)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    long long nanoseconds = end.tv_nsec + (long long)(seconds * 1e9);
    end.tv_sec += (time_t)(nanoseconds / 1000000000);
    end.tv_nsec = (long)(nanoseconds % 1000000000);
    pthread_mutex_lock(&board->mutex);
    int status = 0;
    while (board->event_count == 0 && status != ETIMEDOUT) {
        status = pthread_cond_timedwait(&board->arrived, &board->mutex, &end);
    }
    bool found = board->event_count > 0;
    pthread_mutex_unlock(&board->mutex);
    return found;
}
