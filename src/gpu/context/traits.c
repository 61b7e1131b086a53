/* Determines the properties and limits of a device. Properties that affect the correctness of results are
 * measured once per version of a driver (driver_test.c). The others affect speed only and depend on whether the
 * device queues work. The design notes on devices have the figures. */
#include "base/environment.h"
#include "gpu/context/device_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Smaller buffers are created as fast in OpenGL's memory. */
static const uint64_t PINNED_LEAST = 1024 * 1024;

bool traits_has_extension(const char *name)
{
    GLint count = 0;
    glGetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (GLint i = 0; i < count; i++) {
        const char *extension = (const char *)glGetStringi(GL_EXTENSIONS, (GLuint)i);
        if (extension && strcmp(extension, name) == 0) {
            return true;
        }
    }
    return false;
}

static void copy_string(char *to, size_t room, GLenum name)
{
    const char *text = (const char *)glGetString(name);
    snprintf(to, room, "%s", text ? text : "unknown");
}

static bool is_software(const Device *device)
{
    static const char *const renderers[] = {"llvmpipe", "softpipe", "swrast", "swiftshader", "lavapipe"};
    for (size_t i = 0; i < sizeof renderers / sizeof *renderers; i++) {
        if (strcasestr(device->info.name, renderers[i])) {
            return true;
        }
    }
    return egl_candidate_kind(device->candidate) == CANDIDATE_SOFTWARE;
}

void traits_describe(Device *device)
{
    copy_string(device->info.name, sizeof device->info.name, GL_RENDERER);
    copy_string(device->info.vendor, sizeof device->info.vendor, GL_VENDOR);
    copy_string(device->info.version, sizeof device->info.version, GL_VERSION);
    device->info.software = is_software(device);
    GLint major = 0, minor = 0;
    glGetIntegerv(GL_MAJOR_VERSION, &major);
    glGetIntegerv(GL_MINOR_VERSION, &minor);
    device->gl_version = major * 10 + minor;
    device->buffer_storage = device->gl_version >= 44 || traits_has_extension("GL_ARB_buffer_storage");
    bool robust = device->gl_version >= 45 || traits_has_extension("GL_ARB_robustness");
    device->reset_status = robust && (glGetGraphicsResetStatus || glGetGraphicsResetStatusARB);
}

static uint32_t limit_of(GLenum name)
{
    GLint value = 0;
    glGetIntegerv(name, &value);
    return value > 0 ? (uint32_t)value : 0;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Returns a limit, lowered by an environment variable for tests, at least 1. */
static int lowered(uint32_t limit, const char *variable)
{
    const char *text = getenv(variable);
    long wanted = text ? strtol(text, NULL, 10) : 0;
    return (int)(wanted >= 1 && wanted < (long)limit ? (uint32_t)wanted : limit);
}

static uint32_t group_limit(void)
{
    uint32_t least = UINT32_MAX;
    for (GLuint axis = 0; axis < 3; axis++) {
        GLint count = 0;
        glGetIntegeri_v(GL_MAX_COMPUTE_WORK_GROUP_COUNT, axis, &count);
        least = smaller(least, count > 0 ? (uint32_t)count : 0);
    }
    return least;
}

static void look_up_limits(DeviceLimits *limits)
{
    limits->group_count = group_limit();
    limits->group_size = limit_of(GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS);
    limits->shared_bytes = limit_of(GL_MAX_COMPUTE_SHARED_MEMORY_SIZE);
    GLint64 bytes = 0;
    glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &bytes);
    limits->block_bytes = bytes > 0 ? (uint64_t)bytes : 0;
    limits->texture_texels = (uint64_t)lowered(limit_of(GL_MAX_TEXTURE_BUFFER_SIZE), "RILL_MAX_TEXELS");
    uint32_t blocks =
        smaller(limit_of(GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS), limit_of(GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS));
    blocks = smaller(blocks > 1 ? blocks - 1 : 0, DEVICE_MAX_BLOCKS);
    limits->storage_blocks = lowered(blocks, "RILL_MAX_BLOCKS");
    uint32_t units = smaller(limit_of(GL_MAX_COMPUTE_TEXTURE_IMAGE_UNITS), DEVICE_MAX_TEXTURES);
    limits->texture_units = lowered(units, "RILL_MAX_TEXTURES");
    limits->uniform_vectors =
        (int)smaller(limit_of(GL_MAX_COMPUTE_UNIFORM_COMPONENTS) / 4, limit_of(GL_MAX_UNIFORM_LOCATIONS));
    limits->outputs_per_pass = lowered((uint32_t)limits->storage_blocks, "RILL_MAX_OUTPUTS");
}

/* Sets the traits of a device that works on the processor within the call. */
static void look_up_cpu(DeviceTraits *traits, const DriverTestMeasures *measures)
{
    traits->family = FAMILY_CPU;
    traits->subgroup_size = measures->lanes >= 4 ? (int)measures->lanes : 8;
    traits->group_size = 64;
    traits->barrier_ns = 1.6;
}

/* Sets the traits of a device that queues work and has separate memory, even if RILL_FAMILY forces them on
 * another device. */
static void look_up_gpu(DeviceTraits *traits)
{
    traits->family = FAMILY_GPU;
    traits->subgroup_size = 32;
    traits->synchronous = traits->host_memory = false;
    traits->group_size = 256;
    traits->exact_ranges = false;
    traits->barrier_ns = 0.02;
}

