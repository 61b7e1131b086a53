/* What the files of this layer share: the device's insides and the few helpers between them. */
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

/* What was written lately; what is not kept on its own is merged into a range that covers it. */
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
    Device *device; /* a reference is held while the buffer is live, none while it waits in the pool */
    uint64_t bytes, capacity;
    int count;
    GLuint name;
    GLuint memory_object;           /* 0: OpenGL allocated the memory */
    GLuint textures[TEXEL_FORMATS]; /* 0 until first used */
    Texture *texture;               /* NULL: none */
    uint8_t *map;                   /* persistently mapped on devices with host memory, else NULL */
    BufferWrites writes;
    Buffer *class_next, *class_previous; /* pooled buffers of the same size */
    Buffer *older, *newer;               /* pooled buffers by age */
};

typedef struct Pool {
    Buffer *classes[POOL_CLASSES];
    Buffer *oldest, *newest;
    uint64_t bytes;
} Pool;

struct Program {
    Device *device;         /* NULL once it is closed */
    int count;              /* of those who hold it; 0: idle */
    Program *older, *newer; /* idle programs */
    GLuint name;
    int param_vectors; /* length of rill_p as the compiler kept it; 0: unused */
    uint32_t *params;  /* what the GL program has; both start as zeros */
    uint64_t hash;
    char *source;
    char label[96]; /* in profiles */
    size_t length;
    Program *next;
};

typedef struct ProgramTable {
    Program **buckets;
    size_t bucket_count, count;
    Program *oldest, *newest; /* idle ones */
    size_t idle;
} ProgramTable;

typedef struct BoundBlock {
    GLuint name;
    uint64_t bytes; /* 0: the whole buffer */
} BoundBlock;

/* What is bound now, so that a repeated dispatch binds nothing. */
typedef struct Bindings {
    Program *program;
    GLuint textures[DEVICE_MAX_TEXTURES], samplers[DEVICE_MAX_TEXTURES];
    GLuint images[DEVICE_MAX_IMAGES];
    BoundBlock blocks[DEVICE_MAX_BLOCKS + 1]; /* by storage binding */
} Bindings;

typedef struct DebugLog {
    bool works;    /* the driver calls back; else glGetError is asked */
    bool recorded; /* text holds the first error since the last check */
    char text[512];
} DebugLog;

/* context/device_data.c: what other layers keep here, and what calls in progress work in, by how deeply they are nested. */
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

/* What a measurement suspends, and what it leaves as it was. */
typedef struct DeviceQuiet {
    Recorder *recorder;
    bool dumps, traced;
    DeviceMemory memory;
    uint64_t charge;
} DeviceQuiet;

struct Device {
    int count;
    uint64_t serial;
    int candidate;                         /* number in egl.c's list */
    uint64_t thread;                       /* the thread that opened it */
    unsigned process;                      /* process_generation of the process that did */
    Device *next;                          /* in the list of open devices */
    void (*last_released)(Device *device); /* device_list.c: closes it */
    EGLDisplay display;
    EGLContext context;
    DeviceInfo info;
    DeviceTraits traits;
    DeviceLimits limits;
    TuningResult tuning[TUNING_IDS];
    bool tuning_due;
    DeviceQuiet untuned; /* while it is measured */
    int gl_version;      /* 43, 45 ... */
    bool buffer_storage; /* persistent mapping */
    bool reset_status;   /* glGetGraphicsResetStatus answers */
    bool lost;
    DebugLog debug;
    Bindings bound;
    GLbitfield pending;    /* barriers not yet issued since the last dispatch */
    uint64_t probed_block; /* largest block that a trial has shown to work */
    GLuint fault_buffer;
    uint32_t *fault_words; /* mapped, or fault_copy */
    uint32_t fault_copy[RILL_FAULT_WORDS];
    Buffer indirect; /* group counts of indirect dispatches; its name is 0 until the first. Not counted as memory */
    uint32_t indirect_slot;
    Pool pool;
    uint64_t constants;                     /* bytes that constants.c keeps */
    void (*drop_constants)(Device *device); /* set where there are any */
    void (*trim_programs)(Device *device);  /* the same: deletes all but a few of those nobody holds */
    Staging *staging;                       /* idle staging buffers */
    bool staged;                            /* bytes go through the ring: see staging_ring.c */
    StagingRing *ring;                      /* NULL until the first */
    uint64_t large_bytes;                   /* buffers from this size on are stored by large_pages.c */
    LargePages *large_pages;                /* NULL until the first */
    bool large_works;                       /* the first was tried */
    /* Copy and fill many bytes. They set *done to the bytes that are done, from the first on; false with error_set. */
    bool (*copy_many)(Buffer *to, uint64_t to_offset, Buffer *from, uint64_t from_offset, uint64_t bytes,
                      uint64_t *done);
    bool (*fill_many)(Buffer *buffer, uint64_t offset, uint64_t bytes, const void *pattern, int pattern_bytes,
                      uint64_t *done);
    Samplers *samplers; /* NULL until one is needed */
    DeviceMemory memory;
    uint64_t charge;
    unsigned compiled;
    uint64_t memory_ceiling; /* what the machine can hold at most; 0: only GL knows */
    uint64_t buffer_ceiling; /* largest single buffer; 0: none known */
    void (*collect)(void *context);
    void *collect_context;
    bool collecting;
    ProgramTable programs;
    Recorder *recorder;  /* while a profile is taken */
    bool mends_literals; /* literals of doubles are replaced by their bits: see program.c */
    double copy_rate;    /* bytes per second; 0: not measured yet */
    bool dumps;          /* RILL_DUMP names a folder */
    bool traced;         /* RILL_TRACE: dispatches are printed */
    const char *note;    /* why the program that is compiled next is as it is; NULL: nothing is known */
    DeviceData attachments[DEVICE_ATTACHMENTS];
    int attachment_count;
    Workspace workspaces[WORKSPACE_DEPTH];
    int workspaces_taken;
    bool poisoned; /* RILL_POISON is set */
    uint32_t poison[POISON_WORDS];
};

