/* Parses the messages of browsers: fields that are separated by tabs, the first of which is the verb. */
#include "live/event.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const verb_names[VERB_COUNT] = {"set",   "pointer", "key", "view",   "size",
                                            "orbit", "probe",   "run", "record", "steer"};

enum { FIELDS_MOST = 6, NUMBER_MOST = 32 };

/* The fields of a verb, a letter for each: n the name of a panel or control, # a number, k a key, w one of the words
 * of the verb, v a number or "press". */
static const struct {
    const char *fields, *words;
} grammar[VERB_COUNT] = {
    [VERB_SET] = {"nv", NULL},
    [VERB_POINTER] = {"nw###", " press drag release move "},
    [VERB_KEY] = {"nkw", " press release "},
    [VERB_VIEW] = {"n####", NULL},
    [VERB_SIZE] = {"n##", NULL},
    [VERB_ORBIT] = {"n###", NULL},
    [VERB_PROBE] = {"n##", NULL},
    [VERB_RUN] = {"w", " pause resume step stop "},
    [VERB_RECORD] = {"w", " start stop "},
    [VERB_STEER] = {"w", " take "},
};

/* Reads a decimal number in the C locale. */
static bool parse_number(const char *text, double *value)
{
    static const char digits[] = "+-.0123456789eE";
    char *end;
    size_t length = strlen(text);
    if (length == 0 || length > NUMBER_MOST || strspn(text, digits) != length) {
        return false;
    }
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain) {
        return false;
    }
    *value = strtod_l(text, &end, plain);
    freelocale(plain);
    return *end == '\0' && end != text && isfinite(*value);
}

/* Copies a text of UTF-8 without control characters. Returns false if it is empty, longer than `most` or invalid. */
static bool parse_text(const char *text, char *copy, size_t most)
{
    size_t length = strlen(text);
    if (length == 0 || length > most) {
        return false;
    }
    memcpy(copy, text, length + 1);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        int more = *at < 0x80 ? 0 : *at < 0xe0 ? 1 : *at < 0xf0 ? 2 : 3;
        if (*at < 0x20 || *at == 0x7f || (*at >= 0x80 && *at < 0xc2) || *at > 0xf4) {
            return false;
        }
        for (at++; more > 0; more--, at++) {
            if ((*at & 0xc0) != 0x80) {
                return false;
            }
        }
    }
    return true;
}

static bool parse_word(const char *text, const char *words, char *copy)
{
    char padded[TEXT_MOST + 3] = " ";
    if (!parse_text(text, copy, TEXT_MOST) || strchr(text, ' ')) {
        return false;
    }
    strcat(strcat(padded, text), " ");
    return strstr(words, padded) != NULL;
}

static bool parse_field(char letter, const char *text, Event *event, int *numbers)
{
    char word[TEXT_MOST + 1];
    switch (letter) {
    case 'n': return parse_text(text, event->name, NAME_MOST);
    case 'k': return parse_text(text, event->text, TEXT_MOST);
    case '#': return parse_number(text, &event->values[(*numbers)++]);
    case 'v':
        if (strcmp(text, "press") == 0) {
            strcpy(event->text, text);
            return true;
        }
        return parse_number(text, &event->values[(*numbers)++]);
    default:
        if (!parse_word(text, grammar[event->verb].words, word)) {
            return false;
        }
        if (event->verb == VERB_KEY) { /* the text is the key */
            event->values[(*numbers)++] = strcmp(word, "press") == 0;
        } else {
            strcpy(event->text, word);
        }
        return true;
    }
}

/* Returns whether the numbers are in the range of their verb. */
static bool in_range(const Event *event)
{
    static const double most_pixels = 16384, most_angle = 1e4;
    const double *v = event->values;
    switch (event->verb) {
    case VERB_SIZE: return v[0] >= 1 && v[1] >= 1 && v[0] <= most_pixels && v[1] <= most_pixels;
    case VERB_VIEW: return v[2] > 0 && v[3] > 0;
    case VERB_ORBIT:
        return fabs(v[0]) <= most_angle && fabs(v[1]) <= most_angle && ((v[2] >= 0.01 && v[2] <= 100) || v[2] == 0);
    case VERB_POINTER: return v[2] >= 0 && v[2] <= 31 && v[2] == floor(v[2]);
    default: return true;
    }
}

bool event_parse(const char *text, size_t length, Event *event)
{
    char copy[MESSAGE_MOST + 1], *fields[FIELDS_MOST + 1];
    int count = 0, verb = 0, numbers = 0;
    if (length > MESSAGE_MOST || memchr(text, '\0', length)) {
        return false;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    for (char *rest = copy; rest && count <= FIELDS_MOST;) {
        fields[count++] = strsep(&rest, "\t");
        if (rest && count == FIELDS_MOST + 1) {
            return false;
        }
    }
    while (verb < VERB_COUNT && strcmp(fields[0], verb_names[verb]) != 0) {
        verb++;
    }
    memset(event, 0, sizeof *event);
    if (verb == VERB_COUNT || strlen(grammar[verb].fields) != (size_t)count - 1) {
        return false;
    }
    event->verb = (Verb)verb;
    for (int i = 1; i < count; i++) {
        if (!parse_field(grammar[verb].fields[i - 1], fields[i], event, &numbers)) {
            return false;
        }
    }
    return in_range(event);
}
