#include "kernel/dialect/brook_value.h"

#include <string.h>

Value brook_value_of(ValueBase base, int count)
{
    return (Value){.base = base, .count = count};
}

Value brook_value(const Type *type, int matrix)
{
    static const char *const bools[] = {"bvec2", "bvec3", "bvec4"};
    for (int i = 0; matrix && i < 3; i++) {
        if (strcmp(module_value_name(matrix), bools[i]) == 0) {
            return brook_value_of(VALUE_BOOL, i + 2);
        }
    }
    if (matrix) {
        return (Value){.base = VALUE_UNKNOWN, .count = 1, .matrix = matrix};
    }
    if (!type) {
        return brook_value_of(VALUE_VOID, 1);
    }
    if (type->is_struct) {
        return (Value){.base = VALUE_STRUCT, .count = 1, .fields = type};
    }
    switch (type->value->scalar) {
    case SCALAR_FLOAT: return brook_value_of(VALUE_FLOAT, type->components);
    case SCALAR_DOUBLE: return brook_value_of(VALUE_DOUBLE, type->components);
    case SCALAR_INT: return brook_value_of(VALUE_INT, type->components);
    case SCALAR_UINT: return brook_value_of(VALUE_UINT, type->components);
    case SCALAR_BOOL: return brook_value_of(VALUE_BOOL, type->components);
    default: return brook_value_of(VALUE_UNKNOWN, 1);
    }
}

Value brook_value_param(const Param *param)
{
    Value value = brook_value(param->type, param->matrix);
    value.offsets = param->kind == PARAM_NEIGHBOR;
    value.gather = param_kinds[param->kind].brackets;
    value.brackets = value.gather ? param->rank : param->array_last > param->array_first;
    return value;
}

Value brook_value_number(const Token *number)
{
    const char *text = number->text;
    size_t length = (size_t)number->length;
    char last = text[length - 1];
    bool hex = length > 1 && (text[1] == 'x' || text[1] == 'X');
    if (last == 'u' || last == 'U') {
        return brook_value_of(VALUE_UINT, 1);
    }
    if (hex) {
        return brook_value_of(VALUE_INT, 1);
    }
    bool wide = length > 2 && (last == 'f' || last == 'F') && (text[length - 2] == 'l' || text[length - 2] == 'L');
    if (wide) {
        return brook_value_of(VALUE_DOUBLE, 1);
    }
    for (size_t i = 0; i < length; i++) {
        if (strchr(".eEfFhH", text[i])) {
            return brook_value_of(VALUE_FLOAT, 1);
        }
    }
    return brook_value_of(VALUE_INT, 1);
}

bool brook_value_plain(Value value)
{
    return value.base >= VALUE_BOOL && value.brackets == 0;
}

const char *brook_value_name(Value value)
{
    static const char *const names[][4] = {
        [VALUE_BOOL] = {"rill_bool", "bvec2", "bvec3", "bvec4"}, [VALUE_INT] = {"int", "ivec2", "ivec3", "ivec4"},
        [VALUE_UINT] = {"uint", "uvec2", "uvec3", "uvec4"},      [VALUE_FLOAT] = {"float", "vec2", "vec3", "vec4"},
        [VALUE_DOUBLE] = {"double", "dvec2", "dvec3", "dvec4"},
    };
    return names[value.base][value.count - 1];
}

const char *brook_value_declared(Value value)
{
    if (value.matrix) {
        return module_value_name(value.matrix);
    }
    bool one = value.base == VALUE_BOOL && value.count == 1;
    return value.fields ? value.fields->name : one ? "bool" : brook_value_name(value);
}

int brook_value_columns(Value matrix)
{
    return strpbrk(module_value_name(matrix.matrix), "234")[0] - '0';
}

/* The columns of a "mat2x3" have three components. */
Value brook_value_column(Value matrix)
{
    const char *name = module_value_name(matrix.matrix);
    return brook_value_of(*name == 'd' ? VALUE_DOUBLE : VALUE_FLOAT, name[strlen(name) - 1] - '0');
}

bool brook_value_fits(Value have, Value want)
{
    bool widened = have.base >= VALUE_INT && have.base <= want.base;
    return have.count == want.count && (have.base == want.base || widened);
}

int brook_value_common(int a, int b)
{
    if (a == 1 || b == 1) {
        return a > b ? a : b;
    }
    return a < b ? a : b;
}

static bool is_swizzle(const Token *field)
{
    static const char *const sets[] = {"xyzw", "rgba", "stpq"};
    for (int s = 0; s < 3; s++) {
        int k = 0;
        while (k < field->length && strchr(sets[s], field->text[k])) {
            k++;
        }
        if (k == field->length && k <= 4) {
            return true;
        }
    }
    return false;
}

Value brook_value_field(Value value, const Token *field)
{
    if (value.brackets || field->kind != TOKEN_NAME) {
        return brook_value_of(VALUE_UNKNOWN, 1);
    }
    if (value.base >= VALUE_BOOL) {
        return is_swizzle(field) ? brook_value_of(value.base, field->length) : brook_value_of(VALUE_UNKNOWN, 1);
    }
    for (int i = 0; value.base == VALUE_STRUCT && i < value.fields->field_count; i++) {
        if (token_is(field, value.fields->fields[i].name)) {
            return brook_value(value.fields->fields[i].type, 0);
        }
    }
    return brook_value_of(VALUE_UNKNOWN, 1);
}
