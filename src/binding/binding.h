/* What the binding's files share: the state of one Lua state, userdata, checks and raising. The only floor that includes lua.h.
 * Functions here raise Lua errors; nothing below does. */
#ifndef RILL_BINDING_BINDING_H
#define RILL_BINDING_BINDING_H

#include "base/error.h"
#include "stream/stream.h"

/* Declares the openers, which the Makefile finds: open_NAME, one per file, adds its functions to the module table on top of the stack.
 * They are called in any order, after state_create and stream_handle_create. */
#include "openers.h"

#include <lauxlib.h>
#include <lua.h>

/* One per Lua state, a userdata in the registry; closed last. */
typedef struct State {
    Device *device;          /* the current one; NULL until first use */
    const void *stream_meta; /* lua_topointer of the metatables: a closed check by one comparison */
    const void *kernel_meta;
    const void *expression_meta; /* of lua/rill/algebra/expression.lua */
    uint64_t charge;             /* bytes not yet charged to the collector */
    unsigned compiled;           /* programs since all was last collected */
    bool check;                  /* rill.check */
    bool watched;                /* launches are shown to a function: rill.debug.watch */
    bool collecting;             /* a full collection runs inside an allocation: no device work but releasing */
    bool parked;                 /* something waits to be closed: see binding_park */
    int asking;                  /* how many functions of a user's are at work that a call asked: see binding_ask */
    bool closed;                 /* the Lua state is closing */
    int names;                   /* of structures, used of late: see values/type.c */
    lua_State *running;          /* the coroutine that entered a device last: the collector runs on it */
    struct {
        Device **items; /* every device opened here, each counted: all outlive the streams of this state */
        size_t count, capacity;
    } devices;
} State;

/* Makes this Lua state's, before all else. */
void state_create(lua_State *L);
/* This Lua state's; NULL before state_create. */
State *state_get(lua_State *L);
/* The current device, opened on first use; raises. */
Device *state_device(lua_State *L);
/* Makes a device the current one; takes over the caller's reference; raises. */
void state_use_device(lua_State *L, Device *device);
/* Charges the collector with what the device allocated since; call after anything that creates streams. */
void binding_charge(lua_State *L, Device *device);

/* For what is closed by hand. A finalizer that does so may run within any call, which may be using the value at `index`, and so does
 * a function that binding_ask called: true then, and __close is called with the value when that call is over. False elsewhere. */
bool binding_park(lua_State *L, int index);
/* The same within finalizers alone: for what no call uses while it asks a function. */
bool binding_park_final(lua_State *L, int index);
/* lua_pcall of a C function with `context`, which calls a user's: for callbacks in the middle of a call. */
int binding_ask(lua_State *L, lua_CFunction f, void *context);

/* Raises error_message(). */
_Noreturn void binding_raise(lua_State *L);
/* The same unless something is done. */
void binding_raise_unless(lua_State *L, bool done);
/* The same with a function's name in front, unless that is NULL. */
_Noreturn void binding_raise_for(lua_State *L, const char *function);
/* The same for messages that begin with a place of their own. */
_Noreturn void binding_raise_placed(lua_State *L);
/* __close of what the collector alone frees: `local k <close>` is no mistake, and does nothing. */
int binding_close_nothing(lua_State *L);
/* Fields that are not in the table on top of the stack become errors: "WHAT has no field 'x'". */
void binding_strict(lua_State *L, const char *what);
/* Makes the metatable of a kind of userdata, called `name` ("rill.range"), of its metamethods and of __index on top of the stack, which it
 * pops. The registry holds it under `key`. Returns what lua_topointer tells of it. */
const void *binding_metatable(lua_State *L, const char *name, const void *key, const luaL_Reg *meta);
/* Raises "function: argument #n 'name': expected ..., got ...". `index` is the stack index of the value, n counts arguments
 * (after the colon, for a method; 0 is the value before it). */
_Noreturn void binding_argument(lua_State *L, const char *function, int n, const char *name, int index,
                                const char *expected);
