/* Choices that affect the speed of a device and never its results, except the rounding of transforms (FFT_REGISTERS). The
 * choices with work are measured once per processor model, driver version and environment, on devices of the family cpu
 * that finish work within the call. The outcome is kept next to the record of the driver test. The other choices and
 * other devices have the defaults: bench/gpu_settings.lua compares the values on a GPU. */
#ifndef RILL_GPU_CONTEXT_TUNING_CHOICES_H
#define RILL_GPU_CONTEXT_TUNING_CHOICES_H

#include <stdbool.h>

/* Each row: identifier, name, default of the family gpu, the work that is timed, and the values that are
 * compared. The first value is the default of the family cpu. */
#define TUNING_CHOICES(X)                                                                                              \
    /* 1: kernels read through buffer textures; 0: through storage blocks */                                           \
    X(BUFFER_TEXTURES, "buffer_textures", 0, TUNING_SAXPY, 1, 0)                                                       \
    /* 1: kernels store 16 bytes as two doubles; 0: as four 32-bit words */                                            \
    X(PAIRED_STORES, "paired_stores", 0, TUNING_COPY, 1, 0)                                                            \
    /* elements per step (kernel/variant/access.h) of a kernel over streams of at most 4 bytes per element */          \
    X(STEP, "step", 4, TUNING_SAXPY, 16, 8, 4)                                                                         \
    /* elements per step of a kernel with gathers */                                                                   \
    X(GATHER_STEP, "gather_step", 4, TUNING_GATHER, 16, 8, 4)                                                          \
    /* rows per step of a small stencil */                                                                             \
    X(STRIP_ROWS, "strip_rows", 8, TUNING_STENCIL, 8, 4, 2)                                                            \
    /* 1: storage blocks that a program only reads have the qualifier readonly; 0: no qualifier */                     \
    X(READONLY, "readonly", 1, TUNING_NOTHING, 1, 0)                                                                   \
    /* 1: sorts look back if the driver test has shown that groups can wait for each other; 0: never; 2: always */     \
    X(LOOK_BACK, "look_back", 1, TUNING_NOTHING, 1, 0, 2)                                                              \
    /* elements of a group of a Fourier transform of a power of two on GPUs; 0: by the number of groups */             \
    X(FFT_ELEMENTS, "fft_elements", 0, TUNING_NOTHING, 0, 512, 1024, 2048)                                             \
    /* most elements per lane of these transforms. 8 is for passes of at most 512 elements, and rounds differently */  \
    X(FFT_REGISTERS, "fft_registers", 16, TUNING_NOTHING, 16, 8)

/* TUNING_NOTHING: the choice is not measured. */
typedef enum TuningWork {
    TUNING_COPY,
    TUNING_SAXPY,
    TUNING_GATHER,
    TUNING_STENCIL,
    TUNING_WORKS,
    TUNING_NOTHING = TUNING_WORKS
} TuningWork;

typedef enum TuningId {
#define X(id, ...) TUNING_##id,
    TUNING_CHOICES(X)
#undef X
        TUNING_IDS
} TuningId;

enum { TUNING_VALUES = 4 };

typedef struct TuningChoice {
    const char *name;
    int gpu; /* default of the family gpu */
    TuningWork work;
    int values[TUNING_VALUES]; /* the first `count` are used, and one of these may be 0; the others are 0 */
    int count;
} TuningChoice;

extern const TuningChoice tuning_choices[TUNING_IDS];

typedef enum TuningSource { TUNING_DEFAULT, TUNING_MEASURED, TUNING_FORCED } TuningSource;

/* The source of a choice's value, and the time of the work with each value in seconds; 0 if a value was not
 * measured. */
typedef struct TuningResult {
    TuningSource source;
    double seconds[TUNING_VALUES];
} TuningResult;

#endif
