/* One step of 2-D smoke on a grid of SIZE x SIZE cells, written by hand in raw GL, as the peer of
 * bench/support/smoke_passes.lua. Both sides follow the arithmetic described here.
 *
 * Fields, row-major, x fastest, at cell centers, velocity in cells per second:
 *   v  vec2   velocity                    s  vec2   smoke: x density, y temperature
 *   p  float  pressure, kept between steps as the first guess of the next
 *   c  float  curl                        d  float  divergence
 * A neighbor outside the grid is the nearest cell inside. Row 0 is the top: warm smoke rises towards smaller y.
 * L R U D are the left, right, upper (y - 1) and lower (y + 1) neighbors.
 *
 * A step, at P = (x, y):
 *  1 advect    v1 = flush(sample(v, P - DT v))
 *  2 curl      c  = 0.5 ((v1.R.y - v1.L.y) - (v1.D.x - v1.U.x))
 *  3 forces    g  = 0.5 (|c.R| - |c.L|, |c.D| - |c.U|);  n = g / (|g| + 1e-5)
 *              v2 = v1 + DT (CONFINE c (n.y, -n.x) + (0, WEIGHT s.x - BUOYANCY s.y))
 *  4 diffuse   20 times: v3 = (v2 + A (v3.L + v3.R + v3.U + v3.D)) / (1 + 4 A), A = VISCOSITY DT, from v3 = v2
 *  5 diverge   d  = 0.5 ((v3.R.x - v3.L.x) + (v3.D.y - v3.U.y))
 *  6 pressure  40 times: p = 0.25 (p.L + p.R + p.U + p.D - d)
 *  7 project   v  = v3 - 0.5 (p.R - p.L, p.D - p.U); inside the obstacle: its velocity
 *  8 carry     s  = flush(FADE sample(s, P - DT v)) + (inside the inlet: DT INFLOW); inside the obstacle: 0
 *
 * sample is bilinear between the four cells around a point, mixed along x first. flush(a) is a where |a| > 1e-9, else
 * 0: it keeps fading fields away from denormal numbers, which are slow. The obstacle is a disc around
 * (SIZE/2 + SIZE/5 sin(0.05 t), SIZE/2) of radius SIZE/16, t counting the steps from 0, and moves with that center;
 * the inlet is a disc around (SIZE/2, 7 SIZE/8) of radius SIZE/16; "inside" is distance < radius. All fields start at 0.
 *
 * Access, measured on llvmpipe: fields are read through buffer textures and stored as vec4 (four scalars or
 * two vectors per invocation), and each invocation marches down ROWS rows, so that a stencil reuses the rows it has. CPU
 * time per step on two cores, for groups of 16, 32, 64 and 128 and 2, 4, 8 and 16 rows: 21.6 ms for 64 and 8, up to 15 %
 * more for its neighbors, 37.6 ms for 16 and 2. */
#include "peer.h"
#include "peers.h"

#include <math.h>

enum { SIZE = 512, GROUP = 64, ROWS = 8, DIFFUSE_STEPS = 20, PRESSURE_STEPS = 40 };

static const float DT = 0.25f;

// clang-format off
/* The constants of the formulas as GLSL, and what every pass shares. X is the texel of an invocation within its row, Y
 * its first row; `up` and `down` are clamped row numbers. */
#define COMMON \
    "#define SIZE %d\n" \
    "#define ROWS %d\n" \
    "#define DT %g\n" \
    "#define CONFINE 0.4\n" \
    "#define WEIGHT 0.05\n" \
    "#define BUOYANCY 0.4\n" \
    "#define VISCOSITY 0.8\n" \
    "#define FADE 0.998\n" \
    "#define INFLOW vec2(0.5, 1.0)\n" \
    "layout(local_size_x = %d) in;\n" \
    "layout(std430, binding = 0) writeonly buffer Result { vec4 result[]; };\n" \
    "layout(binding = 0) uniform samplerBuffer first;\n" \
    "layout(binding = 1) uniform samplerBuffer second;\n" \
    "layout(binding = 2) uniform samplerBuffer third;\n" \
    "layout(location = 0) uniform vec3 disc;\n" \
    "layout(location = 1) uniform vec2 disc_velocity;\n" \
    "int up(int y) { return max(y - 1, 0); }\n" \
    "int down(int y) { return min(y + 1, SIZE - 1); }\n" \
    "vec4 flush(vec4 a) { return mix(vec4(0.0), a, greaterThan(abs(a), vec4(1e-9))); }\n"

