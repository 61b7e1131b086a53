/* What the binding's files on kernels share. */
#ifndef RILL_BINDING_KERNELS_KERNEL_H
#define RILL_BINDING_KERNELS_KERNEL_H

#include "binding/binding.h"
#include "container/launch.h"

enum { CALL_WORDS = 4096 };

/* One call of a kernel, its arguments collected from the Lua stack. */
typedef struct Call {
    Kernel *kernel;
    const Function *function;
    Device *device;
    Argument args[MAX_PARAMS];
    int slot[MAX_PARAMS];      /* stack index of each stream */
    Stream *vouts[MAX_PARAMS]; /* of variable outputs: closed until launched */
    bool has_shape;
    Shape shape;
    Shape masked;               /* with an active list: the shape it counts in */
    int active_at;              /* stack index of the table of rill.active that has it */
    struct LuaContainer *lined; /* of a reduce kernel: the first container, which is on the stack */
    bool dense;                 /* takes no containers */
    bool preview;               /* nothing is mapped */
    uint64_t boxed;             /* bit i: argument i is a range, a box of its container */
    int over_at;                /* stack index of `over`, or 0 */
    ContainerLaunch launch;     /* over these arguments */
    int used;
    uint32_t words[CALL_WORDS];
} Call;

/* Pushes a kernel userdata; takes over the reference. */
void kernel_push(lua_State *L, Kernel *kernel);
/* The kernel if the value is one, else NULL. */
Kernel *kernel_to(lua_State *L, int index);

/* Begins a call on the current device; raises. */
void call_start(lua_State *L, Call *call, Kernel *kernel);
/* Checks and takes the value at `index` as argument n for parameter i; raises. */
void call_argument(lua_State *L, Call *call, int i, int index, int n);
/* The parameter of that name that is still an argument, or -1. */
int call_param(const Call *call, const char *name);
/* Raises unless every key of the table is a parameter or a launch option. */
void call_keys(lua_State *L, const Call *call, int table);
/* Pushes a table whose keys are the names that a launch takes, options too; or only the kernel's constants. */
void call_push_names(lua_State *L, const Call *call, bool constants);
/* Takes the arguments behind the kernel at index 1: by position, or by name from one plain table; raises. */
void call_collect(lua_State *L, Call *call);
/* Whether a stream of a type may be the argument for a parameter. */
bool call_types_fit(const Param *param, const Type *have);
/* kernels/box_arguments.c: takes the range at `index`, if it is one, as argument n for parameter i. The shape that is launched, to which boxes add nothing where there is
 * something else; and once it is known what is launched over, where in the boxes its elements are. All raise. */
bool call_take_box(lua_State *L, Call *call, int i, int index, int n);
void call_find_domain(lua_State *L, Call *call);
void call_place_boxes(lua_State *L, Call *call);
/* Whether it is an output that may be allocated. */
bool call_allocates(const Param *param);
/* Finds the launch's shape and allocates the outputs not given, pushed on the stack; raises. */
void call_allocate(lua_State *L, Call *call);

/* kernels/launch_options.c, when the domain is known: finds what the launch runs over; maps what it writes there, once its outputs are allocated; and makes
 * the container that stands for output i, if it has container inputs. Push; raise. */
void call_find_over(lua_State *L, Call *call);
void call_map_written(lua_State *L, Call *call);
bool call_like_container(lua_State *L, Call *call, int i);
/* kernels/active_list.c: pushes the region of the boxes of these sizes that contain elements of `where`. The table of the list keeps it, so that a list that is
 * launched over again is not read again. Raises. */
const Region *call_push_active_boxes(lua_State *L, const Call *call, const int64_t *sizes);

/* Takes all arguments but the outputs from a list, and finds the domain they broadcast to; raises. `settled`: their shapes are made
 * exact. */
void call_inputs(lua_State *L, Call *call, int list, bool settled);

/* Calls of reduce kernels: reduce_call.c. */
int reduce_call(lua_State *L, Call *call);
/* The same over what an input kernel makes: the result's shape or stream is at index 4, a table of the other arguments at 5. */
int reduce_call_input(lua_State *L, Call *call, const Call *input);

/* The line where `text` stands in a chunk, from the chunk's source as lua_getinfo gives it ("@file", "=name" or the text), and the
 * chunk's name. `current` is the line of the call: of several places the last one before it is taken; where the text is
 * not in the chunk as it is, lines count from 1 and the name tells the call's. May push. */
int source_location_line(lua_State *L, const char *source, int current, const char *text, size_t length,
                         const char **chunk);
/* The same for a text that the function at work was given: of the chunk that called it. */
int source_location_locate(lua_State *L, const char *text, size_t length, const char **chunk);
/* Pushes a file's content, or nil. */
void source_location_read(lua_State *L, const char *path);
/* Adds a parameter as it is declared: "out float r<>". */
void source_location_add_param(luaL_Buffer *b, const Param *param);

#endif
