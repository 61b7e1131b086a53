#include "gpu/device_private.h"

#include <stdlib.h>
#include <string.h>

/* --- the context --- */

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
    return true;
}

void device_leave(DeviceScope *scope)
{
    if (scope->changed) {
        eglMakeCurrent(scope->display, scope->draw, scope->read, scope->context);
        scope->changed = false;
    }
}

/* --- opening and closing --- */

static bool entry_points_present(void)
{
    return glDispatchCompute && glMemoryBarrier && glBindBufferRange && glBindBufferBase && glTexBufferRange &&
           glClearBufferSubData && glCopyBufferSubData && glMapBufferRange && glFenceSync && glUniform4uiv &&
           glCreateShader && glGetStringi && glGetIntegeri_v && glActiveTexture;
}

/* Debian's GLEW is built for GLX: below EGL it loads everything and then says that there is no GLX display. */
static bool load_entry_points(void)
{
    static bool loaded;
    if (loaded) {
        return true;
    }
    glewExperimental = GL_TRUE;
    GLenum result = glewInit();
    loaded = (result == GLEW_OK || result == GLEW_ERROR_NO_GLX_DISPLAY) && entry_points_present();
    return loaded || error_set("GLEW does not load OpenGL 4.3 (%s)", (const char *)glewGetErrorString(result));
}

/* With the context current. `final`: whether it will fail the next time too. */
static bool set_up(Device *device, bool *final)
{
    if (!load_entry_points()) {
        *final = true;
        return false;
    }
    traits_describe(device);
    if (device->gl_version < 43) {
        *final = true;
        return error_set("\"%s\" has OpenGL %d.%d, 4.3 is needed", device->info.name, device->gl_version / 10,
                         device->gl_version % 10);
    }
    gl_error_start(device);
    traits_look_up_limits(device);
    if (!fault_create(device)) {
        return false;
    }
    TrialMeasures measures;
    bool good = trial_measure(device, &measures, final) && traits_look_up(device, &measures);
    if (!good) {
        fault_destroy(device);
    }
    return good;
}

/* What GL holds goes only where the context is current; else it goes with the context. */
static void release_objects(Device *device)
{
    attachments_destroy(device);
    program_destroy_all(device);
    pool_shrink(device, 0);
    staging_destroy_all(device);
    fault_destroy(device);
    indirect_destroy(device);
    profile_destroy(device);
}

/* Frees the device; a foreign context that is current stays so. */
static void destroy(Device *device)
{
    DeviceScope scope;
    bool entered = device_enter(device, &scope);
    release_objects(device);
    if (entered) {
        if (!scope.changed) {
            eglMakeCurrent(device->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        }
        device_leave(&scope);
    }
    if (device->process == process_generation()) {
        eglDestroyContext(device->display, device->context);
    }
    free(device);
}

Device *device_new(int candidate, DeviceInfo *info, bool *final)
{
    *final = false;
    Device *device = calloc(1, sizeof *device);
    if (!device) {
        error_set("out of host memory");
        return NULL;
    }
    static uint64_t serial; /* guarded by the lock of the device list */
    device->serial = ++serial;
    device->candidate = candidate;
    device->process = process_generation();
    device->count = 1;
    if (!egl_open(candidate, &device->display, &device->context)) {
        free(device);
        *final = true;
        return NULL;
    }
    DeviceScope scope;
    bool ready = device_enter(device, &scope) && set_up(device, final);
    *info = device->info;
    if (!ready) {
        destroy(device);
        device_leave(&scope);
        return NULL;
    }
    device_leave(&scope);
    return device;
}

void device_delete(Device *device)
{
    destroy(device);
}

Device *device_retain(Device *device)
{
    device->count++;
    return device;
}

void device_release(Device *device)
{
    if (!device || --device->count > 0) {
        return;
    }
    device_list_forget(device);
    device_delete(device);
}

/* --- what a device tells --- */

uint64_t device_serial(const Device *device)
{
    return device->serial;
}

const DeviceInfo *device_describe(const Device *device)
{
    return &device->info;
}

const DeviceTraits *device_traits(const Device *device)
{
    return &device->traits;
}

const DeviceLimits *device_limits(const Device *device)
{
    return &device->limits;
}

bool device_wait(Device *device)
{
    if (!device->traits.synchronous) {
        dispatch_barrier(device, GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT);
        glFinish();
        fault_refresh(device);
    }
    return fault_report(device);
}

/* --- memory --- */

void device_set_collector(Device *device, void (*collect)(void *context), void *context)
{
    device->collect = collect;
    device->collect_context = context;
}

DeviceMemory device_memory(const Device *device)
{
    DeviceMemory memory = device->memory;
    memory.pooled = device->pool.bytes;
    return memory;
}

void device_memory_limit(Device *device, uint64_t bytes)
{
    device->memory.limit = bytes;
    if (bytes) {
        uint64_t live = device->memory.bytes;
        pool_shrink(device, bytes > live ? bytes - live : 0);
    }
}

unsigned device_take_compiled(Device *device)
{
    unsigned compiled = device->compiled;
    device->compiled = 0;
    return compiled;
}

uint64_t device_take_charge(Device *device)
{
    uint64_t charge = device->charge;
    device->charge = 0;
    return charge;
}
