/* Makes a device's context current, and restores the previous one. */
#include "gpu/context/device_private.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t entered;

bool device_entered(void)
{
    return entered;
}

static bool make_current(Device *device)
{
    if (eglMakeCurrent(device->display, EGL_NO_SURFACE, EGL_NO_SURFACE, device->context)) {
        return true;
    }
    const char *reason = egl_error_name();
    const char *hint = strcmp(reason, "EGL_BAD_ACCESS") == 0
                           ? "; another thread uses it, or this thread has a context that is not EGL's: "
                             "release that first"
                           : "";
    return error_set("device \"%s\": its context cannot be made current (%s)%s", device->info.name, reason, hint);
}

bool device_is_current(const Device *device)
{
    return device->process == process_generation() && eglGetCurrentContext() == device->context;
}

bool device_enter(Device *device, DeviceScope *scope)
{
    *scope = (DeviceScope){0};
    if (device->process != process_generation()) {
        return process_forked();
    }
    scope->context = eglGetCurrentContext();
    if (scope->context == device->context) {
        entered = 1;
        return true;
    }
    if (scope->context != EGL_NO_CONTEXT) {
        scope->display = eglGetCurrentDisplay();
        scope->draw = eglGetCurrentSurface(EGL_DRAW);
        scope->read = eglGetCurrentSurface(EGL_READ);
    }
    if (!make_current(device)) {
        return false;
    }
    scope->changed = scope->context != EGL_NO_CONTEXT;
    entered = 1;
    return true;
}

void device_leave(DeviceScope *scope)
{
    entered = 0;
    if (scope->changed) {
        eglMakeCurrent(scope->display, scope->draw, scope->read, scope->context);
        scope->changed = false;
    }
}
