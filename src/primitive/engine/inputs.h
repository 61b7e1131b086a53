/* Declares the inputs of the reducer (reducer.h) and the scanner (scanner.h). These two are called engines. The inputs
 * consist of sources, and of the constants and gathers of input kernels. A source supplies one value per element. It is
 * a stream, or an input kernel that computes the value in registers from the elements of its streams at the same index.
 *
 * An engine divides the domain into blocks of adjacent elements and reduces or scans each block. The elements of a
 * block have the indices t = 0 .. block - 1 in row-major order. */
#ifndef RILL_PRIMITIVE_ENGINE_INPUTS_H
#define RILL_PRIMITIVE_ENGINE_INPUTS_H

#include "kernel/kernel_private.h"

enum { INPUT_SOURCES = 4, INPUT_STREAMS = 24, INPUT_ARGS = MAX_PARAMS };

typedef struct InputSource {
    Kernel *kernel;       /* NULL: the source is the stream args[0] */
    const Argument *args; /* in the order of the kernel's parameters; the argument of its output is ignored */
    /* Type of the value in the engine's text. The source's type converts to it component by component. */
    const Type *type;
} InputSource;

/* The inputs of one call. The first arguments are the element-wise streams, each once, named 0e, 1e .... The constants
 * and gathers follow. */
typedef struct Inputs {
    Device *device;
    Shape domain;
    DeviceLength length; /* the length of the streams, if only the device has it; the domain is then an upper bound */
    bool check;          /* report gathers out of range */
    int source_count;
    InputSource sources[INPUT_SOURCES];
    const Kernel *operation; /* a reduce kernel, whose constants and gathers are arguments too; or NULL */
    int streams, count;      /* element-wise streams; all arguments */
    Param params[INPUT_ARGS];
    Argument args[INPUT_ARGS];
    ParamUse use[INPUT_ARGS];
    int number[INPUT_ARGS];                  /* position in the signature of its kernel, for reports */
    int slot[INPUT_SOURCES + 1][MAX_PARAMS]; /* the argument of a kernel's parameter; the operation's row is the last */
    bool unbounded;                          /* the iterations of a loop in a body must be limited */
    double trips;                            /* iterations of the bounded loops per element */
    size_t tokens;                           /* number of tokens of all bodies */
    int fault_id;                            /* number of the kernel that reports name */
    int temporary_count;
    Stream temporaries[INPUT_ARGS]; /* resampled views and small streams of zeros */
} Inputs;

/* Returns whether a kernel can be a source, or false with error_set if it cannot. Such a kernel has one output or a
 * result. Its other parameters are element-wise inputs, iterators, constants and gathers. It does not use indexof,
 * neighbors or sizeof_stream. */
bool inputs_accepts(const Kernel *kernel);
/* Returns the type of the value that an input kernel computes. */
const Type *inputs_kernel_type(const Kernel *kernel);

/* Allocates empty inputs in the device's workspace. Must be called inside a scope of the device. Returns NULL with
 * error_set on failure. */
Inputs *inputs_new(Device *device);
/* Adds sources over a domain. Streams of other shapes are resampled. `operation` may be NULL. Returns false with
 * error_set on failure. The caller must call inputs_release, on failure too. */
bool inputs_collect(Inputs *in, const Shape *domain, const InputSource *sources, int count, const Kernel *operation,
                    const Argument *operation_args, bool check);
/* Releases the temporaries, and the inputs to the workspace. NULL is allowed. */
void inputs_release(Inputs *in);
/* Returns whether a stream shares memory with any input. */
bool inputs_overlap(const Inputs *in, const Stream *stream);

/* The blocks of a domain, with adjacent dimensions merged where possible, fastest dimension first. The index along
 * dimension d is (index of the block) * part + (index within the block). dim[BLOCK_PLACE] and offset[BLOCK_PLACE]
 * address a dense row-major stream of the domain's shape, for engines that store such results. */
typedef struct Blocks {
    int rank;
    int64_t out[SHAPE_MAX_RANK], part[SHAPE_MAX_RANK]; /* blocks, and elements of a block, per dimension */
    int64_t outputs, block;                            /* products of out and of part */
    ViewDim dim[INPUT_STREAMS + 1][SHAPE_MAX_RANK];
    int64_t offset[INPUT_STREAMS + 1];
    bool reversed;
} Blocks;

