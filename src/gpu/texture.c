#include "gpu/texture.h"

#include "gpu/device_private.h"

#include <stdlib.h>
#include <string.h>

/* A unit no dispatch uses, so that the cached bindings stay true. */
enum { SPARE_UNIT = DEVICE_MAX_TEXTURES };

struct Texture {
    TextureForm form;
    GLuint name;
    bool shown;       /* it has had the buffer's contents */
    uint64_t version; /* of the buffer, then */
};

typedef struct TextureFormat {
    GLenum internal, format, type;
    int bytes;
} TextureFormat;

static const TextureFormat *format_of(TexelKind kind, int components)
{
    static const TextureFormat formats[TEXEL_KINDS][4] = {
        [TEXEL_FLOAT] = {{GL_R32F, GL_RED, GL_FLOAT, 4},
                         {GL_RG32F, GL_RG, GL_FLOAT, 8},
                         {0},
                         {GL_RGBA32F, GL_RGBA, GL_FLOAT, 16}},
        [TEXEL_HALF] = {{GL_R16F, GL_RED, GL_HALF_FLOAT, 2},
                        {GL_RG16F, GL_RG, GL_HALF_FLOAT, 4},
                        {0},
                        {GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT, 8}},
        [TEXEL_UNORM8] = {{GL_R8, GL_RED, GL_UNSIGNED_BYTE, 1}, {0}, {0}, {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4}},
    };
    return &formats[kind][components - 1];
}

bool texture_has_format(TexelKind kind, int components)
{
    return components >= 1 && components <= 4 && format_of(kind, components)->bytes > 0;
}

static GLenum target_of(const TextureForm *form)
{
    static const GLenum targets[TEXTURE_MAX_RANK] = {GL_TEXTURE_1D, GL_TEXTURE_2D, GL_TEXTURE_3D};
    return targets[form->rank - 1];
}

static uint64_t form_bytes(const TextureForm *form)
{
    uint64_t bytes = (uint64_t)format_of(form->kind, form->components)->bytes;
    for (int d = 0; d < form->rank; d++) {
        bytes *= (uint64_t)form->size[d];
    }
    return bytes;
}

uint64_t texture_bytes(const Buffer *buffer)
{
    return buffer->texture ? form_bytes(&buffer->texture->form) : 0;
}

const TextureForm *texture_form(const Buffer *buffer)
{
    return buffer->texture ? &buffer->texture->form : NULL;
}

static bool check_size(const Device *device, const TextureForm *form)
{
    GLint most = 0;
    glGetIntegerv(form->rank == 3 ? GL_MAX_3D_TEXTURE_SIZE : GL_MAX_TEXTURE_SIZE, &most);
    for (int d = 0; d < form->rank; d++) {
        if (form->size[d] > most) {
            return error_set("a texture of %d dimension%s has at most %d elements along each on \"%s\", %lld are asked",
                             form->rank, form->rank == 1 ? "" : "s", (int)most, device->info.name,
                             (long long)form->size[d]);
        }
    }
    return true;
}

static void store(const TextureForm *form, GLuint name)
{
    GLenum target = target_of(form), internal = format_of(form->kind, form->components)->internal;
    GLsizei x = (GLsizei)form->size[0], y = (GLsizei)form->size[1], z = (GLsizei)form->size[2];
    glActiveTexture(GL_TEXTURE0 + SPARE_UNIT);
    glBindTexture(target, name);
    if (form->rank == 1) {
        glTexStorage1D(target, 1, internal, x);
    } else if (form->rank == 2) {
        glTexStorage2D(target, 1, internal, x, y);
    } else {
        glTexStorage3D(target, 1, internal, x, y, z);
    }
    glBindTexture(target, 0);
}

bool texture_attach(Buffer *buffer, const TextureForm *form)
{
    Device *device = buffer->device;
    uint64_t bytes = form_bytes(form);
    if (!gl_error_alive(device) || !check_size(device, form) || !memory_take(device, bytes)) {
        return false;
    }
    Texture *texture = calloc(1, sizeof *texture);
    if (!texture) {
        memory_give(device, bytes);
        return error_set("out of host memory");
    }
    texture->form = *form;
    glGenTextures(1, &texture->name);
    store(form, texture->name);
    buffer->texture = texture;
    if (!gl_error_check(device, "texture_attach")) {
        texture_detach(buffer);
        return false;
    }
    return true;
}

