/* Draws a mesh by the driver's pipeline: vertex shader, fixed-function rasterizer and depth test, and the lighting of rill.render's smooth shading in
 * the fragment shader, at side x side samples per pixel. A second pass averages the samples and converts to sRGB. */
#include "peer.h"
#include "peers.h"

static const char *VERTEX =
    "#version 430\n"
    "layout(location = 0) in vec3 place;\n"
    "layout(location = 1) in vec3 normal;\n"
    "layout(location = 0) uniform vec3 eye;\n"
    "layout(location = 1) uniform vec3 right;\n"
    "layout(location = 2) uniform vec3 above;\n"
    "layout(location = 3) uniform vec3 ahead;\n"
    "layout(location = 4) uniform vec3 scale;\n" /* of x and y, and the near plane's distance */
    "out vec3 at;\n"
    "out vec3 n;\n"
    "void main() {\n"
    "    vec3 d = place - eye;\n"
    "    float w = dot(d, ahead);\n"
    "    gl_Position = vec4(scale.x * dot(d, right), -scale.y * dot(d, above), w - 2.0 * scale.z, w);\n"
    "    at = place;\n"
    "    n = normal;\n"
    "}\n";

static const char *FRAGMENT =
    "#version 430\n"
    "layout(location = 0) uniform vec3 eye;\n"
    "layout(location = 5) uniform vec3 light;\n"
    "layout(location = 6) uniform vec3 up;\n"
    "layout(location = 7) uniform vec3 tint;\n"
    "in vec3 at;\n"
    "in vec3 n;\n"
    "layout(location = 0) out vec4 color;\n"
    "void main() {\n"
    "    vec3 view = normalize(eye - at), plane = cross(dFdx(at), dFdy(at)), m = normalize(n);\n"
    "    if (dot(plane, view) < 0.0) plane = -plane;\n"
    "    if (dot(m, plane) < 0.0) m = -m;\n"
    "    float facing = max(dot(m, light), 0.0), shine = pow(max(dot(m, normalize(light + view)), 0.0), 40.0);\n"
    "    vec3 sky = mix(vec3(0.13, 0.12, 0.11), vec3(0.24, 0.26, 0.30), 0.5 + 0.5 * dot(m, up));\n"
    "    vec3 c = tint * (sky + 0.12 * max(dot(m, view), 0.0) + 0.78 * facing) + 0.06 * shine * step(0.0, dot(m, "
    "light));\n"
    "    color = vec4(c, 1.0);\n"
    "}\n";

static const char *WHOLE =
    "#version 430\n"
    "void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }\n";

static const char *RESOLVE =
    "#version 430\n"
    "layout(binding = 0) uniform sampler2D samples;\n"
    "layout(location = 0) uniform int side;\n"
    "layout(location = 0) out vec4 color;\n"
    "void main() {\n"
    "    vec3 c = vec3(0.0);\n"
    "    for (int i = 0; i < side * side; i++) c += texelFetch(samples, ivec2(gl_FragCoord.xy) * side + ivec2(i % "
    "side, i / "
    "side), 0).rgb;\n"
    "    c = clamp(c / float(side * side), 0.0, 1.0);\n"
    "    color = vec4(mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, greaterThan(c, vec3(0.0031308))), 1.0);\n"
    "}\n";

static GLuint program, resolver, sampled, frames[2]; /* of the samples, of the picture */

static void attach(GLuint program, GLenum kind, const char *text)
{
    GLuint shader = glCreateShader(kind);
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glDeleteShader(shader);
}

static GLuint create(const char *vertex, const char *fragment)
{
    GLuint made = glCreateProgram();
    attach(made, GL_VERTEX_SHADER, vertex);
    attach(made, GL_FRAGMENT_SHADER, fragment);
    glLinkProgram(made);
    GLint linked = 0;
    glGetProgramiv(made, GL_LINK_STATUS, &linked);
    if (!linked) peer_fail("the pipeline's program does not link");
    return made;
}

static void draw(void *data)
{
    const PeerDraw *d = data;
    glBindFramebuffer(GL_FRAMEBUFFER, frames[0]);
    glViewport(0, 0, d->side * d->columns, d->side * d->rows);
    glEnable(GL_DEPTH_TEST);
    glUseProgram(program);
    glClearColor(d->background[0], d->background[1], d->background[2], 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glDrawElements(GL_TRIANGLES, (GLsizei)(3 * d->faces), GL_UNSIGNED_INT, NULL);
    glBindFramebuffer(GL_FRAMEBUFFER, frames[1]);
    glViewport(0, 0, d->columns, d->rows);
    glDisable(GL_DEPTH_TEST);
    glUseProgram(resolver);
    glBindTexture(GL_TEXTURE_2D, sampled);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void set(const PeerDraw *d)
{
    if (!program) {
        program = create(VERTEX, FRAGMENT);
        resolver = create(WHOLE, RESOLVE);
    }
    glUseProgram(program);
    for (int i = 0; i < PEER_DRAW_VECTORS; i++) glUniform3fv(i, 1, d->vectors[i]);
    glUseProgram(resolver);
    glUniform1i(0, d->side);
    glDepthFunc(GL_LESS);
    glActiveTexture(GL_TEXTURE0);
}

static GLuint target(GLenum format, GLenum point, int columns, int rows)
{
    GLuint made;
    glGenRenderbuffers(1, &made);
    glBindRenderbuffer(GL_RENDERBUFFER, made);
    glRenderbufferStorage(GL_RENDERBUFFER, format, columns, rows);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, point, GL_RENDERBUFFER, made);
    return made;
}

double peer_draw(const PeerDraw *d, float *picture, int runs)
{
    GLuint array, buffers[3];
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    for (int i = 0; i < 2; i++) {
        buffers[i] = peer_buffer((size_t)d->vertices * 12, i == 0 ? d->places : d->normals);
        glBindBuffer(GL_ARRAY_BUFFER, buffers[i]);
        glVertexAttribPointer((GLuint)i, 3, GL_FLOAT, GL_FALSE, 0, NULL);
        glEnableVertexAttribArray((GLuint)i);
    }
    buffers[2] = peer_buffer((size_t)d->faces * 12, d->triangles);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[2]);
    glGenFramebuffers(2, frames);
    glBindFramebuffer(GL_FRAMEBUFFER, frames[0]);
    glGenTextures(1, &sampled);
    glBindTexture(GL_TEXTURE_2D, sampled);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA32F, d->side * d->columns, d->side * d->rows);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, sampled, 0);
    GLuint depths = target(GL_DEPTH_COMPONENT32F, GL_DEPTH_ATTACHMENT, d->side * d->columns, d->side * d->rows);
    glBindFramebuffer(GL_FRAMEBUFFER, frames[1]);
    GLuint colors = target(GL_RGBA32F, GL_COLOR_ATTACHMENT0, d->columns, d->rows);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) peer_fail("no framebuffer to draw into");
    set(d);
    draw((void *)(uintptr_t)d);
    double seconds = peer_time(runs, draw, (void *)(uintptr_t)d);
    glReadPixels(0, 0, d->columns, d->rows, GL_RGB, GL_FLOAT, picture);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glDeleteFramebuffers(2, frames);
    glDeleteTextures(1, &sampled);
    glDeleteRenderbuffers(1, &colors);
    glDeleteRenderbuffers(1, &depths);
    glDeleteBuffers(3, buffers);
    glBindVertexArray(0);
    glDeleteVertexArrays(1, &array);
    return seconds;
}
