/* A device: one headless OpenGL context, what it can do, and the one way to dispatch work to it. GL names and
 * calls stop at this floor. Every function returning bool or a pointer reports failure by false or NULL
 * after error_set. */
#ifndef RILL_GPU_CONTEXT_DEVICE_H
#define RILL_GPU_CONTEXT_DEVICE_H

#include "gpu/context/tuning.h"
#include "shared/fault_words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Device Device;
typedef struct Buffer Buffer;
typedef struct Program Program;

/* Bytes of a buffer: rows of `width` bytes, `pitch` apart, the first at `from`; the last ends at `to`. One row: pitch 0. */
typedef struct BufferRegion {
    uint64_t from, to, pitch, width;
} BufferRegion;

typedef enum DeviceFamily { FAMILY_CPU, FAMILY_GPU } DeviceFamily;

/* What decides whether results are right is measured, once per version of a driver. */
typedef struct DeviceTraits {
    /* What the compiler, the primitives and the buffers decide by. */
    DeviceFamily family;  /* RILL_FAMILY=cpu|gpu forces one */
    int subgroup_size;    /* lanes per subgroup */
    bool subgroup_ops;    /* GL_KHR_shader_subgroup arithmetic */
    bool subgroup_ballot; /* and its ballots */
    bool subgroup_shuffle;
    bool synchronous;       /* work is finished when a dispatch returns, the fault words are current at once */
    bool host_memory;       /* buffers live in host memory: a mapped pointer needs no copy */
    int group_size;         /* preferred work-group size of element-wise work */
    bool exact_ranges;      /* a store past a bound range is cut off word by word */
    uint32_t loop_limit;    /* trips after which loops are cut in silence; 0 when there is no such limit */
    bool kept_loads;        /* what a loop loaded stays with the lanes that left it before others */
    bool exact_rounds;      /* loops left by comparing with a minimum run all their rounds */
    bool exact_zeros;       /* operations on a 0 that the compiler knows are as IEEE 754 has them */
    int tuning[TUNING_IDS]; /* what decides speed only: see tuning.h */

    /* What is only shown, to those who write kernels: generated code is right whatever they are. */
    bool exact_division; /* quotients of floats are correctly rounded; else off by at most 3 units in the last place */
    bool fused_fma;      /* fma rounds once */
    bool nearest_half;   /* packHalf2x16 rounds to nearest even */
    bool denormals;      /* small numbers are not taken for 0 */
    bool nans;           /* comparisons and isnan see NaNs */
    bool exact_not;      /* !(x < y) is true of NaN; else kernels are guarded */
    bool exact_literals; /* literals of doubles are correctly rounded; else programs are compiled with their bits */
    bool stable_arrays;  /* private arrays keep the order of their loads and stores around loops */
    bool robust_access;  /* the driver keeps accesses within buffers */
    double barrier_ns;   /* estimate of what one barrier() costs an invocation, in nanoseconds */
} DeviceTraits;

typedef struct DeviceLimits {
    uint32_t group_count; /* work groups per axis */
    uint32_t group_size;  /* invocations per group */
    uint32_t shared_bytes;
    uint64_t block_bytes;    /* advertised largest storage block */
    uint64_t texture_texels; /* buffer texture length; RILL_MAX_TEXELS lowers it */
    int storage_blocks;      /* usable by kernels: the error block is already taken off; RILL_MAX_BLOCKS lowers it */
    int texture_units;       /* RILL_MAX_TEXTURES lowers it */
    int uniform_vectors;     /* uvec4 uniforms per program */
    int outputs_per_pass;    /* RILL_MAX_OUTPUTS lowers it; else storage_blocks */
    uint64_t memory_bytes; /* of the device, host memory where it has none of its own; 0 when the driver does not say */
} DeviceLimits;

typedef struct DeviceInfo {
    char name[128], vendor[128], version[128];
    bool software;
} DeviceInfo;

typedef struct DeviceMemory {
    uint64_t bytes, peak, pooled, limit; /* limit: 0 when none */
    uint64_t buffers;
    uint64_t reads; /* how many times something was read back */
} DeviceMemory;

/* Tells children that they were forked: see process.c. Once a process or oftener, before the first device. */
void device_watch_forks(void);

/* Devices that can be opened, hardware first. The list is made once per process. The count is -1 with error_set in a process forked from one
 * that had used a device. */
int device_count(void);
bool device_info(int index, DeviceInfo *info); /* index from 0 */
/* Why a device is not among them, index from 0; false behind the last. */
bool device_left_out(int index, char *reason, size_t room);

