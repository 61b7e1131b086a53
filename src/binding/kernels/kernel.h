/* Declares the userdata of kernels and the state of one call of a kernel, for the files in binding/kernels. "Raises"
 * means that the function raises a Lua error on failure. A "box" is a range (c:range in Lua) that consists of one box
 * of a container's elements. */
#ifndef RILL_BINDING_KERNELS_KERNEL_H
#define RILL_BINDING_KERNELS_KERNEL_H

#include "binding/binding.h"
#include "container/launch.h"

enum { CALL_WORDS = 4096 };

/* One call of a kernel, with the arguments that were collected from the Lua stack. */
typedef struct Call {
    Kernel *kernel;
    const Function *function;
    Device *device;
    Argument args[MAX_PARAMS];
    int slot[MAX_PARAMS];      /* Lua stack index of each stream */
    Stream *vouts[MAX_PARAMS]; /* the results for variable outputs; the launch creates them */
    bool has_shape;
    Shape shape;
    Shape masked;  /* with an active list: the shape that its flat indices refer to */
    int active_at; /* stack index of the rill.active table that contains the list */
    struct LuaContainer *
        lined; /* of a reduce kernel: the first container among the arguments (kept on the Lua stack). The mapped elements of all containers are packed in its order */
    bool dense;             /* containers are not accepted */
    bool preview;           /* for k:explain: no pages are mapped */
    const Param *passed;    /* the first output that the call passes, or NULL */
    uint64_t boxed;         /* bit i: argument i is a box */
    int over_at;            /* stack index of the option `over`, or 0 */
    Placement placement;    /* the option `part` */
    bool seeded;            /* has the option `seed` */
    ContainerLaunch launch; /* the launch with these arguments */
    int used;
    uint32_t words[CALL_WORDS];
} Call;

/* Pushes a kernel userdata and takes over the reference. */
void kernel_push(lua_State *L, Kernel *kernel);
/* Returns the random numbers of a launch of the kernel at `index`: those of k:seed, or those of the next launch. */
RandomNumbers kernel_numbers(lua_State *L, int index);
/* Counts a launch of the kernel at `index` if it drew random numbers without a seed. */
void kernel_count_numbers(lua_State *L, int index);
/* Gives the kernel userdata on top of the stack the seed of the one at `index`. */
void kernel_copy_seed(lua_State *L, int index);
/* Pushes the list of the notes about the whole text of the kernel, each a string, and returns 1. */
int kernel_tree_notes(lua_State *L, const Kernel *kernel);
/* Returns the kernel if the value is a kernel userdata, or NULL for any other value. */
Kernel *kernel_to(lua_State *L, int index);

/* Begins a call on the current device. Raises. */
void call_start(lua_State *L, Call *call, Kernel *kernel);
/* Checks the value at `index` and stores it as argument n for parameter i. Raises. */
void call_argument(lua_State *L, Call *call, int i, int index, int n);
/* Returns the index of the parameter `name`. Returns -1 if the kernel has no such parameter, or if specialize has fixed
 * its value. */
int call_param(const Call *call, const char *name);
/* Raises a Lua error unless every key of the table is the name of a parameter or of a launch option. */
void call_keys(lua_State *L, const Call *call, int table);
/* Pushes a table whose keys are the names that a launch accepts: parameters and options. If `constants` is true, the
 * keys are only the names of the kernel's constants. */
void call_push_names(lua_State *L, const Call *call, bool constants);
/* Reads the arguments after the kernel at index 1: by position, or by name from one plain table. Raises. */
void call_collect(lua_State *L, Call *call);
/* Returns whether a stream of type `have` may be the argument for a parameter. */
bool call_types_fit(const Param *param, const Type *have);
/* Stores the box at `index` as argument n for parameter i. Returns false if the value is not a range. Raises if the
 * range is not a box. (kernels/box_arguments.c) */
bool call_take_box(lua_State *L, Call *call, int i, int index, int n);
/* Computes the shape of the launch. Called by call_allocate. Boxes determine it only if no other argument or option
 * does. Raises. (kernels/box_arguments.c) */
void call_find_domain(lua_State *L, Call *call);
/* Shifts the stream of each box so that its elements correspond to the elements of the launch, which must have been
 * determined before. Raises. (kernels/box_arguments.c) */
void call_place_boxes(lua_State *L, Call *call);
/* Returns whether a parameter is an output that a launch may allocate. */
bool call_allocates(const Param *param);
/* Prepares the launch: calls call_find_domain and call_find_over, allocates the missing outputs and pushes them, and
 * calls call_map_written and call_place_boxes. Raises. */
void call_allocate(lua_State *L, Call *call);
/* Raises the recorded error of a launch. If an argument does not fit its shape, the message says what has that shape. */
void call_raise(lua_State *L, const Call *call);

/* Determines the elements that the launch runs over. The shape of the launch must be known. Leaves values on the stack
 * that keep these elements alive. Raises. (kernels/launch_options.c) */
void call_find_over(lua_State *L, Call *call);
/* Maps the pages that the launch writes. The outputs must be allocated. Leaves values on the stack. Raises.
 * (kernels/launch_options.c) */
void call_map_written(lua_State *L, Call *call);
/* Creates and pushes the container for output i if the launch has container inputs. Returns false if it has none.
 * Raises. (kernels/launch_options.c) */
bool call_like_container(lua_State *L, Call *call, int i);
/* Pushes a region and returns it: all boxes of the given sizes that contain an active element (option `where`). The
 * region is stored in the table of the active list, so a list that several launches use is read only once. Raises.
 * (kernels/active_list.c) */
const Region *call_push_active_boxes(lua_State *L, const Call *call, const int64_t *sizes);

/* Reads all arguments except the outputs from a list, and computes the shape to which they broadcast. If `settled` is
 * true, waits for lengths of streams that only the device has, and reads them. Raises. */
void call_inputs(lua_State *L, Call *call, int list, bool settled);

/* Calls a reduce kernel. Returns the number of results. Raises. (kernels/reduce_call.c) */
int reduce_call(lua_State *L, Call *call);
/* Calls a reduce kernel over the output of an input kernel. The shape or stream of the result is at stack index 4, and
 * a table of the other arguments is at index 5. Raises. */
int reduce_call_input(lua_State *L, Call *call, const Call *input);

/* Returns the line of `text` in a chunk, and the name of the chunk. `source` is the chunk's source as lua_getinfo gives
 * it ("@file", "=name" or the text); `current` is the line of the call. If the text occurs several times, the last
 * occurrence before that line is used. If the text does not occur literally, returns 1, so that lines are counted
 * within the text, and sets the name to one that contains the line of the call. May leave values on the stack. */
int source_location_line(lua_State *L, const char *source, int current, const char *text, size_t length,
                         const char **chunk);
/* Calls source_location_line for a text that was passed to the running C function, with the chunk and the line of the
 * Lua function that called it. */
int source_location_locate(lua_State *L, const char *text, size_t length, const char **chunk);
/* Pushes the contents of a file, or nil. */
void source_location_read(lua_State *L, const char *path);
/* Adds the declaration of a parameter to `b`, for example "out float r<>". */
void source_location_add_param(luaL_Buffer *b, const Param *param);

#endif
