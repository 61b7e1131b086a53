/* What the engines of reductions and scans read: sources of one value per element, each a stream or an input kernel (what
 * a kernel makes of this element of its streams, in registers), with the constants and gathers of the kernels at work.
 *
 * Blocks of neighbours: an engine reduces or scans blocks, whose elements are numbered t = 0 .. block - 1 in row-major order. */
#ifndef RILL_PRIMITIVE_ENGINE_INPUTS_H
#define RILL_PRIMITIVE_ENGINE_INPUTS_H

#include "kernel/kernel_private.h"

enum { INPUT_SOURCES = 4, INPUT_STREAMS = 24, INPUT_ARGS = MAX_PARAMS };

typedef struct InputSource {
    Kernel *kernel;       /* NULL: the stream args[0] itself */
    const Argument *args; /* as the kernel declares them; its output's is ignored */
    const Type
        *type; /* as which the engine's text sees the value: a value type it converts to, component by component */
} InputSource;

/* Element-wise streams first, each once, named 0e, 1e ...; then constants and gathers. */
typedef struct Inputs {
    Device *device;
    Shape domain;
    DeviceLength length; /* of the streams, where only the device knows it; the domain is what there can be */
    bool check;          /* report gathers out of range */
    int source_count;
    InputSource sources[INPUT_SOURCES];
    const Kernel *operation; /* a reduce kernel whose constants and gathers are args too; or NULL */
    int streams, count;
    Param params[INPUT_ARGS];
    Argument args[INPUT_ARGS];
    ParamUse use[INPUT_ARGS];
    int number[INPUT_ARGS];                  /* in its kernel's signature, for reports */
    int slot[INPUT_SOURCES + 1][MAX_PARAMS]; /* the arg behind a kernel's parameter; the operation's come last */
    bool unbounded;                          /* a body's loops must be watched */
    double trips;                            /* of the bounded ones, per element */
    size_t tokens;                           /* of all bodies */
    int fault_id;                            /* of the kernel to name in reports */
    int temporary_count;
    Stream temporaries[INPUT_ARGS]; /* resampled views and small streams of zeros */
} Inputs;

/* Whether a kernel can be a source: one output or a result, element-wise inputs, iterators, constants and gathers, no indexof, neighbour
 * or sizeof_stream. False with error_set. */
bool inputs_accepts(const Kernel *kernel);
/* The type of its value. */
const Type *inputs_kernel_type(const Kernel *kernel);

/* Empty inputs in the device's workspace; NULL with error_set. Inside a scope. */
Inputs *inputs_new(Device *device);
/* Collects sources over a domain; streams of other shapes are resampled. Release always, on failure too. */
bool inputs_collect(Inputs *in, const Shape *domain, const InputSource *sources, int count, const Kernel *operation,
                    const Argument *operation_args, bool check);
void inputs_release(Inputs *in);
/* Whether a stream shares memory with anything that is read. */
bool inputs_overlap(const Inputs *in, const Stream *stream);

/* Dimensions merged, fastest first: index d = block's index * part + place in the block. `place` is where results of the
 * domain's shape go, dense and row-major, when an engine writes such. */
typedef struct Blocks {
    int rank;
    int64_t out[SHAPE_MAX_RANK], part[SHAPE_MAX_RANK];
    int64_t outputs, block;
    ViewDim dim[INPUT_STREAMS + 1][SHAPE_MAX_RANK];
    int64_t offset[INPUT_STREAMS + 1];
    bool reversed;
} Blocks;

enum { BLOCK_PLACE = INPUT_STREAMS };

/* Cuts the domain so that `out`'s shape is left: its sizes divide the domain's, or it has one element. `reversed`: every
 * block runs from its last element to its first. False with error_set. */
bool inputs_blocks(const Inputs *in, const Shape *out, bool reversed, Blocks *blocks);

/* Blocks side by side that fill a line of a processor's cache. They are read row by row, and a row texel by texel. */
enum { INPUT_WIDE_COLUMNS = 16 };

typedef struct InputKey {
    uint8_t check, rank, parts; /* bit d: dimension d has more than one element per block */
    uint8_t chunk;              /* elements of a step that reads whole texels; 0: element by element */
    uint8_t ragged;             /* 0, or steps start where so many elements fill whole texels, not where blocks do */
    uint8_t columns;            /* blocks side by side per invocation, whose steps are `chunk` rows; 0: one block */
    uint32_t texels;            /* bit i: stream i is read so */
    uint8_t slots[INPUT_SOURCES * MAX_PARAMS]; /* of the sources' element-wise parameters in turn */
    const Type *seen[INPUT_SOURCES];
    uint64_t serials[INPUT_SOURCES + 1]; /* of the kernels: never used twice */
    ArgKey args[INPUT_ARGS];
} InputKey;

