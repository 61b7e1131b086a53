/* Declares what the files of the binding share: the state of rill in one Lua state, userdata, argument checks and
 * errors. Only files in src/binding include lua.h. "Raises" in a comment means that the function raises a Lua error on
 * failure. Layers below the binding never raise: their functions record a message with error_set and return false or
 * NULL. A "scope" is the time between device_enter and device_leave. No function may raise in a scope. */
#ifndef RILL_BINDING_BINDING_H
#define RILL_BINDING_BINDING_H

#include "base/error.h"
#include "stream/stream.h"

/* Declares the openers, which the Makefile collects. Each open_NAME, one per file, adds its functions to the module
 * table on top of the stack. They are called in any order, after state_create and stream_handle_create. */
#include "openers.h"

#include <lauxlib.h>
#include <lua.h>

/* Device memory in use. */
typedef struct Held {
    uint64_t bytes, buffers;
} Held;

/* Memory of the host. */
typedef struct HostMemory {
    void *memory;
    size_t bytes; /* 0: unknown */
} HostMemory;

/* The state of rill in one Lua state: a userdata in the registry, which is finalized last. */
/* The sequence of random numbers for calls without a seed. */
typedef struct RandomSequence {
    uint64_t seed, block; /* block: the next counter of rill.random */
    uint64_t launch;      /* number of the next launch that draws random numbers */
} RandomSequence;

typedef struct State {
    Device *device;          /* the current device; NULL until first use */
    const void *stream_meta; /* lua_topointer of the metatable, so that a type check is one comparison */
    const void *kernel_meta;
    const void *expression_meta; /* of lua/rill/algebra/expression.lua */
    Held kept, stepped;          /* see values/collector.c */
    HostMemory scratch;          /* memory that scratch_push uses again */
    RandomSequence random;
    unsigned compiled;  /* programs compiled since the last full collection */
    bool check;         /* rill.check */
    bool recording;     /* operations are recorded: see values/record.c */
    bool watched;       /* launches are reported to a function: rill.debug.watch */
    bool collecting;    /* a full collection runs inside an allocation: only releasing is allowed on the device */
    bool parked;        /* userdata wait to be closed: see binding_park */
    int user_calls;     /* the number of user functions that run within a call: see binding_call_user */
    bool closed;        /* the Lua state is closing */
    int names;          /* the number of recently used structure names: see values/type.c */
    lua_State *running; /* the coroutine that entered a device last: the collector runs on it */
    struct {
        Device **items; /* a reference to each device opened in this state: they outlive its streams */
        size_t count, capacity;
    } devices;
} State;

/* Creates the state of rill in this Lua state. Must be called before all other functions of the binding. */
void state_create(lua_State *L);
/* Returns the state of rill in this Lua state, or NULL before state_create. */
State *state_get(lua_State *L);
/* Returns the current device. Opens it on first use. Raises. */
Device *state_device(lua_State *L);
/* Makes a device the current device and takes over the caller's reference. Raises. */
void state_use_device(lua_State *L, Device *device);
/* Charges the collector with the programs that were compiled since the last call, and closes the values whose closing
 * was deferred. Must be called after every function that compiles programs or creates streams. */
void binding_charge(lua_State *L, Device *device);
/* Runs the collector if unreachable streams may hold much device memory. Does nothing within finalizers and while the
 * script has stopped the collector. */
void collector_run(lua_State *L, State *state);

/* Defers closing the userdata at `index` if a call may be using it. That is the case in a finalizer, which may run
 * within any call, and in a user function that runs within a call (binding_call_user). Returns true if closing is
 * deferred: __close is called with the value after the call. Returns false if the caller may close the value now. */
bool binding_park(lua_State *L, int index);
/* Defers closing as binding_park does, but only in finalizers. Used for values that no call uses while it runs a user
 * function. */
bool binding_park_final(lua_State *L, int index);
/* Calls the C function `f` by lua_pcall, with `context` as its argument. `f` calls a user function. Must be used for
 * user functions that run in the middle of a call of rill. Returns the status of lua_pcall. */
