/* Tests launches over containers (src/container/launch.h): which elements they visit, which pages they map, and
 * the state after they are undone. */
#include "device.h"

#include "container/kind/kinds.h"
#include "container/launch.h"
#include "container/region/active_list.h"
#include "kernel/launch/builtin.h"

/* A launch enters the device itself. */
static void leave(void)
{
    device_leave(&scope);
}

static void enter(void)
{
    assert_true(device_enter(device, &scope));
}

static int64_t mapped_pages(const Container *c)
{
    int64_t mapped, capacity, room;
    assert_true(container_pages(c, &mapped, &capacity, &room));
    return mapped;
}

static Container *sparse(void)
{
    Container *c = container_sparse(device, type_find("float"), &(Shape){.rank = 2, .size = {64, 64}},
                                    &(Shape){.rank = 2, .size = {16, 16}}, 0, 1, 0, NULL);
    unit_check(c);
    return c;
}

/* Creates the launch of a kernel that reads x and writes y. If y is NULL, the launch allocates the output. */
static ContainerLaunch launch_of(Container *x, Container *y, Argument args[2], ContainerLaunchHold *hold)
{
    static const char doubled[] = "kernel void doubled(float x<>, out float y<>) { y = 2.0 * x; }";
    ContainerLaunch launch = {.device = device, .contained = true, .args = args, .hold = hold};
    launch.kernel = builtin_kernel(device, doubled);
    unit_check(launch.kernel);
    args[0] = (Argument){.stream = container_elements(x)};
    args[1] = (Argument){.stream = y ? container_elements(y) : NULL};
    launch.containers[0] = x;
    launch.containers[1] = y;
    launch.domain = (Shape){.rank = 2, .size = {64, 64}};
    memset(hold, 0, sizeof *hold);
    return launch;
}

/* Returns the element at an index in the order of the shape, as a kernel reads it. */
static float element(Container *c, int64_t row, int64_t column)
{
    float value;
    Stream dense;
    unit_check(container_dense(c, (int64_t[]){row, column}, (int64_t[]){row + 1, column + 1}, &dense));
    unit_check(buffer_read(dense.buffer, (uint64_t)dense.offset * sizeof value, &value, sizeof value));
    stream_release(&dense);
    return value;
}

/* Creates a container whose first two pages contain the value 3. */
static Container *two_pages(void)
{
    Container *c = sparse();
    unit_check(container_allocate(c, (int64_t[]){0, 0}, (int64_t[]){16, 32}));
    unit_check(container_fill(c, &(float){3}, NULL));
    return c;
}

static void test_covers_the_mapped_elements(void **state)
{
    (void)state;
    Argument args[2];
    ContainerLaunchHold hold;
    Container *x = two_pages();
    ContainerLaunch launch = launch_of(x, NULL, args, &hold);
    leave();
    assert_true(container_launch_holds(&launch) && !container_launch_unbounded(&launch));
    unit_check(container_launch_domain(&launch, NULL));
    assert_non_null(launch.over);
    assert_int_equal(launch.over->set.elements, 2 * 16 * 16);
    const Container *model = container_launch_model(&launch, 1);
    assert_ptr_equal(model, x);
    Container *y = container_launch_output(&launch, 1, model);
    unit_check(y);
    launch.containers[1] = y;
    launch.fresh[1] = true;
    args[1].stream = container_elements(y);
    unit_check(container_launch_begin(&launch, NULL));
    assert_int_equal(mapped_pages(y), 2);
    unit_check(container_launch_run(&launch, false, NULL));
    assert_true(hold.keep);
    container_launch_end(&hold);
    container_launch_end(&hold);
    enter();
    assert_int_equal(mapped_pages(y), 2);
    assert_true(element(y, 15, 31) == 6 && element(y, 16, 0) == 0);
    container_release(y);
    container_release(x);
}

/* A region that is not aligned to pages. */
static void test_maps_the_region_that_it_covers(void **state)
{
    (void)state;
    Argument args[2];
    ContainerLaunchHold hold;
    Container *x = two_pages(), *y = sparse();
    Region *over =
        region_box(device, &(Shape){.rank = 2, .size = {64, 64}}, false, (int64_t[]){10, 10}, (int64_t[]){20, 20});
    unit_check(over);
    ContainerLaunch launch = launch_of(x, y, args, &hold);
    launch.over = over;
    leave();
    unit_check(container_launch_traverse(&launch));
    unit_check(container_launch_begin(&launch, NULL));
    assert_int_equal(mapped_pages(y), 4);
    unit_check(container_launch_run(&launch, false, NULL));
    container_launch_end(&hold);
    enter();
    assert_true(element(y, 10, 10) == 6 && element(y, 15, 19) == 6 && element(y, 9, 10) == 0 &&
                element(y, 16, 10) == 0);
    region_release(over);
    container_release(y);
    container_release(x);
}

