/* The self-test of translators of a user's own, under rill.check. */
#include "binding/containers/translator.h"
#include "kernel/launch/packed.h"

#include <string.h>

/* Points that are tried, each with its neighbour behind it; the sizes of a domain without bounds; the longest side and the most addresses of boxes. */
enum { SAMPLE = 64, SAMPLE_SIZE = 256, BOX_SIDE = 5, BOX_MOST = 4096 };

typedef struct TranslatorTest {
    lua_State *L;
    Translator *t;
    TranslatorInfo info;
    const char *function;
    bool inverse;
    int32_t points[SAMPLE * SHAPE_MAX_RANK], places[SAMPLE * SHAPE_MAX_RANK], back[SAMPLE * SHAPE_MAX_RANK];
} TranslatorTest;

/* Sizes that points are taken from. */
static int64_t size_of(const TranslatorTest *trial, int d)
{
    return trial->info.domain.known ? trial->info.domain.size[d] : SAMPLE_SIZE;
}

/* Points of the domain: both ends and others without a pattern, each with one that is next to it. */
static void sample_points(TranslatorTest *trial)
{
    uint32_t state = 1;
    int rank = trial->info.rank;
    for (int i = 0; i < SAMPLE; i++) {
        int32_t *point = trial->points + i * rank;
        for (int d = 0; d < rank; d++) {
            int64_t size = size_of(trial, d);
            state = state * 1664525u + 1013904223u;
            int64_t any = (int64_t)(((uint64_t)state * (uint64_t)size) >> 32);
            point[d] = (int32_t)(i == 0 ? 0 : i == 2 ? size - 1 : any);
        }
        if (i % 2 == 1) {
            int along = i / 2 % rank;
            memcpy(point, point - rank, (size_t)rank * sizeof *point);
            point[along] = point[along] ^ 1; /* the same pair from either side: what halves coordinates is found */
            point[along] -= point[along] < size_of(trial, along) ? 0 : 2;
            point[along] = point[along] < 0 ? 0 : point[along];
        }
    }
}

static _Noreturn void raise_failure(const TranslatorTest *trial)
{
    error_prefix("%s", trial->function);
    binding_raise(trial->L);
}

/* Releases the points. */
static bool download_translated(Translator *t, Direction direction, Stream *points, int32_t *results)
{
    Stream to = {0};
    bool done = translator_stream(t, direction, points, &to) && packed_download(&to, results);
    stream_release(points);
    stream_release(&to);
    return done;
}

/* All points through the device; raises. */
static void sample_device(const TranslatorTest *trial, Direction direction, const int32_t *points, int32_t *results)
{
    enum { VECTOR = 4 };
    lua_State *L = trial->L;
    int rank = direction == DIRECTION_INVERSE ? trial->info.to : trial->info.rank;
    Shape shape = rank > VECTOR ? (Shape){2, {SAMPLE, rank}} : (Shape){1, {SAMPLE}};
    Stream from;
    Device *device = state_device(L);
    binding_run(L, device, trial->function,
                packed_stream(device, type_of(SCALAR_INT, rank > VECTOR ? 1 : rank), &shape, points, &from) &&
                    download_translated(trial->t, direction, &from, results));
}

static void widen(const int32_t *from, int count, int64_t *to)
{
    for (int d = 0; d < count; d++) {
        to[d] = from[d];
    }
}

static const char *result_text(lua_State *L, const int32_t *result, int rank)
{
    int64_t point[SHAPE_MAX_RANK];
    widen(result, rank, point);
    return result[0] == TRANSLATOR_NOWHERE ? "nowhere" : translator_point_text(L, point, rank);
}

static Outcome ask_point(const TranslatorTest *trial, Direction direction, const int64_t *from, int64_t *to)
{
    Outcome outcome = translator_point(trial->t, direction, from, to, trial->L);
    if (outcome == OUTCOME_FAILED) {
        raise_failure(trial);
    }
    return outcome;
}