/* Fills the key. `chunk`: elements per step the engine would like, a multiple of what whole texels take, or 0: as many as suit. */
void inputs_key(const Inputs *in, const Blocks *blocks, int chunk, InputKey *key);
/* The same for an engine that can leave out elements of a step, where blocks start and end anywhere in streams that are read by whole texels. Changes
 * the key where it finds steps so, and says whether. */
bool inputs_key_ragged(const Inputs *in, const Blocks *blocks, int chunk, InputKey *key);
/* The same for an engine that can reduce blocks side by side, where neighbours in memory belong to them: key->columns is 0 where they
 * don't. `rows`: as many per step where blocks are long enough, or 0: as many as suit. */
void inputs_key_columns(const Inputs *in, const Blocks *blocks, int rows, InputKey *key);
/* Columns that do not begin on texels, since rows of them do not: as many rows side by side as begin on texels make `folded`, whose columns are each
 * so many times; rows behind those are `rest`, of one block of no elements where there are none. How many rows are one then; 1: they stay as they are. */
int64_t inputs_fold_columns(const Inputs *in, const Blocks *blocks, Blocks *folded, Blocks *rest);
/* Bytes of the key in use, to compare. */
size_t inputs_key_bytes(const Inputs *in);
/* The types in the key, for a cache that keeps it and holds them; how many. */
enum { INPUTS_MOST_TYPES = INPUT_SOURCES + INPUT_ARGS };
size_t inputs_types(const Inputs *in, const Type **types);

/* The kernels behind a key. A cache that keeps keys holds them, and drops what can't be found again. */
typedef struct InputLives {
    KernelLife *lives[INPUT_SOURCES + 1];
} InputLives;
void inputs_lives(const Inputs *in, InputLives *lives);
bool inputs_lives_over(const InputLives *lives);
void inputs_lives_release(InputLives *lives);

typedef struct InputLayout {
    int shape, block, four, place; /* words */
    int textures, blocks;          /* used, the engine's own blocks included */
    int id;
    bool canary;
    ArgLayout args[INPUT_ARGS];
} InputLayout;

/* Lays out the words from *words on, and bindings after `blocks` storage blocks of the engine's. */
bool inputs_lay_out(const Inputs *in, const InputKey *key, int blocks, int *words, InputLayout *layout);
void inputs_fill(const Inputs *in, const Blocks *blocks, const InputKey *key, const InputLayout *layout,
                 uint32_t *words);
void inputs_bind(const Inputs *in, const InputKey *key, const InputLayout *layout, Dispatch *dispatch);

typedef struct InputText {
    const Inputs *in;
    const InputKey *key;
    const InputLayout *layout;
    StrBuf *out;
    size_t body_at[INPUT_SOURCES + 1]; /* where the kernels' bodies start: set by inputs_write_access */
} InputText;

/* "#version", rill_p[vectors], fault words, the helpers of the code generator, structures: those of the sources, and those among
 * the engine's own types. */
void inputs_write_header(InputText *text, int group, int vectors, const Type *const *types, int count);
/* Bindings, bodies, and for source s, of type X: `X rill_xS(int t)`, the value of element t of this invocation's block. `int
 * rill_place(int t)` is the element's place in a dense row-major stream of the domain's shape. */
void inputs_write_access(InputText *text);
/* Statements: this invocation's block is number `run` (an int variable). */
void inputs_write_place(InputText *text, const char *run);
/* Steps of key->chunk elements from t on: declarations in front of the loop, loads of the texels that begin with elements t + k to t + end - 1, the value
 * of source s of element t + k, and the advance. Where much is alive a texel is best used before the next one is loaded: drivers that read texels by a
 * function of their own save all of that around each call. */
void inputs_write_chunk_start(InputText *text, const char *start);
/* int skip: how many elements stand before that one in its first step, of ragged ones. */
void inputs_write_chunk_skip(InputText *text, const char *run, const char *start);
void inputs_write_chunk_loads(InputText *text, int k, int end);
void inputs_write_chunk_value(InputText *text, int s, int k);
void inputs_write_chunk_step(InputText *text);
/* The same for columns: steps of `rows` elements of each. The value is that of row t + k in column c, an expression for which
 * inputs_write_column has been called. Loads are of some rows, or of the texels of row t that have column c, the first in them. */
void inputs_write_rows_start(InputText *text, const char *start);
void inputs_write_rows_loads(InputText *text, int from, int rows);
void inputs_write_texel_loads(InputText *text, int c);
void inputs_write_column(InputText *text, int c);
void inputs_write_row_value(InputText *text, int s, int k, int c);
void inputs_write_rows_step(InputText *text, const char *rows);
/* The watch over loops, at the end of main. */
void inputs_write_canary(InputText *text);
/* "u_name(a, x, constants...)": a call of the operation. */
void inputs_write_operation(StrBuf *out, const Inputs *in);
/* Turns the compiler's log (error_message()) into an error at its place; false. */
bool inputs_diagnose(const InputText *text);

#endif
