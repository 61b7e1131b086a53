/* Tables of options: what a function takes by name, said once, in rows. */
#ifndef RILL_BINDING_VALUES_OPTIONS_H
#define RILL_BINDING_VALUES_OPTIONS_H

#include "binding/binding.h"

/* A call with a table of options, which may be absent. */
typedef struct OptionCall {
    const char *function;
    int index;            /* of the table on the stack */
    int n;                /* its number among the arguments, for messages */
    const char *expected; /* what is said of any other value: "a table like {axis = 1}" */
    bool required;        /* the table has to be there */
    int rank;             /* for options_axis: the dimensions that there are */
    const Type *type;     /* for options_element */
} OptionCall;

typedef struct Option Option;

/* Checks the value on top of the stack, which is not nil unless the option is required, and stores it in `field`; raises. May leave values on the stack,
 * which are popped, but for the top one of an option that `keeps` it. */
typedef void OptionReader(lua_State *L, const OptionCall *call, const Option *option, void *field);

/* A row. Of a list of rows the last one has no name. */
struct Option {
    const char *name;
    OptionReader *read; /* NULL: the function reads it by itself */
    size_t at;          /* the field, as offsetof of the structure that options_read fills: it holds the default */
    bool required;
    bool
        keeps; /* the reader leaves a value on top that has to stay on the stack while the field is used: options_read leaves it there */
    int64_t low, high;        /* for options_count */
    const char *const *words; /* for options_word, which end in NULL */
};

/* The first members of a row, of a field of a structure: {OPTION("axis", options_axis, SortOptions, axis)}. */
#define OPTION(option, reader, type, field) .name = option, .read = reader, .at = offsetof(type, field)

/* Reads the options, in the order of the rows, into the structure `to`. Returns false if there is no table. Raises if there is another value, or the table has a
 * key that is no row's name. */
bool options_read(lua_State *L, const OptionCall *call, const Option *rows, void *to);

/* Readers. bool: true or false. */
OptionReader options_flag;
/* int64_t: a whole number from low to high. */
OptionReader options_count;
/* int, from 0: a dimension from 1, or from the last one -1. */
OptionReader options_axis;
/* int: the number of one of two words. */
OptionReader options_word;
/* Shape: sizes of dimensions, of which there may be any number of elements. */
OptionReader options_sizes;
/* char[TYPE_MAX_BYTES]: an element of the call's type, or a number for all of its components. */
OptionReader options_element;

#endif
