/* Opens OpenGL contexts without a window system: on EGL's hardware devices, Mesa's surfaceless platform, and
 * EGL's software devices. */
#include "gpu/context/device_private.h"

#include <stdio.h>
#include <string.h>

enum { MAX_EGL_DEVICES = 16 };

typedef struct Candidate {
    EGLenum platform;
    void *native; /* the EGLDeviceEXT, or EGL_DEFAULT_DISPLAY */
    CandidateKind kind;
    char label[64];
    EGLDisplay display; /* initialized once and never terminated, since the host program may use the same display */
} Candidate;

static Candidate candidates[MAX_CANDIDATES];
static int candidate_count = -1;

static bool listed(const char *extensions, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = extensions; at && (at = strstr(at, name)) != NULL; at += length) {
        if ((at == extensions || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

static void add_candidate(EGLenum platform, void *native, CandidateKind kind, const char *label)
{
    if (candidate_count == MAX_CANDIDATES) {
        return;
    }
    Candidate *candidate = &candidates[candidate_count++];
    *candidate = (Candidate){.platform = platform, .native = native, .kind = kind, .display = EGL_NO_DISPLAY};
    snprintf(candidate->label, sizeof candidate->label, "%s", label);
}

static int query_devices(const char *client, EGLDeviceEXT *devices)
{
    if (!listed(client, "EGL_EXT_platform_device") ||
        !(listed(client, "EGL_EXT_device_enumeration") || listed(client, "EGL_EXT_device_base"))) {
        return 0;
    }
    PFNEGLQUERYDEVICESEXTPROC query = (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
    EGLint count = 0;
    return query && query(MAX_EGL_DEVICES, devices, &count) ? count : 0;
}

static bool device_is_software(EGLDeviceEXT device)
{
    PFNEGLQUERYDEVICESTRINGEXTPROC query = (PFNEGLQUERYDEVICESTRINGEXTPROC)eglGetProcAddress("eglQueryDeviceStringEXT");
    return query && listed(query(device, EGL_EXTENSIONS), "EGL_MESA_device_software");
}

static void add_devices(const EGLDeviceEXT *devices, int count, CandidateKind kind)
{
    for (int i = 0; i < count; i++) {
        if (device_is_software(devices[i]) == (kind == CANDIDATE_SOFTWARE)) {
            char label[64];
            snprintf(label, sizeof label, "EGL device %d", i + 1);
            add_candidate(EGL_PLATFORM_DEVICE_EXT, devices[i], kind, label);
        }
    }
}

int egl_candidate_count(void)
{
    if (candidate_count >= 0) {
        return candidate_count;
    }
    candidate_count = 0;
    driver_cache_prepare();
    const char *client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    EGLDeviceEXT devices[MAX_EGL_DEVICES];
    int count = query_devices(client, devices);
    add_devices(devices, count, CANDIDATE_HARDWARE);
    if (listed(client, "EGL_MESA_platform_surfaceless")) {
        add_candidate(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, CANDIDATE_SURFACELESS,
                      "Mesa's surfaceless platform");
    }
    add_devices(devices, count, CANDIDATE_SOFTWARE);
    return candidate_count;
}

CandidateKind egl_candidate_kind(int candidate)
{
    return candidates[candidate].kind;
}

const char *egl_error_name(void)
{
    static const char *const names[] = {"EGL_SUCCESS",       "EGL_NOT_INITIALIZED",     "EGL_BAD_ACCESS",
                                        "EGL_BAD_ALLOC",     "EGL_BAD_ATTRIBUTE",       "EGL_BAD_CONFIG",
                                        "EGL_BAD_CONTEXT",   "EGL_BAD_CURRENT_SURFACE", "EGL_BAD_DISPLAY",
                                        "EGL_BAD_MATCH",     "EGL_BAD_NATIVE_PIXMAP",   "EGL_BAD_NATIVE_WINDOW",
                                        "EGL_BAD_PARAMETER", "EGL_BAD_SURFACE",         "EGL_CONTEXT_LOST"};
    EGLint error = eglGetError() - EGL_SUCCESS;
    return error >= 0 && error < (EGLint)(sizeof names / sizeof *names) ? names[error] : "unknown EGL error";
}

static bool open_display(Candidate *candidate)
{
    if (candidate->display != EGL_NO_DISPLAY) {
        return true;
    }
    PFNEGLGETPLATFORMDISPLAYEXTPROC get_display =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    EGLDisplay display = get_display ? get_display(candidate->platform, candidate->native, NULL) : EGL_NO_DISPLAY;
    if (display == EGL_NO_DISPLAY) {
        return error_set("%s: no EGL display (%s)", candidate->label, egl_error_name());
    }
    EGLint major = 0, minor = 0;
    if (!eglInitialize(display, &major, &minor)) {
        return error_set("%s: eglInitialize failed (%s)", candidate->label, egl_error_name());
    }
    const char *extensions = eglQueryString(display, EGL_EXTENSIONS);
    if (!listed(extensions, "EGL_KHR_surfaceless_context") || !listed(extensions, "EGL_KHR_no_config_context")) {
        return error_set("%s: EGL lacks EGL_KHR_surfaceless_context or EGL_KHR_no_config_context", candidate->label);
    }
    candidate->display = display;
    return true;
}

static EGLContext create_context(EGLDisplay display, EGLint minor, bool robust)
{
    const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                                 4,
                                 EGL_CONTEXT_MINOR_VERSION,
                                 minor,
                                 EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                 EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                 robust ? EGL_CONTEXT_OPENGL_ROBUST_ACCESS : EGL_NONE,
                                 EGL_TRUE,
                                 EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY,
                                 EGL_LOSE_CONTEXT_ON_RESET,
                                 EGL_NONE};
    return eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
}

/* Creates a context of the newest version, with robust access if the driver supports it. */
static EGLContext newest_context(EGLDisplay display)
{
    static const EGLint minors[] = {6, 5, 3};
    for (int i = 0; i < 3; i++) {
        EGLContext context = create_context(display, minors[i], true);
        if (context == EGL_NO_CONTEXT) {
            context = create_context(display, minors[i], false);
        }
        if (context != EGL_NO_CONTEXT) {
            return context;
        }
    }
    return EGL_NO_CONTEXT;
}

bool egl_open(int index, EGLDisplay *display, EGLContext *context)
{
    Candidate *candidate = &candidates[index];
    if (!open_display(candidate)) {
        return false;
    }
    EGLenum api = eglQueryAPI(); /* per thread; restored for the host program */
    if (!eglBindAPI(EGL_OPENGL_API)) {
        return error_set("%s: EGL offers no desktop OpenGL", candidate->label);
    }
    *display = candidate->display;
    *context = newest_context(candidate->display);
    const char *reason = *context == EGL_NO_CONTEXT ? egl_error_name() : NULL;
    eglBindAPI(api);
    return reason ? error_set("%s: no OpenGL 4.3 core context (%s)", candidate->label, reason) : true;
}