/* Raises unless the host gives for a point what the device gave. */
static void compare(const TranslatorTest *trial, Direction direction, const int32_t *point, const int32_t *result)
{
    lua_State *L = trial->L;
    bool inverse = direction == DIRECTION_INVERSE;
    int rank = inverse ? trial->info.to : trial->info.rank, to = inverse ? trial->info.rank : trial->info.to;
    int64_t from[SHAPE_MAX_RANK], found[SHAPE_MAX_RANK], given[SHAPE_MAX_RANK];
    widen(point, rank, from);
    widen(result, to, given);
    Outcome outcome = ask_point(trial, direction, from, found);
    bool same = outcome == OUTCOME_FOUND ? memcmp(found, given, (size_t)to * sizeof *found) == 0
                                         : result[0] == TRANSLATOR_NOWHERE;
    if (!same) {
        luaL_error(L, "%s: translator '%s' is wrong: of %s '%s' makes %s, the GLSL %s", trial->function,
                   trial->info.name, translator_point_text(L, from, rank), inverse ? "cpu_inverse" : "cpu",
                   outcome == OUTCOME_FOUND ? translator_point_text(L, found, to) : "nil", result_text(L, result, to));
    }
}

/* Point i through all functions. */
static void try_point(const TranslatorTest *trial, int i)
{
    const TranslatorInfo *info = &trial->info;
    const int32_t *point = trial->points + i * info->rank, *result = trial->places + i * info->to;
    const int32_t *back = trial->back + i * info->rank;
    lua_State *L = trial->L;
    compare(trial, DIRECTION_TRANSLATE, point, result);
    if (result[0] == TRANSLATOR_NOWHERE) {
        if (info->traits.complete && info->domain.known) {
            luaL_error(L, "%s: translator '%s' is wrong: %s is nowhere, and trait 'complete' says true",
                       trial->function, info->name, result_text(L, point, info->rank));
        }
        return;
    }
    if (!info->traits.invertible) {
        return;
    }
    if (info->traits.one_to_one && memcmp(point, back, (size_t)info->rank * sizeof *point) != 0) {
        luaL_error(L, "%s: translator '%s' is wrong: %s translates to %s, whose inverse is %s", trial->function,
                   info->name, result_text(L, point, info->rank), result_text(L, result, info->to),
                   result_text(L, back, info->rank));
    }
    if (trial->inverse) {
        compare(trial, DIRECTION_INVERSE, result, back);
    }
}

/* No two of the points at one place, where that is what was said. */
static void try_pairs(const TranslatorTest *trial)
{
    const TranslatorInfo *info = &trial->info;
    size_t bytes = (size_t)info->rank * sizeof(int32_t), place_bytes = (size_t)info->to * sizeof(int32_t);
    lua_State *L = trial->L;
    for (int i = 0; info->traits.one_to_one && i < SAMPLE; i++) {
        const int32_t *a = trial->points + i * info->rank, *place = trial->places + i * info->to;
        for (int k = 0; k < i && place[0] != TRANSLATOR_NOWHERE; k++) {
            const int32_t *b = trial->points + k * info->rank;
            if (memcmp(a, b, bytes) != 0 && memcmp(place, trial->places + k * info->to, place_bytes) == 0) {
                luaL_error(L,
                           "%s: translator '%s' is wrong: %s and %s both translate to %s, and trait 'one_to_one' says "
                           "true",
                           trial->function, info->name, result_text(L, b, info->rank), result_text(L, a, info->rank),
                           result_text(L, place, info->to));
            }
        }
    }
}

/* ranges */

/* Row-major number of a point of the box, or -1. */
static int64_t number_in(const int64_t *point, const int64_t *first, const int64_t *last, int rank)
{
    int64_t number = 0;
    for (int d = rank - 1; d >= 0; d--) {
        if (point[d] < first[d] || point[d] > last[d]) {
            return -1;
        }
        number = number * (last[d] - first[d] + 1) + point[d] - first[d];
    }
    return number;
}

static void wrong_ranges(const TranslatorTest *trial, const int64_t *first, const int64_t *last, const int64_t *point,
                         const char *what)
{
    lua_State *L = trial->L;
    int rank = trial->info.rank;
    luaL_error(L, "%s: translator '%s' is wrong: of the box %s .. %s 'ranges' %s %s", trial->function, trial->info.name,
               translator_point_text(L, first, rank), translator_point_text(L, last, rank), what,
               translator_point_text(L, point, rank));
}

