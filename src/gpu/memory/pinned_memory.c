/* Memory for large buffers on devices in host memory: pages of the process that OpenGL uses by GL_AMD_pinned_memory.
 *
 * llvmpipe clears new buffers on one thread, which takes 64 ms for 64 MB. Pages of the process are cleared by the
 * kernel when they are first used, by all threads of the first launch. Large pages are used where the system has
 * them. */
#include "gpu/context/device_private.h"

#include <sys/mman.h>
#include <unistd.h>

enum { HUGE_PAGE = 1 << 21 };

static uint64_t round_up(uint64_t bytes, uint64_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* Maps pages that contain zeros. Regions of at least a large page begin at a multiple of it. Returns NULL if the
 * system has no memory left. */
static uint8_t *map_pages(uint64_t bytes)
{
    const uint64_t spare = bytes >= HUGE_PAGE ? HUGE_PAGE : 0;
    uint8_t *begin = mmap(NULL, bytes + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (begin == MAP_FAILED) {
        return NULL;
    }
    if (spare) {
        uint64_t before = round_up((uintptr_t)begin, HUGE_PAGE) - (uintptr_t)begin;
        if (before > 0) {
            munmap(begin, before);
        }
        if (before < spare) {
            munmap(begin + before + bytes, spare - before);
        }
        begin += before;
        madvise(begin, bytes, MADV_HUGEPAGE);
    }
    return begin;
}

bool pinned_memory_store(Buffer *buffer)
{
    Device *device = buffer->device;
    const uint64_t bytes = round_up(buffer->capacity, (uint64_t)sysconf(_SC_PAGESIZE));
    uint8_t *pages = map_pages(bytes);
    if (!pages) {
        return false;
    }
    glBindBuffer(GL_EXTERNAL_VIRTUAL_MEMORY_BUFFER_AMD, buffer->name);
    glBufferData(GL_EXTERNAL_VIRTUAL_MEMORY_BUFFER_AMD, (GLsizeiptr)buffer->capacity, pages, GL_DYNAMIC_COPY);
    glBindBuffer(GL_EXTERNAL_VIRTUAL_MEMORY_BUFFER_AMD, 0);
    if (glGetError() != GL_NO_ERROR || device->debug.recorded) {
        gl_error_clear(device);
        munmap(pages, bytes);
        return false;
    }
    buffer->map = pages;
    buffer->pinned = bytes;
    buffer->zero = true;
    return true;
}

void pinned_memory_release(Buffer *buffer, bool deleted)
{
    if (buffer->pinned && deleted) {
        glFinish(); /* work in progress may use the pages */
        munmap(buffer->map, buffer->pinned);
    } else if (buffer->pinned) {
        madvise(buffer->map, buffer->pinned, MADV_DONTNEED); /* OpenGL still refers to the pages */
    }
}
