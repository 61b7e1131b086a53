/* Tests elements of streams in host memory (src/kernel/host), and structures parsed from text
 * (src/stream/declaration.c). */
#include "device.h"

#include "kernel/host/host_map.h"
#include "kernel/host/packed.h"

enum { COUNT = 40000 }; /* floats: three pages of a map */

static Stream ramp(void)
{
    Stream s;
    double from[4] = {0}, to[4] = {COUNT};
    unit_check(stream_ramp(device, type_find("float"), &(Shape){1, {COUNT}}, from, to, &s));
    return s;
}

static void test_copies_a_ramp_and_a_view(void **state)
{
    (void)state;
    Stream s = ramp(), copy, every;
    float *elements = malloc(COUNT * sizeof *elements);
    unit_check(packed_copy(&s, NULL, &copy));
    unit_check(packed_download(&copy, elements));
    assert_true(elements[0] == 0 && elements[COUNT - 1] == COUNT - 1);
    unit_check(stream_stride(&copy, (int64_t[]){3}, &every));
    unit_check(packed_fill(&every, &(float){-1}));
    unit_check(packed_download(&copy, elements));
    assert_true(elements[0] == -1 && elements[1] == 1 && elements[3] == -1);
    float *strided = packed_bytes(&every);
    unit_check(strided);
    assert_true(strided[1] == -1);
    free(strided);
    free(elements);
    stream_release(&every);
    stream_release(&copy);
    stream_release(&s);
}

static void test_writes_back_what_was_written(void **state)
{
    (void)state;
    Stream s = ramp(), copy;
    HostMap map;
    float read;
    unit_check(packed_copy(&s, NULL, &copy));
    unit_check(host_map_create(&map, &copy));
    unit_check(host_map_open(&map, true));
    assert_false(host_map_has(&map, COUNT - 1));
    unit_check(host_map_fetch(&map, COUNT - 1));
    assert_true(host_map_has(&map, COUNT - 1) && !host_map_has(&map, 0));
    memcpy(host_map_element(&map, COUNT - 1), &(float){7}, sizeof read);
    host_map_written(&map, COUNT - 1);
    unit_check(host_map_write_back(&map));
    Stream last;
    unit_check(stream_domain(&copy, (int64_t[]){COUNT - 1}, (int64_t[]){COUNT}, &last));
    unit_check(packed_download(&last, &read));
    assert_true(read == 7);
    stream_release(&last);
    host_map_free(&map);
    stream_release(&map.whole);
    stream_release(&map.view);
    stream_release(&copy);
    stream_release(&s);
}

static const Type *find(void *context, const char *name)
{
    (void)context;
    return type_find(name);
}

static void test_reads_fields(void **state)
{
    (void)state;
    Field fields[TYPE_MAX_FIELDS];
    assert_int_equal(type_parse_fields(" vec3 o; float tmax, tmin", fields, find, NULL), 3);
    assert_string_equal(fields[2].name, "tmin");
    assert_true(fields[0].type == type_find("vec3") && fields[1].type == fields[2].type);
    assert_int_equal(type_parse_fields("", fields, find, NULL), 0);
    unit_fails(type_parse_fields("float a b", fields, find, NULL) >= 0, "expected ';' after field 'a'");
    unit_fails(type_parse_fields("float ;", fields, find, NULL) >= 0, "expected the name of a field");
    unit_fails(type_parse_fields("nothing a;", fields, find, NULL) >= 0, "nothing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies_a_ramp_and_a_view),
        cmocka_unit_test(test_writes_back_what_was_written),
        cmocka_unit_test(test_reads_fields),
    };
    return cmocka_run_group_tests(tests, device_setup, device_teardown);
}
