#include "stream/type.h"

#include "base/error.h"
#include "base/strbuf.h"
#include "stream/type_rows.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define TYPE_ID(id, text, kind, count, seen) TYPE_##id,
enum { TYPES(TYPE_ID) TYPE_COUNT };

static const Type builtin[TYPE_COUNT];

#define SCALAR_SIZE(id, bytes, form) SCALAR_##id##_BYTES = (bytes),
enum { SCALARS(SCALAR_SIZE) };

#define SCALAR_ROW(id, bytes, form) [SCALAR_##id] = FORM_##form,
static const ScalarForm forms[SCALAR_COUNT] = {SCALARS(SCALAR_ROW)};

#define TYPE_ROW(id_, text, kind, count, seen)                                                                         \
    [TYPE_##id_] = {.name = text,                                                                                      \
                    .scalar = SCALAR_##kind,                                                                           \
                    .components = count,                                                                               \
                    .bytes = (count)*SCALAR_##kind##_BYTES,                                                            \
                    .value = &builtin[TYPE_##seen]},
static const Type builtin[TYPE_COUNT] = {TYPES(TYPE_ROW)};

/* Kernels read and write 32-bit words. Elements of one component may share a word; elements of several
 * components must fill whole words. */
#define TYPE_FITS(id, text, kind, count, seen)                                                                         \
    _Static_assert((count) == 1 ? SCALAR_##kind##_BYTES % 4 == 0 || 4 % SCALAR_##kind##_BYTES == 0                     \
                                : (count)*SCALAR_##kind##_BYTES % 4 == 0,                                              \
                   text);
TYPES(TYPE_FITS)

static const struct {
    char name[8];
    int type;
} brook_names[] = {
    {"float2", TYPE_VEC2}, {"float3", TYPE_VEC3},   {"float4", TYPE_VEC4},   {"int2", TYPE_IVEC2},
    {"int3", TYPE_IVEC3},  {"int4", TYPE_IVEC4},    {"uint2", TYPE_UVEC2},   {"uint3", TYPE_UVEC3},
    {"uint4", TYPE_UVEC4}, {"double2", TYPE_DVEC2}, {"double3", TYPE_DVEC3}, {"double4", TYPE_DVEC4},
};
enum { BROOK_COUNT = sizeof brook_names / sizeof *brook_names };

int type_word_distance(const char *a, const char *b)
{
    enum { LONGEST = 24 };
    int row[LONGEST + 1];
    int n = (int)strnlen(b, LONGEST + 1);
    if (n > LONGEST || strnlen(a, LONGEST + 1) > LONGEST) {
        return LONGEST;
    }
    for (int j = 0; j <= n; j++) {
        row[j] = j;
    }
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int above = row[j];
            int best = diagonal + (a[i - 1] != b[j - 1]);
            best = best < above + 1 ? best : above + 1;
            best = best < row[j - 1] + 1 ? best : row[j - 1] + 1;
            diagonal = above;
            row[j] = best;
        }
    }
    return row[n];
}

/* Type names of other languages and libraries, and rill's name; NULL for 64-bit integers, which rill does not
 * have. */
static const struct {
    const char *name, *here;
} foreign[] = {
    {"float64", "'double'"},
    {"float32", "'float'"},
    {"float16", "'half'"},
    {"int32", "'int'"},
    {"uint32", "'uint'"},
    {"f8", "'double'"},
    {"f4", "'float'"},
    {"f2", "'half'"},
    {"i4", "'int'"},
    {"i2", "'int16'"},
    {"i1", "'int8'"},
    {"u4", "'uint'"},
    {"u2", "'uint16'"},
    {"u1", "'uint8'"},
    {"number", "'float' or 'double'"},
    {"integer", "'int'"},
    {"boolean", "'bool'"},
    {"bool_", "'bool'"},
    {"unsigned", "'uint'"},
    {"short", "'int16'"},
    {"ushort", "'uint16'"},
    {"char", "'int8'"},
    {"byte", "'uint8'"},
    {"uchar", "'uint8'"},
    {"float16_t", "'half'"},
    {"int8_t", "'int8'"},
    {"int16_t", "'int16'"},
    {"int32_t", "'int'"},
    {"uint8_t", "'uint8'"},
    {"uint16_t", "'uint16'"},
    {"uint32_t", "'uint'"},
    {"int64", NULL},
    {"uint64", NULL},
    {"int64_t", NULL},
    {"uint64_t", NULL},
    {"i8", NULL},
    {"u8", NULL},
    {"long", NULL},
    {"ulong", NULL},
    {"size_t", NULL},
};

bool type_foreign(const char *name, const char **here)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        if (strcmp(name, foreign[i].name) == 0) {
            *here = foreign[i].here;
            return true;
        }
    }
    return false;
}

static void type_unknown(const char *name)
{
    StrBuf text = STRBUF_EMPTY;
    int close = 0;
    const char *here;
    if (type_foreign(name, &here)) {
        if (here) {
            error_set("unknown type '%s'; it is called %s here", name, here);
        } else {
            error_set("unknown type '%s'; integers have at most 32 bits: use 'int' or 'uint', or 'double' for "
                      "whole numbers up to 2^53",
                      name);
        }
        return;
    }
    for (int i = 0; i < TYPE_COUNT; i++) {
        if (type_word_distance(name, builtin[i].name) <= 2) {
            strbuf_addf(&text, "%s'%s'", close++ ? ", " : "; did you mean ", builtin[i].name);
        }
    }
    for (int i = 0; i < TYPE_COUNT && !close; i++) {
        strbuf_addf(&text, "%s%s", i ? " " : "; the types are ", builtin[i].name);
    }
    error_set("unknown type '%.64s'%s%s", name, strbuf_text(&text), close ? "?" : "");
    strbuf_free(&text);
}

