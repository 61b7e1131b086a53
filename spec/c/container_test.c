/* Tests containers (src/container/container.h): random steps on each kind, compared with an array of values and
 * flags on the host. */
#include "device.h"

#include "container/kind/kinds.h"
#include "container/translator/translators.h"
#include "container/tree/tree.h"

enum { ROWS = 20, COLS = 14, CELLS = ROWS * COLS, STEPS = 120, DEFAULT = -9 };

/* ---- kinds */

typedef struct Kind {
    const char *name;
    Container *(*make)(void);
    int64_t origin[2];             /* of the cells, in the container's domain */
    int (*page)(int row, int col); /* the index of a cell's page; NULL: everything is mapped */
} Kind;

static const Shape whole = {.rank = 2, .size = {ROWS, COLS}}, page = {.rank = 2, .size = {4, 5}};
static const int32_t fallback = DEFAULT;

static const Type *ints(void)
{
    return type_of(SCALAR_INT, 1);
}

static Container *make_array(void)
{
    return container_array(device, ints(), &whole);
}

static Container *make_sparse(void)
{
    return container_sparse(device, ints(), &whole, &page, 0, 0, 0, &fallback);
}

static Container *make_deep(void)
{
    return container_sparse(device, ints(), &whole, &page, 0, 3, 0, &fallback);
}

static Container *make_halo(void)
{
    return container_sparse(device, ints(), &whole, &page, 2, 0, 0, &fallback);
}

static Container *make_hashgrid(void)
{
    return container_hashgrid(device, ints(), &page, 0, &fallback);
}

/* Rows of COLS, folded to one dimension with pages of 16. */
static Container *make_mapping(void)
{
    const Shape line = {.rank = 1, .size = {CELLS}}, part = {.rank = 1, .size = {16}};
    Container *pages = container_sparse(device, ints(), &line, &part, 0, 0, 0, &fallback);
    Translator *mapping = translator_reshape(&whole, &line, false);
    unit_check(pages && mapping);
    Container *c = container_mapping(pages, mapping);
    translator_release(mapping);
    return c;
}

static int page_of_cell(int row, int col)
{
    return row / 4 * 3 + col / 5;
}

static int page_of_line(int row, int col)
{
    return (row * COLS + col) / 16;
}

static const Kind kinds[] = {
    {"array", make_array, {0, 0}, NULL},
    {"sparse", make_sparse, {0, 0}, page_of_cell},
    {"deep", make_deep, {0, 0}, page_of_cell},
    {"halo", make_halo, {0, 0}, page_of_cell},
    {"hash", make_hashgrid, {-8, -10}, page_of_cell},
    {"mapping", make_mapping, {0, 0}, page_of_line},
};

/* ---- the model */

typedef struct Model {
    int32_t value[CELLS];
    bool mapped[CELLS];
} Model;

typedef struct Test {
    const Kind *kind;
    Container *c;
    Model now, then; /* with a snapshot: its time */
    Snapshot *snapshot;
    uint32_t random;
} Test;

typedef struct Cells {
    int row, col, rows, cols;
} Cells;

static int random_below(Test *test, int bound)
{
    test->random = test->random * 1664525U + 1013904223U;
    return (int)((test->random >> 8) % (uint32_t)bound);
}

static Cells random_cells(Test *test)
{
    Cells cells = {.row = random_below(test, ROWS), .col = random_below(test, COLS)};
    cells.rows = 1 + random_below(test, ROWS - cells.row < 9 ? ROWS - cells.row : 9);
    cells.cols = 1 + random_below(test, COLS - cells.col < 9 ? COLS - cells.col : 9);
    return cells;
}

/* The box of cells, with indices in the order of the container's shape. */
static void box_of(const Test *test, Cells cells, int64_t first[2], int64_t last[2])
{
    first[0] = test->kind->origin[0] + cells.row;
    first[1] = test->kind->origin[1] + cells.col;
    last[0] = first[0] + cells.rows;
    last[1] = first[1] + cells.cols;
}

