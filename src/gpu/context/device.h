/* A device is one headless OpenGL context. This header declares its properties and the function that
 * dispatches work. Only src/gpu calls OpenGL. If a function that returns bool or a pointer fails, it returns
 * false or NULL and has set the error message (error_set, base/error.h). */
#ifndef RILL_GPU_CONTEXT_DEVICE_H
#define RILL_GPU_CONTEXT_DEVICE_H

#include "gpu/context/tuning_choices.h"
#include "shared/fault_words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Device Device;
typedef struct Buffer Buffer;
typedef struct Program Program;

/* A region of a buffer: rows of `width` bytes at a distance of `pitch` bytes. The first row begins at `from`,
 * the last one ends at `to`. A single row has pitch 0. */
typedef struct BufferRegion {
    uint64_t from, to, pitch, width;
} BufferRegion;

typedef enum DeviceFamily { FAMILY_CPU, FAMILY_GPU } DeviceFamily;

/* Properties of a driver. Properties that affect the correctness of results are measured once per version of a
 * driver. */
typedef struct DeviceTraits {
    /* Used by the compiler, the primitives and the buffers. */
    DeviceFamily family;  /* RILL_FAMILY=cpu|gpu forces one */
    int subgroup_size;    /* lanes per subgroup */
    bool subgroup_ops;    /* GL_KHR_shader_subgroup arithmetic */
    bool subgroup_ballot; /* GL_KHR_shader_subgroup ballots */
    bool subgroup_shuffle;
    bool synchronous;       /* work is finished, and the fault words are current, when a dispatch returns */
    bool host_memory;       /* buffers are in host memory: a mapped pointer needs no copy */
    int group_size;         /* preferred work-group size of element-wise work */
    bool exact_ranges;      /* stores past a bound range are discarded word by word */
    uint32_t loop_limit;    /* iterations after which the driver ends a loop silently; 0: no limit */
    bool kept_loads;        /* lanes that leave a loop early keep the values that they loaded in it */
    bool exact_rounds;      /* a loop with a condition such as i < min(a, b) runs all its iterations */
    bool exact_zeros;       /* operations with a constant 0 follow IEEE 754 */
    bool group_progress;    /* groups with lower indices continue while a group waits for them. Affects speed only */
    int tuning[TUNING_IDS]; /* choices that affect speed only: see tuning.h */

    /* Information for authors of kernels. Generated code is correct for every value. */
    bool
        exact_division; /* float quotients are correctly rounded; else the error is at most 3 units in the last place */
    bool fused_fma;     /* fma rounds once */
    bool nearest_half;  /* packHalf2x16 rounds to nearest even */
    bool denormals;     /* subnormal numbers are not replaced by 0 */
    bool nans;          /* comparisons and isnan handle NaN */
    bool exact_not;     /* !(x < y) is true if x or y is NaN; else generated code hides conditions from the compiler */
    bool exact_literals; /* double literals are correctly rounded; else programs contain their bits */
    bool stable_arrays;  /* loads from and stores to private arrays are not reordered across loops */
    bool robust_access;  /* the driver confines accesses to buffers */
    double barrier_ns;   /* estimated cost of a barrier() per invocation, in nanoseconds */
} DeviceTraits;

typedef struct DeviceLimits {
    uint32_t group_count; /* work groups per axis */
    uint32_t group_size;  /* invocations per group */
    uint32_t shared_bytes;
    uint64_t block_bytes;    /* largest storage block, as advertised */
    uint64_t texture_texels; /* buffer texture length; RILL_MAX_TEXELS lowers it */
    int storage_blocks;      /* usable by kernels (without the block of the fault words); RILL_MAX_BLOCKS lowers it */
    int texture_units;       /* RILL_MAX_TEXTURES lowers it */
    int uniform_vectors;     /* uvec4 uniforms per program */
    int outputs_per_pass;    /* storage_blocks; RILL_MAX_OUTPUTS lowers it */
    uint64_t memory_bytes;   /* of the device, or of the host for a software device; 0 if unknown */
} DeviceLimits;

typedef struct DeviceInfo {
    char name[128], vendor[128], version[128];
    bool software;
} DeviceInfo;

typedef struct DeviceMemory {
    uint64_t bytes, peak, pooled, limit; /* limit: 0 if there is none */
    uint64_t buffers;
    uint64_t reads; /* number of read-backs */
} DeviceMemory;

/* Registers a handler that detects forks of the process: see process.c. Call it before the first device is
 * opened. Further calls have no effect. */
void device_watch_forks(void);

/* Returns the number of devices that can be opened. The list has hardware first and is made once per process.
 * Returns -1 with error_set in a process that was forked after its parent had opened a device. */
int device_count(void);
/* Describes a device of the list by its 0-based index. */
bool device_info(int index, DeviceInfo *info);
/* Copies the reason why a driver is refused. `index` is 0-based among the refused drivers. Returns false after the
 * last one. */
bool device_left_out(int index, char *reason, size_t room);

/* Opens a device by its 1-based index as text ("1", "2" ...) or by a part of its name in any case. NULL:
 * RILL_DEVICE if it is set, else the first device that opens. If the device is already open on this thread, it
 * is shared. The caller owns a reference. */
Device *device_open(const char *which);
/* Adds a reference. */
Device *device_retain(Device *device);
/* Drops a reference. The device is closed with the last one. */
void device_release(Device *device);