int binding_call_user(lua_State *L, lua_CFunction f, void *context);

/* Raises error_message(). */
_Noreturn void binding_raise(lua_State *L);
/* Raises error_message() unless `done` is true. */
void binding_raise_unless(lua_State *L, bool done);
/* Raises error_message() with the prefix "function: ", or without a prefix if `function` is NULL. */
_Noreturn void binding_raise_for(lua_State *L, const char *function);
/* Raises error_message() without the position of the script, for messages that begin with a position. */
_Noreturn void binding_raise_placed(lua_State *L);
/* Does nothing. It is the __close metamethod of values that only the collector frees, so that scripts may write `local
 * k <close>`. */
int binding_close_nothing(lua_State *L);
/* Makes reading a missing field of the table on top of the stack an error: "WHAT has no field 'x'". */
void binding_strict(lua_State *L, const char *what);
/* Creates the metatable of the userdata type `name` ("rill.range") with the metamethods `meta`. Pops the value on top
 * of the stack, which becomes __index. The registry holds the metatable under `key`. Returns its lua_topointer. */
const void *binding_metatable(lua_State *L, const char *name, const void *key, const luaL_Reg *meta);
/* The `n` of functions that raise errors about arguments, if the value is an option: "function: option 'name'". */
enum { BINDING_OPTION = -1 };

/* Raises "function: argument #n 'name': expected ..., got ...". `index` is the stack index of the value. `n` is the
 * 1-based number of the argument. For a method, arguments are counted after the colon, and 0 means the value before the
 * colon. */
_Noreturn void binding_argument(lua_State *L, const char *function, int n, const char *name, int index,
                                const char *expected);
/* Raises error_message() with the prefix "function: argument #n 'name': ". */
_Noreturn void binding_argument_error(lua_State *L, const char *function, int n, const char *name);
/* Raises if the stack holds more than `most` values. `self` tells whether the first value is the value before the
 * colon, which messages do not count as an argument. */
void binding_count(lua_State *L, const char *function, int most, bool self);
/* Returns an integer argument, or raises. */
lua_Integer binding_integer(lua_State *L, int index, const char *function, int n, const char *name);
/* Returns the 0-based dimension of the argument `axis`, the first of a function: 1 .. rank, or negative from the end.
 * Raises if it is any other value. */
int binding_axis(lua_State *L, int index, const char *function, int rank);
/* Returns an index argument converted from 1-based to 0-based. Returns -1 for all values below 1, and the caller must
 * report the error. Raises if the argument is not an integer. */
int64_t binding_index(lua_State *L, int index, const char *function, int n, const char *name);
/* Returns the 0-based position of the string at `index` in `words`, a list that ends in NULL. Returns -1 for any other
 * value. */
int binding_word(lua_State *L, int index, const char *const *words);
/* Raises an error which reports that the key at `index` is not an option. `names` is the list of options and ends in
 * NULL. */
_Noreturn void binding_unknown(lua_State *L, int index, const char *function, const char *const *names);
/* Raises unless every key of the table at `options` is in `names`, a list that ends in NULL. */
void binding_known(lua_State *L, int options, const char *function, const char *const *names);
/* Sets a field of the table on top of the stack to an array of names. `names` ends in NULL. */
void binding_set_names(lua_State *L, const char *field, const char *const *names);
/* Returns the option `name` of the table at `options`. Default: false. Raises unless it is a boolean or absent. */
bool binding_flag(lua_State *L, int options, const char *function, const char *name);
/* Returns the full userdata at `index` if it has `size` bytes and the metatable that the registry holds under `key`.
 * Returns NULL for any other value. */
void *binding_userdata(lua_State *L, int index, const void *key, size_t size);
/* Returns the userdata at index 1 in a __gc metamethod, checked as by binding_userdata. Returns NULL if a script called
 * the metamethod, since the value may then be in use. */
void *binding_finalized(lua_State *L, const void *key, size_t size);
/* Pushes and returns a description of a value for messages: "number 2.5", "stream<vec3>[4x4]", "table of 3", "closed
 * stream", "nil". */