/* Calls `change` for every cell of the pages that contain cells of the box. */
static void change_pages(Test *test, Cells cells, void (*change)(Model *model, int cell))
{
    int (*page_of)(int, int) = test->kind->page;
    bool touched[CELLS] = {false};
    for (int row = cells.row; row < cells.row + cells.rows; row++) {
        for (int col = cells.col; col < cells.col + cells.cols; col++) {
            touched[page_of(row, col)] = true;
        }
    }
    for (int cell = 0; cell < CELLS; cell++) {
        if (touched[page_of(cell / COLS, cell % COLS)]) {
            change(&test->now, cell);
        }
    }
}

static void map_cell(Model *model, int cell)
{
    model->mapped[cell] = true;
}

static void unmap_cell(Model *model, int cell)
{
    model->mapped[cell] = false;
    model->value[cell] = DEFAULT;
}

/* ---- steps */

static void allocate(Test *test)
{
    Cells cells = random_cells(test);
    int64_t first[2], last[2];
    box_of(test, cells, first, last);
    unit_check(container_allocate(test->c, first, last));
    change_pages(test, cells, map_cell);
}

static void release(Test *test)
{
    Cells cells = random_cells(test);
    int64_t first[2], last[2];
    box_of(test, cells, first, last);
    unit_check(container_free(test->c, first, last));
    change_pages(test, cells, unmap_cell);
}

static void write(Test *test)
{
    Cells cells = random_cells(test);
    Stream from;
    int32_t values[CELLS];
    int64_t first[2], last[2];
    const Shape shape = {.rank = 2, .size = {cells.rows, cells.cols}};
    box_of(test, cells, first, last);
    if (test->kind->page) {
        change_pages(test, cells, map_cell);
    }
    for (int i = 0; i < cells.rows * cells.cols; i++) {
        values[i] = random_below(test, 1000);
        test->now.value[(cells.row + i / cells.cols) * COLS + cells.col + i % cells.cols] = values[i];
    }
    unit_check(stream_create(device, ints(), &shape, false, &from));
    unit_check(buffer_write(from.buffer, 0, values, stream_bytes(&from)));
    unit_check(container_ready(test->c, first, last));
    unit_check(container_write(test->c, first, &from));
    stream_release(&from);
}

static void fill(Test *test)
{
    int32_t value = random_below(test, 1000);

    unit_check(container_fill(test->c, &value, NULL));
    for (int cell = 0; cell < CELLS; cell++) {
        test->now.value[cell] = test->now.mapped[cell] ? value : DEFAULT;
    }
}

static void take_snapshot(Test *test)
{
    snapshot_close(test->snapshot);
    test->snapshot = container_snapshot(test->c);
    unit_check(test->snapshot);
    assert_true(snapshot_of(test->snapshot, test->c));
    test->then = test->now;
}

static void undo(Test *test)
{
    if (test->snapshot) {
        unit_check(container_undo(test->c, test->snapshot));
        test->now = test->then;
    }
}

/* The elements of the difference are marked. All elements that differ must be among them. */
static void diff(Test *test)
{
    bool marked[CELLS] = {false};
    int64_t point[SHAPE_MAX_RANK];
    if (!test->snapshot) {
        return;
    }
    Region *region = container_diff(test->c, test->snapshot);
    unit_check(region);
    for (RegionCursor cursor = {0}; region_step(region, &cursor, point);) {
        int64_t row = point[1] - test->kind->origin[0], col = point[0] - test->kind->origin[1];
        if (row >= 0 && row < ROWS && col >= 0 && col < COLS) {
            marked[row * COLS + col] = true;
        }
    }
    region_release(region);
    for (int cell = 0; cell < CELLS; cell++) {
        bool same =
            test->now.value[cell] == test->then.value[cell] && test->now.mapped[cell] == test->then.mapped[cell];
        assert_true(same || marked[cell]);
    }
}

/* ---- properties of a container */

