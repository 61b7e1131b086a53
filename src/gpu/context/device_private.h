/* Declarations shared by the files of src/gpu: the structures of devices, buffers and programs, and internal
 * functions. */
#ifndef RILL_GPU_CONTEXT_DEVICE_PRIVATE_H
#define RILL_GPU_CONTEXT_DEVICE_PRIVATE_H

#define EGL_NO_X11
#define GLEW_NO_GLU
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glew.h>

#include "base/error.h"
#include "gpu/context/device_data.h"
#include "gpu/context/driver_measures.h"

enum { TEXEL_FORMATS = 3, POOL_CLASSES = 2560 };

enum { WRITES_KEPT = 8 };

/* Recent writes. If there are too many, regions are merged into a range that covers them. */
typedef struct BufferWrites {
    uint64_t version;
    int count;
    struct {
        uint64_t version;
        BufferRegion region;
    } kept[WRITES_KEPT];
} BufferWrites;

typedef struct Texture Texture;
typedef struct Samplers Samplers;

struct Buffer {
    Device *device; /* referenced while the buffer is in use, but not while it is in the pool */
    uint64_t bytes, capacity;
    int count;
    uint64_t serial; /* see buffer_serial */
    GLuint name;
    GLuint memory_object;           /* 0: OpenGL allocated the memory */
    GLuint textures[TEXEL_FORMATS]; /* 0 until first used */
    Texture *texture;               /* NULL: none */
    uint8_t *map;                   /* persistent mapping on devices with host memory, else NULL */
    uint64_t pinned;                /* bytes of the pages of pinned_memory.c at `map`; 0: OpenGL's memory */
    bool zero;                      /* the memory is new and contains zeros */
    bool readable;                  /* see buffer_create_readable */
    uint8_t *host;                  /* where the host reads a readable buffer after a fence, else NULL */
    BufferWrites writes;
    Buffer *class_next, *class_previous; /* pooled buffers of the same size */
    Buffer *older, *newer;               /* pooled buffers by age */
};

typedef struct Pool {
    Buffer *classes[POOL_CLASSES + 1]; /* the last class: readable buffers */
    Buffer *oldest, *newest;
    uint64_t bytes;
} Pool;

struct Program {
    Device *device;         /* NULL after it is closed */
    int count;              /* references; 0: idle */
    Program *older, *newer; /* idle programs */
    GLuint name;
    int param_vectors; /* length of the uniform array rill_p (see Dispatch) after linking; 0: unused */
    uint32_t *params;  /* copy of the GL program's values, which are initially 0 */
    uint64_t hash;
    char *source;
    char label[96]; /* name in profiles */
    size_t length;
    Program *next;
};

typedef struct ProgramTable {
    Program **buckets;
    size_t bucket_count, count;
    Program *oldest, *newest; /* idle programs */
    size_t idle;
} ProgramTable;

typedef struct BoundBlock {
    GLuint name;
    uint64_t bytes; /* 0: the whole buffer */
} BoundBlock;

/* The objects that are bound. A dispatch that uses the same objects as the previous one binds nothing. */
typedef struct Bindings {
    Program *program;
    GLuint textures[DEVICE_MAX_TEXTURES], samplers[DEVICE_MAX_TEXTURES];
    GLuint images[DEVICE_MAX_IMAGES];
    BoundBlock blocks[DEVICE_MAX_BLOCKS + 1]; /* by storage binding */
} Bindings;

typedef struct DebugLog {
    bool works;    /* the driver sends messages; else glGetError is used */
    bool recorded; /* text is the first error since the last check */
    char text[512];
} DebugLog;

/* Attachments of other directories (context/device_data.c), and the working memory of calls by nesting depth
 * (memory/workspace.c). */
enum { DEVICE_ATTACHMENTS = 16, WORKSPACE_DEPTH = 32 };

typedef struct DeviceData {
    const AttachmentKind *kind;
    void *memory;
} DeviceData;

typedef struct Workspace {
    void *memory;
    size_t bytes;
} Workspace;

enum { POISON_WORDS = 4, POISON_BYTES = 4 * POISON_WORDS }; /* poison.c */

typedef struct Staging Staging;
typedef struct StagingRing StagingRing;
typedef struct LargePages LargePages;
typedef struct Recorder Recorder;

/* State that a measurement suspends and restores. */
typedef struct DeviceQuiet {
    Recorder *recorder;
    bool dumps, traced;
    DeviceMemory memory;
} DeviceQuiet;