/* The same with the recorded error_message() as the reason. */
_Noreturn void binding_argument_error(lua_State *L, const char *function, int n, const char *name);
/* Raises when the stack holds more than `most` values; `self`: the first is the value before the colon. */
void binding_count(lua_State *L, const char *function, int most, bool self);
/* An integer argument, or raises. */
lua_Integer binding_integer(lua_State *L, int index, const char *function, int n, const char *name);
/* An index argument counted from 0; -1 for all below 1, which say themselves what is wrong. */
int64_t binding_index(lua_State *L, int index, const char *function, int n, const char *name);
/* The number, from 0, of the word at `index` among the words, which end in NULL; -1 for any other value. */
int binding_word(lua_State *L, int index, const char *const *words);
/* Raises that the key at `index` is not an option; the names, which end in NULL, are. */
_Noreturn void binding_unknown(lua_State *L, int index, const char *function, const char *const *names);
/* Raises unless every key of the table at `options` is among the names, which end in NULL. */
void binding_known(lua_State *L, int options, const char *function, const char *const *names);
/* Sets a field of the table on top to the array of names that NULL ends. */
void binding_set_names(lua_State *L, const char *field, const char *const *names);
/* Option `name` of the table at `options`, false when it is not there; raises unless it is true or false. */
bool binding_flag(lua_State *L, int options, const char *function, const char *name);
/* The full userdata at `index` whose metatable the registry holds under `key`, else NULL: any other value, a foreign one of that
 * metatable and another size included. */
void *binding_userdata(lua_State *L, int index, const void *key, size_t size);
/* The same for __gc, and NULL when it is not the collector that calls: somebody may be using the value. */
void *binding_finalized(lua_State *L, const void *key, size_t size);
/* What came, for messages: "number 2.5", "stream<vec3>[4x4]", "table of 3", "closed stream", "nil"; pushes it. */
const char *binding_describe(lua_State *L, int index);
/* A table key or option, for messages: "'foo'"; pushes it. */
const char *binding_key(lua_State *L, int index);

/* Pops a table, and adds a function `name`(key, f), by which Lua adds functions to it, to the table below. */
void fields_setter(lua_State *L, const char *name);
/* Pushes what the metamethod __field of the value at 1 gives for the string at 2: components and fields of elements. False where there is none. */
bool fields_component(lua_State *L);

/* Fields of the table on top of the stack. */

/* Sets a field to true or false. */
void fields_boolean(lua_State *L, const char *name, bool value);
/* Sets a field to an integer. */
void fields_integer(lua_State *L, const char *name, lua_Integer value);
/* Sets a field to the integer of the same bits. */
void fields_count(lua_State *L, const char *name, uint64_t value);
/* Sets a field to a float. */
void fields_number(lua_State *L, const char *name, double value);
/* Sets a field to a string, which is copied. */
void fields_string(lua_State *L, const char *name, const char *value);
/* Sets a field to a C function without upvalues. */
void fields_function(lua_State *L, const char *name, lua_CFunction value);

/* Raises "interrupted!" when the prompt's user pressed Ctrl-C and a coroutine other than the prompt's own comes by. */
void interrupt_check(lua_State *L);
/* Checks that this call may work with the device, and lets its allocations collect: before a function that enters the device itself. Raises. */
void binding_prepare(lua_State *L, Device *device);
/* Enters the device, or raises; leave with device_leave before raising or returning. */
void binding_enter(lua_State *L, Device *device, DeviceScope *scope);
/* Enters the device, makes a call, leaves the device, and raises what was set if the call gave false or NULL. The call is an expression, which is
 * evaluated within the device and raises nothing itself: binding_run(L, s->device, "rill.fft", fft_stream(s, &spec, result)). */
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
/* The same for a call that takes device memory, with which the collector is charged. */
#define binding_make(L, device, function, call)                                                                        \
    do {                                                                                                               \
        binding_run(L, device, function, call);                                                                        \
        binding_charge(L, device);                                                                                     \
    } while (0)
/* The same where nothing may be raised, as in finalizers: a call that gives something back, whether or not the device can be entered. The device is
 * held meanwhile, as what is given back may hold the last reference to it. */
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

