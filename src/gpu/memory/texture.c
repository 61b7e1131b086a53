#include "gpu/memory/texture.h"

#include "gpu/context/device_private.h"

#include <stdlib.h>
#include <string.h>

/* A unit that no dispatch uses, so that the cached bindings stay valid. */
enum { SPARE_UNIT = DEVICE_MAX_TEXTURES };

struct Texture {
    TextureForm form;
    GLuint name;
    bool shown;       /* it was updated from the buffer at least once */
    uint64_t version; /* of the buffer at the last update */
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

/* Internal formats of texels. OpenGL 4.3 requires all of them, and converts elements when it copies. */
#define INTERNALS(X)                                                                                                   \
    X("r8", GL_R8, 1, 1)                                                                                               \
    X("rg8", GL_RG8, 2, 2)                                                                                             \
    X("rgba8", GL_RGBA8, 4, 4)                                                                                         \
    X("r16", GL_R16, 1, 2)                                                                                             \
    X("rg16", GL_RG16, 2, 4)                                                                                           \
    X("rgba16", GL_RGBA16, 4, 8)                                                                                       \
    X("rgb10_a2", GL_RGB10_A2, 4, 4)                                                                                   \
    X("r16f", GL_R16F, 1, 2)                                                                                           \
    X("rg16f", GL_RG16F, 2, 4)                                                                                         \
    X("rgba16f", GL_RGBA16F, 4, 8)                                                                                     \
    X("r32f", GL_R32F, 1, 4)                                                                                           \
    X("rg32f", GL_RG32F, 2, 8)                                                                                         \
    X("rgba32f", GL_RGBA32F, 4, 16)

typedef struct Internal {
    const char *name;
    GLenum format;
    int components, bytes;
} Internal;

#define ROW(name, format, components, bytes) {name, format, components, bytes},
static const Internal internals[] = {{"", 0, 0, 0}, INTERNALS(ROW)};
#undef ROW

int texture_find_internal(const char *name)
{
    int found = (int)(sizeof internals / sizeof *internals) - 1;
    while (found > 0 && strcmp(internals[found].name, name) != 0) {
        found--;
    }
    return found;
}

int texture_internal_code(int internal)
{
    return (int)internals[internal].format;
}

int texture_find_code(int code)
{
    int found = (int)(sizeof internals / sizeof *internals) - 1;
    while (found >= 0 && (int)internals[found].format != code) {
        found--;
    }
    return found;
}

int texture_internal_components(int internal)
{
    return internals[internal].components;
}

const char *texture_internal_names(void)
{
#define NAME(name, format, components, bytes) ", " name
    return &INTERNALS(NAME)[2];
#undef NAME
}

static GLenum internal_of(const TextureForm *form)
{
    return form->internal ? internals[form->internal].format : format_of(form->kind, form->components)->internal;
}

/* Returns the bytes of a texel. */
static int texel_bytes(const TextureForm *form)
{
    return form->internal ? internals[form->internal].bytes : format_of(form->kind, form->components)->bytes;
}

bool texture_has_format(TexelKind kind, int components)
{
    return components >= 1 && components <= 4 && format_of(kind, components)->bytes > 0;
}

static GLenum target_of(const TextureForm *form)
{
    static const GLenum targets[TEXTURE_MAX_RANK] = {GL_TEXTURE_1D, GL_TEXTURE_2D, GL_TEXTURE_3D};
    return form->cube ? GL_TEXTURE_CUBE_MAP : targets[form->rank - 1];
}

/* Returns the number of dimensions that each level halves. */
static int level_rank(const TextureForm *form)
{
    return form->cube ? 2 : form->rank;
}

int texture_most_levels(const TextureForm *form)
{
    int levels = 1;
    for (int d = 0; d < level_rank(form); d++) {
        while (form->size[d] >> levels > 0) {
            levels++;
        }
    }
    return levels;
}

void texture_level_size(const TextureForm *form, int level, int64_t size[TEXTURE_MAX_RANK])
{
    for (int d = 0; d < TEXTURE_MAX_RANK; d++) {
        int64_t less = d < level_rank(form) ? form->size[d] >> level : form->size[d];
        size[d] = less > 0 ? less : 1;
    }
}

static uint64_t level_bytes(const TextureForm *form, int level)
{
    int64_t size[TEXTURE_MAX_RANK];
    texture_level_size(form, level, size);
    return (uint64_t)texel_bytes(form) * (uint64_t)size[0] * (uint64_t)size[1] * (uint64_t)size[2];
}

static uint64_t form_bytes(const TextureForm *form)
{
    uint64_t bytes = 0;
    for (int level = 0; level < form->levels; level++) {
        bytes += level_bytes(form, level);
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
    glGetIntegerv(form->cube        ? GL_MAX_CUBE_MAP_TEXTURE_SIZE
                  : form->rank == 3 ? GL_MAX_3D_TEXTURE_SIZE
                                    : GL_MAX_TEXTURE_SIZE,
                  &most);
    for (int d = 0; d < form->rank; d++) {
        if (form->size[d] > most) {
            return error_set("a texture of %d dimension%s has at most %d elements per dimension on \"%s\", got %lld",
                             form->rank, form->rank == 1 ? "" : "s", (int)most, device->info.name,
                             (long long)form->size[d]);
        }
    }
    return true;
}

static void store(const TextureForm *form, GLuint name)
{
    GLenum target = target_of(form), internal = internal_of(form);
    GLsizei x = (GLsizei)form->size[0], y = (GLsizei)form->size[1], z = (GLsizei)form->size[2];
    glActiveTexture(GL_TEXTURE0 + SPARE_UNIT);
    glBindTexture(target, name);
    if (form->rank == 1) {
        glTexStorage1D(target, form->levels, internal, x);
    } else if (form->rank == 2 || form->cube) {
        glTexStorage2D(target, form->levels, internal, x, y);
    } else {
        glTexStorage3D(target, form->levels, internal, x, y, z);
    }
    if (form->cube) {
        glEnable(GL_TEXTURE_CUBE_MAP_SEAMLESS);
    }
    glBindTexture(target, 0);
}

static void upload_level(const Texture *texture, int level, const void *from);

/* Fills the levels: see poison.c. */
static bool poison_levels(const Texture *texture, const Device *device)
{
    const TextureForm *form = &texture->form;
    uint64_t bytes = (uint64_t)format_of(form->kind, form->components)->bytes; /* bytes of an element */
    for (int level = 0; device->poisoned && level < form->levels; level++) {
        size_t size = (size_t)(level_bytes(form, level) / (uint64_t)texel_bytes(form) * bytes);
        void *elements = malloc(size);
        if (!elements) {
            return error_set("out of host memory");
        }
        poison_host(device, elements, size);
        upload_level(texture, level, elements);
        free(elements);
    }
    return true;
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
    if (!poison_levels(texture, device) || !gl_error_check(device, "texture_attach")) {
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

static void copy_cube(const TextureForm *form, int level, const int64_t *size, const void *from)
{
    const TextureFormat *format = format_of(form->kind, form->components);
    for (int face = 0; face < 6; face++) {
        uintptr_t at = (uintptr_t)from + (uintptr_t)face * (uintptr_t)(format->bytes * size[0] * size[1]);
        glTexSubImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)face, level, 0, 0, (GLsizei)size[0], (GLsizei)size[1],
                        format->format, format->type, (const void *)at);
    }
}

static void copy_box(const TextureForm *form, int level, const int64_t *size, const void *from)
{
    const TextureFormat *format = format_of(form->kind, form->components);
    GLenum target = target_of(form);
    GLsizei x = (GLsizei)size[0], y = (GLsizei)size[1], z = (GLsizei)size[2];
    if (form->rank == 1) {
        glTexSubImage1D(target, level, 0, x, format->format, format->type, from);
    } else if (form->rank == 2) {
        glTexSubImage2D(target, level, 0, 0, x, y, format->format, format->type, from);
    } else {
        glTexSubImage3D(target, level, 0, 0, 0, x, y, z, format->format, format->type, from);
    }
}

/* Uploads a level. `from`: elements in host memory, or an offset if a pixel unpack buffer is bound. */
static void upload_level(const Texture *texture, int level, const void *from)
{
    const TextureForm *form = &texture->form;
    int64_t size[TEXTURE_MAX_RANK];
    texture_level_size(form, level, size);
    glActiveTexture(GL_TEXTURE0 + SPARE_UNIT);
    glBindTexture(target_of(form), texture->name);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    (form->cube ? copy_cube : copy_box)(form, level, size, from);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glBindTexture(target_of(form), 0);
}

/* Copies a level on the device, from a buffer. */
static void copy_level(const Texture *texture, int level, const Buffer *elements)
{
    bindings_barrier(elements->device, GL_PIXEL_BUFFER_BARRIER_BIT | GL_TEXTURE_UPDATE_BARRIER_BIT);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, elements->name);
    upload_level(texture, level, NULL);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
}

bool texture_set_level(Buffer *buffer, int level, Buffer *elements)
{
    copy_level(buffer->texture, level, elements);
    return gl_error_check(buffer->device, "texture_set_level");
}

bool texture_attach_copy(Buffer *buffer, const Buffer *from)
{
    const Texture *source = from->texture;
    if (!texture_attach(buffer, &source->form)) {
        return false;
    }
    GLenum target = target_of(&source->form);
    for (int level = 1; level < source->form.levels; level++) {
        int64_t size[TEXTURE_MAX_RANK];
        texture_level_size(&source->form, level, size);
        glCopyImageSubData(source->name, target, level, 0, 0, 0, buffer->texture->name, target, level, 0, 0, 0,
                           (GLsizei)size[0], (GLsizei)size[1], (GLsizei)size[2]);
    }
    return gl_error_check(buffer->device, "texture_attach_copy");
}

/* samplers: they determine the values outside a texture, since streams over one buffer may have different
 * boundaries */

enum { SAMPLER_COUNT = 4 * TEXTURE_WRAPS * TEXTURE_WRAPS * TEXTURE_WRAPS };

struct Samplers {
    GLuint names[SAMPLER_COUNT];
    float border[SAMPLER_COUNT];
};

static GLuint new_sampler(const TextureForm *form, const TextureOutside *outside)
{
    static const GLenum wraps[] = {GL_CLAMP_TO_EDGE, GL_REPEAT, GL_CLAMP_TO_BORDER};
    static const GLenum axes[TEXTURE_MAX_RANK] = {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T, GL_TEXTURE_WRAP_R};
    GLuint name;
    GLint within = form->linear ? GL_LINEAR : GL_NEAREST;
    GLint between = form->linear ? GL_LINEAR_MIPMAP_LINEAR : GL_NEAREST_MIPMAP_NEAREST;
    glGenSamplers(1, &name);
    glSamplerParameteri(name, GL_TEXTURE_MIN_FILTER, form->levels > 1 ? between : within);
    glSamplerParameteri(name, GL_TEXTURE_MAG_FILTER, within);
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
    int number = form->linear + 2 * (form->levels > 1);
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
        copy_level(texture, 0, buffer);
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
