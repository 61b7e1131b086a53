#include "container/translator/self_test.h"

#include "kernel/host/packed.h"

#include <stdlib.h>
#include <string.h>

/* Sizes of sampled points in a domain without bounds; longest side and greatest number of addresses of tested
 * boxes. */
enum { SAMPLE_SIZE = 256, BOX_SIDE = 5, BOX_MOST = 4096 };

/* Returns the size of dimension d from which points are sampled. */
static int64_t size_of(const SelfTest *test, int d)
{
    return test->info.domain.known ? test->info.domain.size[d] : SAMPLE_SIZE;
}

/* Chooses points of the domain: both ends and pseudo-random points, each with an adjacent one. */
static void sample_points(SelfTest *test)
{
    uint32_t state = 1;
    int rank = test->info.rank;
    for (int i = 0; i < SELF_TEST_POINTS; i++) {
        int32_t *point = test->points + i * rank;
        for (int d = 0; d < rank; d++) {
            int64_t size = size_of(test, d);
            state = state * 1664525u + 1013904223u;
            int64_t any = (int64_t)(((uint64_t)state * (uint64_t)size) >> 32);
            point[d] = (int32_t)(i == 0 ? 0 : i == 2 ? size - 1 : any);
        }
        if (i % 2 == 1) {
            int along = i / 2 % rank;
            memcpy(point, point - rank, (size_t)rank * sizeof *point);
            point[along] =
                point[along] ^
                1; /* the pair is the same from either side, so functions that halve coordinates are detected */
            point[along] -= point[along] < size_of(test, along) ? 0 : 2;
            point[along] = point[along] < 0 ? 0 : point[along];
        }
    }
}

/* Translates all points on the device. */
static bool sample_device(const SelfTest *test, Device *device, Direction direction, const int32_t *points,
                          int32_t *results)
{
    enum { VECTOR = 4 };
    int rank = direction == DIRECTION_INVERSE ? test->info.to : test->info.rank;
    Shape shape = rank > VECTOR ? (Shape){2, {SELF_TEST_POINTS, rank}} : (Shape){1, {SELF_TEST_POINTS}};
    Stream from = {0}, to = {0};
    bool done = packed_stream(device, type_of(SCALAR_INT, rank > VECTOR ? 1 : rank), &shape, points, &from) &&
                translator_stream(test->translator, direction, &from, &to) && packed_download(&to, results);
    stream_release(&from);
    stream_release(&to);
    return done;
}

bool self_test_sample(SelfTest *test, Translator *t, Device *device, bool inverse)
{
    *test = (SelfTest){.translator = t, .info = translator_info(t), .inverse = inverse};
    sample_points(test);
    return sample_device(test, device, DIRECTION_TRANSLATE, test->points, test->places) &&
           (!test->info.traits.invertible || sample_device(test, device, DIRECTION_INVERSE, test->places, test->back));
}

static void widen(const int32_t *from, int count, int64_t *to)
{
    for (int d = 0; d < count; d++) {
        to[d] = from[d];
    }
}

static const char *result_text(const int32_t *result, int rank, char text[TRANSLATOR_POINT_TEXT])
{
    int64_t point[SHAPE_MAX_RANK];
    widen(result, rank, point);
    return result[0] == TRANSLATOR_UNMAPPED ? "no address" : translator_point_text(point, rank, text);
}

/* Compares the host's result for a point with the device's. */
static bool compare(const SelfTest *test, Direction direction, const int32_t *point, const int32_t *result,
                    void *caller)
{
    char a[TRANSLATOR_POINT_TEXT], b[TRANSLATOR_POINT_TEXT], c[TRANSLATOR_POINT_TEXT];
    bool inverse = direction == DIRECTION_INVERSE;
    int rank = inverse ? test->info.to : test->info.rank, to = inverse ? test->info.rank : test->info.to;
    int64_t from[SHAPE_MAX_RANK], found[SHAPE_MAX_RANK], given[SHAPE_MAX_RANK];
    widen(point, rank, from);
    widen(result, to, given);
    Outcome outcome = translator_point(test->translator, direction, from, found, caller);
    if (outcome == OUTCOME_FAILED) {
        return false;
    }
    bool same = outcome == OUTCOME_FOUND ? memcmp(found, given, (size_t)to * sizeof *found) == 0
                                         : result[0] == TRANSLATOR_UNMAPPED;
    return same || error_set("translator '%s' is wrong: for %s '%s' returns %s, the GLSL returns %s", test->info.name,
                             translator_point_text(from, rank, a), inverse ? "cpu_inverse" : "cpu",
                             outcome == OUTCOME_FOUND ? translator_point_text(found, to, b) : "nil",
                             result_text(result, to, c));
}

