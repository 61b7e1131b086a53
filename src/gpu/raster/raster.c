/* The state of graphics commands is set for each run, and is OpenGL's default again after it: other files of src/gpu rely on that. */
#include "gpu/raster/raster.h"

#include "base/timer.h"
#include "gpu/program/recorder.h"
#include "gpu/program/shader.h"
#include "gpu/raster/framebuffer.h"

#include <stdio.h>
#include <string.h>

enum { SCALE, VERTICES, BASE, COLUMNS };              /* uniforms */
enum { CLIPS = 1, TARGET, SOLID, LAST };              /* storage bindings */
static const uint64_t MOST_FACES = UINT64_C(1) << 24; /* of a draw call */

typedef struct Pipelines {
    Device *device; /* NULL before the first run */
    GLuint array;   /* the vertex array object */
    GLuint programs[RASTER_PASSES];
} Pipelines;

static void destroy(void *attachment)
{
    Pipelines *all = attachment;
    if (all->device && device_is_current(all->device)) {
        glDeleteVertexArrays(1, &all->array);
        for (int i = 0; i < RASTER_PASSES; i++) {
            glDeleteProgram(all->programs[i]);
        }
    }
}

static const AttachmentKind kind = {sizeof(Pipelines), destroy};

static const char *const names[RASTER_PASSES] = {
    [RASTER_VISIBLE] = "VISIBLE", [RASTER_DEPTH] = "DEPTH", [RASTER_HITS] = "HITS",
    [RASTER_LAYERS] = "LAYERS",   [RASTER_NEXT] = "NEXT",   [RASTER_INVOCATIONS] = "COUNT_INVOCATIONS",
};

/* Returns whether a pass has a fragment shader. */
static bool has_fragments(RasterPass pass)
{
    return pass != RASTER_INVOCATIONS && pass != RASTER_DEPTH;
}

/* --- programs --- */

/* Compiles a stage and attaches it to a program. Returns false with error_set. */
static bool add_stage(GLuint program, GLenum stage, const char *file, const char *define)
{
    StrBuf text = STRBUF_EMPTY;
    strbuf_addf(&text, "#version 430\n#define %s\n", define);
    GLint compiled = GL_FALSE;
    if (shader_text(&text, file)) {
        const char *source = text.text;
        GLuint shader = glCreateShader(stage);
        char log[1024] = "";
        glShaderSource(shader, 1, &source, NULL);
        glCompileShader(shader);
        glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
        if (!compiled) {
            glGetShaderInfoLog(shader, sizeof log, NULL, log);
            error_set("%s: %s", file, log);
        }
        glAttachShader(program, shader);
        glDeleteShader(shader);
    }
    strbuf_free(&text);
    return compiled;
}

static bool link(GLuint program, RasterPass pass)
{
    if (!add_stage(program, GL_VERTEX_SHADER, "raster.vert", names[pass]) ||
        (has_fragments(pass) && !add_stage(program, GL_FRAGMENT_SHADER, "raster.frag", names[pass]))) {
        return false;
    }
    GLint linked = GL_FALSE;
    char log[1024] = "";
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    glGetProgramInfoLog(program, sizeof log, NULL, log);
    return linked || error_set("raster.vert, raster.frag: %s", log);
}

/* Returns the program of a pass, or 0 with error_set. */
static GLuint find_program(Device *device, Pipelines *all, RasterPass pass)
{
    if (all->programs[pass] == 0) {
        double start = timer_clock();
        GLuint program = glCreateProgram();
        bool linked = link(program, pass);
        recorder_compiled(device, timer_clock() - start);
        gl_error_clear(device); /* the log has the error */
        if (!linked) {
            glDeleteProgram(program);
            return 0;
        }
        all->programs[pass] = program;
    }
    return all->programs[pass];
}

/* --- limits --- */

