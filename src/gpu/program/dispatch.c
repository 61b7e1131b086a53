/* Dispatches programs. Binds only what changed, issues barriers only after work, and splits large grids into rows. */
#include "base/timer.h"
#include "gpu/context/device_private.h"
#include "gpu/memory/buffer.h"

#include <stdio.h>
#include <string.h>

static void bind_program(Device *device, Program *program)
{
    if (device->bound.program != program) {
        glUseProgram(program->name);
        device->bound.program = program;
    }
}

static void upload_params(Program *program, const uint32_t *params, int vectors)
{
    int count = vectors < program->param_vectors ? vectors : program->param_vectors;
    size_t bytes = (size_t)count * 4 * sizeof *params;
    if (count == 0 || memcmp(program->params, params, bytes) == 0) {
        return;
    }
    glUniform4uiv(0, count, params);
    memcpy(program->params, params, bytes);
}

static bool bind_textures(Device *device, const Dispatch *dispatch)
{
    for (int k = 0; k < dispatch->texture_count; k++) {
        if (dispatch->textures[k].format == TEXEL_SAMPLED) {
            if (!texture_bind(dispatch->textures[k].buffer, k, &dispatch->outside[k])) {
                return false;
            }
            continue;
        }
        GLuint name = buffer_texture(dispatch->textures[k].buffer, dispatch->textures[k].format);
        if (name == 0) {
            return false;
        }
        if (device->bound.textures[k] != name) {
            glActiveTexture(GL_TEXTURE0 + (GLenum)k);
            glBindTexture(GL_TEXTURE_BUFFER, name);
            device->bound.textures[k] = name;
        }
    }
    return true;
}

static bool bind_images(Device *device, const Dispatch *dispatch)
{
    for (int k = 0; k < dispatch->image_count; k++) {
        TexelFormat format = dispatch->images[k].format;
        GLuint name = buffer_texture(dispatch->images[k].buffer, format);
        if (name == 0) {
            return false;
        }
        if (device->bound.images[k] != name) {
            glBindImageTexture((GLuint)k, name, 0, GL_FALSE, 0, GL_READ_WRITE, buffer_texture_formats[format]);
            device->bound.images[k] = name;
        }
    }
    return true;
}

static void bind_blocks(Device *device, const Dispatch *dispatch)
{
    for (int k = 0; k < dispatch->block_count; k++) {
        bindings_block(device, k + 1, dispatch->blocks[k].buffer->name, dispatch->blocks[k].bytes);
    }
}

/* Splits work groups into counts per axis within the device's limit. Returns false with error_set if that is
 * impossible. */
static bool split_groups(const Device *device, const uint64_t groups[3], GLuint split[3])
{
    uint64_t limit = device->limits.group_count;
    uint64_t x = groups[0], y = groups[1];
    if (x > limit && y == 1 && groups[2] == 1) {
        y = (x + limit - 1) / limit;
        x = (x + y - 1) / y;
    }
    if (x > limit || y > limit || groups[2] > limit) {
        return error_set("device_dispatch: a grid of %llu x %llu x %llu work groups; \"%s\" runs at most %llu per axis",
                         (unsigned long long)groups[0], (unsigned long long)groups[1], (unsigned long long)groups[2],
                         device->info.name, (unsigned long long)limit);
    }
    split[0] = (GLuint)x;
    split[1] = (GLuint)y;
    split[2] = (GLuint)groups[2];
    return true;
}

/* Prepares a dispatch: everything except the call itself. */
static bool prepare(Device *device, const Dispatch *dispatch, GLbitfield barriers)
{
    bind_program(device, dispatch->program);
    upload_params(dispatch->program, dispatch->params, dispatch->param_vectors);
    if (!bind_textures(device, dispatch) || !bind_images(device, dispatch)) {
        return false;
    }
    bind_blocks(device, dispatch);
    barriers |= dispatch->image_count ? GL_SHADER_IMAGE_ACCESS_BARRIER_BIT : 0;
    bindings_barrier(device, GL_SHADER_STORAGE_BARRIER_BIT | GL_TEXTURE_FETCH_BARRIER_BIT | barriers);
    return true;
}

static bool issued(Device *device, const Dispatch *dispatch)
{
    device->pending = GL_ALL_BARRIER_BITS;
    if (dispatch->faults && device->traits.synchronous) {
        fault_refresh(device);
    }
    return gl_error_check(device, "device_dispatch");
}

bool device_dispatch(Device *device, const Dispatch *dispatch)
{
    GLuint groups[3];
    if (device->lost) {
        return gl_error_alive(device);
    }
    if (!split_groups(device, dispatch->groups, groups)) {
        return false;
    }
    if (groups[0] == 0 || groups[1] == 0 || groups[2] == 0) {
        return true;
    }
    double entered = device->recorder ? timer_clock() : 0, before = entered;
    if (!prepare(device, dispatch, 0)) {
        return false;
    }
    if (device->traced) {
        fprintf(stderr, "rill: %s: %u x %u x %u groups\n", dispatch->program->label, groups[0], groups[1], groups[2]);
    }
    recorder_before(device, &before);
    glDispatchCompute(groups[0], groups[1], groups[2]);
    recorder_after(device, dispatch, entered, before);
    return issued(device, dispatch);
}

bool dispatch_groups_at(Device *device, const Dispatch *dispatch, GLuint groups, uint64_t offset)
{
    if (device->lost) {
        return gl_error_alive(device);
    }
    double entered = device->recorder ? timer_clock() : 0, before = entered;
    if (!prepare(device, dispatch, GL_COMMAND_BARRIER_BIT)) {
        return false;
    }
    glBindBuffer(GL_DISPATCH_INDIRECT_BUFFER, groups);
    if (device->traced) {
        fprintf(stderr, "rill: %s: as many groups as the device counts\n", dispatch->program->label);
    }
    recorder_before(device, &before);
    glDispatchComputeIndirect((GLintptr)offset);
    recorder_after(device, dispatch, entered, before);
    return issued(device, dispatch);
}
