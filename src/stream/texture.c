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

static bool check_form(const Stream *s, const TextureForm *form)
{
    char text[SHAPE_TEXT];
    if (s->shape.rank > TEXTURE_MAX_RANK || stream_elements(s) == 0) {
        return error_set("expected a texture of 1 to 3 dimensions and at least one element, got the shape %s",
                         shape_text(&s->shape, text));
    }
    if (form->cube && (form->rank != 3 || form->size[2] != 6 || form->size[0] != form->size[1])) {
        return error_set("expected the shape {6, n, n} of a cube's faces, got %s", shape_text(&s->shape, text));
    }
    int most = texture_most_levels(form);
    return form->levels <= most || error_set("a texture of shape %s has at most %d mipmap level%s, got %d",
                                             shape_text(&s->shape, text), most, most == 1 ? "" : "s", form->levels);
}

/* Fills the mipmap levels from 1 on with zeros. */
static bool clear_levels(const Stream *s, const TextureForm *form)
{
    Buffer *zeros = form->levels > 1 ? buffer_create(s->device, stream_bytes(s), true) : NULL;
    bool done = form->levels == 1 || zeros;
    for (int level = 1; done && level < form->levels; level++) {
        done = texture_set_level(s->buffer, level, zeros);
    }
    buffer_release(zeros);
    return done;
}

bool stream_texture_attach(const Stream *s, const TextureWish *wish)
{
    TextureForm form = {.components = s->type->components,
                        .rank = s->shape.rank,
                        .size = {1, 1, 1},
                        .levels = wish->levels,
                        .linear = wish->linear,
                        .normalized = wish->normalized,
                        .cube = wish->cube,
                        .internal = wish->internal};
    if (!kind_of(s->type, &form.kind)) {
        return error_set(
            "a texture cannot have elements of %s: expected float, vec2, vec4, half, half2, half4, unorm8 or unorm8x4",
            s->type->name);
    }
    if (form.internal && texture_internal_components(form.internal) != form.components) {
        return error_set("the format has %d component%s, but elements of %s have %d",
                         texture_internal_components(form.internal),
                         texture_internal_components(form.internal) == 1 ? "" : "s", s->type->name, form.components);
    }
    for (int d = 0; d < form.rank && d < TEXTURE_MAX_RANK; d++) {
        form.size[d] = s->shape.size[form.rank - 1 - d];
    }
    form.levels = wish->levels ? wish->levels : texture_most_levels(&form);
    return check_form(s, &form) && texture_attach(s->buffer, &form) && clear_levels(s, &form);
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
