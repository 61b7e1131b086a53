/* Declares conversions of points and boxes between containers and Lua. In containers, coordinates are 0-based with x
 * first, and boxes include both ends. In Lua indices are 1-based, and the slowest dimension comes first, as in
 * shapes. */
#ifndef RILL_BINDING_VALUES_COORDINATES_H
#define RILL_BINDING_VALUES_COORDINATES_H

#include "binding/binding.h"

/* Pushes the indices of a point as separate values. The caller must ensure that the Lua stack has free slots. */
void coordinates_push_indices(lua_State *L, const int64_t *point, int rank);
/* Pushes a table of the integers, with `base` added to each. */
void coordinates_push_list(lua_State *L, const int64_t *values, int count, int64_t base);
/* Pushes the integer if `count` is 1, otherwise a table of the integers. */
void coordinates_push(lua_State *L, const int64_t *values, int count);
/* Reads `count` integers from a table, or from a number if count is 1. Returns false for any other value. */
bool coordinates_read(lua_State *L, int index, int count, int64_t *values);
/* Reads `count` integers as coordinates_read does. Raises if it returns false. The remaining values up to
 * SHAPE_MAX_RANK are set to 0. */
void coordinates_check(lua_State *L, int index, int count, const char *function, int n, const char *name,
                       int64_t *values);

#endif
