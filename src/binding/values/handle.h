/* Userdata that hold something of C which is given back when they are closed or collected. */
#ifndef RILL_BINDING_VALUES_HANDLE_H
#define RILL_BINDING_VALUES_HANDLE_H

#include "binding/binding.h"

/* One for each type of them, static: the registry holds the metatable under its address. */
typedef struct HandleType {
    const char *name; /* "range": the metatable's __name is rill.range */
    const char *self; /* what the manual calls one, for messages: "r" of r:close */
    size_t size;
    int values; /* user values */
    /* Gives back what a userdata holds, if it is not closed, and closes it. Outside of any scope; raises nothing. */
    void (*drop)(lua_State *L, void *self);
    bool final; /* no call uses one while it asks a function: see binding_park_final */
} HandleType;

/* Pushes a userdata of zeros, which is closed. */
void *handle_push(lua_State *L, const HandleType *type);
/* The userdata at `index` if it is of the type, else NULL. */
void *handle_to(lua_State *L, int index, const HandleType *type);
/* Pushes a table of methods, with `close`. */
void handle_methods(lua_State *L, const HandleType *type, const luaL_Reg *methods);
/* Makes the metatable, with __gc and __close: of __index on top of the stack, which it pops, and of other metamethods, or NULL. */
void handle_open(lua_State *L, const HandleType *type, const luaL_Reg *meta);
/* Closes the userdata at 1, or leaves it to the call that may be using it; raises where it is of another type. */
void handle_close(lua_State *L, const HandleType *type);

#endif
