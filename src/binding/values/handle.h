/* Declares userdata that own a C object. The object is released when the userdata is closed or collected. */
#ifndef RILL_BINDING_VALUES_HANDLE_H
#define RILL_BINDING_VALUES_HANDLE_H

#include "binding/binding.h"

/* Describes a type of userdata that own a C object. It must be static, since the registry holds the metatable
 * under its address. */
typedef struct HandleType {
    const char *name; /* "range": the metatable's __name is rill.range */
    const char *self; /* the variable name used in messages: "r" for r:close */
    size_t size;
    int values; /* the number of user values */
    /* Releases the object of a userdata unless it is closed, and marks it as closed. Called outside of any
     * scope; must not raise. */
    void (*drop)(lua_State *L, void *self);
    bool final; /* no call uses such a userdata while it runs a user function: see binding_park_final */
} HandleType;

/* Pushes a userdata filled with zeros, which counts as closed. */
void *handle_push(lua_State *L, const HandleType *type);
/* Returns the userdata at `index` if it has the type, otherwise NULL. */
void *handle_to(lua_State *L, int index, const HandleType *type);
/* Pushes a table of the methods in `methods` and the method `close`. */
void handle_methods(lua_State *L, const HandleType *type, const luaL_Reg *methods);
/* Creates the metatable with __gc, __close and the metamethods `meta`, which may be NULL. The value on top of the stack
 * becomes __index and is popped. */
void handle_open(lua_State *L, const HandleType *type, const luaL_Reg *meta);
/* Closes the userdata at index 1, or defers closing if a call may be using it. Raises if the value has another type. */
void handle_close(lua_State *L, const HandleType *type);

#endif
