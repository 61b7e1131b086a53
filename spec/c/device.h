/* Setup and teardown of test groups that need a device: they enter and leave it. */
#ifndef RILL_UNIT_DEVICE_H
#define RILL_UNIT_DEVICE_H

#include "unit.h"

#include "gpu/context/device.h"

static Device *device;
static DeviceScope scope;

static int device_setup(void **state)
{
    (void)state;
    device = device_open(NULL);
    if (!device || !device_enter(device, &scope)) {
        print_error("no device: %s\n", error_message());
        return 1;
    }
    return 0;
}

static int device_teardown(void **state)
{
    (void)state;
    uint64_t buffers = device_memory(device).buffers;
    device_leave(&scope);
    device_release(device);
    if (buffers != 0) {
        print_error("%llu buffers are left\n", (unsigned long long)buffers);
    }
    return buffers != 0;
}

#endif
