/* Tests translators (src/container/translator.h): compares each kind with a reference, address by address, on the
 * CPU and on the device, in both directions, and by its ranges. */
#include "device.h"

#include "container/page/paged.h"
#include "container/translator/translator.h"
#include "container/translator/translators.h"

enum { MOST_POINTS = 4096 };

/* Computes the memory address that the reference gives for a point; false if the point is unmapped. Coordinates
 * are in the order x, y, ... */
typedef bool Reference(const int64_t *from, int64_t *to);

/* Returns the addresses first .. last of a translator's domain. */
typedef struct Box {
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
} Box;

static Box domain_of(const Translator *t)
{
    TranslatorInfo info = translator_info(t);
    Box box = {{0}, {0}};
    assert_true(info.domain.known);
    for (int d = 0; d < info.rank; d++) {
        box.last[d] = info.domain.size[d] - 1;
    }
    return box;
}

/* Returns all points of a box, in address order. */
static size_t list_points(const Box *box, int rank, int32_t *points)
{
    int64_t at[SHAPE_MAX_RANK];
    size_t count = 0;
    memcpy(at, box->first, sizeof at);
    do {
        assert_true(count < MOST_POINTS);
        for (int d = 0; d < rank; d++) {
            points[count * (size_t)rank + (size_t)d] = (int32_t)at[d];
        }
        count++;
    } while (range_step(at, box->first, box->last, 0, rank));
    return count;
}

static void widen(const int32_t *point, int rank, int64_t *wide)
{
    for (int d = 0; d < rank; d++) {
        wide[d] = point[d];
    }
}

static void same_point(const int64_t *a, const int64_t *b, int rank)
{
    for (int d = 0; d < rank; d++) {
        assert_int_equal(a[d], b[d]);
    }
}

static void check_points(const Translator *t, const int32_t *points, size_t count, Reference *reference)
{
    TranslatorInfo info = translator_info(t);
    for (size_t i = 0; i < count; i++) {
        int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK], expected[SHAPE_MAX_RANK], back[SHAPE_MAX_RANK];
        widen(points + i * (size_t)info.rank, info.rank, from);
        bool mapped = reference(from, expected);
        assert_true(translator_inside(t, from));
        Outcome outcome = translator_point(t, DIRECTION_TRANSLATE, from, to, NULL);
        assert_int_equal(outcome, mapped ? OUTCOME_FOUND : OUTCOME_UNMAPPED);
        if (mapped) {
            same_point(to, expected, info.to);
        }
        if (mapped && info.traits.invertible) {
            assert_int_equal(translator_point(t, DIRECTION_INVERSE, to, back, NULL), OUTCOME_FOUND);
            assert_true(reference(back, expected));
            same_point(expected, to, info.to);
            if (info.traits.one_to_one) {
                same_point(back, from, info.rank);
            }
        }
    }
}

/* Translates points on the device and compares the result with the CPU's. */
static void check_device(Translator *t, Direction direction, const int32_t *points, size_t count, int rank, int to)
{
    Stream from, result;
    const Shape shape = {.rank = 1, .size = {(int64_t)count}};
    unit_check(stream_create(device, type_of(SCALAR_INT, rank), &shape, false, &from));
    unit_check(buffer_write(from.buffer, 0, points, stream_bytes(&from)));
    unit_check(translator_stream(t, direction, &from, &result));
    unit_check(stream_settle(&result));
    int32_t *results = malloc((size_t)stream_bytes(&result));
    unit_check(buffer_read(result.buffer, 0, results, stream_bytes(&result)));
    assert_int_equal(stream_bytes(&result), count * (size_t)to * sizeof *results);
    for (size_t i = 0; i < count; i++) {
        int64_t point[SHAPE_MAX_RANK], expected[SHAPE_MAX_RANK];
        widen(points + i * (size_t)rank, rank, point);
        bool found = (direction == DIRECTION_INVERSE || translator_inside(t, point)) &&
                     translator_point(t, direction, point, expected, NULL) == OUTCOME_FOUND;
        for (int d = 0; d < to; d++) {
            assert_int_equal(results[i * (size_t)to + (size_t)d], found ? expected[d] : TRANSLATOR_UNMAPPED);
        }
    }
    free(results);
    stream_release(&from);
    stream_release(&result);
}

