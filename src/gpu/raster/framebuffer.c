#include "gpu/raster/framebuffer.h"

enum { KEPT = 2, PIXEL_BYTES = 8 };

typedef struct Framebuffer {
    int columns, rows;
    GLuint name, attachments[2]; /* renderbuffers: faces, depths */
} Framebuffer;

typedef struct Framebuffers {
    Device *device;         /* NULL before the first one */
    Framebuffer kept[KEPT]; /* the last used one first; name 0: none */
} Framebuffers;

static void destroy_all(void *attachment)
{
    Framebuffers *all = attachment;
    for (int i = 0; i < KEPT && all->device && device_is_current(all->device); i++) {
        glDeleteFramebuffers(1, &all->kept[i].name);
        glDeleteRenderbuffers(2, all->kept[i].attachments);
        all->kept[i] = (Framebuffer){0};
    }
}

static const AttachmentKind kind = {sizeof(Framebuffers), destroy_all};

static uint64_t bytes_of(const Framebuffer *frame)
{
    return (uint64_t)frame->columns * (uint64_t)frame->rows * PIXEL_BYTES;
}

static void drop(Device *device, Framebuffer *frame)
{
    device->framebuffers -= bytes_of(frame);
    glDeleteFramebuffers(1, &frame->name);
    glDeleteRenderbuffers(2, frame->attachments);
    *frame = (Framebuffer){0};
}

static void drop_all(Device *device)
{
    Framebuffers *all = device_data_get(device, &kind);
    for (int i = 0; all && i < KEPT; i++) {
        drop(device, &all->kept[i]);
    }
}

static void attach(const Framebuffer *frame, int k, GLenum format, GLenum point)
{
    glBindRenderbuffer(GL_RENDERBUFFER, frame->attachments[k]);
    glRenderbufferStorage(GL_RENDERBUFFER, format, frame->columns, frame->rows);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, point, GL_RENDERBUFFER, frame->attachments[k]);
}

/* Creates the objects of a framebuffer. Returns false, without an error message, if that is impossible. */
static bool create(Device *device, Framebuffer *frame)
{
    gl_error_clear(device);
    glGenFramebuffers(1, &frame->name);
    glGenRenderbuffers(2, frame->attachments);
    glBindFramebuffer(GL_FRAMEBUFFER, frame->name);
    attach(frame, 0, GL_R32I, GL_COLOR_ATTACHMENT0);
    attach(frame, 1, GL_DEPTH_COMPONENT32F, GL_DEPTH_ATTACHMENT);
    bool good = glGetError() == GL_NO_ERROR && glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    glBindRenderbuffer(GL_RENDERBUFFER, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    gl_error_clear(device);
    return good;
}

static bool allocate(Device *device, Framebuffer *frame)
{
    if (!memory_take(device, bytes_of(frame))) {
        return false;
    }
    memory_give(device, bytes_of(frame)); /* counted with the pool: the next call may drop it */
    device->framebuffers += bytes_of(frame);
    device->drop_framebuffers = drop_all;
    if (create(device, frame)) {
        return true;
    }
    uint64_t bytes = bytes_of(frame);
    drop(device, frame);
    return memory_exhausted(device, bytes);
}

GLuint framebuffer_of_size(Device *device, int columns, int rows)
{
    Framebuffers *all = device_data_get(device, &kind);
    if (!all) {
        return 0;
    }
    all->device = device;
    int found = 0;
    while (found < KEPT - 1 && (all->kept[found].columns != columns || all->kept[found].rows != rows)) {
        found++;
    }
    Framebuffer frame = all->kept[found];
    for (; found > 0; found--) {
        all->kept[found] = all->kept[found - 1];
    }
    all->kept[0] = frame;
    if (frame.columns != columns || frame.rows != rows) {
        drop(device, &all->kept[0]);
        frame = (Framebuffer){.columns = columns, .rows = rows};
        if (!allocate(device, &frame)) {
            return 0;
        }
        all->kept[0] = frame;
    }
    return all->kept[0].name;
}
