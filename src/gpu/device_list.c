/* The list of devices of this process. The list is lazy: a candidate is opened only when it is needed, so that
 * opening the first device opens no other. */
#include "gpu/context/device_private.h"

#include "base/strbuf.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A candidate that failed because of low memory or a reset is tried again when a device is opened. */
typedef enum CandidateState { UNTRIED, OPENS, FAILED, LEFT_OUT } CandidateState;

typedef struct Listed {
    CandidateState state;
    DeviceInfo info;   /* the name is "" until the driver was queried */
    char reason[1024]; /* why it is refused, if the user should know */
} Listed;

static pthread_mutex_t process_lock = PTHREAD_MUTEX_INITIALIZER; /* protects the variables below, and egl.c */
static Listed listed[MAX_CANDIDATES];
static Device *open_devices;

/* The static functions below require the lock. */

/* Returns a number that is unique among all threads so far. Thread ids and addresses are not: they are reused. */
static uint64_t this_thread(void)
{
    static uint64_t threads;
    static _Thread_local uint64_t own;
    return own = own ? own : ++threads;
}

static Device *find_open(int candidate)
{
    for (Device *device = open_devices; device; device = device->next) {
        /* Each thread has separate contexts, since a context cannot be current on two threads. */
        if (device->candidate == candidate && device->thread == this_thread() && !device->lost) {
            return device_retain(device);
        }
    }
    return NULL;
}

/* Returns whether an earlier candidate that was refused is the same device. */
static bool is_known_failure(int candidate)
{
    for (int i = 0; i < candidate; i++) {
        if (listed[i].reason[0] && strcmp(listed[i].reason, listed[candidate].reason) == 0) {
            return true;
        }
    }
    return false;
}

static void note_failure(int candidate, bool final, const char *reason)
{
    Listed *entry = &listed[candidate];
    entry->state = final ? LEFT_OUT : FAILED;
    snprintf(entry->reason, sizeof entry->reason, "%s", reason);
    if (is_known_failure(candidate)) {
        entry->reason[0] = '\0';
    }
}