/* Four floats or two vec2 per texel and invocation; W texels in a row. */
#define SCALARS \
    "const int W = SIZE / 4;\n" \
    "int X = int(gl_GlobalInvocationID.x), Y = int(gl_GlobalInvocationID.y) * ROWS;\n"
#define VECTORS \
    "const int W = SIZE / 2;\n" \
    "int X = int(gl_GlobalInvocationID.x), Y = int(gl_GlobalInvocationID.y) * ROWS;\n"

/* Bilinear interpolation of a vec2 field (RG32F) at a point. */
#define SAMPLE(field) \
    "vec2 sample_at(vec2 p) {\n" \
    "    p = clamp(p, vec2(0.0), vec2(float(SIZE - 1)));\n" \
    "    ivec2 i = ivec2(p), j = min(i + 1, SIZE - 1);\n" \
    "    vec2 f = p - vec2(i);\n" \
    "    int a = i.y * SIZE, b = j.y * SIZE;\n" \
    "    vec2 upper = mix(texelFetch(" field ", a + i.x).xy, texelFetch(" field ", a + j.x).xy, f.x);\n" \
    "    vec2 lower = mix(texelFetch(" field ", b + i.x).xy, texelFetch(" field ", b + j.x).xy, f.x);\n" \
    "    return mix(upper, lower, f.y);\n" \
    "}\n"

/* first: v as RGBA32F, second: v as RG32F */
static const char *ADVECT = COMMON SAMPLE("second")
    "void main() {\n" VECTORS
    "    for (int k = 0; k < ROWS; k++, Y++) {\n"
    "        int at = Y * W + X;\n"
    "        vec4 v = texelFetch(first, at);\n"
    "        vec2 P = vec2(2 * X, Y);\n"
    "        result[at] = flush(vec4(sample_at(P - DT * v.xy), sample_at(P + vec2(1.0, 0.0) - DT * v.zw)));\n"
    "    }\n"
    "}\n";

/* first: v1 as RGBA32F; two texels of it make the four curls of an invocation. */
static const char *CURL = COMMON
    "vec4 across(int texel) {\n" /* the x components of four cells */
    "    return vec4(texelFetch(first, texel).xz, texelFetch(first, texel + 1).xz);\n"
    "}\n"
    "void main() {\n" SCALARS
    "    const int V = SIZE / 2;\n"
    "    vec4 above = across(up(Y) * V + 2 * X), here = across(Y * V + 2 * X);\n"
    "    for (int k = 0; k < ROWS; k++, Y++) {\n"
    "        int row = Y * V;\n"
    "        vec4 below = across(down(Y) * V + 2 * X);\n"
    "        vec4 a = texelFetch(first, row + 2 * X), b = texelFetch(first, row + 2 * X + 1);\n"
    "        float l = X > 0 ? texelFetch(first, row + 2 * X - 1).w : a.y;\n"
    "        float r = X < W - 1 ? texelFetch(first, row + 2 * X + 2).y : b.w;\n"
    "        result[Y * W + X] = 0.5 * ((vec4(a.w, b.y, b.w, r) - vec4(l, a.y, a.w, b.y)) - (below - above));\n"
    "        above = here; here = below;\n"
    "    }\n"
    "}\n";

