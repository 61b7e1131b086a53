#include "stream/stream.h"

#include "base/error.h"

static bool kind_of(const Type *type, TexelKind *kind)
{
    if (type->is_struct) {
        return false;
    }
    *kind = type->scalar == SCALAR_HALF ? TEXEL_HALF : type->scalar == SCALAR_UNORM8 ? TEXEL_UNORM8 : TEXEL_FLOAT;
    bool floats = *kind != TEXEL_FLOAT || type->scalar == SCALAR_FLOAT;
    return floats && texture_has_format(*kind, type->components);
}

bool stream_texture_attach(const Stream *s, bool linear, bool normalized)
{
    TextureForm form = {.components = s->type->components,
                        .rank = s->shape.rank,
                        .size = {1, 1, 1},
                        .linear = linear,
                        .normalized = normalized};
    char text[SHAPE_TEXT];
    if (!kind_of(s->type, &form.kind)) {
        return error_set(
            "there are no textures of %s: float, vec2, vec4, half, half2, half4, unorm8 and unorm8x4 have some",
            s->type->name);
    }
    if (form.rank > TEXTURE_MAX_RANK || stream_elements(s) == 0) {
        return error_set("expected a texture of 1 to 3 dimensions and at least one element, got the shape %s",
                         shape_text(&s->shape, text));
    }
    for (int d = 0; d < form.rank; d++) {
        form.size[d] = s->shape.size[form.rank - 1 - d];
    }
    return texture_attach(s->buffer, &form);
}

const TextureForm *stream_texture(const Stream *s)
{
    const TextureForm *form = s->source == SOURCE_BUFFER && s->buffer ? texture_form(s->buffer) : NULL;
    TexelKind kind;
    if (!form || !s->contiguous || s->offset != 0 || s->shape.rank != form->rank || !kind_of(s->type, &kind) ||
        kind != form->kind || s->type->components != form->components) {
        return NULL;
    }
    for (int d = 0; d < form->rank; d++) {
        if (s->shape.size[form->rank - 1 - d] != form->size[d]) {
            return NULL;
        }
    }
    return form;
}

uint64_t stream_texture_bytes(const Stream *s)
{
    return s->buffer ? texture_bytes(s->buffer) : 0;
}
