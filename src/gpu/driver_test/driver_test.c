/* Decides whether a driver is trusted, by the record of this version of it, or else by testing it now (checks.c). */
#include "base/environment.h"
#include "base/strbuf.h"
#include "gpu/context/device_private.h"
#include "gpu/driver_test/driver_test_private.h"

#include <stdlib.h>
#include <string.h>

enum { VERDICTS = 64 };

/* The verdicts of this process, in case nothing can be kept on disk: each thread opens devices separately.
 * Protected by the lock of the device list. */
static struct {
    uint64_t key;
    DriverTestMeasures measures;
    char *refusal; /* NULL: trusted */
} verdicts[VERDICTS];
static int verdict_count;

static bool trust_is_forced(void)
{
    return environment_flag("RILL_TRUST");
}

/* Slow and safe measures of a driver that could not be tested. */
static const DriverTestMeasures untested = {.loop_limit = 32768};

/* Keeps the verdict on a driver that was tested. */
static void remember(uint64_t key, const DriverTestMeasures *measures, const char *refusal)
{
    char *own = refusal && verdict_count < VERDICTS ? strdup(refusal) : NULL;
    if (verdict_count < VERDICTS && (own || !refusal)) {
        verdicts[verdict_count].key = key;
        verdicts[verdict_count].measures = *measures;
        verdicts[verdict_count].refusal = own;
        verdict_count++;
    }
}

/* Returns the index of a verdict, or -1. */
static int find_verdict(uint64_t key)
{
    for (int i = 0; i < verdict_count; i++) {
        if (verdicts[i].key == key) {
            return i;
        }
    }
    return -1;
}

/* Returns false with error_set if a line is wrong. */
static bool judge(const Device *device, const DriverTest *test)
{
    for (int i = 0; i < test->count; i++) {
        const DriverTestLine *line = &test->lines[i];
        if (line->verdict == DRIVER_TEST_WRONG) {
            return error_set(
                "\"%s\" (%s) computes incorrect results and is refused: %s: %s. %s; RILL_TRUST=1 uses it anyway",
                device->info.name, device->info.version, line->name, line->text, driver_test_remedy(device, line));
        }
    }
    return true;
}

/* Deletes the objects of the test: its buffers were created before the device's properties were known. */
static void clean_up(Device *device)
{
    pool_shrink(device, 0);
    transfer_destroy_staging(device);
    device->memory = (DeviceMemory){0};
}

/* Tests the driver, protected by a marker file. Returns false with error_set if it is refused; sets *wrong if
 * it computes incorrect results. */
static bool test_driver(Device *device, uint64_t key, bool trusted, DriverTestMeasures *measures, bool *wrong)
{
    DriverTestMark mark;
    DriverTest test;
    if (!driver_test_mark(key, device, &mark)) {
        *measures = untested;
        return trusted;
    }
    bool run = driver_test_run(device, &test), good = run && judge(device, &test);
    clean_up(device);
    driver_test_unmark(&mark);
    *measures = run ? test.measures : untested;
    *wrong = run && !good;
    if (good) {
        driver_test_keep(key, device, measures);
    }
    if (run) {
        remember(key, measures, good ? NULL : error_message());
    } else {
        error_prefix("\"%s\" (%s) is refused: it cannot be tested", device->info.name, device->info.version);
    }
    return good || (trusted && !device->lost);
}

bool driver_test_measure(Device *device, DriverTestMeasures *measures, bool *wrong)
{
    const uint64_t key = driver_test_key(device);
    const bool trusted = trust_is_forced();
    const int known = find_verdict(key);
    if (known >= 0) {
        *measures = verdicts[known].measures;
        *wrong = verdicts[known].refusal != NULL;
        return trusted || !verdicts[known].refusal || error_set("%s", verdicts[known].refusal);
    }
    return driver_test_recall(key, measures) || test_driver(device, key, trusted, measures, wrong);
}
