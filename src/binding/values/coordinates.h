/* Points and boxes between containers and Lua. Containers count from 0 and x comes first, in boxes of first and last element; Lua's indices count
 * from 1, and the slowest dimension comes first, as in shapes. */
#ifndef RILL_BINDING_VALUES_COORDINATES_H
#define RILL_BINDING_VALUES_COORDINATES_H

#include "binding/binding.h"

/* Pushes each index of a point, for which there has to be room on the stack. */
void coordinates_push_indices(lua_State *L, const int64_t *point, int rank);
/* Pushes a list of the integers, to each of which `base` is added. */
void coordinates_push_list(lua_State *L, const int64_t *values, int count, int64_t base);
/* Pushes the integer if there is one, else a list. */
void coordinates_push(lua_State *L, const int64_t *values, int count);
/* Reads so many whole numbers from a table of them, or from a number where it is one. Returns false for any other value. */
bool coordinates_read(lua_State *L, int index, int count, int64_t *values);
/* The same, or raises; the values behind the last, up to SHAPE_MAX_RANK, become 0. */
void coordinates_check(lua_State *L, int index, int count, const char *function, int n, const char *name,
                       int64_t *values);

#endif