const char *binding_describe(lua_State *L, int index);
/* Pushes and returns a table key or option for messages: "'foo'". */
const char *binding_key(lua_State *L, int index);

/* Pops a table T. Sets the field `name` of the table that is then on top of the stack to a function(key, f), which sets
 * T[key] to the function f. */
void fields_setter(lua_State *L, const char *name);
/* Calls the metamethod __field of the value at index 1 with the string at index 2, and pushes the result: a component
 * or a field of the elements. Returns false if there is none. */
bool fields_component(lua_State *L);
/* Calls the metamethod __setfield of the value at index 1 with the string at index 2 and the value at index 3, which
 * assigns to a component or a field of the elements. Returns false if there is none. */
bool fields_assigned(lua_State *L);

/* The next functions set a field of the table on top of the stack. */

/* Sets a field to a boolean. */
void fields_boolean(lua_State *L, const char *name, bool value);
/* Sets a field to an integer. */
void fields_integer(lua_State *L, const char *name, lua_Integer value);
/* Sets a field to an integer with the bits of `value`. */
void fields_count(lua_State *L, const char *name, uint64_t value);
/* Sets a field to a float. */
void fields_number(lua_State *L, const char *name, double value);
/* Sets a field to a copy of a string. */
void fields_string(lua_State *L, const char *name, const char *value);
/* Sets a field to a C function without upvalues. */
void fields_function(lua_State *L, const char *name, lua_CFunction value);

/* Raises "interrupted!" if the user of the prompt pressed Ctrl-C and L is a coroutine other than the prompt's. */
void interrupt_check(lua_State *L);
/* Checks that this call may use the device, runs the garbage collector if it is due, and permits the device's
 * allocations to run it. Values that the call uses must be referenced from Lua. Must be
 * called before a function that enters the device itself. Raises. */
void binding_prepare(lua_State *L, Device *device);
/* Enters the device, or raises. The caller must call device_leave before it raises or returns. */
void binding_enter(lua_State *L, Device *device, DeviceScope *scope);
/* Enters the device, evaluates `call`, leaves the device, and raises error_message() if the result was false or NULL.
 * `call` is an expression that does not raise, for example binding_run(L, s->device, "rill.fft", fft_stream(s, &spec,
 * result)). */
#define binding_run(L, device, function, call)                                                                         \
    do {                                                                                                               \
        DeviceScope binding_scope;                                                                                     \
        binding_enter(L, device, &binding_scope);                                                                      \
        bool binding_done = (call);                                                                                    \
        device_leave(&binding_scope);                                                                                  \
        if (!binding_done) {                                                                                           \
            binding_raise_for(L, function);                                                                            \
        }                                                                                                              \
    } while (0)
/* Calls binding_run, then binding_charge. */
#define binding_make(L, device, function, call)                                                                        \
    do {                                                                                                               \
        binding_run(L, device, function, call);                                                                        \
        binding_charge(L, device);                                                                                     \
    } while (0)
/* Enters the device `owner`, evaluates `call`, which releases a value, and leaves the device. Never raises, so
 * finalizers may use it. `call` is evaluated even if the device cannot be entered. The device is retained during the
 * call, which may release the last other reference to it. */
#define binding_drop(owner, call)                                                                                      \
    do {                                                                                                               \
        DeviceScope binding_scope;                                                                                     \
        Device *binding_device = device_retain(owner);                                                                 \
        bool binding_entered = device_enter(binding_device, &binding_scope);                                           \
        (call);                                                                                                        \
        if (binding_entered) {                                                                                         \
            device_leave(&binding_scope);                                                                              \
        }                                                                                                              \
        device_release(binding_device);                                                                                \
    } while (0)

/* Pushes a stream userdata with an empty header, which counts as closed until the caller fills in the header. The
 * userdata may be finalized at any time. */
Stream *stream_handle_push(lua_State *L);
/* Creates the metatable and the table of members of the streams of this Lua state. Members map a name to a method, or
 * to the index of a field. */