struct Device {
    int count;
    uint64_t serial;
    int candidate;                         /* index in egl.c's list */
    uint64_t thread;                       /* the thread that opened it */
    unsigned process;                      /* process_generation when it was opened */
    Device *next;                          /* in the list of open devices */
    void (*last_released)(Device *device); /* device_list.c: closes it */
    EGLDisplay display;
    EGLContext context;
    DeviceInfo info;
    DeviceTraits traits;
    DeviceLimits limits;
    TuningResult tuning[TUNING_IDS];
    bool tuning_due;
    DeviceQuiet untuned; /* saved state during a measurement */
    int gl_version;      /* 43, 45 ... */
    bool buffer_storage; /* persistent mapping */
    bool reset_status;   /* glGetGraphicsResetStatus works */
    bool lost;
    DebugLog debug;
    Bindings bound;
    GLbitfield pending;    /* barriers not yet issued since the last dispatch */
    uint64_t probed_block; /* largest block that was tested successfully */
    GLuint fault_buffer;
    uint32_t *fault_words; /* the mapping, or fault_copy */
    uint32_t fault_copy[RILL_FAULT_WORDS];
    Buffer indirect; /* group counts of indirect dispatches; name 0 until the first one. Not counted as memory */
    uint32_t indirect_slot;
    Pool pool;
    uint64_t constants;                     /* bytes cached by constants.c */
    void (*drop_constants)(Device *device); /* frees them; NULL if there are none */
    uint64_t framebuffers;                  /* bytes of the framebuffers that raster/framebuffer.c keeps */
    void (*drop_framebuffers)(Device *device);
    void (*trim_programs)(Device *device); /* deletes most idle programs; may be NULL */
    Staging *staging;                      /* idle staging buffers */
    double poll_seconds;                   /* see fence.c */
    bool staged;                           /* transfers use the ring: see staging_ring.c */
    StagingRing *ring;                     /* NULL until the first transfer */
    uint64_t pinned_bytes;                 /* smallest buffer that pinned_memory.c allocates */
    uint64_t large_bytes;                  /* smallest buffer that large_pages.c allocates */
    LargePages *large_pages;               /* NULL until the first such buffer */
    bool large_works;                      /* such a buffer passed the test; later ones are not tested */
    /* Copy and fill large ranges. They set *done to the number of bytes that were processed, counted from the
     * first one. Return false with error_set on failure. */
    bool (*copy_many)(Buffer *to, uint64_t to_offset, Buffer *from, uint64_t from_offset, uint64_t bytes,
                      uint64_t *done);
    bool (*fill_many)(Buffer *buffer, uint64_t offset, uint64_t bytes, const void *pattern, int pattern_bytes,
                      uint64_t *done);
    Samplers *samplers; /* NULL until first used */
    DeviceMemory memory;
    unsigned compiled;
    uint64_t memory_ceiling; /* memory of the machine; 0: unknown */
    uint64_t buffer_ceiling; /* largest buffer; 0: unknown */
    void (*collect)(void *context);
    void *collect_context;
    bool collecting;
    ProgramTable programs;
    Recorder *recorder;     /* NULL if no profile runs */
    const char *copies_for; /* see profile_copies_begin; NULL: dispatches do not copy an argument */
    bool mends_literals;    /* double literals are replaced by their bits: see program.c */
    double copy_rate;       /* bytes per second; 0: not measured yet */
    bool dumps;             /* RILL_DUMP is set */
    bool traced;            /* RILL_TRACE: dispatches are printed */
    const char *note;       /* the reason for the variant of the next program; NULL: none */
    DeviceData attachments[DEVICE_ATTACHMENTS];
    int attachment_count;
    Workspace workspaces[WORKSPACE_DEPTH];
    int workspaces_taken;
    bool poisoned; /* RILL_POISON is set */
    uint32_t poison[POISON_WORDS];
};

/* egl.c: displays and contexts. A candidate is a display that may provide a device; indices are 0-based. The
 * caller holds the lock of the device list. */
enum { MAX_CANDIDATES = 32 };
typedef enum CandidateKind { CANDIDATE_HARDWARE, CANDIDATE_SURFACELESS, CANDIDATE_SOFTWARE } CandidateKind;
/* Returns the number of candidates. */
int egl_candidate_count(void);
/* Returns the kind of a candidate. */
CandidateKind egl_candidate_kind(int candidate);
/* Opens a display, which is kept until the process ends, and creates a context, which is not current yet. */
bool egl_open(int candidate, EGLDisplay *display, EGLContext *context);
/* Returns the name of EGL's last error. */
const char *egl_error_name(void);

/* device_open.c: opens and closes a device. */

/* Opens a device for the calling thread. Sets `info` to the driver's description, even if it is refused, and
 * `final` to whether opening will fail again. Returns NULL with error_set on failure. */
Device *device_new(int candidate, DeviceInfo *info, bool *final);
/* Closes and frees a device. */
void device_delete(Device *device);

/* Returns whether the device's GL objects can be deleted now (current.c): not in a finalizer on another thread,
 * and not in a forked child. */
bool device_is_current(const Device *device);