/* Returns whether the device is listed already: surfaceless and software platforms may provide the same device. */
static bool is_duplicate(int candidate, const DeviceInfo *info)
{
    const int count = egl_candidate_kind(candidate) != CANDIDATE_HARDWARE ? egl_candidate_count() : 0;
    for (int i = 0; i < count; i++) {
        if (i != candidate && listed[i].state == OPENS && strcmp(listed[i].info.name, info->name) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns whether a hardware candidate without a driver is served by a software device, which is a separate
 * candidate later in the list. */
static bool is_misplaced(int candidate, const DeviceInfo *info)
{
    return egl_candidate_kind(candidate) == CANDIDATE_HARDWARE && info->software;
}

static void unlink_device(Device *device)
{
    Device **at = &open_devices;
    while (*at && *at != device) {
        at = &(*at)->next;
    }
    if (*at) {
        *at = device->next;
    }
}

/* Removes a device from the list and deletes it, after its last reference was released. */
static void forget(Device *device)
{
    pthread_mutex_lock(&process_lock);
    unlink_device(device);
    pthread_mutex_unlock(&process_lock);
    device_delete(device);
}

/* Opens a candidate and lists it. Returns NULL if it does not open. */
static Device *open_candidate(int candidate)
{
    Device *device = find_open(candidate);
    if (device) {
        return device;
    }
    Listed *entry = &listed[candidate];
    bool final;
    device = device_new(candidate, &entry->info, &final);
    process_started();
    if (!device) {
        if (entry->state != OPENS) {
            note_failure(candidate, final, error_message());
        }
        return NULL;
    }
    entry->reason[0] = '\0';
    if (entry->state != OPENS && (is_duplicate(candidate, &device->info) || is_misplaced(candidate, &device->info))) {
        entry->state = LEFT_OUT;
        device_delete(device);
        return NULL;
    }
    entry->state = OPENS;
    device->thread = this_thread();
    device->last_released = forget;
    device->next = open_devices;
    open_devices = device;
    return device;
}

/* Releases a device; the caller holds the lock. */
static void close_candidate(Device *device)
{
    if (--device->count == 0) {
        unlink_device(device);
        device_delete(device);
    }
}

/* Returns whether a candidate is in the list. Opens it if it has not been opened yet. */
static bool is_listed(int candidate)
{
    if (listed[candidate].state == UNTRIED) {
        Device *device = open_candidate(candidate);
        if (device) {
            close_candidate(device);
        }
    }
    return listed[candidate].state == OPENS;
}

static bool no_device(void)
{
    StrBuf reasons = STRBUF_EMPTY;
    bool refused = false;
    for (int i = 0; i < egl_candidate_count(); i++) {
        if (listed[i].reason[0]) {
            refused = refused || listed[i].info.name[0];
            strbuf_addf(&reasons, "%s%s", reasons.length ? "; " : "", listed[i].reason);
        }
    }
    if (refused) {
        error_set("no device can be used: %s", strbuf_text(&reasons));
    } else {
        error_set("no OpenGL 4.3 device opens without a display%s%s%s. Install a driver: the Debian packages "
                  "libegl1 and libgl1-mesa-dri hold Mesa's, with a software device that needs no GPU. In a container a "
                  "vendor's driver may lack its glvnd file (/usr/share/glvnd/egl_vendor.d/*.json)",
                  reasons.length ? " (" : "", strbuf_text(&reasons), reasons.length ? ")" : "");
    }
    strbuf_free(&reasons);
    return false;
}

static Device *open_first(void)
{
    for (int i = 0; i < egl_candidate_count(); i++) {
        Device *device = listed[i].state != LEFT_OUT ? open_candidate(i) : NULL;
        if (device) {
            return device;
        }
    }
    no_device();
    return NULL;
}

/* Returns whether the text is a number. Numbers are not searched in names, since "2" would match "256 bits". */
static bool is_number(const char *which)
{
    char *end;
    (void)strtol(which, &end, 10);
    return !*end && end != which;
}

/* Returns the candidate of a 1-based index, or -1. */
static int find_number(const char *which)
{
    long number = strtol(which, NULL, 10);
    for (int i = 0; i < egl_candidate_count() && number > 0; i++) {
        if (is_listed(i) && --number == 0) {
            return i;
        }
    }
    return -1;
}

/* Returns why a device of that name is refused, or NULL. */
static const char *find_refusal(const char *which)
{
    for (int i = 0; i < egl_candidate_count(); i++) {
        if (listed[i].reason[0] && listed[i].info.name[0] && strcasestr(listed[i].info.name, which)) {
            return listed[i].reason;
        }
    }
    return NULL;
}

static void list_devices(const char *which)
{
    StrBuf names = STRBUF_EMPTY;
    int number = 0;
    for (int i = 0; i < egl_candidate_count(); i++) {
        if (is_listed(i)) {
            number++;
            strbuf_addf(&names, "%s%d: \"%s\"", number > 1 ? ", " : "", number, listed[i].info.name);
        }
    }
    if (number) {
        error_set("no device matches \"%s\"; available: %s", which, strbuf_text(&names));
    } else {
        no_device();
    }
    strbuf_free(&names);
}

/* Opens the first listed device whose name contains the text. */
static Device *open_named(const char *which)
{
    for (int i = 0; i < egl_candidate_count(); i++) {
        bool known = listed[i].info.name[0];
        if (listed[i].state == LEFT_OUT || (known && !strcasestr(listed[i].info.name, which))) {
            continue;
        }
        Device *device = open_candidate(i);
        if (device && strcasestr(device->info.name, which)) {
            return device;
        }
        if (device) {
            close_candidate(device);
        }
    }
    const char *refusal = find_refusal(which);
    if (refusal) {
        error_set("%s", refusal);
    } else {
        list_devices(which);
    }
    return NULL;
}

static Device *open_numbered(const char *which)
{
    int candidate = find_number(which);
    if (candidate < 0) {
        list_devices(which);
        return NULL;
    }
    return open_candidate(candidate);
}

static Device *open_which(const char *which)
{
    const char *wanted = which ? which : getenv("RILL_DEVICE");
    if (!wanted || !*wanted) {
        return open_first();
    }
    Device *device = is_number(wanted) ? open_numbered(wanted) : open_named(wanted);
    if (!device && !which) {
        error_prefix("RILL_DEVICE");
    }
    return device;
}

/* Runs in a forked child: another thread may have held the lock during the fork. */
static void reset(void)
{
    pthread_mutex_init(&process_lock, NULL);
}

static void watch(void)
{
    process_watch();
    pthread_atfork(NULL, NULL, reset);
}

void device_watch_forks(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch);
}

/* Returns false with error_set if the driver was started before this process was forked. */
static bool own_driver(void)
{
    static unsigned starter;
    static bool started;
    if (!started) {
        started = true;
        starter = process_generation();
    }
    return starter == process_generation() || process_forked();
}

Device *device_open(const char *which)
{
    pthread_mutex_lock(&process_lock);
    Device *device = own_driver() ? open_which(which) : NULL;
    pthread_mutex_unlock(&process_lock);
    return device;
}

int device_count(void)
{
    pthread_mutex_lock(&process_lock);
    int count = own_driver() ? 0 : -1;
    for (int i = 0; count >= 0 && i < egl_candidate_count(); i++) {
        count += is_listed(i);
    }
    pthread_mutex_unlock(&process_lock);
    return count;
}

bool device_info(int index, DeviceInfo *info)
{
    bool found = false;
    pthread_mutex_lock(&process_lock);
    for (int i = 0; i < egl_candidate_count() && !found; i++) {
        if (is_listed(i) && index-- == 0) {
            *info = listed[i].info;
            found = true;
        }
    }
    pthread_mutex_unlock(&process_lock);
    return found || error_set("device_info: no such device");
}

bool device_left_out(int index, char *reason, size_t room)
{
    bool found = false;
    pthread_mutex_lock(&process_lock);
    for (int i = 0; i < egl_candidate_count() && !found; i++) {
        if (!is_listed(i) && listed[i].reason[0] && index-- == 0) {
            snprintf(reason, room, "%s", listed[i].reason);
            found = true;
        }
    }
    pthread_mutex_unlock(&process_lock);
    return found;
}