void texture_detach(Buffer *buffer)
{
    Texture *texture = buffer->texture;
    Device *device = buffer->device;
    if (!texture) {
        return;
    }
    memory_give(device, form_bytes(&texture->form));
    for (int k = 0; k < DEVICE_MAX_TEXTURES; k++) {
        if (device->bound.textures[k] == texture->name) {
            device->bound.textures[k] = 0;
        }
    }
    if (device_is_current(device)) {
        glDeleteTextures(1, &texture->name);
    }
    free(texture);
    buffer->texture = NULL;
}

/* contents */

/* The device copies: the buffer is what the pixels come from. */
static void show(Buffer *buffer)
{
    const TextureForm *form = &buffer->texture->form;
    const TextureFormat *format = format_of(form->kind, form->components);
    GLenum target = target_of(form);
    GLsizei x = (GLsizei)form->size[0], y = (GLsizei)form->size[1], z = (GLsizei)form->size[2];
    bindings_barrier(buffer->device, GL_PIXEL_BUFFER_BARRIER_BIT | GL_TEXTURE_UPDATE_BARRIER_BIT);
    glActiveTexture(GL_TEXTURE0 + SPARE_UNIT);
    glBindTexture(target, buffer->texture->name);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer->name);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    if (form->rank == 1) {
        glTexSubImage1D(target, 0, 0, x, format->format, format->type, NULL);
    } else if (form->rank == 2) {
        glTexSubImage2D(target, 0, 0, 0, x, y, format->format, format->type, NULL);
    } else {
        glTexSubImage3D(target, 0, 0, 0, 0, x, y, z, format->format, format->type, NULL);
    }
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glBindTexture(target, 0);
}

/* samplers: what lies outside of a texture is the sampler's, since streams over one buffer have boundaries of their own */

enum { SAMPLER_COUNT = 2 * TEXTURE_WRAPS * TEXTURE_WRAPS * TEXTURE_WRAPS };

struct Samplers {
    GLuint names[SAMPLER_COUNT];
    float border[SAMPLER_COUNT];
};

static GLuint new_sampler(const TextureForm *form, const TextureOutside *outside)
{
    static const GLenum wraps[] = {GL_CLAMP_TO_EDGE, GL_REPEAT, GL_CLAMP_TO_BORDER};
    static const GLenum axes[TEXTURE_MAX_RANK] = {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T, GL_TEXTURE_WRAP_R};
    GLuint name;
    GLint filter = form->linear ? GL_LINEAR : GL_NEAREST;
    glGenSamplers(1, &name);
    glSamplerParameteri(name, GL_TEXTURE_MIN_FILTER, filter);
    glSamplerParameteri(name, GL_TEXTURE_MAG_FILTER, filter);
    for (int d = 0; d < TEXTURE_MAX_RANK; d++) {
        glSamplerParameteri(name, axes[d], (GLint)wraps[outside->wraps[d]]);
    }
    return name;
}

static GLuint find_sampler(Device *device, const TextureForm *form, const TextureOutside *outside)
{
    if (!device->samplers && !(device->samplers = calloc(1, sizeof *device->samplers))) {
        error_set("out of host memory");
        return 0;
    }
    int number = form->linear;
    for (int d = 0; d < TEXTURE_MAX_RANK; d++) {
        number = number * TEXTURE_WRAPS + outside->wraps[d];
    }
    GLuint *name = &device->samplers->names[number];
    if (*name == 0) {
        *name = new_sampler(form, outside);
    }
    if (device->samplers->border[number] != outside->value) {
        float border[4] = {outside->value, outside->value, outside->value, outside->value};
        glSamplerParameterfv(*name, GL_TEXTURE_BORDER_COLOR, border);
        device->samplers->border[number] = outside->value;
    }
    return *name;
}

void texture_destroy_samplers(Device *device)
{
    if (device->samplers && device_is_current(device)) {
        glDeleteSamplers(SAMPLER_COUNT, device->samplers->names);
    }
    free(device->samplers);
    device->samplers = NULL;
}

bool texture_bind(Buffer *buffer, int unit, const TextureOutside *outside)
{
    Device *device = buffer->device;
    Texture *texture = buffer->texture;
    GLuint sampler = find_sampler(device, &texture->form, outside);
    if (sampler == 0) {
        return false;
    }
    if (!texture->shown || texture->version != buffer_version(buffer)) {
        show(buffer);
        texture->shown = true;
        texture->version = buffer_version(buffer);
    }
    if (device->bound.textures[unit] != texture->name) {
        glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
        glBindTexture(target_of(&texture->form), texture->name);
        device->bound.textures[unit] = texture->name;
    }
    if (device->bound.samplers[unit] != sampler) {
        glBindSampler((GLuint)unit, sampler);
        device->bound.samplers[unit] = sampler;
    }
    return true;
}