/* process.c: detects forked child processes. */

/* Returns a number that differs between a process and its children. */
unsigned process_generation(void);
/* Registers the fork handler. Call it once. */
void process_watch(void);
/* Records that a driver was started. The caller holds the lock of the device list. */
void process_started(void);
/* Sets the error for a device of a parent process and returns false. */
bool process_forked(void);

/* Sets environment variables for Mesa's cache directory and zink (context/driver_cache.c). Call it before EGL
 * starts. */
void driver_cache_prepare(void);
enum { CACHE_PATH_ROOM = 1024 };
/* Finds rill's cache directory: RILL_CACHE, or the directory of the XDG rules. Returns false if it cannot be
 * written. */
bool driver_cache_directory(char path[CACHE_PATH_ROOM]);

/* Reads or makes the measures of the driver (driver_test.c). Returns false with error_set if the driver is
 * refused. Sets *wrong if the driver computes incorrect results. */
bool driver_test_measure(Device *device, DriverTestMeasures *measures, bool *wrong);

/* gl_error.c: errors of the current context. */

/* Enables debug messages. */
void gl_error_start(Device *device);
/* Returns whether no GL call failed since the last check. Otherwise sets the error "CALL: the driver's message". */
bool gl_error_check(Device *device, const char *call);
/* Discards errors of a failed attempt. */
void gl_error_clear(Device *device);
/* Returns false with error_set if the context is lost. */
bool gl_error_alive(Device *device);

/* traits.c */

/* Sets device->info from the current context. */
void traits_describe(Device *device);
/* Sets device->limits, and the traits that need no measures, from the current context. */
void traits_look_up_limits(Device *device);
/* Sets device->traits from the measures. Returns false with error_set if RILL_FAMILY is invalid. */
bool traits_look_up(Device *device, const DriverTestMeasures *measures);
/* Returns whether the current context has an extension. */
bool traits_has_extension(const char *name);

/* bindings.c */

/* Issues barriers that are pending since the last dispatch. */
void bindings_barrier(Device *device, GLbitfield bits);
/* Removes a buffer from the cached bindings. */
void bindings_forget(Device *device, const Buffer *buffer);
/* Binds a storage block. bytes 0: the whole buffer. */
void bindings_block(Device *device, int binding, GLuint name, uint64_t bytes);

/* context/fault.c */

/* Creates the buffer of the fault words. */
bool fault_create(Device *device);
/* Deletes the buffer of the fault words. */
void fault_destroy(Device *device);
/* Reads the fault words after waiting, on devices without persistent mapping. */
void fault_refresh(Device *device);
/* Returns false with error_set if the device was lost or a kernel recorded a fault. Call it after waiting. */
bool fault_report(Device *device);

/* context/fence.c */

/* Sets device->poll_seconds from RILL_POLL. Returns false with error_set if its value is invalid. */
bool fence_look_up(Device *device);
typedef enum FenceState { FENCE_PENDING, FENCE_PASSED, FENCE_FAILED } FenceState;
/* Waits at most some nanoseconds for a fence. A fence that passed is deleted and set to NULL; NULL counts as
 * passed. */
FenceState fence_state(GLsync *fence, GLuint64 nanoseconds);
/* Creates a fence for all work that was issued, and starts the work. Returns NULL if the work is finished. */
GLsync fence_create(Device *device);
/* Waits for a fence without a time limit. Returns false with error_set if the device is lost or waiting fails. */
bool fence_wait(Device *device, GLsync *fence);

/* Issues a dispatch (dispatch.c) whose group counts are at byte `offset` of a buffer. */
bool dispatch_groups_at(Device *device, const Dispatch *dispatch, GLuint groups, uint64_t offset);

/* Deletes the buffer of indirect dispatches (indirect.c). */
void indirect_destroy(Device *device);

/* recorder.c. These functions have no effect if no profile runs. */

/* Records the start of a dispatch. */
void recorder_before(Device *device, double *before);
/* Records the end of a dispatch. */
void recorder_after(Device *device, const Dispatch *dispatch, double entered, double before);
/* Records the time of a compilation. */
void recorder_compiled(Device *device, double seconds);
/* Frees the recorder. */
void recorder_destroy(Device *device);

/* pool.c: idle buffers by size. */

/* Returns the capacity of the size class for `bytes`. */
uint64_t pool_round(uint64_t bytes);
/* Takes a buffer of this or a slightly larger capacity from the pool. Returns NULL if there is none. */
Buffer *pool_take(Device *device, uint64_t capacity, bool readable);
/* Adds a buffer to the pool. */
void pool_give(Device *device, Buffer *buffer);
/* Frees a buffer that is not in the pool. */
void pool_destroy(Buffer *buffer);
/* Frees the oldest buffers until at most `bytes` are in the pool. */
void pool_shrink(Device *device, uint64_t bytes);

