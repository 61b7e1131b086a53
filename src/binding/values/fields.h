/* Fields of the table on top of the stack. */
#ifndef RILL_BINDING_VALUES_FIELDS_H
#define RILL_BINDING_VALUES_FIELDS_H

#include "binding/binding.h"

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

#endif