void stream_handle_create(lua_State *L);
/* Pushes the metatable of streams. */
void stream_handle_metatable(lua_State *L);
/* Pushes the table of members of streams. */
void stream_handle_members(lua_State *L);
/* Returns the stream that the collector finalizes in this call of __gc, or NULL as binding_finalized does. */
Stream *stream_handle_finalized(lua_State *L);
/* Returns the header if the value is an open or closed stream userdata, or NULL for any other value. */
Stream *stream_handle_to(lua_State *L, int index);
/* Returns the header as stream_handle_to does. An expression at `index` is first evaluated and replaced by the new
 * stream. Runs Lua code, so it must not be called inside a scope. */
Stream *accept_stream(lua_State *L, int index);
/* Makes the shape of an open stream exact. If only the device has its length, waits for the device. Raises. */
void accept_settled(lua_State *L, Stream *stream);
/* Returns an open stream, or raises. The shape may be inexact, if only the device has the stream's length. Evaluates
 * expressions as accept_stream does. */
Stream *accept_open(lua_State *L, int index, const char *function, int n, const char *name);
/* Returns an open stream as accept_open does. The caller must not read or write its elements, since the stream may depend
 * on the arguments of a function that is recorded (values/record.c). All other functions raise in this case. */
Stream *accept_header(lua_State *L, int index, const char *function, int n, const char *name);
/* Returns an open stream of exact shape as accept_header does. */
Stream *accept_shaped(lua_State *L, int index, const char *function, int n, const char *name);
/* Returns an open stream of exact shape, or raises. */
Stream *accept_check(lua_State *L, int index, const char *function, int n, const char *name);

/* Pushes and returns "rill.stream: argument #2 'shape'", "s:read: argument 's'" for the value before the colon, or
 * "s:histogram: option 'bins'". */
const char *binding_label(lua_State *L, const char *function, int n, const char *name);
/* Raises if the stream at `index` is a category: its elements are codes of names (lua/rill/core/categories.lua). */
void accept_numbers(lua_State *L, int index, const char *function, int n, const char *name);

/* Returns the stream before the colon of a method, with exact shape. Raises if it is not an open stream, or if the
 * stack holds more than `most` values. */
Stream *accept_self(lua_State *L, const char *function, int most);

/* Adds methods to the streams of this Lua state. The openers call it. */
void stream_handle_methods(lua_State *L, const luaL_Reg *methods);
/* Returns whether a value is an expression. */
bool expression_hooks_is_expression(lua_State *L, int index);

/* Returns whether a value is a table that may hold options. Returns false for expressions, matrices, meshes and other
 * values of rill that are Lua tables. */
bool binding_is_options(lua_State *L, int index);
/* Calls a function of lua/rill/algebra/expression.lua that was registered by name with rill._expression. The
 * `arguments` on top of the stack are replaced by `results` results. */
void expression_hooks_call(lua_State *L, const char *name, int arguments, int results);
/* Pushes and returns the second part of the message about the unknown key at `index`. It lists the keys of the table at
 * `known`, which were expected: "axis, keep; did you mean 'axis'?". Runs Lua code. */
const char *binding_among(lua_State *L, int index, int known);
/* Pushes and returns "; did you mean ...?" for the key at `index` that does not exist in `owner` ("s", "k",
 * "rill.image"). Pushes "" if no key is similar. Runs Lua code. */
const char *binding_hint(lua_State *L, const char *owner, int index);
/* Calls the function __launch of the metatable of an argument of a kernel (the stack) with all arguments, if an argument
 * is a table that has one. Returns true if the launch was made; its *results results are then on top of the stack. */
bool expression_hooks_launch(lua_State *L, int *results);
/* Offers a call to the hook `name` if one of its arguments (the stack) is an expression, so that the hook can compute
 * the call in one pass. Returns true and pushes *results results if the hook computed the call. Otherwise returns
 * false, and the stack is unchanged. */