/* first: v1 as RGBA32F, second: c as R32F, third: s as RGBA32F */
static const char *FORCES = COMMON
    "float curl(int x, int row) { return texelFetch(second, row + x).x; }\n"
    "vec2 force(float l, float c, float r, float u, float d, vec2 s) {\n"
    "    vec2 g = 0.5 * vec2(abs(r) - abs(l), abs(d) - abs(u));\n"
    "    vec2 n = g / (length(g) + 1e-5);\n"
    "    return CONFINE * c * vec2(n.y, -n.x) + vec2(0.0, WEIGHT * s.x - BUOYANCY * s.y);\n"
    "}\n"
    "void main() {\n" VECTORS
    "    int x = 2 * X, xl = max(x - 1, 0), xr = min(x + 2, SIZE - 1);\n"
    "    int row = up(Y) * SIZE;\n"
    "    vec2 u = vec2(curl(x, row), curl(x + 1, row));\n"
    "    row = Y * SIZE;\n"
    "    vec2 c = vec2(curl(x, row), curl(x + 1, row));\n"
    "    for (int k = 0; k < ROWS; k++, Y++) {\n"
    "        int at = Y * W + X;\n"
    "        float l = curl(xl, Y * SIZE), r = curl(xr, Y * SIZE);\n"
    "        row = down(Y) * SIZE;\n"
    "        vec2 d = vec2(curl(x, row), curl(x + 1, row));\n"
    "        vec4 s = texelFetch(third, at);\n"
    "        vec4 f = vec4(force(l, c.x, c.y, u.x, d.x, s.xy), force(c.x, c.y, r, u.y, d.y, s.zw));\n"
    "        result[at] = texelFetch(first, at) + DT * f;\n"
    "        u = c; c = d;\n"
    "    }\n"
    "}\n";

/* first: v3 as RGBA32F, second: v2 as RGBA32F */
static const char *DIFFUSE = COMMON
    "void main() {\n" VECTORS
    "    const float A = VISCOSITY * DT;\n"
    "    vec4 u = texelFetch(first, up(Y) * W + X), m = texelFetch(first, Y * W + X);\n"
    "    for (int k = 0; k < ROWS; k++, Y++) {\n"
    "        int at = Y * W + X;\n"
    "        vec4 d = texelFetch(first, down(Y) * W + X);\n"
    "        vec2 l = X > 0 ? texelFetch(first, at - 1).zw : m.xy;\n"
    "        vec2 r = X < W - 1 ? texelFetch(first, at + 1).xy : m.zw;\n"
    "        result[at] = (texelFetch(second, at) + A * (vec4(l, m.xy) + vec4(m.zw, r) + u + d)) * (1.0 / (1.0 + 4.0 * A));\n"
    "        u = m; m = d;\n"
    "    }\n"
    "}\n";

/* first: v3 as RGBA32F */
static const char *DIVERGE = COMMON
    "vec4 along(int texel) {\n" /* the y components of four cells */
    "    return vec4(texelFetch(first, texel).yw, texelFetch(first, texel + 1).yw);\n"
    "}\n"
    "void main() {\n" SCALARS
    "    const int V = SIZE / 2;\n"
    "    vec4 above = along(up(Y) * V + 2 * X), here = along(Y * V + 2 * X);\n"
    "    for (int k = 0; k < ROWS; k++, Y++) {\n"
    "        int row = Y * V;\n"
    "        vec4 below = along(down(Y) * V + 2 * X);\n"
    "        vec4 a = texelFetch(first, row + 2 * X), b = texelFetch(first, row + 2 * X + 1);\n"
    "        float l = X > 0 ? texelFetch(first, row + 2 * X - 1).z : a.x;\n"
    "        float r = X < W - 1 ? texelFetch(first, row + 2 * X + 2).x : b.z;\n"
    "        result[Y * W + X] = 0.5 * ((vec4(a.z, b.x, b.z, r) - vec4(l, a.x, a.z, b.x)) + (below - above));\n"
    "        above = here; here = below;\n"
    "    }\n"
    "}\n";

/* first: p as RGBA32F, second: d as RGBA32F */
static const char *PRESSURE = COMMON
    "void main() {\n" SCALARS
    "    vec4 u = texelFetch(first, up(Y) * W + X), m = texelFetch(first, Y * W + X);\n"
    "    for (int k = 0; k < ROWS; k++, Y++) {\n"
    "        int at = Y * W + X;\n"
    "        vec4 d = texelFetch(first, down(Y) * W + X);\n"
    "        float l = X > 0 ? texelFetch(first, at - 1).w : m.x;\n"
    "        float r = X < W - 1 ? texelFetch(first, at + 1).x : m.w;\n"
    "        result[at] = 0.25 * (vec4(l, m.xyz) + vec4(m.yzw, r) + u + d - texelFetch(second, at));\n"
    "        u = m; m = d;\n"
    "    }\n"
    "}\n";