enum { BLOCK_PLACE = INPUT_STREAMS };

/* Divides the domain into one block per element of the shape `out`. Each size of the domain must be a multiple of the
 * size of `out`, or `out` must have one element. If `reversed` is true, the elements of every block are in reverse
 * order. Returns false with error_set if the shapes do not fit. */
bool inputs_blocks(const Inputs *in, const Shape *out, bool reversed, Blocks *blocks);

/* Number of adjacent blocks (columns) that one invocation reduces together if adjacent elements belong to different
 * blocks. This number of columns fills a cache line of a processor. The columns are read row by row, and each row texel
 * by texel. A texel has 16 bytes. */
enum { INPUT_WIDE_COLUMNS = 16 };

typedef struct InputKey {
    uint8_t check, rank, parts; /* parts: bit d is set if dimension d has more than one element per block */
    uint8_t
        chunk; /* number of elements that are read at once as whole texels (a step); 0: elements are read one by one */
    uint8_t
        ragged; /* if not 0, steps begin at multiples of this number of elements instead of at the start of a block */
    uint8_t columns; /* adjacent blocks per invocation, whose steps are `chunk` rows; 0: one block */
    uint32_t texels; /* bit i: stream i is read by whole texels */
    uint8_t slots[INPUT_SOURCES * MAX_PARAMS]; /* streams of the sources' element-wise parameters in order */
    const Type *seen[INPUT_SOURCES];
    uint64_t serials[INPUT_SOURCES + 1]; /* serials of the kernels; a serial is never reused */
    ArgKey args[INPUT_ARGS];
} InputKey;

/* Fills in the key. `chunk` is the number of elements per step that the engine prefers. It must be a multiple of the
 * number of elements in a texel. If it is 0, the engine accepts any number. */
void inputs_key(const Inputs *in, const Blocks *blocks, int chunk, InputKey *key);
/* Replaces the key by one with ragged steps, for engines that can skip elements of a step: blocks then begin and end
 * anywhere in streams that are read by whole texels. Returns false and leaves the key unchanged if this is not
 * possible. */
bool inputs_key_ragged(const Inputs *in, const Blocks *blocks, int chunk, InputKey *key);
/* Fills in the key for engines that can reduce adjacent blocks together, for layouts in which adjacent elements in
 * memory belong to different blocks. key->columns is 0 for other layouts. `rows` is the preferred number of rows per
 * step if blocks are long enough. If it is 0, the engine accepts any number. */
void inputs_key_columns(const Inputs *in, const Blocks *blocks, int rows, InputKey *key);
/* Combines several rows into one row, if rows do not begin at texels but combined rows do. Fills in `folded`, the
 * blocks of the combined rows, in which each column occurs several times. Fills in `rest`, the blocks of the remaining
 * rows. Their size is 0 if no rows remain. Returns the number of rows per combined row. If it is 1, the blocks are
 * unchanged. */
int64_t inputs_fold_columns(const Inputs *in, const Blocks *blocks, Blocks *folded, Blocks *rest);
/* Returns the number of used bytes of the key, for comparisons. */
size_t inputs_key_bytes(const Inputs *in);
enum { INPUTS_MOST_TYPES = INPUT_SOURCES + INPUT_ARGS };
/* Stores the types of the key in types[], which has room for INPUTS_MOST_TYPES. Returns their number. A cache of keys
 * must retain these types. */
size_t inputs_types(const Inputs *in, const Type **types);

/* The kernels of a key. A cache of keys retains them. It drops keys whose kernels were destroyed, because no later call
 * can have such a key. */
typedef struct InputLives {
    KernelLife *lives[INPUT_SOURCES + 1];
} InputLives;
/* Retains the kernels of the inputs. */
void inputs_lives(const Inputs *in, InputLives *lives);
/* Returns whether any of the kernels was destroyed. */
bool inputs_lives_over(const InputLives *lives);
/* Releases the kernels. */
void inputs_lives_release(InputLives *lives);