/* Pushes a stream userdata whose header is empty (closed) until filled: safe for __gc at once. */
Stream *stream_handle_push(lua_State *L);
/* Makes the metatable and the table of members (name -> method, or the number of a field) of this state's streams; the next two push them. */
void stream_handle_create(lua_State *L);
void stream_handle_metatable(lua_State *L);
void stream_handle_members(lua_State *L);
/* The stream that the collector finalizes by this call, or NULL: see binding_finalized. */
Stream *stream_handle_finalized(lua_State *L);
/* The header if the value is a stream userdata (open or closed), else NULL. */
Stream *stream_handle_to(lua_State *L, int index);
/* The same, but an expression at `index` is evaluated first and the new stream takes its place there. Runs Lua: not inside a
 * scope. */
Stream *accept_stream(lua_State *L, int index);
/* Makes sure that an open stream's shape is exact, waiting for a length counted on the device; raises. */
void accept_settled(lua_State *L, Stream *stream);
/* An open stream, or raises; its length may be known only to the device. Takes expressions as accept_stream does. */
Stream *accept_open(lua_State *L, int index, const char *function, int n, const char *name);
/* An open stream of exact shape, or raises. */
Stream *accept_check(lua_State *L, int index, const char *function, int n, const char *name);

/* The stream of exact shape before the colon of a method, whose stack holds at most so many values, or raises. */
Stream *accept_self(lua_State *L, const char *function, int most);

/* Adds methods to the streams of this Lua state: for openers. */
void stream_handle_methods(lua_State *L, const luaL_Reg *methods);
/* Whether a value is an expression. */
bool expression_hooks_is_expression(lua_State *L, int index);

/* Whether a value is a table that may hold options: expressions, matrices, meshes and others are tables to Lua only. */
bool binding_is_options(lua_State *L, int index);
/* Calls a function of lua/rill/algebra/expression.lua, given to rill._expression by name, with the `arguments` on top of the stack, which
 * its `results` replace. */
void expression_hooks_call(lua_State *L, const char *name, int arguments, int results);
/* What an error says after the unknown key at `index` where the keys of the table at `known` are expected: "axis, keep; did you mean 'axis'?";
 * pushes it. Runs Lua. */
const char *binding_among(lua_State *L, int index, int known);
/* "; did you mean ...?" for the key at `index`, which an owner ("s", "k", "rill.image") has not, or ""; pushes it. Runs Lua. */
const char *binding_hint(lua_State *L, const char *owner, int index);
/* A call whose arguments (the stack) hold an expression: the hook is called with all of them and does what it can in one pass.
 * True when it did, its *results pushed; else the stack is as it was. */
bool expression_hooks_offer(lua_State *L, const char *name, int *results);
/* The same whatever the arguments are. */
bool expression_hooks_ask(lua_State *L, const char *name, int *results);
/* Closes a header outside of any scope: for __gc and __close; never raises. */
void stream_handle_drop(Stream *stream);
/* Metamethods: s[i], s[i] = v, pairs(s). */
int element_at(lua_State *L);
int element_set(lua_State *L);
int each_pairs(lua_State *L);
/* Raises unless the stream can be written. */
void accept_writable(lua_State *L, const Stream *stream, const char *function);
/* Reads the arguments `first` and `last` at stack index `first` and after it (argument n and n + 1), which may be absent, as a box:
 * from[] inclusive, to[] exclusive, from 0; raises. */
void box_check(lua_State *L, const Stream *stream, int first, const char *function, int n, int64_t *from, int64_t *to);
/* The arguments of s:boundary and of c:boundary, behind the first: a mode for each dimension, and the value outside; raises. */
void view_boundary_modes(lua_State *L, const char *function, int rank, Boundary *modes, double *outside);
/* Pushes the view of a box; raises. */
Stream *box_push(lua_State *L, const Stream *stream, const char *function, const int64_t *from, const int64_t *to);
/* Pushes a new stream (zero unless data follows); raises. The function's name goes in front of errors. */
Stream *create_stream(lua_State *L, const Type *type, const Shape *shape, const char *function);

/* Host memory that an error cannot leak: a userdata on the stack, freed early by scratch_free. */
void *scratch_push(lua_State *L, size_t bytes);
void scratch_free(lua_State *L, int index);
void scratch_give(lua_State *L, int index, void *memory); /* holds `memory`, of malloc, instead of its own */