/* Tests point i with all functions. */
static bool compare_point(const SelfTest *test, int i, void *caller)
{
    char a[TRANSLATOR_POINT_TEXT], b[TRANSLATOR_POINT_TEXT], c[TRANSLATOR_POINT_TEXT];
    const TranslatorInfo *info = &test->info;
    const int32_t *point = test->points + i * info->rank, *result = test->places + i * info->to;
    const int32_t *back = test->back + i * info->rank;
    if (!compare(test, DIRECTION_TRANSLATE, point, result, caller)) {
        return false;
    }
    if (result[0] == TRANSLATOR_UNMAPPED) {
        return !info->traits.complete || !info->domain.known ||
               error_set("translator '%s' is wrong: %s is not mapped, but trait 'complete' is true", info->name,
                         result_text(point, info->rank, a));
    }
    if (!info->traits.invertible) {
        return true;
    }
    if (info->traits.one_to_one && memcmp(point, back, (size_t)info->rank * sizeof *point) != 0) {
        return error_set("translator '%s' is wrong: %s translates to %s, whose inverse is %s", info->name,
                         result_text(point, info->rank, a), result_text(result, info->to, b),
                         result_text(back, info->rank, c));
    }
    return !test->inverse || compare(test, DIRECTION_INVERSE, result, back, caller);
}

/* Checks that no two points share an address, if `one_to_one` is true. */
static bool compare_pairs(const SelfTest *test)
{
    char x[TRANSLATOR_POINT_TEXT], y[TRANSLATOR_POINT_TEXT], z[TRANSLATOR_POINT_TEXT];
    const TranslatorInfo *info = &test->info;
    size_t bytes = (size_t)info->rank * sizeof(int32_t), place_bytes = (size_t)info->to * sizeof(int32_t);
    for (int i = 0; info->traits.one_to_one && i < SELF_TEST_POINTS; i++) {
        const int32_t *a = test->points + i * info->rank, *place = test->places + i * info->to;
        for (int k = 0; k < i && place[0] != TRANSLATOR_UNMAPPED; k++) {
            const int32_t *b = test->points + k * info->rank;
            if (memcmp(a, b, bytes) != 0 && memcmp(place, test->places + k * info->to, place_bytes) == 0) {
                return error_set(
                    "translator '%s' is wrong: %s and %s both translate to %s, but trait 'one_to_one' is true",
                    info->name, result_text(b, info->rank, x), result_text(a, info->rank, y),
                    result_text(place, info->to, z));
            }
        }
    }
    return true;
}

/* ranges */

/* A box whose ranges are compared with 'cpu'. */
typedef struct TestBox {
    const SelfTest *test;
    const int64_t *first, *last;
    bool seen[BOX_MOST]; /* by the row-major index of an address in the box */
    void *caller;
} TestBox;

/* Returns the row-major index of a point in the box, or -1. */
static int64_t number_in(const TestBox *box, const int64_t *point)
{
    int64_t number = 0;
    for (int d = box->test->info.rank - 1; d >= 0; d--) {
        if (point[d] < box->first[d] || point[d] > box->last[d]) {
            return -1;
        }
        number = number * (box->last[d] - box->first[d] + 1) + point[d] - box->first[d];
    }
    return number;
}

static bool wrong_ranges(const TestBox *box, const int64_t *point, const char *what)
{
    char a[TRANSLATOR_POINT_TEXT], b[TRANSLATOR_POINT_TEXT], c[TRANSLATOR_POINT_TEXT];
    int rank = box->test->info.rank;
    return error_set("translator '%s' is wrong: the ranges of the box %s .. %s %s %s", box->test->info.name,
                     translator_point_text(box->first, rank, a), translator_point_text(box->last, rank, b), what,
                     translator_point_text(point, rank, c));
}

