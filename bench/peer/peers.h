/* The peers. Each runs the workload of its benchmark and returns the seconds per run. The peers' context
 * must be current (peer_enter). Inputs and programs are made on first use, outside the timing. */
#ifndef RILL_PEERS_H
#define RILL_PEERS_H

#include <stddef.h>
#include <stdint.h>

enum { PEER_COUNT = 1 << 24, PEER_GRID = 1024, PEER_SMALL = 64 };

/* r = 2.5 x + y over PEER_COUNT floats: one float per invocation through storage blocks in groups of `group`, and the
 * hand-tuned form. */
double peer_saxpy_naive(int group, int runs);
double peer_saxpy_tuned(int runs);

/* Sum of PEER_COUNT floats: a C loop on one thread, and the hand-tuned shader. */
double peer_sum_c(int runs, float *sum);
double peer_sum_tuned(int runs, float *sum);

/* One 5-point Jacobi step (the mean of the four neighbors, clamped at the edges) on PEER_GRID^2 floats. */
double peer_jacobi_naive(int width, int height, int runs);
double peer_jacobi_tuned(int runs);

/* The GL calls of one saxpy launch over PEER_SMALL floats. */
double peer_launch(int runs);

/* Smoke: see peer_smoke.c. */
typedef enum PeerSmokeField { PEER_VELOCITY, PEER_SMOKE, PEER_PRESSURE, PEER_DIVERGENCE } PeerSmokeField;
double peer_smoke_step(int n);
void peer_smoke_reset(void);
/* Copies a field to `values`, unless it is NULL, and returns the field's size in bytes. */
size_t peer_smoke_read(PeerSmokeField which, float *values);

/* Multigrid from zero for -laplace x = b, n x n doubles, n = 2^k - 1, until the relative residual is `tolerance`. Returns the
 * seconds, and sets the number of cycles and the residual. */
double peer_multigrid(size_t n, const double *b, double tolerance, int *cycles, double *reached);

/* Smoke on n^3 cells, from rest and the density `begin`. After some warm-up steps it returns the seconds per step, and sets the remaining divergence (RMS). */
double peer_fluid(int n, const float *begin, int warm, int steps, double *left);

/* Renders n^3 voxels of unit spacing from the origin into size x size pixels, rgb floats, from an eye that looks at their center, with z up and a field of view
 * of so many degrees. Returns the seconds. */
double peer_march(int n, const float *volume, const float eye[3], float degrees, int size, float *picture);

/* Particles in a unit box, without walls, with gravity along the last dimension. `places` has `dimensions` floats per particle, and is updated to the positions
 * after `before` steps and the `runs` timed steps. Returns the seconds per step. */
typedef struct PeerSph {
    int dimensions, count;
    float radius, mass, rest, sound, viscosity, gravity;
} PeerSph;
double peer_sph(const PeerSph *how, float *places, int before, int runs);

/* Draws a mesh by vertex and fragment shaders into columns x rows pixels of side x side samples, rgb floats, top row first. The vectors are eye, right, above, ahead, scales, light, up
 * and color. Returns the seconds per image. */
enum { PEER_DRAW_VECTORS = 8 };
typedef struct PeerDraw {
    int vertices, faces, columns, rows, side;
    const float *places, *normals;
    const int *triangles;
    float vectors[PEER_DRAW_VECTORS][3], background[3];
} PeerDraw;
double peer_draw(const PeerDraw *given, float *picture, int runs);

/* peer_obj reads an OBJ file of triangles. peer_loop computes a level of Loop's subdivision of a closed mesh: `out` gets the old vertices and one new one per edge,
 * `split` four triangles for each. Both return the seconds. */
double peer_obj(const char *path, int *vertices, int *faces);
double peer_loop(const float *places, int vertices, const int *triangles, int faces, float *out, int *split);

/* libmeshoptimizer. peer_meshopt_order writes the triangles in its order for vertex caches and returns the seconds. peer_meshopt_acmr returns the misses per triangle
 * of its model of a cache: {entries, indices in a warp, triangles in a group}. Both return -1 if the library is not installed. */
double peer_meshopt_order(const unsigned *triangles, size_t indices, size_t vertices, unsigned *out);
double peer_meshopt_acmr(const unsigned *triangles, size_t indices, size_t vertices, const unsigned model[3]);

/* Runs steps of "nbody", "wave", "heat" or "cloth" from x and v, of so many bytes each: rows bodies, or rows x columns cells or particles. `v` has velocities, or
 * conductances for "heat". `after` gets x after `before` steps and the `runs` timed steps. Returns the seconds per step. */
typedef struct PeerMotion {
    int rows, columns;
    float dt, numbers[4], *x, *v;
} PeerMotion;
double peer_motion(const char *kind, const PeerMotion *given, size_t bytes, float *after, int before, int runs);

/* Programs in a benchmark's GLSL, with a result of so many bytes at block 0 and buffer textures of inputs from unit 0 on, whose texels are
 * one or four 32-bit words. peer_shader returns the program's number, which the other functions take. peer_shader_read copies the
 * result, unless its pointer is NULL, and returns its size. */
enum { PEER_SHADER_INPUTS = 8 };
typedef struct PeerShaderInput {
    const void *data;
    size_t bytes;
    int quads;
} PeerShaderInput;
int peer_shader(const char *glsl, int groups, size_t bytes, int inputs, const PeerShaderInput *given);
double peer_shader_run(int number, int runs);
size_t peer_shader_read(int number, void *values);
void peer_shader_close(int number);

#endif