/* The ranges of a box contain each of its mapped addresses once, in address order, with the address in memory. */
static void check_ranges(const Translator *t, const Box *box, const int32_t *points, size_t count, Reference *reference)
{
    TranslatorInfo info = translator_info(t);
    RangeList list = {.rank = info.rank, .to = info.to};
    size_t expected = 0, found = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
        widen(points + i * (size_t)info.rank, info.rank, from);
        expected += reference(from, to);
    }
    unit_check(translator_ranges(t, box->first, box->last, &list, NULL));
    for (size_t i = 0; i < list.count; i++) {
        const Range *range = &list.items[i];
        int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK], at[SHAPE_MAX_RANK];
        memcpy(from, range->first, sizeof from);
        memcpy(at, range->at, sizeof at);
        do {
            assert_true(reference(from, to));
            same_point(at, to, info.to);
            at[0]++;
            found++;
        } while (range_step(from, range->first, range->last, 0, info.rank));
    }
    assert_int_equal(found, expected);
    range_list_free(&list);
}

/* Checks the contents of memory first .. last: as many addresses as the reference has there, each of which
 * translates to the place where it was found. */
static void check_memory(Translator *t, const Box *memory, size_t expected)
{
    static int32_t points[MOST_POINTS * SHAPE_MAX_RANK];
    TranslatorInfo info = translator_info(t);
    size_t count = list_points(memory, info.to, points), found = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t at[SHAPE_MAX_RANK], from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
        widen(points + i * (size_t)info.to, info.to, at);
        if (translator_point(t, DIRECTION_INVERSE, at, from, NULL) == OUTCOME_FOUND) {
            assert_int_equal(translator_point(t, DIRECTION_TRANSLATE, from, to, NULL), OUTCOME_FOUND);
            same_point(to, at, info.to);
            found++;
        }
    }
    assert_int_equal(found, expected);
    check_device(t, DIRECTION_INVERSE, points, count, info.to, info.rank);
}

static void check(Translator *t, const Box *box, Reference *reference)
{
    static int32_t points[MOST_POINTS * SHAPE_MAX_RANK];
    TranslatorInfo info = translator_info(t);
    size_t count = list_points(box, info.rank, points);
    check_points(t, points, count, reference);
    check_ranges(t, box, points, count, reference);
    check_device(t, DIRECTION_TRANSLATE, points, count, info.rank, info.to);
}

/* ---- analytic translators */

static bool linear_345(const int64_t *from, int64_t *to)
{
    to[0] = from[0] + 5 * (from[1] + 4 * from[2]);
    return true;
}

static void test_linear(void **state)
{
    (void)state;
    Translator *t = translator_linear(&(Shape){.rank = 3, .size = {3, 4, 5}});
    unit_check(t);
    Box box = domain_of(t), memory = {{-2}, {61}};
    check(t, &box, linear_345);
    check_memory(t, &memory, 60);
    int64_t outside[3] = {5, 0, 0};
    assert_false(translator_inside(t, outside));
    TranslatorInfo info = translator_info(t);
    assert_true(info.traits.complete && info.traits.invertible && info.traits.one_to_one && info.row_major);
    translator_release(t);
}

static bool fold_rows(const int64_t *from, int64_t *to)
{
    int64_t number = from[0] + 6 * from[1];
    to[0] = number % 3;
    to[1] = number / 3 % 2;
    to[2] = number / 6;
    return true;
}

static void test_reshape(void **state)
{
    (void)state;
    Translator *t =
        translator_reshape(&(Shape){.rank = 2, .size = {4, 6}}, &(Shape){.rank = 3, .size = {4, 2, 3}}, false);
    unit_check(t);
    Box box = domain_of(t), memory = {{-1, -1, -1}, {3, 2, 4}};
    check(t, &box, fold_rows);
    check_memory(t, &memory, 24);
    translator_release(t);
}

/* Slices of 3 x 2, two next to each other. */
static bool fold_tiles(const int64_t *from, int64_t *to)
{
    to[0] = from[2] % 2 * 3 + from[0];
    to[1] = from[2] / 2 * 2 + from[1];
    return true;
}