const Type *type_find(const char *name)
{
    for (int i = 0; i < TYPE_COUNT; i++) {
        if (strcmp(name, builtin[i].name) == 0) {
            return &builtin[i];
        }
    }
    for (int i = 0; i < BROOK_COUNT; i++) {
        if (strcmp(name, brook_names[i].name) == 0) {
            return &builtin[brook_names[i].type];
        }
    }
    type_unknown(name);
    return NULL;
}

const Type *type_at(int index)
{
    return index >= 0 && index < TYPE_COUNT ? &builtin[index] : NULL;
}

const Type *type_of(Scalar scalar, int components)
{
    for (int i = 0; i < TYPE_COUNT; i++) {
        if (builtin[i].scalar == scalar && builtin[i].components == components) {
            return &builtin[i];
        }
    }
    return NULL;
}

static bool same_field_types(const Type *a, const Type *b)
{
    if (!a->is_struct || !b->is_struct) {
        return a->value == b->value;
    }
    if (a->field_count != b->field_count) {
        return false;
    }
    for (int i = 0; i < a->field_count; i++) {
        if (!same_field_types(a->fields[i].type, b->fields[i].type)) {
            return false;
        }
    }
    return true;
}

/* Returns the position in GLSL's order of implicit conversions, or -1 if there are none. */
static int conversion_rank(Scalar scalar)
{
    switch (scalar) {
    case SCALAR_INT: return 0;
    case SCALAR_UINT: return 1;
    case SCALAR_FLOAT: return 2;
    case SCALAR_DOUBLE: return 3;
    default: return -1;
    }
}

bool type_converts(const Type *from, const Type *to)
{
    const Type *a = from->value, *b = to->value;
    if (a == b) {
        return true;
    }
    if (a->is_struct || b->is_struct) {
        return a->is_struct && b->is_struct && same_field_types(a, b);
    }
    int low = conversion_rank(a->scalar), high = conversion_rank(b->scalar);
    return a->components == b->components && low >= 0 && low <= high;
}

bool type_same_layout(const Type *a, const Type *b)
{
    if (a == b) {
        return true;
    }
    if (a->bytes != b->bytes || a->components != b->components) {
        return false;
    }
    for (int k = 0; k < a->components; k++) {
        Scalar x, y;
        int x_offset, y_offset;
        type_component(a, k, &x, &x_offset);
        type_component(b, k, &y, &y_offset);
        if (x != y || x_offset != y_offset) {
            return false;
        }
    }
    return true;
}

int type_texel_elements(const Type *type)
{
    int elements = 1;
    while (elements * type->bytes % 16) {
        elements *= 2;
    }
    return elements;
}

int type_scalar_bytes(Scalar scalar)
{
    return type_of(scalar, 1)->bytes;
}

ScalarForm type_scalar_form(Scalar scalar)
{
    return forms[scalar];
}

bool type_scalar_is_float(Scalar scalar)
{
    return forms[scalar] == FORM_FLOAT || forms[scalar] == FORM_UNORM;
}

void type_component(const Type *type, int k, Scalar *scalar, int *offset)
{
    int base = 0;
    while (type->is_struct) {
        const Field *field = type->fields;
        while (k >= field->type->components) {
            k -= field->type->components;
            field++;
        }
        base += field->offset;
        type = field->type;
    }
    *scalar = type->scalar;
    *offset = base + k * (type->bytes / type->components);
}

/* Advances k to the first bool component from k on, and sets its offset. Returns false if there is none. */
static bool next_bool(const Type *type, int *k, int *offset)
{
    for (; *k < type->components; ++*k) {
        Scalar scalar;
        type_component(type, *k, &scalar, offset);
        if (scalar == SCALAR_BOOL) {
            return true;
        }
    }
    return false;
}

bool type_normal(const Type *type, const void *elements, int64_t count)
{
    for (int k = 0, offset; next_bool(type, &k, &offset); k++) {
        const char *at = (const char *)elements + offset;
        for (int64_t i = 0; i < count; i++, at += type->bytes) {
            uint32_t word;
            memcpy(&word, at, sizeof word);
            if (word > 1) {
                return false;
            }
        }
    }
    return true;
}

void type_normalize(const Type *type, void *elements, int64_t count)
{
    for (int k = 0, offset; next_bool(type, &k, &offset); k++) {
        char *at = (char *)elements + offset;
        for (int64_t i = 0; i < count; i++, at += type->bytes) {
            uint32_t word;
            memcpy(&word, at, sizeof word);
            word = word != 0;
            memcpy(at, &word, sizeof word);
        }
    }
}

static int aligned(int bytes, int alignment)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

/* Computes the std430 alignment of a value. Returns its bytes without padding at the end. */
static int array_layout(const Type *type, int *alignment)
{
    if (!type->is_struct) {
        int scalar = type->value->scalar == SCALAR_DOUBLE ? 8 : 4;
        *alignment = scalar * (type->components == 3 ? 4 : type->components);
        return scalar * type->components;
    }
    int bytes = 0;
    *alignment = 1;
    for (int i = 0; i < type->field_count; i++) {
        int own, size = array_layout(type->fields[i].type, &own);
        bytes = aligned(bytes, own) + size;
        *alignment = own > *alignment ? own : *alignment;
    }
    return aligned(bytes, *alignment);
}

int type_array_bytes(const Type *type)
{
    int alignment, bytes = array_layout(type, &alignment);
    return aligned(bytes, alignment);
}
