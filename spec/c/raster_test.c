/* Tests the rasterizer (src/gpu/raster/raster.h): coverage compared with an exact reference, depth order, bad indices, samples along long sides, and
 * the state of graphics commands after a run. */
#include "device.h"

#include "gpu/context/device_private.h"
#include "gpu/raster/raster.h"

#include <math.h>

enum { COLUMNS = 24, ROWS = 16, PIXELS = COLUMNS * ROWS, MOST = 64 };

typedef struct Corner {
    float x, y, z, w;
} Corner;

/* A vertex at a position in pixels right of and below the center of the image. */
static Corner corner(float x, float y, float z)
{
    return (Corner){x, y, z, 1};
}

static Buffer *upload(const void *data, size_t bytes)
{
    Buffer *buffer = buffer_create(device, bytes, false);
    unit_check(buffer);
    unit_check(buffer_write(buffer, 0, data, bytes));
    return buffer;
}

static RasterMesh mesh_of(const Corner *corners, size_t vertices, const uint32_t *triangles, size_t faces)
{
    return (RasterMesh){.clips = upload(corners, vertices * sizeof *corners),
                        .triangles = upload(triangles, faces * 3 * sizeof *triangles),
                        .vertices = vertices,
                        .faces = faces};
}

static void release(RasterMesh *mesh)
{
    buffer_release(mesh->clips);
    buffer_release(mesh->triangles);
}

/* Runs a pass over one mesh. `target` and `depth` have `pixels` 32-bit words; `target` is also the initial value. */
static void run(RasterPass pass, int columns, int rows, const RasterMesh *mesh, void *target, float *depth)
{
    size_t bytes = 4 * (size_t)columns * (size_t)rows;
    Buffer *to = upload(target, bytes), *depths = depth ? buffer_create(device, bytes, false) : NULL;
    RasterRun r = {.pass = pass,
                   .columns = columns,
                   .rows = rows,
                   .meshes = mesh,
                   .mesh_count = mesh != NULL,
                   .target = to,
                   .depth = depths};
    unit_check(raster_run(device, &r));
    unit_check(buffer_read(to, 0, target, bytes));
    buffer_release(to);
    if (depth) {
        unit_check(buffer_read(depths, 0, depth, bytes));
        buffer_release(depths);
    }
}

