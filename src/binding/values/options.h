/* Declares functions that read tables of options. Each function of rill describes its options in a list of rows. */
#ifndef RILL_BINDING_VALUES_OPTIONS_H
#define RILL_BINDING_VALUES_OPTIONS_H

#include "binding/binding.h"

/* A call with a table of options, which may be absent. */
typedef struct OptionCall {
    const char *function;
    int index;            /* stack index of the table */
    int n;                /* the 1-based number of the argument, for messages */
    const char *expected; /* for messages about any other value: "a table like {axis = 1}" */
    bool required;        /* the table must be given */
    int rank;             /* for options_axis: the number of dimensions */
    const Type *type;     /* for options_element */
} OptionCall;

typedef struct Option Option;

/* Checks the value on top of the stack and stores it in `field`. Raises. The value is nil only if the option is
 * required and absent. The reader may leave values on the stack. options_read pops them, except the top value if the
 * option has the flag `keeps`. */
typedef void OptionReader(lua_State *L, const OptionCall *call, const Option *option, void *field);

/* One option. A list of options ends with a row without a name. */
struct Option {
    const char *name;
    OptionReader *read; /* NULL: the function reads the option itself */
    size_t at; /* offsetof of the field in the structure that options_read fills. The field holds the default */
    bool required;
    bool keeps; /* options_read leaves the value on top on the stack, where it must stay while the field is used */
    int64_t low, high;        /* for options_count */
    const char *const *words; /* for options_word; end in NULL */
};

/* Initializes the first members of a row for a field of a structure: {OPTION("axis", options_axis, SortOptions,
 * axis)}. */
#define OPTION(option, reader, type, field) .name = option, .read = reader, .at = offsetof(type, field)

/* Reads the options, in the order of the rows, into the structure `to`. Returns false if there is no table. Raises for
 * any other value, and for a key that is not the name of a row. */
bool options_read(lua_State *L, const OptionCall *call, const Option *rows, void *to);

/* The readers. Each comment begins with the type of the field that the reader stores. */

/* bool: true or false. */
OptionReader options_flag;
/* int64_t: an integer from low to high. */
OptionReader options_count;
/* int: a 0-based dimension. The option is a 1-based dimension, or a negative number that counts from the last
 * dimension, which is -1. */
OptionReader options_axis;
/* int: the 0-based position of the value in `words`. */
OptionReader options_word;
/* Shape: the sizes of dimensions, with any number of elements. */
OptionReader options_sizes;
/* char[TYPE_MAX_BYTES]: an element of the call's type. The option is an element, or a number for all of its
 * components. */
OptionReader options_element;

#endif