static void test_reshape_tiled(void **state)
{
    (void)state;
    Translator *t =
        translator_reshape(&(Shape){.rank = 3, .size = {5, 2, 3}}, &(Shape){.rank = 2, .size = {6, 6}}, true);
    unit_check(t);
    Box box = domain_of(t), memory = {{-1, -1}, {6, 6}};
    check(t, &box, fold_tiles);
    check_memory(t, &memory, 30);
    translator_release(t);
}

/* ---- pages */

/* Pages of 4 x 2 (x first) of a domain of 10 x 5: the page at (1, 0) in frame 3, the pages at (0, 1) and (1, 1) in
 * frames 0 and 1. */
static bool pages_some(const int64_t *from, int64_t *to)
{
    int64_t x = from[0] / 4, y = from[1] / 2, frame = x == 1 && y == 0 ? 3 : y == 1 && x < 2 ? x : -1;
    to[0] = 8 * frame + from[0] % 4 + 4 * (from[1] % 2);
    return frame >= 0;
}

static bool pages_none(const int64_t *from, int64_t *to)
{
    (void)from, (void)to;
    return false;
}

static void check_mapping(Translator *t)
{
    const int64_t one[2] = {5, 1}, low[2] = {0, 2}, high[2] = {4, 3}, far[2] = {0, 4};
    uint64_t version = translator_version(t);
    unit_check(translator_map(t, one, one, 3));
    unit_check(translator_map(t, low, high, 0));
    assert_true(translator_version(t) != version);
    assert_int_equal(translator_info(t).mapped, 3);
    /* Mapping a mapped page, a used frame, or a frame beyond the capacity changes nothing. */
    assert_false(translator_map(t, low, high, 4));
    assert_false(translator_map(t, far, far, 3));
    assert_false(translator_map(t, far, far, 6));
    assert_int_equal(translator_info(t).mapped, 3);
}

static void check_unmapping(Translator *t, const Box *box)
{
    int64_t count;
    unit_check(translator_unmap(t, box->first, box->last, &count));
    assert_int_equal(count, 3);
    assert_int_equal(translator_info(t).mapped, 0);
    check(t, box, pages_none);
    unit_check(translator_unmap(t, box->first, box->last, &count));
    assert_int_equal(count, 0);
}

static void test_pages(void **state)
{
    (void)state;
    for (int levels = 0; levels < 4; levels++) {
        Translator *t = translator_pages(device, &(Shape){.rank = 2, .size = {5, 10}},
                                         &(Shape){.rank = 2, .size = {2, 4}}, levels, 6);
        unit_check(t);
        Box box = domain_of(t), memory = {{-1}, {48}};
        check(t, &box, pages_none);
        check_mapping(t);
        check(t, &box, pages_some);
        check_memory(t, &memory, 24);
        Translator *empty = translator_paged_empty(t, 2);
        unit_check(empty);
        assert_int_equal(translator_info(empty).capacity, 2);
        check(empty, &box, pages_none);
        translator_release(empty);
        check_unmapping(t, &box);
        translator_release(t);
    }
}

static void test_pages_at_the_border(void **state)
{
    (void)state;
    /* The last page of each dimension extends beyond the border. Its addresses there are unmapped. */
    Translator *t =
        translator_pages(device, &(Shape){.rank = 2, .size = {5, 10}}, &(Shape){.rank = 2, .size = {2, 4}}, 1, 1);
    const int64_t corner[2] = {9, 4};
    Box memory = {{0}, {7}};
    unit_check(t);
    unit_check(translator_map(t, corner, corner, 0));
    check_memory(t, &memory, 2);
    translator_release(t);
}

/* A domain without bounds: the same pages, starting at (-4, -2). */
static bool hash_some(const int64_t *from, int64_t *to)
{
    const int64_t moved[2] = {from[0] + 4, from[1] + 2};
    return moved[0] >= 0 && moved[1] >= 0 && pages_some(moved, to);
}