/* Opens a device by index (text "1", "2" ..., from 1) or by a part of its name, case-insensitive; NULL: RILL_DEVICE if
 * set, else the first that opens. A device already open is shared (counted). */
Device *device_open(const char *which);
Device *device_retain(Device *device);
void device_release(Device *device);

/* A number no other device of this process had or has: for caches that outlive devices. */
uint64_t device_serial(const Device *device);
const DeviceInfo *device_describe(const Device *device);
const DeviceTraits *device_traits(const Device *device);
const DeviceLimits *device_limits(const Device *device);

/* Makes the device's context current on this thread, remembering a foreign one in `scope`; leave restores
 * it. Both are cheap when the context is current already. Every other call on device, buffer or program must be
 * made inside. */
typedef struct DeviceScope {
    void *display, *draw, *read, *context;
    bool changed;
} DeviceScope;
bool device_enter(Device *device, DeviceScope *scope);
void device_leave(DeviceScope *scope);
/* Whether a device was entered last, not left: for handlers of signals. */
bool device_entered(void);

/* Whether launches are to be printed on standard error: RILL_TRACE, read when the device was opened. */
bool device_traced(const Device *device);

/* Waits for all work; false when the device was lost or a fault is recorded. */
bool device_wait(Device *device);

/* Called before an allocation fails for lack of memory: frees what can be freed. */
void device_set_collector(Device *device, void (*collect)(void *context), void *context);
DeviceMemory device_memory(const Device *device);
void device_memory_limit(Device *device, uint64_t bytes); /* 0: none */
/* Bytes allocated since this was last called: what the host language's collector is charged with. */
uint64_t device_take_charge(Device *device);
/* Programs compiled since this was last called: a quarter of a megabyte each on llvmpipe, of which the collector knows nothing either. */
unsigned device_take_compiled(Device *device);

enum {
    DEVICE_MAX_TEXTURES = 32,
    DEVICE_MAX_BLOCKS = 16, /* beside the fault words' */
    DEVICE_MAX_IMAGES = 4
};

/* Words of a buffer as R32UI, RGBA32UI or RG32UI; or the buffer's texture, filtered: see texture.h. */
typedef enum TexelFormat { TEXEL_WORD, TEXEL_VECTOR, TEXEL_PAIR, TEXEL_SAMPLED } TexelFormat;

/* What a sampled texture has outside of it, per dimension, x first. */
typedef enum TextureWrap { WRAP_EDGE, WRAP_REPEAT, WRAP_VALUE, TEXTURE_WRAPS } TextureWrap;
typedef struct TextureOutside {
    uint8_t wraps[3]; /* TextureWrap */
    float value;      /* of every component, under WRAP_VALUE */
} TextureOutside;

typedef struct DispatchTexture {
    Buffer *buffer;
    TexelFormat format;
} DispatchTexture;

typedef struct DispatchBlock {
    Buffer *buffer;
    uint64_t bytes; /* bound from byte 0 to here; 0: the whole buffer with its spare tail */
} DispatchBlock;

/* One dispatch. Texture k is bound to unit k (layout(binding = k) uniform usamplerBuffer), image k, which may show what the same dispatch
 * stored, to image unit k (uimageBuffer), block k to storage binding k + 1. `params` fill `layout(location = 0) uniform uvec4 rill_p[param_vectors]`. */
typedef struct Dispatch {
    Program *program;
    const uint32_t *params;
    int param_vectors;
    int texture_count, block_count, image_count;
    DispatchTexture textures[DEVICE_MAX_TEXTURES];
    DispatchTexture images[DEVICE_MAX_IMAGES];   /* not sampled */
    TextureOutside outside[DEVICE_MAX_TEXTURES]; /* of TEXEL_SAMPLED ones */
    DispatchBlock blocks[DEVICE_MAX_BLOCKS];
    /* Work groups. A 1-D count (y = z = 1) beyond the limit is split into rows: the shader's group number is
     * gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x, and may pass the count. */
    uint64_t groups[3];
    bool faults;    /* the program may write rill_fault */
    uint64_t bytes; /* moved, for profiles; 0: what is bound */
} Dispatch;

/* Issues it: no waiting, no read-back, no allocation. False when GL reported an error. */
bool device_dispatch(Device *device, const Dispatch *dispatch);

/* The fault words (RILL_FAULT_KIND ...) as last seen. On a synchronous device current right after a
 * dispatch; else after device_wait. The pointer stays valid; the reader clears them with device_fault_clear. */
const uint32_t *device_fault(Device *device);
void device_fault_clear(Device *device);
/* Who turns fault words into an error (false after error_set, the words cleared): asked by every call that waits. Whole process. */
void device_set_fault_reporter(bool (*report)(Device *device));

#endif