static void check_elements(Test *test, Container *c)
{
    Stream dense;
    int32_t values[CELLS];
    int64_t first[2], last[2];
    box_of(test, (Cells){0, 0, ROWS, COLS}, first, last);
    unit_check(container_dense(c, first, last, &dense));
    unit_check(buffer_read(dense.buffer, (uint64_t)dense.offset * sizeof *values, values, sizeof values));
    stream_release(&dense);
    assert_memory_equal(values, test->now.value, sizeof values);
}

static void check_count(Test *test)
{
    Cells cells = random_cells(test);
    int64_t first[2], last[2], count, expected = 0;
    box_of(test, cells, first, last);
    for (int i = 0; i < cells.rows * cells.cols; i++) {
        expected += test->now.mapped[(cells.row + i / cells.cols) * COLS + cells.col + i % cells.cols];
    }
    unit_check(container_count(test->c, first, last, &count, NULL));
    assert_int_equal(count, expected);
}

/* Each mapped cell has a distinct address in memory. Unmapped cells have no address. */
static void check_places(Test *test)
{
    int64_t places[CELLS];
    int count = 0;
    for (int cell = 0; cell < CELLS; cell++) {
        const int64_t index[2] = {test->kind->origin[0] + cell / COLS, test->kind->origin[1] + cell % COLS};
        int64_t place;
        Outcome outcome = container_locate(test->c, index, &place, NULL);
        assert_int_equal(outcome, test->now.mapped[cell] ? OUTCOME_FOUND : OUTCOME_UNMAPPED);
        if (outcome == OUTCOME_FOUND) {
            places[count++] = place;
        }
    }
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < i; k++) {
            assert_true(places[i] != places[k]);
        }
    }
}

static void check_active(Test *test)
{
    int64_t point[SHAPE_MAX_RANK];
    bool active[CELLS] = {false};
    Region *region = container_active(test->c); /* the container's */
    unit_check(region);
    for (RegionCursor cursor = {0}; region_step(region, &cursor, point);) {
        int64_t row = point[1] - test->kind->origin[0], col = point[0] - test->kind->origin[1];
        if (row >= 0 && row < ROWS && col >= 0 && col < COLS) {
            active[row * COLS + col] = true;
        }
    }
    assert_memory_equal(active, test->now.mapped, sizeof active);
}

static void check_pages(Test *test)
{
    bool used[CELLS] = {false};
    int64_t mapped, capacity, room;
    int expected = 0;
    if (!test->kind->page) {
        return;
    }
    for (int cell = 0; cell < CELLS; cell++) {
        int number = test->kind->page(cell / COLS, cell % COLS);
        expected += test->now.mapped[cell] && !used[number];
        used[number] = used[number] || test->now.mapped[cell];
    }
    assert_true(container_pages(test->c, &mapped, &capacity, &room));
    assert_int_equal(mapped, expected);
    assert_true(capacity >= mapped);
}

static void check_copy(Test *test)
{
    int32_t value = 7;
    Container *copy = container_copy(test->c);
    unit_check(copy);
    check_elements(test, copy);
    unit_check(container_fill(copy, &value, NULL));
    container_release(copy);
    check_elements(test, test->c);
}

static void check_all(Test *test, int step)
{
    check_elements(test, test->c);
    check_count(test);
    check_active(test);
    check_pages(test);
    if (step % 10 == 0) {
        check_places(test);
        check_copy(test);
    }
}

static void run_kind(const Kind *kind, uint32_t seed)
{
    static void (*const steps[])(Test *) = {write, write, fill, take_snapshot, undo, diff, allocate, allocate, release};
    Test test = {.kind = kind, .c = kind->make(), .random = seed};
    unit_check(test.c);
    for (int cell = 0; cell < CELLS; cell++) {
        test.now.value[cell] = kind->page ? DEFAULT : 0;
        test.now.mapped[cell] = !kind->page;
    }
    assert_int_equal(container_complete(test.c), !kind->page);
    for (int step = 0; step < STEPS; step++) {
        uint64_t version = container_version(test.c);
        int choice = random_below(&test, kind->page ? 9 : 6);
        steps[choice](&test);
        assert_true(choice > 1 || container_version(test.c) != version);
        check_all(&test, step);
    }
    container_release(test.c); /* before its snapshot */
    snapshot_close(test.snapshot);
}