/* egl.c: displays and contexts. A candidate is one way to reach a device; numbers from 0. The caller holds the
 * process-wide lock. */
enum { MAX_CANDIDATES = 32 };
typedef enum CandidateKind { CANDIDATE_HARDWARE, CANDIDATE_SURFACELESS, CANDIDATE_SOFTWARE } CandidateKind;
int egl_candidate_count(void);
CandidateKind egl_candidate_kind(int candidate);
/* Opens a display (kept for the life of the process) and a context, not yet current. */
bool egl_open(int candidate, EGLDisplay *display, EGLContext *context);
const char *egl_error_name(void);

/* device_open.c: one device, apart from the list. A new device belongs to the calling thread. */
/* info: what the driver said, even where it is refused; final: whether it will not open the next time either. */
Device *device_new(int candidate, DeviceInfo *info, bool *final);
void device_delete(Device *device);

/* current.c. Whether GL's objects of the device can be deleted now: not by a finalizer on another thread, nor in a forked child. */
bool device_is_current(const Device *device);

/* process.c: what fork leaves behind. The caller of process_started holds the process-wide lock. */
unsigned process_generation(void);
void process_watch(void);   /* from here on; once */
void process_started(void); /* a driver has been */
bool process_forked(void);  /* false after error_set */

/* context/driver_cache.c: gives Mesa a writable cache directory, and zink's uniforms their changes; call before EGL starts. */
void driver_cache_prepare(void);
/* rill's own directory for what it keeps from run to run: RILL_CACHE, else by the rules of XDG; false where none can be written. */
enum { CACHE_PATH_ROOM = 1024 };
bool driver_cache_directory(char path[CACHE_PATH_ROOM]);

/* tuning.c: chooses the values of all choices. False with error_set if RILL_TUNE is malformed. */
bool tuning_look_up(Device *device);

/* driver_test.c: measures of the driver, kept or taken now. False with error_set where it is refused; `wrong`: for what it computes. */
bool driver_test_measure(Device *device, DriverTestMeasures *measures, bool *wrong);

/* gl_error.c: errors of the current context. */
void gl_error_start(Device *device);
/* True when no GL call failed since the last check; else error_set("call: what the driver said"). */
bool gl_error_check(Device *device, const char *call);
/* Forgets errors a failed attempt left behind. */
void gl_error_clear(Device *device);
/* False with error_set when the context is lost. */
bool gl_error_alive(Device *device);

/* traits.c: fills info, limits and traits from the current context and from what was measured. */
void traits_describe(Device *device);
void traits_look_up_limits(Device *device);
bool traits_look_up(Device *device, const DriverTestMeasures *measures); /* false: RILL_FAMILY names none */
bool traits_has_extension(const char *name);

/* bindings.c */
void bindings_barrier(Device *device, GLbitfield bits); /* no-op unless a dispatch made it necessary */
void bindings_forget(Device *device, const Buffer *buffer);
void bindings_block(Device *device, int binding, GLuint name, uint64_t bytes); /* 0 bytes: the whole buffer */

/* context/fault.c */
bool fault_create(Device *device);
void fault_destroy(Device *device);
void fault_refresh(Device *device); /* after waiting: for devices without persistent mapping */
/* After waiting: false after error_set when the device was lost meanwhile, or a kernel recorded a fault. */
bool fault_report(Device *device);

/* dispatch.c */
/* Issues a dispatch whose group counts lie at byte `offset` of a buffer. */
bool dispatch_groups_at(Device *device, const Dispatch *dispatch, GLuint groups, uint64_t offset);