/* first: v3 as RGBA32F, second: p as R32F */
static const char *PROJECT = COMMON
    "float pressure(int x, int row) { return texelFetch(second, row + x).x; }\n"
    "vec2 solid(vec2 v, vec2 P) { return distance(P, disc.xy) < disc.z ? disc_velocity : v; }\n"
    "void main() {\n" VECTORS
    "    int x = 2 * X, xl = max(x - 1, 0), xr = min(x + 2, SIZE - 1);\n"
    "    int row = up(Y) * SIZE;\n"
    "    vec2 u = vec2(pressure(x, row), pressure(x + 1, row));\n"
    "    row = Y * SIZE;\n"
    "    vec2 m = vec2(pressure(x, row), pressure(x + 1, row));\n"
    "    for (int k = 0; k < ROWS; k++, Y++) {\n"
    "        int at = Y * W + X;\n"
    "        float l = pressure(xl, Y * SIZE), r = pressure(xr, Y * SIZE);\n"
    "        row = down(Y) * SIZE;\n"
    "        vec2 d = vec2(pressure(x, row), pressure(x + 1, row));\n"
    "        vec4 v = texelFetch(first, at) - 0.5 * vec4(m.y - l, d.x - u.x, r - m.x, d.y - u.y);\n"
    "        vec2 P = vec2(x, Y);\n"
    "        result[at] = vec4(solid(v.xy, P), solid(v.zw, P + vec2(1.0, 0.0)));\n"
    "        u = m; m = d;\n"
    "    }\n"
    "}\n";

/* first: v as RGBA32F, second: s as RG32F */
static const char *CARRY = COMMON SAMPLE("second")
    "vec2 source(vec2 P) {\n"
    "    return distance(P, vec2(SIZE / 2, 7 * SIZE / 8)) < float(SIZE / 16) ? DT * INFLOW : vec2(0.0);\n"
    "}\n"
    "float open(vec2 P) { return distance(P, disc.xy) < disc.z ? 0.0 : 1.0; }\n"
    "void main() {\n" VECTORS
    "    for (int k = 0; k < ROWS; k++, Y++) {\n"
    "        int at = Y * W + X;\n"
    "        vec4 v = texelFetch(first, at);\n"
    "        vec2 P = vec2(2 * X, Y), Q = P + vec2(1.0, 0.0);\n"
    "        vec4 s = flush(FADE * vec4(sample_at(P - DT * v.xy), sample_at(Q - DT * v.zw)));\n"
    "        s += vec4(source(P), source(Q));\n"
    "        result[at] = s * vec4(vec2(open(P)), vec2(open(Q)));\n"
    "    }\n"
    "}\n";
// clang-format on

/* A field in two copies: a pass reads `now` and writes the other, then they are exchanged. A copy has views as words, pairs
 * (RG32F) and quads (RGBA32F), of which only some are used. */
typedef struct Field {
    GLuint buffer[2], words[2], pairs[2], quads[2];
    size_t bytes;
    int now;
} Field;

enum {
    PASS_ADVECT,
    PASS_CURL,
    PASS_FORCES,
    PASS_DIFFUSE,
    PASS_DIVERGE,
    PASS_PRESSURE,
    PASS_PROJECT,
    PASS_CARRY,
    PASSES
};

static GLuint passes[PASSES];
static Field velocity, relaxed, smoke, pressure, curl, divergence;
static int steps;

static void field_create(Field *field, int components)
{
    field->bytes = (size_t)SIZE * SIZE * 4 * (size_t)components;
    field->now = 0;
    for (int i = 0; i < 2; i++) {
        field->buffer[i] = peer_buffer(field->bytes, NULL);
        field->words[i] = peer_texture(field->buffer[i], GL_R32F);
        field->pairs[i] = peer_texture(field->buffer[i], GL_RG32F);
        field->quads[i] = peer_texture(field->buffer[i], GL_RGBA32F);
    }
}