static void test_kinds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        for (uint32_t seed = 1; seed <= 3; seed++) {
            print_message("# %s, seed %u\n", kinds[i].name, seed);
            run_kind(&kinds[i], seed);
        }
    }
}

/* ---- state after a failure */

static void test_capacity(void **state)
{
    (void)state;
    Container *c = container_sparse(device, ints(), &whole, &page, 0, 0, 3, &fallback);
    int64_t mapped, capacity, room;
    const int64_t corner[2] = {0, 0}, two[2] = {4, 10}, all[2] = {ROWS, COLS};
    unit_check(c);
    unit_check(container_allocate(c, corner, two));
    uint64_t version = container_version(c);
    assert_false(container_allocate(c, corner, all)); /* all pages, or none */
    assert_int_equal(container_version(c), version);
    assert_true(container_pages(c, &mapped, &capacity, &room));
    assert_int_equal(mapped, 2);
    assert_int_equal(room, 1);
    unit_check(container_free(c, corner, all));
    assert_true(container_pages(c, &mapped, &capacity, &room));
    assert_int_equal(mapped, 0);
    container_release(c);
}

/* ---- memory of the caller */

static void test_view(void **state)
{
    (void)state;
    Stream memory;
    int32_t values[60], dense[CELLS];
    const int64_t corner[2] = {6, 5}, origin[2] = {0, 0},
                  all[2] = {ROWS, COLS}; /* x first: the page of row 4, column 5 */
    Translator *t = translator_pages(device, &whole, &page, 0, 3);
    unit_check(t);
    unit_check(translator_map(t, corner, corner, 2));
    unit_check(stream_create(device, ints(), &(Shape){.rank = 1, .size = {60}}, false, &memory));
    for (int i = 0; i < 60; i++) {
        values[i] = 100 + i;
    }
    unit_check(buffer_write(memory.buffer, 0, values, sizeof values));
    Container *c = container_create(t, &memory, &fallback);
    unit_check(c);
    translator_release(t);
    stream_release(&memory);
    Stream result;
    unit_check(container_dense(c, origin, all, &result));
    unit_check(buffer_read(result.buffer, (uint64_t)result.offset * 4, dense, sizeof dense));
    stream_release(&result);
    for (int cell = 0; cell < CELLS; cell++) {
        int row = cell / COLS - 4, col = cell % COLS - 5;
        bool inside = row >= 0 && row < 4 && col >= 0 && col < 5;
        assert_int_equal(dense[cell], inside ? 140 + 5 * row + col : DEFAULT);
    }
    container_release(c);
}

/* ---- stacks, lists and trees */

static void read_ints(const Stream *s, int32_t *values, int64_t count)
{
    assert_int_equal(stream_elements(s), count);
    unit_check(buffer_read(s->buffer, (uint64_t)s->offset * sizeof *values, values, (uint64_t)count * sizeof *values));
}

static Stream ints_of(const int32_t *values, int64_t count)
{
    Stream s;
    unit_check(stream_create(device, ints(), &(Shape){.rank = 1, .size = {count}}, false, &s));
    unit_check(buffer_write(s.buffer, 0, values, (uint64_t)count * sizeof *values));
    return s;
}