bool raster_supports(Device *device, int columns, int rows)
{
    GLint size = 0, viewport[2] = {0, 0}, blocks = 0;
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &size);
    glGetIntegerv(GL_MAX_VIEWPORT_DIMS, viewport);
    glGetIntegerv(GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS, &blocks);
    size = viewport[0] < size ? viewport[0] : size;
    size = viewport[1] < size ? viewport[1] : size;
    if (!glClipControl || blocks < 2) {
        return error_set("the rasterizer of \"%s\" lacks %s", device->info.name,
                         glClipControl ? "storage blocks in vertex shaders" : "GL_ARB_clip_control");
    }
    return (columns <= size && rows <= size) ||
           error_set("%d x %d samples; the rasterizer of \"%s\" draws at most %d per side", rows, columns,
                     device->info.name, size);
}

/* --- state --- */

/* Sets the viewport and the factors from pixels to its coordinates. The viewport extends beyond the image, because triangles that cross the border
 * of a viewport are clipped, which rounds the new corners and moves the edges. llvmpipe leaves gaps in triangles that are 16,384 pixels wide and
 * high, therefore width and height together are at most that size. */
static void set_viewport(const RasterRun *run)
{
    GLint most[2] = {0, 0};
    glGetIntegerv(GL_MAX_VIEWPORT_DIMS, most);
    int room = (most[0] < most[1] ? most[0] : most[1]) - run->columns - run->rows, margin = room > 0 ? room / 4 : 0;
    int width = run->columns + 2 * margin, height = run->rows + 2 * margin;
    glViewport(-margin, -margin, width, height);
    glUniform2f(SCALE, 2.0f / (float)width, 2.0f / (float)height);
}

/* Sets the state of a pass. */
static void set_state(Device *device, const RasterRun *run, const Pipelines *all, GLuint frame)
{
    bool shown = run->pass == RASTER_VISIBLE || run->pass == RASTER_DEPTH;
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glClipControl(GL_LOWER_LEFT, GL_ZERO_TO_ONE);
    glDepthFunc(GL_GREATER);
    (shown ? glEnable : glDisable)(GL_DEPTH_TEST);
    GLboolean colors = run->pass == RASTER_VISIBLE;
    glColorMask(colors, colors, colors, colors);
    (run->pass == RASTER_INVOCATIONS ? glEnable : glDisable)(GL_RASTERIZER_DISCARD);
    glUseProgram(all->programs[run->pass]);
    device->bound.program = NULL;
    glBindVertexArray(all->array);
    set_viewport(run);
    if (has_fragments(run->pass)) {
        glUniform1i(COLUMNS, run->columns);
    }
}

