/* Tests conditions, loops, memory and groups. driver_test_run runs all tests. */
#include "gpu/context/device_private.h"
#include "gpu/driver_test/driver_test_private.h"
#include "gpu/memory/buffer.h"
#include "gpu/program/shader.h"
#include "shared/gpu_words.h"

#include <stdio.h>
#include <string.h>

/* Notes a line: right if the words are equal, else wrong with the first difference. */
static void note_words(DriverTest *test, const char *name, const uint32_t *got, const uint32_t *wanted, int count)
{
    for (int i = 0; i < count; i++) {
        if (got[i] != wanted[i]) {
            driver_test_note(test, name, DRIVER_TEST_WRONG, "word %d is %u, not %u", i, got[i], wanted[i]);
            return;
        }
    }
    driver_test_note(test, name, DRIVER_TEST_RIGHT, NULL);
}

/* --- conditions on uniforms --- */

/* The order of the programs; one has no conditions. A driver that compiles uniform values into programs, and
 * confuses the programs, computes incorrect results when it returns to one. The first dispatches take the same
 * branch, so that such a driver compiles it in. */
static const char turns[] = "202020202012012012012010";
enum {
    ROUNDS = sizeof turns - 1,
    CONDITION_LANES = 8,
    CONDITION_WORDS = ROUNDS * CONDITION_LANES,
    CONDITION_PROGRAMS = 3
};

static bool condition_programs(Device *device, Program *programs[CONDITION_PROGRAMS])
{
    bool done = true;
    for (int i = 0; i < CONDITION_PROGRAMS; i++) {
        char defines[64];
        snprintf(defines, sizeof defines, "#define ROUNDS %du\n#define PROGRAM %d\n", ROUNDS, i);
        programs[i] = shader_program(device, "driver_test_condition.comp", defines);
        done = done && programs[i];
    }
    return done;
}

static void condition_case(uint32_t round, uint32_t params[4 * CONDITION_P_VECTORS], uint32_t *wanted)
{
    const uint32_t program = (uint32_t)(turns[round] - '0');
    const bool taken = round < 8 || program > 0;
    memset(params, 0, 4 * CONDITION_P_VECTORS * sizeof *params);
    params[CONDITION_P_VALUE] = 50 + round;
    params[CONDITION_P_ROUND] = round;
    params[CONDITION_P_TAKEN] = taken;
    for (uint32_t i = 0; i < CONDITION_LANES; i++) {
        uint32_t at = round * CONDITION_LANES + i;
        wanted[at] = taken ? 100 * program + params[CONDITION_P_VALUE] : 7;
        wanted[CONDITION_WORDS + at] = program == 2 ? (params[CONDITION_P_VALUE] > 60 ? 0 : i)
                                       : taken      ? 0
                                                    : params[CONDITION_P_VALUE] + i;
    }
}

static bool test_conditions(Device *device, DriverTest *test)
{
    uint32_t got[2 * CONDITION_WORDS], wanted[2 * CONDITION_WORDS], params[4 * CONDITION_P_VECTORS];
    Program *programs[CONDITION_PROGRAMS];
    Buffer *out = condition_programs(device, programs) ? buffer_create(device, sizeof got, true) : NULL;
    Dispatch dispatch = {.params = params,
                         .param_vectors = CONDITION_P_VECTORS,
                         .block_count = 1,
                         .blocks = {{out, 0}},
                         .groups = {1, 1, 1}};
    bool done = out != NULL, current = device->buffer_storage;
    for (uint32_t round = 0; done && round < ROUNDS; round++) {
        condition_case(round, params, wanted);
        dispatch.program = programs[turns[round] - '0'];
        done = device_dispatch(device, &dispatch);
        current = current && ((volatile uint32_t *)device->fault_words)[RILL_FAULT_ARGUMENT] == round + 1;
    }
    done = done && buffer_read(out, 0, got, sizeof got);
    buffer_release(out);
    if (done) {
        test->measures.synchronous = current;
        device_fault_clear(device);
        note_words(test, "conditions", got, wanted, 2 * CONDITION_WORDS);
    }
    return done;
}

/* --- loops --- */

enum { LOOP_LANES = 8, LOOP_WORDS = 5 * LOOP_LANES, MANY_TRIPS = 300000, NEEDED_TRIPS = 32768, SHIFT_TRIPS = 3 };

static const uint32_t loop_source[LOOP_LANES] = {17, 118, 219, 320, 421, 522, 623, 724};

/* The buffers of the loops: results and inputs. */
typedef struct LoopTest {
    Program *program;
    Buffer *out, *source;
} LoopTest;

