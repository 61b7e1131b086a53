/* Fields of the table on top of the stack. */
#ifndef RILL_BINDING_VALUES_FIELDS_H
#define RILL_BINDING_VALUES_FIELDS_H

#include "binding/binding.h"

void fields_boolean(lua_State *L, const char *name, bool value);
void fields_integer(lua_State *L, const char *name, lua_Integer value);
void fields_count(lua_State *L, const char *name, uint64_t value);
void fields_number(lua_State *L, const char *name, double value);
void fields_string(lua_State *L, const char *name, const char *value);
void fields_function(lua_State *L, const char *name, lua_CFunction value);

#endif