static Outcome translate_point(const TestBox *box, const int64_t *point, int64_t *place)
{
    return translator_point(box->test->translator, DIRECTION_TRANSLATE, point, place, box->caller);
}

/* Marks the addresses of a range as seen. 'cpu' must translate each of them to the range's next address. */
static bool traverse_range(TestBox *box, const Range *range)
{
    int64_t point[SHAPE_MAX_RANK], place[SHAPE_MAX_RANK], at[SHAPE_MAX_RANK];
    const TranslatorInfo *info = &box->test->info;
    memcpy(point, range->first, sizeof point);
    memcpy(at, range->at, sizeof at);
    do {
        int64_t number = number_in(box, point);
        if (number < 0) {
            return wrong_ranges(box, point, "contain a point outside of it,");
        } else if (box->seen[number]) {
            return wrong_ranges(box, point, "contain twice");
        }
        box->seen[number] = true;
        Outcome outcome = translate_point(box, point, place);
        if (outcome == OUTCOME_FAILED) {
            return false;
        } else if (outcome == OUTCOME_UNMAPPED || memcmp(place, at, (size_t)info->to * sizeof *at) != 0) {
            return wrong_ranges(box, point, "disagree with 'cpu' for");
        }
        at[0]++;
    } while (range_step(point, range->first, range->last, 0, info->rank));
    return true;
}

static bool traverse_box(TestBox *box, const RangeList *list)
{
    int64_t point[SHAPE_MAX_RANK], place[SHAPE_MAX_RANK], n = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (!traverse_range(box, &list->items[i])) {
            return false;
        }
    }
    memcpy(point, box->first, sizeof point);
    do {
        Outcome outcome = box->seen[n++] ? OUTCOME_UNMAPPED : translate_point(box, point, place);
        if (outcome == OUTCOME_FOUND) {
            return wrong_ranges(box, point, "omit");
        } else if (outcome == OUTCOME_FAILED) {
            return false;
        }
    } while (range_step(point, box->first, box->last, 0, box->test->info.rank));
    return true;
}

/* Checks that the ranges of a box of at most BOX_MOST addresses contain each mapped address once. */
static bool compare_box(const SelfTest *test, const int64_t *first, const int64_t *last, void *caller)
{
    TestBox box = {.test = test, .first = first, .last = last, .caller = caller};
    RangeList list = {0};
    bool done = translator_ranges(test->translator, first, last, &list, caller) && traverse_box(&box, &list);
    range_list_free(&list);
    return done;
}

/* Tests boxes that begin at some of the points, and the whole domain if it is small. */
static bool compare_ranges(const SelfTest *test, void *caller)
{
    int64_t first[SHAPE_MAX_RANK] = {0}, last[SHAPE_MAX_RANK] = {0}, all = 1;
    int rank = test->info.rank;
    for (int i = 0; i < SELF_TEST_POINTS; i += 8) {
        int64_t count = 1;
        widen(test->points + i * rank, rank, first);
        for (int d = 0; d < rank; d++) {
            int64_t side = BOX_MOST / count < BOX_SIDE ? 1 : BOX_SIDE, end = first[d] + side - 1;
            last[d] = end < size_of(test, d) ? end : size_of(test, d) - 1;
            count *= last[d] - first[d] + 1;
        }
        if (!compare_box(test, first, last, caller)) {
            return false;
        }
    }
    for (int d = 0; d < rank; d++) {
        all = all > BOX_MOST ? all : all * size_of(test, d);
        first[d] = 0;
        last[d] = size_of(test, d) - 1;
    }
    return !test->info.domain.known || all > BOX_MOST || compare_box(test, first, last, caller);
}

bool self_test_compare(const SelfTest *test, bool ranges, void *caller)
{
    for (int i = 0; i < SELF_TEST_POINTS; i++) {
        if (!compare_point(test, i, caller)) {
            return false;
        }
    }
    return compare_pairs(test) && (!ranges || compare_ranges(test, caller));
}