typedef struct InputLayout {
    int shape, block, four, place; /* positions of uniform 32-bit words */
    int textures, blocks;          /* used units and storage blocks, including the engine's own blocks */
    int id;
    bool canary;
    ArgLayout args[INPUT_ARGS];
} InputLayout;

/* Assigns the uniform words from word *words on, and the bindings after the `blocks` storage blocks of the engine.
 * Advances *words to the first free word. Returns false with error_set if the device has too few bindings or words. */
bool inputs_lay_out(const Inputs *in, const InputKey *key, int blocks, int *words, InputLayout *layout);
/* Writes the uniform words of a layout. */
void inputs_fill(const Inputs *in, const Blocks *blocks, const InputKey *key, const InputLayout *layout,
                 uint32_t *words);
/* Binds the buffers of a layout. */
void inputs_bind(const Inputs *in, const InputKey *key, const InputLayout *layout, Dispatch *dispatch);

typedef struct InputText {
    const Inputs *in;
    const InputKey *key;
    const InputLayout *layout;
    StrBuf *out;
    uint32_t staged; /* bit i: the steps of stream i are read from rill_w_NAME, in shared memory: texel rill_bank(k) of
                        this array is the texel k after that of element `from` */
    const char *hop; /* distance of the texels of a step (an int expression), or NULL: they are adjacent */
} InputText;

/* Writes "#version", rill_p[vectors], the fault words, the helpers of the code generator, and the structures of the
 * sources and among `types`, the engine's own types. */
void inputs_write_header(InputText *text, int group, int vectors, const Type *const *types, int count);
/* Writes the bindings, the bodies, and for each source s of type X the function `X rill_xS(int t)`, which returns the
 * value of element t of this invocation's block. `int rill_place(int t)` returns the element's index in a dense
 * row-major stream of the domain's shape. */
void inputs_write_access(InputText *text);
/* Writes statements that select block number `run` (an int variable) for this invocation. */
void inputs_write_place(InputText *text, const char *run);

/* The next functions write loops with steps of key->chunk elements, from element `start` on. A program contains the
 * declarations before the loop, and in the loop the loads, the values and the advance to the next step. If many values
 * are live, use each texel before the next one is loaded: some drivers read texels by calls of a function and save all
 * live values around each call. */

/* Writes the declarations before the loop. */
void inputs_write_chunk_start(InputText *text, const char *start);
/* Writes the declaration of `int skip`: for ragged steps, the number of elements before `start` in the first step. */
void inputs_write_chunk_skip(InputText *text, const char *run, const char *start);
/* Writes the loads of the texels that begin with elements t + k to t + end - 1. */
void inputs_write_chunk_loads(InputText *text, int k, int end);
/* Writes the expression for the value of source s at element t + k. */
void inputs_write_chunk_value(InputText *text, int s, int k);
/* Writes the expression for texel `at` + `more` of stream i. */
void inputs_write_texel(InputText *text, int i, const char *at, int more);
/* Writes the statements that advance to the next step. */
void inputs_write_chunk_step(InputText *text);

/* The next functions write loops with steps of several rows of adjacent columns. */

/* Writes the declarations before the loop. */
void inputs_write_rows_start(InputText *text, const char *start);
/* Writes the loads of `rows` rows from row t + `from` on. */
void inputs_write_rows_loads(InputText *text, int from, int rows);
/* Writes the loads of the texels of row t whose first column is c. */
void inputs_write_texel_loads(InputText *text, int c);
/* Writes the statement that selects column c for inputs_write_row_value. */
void inputs_write_column(InputText *text, int c);
/* Writes the expression for the value of source s at row t + k and column c. */
void inputs_write_row_value(InputText *text, int s, int k, int c);
/* Writes the advance by `rows` rows (an int expression). */
void inputs_write_rows_step(InputText *text, const char *rows);

/* Writes the check that the device did not end loops early. It must be at the end of main. */
void inputs_write_canary(InputText *text);
/* Writes a call of the operation: "u_name(a, x, constants...)". */
void inputs_write_operation(StrBuf *out, const Inputs *in);
/* Completes the error of a program that the device's compiler refuses. Always returns false. */
bool inputs_refused(const InputText *text);

#endif
