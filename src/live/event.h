/* Events: the messages of browsers. */
#ifndef RILL_LIVE_EVENT_H
#define RILL_LIVE_EVENT_H

#include <stdbool.h>
#include <stddef.h>

enum {
    NAME_MOST = 64,     /* bytes of the name of a panel or control */
    TEXT_MOST = 32,     /* bytes of the name of a key */
    MESSAGE_MOST = 1024 /* bytes of a message of a browser */
};

typedef enum Verb {
    VERB_SET,
    VERB_POINTER,
    VERB_KEY,
    VERB_VIEW,
    VERB_SIZE,
    VERB_ORBIT,
    VERB_PROBE,
    VERB_RUN,
    VERB_RECORD,
    VERB_STEER,
    VERB_COUNT
} Verb;

extern const char *const verb_names[VERB_COUNT];

/* A message of a browser. The meaning of `values` and `text` depends on the verb: see event_parse. */
typedef struct Event {
    Verb verb;
    char name[NAME_MOST + 1]; /* of the panel or control */
    char text[TEXT_MOST + 1]; /* the key, or the first word after the name */
    double values[4];
} Event;

/* Parses a message of a browser. Returns false unless it has a known verb, the fields of the verb, and finite numbers. */
bool event_parse(const char *text, size_t length, Event *event);

#endif