static void test_hash(void **state)
{
    (void)state;
    Translator *t = translator_hash(device, &(Shape){.rank = 2, .size = {2, 4}}, 6);
    const int64_t one[2] = {1, -1}, low[2] = {-4, 0}, high[2] = {0, 1};
    Box box = {{-9, -7}, {12, 9}}, memory = {{-1}, {48}};
    unit_check(t);
    assert_false(translator_info(t).domain.known);
    check(t, &box, pages_none);
    unit_check(translator_map(t, one, one, 3));
    unit_check(translator_map(t, low, high, 0));
    assert_false(translator_map(t, one, one, 5));
    check(t, &box, hash_some);
    check_memory(t, &memory, 24);
    int64_t count;
    unit_check(translator_unmap(t, box.first, box.last, &count));
    assert_int_equal(count, 3);
    check(t, &box, pages_none);
    translator_release(t);
}

/* Many pages, mapped and unmapped in random order, compared with an array. */
static void test_hash_at_random(void **state)
{
    (void)state;
    enum { SIDE = 24, CAPACITY = 256 };
    int frame_of[SIDE * SIDE], mapped = 0;
    bool used[CAPACITY] = {false};
    uint32_t random = 7;
    Translator *t = translator_hash(device, &(Shape){.rank = 2, .size = {1, 1}}, CAPACITY);
    unit_check(t);
    memset(frame_of, -1, sizeof frame_of);
    for (int step = 0; step < 4000; step++) {
        random = random * 1664525U + 1013904223U;
        int cell = (int)(random >> 8) % (SIDE * SIDE), frame = (int)(random >> 20) % CAPACITY;
        const int64_t at[2] = {cell % SIDE - SIDE / 2, cell / SIDE - SIDE / 2};
        int64_t count;
        if (frame_of[cell] >= 0) {
            unit_check(translator_unmap(t, at, at, &count));
            assert_int_equal(count, 1);
            used[frame_of[cell]] = false;
            frame_of[cell] = -1;
            mapped--;
        } else if (!used[frame]) {
            unit_check(translator_map(t, at, at, frame));
            used[frame] = true;
            frame_of[cell] = frame;
            mapped++;
        } else {
            assert_false(translator_map(t, at, at, frame));
        }
    }
    assert_int_equal(translator_info(t).mapped, mapped);
    for (int cell = 0; cell < SIDE * SIDE; cell++) {
        const int64_t at[2] = {cell % SIDE - SIDE / 2, cell / SIDE - SIDE / 2};
        int64_t to;
        Outcome outcome = translator_point(t, DIRECTION_TRANSLATE, at, &to, NULL);
        assert_int_equal(outcome, frame_of[cell] >= 0 ? OUTCOME_FOUND : OUTCOME_UNMAPPED);
        assert_true(frame_of[cell] < 0 || to == frame_of[cell]);
    }
    translator_release(t);
}

/* Pages of 2 x 2 with levels: the page of level 1 at (0, 0), which covers 4 x 4, in frame 2, and the page of level
 * 0 at (4, 0) in frame 0. */
static bool adaptive_some(const int64_t *from, int64_t *to)
{
    if (from[0] < 4 && from[1] < 4) {
        to[0] = 4 * 2 + from[0] / 2 + 2 * (from[1] / 2);
        return true;
    }
    to[0] = from[0] - 4 + 2 * from[1];
    return from[0] >= 4 && from[0] < 6 && from[1] < 2;
}

static void test_adaptive(void **state)
{
    (void)state;
    Translator *t =
        translator_adaptive(device, &(Shape){.rank = 2, .size = {8, 8}}, &(Shape){.rank = 2, .size = {2, 2}}, 0, 4);
    const int64_t coarse[2] = {1, 2}, fine[2] = {5, 1};
    unit_check(t);
    assert_int_equal(translator_info(t).levels, 3);
    unit_check(translator_map_level(t, 1, coarse, coarse, 2));
    unit_check(translator_map_level(t, 0, fine, fine, 0));
    static int32_t points[2 * MOST_POINTS];
    Box box = domain_of(t);
    size_t count = list_points(&box, 2, points);
    check_points(t, points, count, adaptive_some);
    check_device(t, DIRECTION_TRANSLATE, points, count, 2, 1);
    int64_t pages;
    unit_check(translator_unmap_level(t, 1, box.first, box.last, &pages));
    assert_int_equal(pages, 1);
    assert_int_equal(translator_info(t).mapped, 1);
    translator_release(t);
}

