/* Opens and closes a device. Calls the other files of src/gpu in order. */
#include "base/environment.h"
#include "gpu/context/device_private.h"
#include "gpu/tuning.h"

#include <stdlib.h>

static bool entry_points_present(void)
{
    return glDispatchCompute && glMemoryBarrier && glBindBufferRange && glBindBufferBase && glTexBufferRange &&
           glClearBufferSubData && glCopyBufferSubData && glMapBufferRange && glFenceSync && glUniform4uiv &&
           glCreateShader && glGetStringi && glGetIntegeri_v && glActiveTexture;
}

/* Loads OpenGL's functions. Debian's GLEW is built for GLX: with EGL it loads all functions, then reports that
 * there is no GLX display. */
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

/* Initializes the device. The context must be current. Sets *final on failure if the next attempt would fail too. */
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
    DriverTestMeasures measures;
    bool good = driver_test_measure(device, &measures, final) && traits_look_up(device, &measures) &&
                poison_look_up(device) && large_pages_look_up(device) && fence_look_up(device) &&
                tuning_look_up(device);
    if (!good) {
        fault_destroy(device);
        return false;
    }
    return true;
}

/* Deletes GL objects. This needs the current context; otherwise they are deleted with the context. */
static void release_objects(Device *device)
{
    device_data_destroy_all(device);
    workspace_destroy_all(device);
    program_destroy_all(device);
    pool_shrink(device, 0);
    transfer_destroy_staging(device);
    staging_ring_destroy(device);
    fault_destroy(device);
    indirect_destroy(device);
    texture_destroy_samplers(device);
    recorder_destroy(device);
}

/* Frees the device. A foreign context stays current. */
void device_delete(Device *device)
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
    static uint64_t serial; /* protected by the lock of the device list */
    device->serial = ++serial;
    device->candidate = candidate;
    device->process = process_generation();
    device->count = 1;
    device->copy_many = bulk_copy;
    device->fill_many = bulk_fill;
    device->large_bytes = device->pinned_bytes = UINT64_MAX;
    if (!egl_open(candidate, &device->display, &device->context)) {
        free(device);
        *final = true;
        return NULL;
    }
    DeviceScope scope;
    bool ready = device_enter(device, &scope) && set_up(device, final);
    device->dumps = environment_text("RILL_DUMP") != NULL;
    device->traced = environment_flag("RILL_TRACE"); /* set after the driver test, which is not traced */
    *info = device->info;
    if (!ready) {
        device_delete(device);
        device_leave(&scope);
        return NULL;
    }
    device_leave(&scope);
    return device;
}