/* Queries the subgroup properties. Called before the driver test. */
static void look_up_subgroups(DeviceTraits *traits)
{
    if (!traits_has_extension("GL_KHR_shader_subgroup")) {
        return;
    }
    enum { BASIC_VOTE_ARITHMETIC = 1 | 2 | 4, BALLOT = 8, SHUFFLE_AND_RELATIVE = 16 | 32 };
    GLint features = 0, stages = 0;
    glGetIntegerv(GL_SUBGROUP_SUPPORTED_FEATURES_KHR, &features);
    glGetIntegerv(GL_SUBGROUP_SUPPORTED_STAGES_KHR, &stages);
    features = (stages & GL_COMPUTE_SHADER_BIT) != 0 ? features : 0;
    uint32_t size = limit_of(GL_SUBGROUP_SIZE_KHR);
    traits->subgroup_size = size ? (int)size : traits->subgroup_size;
    traits->subgroup_ops = (features & BASIC_VOTE_ARITHMETIC) == BASIC_VOTE_ARITHMETIC;
    traits->subgroup_ballot = traits->subgroup_ops && (features & BALLOT) != 0;
    traits->subgroup_shuffle = traits->subgroup_ops && (features & SHUFFLE_AND_RELATIVE) == SHUFFLE_AND_RELATIVE;
}

/* Chooses the family by RILL_FAMILY, or else by whether the device queues work. Returns false with error_set. */
static bool choose_family(DeviceTraits *traits, const DriverTestMeasures *measures)
{
    const char *family = getenv("RILL_FAMILY");
    bool forced = family && *family, cpu = forced ? strcmp(family, "cpu") == 0 : traits->synchronous;
    if (cpu) {
        look_up_cpu(traits, measures);
    } else {
        look_up_gpu(traits);
    }
    return cpu || !forced || strcmp(family, "gpu") == 0 ||
           error_set("RILL_FAMILY is \"%s\": expected cpu or gpu", family);
}

/* RILL_ASYNC: treats the device as one with queued work and separate memory, to test the code for GPUs on any
 * machine. */
static void force_async(DeviceTraits *traits)
{
    if (environment_flag("RILL_ASYNC")) {
        traits->synchronous = traits->host_memory = false;
    }
}

static uint64_t physical_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

/* Queries the size of the device's memory by extensions of NVIDIA (total) and AMD (free), in KiB. Returns 0 if
 * it is unknown. */
static uint64_t device_memory_bytes(const DeviceInfo *info)
{
    GLint kilobytes[4] = {0};
    if (info->software) {
        return physical_memory();
    }
    if (traits_has_extension("GL_NVX_gpu_memory_info")) {
        glGetIntegerv(GL_GPU_MEMORY_INFO_DEDICATED_VIDMEM_NVX, kilobytes);
    } else if (traits_has_extension("GL_ATI_meminfo")) {
        glGetIntegerv(GL_TEXTURE_FREE_MEMORY_ATI, kilobytes);
    }
    return (uint64_t)(uint32_t)kilobytes[0] * 1024;
}

static bool is_robust(void)
{
    GLint flags = 0;
    glGetIntegerv(GL_CONTEXT_FLAGS, &flags);
    return (flags & GL_CONTEXT_FLAG_ROBUST_ACCESS_BIT) != 0;
}

void traits_look_up_limits(Device *device)
{
    device->traits = (DeviceTraits){.robust_access = is_robust()};
    look_up_limits(&device->limits);
    device->limits.memory_bytes = device_memory_bytes(&device->info);
    look_up_subgroups(&device->traits);
}

bool traits_look_up(Device *device, const DriverTestMeasures *measures)
{
    DeviceTraits *traits = &device->traits;
    traits->synchronous = measures->synchronous != 0;
    /* Only a software device finishes work within the call. Its buffers are in host memory, and no hardware
     * unit rounds the ends of ranges. */
    traits->host_memory = traits->synchronous && device->buffer_storage;
    traits->exact_ranges = traits->synchronous && traits->robust_access && measures->exact_ranges;
    traits->loop_limit = measures->loop_limit;
    traits->kept_loads = measures->kept_loads != 0;
    traits->exact_rounds = measures->exact_rounds != 0;
    traits->exact_zeros = measures->exact_zeros != 0;
    traits->group_progress = measures->group_progress != 0;
    traits->exact_division = measures->exact_division != 0;
    traits->fused_fma = measures->fused_fma != 0;
    traits->nearest_half = measures->nearest_half != 0;
    traits->denormals = measures->denormals != 0;
    traits->nans = measures->nans != 0;
    traits->exact_not = measures->exact_not != 0;
    traits->exact_literals = measures->exact_literals != 0;
    device->mends_literals = !traits->exact_literals;
    traits->stable_arrays = measures->stable_arrays != 0;
    if (traits->host_memory) {
        /* In host memory an allocation of any size succeeds, and the process is killed when it uses the memory.
         * Offsets within a buffer are signed 32-bit numbers. */
        device->memory_ceiling = physical_memory();
        device->buffer_ceiling = INT32_MAX;
    }
    if (!choose_family(traits, measures)) {
        return false;
    }
    look_up_subgroups(traits);
    force_async(traits);
    device->staged = device->buffer_storage && !traits->host_memory;
    device->pinned_bytes = traits->host_memory && measures->pinned ? PINNED_LEAST : UINT64_MAX;
    return true;
}