/* Pushes and pops of random lengths. The stack grows several times. */
static void test_stack(void **state)
{
    (void)state;
    static int32_t model[8000], popped[64];
    int64_t count = 0;
    Test test = {.random = 5};
    Container *c = container_stack(device, ints(), 0);
    unit_check(c);
    for (int step = 0; step < 200; step++) {
        int length = random_below(&test, 64);
        if (random_below(&test, 3) > 0) {
            for (int i = 0; i < length; i++) {
                model[count + i] = random_below(&test, 1 << 20);
            }
            Stream from = ints_of(model + count, length);
            unit_check(container_append(c, &from));
            stream_release(&from);
            count += length;
        } else if (length <= count) {
            Stream view;
            unit_check(container_remove(c, length, &view));
            count -= length;
            read_ints(&view, popped, length);
            assert_memory_equal(popped, model + count, (size_t)length * sizeof *popped);
            stream_release(&view);
        }
        assert_int_equal(stream_elements(container_whole(c)), count);
    }
    Stream view;
    assert_false(container_remove(c, count + 1, &view));
    container_release(c);
    c = container_stack(device, ints(), 3);
    Stream four = ints_of(model, 4);
    assert_false(container_append(c, &four));
    assert_int_equal(stream_elements(container_whole(c)), 0);
    stream_release(&four);
    container_release(c);
}

static void test_lists(void **state)
{
    (void)state;
    static const int32_t offsets[] = {0, 2, 2, 5}, entries[] = {10, 11, 20, 21, 22};
    int32_t values[9];
    static const int32_t expected[] = {10, 11, 0, 0, 0, 0, 20, 21, 22};
    Translator *t = translator_lists(device, &(Shape){.rank = 1, .size = {3}}, offsets);
    Stream memory = ints_of(entries, 5), dense;
    unit_check(t);
    Container *c = container_lists(t, &memory);
    unit_check(c);
    translator_release(t);
    stream_release(&memory);
    assert_true(container_flat(c));
    assert_int_equal(stream_elements(container_elements(c)), 5);
    unit_check(container_dense(c, (int64_t[]){0, 0}, (int64_t[]){3, 3}, &dense));
    read_ints(&dense, values, 9);
    assert_memory_equal(values, expected, sizeof expected);
    stream_release(&dense);
    container_release(c);
}

static void levels_at(Container *c, const Stream *points, int32_t *levels, int64_t count)
{
    Stream result;
    unit_check(tree_level(c, points, &result));
    read_ints(&result, levels, count);
    stream_release(&result);
}

/* A tree of 16 x 16 cells in pages of 2 x 2: refines it at a point, and restores it from a snapshot. */
static void test_tree(void **state)
{
    (void)state;
    static const float where[] = {0.5F, 0.5F, 15.5F, 15.5F, 3.5F, 0.5F};
    const Shape cells = {.rank = 2, .size = {16, 16}}, small = {.rank = 2, .size = {2, 2}};
    int32_t before[3], after[3], again[3];
    Stream points, one;
    Container *c = container_adaptive(device, type_of(SCALAR_FLOAT, 1), &cells, &small, 1, 0, NULL);
    unit_check(c);
    assert_int_equal(tree_levels(c), 4);
    unit_check(stream_create(device, type_of(SCALAR_FLOAT, 2), &(Shape){.rank = 1, .size = {3}}, false, &points));
    unit_check(buffer_write(points.buffer, 0, where, sizeof where));
    unit_check(stream_domain(&points, (int64_t[]){0}, (int64_t[]){1}, &one));
    levels_at(c, &points, before, 3);
    assert_true(before[0] == 2 && before[1] == 2 && before[2] == 2);
    Snapshot *snapshot = container_snapshot(c);
    unit_check(snapshot);
    Region *fresh = tree_refine(c, &one, NULL, 0);
    unit_check(fresh);
    region_release(fresh);
    levels_at(c, &points, after, 3);
    assert_true(after[0] == 0 && after[1] == 2 && after[2] < 2);
    unit_check(container_undo(c, snapshot));
    levels_at(c, &points, again, 3);
    assert_memory_equal(again, before, sizeof before);
    snapshot_close(snapshot);
    stream_release(&one);
    stream_release(&points);
    container_release(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds), cmocka_unit_test(test_capacity), cmocka_unit_test(test_view),
        cmocka_unit_test(test_stack), cmocka_unit_test(test_lists),    cmocka_unit_test(test_tree),
    };
    return cmocka_run_group_tests(tests, device_setup, device_teardown);
}