static bool run_loop(Device *device, const LoopTest *loop, uint32_t trips, uint32_t inner, uint32_t got[LOOP_WORDS])
{
    const uint32_t params[4] = {[LOOP_P_TRIPS] = trips, [LOOP_P_INNER] = inner, [LOOP_P_LEFT] = LOOP_LANES};
    Dispatch dispatch = {.program = loop->program,
                         .params = params,
                         .param_vectors = 1,
                         .block_count = 2,
                         .blocks = {{loop->out, 0}, {loop->source, 0}},
                         .groups = {1, 1, 1}};
    return device_dispatch(device, &dispatch) && buffer_read(loop->out, 0, got, LOOP_WORDS * sizeof *got);
}

static bool loop_right(const uint32_t got[LOOP_LANES], uint32_t trips)
{
    uint32_t value[LOOP_LANES];
    for (uint32_t lane = 0; lane < LOOP_LANES; lane++) {
        value[lane] = lane;
        for (uint32_t k = 0; k < trips; k++) {
            value[lane] = value[lane] * 1664525u + 1013904223u;
        }
    }
    return memcmp(value, got, sizeof value) == 0;
}

/* Finds the largest number of iterations that a loop completes. */
static bool find_limit(Device *device, const LoopTest *loop, uint32_t *limit)
{
    uint32_t right = 0, wrong = MANY_TRIPS, got[LOOP_WORDS];
    while (wrong - right > 1) {
        uint32_t middle = right + (wrong - right) / 2;
        if (!run_loop(device, loop, middle, 0, got)) {
            return false;
        }
        *(loop_right(got, middle) ? &right : &wrong) = middle;
    }
    *limit = right;
    return true;
}

/* Computes the expected results of lanes that store at different indices of a private array. */
static void expect_scattered(uint32_t wanted[LOOP_LANES])
{
    for (uint32_t lane = 0; lane < LOOP_LANES; lane++) {
        uint32_t a[8] = {0};
        a[lane] = lane + 1;
        a[(lane * 3 + 2) & 7] += 100;
        wanted[lane] = 0;
        for (int i = 0; i < 8; i++) {
            wanted[lane] = wanted[lane] * 7 + a[i];
        }
    }
}

static bool measure_loops(Device *device, const LoopTest *loop, DriverTest *test)
{
    DriverTestMeasures *measures = &test->measures;
    uint32_t got[LOOP_WORDS], wanted[LOOP_LANES];
    measures->stable_arrays = measures->kept_loads = measures->exact_rounds = 1;
    for (uint32_t inner = 0; inner < SHIFT_TRIPS; inner++) {
        if (!run_loop(device, loop, 1, inner, got)) {
            return false;
        }
        for (uint32_t lane = 0; lane < LOOP_LANES; lane++) {
            const uint32_t up = lane < 1 ? 7 : 0, down = 7 - (lane < 5 ? lane : 5);
            measures->exact_rounds &= got[4 * LOOP_LANES + lane] == up * 16 + down;
            measures->stable_arrays &= got[LOOP_LANES + lane] == 10 + inner;
            measures->kept_loads &= got[3 * LOOP_LANES + lane] == loop_source[lane];
        }
    }
    expect_scattered(wanted);
    note_words(test, "private arrays", got + 2 * LOOP_LANES, wanted, LOOP_LANES);
    return run_loop(device, loop, MANY_TRIPS, 0, got) &&
           (loop_right(got, MANY_TRIPS) || find_limit(device, loop, &measures->loop_limit));
}

static bool test_loops(Device *device, DriverTest *test)
{
    LoopTest loop = {.program = shader_program(device, "driver_test_loop.comp", "")};
    loop.out = loop.program ? buffer_create(device, LOOP_WORDS * sizeof(uint32_t), true) : NULL;
    loop.source = loop.out ? buffer_create(device, sizeof loop_source, false) : NULL;
    DriverTestMeasures *measures = &test->measures;
    bool done = loop.source && buffer_write(loop.source, 0, loop_source, sizeof loop_source) &&
                measure_loops(device, &loop, test);
    buffer_release(loop.out);
    buffer_release(loop.source);
    if (!done) {
        return false;
    }
    if (!measures->exact_rounds) {
        driver_test_note(test, "rounds of loops", DRIVER_TEST_ALLOWED, "dropped at a minimum; loops are guarded");
    }
    if (!measures->kept_loads) {
        driver_test_note(test, "loaded in loops", DRIVER_TEST_ALLOWED,
                         "lost by lanes that leave first; loops are guarded");
    }
    if (!measures->stable_arrays) {
        driver_test_note(test, "shifted arrays", DRIVER_TEST_ALLOWED,
                         "elements moved past loops; kernels that do so are guarded");
    }
    if (measures->loop_limit == 0) {
        driver_test_note(test, "loops", DRIVER_TEST_RIGHT, NULL);
    } else {
        driver_test_note(test, "loops", measures->loop_limit < NEEDED_TRIPS ? DRIVER_TEST_WRONG : DRIVER_TEST_ALLOWED,
                         "ended silently after %u iterations", measures->loop_limit);
    }
    return true;
}