static void restore_state(void)
{
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glBindVertexArray(0);
    glUseProgram(0);
    glDisable(GL_RASTERIZER_DISCARD);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glDisable(GL_DEPTH_TEST);
    glDepthFunc(GL_LESS);
    glClipControl(GL_LOWER_LEFT, GL_NEGATIVE_ONE_TO_ONE);
    glViewport(0, 0, 0, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

/* --- a run --- */

static void clear(const RasterRun *run)
{
    const GLint none[4] = {-1, -1, -1, -1};
    const GLfloat farthest = 0;
    if (run->pass == RASTER_VISIBLE) {
        glClearBufferiv(GL_COLOR, 0, none);
    }
    if (run->pass == RASTER_VISIBLE || run->pass == RASTER_DEPTH) {
        glClearBufferfv(GL_DEPTH, 0, &farthest);
    }
}

static void draw(Device *device, RasterPass pass, const RasterMesh *mesh)
{
    if (mesh->clips) {
        bindings_block(device, CLIPS, mesh->clips->name, 0);
    }
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->triangles->name);
    glUniform1ui(VERTICES, (GLuint)mesh->vertices);
    for (uint64_t first = 0; first < mesh->faces; first += MOST_FACES) {
        uint64_t count = mesh->faces - first < MOST_FACES ? mesh->faces - first : MOST_FACES;
        if (has_fragments(pass)) {
            glUniform1i(BASE, mesh->base + (GLint)first);
        }
        glDrawElements(GL_TRIANGLES, (GLsizei)(3 * count), GL_UNSIGNED_INT,
                       (const void *)(uintptr_t)(mesh->offset + 12 * first));
    }
}

static uint64_t pixels_of(const RasterRun *run)
{
    return (uint64_t)run->columns * (uint64_t)run->rows;
}

/* Copies an attachment to a buffer. */
static void copy_out(const RasterRun *run, Buffer *to, GLenum format, GLenum type)
{
    uint64_t bytes = 4 * pixels_of(run);
    buffer_wrote(to, &(BufferRegion){.to = bytes, .width = bytes});
    glBindBuffer(GL_PIXEL_PACK_BUFFER, to->name);
    glReadPixels(0, 0, run->columns, run->rows, format, type, NULL);
}

static void finish(const RasterRun *run)
{
    if (run->pass == RASTER_VISIBLE) {
        copy_out(run, run->target, GL_RED_INTEGER, GL_INT);
    }
    if (run->pass == RASTER_DEPTH || (run->pass == RASTER_VISIBLE && run->depth)) {
        copy_out(run, run->pass == RASTER_DEPTH ? run->target : run->depth, GL_DEPTH_COMPONENT, GL_FLOAT);
    }
}

static void bind_blocks(Device *device, const RasterRun *run)
{
    if (run->pass == RASTER_VISIBLE || run->pass == RASTER_DEPTH) {
        return;
    }
    uint64_t bytes = run->pass == RASTER_INVOCATIONS ? 4 : 4 * pixels_of(run);
    buffer_wrote(run->target, &(BufferRegion){.to = bytes, .width = bytes});
    bindings_block(device, TARGET, run->target->name, 0);
    if (run->solid) {
        bindings_block(device, SOLID, run->solid->name, 0);
    }
    if (run->last) {
        bindings_block(device, LAST, run->last->name, 0);
    }
}

static void record(Device *device, const RasterRun *run, double entered, double before)
{
    Program label = {0};
    snprintf(label.label, sizeof label.label, "rasterizer (%s)", names[run->pass]);
    Dispatch dispatch = {.program = &label, .bytes = 4 * pixels_of(run)};
    for (int i = 0; i < run->mesh_count; i++) {
        dispatch.bytes += 12 * run->meshes[i].faces + 16 * run->meshes[i].vertices;
    }
    recorder_after(device, &dispatch, entered, before);
}

static Pipelines *prepare(Device *device, RasterPass pass)
{
    Pipelines *all = device_data_get(device, &kind);
    if (!all) {
        return NULL;
    }
    if (!all->device) {
        glGenVertexArrays(1, &all->array);
        all->device = device;
    }
    return find_program(device, all, pass) ? all : NULL;
}

bool raster_run(Device *device, const RasterRun *run)
{
    if (!gl_error_alive(device) || !raster_supports(device, run->columns, run->rows)) {
        return false;
    }
    const Pipelines *all = prepare(device, run->pass);
    GLuint frame = all ? framebuffer_of_size(device, run->columns, run->rows) : 0;
    for (int i = 0; i < run->mesh_count; i++) {
        if (!frame || (run->meshes[i].clips && !buffer_block_fits(run->meshes[i].clips))) {
            return false;
        }
    }
    if (!frame) {
        return false;
    }
    double entered = device->recorder ? timer_clock() : 0, before = entered;
    if (device->traced) {
        fprintf(stderr, "rill: rasterizer (%s): %d meshes, %d x %d pixels\n", names[run->pass], run->mesh_count,
                run->rows, run->columns);
    }
    device_exclude(device);
    set_state(device, run, all, frame);
    bind_blocks(device, run);
    bindings_barrier(device,
                     GL_SHADER_STORAGE_BARRIER_BIT | GL_ELEMENT_ARRAY_BARRIER_BIT | GL_PIXEL_BUFFER_BARRIER_BIT);
    recorder_before(device, &before);
    clear(run);
    for (int i = 0; i < run->mesh_count; i++) {
        draw(device, run->pass, &run->meshes[i]);
    }
    device->pending = GL_ALL_BARRIER_BITS;
    finish(run);
    if (device->traits.synchronous) {
        glMemoryBarrier(GL_ALL_BARRIER_BITS); /* draws are queued, and the host reads buffers without waiting */
        glFinish();
    }
    record(device, run, entered, before);
    restore_state();
    device_include(device);
    return gl_error_check(device, "raster_run");
}
