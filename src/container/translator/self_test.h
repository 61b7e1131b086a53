/* The self-test of translators that users wrote: whether their functions agree with each other and with what was said about them. */
#ifndef RILL_CONTAINER_TRANSLATOR_SELF_TEST_H
#define RILL_CONTAINER_TRANSLATOR_SELF_TEST_H

#include "container/translator/translator.h"

/* How many points are tested, each second one next to the one before it. */
enum { SELF_TEST_POINTS = 64 };

typedef struct SelfTest {
    Translator *translator;
    TranslatorInfo info;
    bool inverse; /* points are inverted on the CPU, too */
    int32_t points[SELF_TEST_POINTS * SHAPE_MAX_RANK], places[SELF_TEST_POINTS * SHAPE_MAX_RANK],
        back[SELF_TEST_POINTS * SHAPE_MAX_RANK];
} SelfTest;

/* Chooses points and translates them on the device. Inside a scope of the device; false with error_set. */
bool self_test_sample(SelfTest *test, Translator *t, Device *device, bool inverse);
/* Compares what the device gave with what the CPU gives, and, if the translator has them, ranges of some boxes. Outside of any scope, since functions of the
 * caller may be called; false with error_set, which says what differs. */
bool self_test_compare(const SelfTest *test, bool ranges, void *caller);

#endif