/* --- memory --- */

enum { WORDS = 64, CUT = 3, UNTOUCHED = 0x5ca1ab1e };

static void fill_words(uint32_t *words, uint32_t first, uint32_t gap)
{
    for (uint32_t i = 0; i < WORDS; i++) {
        words[i] = first + i * gap;
    }
}

/* Returns whether the words after the range are unchanged. */
static bool is_tail_unchanged(const uint32_t *got)
{
    bool same = true;
    for (int i = WORDS - CUT; i < WORDS; i++) {
        same = same && got[i] == (uint32_t)UNTOUCHED;
    }
    return same;
}

static const uint64_t access_range = (WORDS - CUT) * sizeof(uint32_t);

/* Runs the program that adds 1 to words, with new buffers. */
static bool run_access(Device *device, uint32_t results[WORDS], uint32_t wide[WORDS])
{
    const uint64_t bytes = WORDS * sizeof(uint32_t), range = access_range;
    uint32_t source[WORDS], untouched[WORDS];
    Program *program = shader_program(device, "driver_test_access.comp", "");
    Buffer *from = program ? buffer_create(device, bytes, false) : NULL;
    Buffer *to = from ? buffer_create(device, bytes, false) : NULL;
    Buffer *spread = to ? buffer_create(device, bytes, false) : NULL;
    fill_words(source, 17, 101);
    fill_words(untouched, UNTOUCHED, 0);
    Dispatch dispatch = {.program = program,
                         .texture_count = 2,
                         .textures = {{from, TEXEL_WORD}, {from, TEXEL_VECTOR}},
                         .block_count = 3,
                         .blocks = {{to, range}, {spread, range}, {from, 0}},
                         .groups = {1, 1, 1}};
    bool done = spread && buffer_write(from, 0, source, bytes) && buffer_write(to, 0, untouched, bytes) &&
                buffer_write(spread, 0, untouched, bytes) && device_dispatch(device, &dispatch) &&
                buffer_read(to, 0, results, bytes) && buffer_read(spread, 0, wide, bytes);
    buffer_release(from);
    buffer_release(to);
    buffer_release(spread);
    return done;
}

static bool test_access(Device *device, DriverTest *test)
{
    uint32_t wanted[WORDS], results[WORDS], wide[WORDS];
    fill_words(wanted, 18, 101);
    if (!run_access(device, results, wide)) {
        return false;
    }
    test->measures.exact_ranges = is_tail_unchanged(results) && is_tail_unchanged(wide) &&
                                  memcmp(results, wanted, access_range) == 0 && memcmp(wide, wanted, access_range) == 0;
    note_words(test, "memory", results, wanted, WORDS - CUT);
    note_words(test, "wide stores", wide, wanted,
               WORDS - 4); /* a vector that extends past the range may be discarded */
    return true;
}

/* Measures whether buffers can use pages of the process, which only makes sense if work is finished when a launch
 * returns. */
static bool test_pinned(Device *device, DriverTest *test)
{
    uint32_t wanted[WORDS], results[WORDS], wide[WORDS];
    fill_words(wanted, 18, 101);
    if (!test->measures.synchronous || !traits_has_extension("GL_AMD_pinned_memory")) {
        return true;
    }
    pool_shrink(device, 0);
    device->pinned_bytes = 0;
    bool done = run_access(device, results, wide);
    device->pinned_bytes = UINT64_MAX;
    pool_shrink(device, 0);
    test->measures.pinned =
        done && memcmp(results, wanted, access_range) == 0 && memcmp(wide, wanted, access_range / 16 * 16) == 0;
    return done || gl_error_alive(device);
}

/* --- groups --- */

enum { GROUP_WORDS = 16, GROUP = 64, GROUPS = 2 };