/* Returns twice the signed area of a triangle of points in 1/512 pixel. */
static int64_t area(const int64_t a[2], const int64_t b[2], const int64_t c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Returns 1 if the center of a pixel is in the triangle, 0 if it is outside, and -1 if it is on an edge. */
static int inside(const Corner t[3], int column, int row)
{
    int64_t p[3][2], q[2] = {512 * (column - COLUMNS / 2) + 256, 512 * (row - ROWS / 2) + 256};
    for (int k = 0; k < 3; k++) {
        p[k][0] = (int64_t)(512 * t[k].x), p[k][1] = (int64_t)(512 * t[k].y);
    }
    int64_t whole = area(p[0], p[1], p[2]), least = INT64_MAX;
    for (int k = 0; k < 3; k++) {
        int64_t part = area(p[k], p[(k + 1) % 3], q) * (whole < 0 ? -1 : 1);
        least = part < least ? part : least;
    }
    return whole == 0 || least < 0 ? 0 : least == 0 ? -1 : 1;
}

static uint32_t seed = 1;

static uint32_t next(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

/* Random triangles, also across the border of the image. Corners are multiples of 1/256 pixel, to which all devices round exactly. */
static void test_covers_pixels_whose_centers_are_inside(void **state)
{
    (void)state;
    Corner corners[3 * MOST];
    uint32_t triangles[3 * MOST];
    int hits[PIXELS] = {0}, checked = 0;
    for (uint32_t i = 0; i < 3 * MOST; i++) {
        float reach = i < 3 * MOST / 2 ? 16 : 200; /* pixels */
        corners[i] = corner((float)next(512 * (uint32_t)reach) / 256 - reach,
                            (float)next(512 * (uint32_t)reach) / 256 - reach, 0.5f);
        triangles[i] = i;
    }
    RasterMesh mesh = mesh_of(corners, 3 * MOST, triangles, MOST);
    run(RASTER_HITS, COLUMNS, ROWS, &mesh, hits, NULL);
    for (int i = 0; i < PIXELS; i++) {
        int certain = 0, possible = 0;
        for (int t = 0; t < MOST; t++) {
            int found = inside(corners + 3 * t, i % COLUMNS, i / COLUMNS);
            certain += found == 1, possible += found != 0;
        }
        assert_in_range(hits[i], certain, possible);
        checked += certain == possible;
    }
    assert_true(checked > PIXELS * 9 / 10);
    release(&mesh);
}

/* Pixels whose centers are on the common edges of four triangles are covered once. */
static void test_covers_centers_on_common_edges_once(void **state)
{
    (void)state;
    const Corner corners[] = {corner(-9.5f, -5.5f, 0.5f), corner(5.5f, -5.5f, 0.5f), corner(5.5f, 5.5f, 0.5f),
                              corner(-9.5f, 5.5f, 0.5f), corner(0.5f, 0.5f, 0.5f)};
    const uint32_t triangles[] = {0, 1, 4, 1, 2, 4, 4, 2, 3, 3, 0, 4};
    int hits[PIXELS] = {0}, covered = 0;
    RasterMesh mesh = mesh_of(corners, 5, triangles, 4);
    run(RASTER_HITS, COLUMNS, ROWS, &mesh, hits, NULL);
    for (int i = 0; i < PIXELS; i++) {
        int column = i % COLUMNS, row = i / COLUMNS;
        bool within = column > 2 && column < 17 && row > 2 && row < 13; /* not on the outer edges */
        assert_in_range(hits[i], within, 1);
        covered += hits[i];
    }
    assert_int_equal(covered, 15 * 11); /* of two opposite outer edges one belongs to the square */
    release(&mesh);
}

static void test_shows_the_nearest_face(void **state)
{
    (void)state;
    /* The first two faces cross, the third face is behind both, and the fourth face repeats the first. */
    const Corner corners[] = {corner(-90, -90, 0.2f), corner(90, -90, 0.8f), corner(0, 90, 0.5f),
                              corner(-90, -90, 0.8f), corner(90, -90, 0.2f), corner(0, 90, 0.5f),
                              corner(-90, -90, 0.1f), corner(90, -90, 0.1f), corner(0, 90, 0.1f)};
    const uint32_t triangles[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2};
    int faces[PIXELS] = {0};
    float depths[PIXELS], alone[PIXELS] = {0};
    RasterMesh mesh = mesh_of(corners, 9, triangles, 4);
    mesh.base = 5;
    run(RASTER_VISIBLE, COLUMNS, ROWS, &mesh, faces, depths);
    run(RASTER_DEPTH, COLUMNS, ROWS, &mesh, alone, NULL);
    for (int i = 0; i < PIXELS; i++) {
        float x = (float)(i % COLUMNS) + 0.5f - COLUMNS / 2, expected = 0.5f + 0.3f * fabsf(x) / 90;
        assert_int_equal(faces[i], x > 0 ? 5 : 6);
        assert_float_equal(depths[i], expected, 1e-6f);
        assert_true(depths[i] == alone[i]);
    }
    release(&mesh);
}

/* The fourth vertex is not finite, the fifth is beyond the vertices. */
static void test_skips_bad_vertices(void **state)
{
    (void)state;
    const Corner corners[] = {
        corner(-9, -9, 0.5f), corner(9, -9, 0.5f), corner(0, 9, 0.5f), {0, 0, 1e30f, 0}, corner(90, 90, 0.5f)};
    const uint32_t triangles[] = {0, 1, 3, 3, 3, 3, 0, 1, 4, 0, UINT32_MAX, 2, 2, 2, 2, 0, 1, 1};
    int hits[PIXELS] = {0};
    RasterMesh mesh = mesh_of(corners, 5, triangles, 6);
    mesh.vertices = 4;
    run(RASTER_HITS, COLUMNS, ROWS, &mesh, hits, NULL);
    for (int i = 0; i < PIXELS; i++) {
        assert_int_equal(hits[i], 0);
    }
    release(&mesh);
}

static void test_accepts_no_triangles(void **state)
{
    (void)state;
    int faces[PIXELS] = {0}, hits[PIXELS] = {0};
    float depths[PIXELS];
    const Corner one = corner(0, 0, 0);
    RasterMesh mesh = mesh_of(&one, 1, (uint32_t[3]){0, 0, 0}, 1);
    mesh.faces = 0;
    run(RASTER_VISIBLE, COLUMNS, ROWS, &mesh, faces, depths);
    run(RASTER_HITS, COLUMNS, ROWS, NULL, hits, NULL);
    for (int i = 0; i < PIXELS; i++) {
        assert_int_equal(faces[i], -1);
        assert_true(depths[i] == 0 && hits[i] == 0);
    }
    release(&mesh);
}

/* A long row of pixels, as many samples per pixel need, and an image that is too large. */
static void test_draws_long_rows(void **state)
{
    (void)state;
    enum { LONG = 8192 };
    const Corner corners[] = {corner(-LONG, -9, 0.5f), corner(LONG, -9, 0.5f), corner(0, 90000, 0.5f)};
    RasterMesh mesh = mesh_of(corners, 3, (uint32_t[]){0, 1, 2}, 1);
    int *faces = calloc(LONG, sizeof *faces);
    assert_non_null(faces);
    run(RASTER_VISIBLE, LONG, 1, &mesh, faces, NULL);
    for (int i = 0; i < LONG; i++) {
        assert_int_equal(faces[i], 0);
    }
    run(RASTER_VISIBLE, 1, LONG, &mesh, faces, NULL);
    assert_int_equal(faces[0], -1);
    assert_int_equal(faces[LONG - 1], 0);
    free(faces);
    release(&mesh);
    unit_fails(raster_supports(device, 1 << 24, 1), "samples; the rasterizer of");
}

/* Checks that the state of graphics commands has OpenGL's default values, which other files of src/gpu rely on. */
static void check_defaults(void)
{
    static const GLenum names[] = {GL_DRAW_FRAMEBUFFER_BINDING, GL_READ_FRAMEBUFFER_BINDING,
                                   GL_RENDERBUFFER_BINDING,     GL_CURRENT_PROGRAM,
                                   GL_VERTEX_ARRAY_BINDING,     GL_PIXEL_PACK_BUFFER_BINDING};
    static const GLenum switches[] = {GL_DEPTH_TEST,   GL_CULL_FACE,          GL_SCISSOR_TEST, GL_BLEND,
                                      GL_STENCIL_TEST, GL_RASTERIZER_DISCARD, GL_DEPTH_CLAMP};
    GLint value = -1, viewport[4], mask[4];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        glGetIntegerv(names[i], &value);
        assert_int_equal(value, 0);
    }
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
        assert_false(glIsEnabled(switches[i]));
    }
    glGetIntegerv(GL_VIEWPORT, viewport);
    assert_true(viewport[0] == 0 && viewport[1] == 0 && viewport[2] == 0 && viewport[3] == 0);
    glGetIntegerv(GL_COLOR_WRITEMASK, mask);
    assert_true(mask[0] && mask[1] && mask[2] && mask[3]);
    glGetIntegerv(GL_DEPTH_FUNC, &value);
    assert_int_equal(value, GL_LESS);
    glGetIntegerv(GL_CLIP_ORIGIN, &value);
    assert_int_equal(value, GL_LOWER_LEFT);
    glGetIntegerv(GL_CLIP_DEPTH_MODE, &value);
    assert_int_equal(value, GL_NEGATIVE_ONE_TO_ONE);
    assert_int_equal(glGetError(), GL_NO_ERROR);
}