/* Marks the addresses of a range as seen, each of which 'cpu' has to translate to the range's next place. */
static void walk_range(const TranslatorTest *trial, const Range *range, const int64_t *first, const int64_t *last,
                       bool *seen)
{
    int64_t point[SHAPE_MAX_RANK], place[SHAPE_MAX_RANK], at[SHAPE_MAX_RANK];
    memcpy(point, range->first, sizeof point);
    memcpy(at, range->at, sizeof at);
    do {
        int64_t number = number_in(point, first, last, trial->info.rank);
        if (number < 0) {
            wrong_ranges(trial, first, last, point, "go out of it, to");
        } else if (seen[number]) {
            wrong_ranges(trial, first, last, point, "have twice");
        }
        seen[number] = true;
        if (ask_point(trial, DIRECTION_TRANSLATE, point, place) != OUTCOME_FOUND ||
            memcmp(place, at, (size_t)trial->info.to * sizeof *at) != 0) {
            wrong_ranges(trial, first, last, point, "do not say what 'cpu' does of");
        }
        at[0]++;
    } while (range_step(point, range->first, range->last, 0, trial->info.rank));
}

/* All that is mapped in a box of at most BOX_MOST addresses is in its ranges, once. */
static void try_box(const TranslatorTest *trial, const int64_t *first, const int64_t *last)
{
    bool seen[BOX_MOST] = {false};
    int64_t point[SHAPE_MAX_RANK], place[SHAPE_MAX_RANK];
    RangeList list = {0};
    int64_t n = 0;
    bool done = translator_ranges(trial->t, first, last, &list, trial->L);
    Range *ranges = lua_newuserdatauv(trial->L, list.count * sizeof *ranges + 1, 0);
    size_t count = list.count;
    if (count) {
        memcpy(ranges, list.items, count * sizeof *ranges);
    }
    range_list_free(&list);
    if (!done) {
        raise_failure(trial);
    }
    for (size_t i = 0; i < count; i++) {
        walk_range(trial, &ranges[i], first, last, seen);
    }
    memcpy(point, first, sizeof point);
    do {
        if (!seen[n++] && ask_point(trial, DIRECTION_TRANSLATE, point, place) == OUTCOME_FOUND) {
            wrong_ranges(trial, first, last, point, "leave out");
        }
    } while (range_step(point, first, last, 0, trial->info.rank));
    lua_pop(trial->L, 1);
}

/* Boxes that begin at some of the points, and all of the domain where it is small. */
static void try_ranges(const TranslatorTest *trial)
{
    int64_t first[SHAPE_MAX_RANK] = {0}, last[SHAPE_MAX_RANK] = {0}, all = 1;
    int rank = trial->info.rank;
    for (int i = 0; i < SAMPLE; i += 8) {
        int64_t count = 1;
        widen(trial->points + i * rank, rank, first);
        for (int d = 0; d < rank; d++) {
            int64_t side = BOX_MOST / count < BOX_SIDE ? 1 : BOX_SIDE, end = first[d] + side - 1;
            last[d] = end < size_of(trial, d) ? end : size_of(trial, d) - 1;
            count *= last[d] - first[d] + 1;
        }
        try_box(trial, first, last);
    }
    for (int d = 0; d < rank; d++) {
        all = all > BOX_MOST ? all : all * size_of(trial, d);
        first[d] = 0;
        last[d] = size_of(trial, d) - 1;
    }
    if (trial->info.domain.known && all <= BOX_MOST) {
        try_box(trial, first, last);
    }
}

void translator_try(lua_State *L, Translator *t, bool inverse, bool ranges, const char *function)
{
    TranslatorTest *trial = lua_newuserdatauv(L, sizeof *trial, 0);
    *trial = (TranslatorTest){.L = L, .t = t, .info = translator_info(t), .function = function, .inverse = inverse};
    sample_points(trial);
    sample_device(trial, DIRECTION_TRANSLATE, trial->points, trial->places);
    if (trial->info.traits.invertible) {
        sample_device(trial, DIRECTION_INVERSE, trial->places, trial->back);
    }
    for (int i = 0; i < SAMPLE; i++) {
        try_point(trial, i);
    }
    try_pairs(trial);
    if (ranges) {
        try_ranges(trial);
    }
    lua_pop(L, 1);
}
