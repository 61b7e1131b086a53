/* The self-test of custom translators: checks whether a user's functions agree with each other and with the
 * given traits. */
#ifndef RILL_CONTAINER_TRANSLATOR_SELF_TEST_H
#define RILL_CONTAINER_TRANSLATOR_SELF_TEST_H

#include "container/translator/translator.h"

/* Number of points that are tested; each second one is adjacent to the one before it. */
enum { SELF_TEST_POINTS = 64 };

typedef struct SelfTest {
    Translator *translator;
    TranslatorInfo info;
    bool inverse; /* points are inverted on the CPU, too */
    int32_t points[SELF_TEST_POINTS * SHAPE_MAX_RANK], places[SELF_TEST_POINTS * SHAPE_MAX_RANK],
        back[SELF_TEST_POINTS * SHAPE_MAX_RANK];
} SelfTest;

/* Chooses points and translates them on the device, inside a scope of it. Returns false with error_set on
 * failure. */
bool self_test_sample(SelfTest *test, Translator *t, Device *device, bool inverse);
/* Compares the device's results with the CPU's and, if the translator has them, with the ranges of some
 * boxes. Called outside of any scope, since the user's functions may be called. If there is a difference,
 * returns false with error_set, which names it. */
bool self_test_compare(const SelfTest *test, bool ranges, void *caller);

#endif
