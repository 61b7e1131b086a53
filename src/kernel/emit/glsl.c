#include "kernel/emit/glsl.h"

#include "kernel/text/names.h"

#include <stdio.h>
#include <string.h>

const char *glsl_type(const Type *type)
{
    static _Thread_local char names[4][80];
    static _Thread_local unsigned turn;
    if (!type->is_struct) {
        return type->value->name;
    }
    char *name = names[turn++ % 4];
    snprintf(name, sizeof names[0], "u_%s", type->name);
    return name;
}

static const char *field_name(const Field *field, char text[80])
{
    Token token = {.kind = TOKEN_NAME, .text = field->name, .length = (int)strlen(field->name)};
    snprintf(text, 80, "%s%s", names_field(&token), field->name);
    return text;
}

void glsl_zero(StrBuf *out, const Type *type)
{
    if (!type->is_struct) {
        strbuf_addf(out, "%s(0)", glsl_type(type));
        return;
    }
    strbuf_addf(out, "%s(", glsl_type(type));
    for (int i = 0; i < type->field_count; i++) {
        strbuf_add(out, i ? ", " : "");
        glsl_zero(out, type->fields[i].type);
    }
    strbuf_add(out, ")");
}

void glsl_struct(StrBuf *out, const Type *type)
{
    char name[80];
    strbuf_addf(out, "struct %s {", glsl_type(type));
    for (int i = 0; i < type->field_count; i++) {
        strbuf_addf(out, " %s %s;", glsl_type(type->fields[i].type), field_name(&type->fields[i], name));
    }
    strbuf_add(out, " };\n");
}

int glsl_words(const Type *type)
{
    return type->bytes < 4 ? 1 : (type->bytes + 3) / 4;
}

/* Writes one component that starts at word w (a double has two words), or at bit `shift` of
 * words[w]. The switch here and below has no default, so that the compiler reports a missing scalar
 * type. */
static void decode_component(StrBuf *out, Scalar scalar, const char *const *words, int w, const char *shift)
{
    const char *word = words[w], *s = shift ? shift : "0";
    switch (scalar) {
    case SCALAR_FLOAT: strbuf_addf(out, "uintBitsToFloat(%s)", word); break;
    case SCALAR_DOUBLE: strbuf_addf(out, "packDouble2x32(uvec2(%s, %s))", word, words[w + 1]); break;
    case SCALAR_INT: strbuf_addf(out, "int(%s)", word); break;
    case SCALAR_UINT: strbuf_add(out, word); break;
    case SCALAR_BOOL: strbuf_addf(out, "(%s != 0u)", word); break;
    case SCALAR_HALF: strbuf_addf(out, "(rill_float(%s >> %s))", word, s); break;
    case SCALAR_UNORM8: strbuf_addf(out, "(rill_unorm((%s >> %s) & 255u))", word, s); break;
    case SCALAR_INT8: strbuf_addf(out, "(int(%s << (24 - int(%s))) >> 24)", word, s); break;
    case SCALAR_INT16: strbuf_addf(out, "(int(%s << (16 - int(%s))) >> 16)", word, s); break;
    case SCALAR_UINT8: strbuf_addf(out, "((%s >> %s) & 255u)", word, s); break;
    case SCALAR_UINT16: strbuf_addf(out, "((%s >> %s) & 65535u)", word, s); break;
    case SCALAR_COUNT: break;
    }
}

static void decode_struct(StrBuf *out, const Type *type, const Type *seen, const char *const *words, int base)
{
    strbuf_addf(out, "%s(", glsl_type(seen));
    for (int i = 0; i < type->field_count; i++) {
        const Field *field = &type->fields[i];
        strbuf_add(out, i ? ", " : "");
        int word = base + field->offset / 4;
        if (field->type->is_struct) {
            decode_struct(out, field->type, seen->fields[i].type, words, word);
        } else {
            glsl_decode(out, field->type, seen->fields[i].type, words + word, NULL);
        }
    }
    strbuf_add(out, ")");
}

