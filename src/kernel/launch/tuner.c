#include "kernel/launch/tuner.h"

#include "base/strbuf.h"
#include "base/timer.h"
#include "gpu/tuning.h"
#include "kernel/launch/builtin.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 1024, COLUMNS = 2048, FIRST_ROUND = -2, ROUNDS = 12, STREAMS = 4 };

static const double SLOW = 0.1;  /* seconds of a run: for slower devices nothing is measured */
static const double LESS = 0.96; /* another value must be below this share of the default's time */

/* A kernel to measure. It has one output, its last parameter. `reads`: the number of streams before it. */
typedef struct Work {
    const char *text;
    int reads;
    bool scalar; /* the first parameter is the constant 2.5 */
    int first;   /* index of the stream that is read first */
    bool plane;  /* the streams are used as rows and columns */
} Work;

static const Work works[TUNING_WORKS] = {
    [TUNING_COPY] = {"kernel void copy(float x<>, out float r<>) { r = x; }", 1, false, 0, false},
    [TUNING_SAXPY] = {"kernel void saxpy(float a, float x<>, float y<>, out float r<>) { r = a * x + y; }", 2, true, 0,
                      false},
    [TUNING_GATHER] = {"kernel void gather(int i<>, float x[], out float r<>) { r = x[i]; }", 2, false, 2, false},
    [TUNING_STENCIL] =
        {"kernel void stencil(neighbor float u<>, out float r<>) {\n"
         "  r = u[ivec2(-1, 0)] + u[ivec2(1, 0)] + u[ivec2(0, -1)] + u[ivec2(0, 1)] - 4.0 * u[ivec2(0, 0)];\n"
         "}",
         1, false, 0, true},
};

static const char filler[] = "kernel void fill(out float x<>, out int i<>) {\n"
                             "  uint n = uint(indexof(x).x);\n"
                             "  x = float(n & 1023u) * 0.001;\n"
                             "  i = int((n * 2654435761u) & 2097151u);\n"
                             "}";

typedef struct Tuner {
    Device *device;
    Stream streams[STREAMS]; /* two of floats, one of indices in random order, and the output */
} Tuner;

static void close_streams(Tuner *t)
{
    for (int i = 0; i < STREAMS; i++) {
        if (t->streams[i].device) {
            stream_release(&t->streams[i]);
        }
    }
}

static bool open_streams(Tuner *t)
{
    const Shape shape = {.rank = 1, .size = {ROWS * COLUMNS}};
    bool good = true;
    for (int i = 0; i < STREAMS && good; i++) {
        good = stream_create(t->device, type_of(i == 2 ? SCALAR_INT : SCALAR_FLOAT, 1), &shape, false, &t->streams[i]);
    }
    Kernel *kernel = good ? builtin_parse(filler) : NULL;
    for (int i = 0; i < 2 && kernel && good; i++) {
        const Argument args[] = {{.stream = &t->streams[i]}, {.stream = &t->streams[2]}};
        good = kernel_launch(kernel, t->device, args, &shape, false);
    }
    kernel_release(kernel);
    return good && kernel;
}

/* Returns the seconds of one launch; negative if it failed. */
static double run(const Tuner *t, const Work *work, Kernel *kernel)
{
    static const float factor = 2.5f;
    uint32_t word;
    memcpy(&word, &factor, sizeof word);
    Stream views[STREAMS];
    Argument args[STREAMS];
    const Shape plane = {.rank = 2, .size = {ROWS, COLUMNS}}, line = {.rank = 1, .size = {ROWS * COLUMNS}};
    int count = 0;
    if (work->scalar) {
        args[count++].words = &word;
    }
    for (int i = 0; i <= work->reads; i++) {
        const int which = i == work->reads ? STREAMS - 1 : i == 0 ? work->first : i - (work->first == 2);
        views[i] = t->streams[which];
        if (work->plane) {
            views[i].shape = plane;
            views[i].dim[0] = (ViewDim){.stride = COLUMNS, .step = 1, .div = 1};
            views[i].dim[1] = (ViewDim){.stride = 1, .step = 1, .div = 1};
        }
        args[count++].stream = &views[i];
    }
    const double start = timer_clock();
    const bool good =
        kernel_launch(kernel, t->device, args, work->plane ? &plane : &line, false) && device_wait(t->device);
    return good ? timer_clock() - start : -1;
}

typedef enum Outcome { FAILED, TOO_SLOW, MEASURED } Outcome;

/* Times the values of one choice in turns and keeps the shortest time of each. */
static Outcome compare(const Tuner *t, TuningId id, Kernel *const kernels[], double seconds[TUNING_VALUES])
{
    const TuningChoice *choice = &tuning_choices[id];
    const Work *work = &works[choice->work];
    for (int round = FIRST_ROUND; round < ROUNDS; round++) { /* the first one includes compilation */
        for (int k = 0; k < choice->count; k++) {
            tuning_use(t->device, id, choice->values[k]);
            const double taken = run(t, work, kernels[k]);
            if (taken < 0) {
                return FAILED;
            }
            seconds[k] = round == FIRST_ROUND || taken < seconds[k] ? taken : seconds[k];
        }
        if (round == 0 && seconds[0] > SLOW) {
            return TOO_SLOW;
        }
    }
    return MEASURED;
}

/* Measures the values of one choice. Each value needs its own kernel, since a kernel keeps the
 * variants that were compiled. */
static Outcome measure(const Tuner *t, TuningId id)
{
    const TuningChoice *choice = &tuning_choices[id];
    double seconds[TUNING_VALUES] = {0};
    Kernel *kernels[TUNING_VALUES] = {NULL};
    bool good = true;
    for (int k = 0; k < choice->count && good; k++) {
        kernels[k] = builtin_parse(works[choice->work].text);
        good = kernels[k] != NULL;
    }
    const Outcome outcome = good ? compare(t, id, kernels, seconds) : FAILED;
    int best = 0;
    for (int k = 0; k < choice->count; k++) {
        kernel_release(kernels[k]);
        best = outcome == MEASURED && seconds[k] < (best ? 1 : LESS) * seconds[best] ? k : best;
    }
    tuning_use(t->device, id, choice->values[best]);
    if (outcome == MEASURED) {
        tuning_note(t->device, id, seconds);
    }
    return outcome;
}

void tuner_run(Device *device)
{
    DeviceScope scope;
    Tuner tuner = {.device = device};
    if (!device_enter(device, &scope)) {
        return;
    }
    tuning_begin(device);
    Outcome outcome = open_streams(&tuner) ? MEASURED : FAILED;
    for (int id = 0; id < TUNING_IDS && outcome == MEASURED; id++) {
        if (tuning_choices[id].work != TUNING_NOTHING && tuning_result(device, (TuningId)id)->source != TUNING_FORCED) {
            outcome = measure(&tuner, (TuningId)id);
        }
    }
    close_streams(&tuner);
    tuning_end(device, outcome != FAILED);
    device_leave(&scope);
}