static void create(void)
{
    if (passes[0]) return;
    const char *texts[PASSES] = {ADVECT, CURL, FORCES, DIFFUSE, DIVERGE, PRESSURE, PROJECT, CARRY};
    for (int i = 0; i < PASSES; i++) passes[i] = peer_program(texts[i], SIZE, ROWS, (double)DT, GROUP);
    field_create(&velocity, 2);
    field_create(&relaxed, 2);
    field_create(&smoke, 2);
    field_create(&pressure, 1);
    field_create(&curl, 1);
    field_create(&divergence, 1);
}

/* Runs a pass that writes the other copy of `result`; its textures are bound already. */
static void run_pass(int pass, Field *result)
{
    int to = !result->now;
    bool scalars = result->bytes == (size_t)SIZE * SIZE * 4;
    glUseProgram(passes[pass]);
    peer_bind_block(0, result->buffer[to], result->bytes);
    glDispatchCompute((GLuint)(SIZE / (scalars ? 4 : 2) / GROUP), SIZE / ROWS, 1);
    glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT);
    result->now = to;
}

static GLuint words(const Field *field)
{
    return field->words[field->now];
}
static GLuint pairs(const Field *field)
{
    return field->pairs[field->now];
}
static GLuint quads(const Field *field)
{
    return field->quads[field->now];
}

static void place_obstacle(int pass)
{
    double middle = SIZE / 2, reach = (double)SIZE / 5.0;
    double now = middle + reach * sin(0.05 * steps), before = middle + reach * sin(0.05 * (steps - 1));
    glUseProgram(passes[pass]);
    glUniform3f(0, (float)now, (float)middle, SIZE / 16);
    glUniform2f(1, (float)((now - before) / DT), 0);
}

static void step_velocity(void)
{
    peer_bind_texture(0, quads(&velocity));
    peer_bind_texture(1, pairs(&velocity));
    run_pass(PASS_ADVECT, &velocity);
    peer_bind_texture(0, quads(&velocity));
    run_pass(PASS_CURL, &curl);
    peer_bind_texture(1, words(&curl));
    peer_bind_texture(2, quads(&smoke));
    run_pass(PASS_FORCES, &velocity);
    peer_bind_texture(1, quads(&velocity));
    for (int k = 0; k < DIFFUSE_STEPS; k++) {
        peer_bind_texture(0, k ? quads(&relaxed) : quads(&velocity));
        run_pass(PASS_DIFFUSE, &relaxed);
    }
}

static void step_pressure(void)
{
    peer_bind_texture(0, quads(&relaxed));
    run_pass(PASS_DIVERGE, &divergence);
    peer_bind_texture(1, quads(&divergence));
    for (int k = 0; k < PRESSURE_STEPS; k++) {
        peer_bind_texture(0, quads(&pressure));
        run_pass(PASS_PRESSURE, &pressure);
    }
    peer_bind_texture(0, quads(&relaxed));
    peer_bind_texture(1, words(&pressure));
    place_obstacle(PASS_PROJECT);
    run_pass(PASS_PROJECT, &velocity);
}

static void step(void *unused)
{
    (void)unused;
    step_velocity();
    step_pressure();
    peer_bind_texture(0, quads(&velocity));
    peer_bind_texture(1, pairs(&smoke));
    place_obstacle(PASS_CARRY);
    run_pass(PASS_CARRY, &smoke);
    steps++;
}

double peer_smoke_step(int n)
{
    create();
    return peer_time(n, step, NULL);
}

void peer_smoke_reset(void)
{
    create();
    Field *fields[] = {&velocity, &relaxed, &smoke, &pressure, &curl, &divergence};
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
        for (int i = 0; i < 2; i++) {
            glBindBuffer(GL_SHADER_STORAGE_BUFFER, fields[f]->buffer[i]);
            glClearBufferData(GL_SHADER_STORAGE_BUFFER, GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, NULL);
        }
    steps = 0;
}

size_t peer_smoke_read(PeerSmokeField which, float *values)
{
    create();
    const Field *field = which == PEER_VELOCITY   ? &velocity
                         : which == PEER_SMOKE    ? &smoke
                         : which == PEER_PRESSURE ? &pressure
                                                  : &divergence;
    if (values) peer_read(field->buffer[field->now], 0, field->bytes, values);
    return field->bytes;
}