/* Returns a number that no other device of this process has or had. For caches that exist longer than devices. */
uint64_t device_serial(const Device *device);
/* Returns name, vendor and version. */
const DeviceInfo *device_describe(const Device *device);
/* Returns the properties. */
const DeviceTraits *device_traits(const Device *device);
/* Returns the limits. */
const DeviceLimits *device_limits(const Device *device);

/* The context that was current before device_enter. */
typedef struct DeviceScope {
    void *display, *draw, *read, *context;
    bool changed, shared;
} DeviceScope;
/* Makes the device's context current on this thread, and saves a foreign context in `scope`. This is cheap if
 * the context is current already. All other calls on devices, buffers and programs must be made between
 * device_enter and device_leave. */
bool device_enter(Device *device, DeviceScope *scope);
/* Restores the context that device_enter saved. */
void device_leave(DeviceScope *scope);
/* Begin and end a graphics pass between device_enter and device_leave. If the device is a software device, no other
 * thread uses one meanwhile. */
void device_exclude(const Device *device);
void device_include(const Device *device);
/* Returns whether this thread is between device_enter and device_leave. May be called by signal handlers. */
bool device_entered(void);

/* Returns whether launches are printed on standard error. The environment variable RILL_TRACE, which is read when
 * the device is opened, determines this. */
bool device_traced(const Device *device);

/* Waits for all work. Returns false with error_set if the device is lost or a fault is recorded. */
bool device_wait(Device *device);

/* Sets a function that frees unused objects of the host language. It is called before an allocation fails
 * because memory is exhausted. */
void device_set_collector(Device *device, void (*collect)(void *context), void *context);
/* Returns the memory statistics. */
DeviceMemory device_memory(const Device *device);
/* Sets the memory limit in bytes; 0: none. */
void device_memory_limit(Device *device, uint64_t bytes);
/* Returns the bytes that the memory in use takes, with what the driver and rill need for each buffer. */
uint64_t device_held(const Device *device);
/* Returns the number of programs that were compiled since the last call. The binding charges the garbage collector
 * with them, too: each takes a quarter of a megabyte on llvmpipe. */
unsigned device_take_compiled(Device *device);

enum {
    DEVICE_MAX_TEXTURES = 32,
    DEVICE_MAX_BLOCKS = 16, /* in addition to the block of the fault words */
    DEVICE_MAX_IMAGES = 4
};

/* The format of a buffer texture: 32-bit words as R32UI, RGBA32UI or RG32UI. TEXEL_SAMPLED: the buffer's
 * filtered texture, see texture.h. */
typedef enum TexelFormat { TEXEL_WORD, TEXEL_VECTOR, TEXEL_PAIR, TEXEL_SAMPLED } TexelFormat;

/* Which values are read outside a sampled texture, per dimension, x first. */
typedef enum TextureWrap { WRAP_EDGE, WRAP_REPEAT, WRAP_VALUE, TEXTURE_WRAPS } TextureWrap;
typedef struct TextureOutside {
    uint8_t wraps[3]; /* TextureWrap */
    float value;      /* WRAP_VALUE: the value of every component */
} TextureOutside;

typedef struct DispatchTexture {
    Buffer *buffer;
    TexelFormat format;
} DispatchTexture;

typedef struct DispatchBlock {
    Buffer *buffer;
    uint64_t
        bytes; /* the bound range begins at byte 0 and has this size; 0: the whole buffer, with the spare bytes after its end (memory/buffer.h) */
} DispatchBlock;

/* The parameters of a dispatch. Texture k is bound to unit k (layout(binding = k) uniform usamplerBuffer),
 * block k to storage binding k + 1, and image k to image unit k (uimageBuffer); loads from an image may return
 * stores of the same dispatch. `params` are the values of `layout(location = 0) uniform uvec4
 * rill_p[param_vectors]`. */
typedef struct Dispatch {
    Program *program;
    const uint32_t *params;
    int param_vectors;
    int texture_count, block_count, image_count;
    DispatchTexture textures[DEVICE_MAX_TEXTURES];
    DispatchTexture images[DEVICE_MAX_IMAGES];   /* not TEXEL_SAMPLED */
    TextureOutside outside[DEVICE_MAX_TEXTURES]; /* of TEXEL_SAMPLED textures */
    DispatchBlock blocks[DEVICE_MAX_BLOCKS];
    /* Work groups. A 1-D count (y = z = 1) above the limit is split into rows. The shader's group index is
     * gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x, and may exceed the count. */
    uint64_t groups[3];
    bool faults;    /* the program may write rill_fault */
    uint64_t bytes; /* bytes moved, for profiles; 0: the bound bytes */
} Dispatch;

/* Issues a dispatch. Does not wait, read back or allocate. Returns false with error_set if GL reported an error. */
bool device_dispatch(Device *device, const Dispatch *dispatch);

/* Returns the fault words (RILL_FAULT_KIND ...). They are current after a dispatch on a synchronous device,
 * else after device_wait. The pointer stays valid. The caller clears the words with device_fault_clear. */
const uint32_t *device_fault(Device *device);
/* Clears the fault words. */
void device_fault_clear(Device *device);
/* Sets the function that converts fault words to an error, for all devices of the process. It clears the
 * words and returns false with error_set, or true if there is no fault. Every call that waits calls it. */
void device_set_fault_reporter(bool (*report)(Device *device));

#endif