bool expression_hooks_offer(lua_State *L, const char *name, int *results);
/* Offers a call to the hook `name` as expression_hooks_offer does, but also if no argument is an expression. */
bool expression_hooks_try(lua_State *L, const char *name, int *results);
/* Returns whether a function is being recorded for its gradient, and the stream depends on the arguments of the function. */
bool record_tracks(lua_State *L, const Stream *stream);
/* Raises if record_tracks is true. `function`, `n` and `name` are those of binding_argument. */
void record_refuse(lua_State *L, const Stream *stream, const char *function, int n, const char *name);
/* Offers the call of a kernel (the stack) to Lua while a function is recorded. Returns true and pushes *results results
 * if Lua made the launch. */
bool record_launch(lua_State *L, int *results);
/* Closes a stream header, for __gc and __close. Must be called outside of any scope. Never raises. */
void stream_handle_drop(Stream *stream);
/* Implements the metamethod s[i]. */
int element_at(lua_State *L);
/* Implements the metamethod s[i] = v. */
int element_set(lua_State *L);
/* Implements the metamethod pairs(s). */
int each_pairs(lua_State *L);
/* Raises unless the stream can be written. */
void accept_writable(lua_State *L, const Stream *stream, const char *function);
/* Reads the arguments `first` and `last` (arguments n and n + 1) at stack index `first` and the next one as a box:
 * from[] inclusive, to[] exclusive, 0-based. Absent arguments mean the whole stream. Raises. */
void box_check(lua_State *L, const Stream *stream, int first, const char *function, int n, int64_t *from, int64_t *to);
/* Reads the arguments of s:boundary and c:boundary after the first one: a mode for each dimension, and the value of
 * elements outside of the domain. Raises. */
void view_boundary_modes(lua_State *L, const char *function, int rank, Boundary *modes, double *outside);
/* Pushes a view of a box of a stream. Raises. */
Stream *box_push(lua_State *L, const Stream *stream, const char *function, const int64_t *from, const int64_t *to);
/* Pushes a new stream of zeros. Raises with the prefix "function: ". */
Stream *create_stream(lua_State *L, const Type *type, const Shape *shape, const char *function);

/* Pushes a userdata that owns `bytes` bytes of host memory, so that a Lua error does not leak the memory. Returns the
 * memory. Raises. A large block is kept when it is freed, since the pages of a new one are slow to touch. */
void *scratch_push(lua_State *L, size_t bytes);
/* Frees the memory of the userdata at `index` before the userdata is collected. */
void scratch_free(lua_State *L, int index);
/* Replaces the memory of the userdata at `index` by `memory`, which malloc returned. */
void scratch_give(lua_State *L, int index, void *memory);

/* Returns the type that a string or a struct userdata describes. Raises. If the string is the name of a structure, its
 * userdata replaces the string at `index` and keeps the type alive. */
const Type *type_check(lua_State *L, int index, const char *function, int n, const char *name);
/* Pushes the userdata of a structure type, which keeps it alive. There is one userdata per type. */
void type_push_struct(lua_State *L, const Type *type);
/* Pushes and returns the names of the fields of a structure for messages, each with `end`: "id, age" for "". Long lists
 * end in "...". */
const char *type_push_names(lua_State *L, const Type *type, const char *end);
/* Adds a declaration like "struct ray { vec3 o; vec3 d; }" to `text`. */
void type_add_declaration(luaL_Buffer *text, const Type *type);
/* Reads a shape from an integer, a table of integers or the value of s.shape. Raises. */
void shape_check_arg(lua_State *L, int index, const char *function, int n, const char *name, Shape *shape);
/* Reads a shape as shape_check_arg does, but permits any sizes and any number of elements. Used for domains that are
 * not stored completely. */
void shape_check_sizes(lua_State *L, int index, const char *function, int n, const char *name, Shape *shape);
/* Raises unless two shapes are equal. The format takes three strings: the function and both shapes. */
void shape_raise_unequal(lua_State *L, const char *format, const char *function, const Shape *a, const Shape *b);
/* Pushes the table of a shape. */
void shape_push(lua_State *L, const Shape *shape);
/* Reads one integer per dimension, or one integer for all dimensions, from the arguments that begin at `first`.
 * Raises. */