/* indirect.c */
void indirect_destroy(Device *device);

/* recorder.c: no-ops unless a profile is taken. Right before and after a dispatch, and what compiling took. */
void recorder_before(Device *device, double *before);
void recorder_after(Device *device, const Dispatch *dispatch, double entered, double before);
void recorder_compiled(Device *device, double seconds);
void recorder_destroy(Device *device);

/* pool.c: idle buffers by size. */
uint64_t pool_round(uint64_t bytes); /* capacity of the size class that holds `bytes` */
Buffer *pool_take(Device *device, uint64_t capacity);
void pool_give(Device *device, Buffer *buffer);
void pool_destroy(Buffer *buffer);                /* frees one that is not pooled */
void pool_shrink(Device *device, uint64_t bytes); /* destroys the oldest until at most `bytes` are pooled */

/* buffer.c */
GLuint buffer_texture(Buffer *buffer, TexelFormat format); /* made on first use */
extern const GLenum buffer_texture_formats[TEXEL_FORMATS];

/* poison.c: reads RILL_POISON. Returns false with error_set if its value is invalid. */
bool poison_look_up(Device *device);
/* Fills host memory with the words of RILL_POISON. Does nothing if it is not set. */
void poison_host(const Device *device, void *memory, size_t bytes);

/* memory.c: the bytes that may be live and pooled together, 0: any; whether so many more are within them; the pool giving way to those that
 * are; the host's collector; the error that there is no room, always false. */
uint64_t memory_bound(const Device *device);
bool memory_fits(const Device *device, uint64_t bytes);
void memory_make_room(Device *device, uint64_t bytes);
/* Destroys what is pooled, and constants, until at most `bytes` are left of both. */
void memory_shrink(Device *device, uint64_t bytes);
void memory_collect(Device *device);
bool memory_exhausted(const Device *device, uint64_t bytes);
/* Counts bytes as live. */
void memory_count(Device *device, uint64_t bytes);
/* The same for what is no buffer's, where there is room; false with error_set. And lets go of such. */
bool memory_take(Device *device, uint64_t bytes);
void memory_give(Device *device, uint64_t bytes);

/* texture.c: the buffer's texture, up to date, on a unit; false with error_set. */
bool texture_bind(Buffer *buffer, int unit, const TextureOutside *outside);
void texture_detach(Buffer *buffer); /* deletes it, if there is one */
void texture_destroy_samplers(Device *device);

/* dump.c: a program's text in RILL_DUMP's folder, nothing where there is none. False with error_set where it can't be written. */
bool dump_program(const char *name, const char *note, const char *source, uint64_t hash);
void dump_rejected(const char *name, uint64_t hash); /* names its file so */

/* context/device_data.c, workspace.c, transfer.c, program.c */
void device_data_destroy_all(Device *device);
void workspace_destroy_all(Device *device);
void transfer_destroy_staging(Device *device);

/* program/bulk_copy.c: copies between buffers and fills by a shader, in the order of launches; see Device. */
bool bulk_copy(Buffer *to, uint64_t to_offset, Buffer *from, uint64_t from_offset, uint64_t bytes, uint64_t *done);
bool bulk_fill(Buffer *buffer, uint64_t offset, uint64_t bytes, const void *pattern, int pattern_bytes, uint64_t *done);

/* memory/large_pages.c: chooses which buffers are large; RILL_LARGE_PAGES says from how many MiB on. False with error_set if it is malformed. */
bool large_pages_look_up(Device *device);
/* Gives the buffer that is bound to GL_COPY_WRITE_BUFFER memory: done, no memory is left, or OpenGL has to allocate it. */
typedef enum LargePagesResult { LARGE_PAGES_STORED, LARGE_PAGES_FULL, LARGE_PAGES_NONE } LargePagesResult;
LargePagesResult large_pages_store(Buffer *buffer);
void large_pages_release(Buffer *buffer); /* after the buffer was deleted */

/* memory/staging_ring.c: bytes to and from a buffer, in the order of launches, whose ranges were checked. False with error_set. */
bool staging_ring_write(Buffer *buffer, uint64_t offset, const void *data, uint64_t bytes);
bool staging_ring_read(Buffer *buffer, uint64_t offset, void *data, uint64_t bytes);
void staging_ring_destroy(Device *device);
/* Waits at most so many nanoseconds for a fence. A fence that passed is deleted and NULL afterwards; NULL counts as one. */
typedef enum FenceState { FENCE_PENDING, FENCE_PASSED, FENCE_FAILED } FenceState;
FenceState staging_fence_state(GLsync *fence, GLuint64 nanoseconds);
/* Waits for a fence as long as it takes. False with error_set if the device is lost or cannot wait. */
bool staging_fence_wait(Device *device, GLsync *fence);
void program_destroy_all(Device *device);

#endif
