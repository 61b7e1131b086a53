/* Functions of a user's own that C objects call: translators and allocators. The registry does not keep them, or one that names what calls it
 * would never be collected: each userdata that holds such an object keeps its functions in a user value. */
#ifndef RILL_BINDING_VALUES_CALLBACKS_H
#define RILL_BINDING_VALUES_CALLBACKS_H

#include "binding/binding.h"

/* First in what such an object gets as its hooks. */
typedef struct Callbacks {
    lua_State *main;    /* the state's main thread: it lives as long as the registry */
    lua_Integer number; /* of the functions */
} Callbacks;

/* The functions are those of the table on top of the stack, which stays there: something has to keep it. */
Callbacks callbacks_create(lua_State *L);
/* Pushes the table. */
void callbacks_push(lua_State *L, const Callbacks *callbacks);
/* Adds the table to those that the user value `n` of the userdata at `index` keeps. */
void callbacks_keep(lua_State *L, int index, int n, const Callbacks *callbacks);

/* Calls a C function with `context`, which calls a user's, so that nothing is raised past it; false with error_set, in the name of an option. */
bool callbacks_ask(lua_State *L, lua_CFunction f, void *context, const char *option);

#endif