void shape_check_counts(lua_State *L, int first, const char *function, int rank, bool backward, int64_t *n);

/* Packs the Lua value of one element to bytes. Returns false with error_set on failure. The message describes the value
 * that does not fit, and the caller adds the name of the argument. Never raises. */
bool value_pack(lua_State *L, int index, const Type *type, void *element);
/* Pushes the Lua value of one packed element. */
void value_push(lua_State *L, const Type *type, const void *element);
/* Reads the only element of a stream and releases the stream. Must be called inside a scope. Returns false with
 * error_set on failure. */
bool value_read(Stream *result, void *element);
/* Pushes the only element of a stream, releases the stream and leaves the scope. Raises after it has left the scope. */
void value_take(lua_State *L, Stream *result, DeviceScope *scope);
/* Packs one component. Returns false with error_set on failure. Never raises. */
bool value_pack_scalar(lua_State *L, int index, Scalar scalar, void *component);
/* Pushes one packed component. */
void value_push_scalar(lua_State *L, Scalar scalar, const void *component);
/* Packs an element as value_pack does. A number or boolean sets all components. */
bool value_pack_splat(lua_State *L, int index, const Type *type, void *element);
/* Packs a table to the elements of a shape. The table is a flat table of elements, a flat table of numbers, or nested
 * like the shape. Returns false with error_set on failure. Raises only if memory runs out. */
bool table_pack(lua_State *L, int index, const Type *type, const Shape *shape, void *bytes);
/* Computes the shape of a nested table. Returns false with error_set on failure. */
bool table_shape(lua_State *L, int index, const Type *type, Shape *shape);
/* Pushes packed elements as a table nested like the shape. */
void table_push_nested(lua_State *L, const Type *type, const Shape *shape, const void *bytes);
/* Pushes packed elements as a flat table of numbers. */
void table_push_flat(lua_State *L, const Type *type, int64_t elements, const void *bytes);
/* Pushes a new contiguous stream with the contents of a nested or flat table. If `type` is NULL, the type is bool for a
 * table of booleans, otherwise float. Raises. */
Stream *create_from_table(lua_State *L, int index, const Type *type, const char *function, int n, const char *name);
/* Writes the data at stack index 2, a stream, an expression, a table or a binary string, to `view`, the stream on top of
 * the stack, for a function. An expression may be replaced by its value. */
void transfer_write(lua_State *L, Stream *view, const char *function);

/* Returns a path, which is a string without zero bytes, or raises. */
const char *argument_path(lua_State *L, int index, const char *function, int n, const char *name);

/* Returns the path of a file to write, or raises unless it ends in "." and the extension. */
const char *argument_result_path(lua_State *L, int index, const char *function, int n, const char *extension);
/* Reads a file to a new stream. Called inside a scope. If `type` is NULL, the file determines the type. Returns false
 * with error_set on failure. */
typedef bool FileReader(Device *device, const char *path, const Type *type, Stream *result);
/* Pushes the stream that `read` creates from a file, and returns 1. Raises with the prefix "function: ". */
int file_load(lua_State *L, const char *function, const char *path, const Type *type, FileReader *read);
/* Reads the contents of a .rill file to a new stream, for rill.load. If `type` is NULL the file determines the
 * type. Must be called inside a scope. Returns false with error_set on failure. */
bool rillfile_load(Device *device, const unsigned char *bytes, size_t size, const Type *type, Stream *result);
/* Writes a stream to a .rill file, for s:save. Must be called inside a scope. Returns false with error_set on
 * failure. */
bool rillfile_save(const Stream *stream, const char *path);
/* Pushes the container that a .rill file contains. Returns false if the file contains no container. Raises with the
 * prefix "function: ". */
bool rillfile_load_container(lua_State *L, const char *function, const char *path, const Type *type);
/* Implements c:save. */
int rillfile_save_container(lua_State *L);

#endif
