/* What the script and the server share: panels, controls and events, under one mutex. */
#ifndef RILL_LIVE_BOARD_H
#define RILL_LIVE_BOARD_H

#include "live/event.h"
#include "live/frame.h"

#include <pthread.h>
#include <stdint.h>

enum {
    PANELS_MOST = 256, /* panels of a view, and as many controls */
    EVENTS_MOST = 4096 /* events that wait; then the oldest is dropped */
};

typedef enum PanelKind { PANEL_HIDDEN, PANEL_PLAIN, PANEL_IMAGE, PANEL_MESH } PanelKind;
typedef enum ControlKind { CONTROL_NUMBER, CONTROL_CHOICE, CONTROL_TOGGLE, CONTROL_BUTTON } ControlKind;

typedef struct Panel {
    char name[NAME_MOST + 1];
    PanelKind kind;
    double rows, columns; /* of the stream of an image */
    uint64_t version;     /* of `latest`; 0: none */
    uint64_t taken;       /* the newest version that board_newer returned */
    Frame *latest;
} Panel;

typedef struct Control {
    char name[NAME_MOST + 1];
    ControlKind kind;
    double min, max;
} Control;

typedef struct Board {
    pthread_mutex_t mutex;
    pthread_cond_t arrived; /* an event, or a browser */
    Panel panels[PANELS_MOST];
    int panel_count;
    Control controls[PANELS_MOST];
    int control_count;
    Frame *unused;
    int unused_count, frame_count; /* frame_count: all frames, used or not */
    Event *events;                 /* a ring of EVENTS_MOST */
    int event_first, event_count;
    unsigned long long dropped; /* events */
} Board;

/* Initializes a board. Returns false if memory is exhausted; then it must still be closed. */
bool board_open(Board *board);
/* Frees what a board contains. */
void board_close(Board *board);
/* Returns an unused frame with room for a number of bytes, or NULL. */
Frame *board_frame(Board *board, size_t bytes);
/* Adds to, or removes from, the references of a frame. A frame without references can be used again. */
void board_release(Board *board, Frame *frame);
/* Makes a frame the latest version of a panel. Returns false if there are too many panels; then the frame is released. */
bool board_publish(Board *board, const char *name, PanelKind kind, double rows, double columns, Frame *frame);
/* Returns how many versions of a panel were published since board_newer returned one; 0 if there is no such panel. */
uint64_t board_untaken(Board *board, const char *name);
/* Removes the frame of a panel, which is not sent to browsers any more. */
void board_remove(Board *board, const char *name);
/* Adds or changes a control. Returns false if there are too many. */
bool board_control(Board *board, const Control *control);
/* Returns a reference to a version of a panel that is newer than sent[index], and sets its index; or NULL. Begins after
 * panel `last`; panel 0 has priority. */
Frame *board_newer(Board *board, const uint64_t *sent, int last, int *index, uint64_t *version);
/* Checks an event against the panels and controls, and appends it if `append` is true. Positions outside of an image are
 * moved to its border. Returns false if the event names an unknown panel or control, or has an impossible value. */
bool board_event(Board *board, Event *event, bool append);
/* Takes the first event. Returns false if there is none. */
bool board_next(Board *board, Event *event);
/* Waits until there is an event, at most `seconds`. Returns whether there is one. */
bool board_wait(Board *board, double seconds);

#endif