/* ---- tables */

static bool lists_some(const int64_t *from, int64_t *to)
{
    static const int64_t offsets[] = {0, 2, 2, 5, 6};
    to[0] = offsets[from[1]] + from[0];
    return from[0] < offsets[from[1] + 1] - offsets[from[1]];
}

static void test_lists(void **state)
{
    (void)state;
    static const int32_t offsets[] = {0, 2, 2, 5, 6};
    Translator *t = translator_lists(device, &(Shape){.rank = 1, .size = {4}}, offsets);
    Box box = {{0, 0}, {3, 3}}, memory = {{-1}, {6}};
    unit_check(t);
    TranslatorInfo info = translator_info(t);
    assert_int_equal(info.rank, 2);
    box.last[0] = info.domain.size[0] - 1;
    check(t, &box, lists_some);
    check_memory(t, &memory, 6);
    translator_release(t);
}

static const int32_t places[] = {3, 0, -1, -1, 1, 1, 0, 0, 2, 1, -1, -1};

static bool tabled_some(const int64_t *from, int64_t *to)
{
    const int32_t *place = places + 2 * (from[0] + 3 * from[1]);
    to[0] = place[0];
    to[1] = place[1];
    return place[0] >= 0;
}

static void test_table(void **state)
{
    (void)state;
    Translator *t = translator_table(device, "shuffled", &(Shape){.rank = 2, .size = {2, 3}}, 2, places);
    unit_check(t);
    Box box = domain_of(t), memory = {{-1, -1}, {4, 2}};
    TranslatorInfo info = translator_info(t);
    assert_string_equal(info.name, "shuffled");
    assert_true(info.traits.one_to_one && !info.traits.complete);
    check(t, &box, tabled_some);
    if (info.traits.invertible) {
        check_memory(t, &memory, 4);
    }
    translator_release(t);
}

/* ---- compositions */

/* Rows of 10, folded to pages: a row-major index as a point of the 10 x 5 domain of test_pages. */
static bool composed_some(const int64_t *from, int64_t *to)
{
    const int64_t point[2] = {from[0] % 10, from[0] / 10};
    return pages_some(point, to);
}

static void test_composed(void **state)
{
    (void)state;
    Translator *inner =
        translator_reshape(&(Shape){.rank = 1, .size = {50}}, &(Shape){.rank = 2, .size = {5, 10}}, false);
    Translator *outer =
        translator_pages(device, &(Shape){.rank = 2, .size = {5, 10}}, &(Shape){.rank = 2, .size = {2, 4}}, 0, 6);
    unit_check(inner && outer);
    Translator *t = translator_compose(outer, inner);
    unit_check(t);
    assert_true(translator_shared(outer) && translator_shared(inner));
    translator_release(inner);
    Box box = domain_of(t), memory = {{-1}, {48}};
    check(t, &box, pages_none);
    uint64_t version = translator_version(t);
    check_mapping(outer);
    assert_true(translator_version(t) != version);
    check(t, &box, composed_some);
    check_memory(t, &memory, 24);
    translator_release(outer);
    translator_release(t);
}

static void test_refused(void **state)
{
    (void)state;
    assert_null(translator_reshape(&(Shape){.rank = 1, .size = {50}}, &(Shape){.rank = 2, .size = {5, 9}}, false));
    assert_null(translator_pages(device, &(Shape){.rank = 2, .size = {1 << 30, 1 << 30}},
                                 &(Shape){.rank = 2, .size = {1, 1}}, 1, 0));
    Translator *inner = translator_linear(&(Shape){.rank = 2, .size = {2, 2}});
    Translator *outer = translator_linear(&(Shape){.rank = 2, .size = {2, 2}});
    assert_null(translator_compose(outer, inner));
    translator_release(inner);
    translator_release(outer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_reshape),
        cmocka_unit_test(test_reshape_tiled),
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_pages_at_the_border),
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_hash_at_random),
        cmocka_unit_test(test_adaptive),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_composed),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, device_setup, device_teardown);
}
