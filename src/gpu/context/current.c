/* Makes a device's context current, and restores the previous one. */
#include "gpu/context/device_private.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static atomic_bool entered; /* a signal handler reads it */

/* Before a launch or a copy, Mesa's llvmpipe (22.3) reads the lists of resources of the graphics passes of all contexts of
 * the process, without a lock: a pass on another thread that frees its list ends the process. So graphics passes exclude
 * all other uses of software devices. `shared` is the number of scopes of this thread that hold the lock together. */
static pthread_rwlock_t passes = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static _Thread_local int shared;

static void lock_shared(const Device *device, DeviceScope *scope)
{
    scope->shared = device->info.software;
    if (scope->shared && shared++ == 0) {
        pthread_rwlock_rdlock(&passes);
    }
}

static void unlock_shared(DeviceScope *scope)
{
    if (scope->shared && --shared == 0) {
        pthread_rwlock_unlock(&passes);
    }
    scope->shared = false;
}

void device_exclude(const Device *device)
{
    if (device->info.software) {
        if (shared > 0) {
            pthread_rwlock_unlock(&passes);
        }
        pthread_rwlock_wrlock(&passes);
    }
}

void device_include(const Device *device)
{
    if (device->info.software) {
        pthread_rwlock_unlock(&passes);
        if (shared > 0) {
            pthread_rwlock_rdlock(&passes);
        }
    }
}

bool device_entered(void)
{
    return atomic_load(&entered);
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
    lock_shared(device, scope);
    scope->context = eglGetCurrentContext();
    if (scope->context == device->context) {
        atomic_store(&entered, true);
        return true;
    }
    if (scope->context != EGL_NO_CONTEXT) {
        scope->display = eglGetCurrentDisplay();
        scope->draw = eglGetCurrentSurface(EGL_DRAW);
        scope->read = eglGetCurrentSurface(EGL_READ);
    }
    if (!make_current(device)) {
        unlock_shared(scope);
        return false;
    }
    scope->changed = scope->context != EGL_NO_CONTEXT;
    atomic_store(&entered, true);
    return true;
}

void device_leave(DeviceScope *scope)
{
    atomic_store(&entered, false);
    if (scope->changed) {
        eglMakeCurrent(scope->display, scope->draw, scope->read, scope->context);
        scope->changed = false;
    }
    unlock_shared(scope);
}
