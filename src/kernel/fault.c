#include "kernel/fault.h"

#include "base/array.h"
#include "base/thread/lock.h"
#include "gpu/context/device.h"
#include "kernel/kernel.h"

#include <stdio.h>
#include <string.h>

typedef struct FaultName {
    char name[MAX_NAME + 1];
    const Function *function;
} FaultName;

/* For the whole process: a number belongs to one kernel on any device. */
static Lock names_lock = LOCK_FREE;
static struct {
    FaultName *items;
    size_t count, capacity;
} names;
static size_t first_free; /* all entries before it are in use */

static bool take_place(const char *name, const Function *function, int *id)
{
    size_t i = first_free;
    while (i < names.count && names.items[i].function) {
        i++;
    }
    if (i == names.count) {
        if (!ARRAY_ROOM(&names)) {
            return false;
        }
        names.count++;
    }
    strcpy(names.items[i].name, name);
    names.items[i].function = function;
    first_free = i + 1;
    *id = (int)i + 1;
    return true;
}

bool fault_register(const char *name, const Function *function, int *id)
{
    device_set_fault_reporter(kernel_fault_check);
    lock_take(&names_lock);
    bool done = take_place(name, function, id);
    lock_give(&names_lock);
    return done;
}

void fault_unregister(int id)
{
    if (id > 0) {
        lock_take(&names_lock);
        names.items[id - 1].function = NULL; /* the name stays, since a fault may be reported later */
        first_free = (size_t)id - 1 < first_free ? (size_t)id - 1 : first_free;
        lock_give(&names_lock);
    }
}

static const FaultName *find(uint32_t id)
{
    return id > 0 && id <= names.count ? &names.items[id - 1] : NULL;
}

/* Writes the index as in kernel text, "[2][0]". */
static const char *place_text(const uint32_t *fault, int rank, char *text)
{
    *text = '\0';
    for (int d = rank; d-- > 0;) {
        sprintf(text + strlen(text), "[%d]", (int)fault[RILL_FAULT_POINT + d]);
    }
    return text;
}

static void set_error(Device *device, const uint32_t *fault)
{
    const FaultName *kernel = find(fault[RILL_FAULT_KERNEL]);
    const char *name = kernel ? kernel->name : "a kernel";
    if (fault[RILL_FAULT_KIND] == RILL_FAULT_LOOP_CUT) {
        error_set("%s: its loops exceed the device's limit of %u iterations (all loops of an invocation together, "
                  "shared by the "
                  "lanes of a vector), so the result would be incorrect: split the work over more elements or several "
                  "launches",
                  name, device_traits(device)->loop_limit);
        return;
    }
    const Function *f = kernel ? kernel->function : NULL;
    const Param *param =
        f && fault[RILL_FAULT_ARGUMENT] < (uint32_t)f->param_count ? &f->params[fault[RILL_FAULT_ARGUMENT]] : NULL;
    const char *arg = param ? param->name : "?";
    if (fault[RILL_FAULT_KIND] == RILL_FAULT_UNMAPPED) {
        char place[SHAPE_MAX_RANK * 16];
        error_set("%s: argument '%s': %s%s is unmapped, and the write to it at element %u (1-based) was dropped: map "
                  "its page "
                  "with c:allocate",
                  name, arg, arg, place_text(fault, param ? param->rank : 0, place), fault[RILL_FAULT_ELEMENT] + 1);
    } else {
        error_set("%s: argument '%s': index %d is out of range 0 .. %d of dimension %u, counted from the fastest, at "
                  "element %u (1-based)",
                  name, arg, (int)fault[RILL_FAULT_PLACE], (int)fault[RILL_FAULT_SIZE] - 1, fault[RILL_FAULT_DIMENSION],
                  fault[RILL_FAULT_ELEMENT] + 1);
    }
}

bool kernel_fault_check(Device *device)
{
    const uint32_t *fault = device_fault(device);
    if (!fault || fault[RILL_FAULT_KIND] == RILL_FAULT_NONE) {
        return true;
    }
    lock_take(&names_lock);
    set_error(device, fault);
    lock_give(&names_lock);
    device_fault_clear(device);
    return false;
}