/* A type from a string or a struct userdata; raises. A structure's name is replaced, at `index`, by the userdata, which holds it. */
const Type *type_check(lua_State *L, int index, const char *function, int n, const char *name);
/* Pushes the userdata of a structure, which holds it: one per type. */
void type_push_struct(lua_State *L, const Type *type);
/* Adds "struct ray { vec3 o; vec3 d; }". */
void type_add_declaration(luaL_Buffer *text, const Type *type);
/* A shape from an integer, a table of integers or a Shape-like table; raises. */
void shape_check_arg(lua_State *L, int index, const char *function, int n, const char *name, Shape *shape);
/* The same for a shape of any sizes and any number of elements, which nothing may ever be made of. */
void shape_check_sizes(lua_State *L, int index, const char *function, int n, const char *name, Shape *shape);
/* Raises unless two shapes are equal: the format gets the function and both shapes, as three strings. */
void shape_raise_unequal(lua_State *L, const char *format, const char *function, const Shape *a, const Shape *b);
void shape_push(lua_State *L, const Shape *shape);
bool shape_is(lua_State *L, int index); /* could be a shape: an integer or a flat table of integers */
/* One whole number per dimension from the arguments from `first` on, or one for all; raises. */
void shape_check_counts(lua_State *L, int first, const char *function, int rank, int64_t *n);

/* One element between Lua and packed bytes. Pack returns false with error_set (the message says what does not fit; the
 * caller adds which argument); it never raises. */
bool value_pack(lua_State *L, int index, const Type *type, void *element);
void value_push(lua_State *L, const Type *type, const void *element);
/* Reads the one element of a stream, which it releases. Inside a scope; false with error_set. */
bool value_read(Stream *result, void *element);
/* Pushes the one element of a stream, which it releases, and leaves the scope; raises. */
void value_take(lua_State *L, Stream *result, DeviceScope *scope);
/* The same for one component. */
bool value_pack_scalar(lua_State *L, int index, Scalar scalar, void *component);
void value_push_scalar(lua_State *L, Scalar scalar, const void *component);
/* As value_pack, but a number or boolean stands for every component. */
bool value_pack_splat(lua_State *L, int index, const Type *type, void *element);
/* A table to the packed elements of a shape: flat table of elements or of numbers, or nested as the shape. False with
 * error_set; raises only when out of memory. */
bool table_pack(lua_State *L, int index, const Type *type, const Shape *shape, void *bytes);
/* The shape of a nested table; false with error_set. */
bool table_shape(lua_State *L, int index, const Type *type, Shape *shape);
/* Push packed elements as a table nested as the shape, or as a flat table of numbers. */
void table_push_nested(lua_State *L, const Type *type, const Shape *shape, const void *bytes);
void table_push_flat(lua_State *L, const Type *type, int64_t elements, const void *bytes);
/* A nested or flat table -> a new contiguous stream on the stack. type NULL: inferred (float; booleans bool). */
Stream *create_from_table(lua_State *L, int index, const Type *type, const char *function, int n, const char *name);

/* Files. A path, a string without zero bytes, or raises. */
const char *argument_path(lua_State *L, int index, const char *function, int n, const char *name);
/* Pushes the stream that a reader makes of a file, and returns 1; raises in the name of `function`. A reader runs inside a scope; `type` may
 * be NULL: the file's own. False with error_set. */
typedef bool FileReader(Device *device, const char *path, const Type *type, Stream *result);
int file_load(lua_State *L, const char *function, const char *path, const Type *type, FileReader *read);
/* The .rill side of rill.load (`type` may be NULL: the file's own) and of s:save. Inside a scope; false with error_set. */
bool rillfile_load(Device *device, const unsigned char *bytes, size_t size, const Type *type, Stream *result);
bool rillfile_save(const Stream *stream, const char *path);
/* Pushes the container that a file holds, false where it holds none; raises in the name of `function`. c:save. */
bool rillfile_load_container(lua_State *L, const char *function, const char *path, const Type *type);
int rillfile_save_container(lua_State *L);

#endif
