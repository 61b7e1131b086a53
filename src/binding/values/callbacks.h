/* User functions that C objects call: translators and allocators. The registry does not keep them alive, as a function
 * that refers to its own object would then never be collected. Instead, each userdata that holds such an object keeps
 * its functions in a user value. */
#ifndef RILL_BINDING_VALUES_CALLBACKS_H
#define RILL_BINDING_VALUES_CALLBACKS_H

#include "binding/binding.h"

/* The first member of the hooks of such an object. */
typedef struct Callbacks {
    lua_State *main;    /* the state's main thread: it lives as long as the registry */
    lua_Integer number; /* identifies the table of functions */
} Callbacks;

/* Registers the functions in the table on top of the stack, which stays there. The caller must keep the table alive. */
Callbacks callbacks_create(lua_State *L);
/* Pushes the table of functions. */
void callbacks_push(lua_State *L, const Callbacks *callbacks);
/* Adds the table of functions to the tables that user value `n` of the userdata at `index` keeps alive. */
void callbacks_keep(lua_State *L, int index, int n, const Callbacks *callbacks);

/* Calls a C function with `context` that calls a user function, and catches errors: false with error_set, with the
 * prefix "option '...'". */
bool callbacks_call(lua_State *L, lua_CFunction f, void *context, const char *option);

#endif