/* Returns the buffer texture of a format, which is created when it is first used (buffer.c). Returns 0 with
 * error_set on failure. */
GLuint buffer_texture(Buffer *buffer, TexelFormat format);
extern const GLenum buffer_texture_formats[TEXEL_FORMATS];

/* Reads RILL_POISON (poison.c). Returns false with error_set if its value is invalid. */
bool poison_look_up(Device *device);
/* Fills host memory with the words of RILL_POISON. Does nothing if it is not set. */
void poison_host(const Device *device, void *memory, size_t bytes);

/* memory.c: accounting of device memory. */

/* Returns the limit of live and pooled bytes together; 0: none. */
uint64_t memory_bound(const Device *device);
/* Returns whether `bytes` more live bytes are within the limit. */
bool memory_fits(const Device *device, uint64_t bytes);
/* Shrinks the pool so that `bytes` more live bytes are within the limit. */
void memory_make_room(Device *device, uint64_t bytes);
/* Frees pooled buffers and constants until at most `bytes` of them are left. */
void memory_shrink(Device *device, uint64_t bytes);
/* Calls the collector of the host language. */
void memory_collect(Device *device);
/* Sets the error that memory is exhausted and returns false. */
bool memory_exhausted(const Device *device, uint64_t bytes);
/* Counts bytes as live. */
void memory_count(Device *device, uint64_t bytes);
/* Reserves bytes of memory that is not a buffer's. Returns false with error_set if the limit would be exceeded. */
bool memory_take(Device *device, uint64_t bytes);
/* Counts bytes as freed. */
void memory_give(Device *device, uint64_t bytes);

/* texture.c */

/* Updates the buffer's texture and binds it to a unit. Returns false with error_set on failure. */
bool texture_bind(Buffer *buffer, int unit, const TextureOutside *outside);
/* Deletes the buffer's texture, if there is one. */
void texture_detach(Buffer *buffer);
/* Deletes all samplers. */
void texture_destroy_samplers(Device *device);

/* dump.c */

/* Writes a program's text to the directory of RILL_DUMP, if it is set. Returns false with error_set if the file
 * cannot be written. */
bool dump_program(const char *name, const char *note, const char *source, uint64_t hash);
/* Renames the file of a program to .rejected. */
void dump_rejected(const char *name, uint64_t hash);

/* Destroys all attachments (device_data.c). */
void device_data_destroy_all(Device *device);
/* Frees the working memory (workspace.c). */
void workspace_destroy_all(Device *device);
/* Deletes the idle staging buffers (transfer.c). */
void transfer_destroy_staging(Device *device);

/* program/bulk_copy.c: see copy_many and fill_many of Device. */

/* Copies between buffers with a shader, ordered with launches. */
bool bulk_copy(Buffer *to, uint64_t to_offset, Buffer *from, uint64_t from_offset, uint64_t bytes, uint64_t *done);
/* Fills a buffer with a shader, ordered with launches. */
bool bulk_fill(Buffer *buffer, uint64_t offset, uint64_t bytes, const void *pattern, int pattern_bytes, uint64_t *done);

/* memory/large_pages.c */

/* Sets device->large_bytes from RILL_LARGE_PAGES. Returns false with error_set if its value is invalid. */
bool large_pages_look_up(Device *device);
/* STORED: the memory was allocated. FULL: no memory is left. NONE: OpenGL must allocate the memory. */
typedef enum LargePagesResult { LARGE_PAGES_STORED, LARGE_PAGES_FULL, LARGE_PAGES_NONE } LargePagesResult;
/* Allocates memory for the buffer that is bound to GL_COPY_WRITE_BUFFER. */
LargePagesResult large_pages_store(Buffer *buffer);
/* Frees the memory after the buffer was deleted. */
void large_pages_release(Buffer *buffer);

/* memory/pinned_memory.c */

/* Allocates memory for a new buffer, and sets its `map`. Returns false, without an error, if that is not possible. */
bool pinned_memory_store(Buffer *buffer);
/* Frees the memory. `deleted`: whether OpenGL's buffer was deleted. */
void pinned_memory_release(Buffer *buffer, bool deleted);

/* memory/staging_ring.c */

/* Writes bytes to a buffer, ordered with launches. The range must have been checked. Returns false with
 * error_set on failure. */
bool staging_ring_write(Buffer *buffer, uint64_t offset, const void *data, uint64_t bytes);
/* Reads bytes of a buffer, ordered with launches. The range must have been checked. Returns false with
 * error_set on failure. */
bool staging_ring_read(Buffer *buffer, uint64_t offset, void *data, uint64_t bytes);
/* Deletes the ring. */
void staging_ring_destroy(Device *device);
/* Deletes all programs (program.c). */
void program_destroy_all(Device *device);

#endif
