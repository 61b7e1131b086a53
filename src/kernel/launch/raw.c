#include "kernel/launch/raw.h"

#include <stdio.h>

const Type *raw_type(int bytes)
{
    static const struct {
        int bytes;
        const char *name;
    } rows[] = {{1, "uint8"}, {2, "uint16"}, {4, "uint"}, {8, "uvec2"}, {12, "uvec3"}, {16, "uvec4"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].bytes == bytes) {
            return type_find(rows[i].name);
        }
    }
    enum { MAX_WORDS = 1024 };
    Field fields[MAX_WORDS];
    int count = 0;
    if (bytes % 4 || bytes / 16 + 3 > MAX_WORDS) {
        error_set("elements of %d bytes can't be copied", bytes);
        return NULL;
    }
    for (int left = bytes / 4, at = 0; left > 0;) {
        int n = left < 4 ? left : 4;
        Field *field = &fields[count];
        *field = (Field){.type = type_of(SCALAR_UINT, n), .offset = at};
        snprintf(field->name, sizeof field->name, "w%d", count++);
        left -= n;
        at += 4 * n;
    }
    return type_struct_kept("Raw", fields, count);
}

void raw_declare(StrBuf *text, const Type *type)
{
    if (!type->is_struct) {
        return;
    }
    strbuf_addf(text, "struct %s {", type->name);
    for (int i = 0; i < type->field_count; i++) {
        strbuf_addf(text, " %s %s;", type->fields[i].type->name, type->fields[i].name);
    }
    strbuf_add(text, " };\n");
}

bool raw_view(const Stream *stream, Stream *result)
{
    const Type *raw = stream->source == SOURCE_RAMP ? stream->type : raw_type(stream->type->bytes);
    if (stream->source != SOURCE_BUFFER && raw) {
        stream_copy_view(stream, result);
        type_release(result->type);
        result->type = type_retain(raw);
        return true;
    }
    return raw && stream_retype(stream, raw, result);
}