static RasterMesh one_triangle(void)
{
    const Corner corners[] = {corner(-90, -90, 0.5f), corner(90, -90, 0.5f), corner(0, 90, 0.5f)};
    return mesh_of(corners, 3, (uint32_t[]){0, 1, 2}, 1);
}

static void test_restores_the_defaults(void **state)
{
    (void)state;
    RasterMesh mesh = one_triangle();
    int target[PIXELS] = {0};
    check_defaults();
    static const RasterPass passes[] = {RASTER_VISIBLE, RASTER_DEPTH, RASTER_HITS, RASTER_INVOCATIONS};
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        run(passes[i], COLUMNS, ROWS, &mesh, target, NULL);
        check_defaults();
    }
    release(&mesh);
}

/* The host program's context: it is current again after device_leave, with its state. */
static void test_leaves_the_context_of_a_host_program(void **state)
{
    (void)state;
    RasterMesh mesh = one_triangle();
    static const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 3, EGL_NONE};
    EGLenum api = eglQueryAPI();
    eglBindAPI(EGL_OPENGL_API);
    EGLContext host = eglCreateContext(device->display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
    eglBindAPI(api);
    assert_ptr_not_equal(host, EGL_NO_CONTEXT);
    device_leave(&scope);
    assert_true(eglMakeCurrent(device->display, EGL_NO_SURFACE, EGL_NO_SURFACE, host));
    GLuint array, framebuffer;
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(1, 2, 3, 4);
    glEnable(GL_CULL_FACE);
    glDepthFunc(GL_ALWAYS);
    glColorMask(GL_TRUE, GL_FALSE, GL_TRUE, GL_FALSE);
    DeviceScope inner;
    assert_true(device_enter(device, &inner));
    int target[PIXELS] = {0};
    run(RASTER_VISIBLE, COLUMNS, ROWS, &mesh, target, NULL);
    release(&mesh);
    device_leave(&inner);
    assert_ptr_equal(eglGetCurrentContext(), host);
    GLint value = 0, viewport[4], mask[4];
    glGetIntegerv(GL_VERTEX_ARRAY_BINDING, &value);
    assert_int_equal(value, array);
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &value);
    assert_int_equal(value, framebuffer);
    glGetIntegerv(GL_VIEWPORT, viewport);
    assert_true(viewport[0] == 1 && viewport[1] == 2 && viewport[2] == 3 && viewport[3] == 4);
    assert_true(glIsEnabled(GL_CULL_FACE) && !glIsEnabled(GL_DEPTH_TEST));
    glGetIntegerv(GL_DEPTH_FUNC, &value);
    assert_int_equal(value, GL_ALWAYS);
    glGetIntegerv(GL_COLOR_WRITEMASK, mask);
    assert_true(mask[0] && !mask[1] && mask[2] && !mask[3]);
    eglMakeCurrent(device->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(device->display, host);
    assert_true(device_enter(device, &scope));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_covers_pixels_whose_centers_are_inside),
        cmocka_unit_test(test_covers_centers_on_common_edges_once),
        cmocka_unit_test(test_shows_the_nearest_face),
        cmocka_unit_test(test_skips_bad_vertices),
        cmocka_unit_test(test_accepts_no_triangles),
        cmocka_unit_test(test_draws_long_rows),
        cmocka_unit_test(test_restores_the_defaults),
        cmocka_unit_test(test_leaves_the_context_of_a_host_program),
    };
    return cmocka_run_group_tests(tests, device_setup, device_teardown);
}
