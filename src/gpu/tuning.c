#include "gpu/tuning.h"

#include "base/environment.h"
#include "base/strbuf.h"
#include "gpu/context/device_private.h"
#include "gpu/driver_test/driver_test_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TUNING_VERSION = 1, NAME_ROOM = 32 };

#define X(id, name, gpu, work, ...)                                                                                    \
    [TUNING_##id] = {name, gpu, work, {__VA_ARGS__}, sizeof((int[]){__VA_ARGS__}) / sizeof(int)},
const TuningChoice tuning_choices[TUNING_IDS] = {TUNING_CHOICES(X)};
#undef X

static int find_value(const TuningChoice *choice, long value)
{
    for (int k = 0; k < choice->count; k++) {
        if (choice->values[k] == value) {
            return k;
        }
    }
    return -1;
}

bool tuning_possible(const Device *device)
{
    return device->traits.family == FAMILY_CPU && device->traits.synchronous;
}

static void use_defaults(Device *device)
{
    for (int id = 0; id < TUNING_IDS; id++) {
        if (device->tuning[id].source != TUNING_FORCED) {
            const TuningChoice *choice = &tuning_choices[id];
            device->traits.tuning[id] = device->traits.family == FAMILY_CPU ? choice->values[0] : choice->gpu;
            device->tuning[id] = (TuningResult){.source = TUNING_DEFAULT};
        }
    }
}

/* --- RILL_TUNE --- */

static bool refuse(const char *item, int length)
{
    StrBuf known = STRBUF_EMPTY;
    for (int id = 0; id < TUNING_IDS; id++) {
        strbuf_addf(&known, "%s%s=", id ? ", " : "", tuning_choices[id].name);
        for (int k = 0; k < tuning_choices[id].count; k++) {
            strbuf_addf(&known, "%s%d", k ? "|" : "", tuning_choices[id].values[k]);
        }
    }
    error_set("RILL_TUNE: '%.*s' is not a choice: expected 'default', or some of %s", length, item,
              strbuf_text(&known));
    strbuf_free(&known);
    return false;
}

static bool force_choice(Device *device, const char *item, int length)
{
    for (int id = 0; id < TUNING_IDS; id++) {
        const char *name = tuning_choices[id].name;
        const int named = (int)strlen(name);
        if (length > named + 1 && strncmp(item, name, (size_t)named) == 0 && item[named] == '=') {
            char *end;
            const long value = strtol(item + named + 1, &end, 10);
            if (end == item + length && find_value(&tuning_choices[id], value) >= 0) {
                device->traits.tuning[id] = (int)value;
                device->tuning[id].source = TUNING_FORCED;
                return true;
            }
        }
    }
    return refuse(item, length);
}

/* Reads RILL_TUNE. Sets *measured to false if it is "default". */
static bool read_variable(Device *device, bool *measured)
{
    const char *item = environment_text("RILL_TUNE");
    while (item && *item) {
        const int length = (int)strcspn(item, " ,");
        if (length == 7 && strncmp(item, "default", 7) == 0) {
            *measured = false;
        } else if (length > 0 && !force_choice(device, item, length)) {
            return false;
        }
        item += length + (item[length] != '\0');
    }
    return true;
}

/* --- the record --- */

/* Reads one line of a choice: its name, its value and the nanoseconds of all values. Integers do not depend on
 * the locale. */
static bool read_choice(const char **text, Device *device, int id)
{
    char name[NAME_ROOM];
    int value, used = 0;
    long long ns[TUNING_VALUES];
    TuningResult result;
    const bool read =
        sscanf(*text, "%31s %d %lld %lld %lld %lld\n%n", name, &value, &ns[0], &ns[1], &ns[2], &ns[3], &used) == 6 &&
        used > 0;
    if (!read || strcmp(name, tuning_choices[id].name) != 0 || find_value(&tuning_choices[id], value) < 0) {
        return false;
    }
    *text += used;
    for (int k = 0; k < TUNING_VALUES; k++) {
        result.seconds[k] = (double)ns[k] * 1e-9;
    }
    result.source = result.seconds[0] > 0 ? TUNING_MEASURED : TUNING_DEFAULT;
    if (device->tuning[id].source != TUNING_FORCED) {
        device->traits.tuning[id] = value;
        device->tuning[id] = result;
    }
    return true;
}

static bool recall(Device *device)
{
    char text[DRIVER_TEST_RECORD_ROOM];
    int version = 0, used = 0;
    if (!driver_test_read(driver_test_key(device), TUNING_ENDING, text) ||
        sscanf(text, "rill tuning %d\n%n", &version, &used) != 1 || version != TUNING_VERSION || used == 0) {
        return false;
    }
    const char *at = text + used;
    for (int id = 0; id < TUNING_IDS; id++) {
        if (!read_choice(&at, device, id)) {
            use_defaults(device);
            return false;
        }
    }
    return *at == '\0';
}

static void keep(const Device *device)
{
    StrBuf text = STRBUF_EMPTY;
    strbuf_addf(&text, "rill tuning %d\n", TUNING_VERSION);
    for (int id = 0; id < TUNING_IDS; id++) {
        strbuf_addf(&text, "%s %d", tuning_choices[id].name, device->traits.tuning[id]);
        for (int k = 0; k < TUNING_VALUES; k++) {
            strbuf_addf(&text, " %lld", (long long)(device->tuning[id].seconds[k] * 1e9));
        }
        strbuf_add(&text, "\n");
    }
    driver_test_write(driver_test_key(device), TUNING_ENDING, &text);
    strbuf_free(&text);
}

/* --- */

bool tuning_look_up(Device *device)
{
    bool measured = true;
    memset(device->tuning, 0, sizeof device->tuning);
    use_defaults(device);
    if (!read_variable(device, &measured)) {
        return false;
    }
    device->tuning_due = measured && tuning_possible(device) && !recall(device);
    return true;
}

bool tuning_due(const Device *device)
{
    return device->tuning_due;
}

const TuningResult *tuning_result(const Device *device, TuningId id)
{
    return &device->tuning[id];
}

void tuning_begin(Device *device)
{
    device->tuning_due = false;
    device->untuned = (DeviceQuiet){device->recorder, device->dumps, device->traced, device->memory};
    device->recorder = NULL;
    device->dumps = device->traced = false;
    use_defaults(device);
}

void tuning_use(Device *device, TuningId id, int value)
{
    device->traits.tuning[id] = value;
}

void tuning_note(Device *device, TuningId id, const double seconds[TUNING_VALUES])
{
    device->tuning[id].source = TUNING_MEASURED;
    memcpy(device->tuning[id].seconds, seconds, sizeof device->tuning[id].seconds);
}

void tuning_end(Device *device, bool complete)
{
    const DeviceQuiet *before = &device->untuned;
    bool forced = false;
    if (!complete) {
        use_defaults(device);
    }
    for (int id = 0; id < TUNING_IDS; id++) {
        forced = forced || device->tuning[id].source == TUNING_FORCED;
    }
    if (complete && !forced) {
        keep(device);
    }
    if (before->memory.buffers == 0) {
        pool_shrink(device, 0);
        transfer_destroy_staging(device);
        device->memory = before->memory;
    }
    device->recorder = before->recorder;
    device->dumps = before->dumps;
    device->traced = before->traced;
}