void glsl_decode(StrBuf *out, const Type *type, const Type *seen, const char *const *words, const char *shift)
{
    if (type->is_struct) {
        decode_struct(out, type, seen, words, 0);
        return;
    }
    int size = type_scalar_bytes(type->scalar);
    strbuf_addf(out, "%s(", glsl_type(seen));
    for (int c = 0; c < type->components; c++) {
        static const char *const shifts[] = {"0", "8", "16", "24"};
        int at = c * size;
        strbuf_add(out, c ? ", " : "");
        decode_component(out, type->scalar, words, at / 4, type->components == 1 ? shift : shifts[at % 4]);
    }
    strbuf_add(out, ")");
}

static void encode_component(StrBuf *out, Scalar scalar, const char *value, int half)
{
    switch (scalar) {
    case SCALAR_FLOAT: strbuf_addf(out, "floatBitsToUint(%s)", value); break;
    case SCALAR_DOUBLE: strbuf_addf(out, "unpackDouble2x32(%s).%s", value, half ? "y" : "x"); break;
    case SCALAR_INT:
    case SCALAR_UINT: strbuf_addf(out, "uint(%s)", value); break;
    case SCALAR_BOOL: strbuf_addf(out, "(%s ? 1u : 0u)", value); break;
    case SCALAR_HALF: strbuf_addf(out, "rill_half(%s)", value); break;
    case SCALAR_UNORM8: strbuf_addf(out, "uint(clamp(%s, 0.0, 1.0) * 255.0 + 0.5)", value); break;
    case SCALAR_INT8:
    case SCALAR_UINT8: strbuf_addf(out, "(uint(%s) & 255u)", value); break;
    case SCALAR_INT16:
    case SCALAR_UINT16: strbuf_addf(out, "(uint(%s) & 65535u)", value); break;
    case SCALAR_COUNT: break;
    }
}

static void encode_struct(StrBuf *out, const Type *type, const Type *seen, const char *value, int k)
{
    for (int i = 0; i < type->field_count; i++) {
        const Field *field = &type->fields[i];
        int first = field->offset / 4;
        if (k < first || k >= first + glsl_words(field->type)) {
            continue;
        }
        char name[80], path[512];
        snprintf(path, sizeof path, "%s.%s", value, field_name(&seen->fields[i], name));
        glsl_encode(out, field->type, seen->fields[i].type, path, k - first);
    }
}

void glsl_encode(StrBuf *out, const Type *type, const Type *seen, const char *value, int k)
{
    if (type->is_struct) {
        encode_struct(out, type, seen, value, k);
        return;
    }
    int size = type_scalar_bytes(type->scalar), written = 0;
    for (int c = 0; c < type->components; c++) {
        int at = c * size;
        if (at / 4 != k && !(size == 8 && at / 4 + 1 == k)) {
            continue;
        }
        char component[640];
        snprintf(component, sizeof component, "%s%s%c", value, type->components > 1 ? "." : "",
                 type->components > 1 ? "xyzw"[c] : '\0');
        strbuf_add(out, written++ ? " | " : "");
        if (at % 4) {
            strbuf_add(out, "(");
        }
        encode_component(out, type->scalar, component, k - at / 4);
        if (at % 4) {
            strbuf_addf(out, " << %d)", at % 4 * 8);
        }
    }
}

bool glsl_plain_random(const Type *type)
{
    if (type->is_struct || type->components == 3) {
        return false;
    }
    Scalar s = type->scalar;
    return s == SCALAR_FLOAT || s == SCALAR_DOUBLE || s == SCALAR_INT || s == SCALAR_UINT;
}

const char *glsl_qualifier(const Param *param)
{
    switch (param->kind) {
    case PARAM_OUTPUT: return "out ";
    case PARAM_INOUT:
    case PARAM_REDUCE: return "inout ";
    default: return param->output == 2 ? "inout " : param->output == 1 ? "out " : "";
    }
}

const char *glsl_declared(const Type *type, int matrix)
{
    return matrix ? module_matrix_name(matrix) : type ? glsl_type(type) : "void";
}