/* A launch that is not issued leaves the pages unchanged, including pages that are shared with a snapshot. */
static void test_is_undone(void **state)
{
    (void)state;
    Argument args[2];
    ContainerLaunchHold hold;
    Container *x = two_pages(), *y = two_pages();
    Snapshot *snapshot = container_snapshot(y);
    unit_check(snapshot);
    unit_check(container_allocate(x, (int64_t[]){48, 48}, (int64_t[]){64, 64}));
    ContainerLaunch launch = launch_of(x, y, args, &hold);
    leave();
    unit_check(container_launch_domain(&launch, NULL));
    unit_check(container_launch_begin(&launch, NULL));
    assert_int_equal(mapped_pages(y), 3);
    assert_int_equal(hold.count, 1);
    container_launch_end(&hold);
    enter();
    assert_int_equal(mapped_pages(y), 2);
    assert_true(element(y, 0, 0) == 3);
    Region *changed = container_diff(y, snapshot);
    unit_check(changed);
    assert_int_equal(changed->set.elements, 0);
    region_release(changed);
    snapshot_close(snapshot);
    container_release(y);
    container_release(x);
}

/* A container over the pages of another container cannot map pages. */
static void test_refuses_pages_of_somebody_else(void **state)
{
    (void)state;
    Argument args[2];
    ContainerLaunchHold hold;
    Container *x = two_pages();
    Stream memory;
    unit_check(stream_create(device, type_of(SCALAR_FLOAT, 1), &(Shape){.rank = 1, .size = {1024}}, false, &memory));
    Container *y = container_create(container_translator(x), &memory, NULL);
    unit_check(y);
    ContainerLaunch launch = launch_of(x, y, args, &hold);
    Region *over = region_box(device, &launch.domain, false, (int64_t[]){0, 0}, (int64_t[]){32, 32});
    unit_check(over);
    launch.over = over;
    leave();
    unit_fails(container_launch_begin(&launch, NULL), "doubled: argument 'y': 512 of the 1024 elements");
    container_launch_end(&hold);
    enter();
    region_release(over);
    container_release(y);
    stream_release(&memory);
    container_release(x);
}

/* With an active list, the boxes that contain its elements are mapped. */
static void test_maps_the_boxes_of_an_active_list(void **state)
{
    (void)state;
    static const int32_t listed[] = {64 * 20 + 20, 64 * 20 + 21, 64 * 63 + 63};
    Argument args[2];
    ContainerLaunchHold hold;
    Stream active;
    int64_t sizes[SHAPE_MAX_RANK];
    Container *x = two_pages(), *y = sparse();
    unit_check(stream_create(device, type_of(SCALAR_INT, 1), &(Shape){.rank = 1, .size = {3}}, false, &active));
    unit_check(buffer_write(active.buffer, 0, listed, sizeof listed));
    ContainerLaunch launch = launch_of(x, y, args, &hold);
    launch.active = &active;
    assert_false(container_launch_box_sizes(&launch, 0, sizes));
    assert_true(container_launch_box_sizes(&launch, 1, sizes));
    assert_true(sizes[0] == 16 && sizes[1] == 16);
    Region *boxes = region_of_active(&active, &launch.domain, sizes);
    unit_check(boxes);
    launch.boxes[1] = boxes;
    leave();
    unit_check(container_launch_begin(&launch, NULL));
    assert_int_equal(mapped_pages(y), 2);
    unit_check(container_launch_run(&launch, false, NULL));
    container_launch_end(&hold);
    enter();
    region_release(boxes);
    stream_release(&active);
    container_release(y);
    container_release(x);
}

/* A container without unmapped elements does not limit a launch. */
static void test_covers_all_of_a_complete_container(void **state)
{
    (void)state;
    Argument args[2];
    ContainerLaunchHold hold;
    Container *x = two_pages(),
              *y = container_array(device, type_of(SCALAR_FLOAT, 1), &(Shape){.rank = 2, .size = {64, 64}});
    unit_check(y);
    ContainerLaunch launch = launch_of(x, y, args, &hold);
    leave();
    unit_check(container_launch_domain(&launch, NULL));
    assert_null(launch.over);
    unit_check(container_launch_begin(&launch, NULL));
    unit_check(container_launch_run(&launch, false, NULL));
    container_launch_end(&hold);
    enter();
    assert_true(element(y, 0, 0) == 6 && element(y, 63, 63) == 0);
    container_release(y);
    container_release(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_covers_the_mapped_elements),
        cmocka_unit_test(test_maps_the_region_that_it_covers),
        cmocka_unit_test(test_is_undone),
        cmocka_unit_test(test_refuses_pages_of_somebody_else),
        cmocka_unit_test(test_maps_the_boxes_of_an_active_list),
        cmocka_unit_test(test_covers_all_of_a_complete_container),
    };
    return cmocka_run_group_tests(tests, device_setup, device_teardown);
}
