/* Declares calls of user functions from C objects (translators, and containers with an allocator). The registry does
 * not keep these functions alive: if it did, a function that refers to its own object would never be collected.
 * Instead, each userdata that holds such an object keeps the object's functions in a user value. */
#ifndef RILL_BINDING_VALUES_CALLBACKS_H
#define RILL_BINDING_VALUES_CALLBACKS_H

#include "binding/binding.h"

/* Identifies the table of functions of an object. It is the first member of the context that the object passes to its C
 * callbacks. */
typedef struct Callbacks {
    lua_State *main;    /* the state's main thread: it lives as long as the registry */
    lua_Integer number; /* identifies the table of functions */
} Callbacks;

/* Registers the functions in the table on top of the stack, which stays there. The caller must keep the table alive. */
Callbacks callbacks_create(lua_State *L);
/* Pushes the table of functions. Raises an error if it was garbage-collected. */
void callbacks_push(lua_State *L, const Callbacks *callbacks);
/* Keeps the table of functions alive as long as the userdata at `index`, by adding it to the list in user value `n` of
 * the userdata. */
void callbacks_keep(lua_State *L, int index, int n, const Callbacks *callbacks);

/* Calls the C function `f` with `context` as its argument. `f` calls a user function. If `f` raises an error, returns
 * false with error_set, and the message begins with "option '...'". */
bool callbacks_call(lua_State *L, lua_CFunction f, void *context, const char *option);

#endif
