/* Tracks the bound objects, so that a repeated dispatch binds nothing, and the pending barriers. */
#include "gpu/context/device_private.h"

void bindings_barrier(Device *device, GLbitfield bits)
{
    bits &= device->pending;
    if (bits) {
        glMemoryBarrier(bits);
        device->pending &= ~bits;
    }
}

void bindings_forget(Device *device, const Buffer *buffer)
{
    Bindings *bound = &device->bound;
    for (int k = 0; k < DEVICE_MAX_TEXTURES; k++) {
        for (int f = 0; f < TEXEL_FORMATS; f++) {
            if (bound->textures[k] == buffer->textures[f]) {
                bound->textures[k] = 0;
            }
        }
    }
    for (int k = 0; k < DEVICE_MAX_IMAGES; k++) {
        for (int f = 0; f < TEXEL_FORMATS; f++) {
            if (bound->images[k] == buffer->textures[f]) {
                bound->images[k] = 0;
            }
        }
    }
    for (int k = 0; k <= DEVICE_MAX_BLOCKS; k++) {
        if (bound->blocks[k].name == buffer->name) {
            bound->blocks[k] = (BoundBlock){0};
        }
    }
}

void bindings_block(Device *device, int binding, GLuint name, uint64_t bytes)
{
    BoundBlock *bound = &device->bound.blocks[binding];
    if (bound->name == name && bound->bytes == bytes) {
        return;
    }
    if (bytes) {
        glBindBufferRange(GL_SHADER_STORAGE_BUFFER, (GLuint)binding, name, 0, (GLsizeiptr)bytes);
    } else {
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, (GLuint)binding, name);
    }
    *bound = (BoundBlock){name, bytes};
}