static void expect_groups(uint32_t wanted[GROUP_WORDS])
{
    memset(wanted, 0, GROUP_WORDS * sizeof *wanted);
    wanted[0] = GROUP * GROUPS;
    wanted[1] = GROUP * GROUPS;
    wanted[2] = 1;
    wanted[3] = UINT32_MAX;
    for (uint32_t g = 0; g < GROUPS; g++) {
        wanted[8 + g] = wanted[12 + g] = GROUP * (GROUP + 1) / 2 + g * GROUP * GROUP;
    }
}

static Program *group_program(Device *device)
{
    if (device->traits.subgroup_ops) {
        return shader_program(device, "driver_test_group.comp",
                              "#extension GL_KHR_shader_subgroup_basic : require\n"
                              "#extension GL_KHR_shader_subgroup_arithmetic : require\n"
                              "#define LANES gl_SubgroupSize\n#define ARITHMETIC 1\n");
    }
    if (traits_has_extension("GL_ARB_shader_ballot")) {
        return shader_program(device, "driver_test_group.comp",
                              "#extension GL_ARB_shader_ballot : require\n"
                              "#define LANES gl_SubGroupSizeARB\n#define ARITHMETIC 0\n");
    }
    return shader_program(device, "driver_test_group.comp", "#define LANES 0u\n#define ARITHMETIC 0\n");
}

static bool test_groups(Device *device, DriverTest *test)
{
    uint32_t got[GROUP_WORDS] = {0}, wanted[GROUP_WORDS];
    Program *program = group_program(device);
    Buffer *out = program ? buffer_create(device, sizeof got, false) : NULL;
    Dispatch dispatch = {.program = program, .block_count = 1, .blocks = {{out, 0}}, .groups = {GROUPS, 1, 1}};
    expect_groups(wanted);
    got[2] = UINT32_MAX; /* the initial value of a minimum */
    bool done = out && buffer_write(out, 0, got, sizeof got) && device_dispatch(device, &dispatch) &&
                buffer_read(out, 0, got, sizeof got);
    buffer_release(out);
    if (done) {
        test->measures.lanes = got[4] <= 1024 ? got[4] : 0;
        got[4] = 0;
        note_words(test, "groups", got, wanted, GROUP_WORDS);
    }
    return done;
}

enum { PROGRESS_GROUPS = 16384, PROGRESS_RUNS = 3, PROGRESS_TRIES = 60000 };

/* Measures whether a group can wait for the results of groups with lower indices. A wait may also be too long because
 * the device has other work, so the best of several runs counts. A driver that ends loops, such as llvmpipe, whose
 * threads process distant groups, fails without an attempt: else the outcome would depend on its threads. */
static bool test_progress(Device *device, DriverTest *test)
{
    const uint64_t bytes = (PROGRESS_GROUPS + 1) * sizeof(uint32_t);
    Program *program = shader_program_format(device, "driver_test_progress.comp", "#define TRIES %d\n",
                                             test->measures.loop_limit == 0 ? PROGRESS_TRIES : 0);
    Buffer *out = program ? buffer_create(device, bytes, false) : NULL;
    Dispatch dispatch = {.program = program, .block_count = 1, .blocks = {{out, 0}}, .groups = {PROGRESS_GROUPS, 1, 1}};
    bool done = out != NULL;
    uint32_t failures = 1;
    const uint32_t zero = 0;
    for (int run = 0; done && failures > 0 && run < PROGRESS_RUNS; run++) {
        done = buffer_fill(out, 0, bytes, &zero, sizeof zero) && device_dispatch(device, &dispatch) &&
               buffer_read(out, 0, &failures, sizeof failures);
    }
    buffer_release(out);
    test->measures.group_progress = failures == 0;
    if (done && failures > 0) {
        driver_test_note(test, "waiting groups", DRIVER_TEST_ALLOWED,
                         "stop groups with lower indices; sorts count the digits in each pass");
    }
    return done;
}

/* --- all tests --- */

bool driver_test_run(Device *device, DriverTest *test)
{
    *test = (DriverTest){0};
    /* After a reset the results are undefined and must not be attributed to the driver. */
    return driver_test_arithmetic(device, test) && test_conditions(device, test) && test_loops(device, test) &&
           test_access(device, test) && test_pinned(device, test) && test_groups(device, test) &&
           test_progress(device, test) && gl_error_alive(device);
}

const char *driver_test_remedy(const Device *device, const DriverTestLine *line)
{
    if (strcmp(line->name, "conditions") == 0 && strncmp(device->info.name, "zink", 4) == 0) {
        return "Set ZINK_INLINE_UNIFORMS=0, or unset it";
    }
    return "Another version of the driver may be right; `RILL_TRUST=1 rill --selftest` says what to report";
}
