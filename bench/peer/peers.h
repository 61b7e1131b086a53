/* The peers: each runs once what its bench measures and returns the seconds one run took. The peers' context
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

/* One 5-point Jacobi step (the mean of the four neighbours, clamped at the edges) on PEER_GRID^2 floats. */
double peer_jacobi_naive(int width, int height, int runs);
double peer_jacobi_tuned(int runs);

/* The GL calls of one saxpy launch over PEER_SMALL floats. */
double peer_launch(int runs);

/* Smoke: see peer_smoke.c. */
typedef enum PeerSmokeField { PEER_VELOCITY, PEER_SMOKE, PEER_PRESSURE, PEER_DIVERGENCE } PeerSmokeField;
double peer_smoke_step(int n);
void peer_smoke_reset(void);
/* Copies a field to `values` (NULL: only asks) and returns its size in bytes. */
size_t peer_smoke_read(PeerSmokeField which, float *values);

/* Multigrid from zero for -laplace x = b, n x n doubles, n = 2^k - 1, until the residual is `tolerance` of b: the seconds it took, and how
 * many cycles to what residual. */
double peer_multigrid(size_t n, const double *b, double tolerance, int *cycles, double *reached);

/* Smoke on n^3 cells, from rest and `begin`: some steps to warm up, then the seconds of a step, and the divergence left (root mean square). */
double peer_fluid(int n, const float *begin, int warm, int steps, double *left);

/* A picture of size x size pixels, rgb floats, of n^3 voxels, one apart from the origin on: from an eye that looks at their middle, z being above, so many
 * degrees wide. Returns its seconds. */
double peer_march(int n, const float *volume, const float eye[3], float degrees, int size, float *picture);

/* Particles in a unit box, without walls; gravity along the last dimension. `places` has `dimensions` floats for each, and gets them after `before`
 * steps and the `runs` that are timed. Returns the seconds of a step. */
typedef struct PeerSph {
    int dimensions, count;
    float radius, mass, rest, sound, viscosity, gravity;
} PeerSph;
double peer_sph(const PeerSph *how, float *places, int before, int runs);

/* A mesh drawn by vertex and fragment shaders into columns x rows pixels, rgb floats from the top row on. The vectors: eye, right, above, ahead, scales,
 * light, up, colour. Returns the seconds of a picture. */
enum { PEER_DRAW_VECTORS = 8 };
typedef struct PeerDraw {
    int vertices, faces, columns, rows;
    const float *places, *normals;
    const int *triangles;
    float vectors[PEER_DRAW_VECTORS][3], background[3];
} PeerDraw;
double peer_draw(const PeerDraw *given, float *picture, int runs);

/* Reads an OBJ file of triangles; returns its seconds. And a level of Loop's subdivision of a closed mesh: `out` gets the vertices, of which there are as many more as
 * edges, `split` four triangles for each. Returns the seconds. */
double peer_obj(const char *path, int *vertices, int *faces);
double peer_loop(const float *places, int vertices, const int *triangles, int faces, float *out, int *split);

/* Steps of "nbody", "wave", "heat" or "cloth", from x and v, of so many bytes each: rows bodies, or rows x columns cells or particles. `v` has velocities,
 * of heat conductances. `after` gets x after `before` steps and the `runs` that are timed. Returns the seconds of a step. */
typedef struct PeerMotion {
    int rows, columns;
    float dt, numbers[4], *x, *v;
} PeerMotion;
double peer_motion(const char *kind, const PeerMotion *given, size_t bytes, float *after, int before, int runs);

/* Programs of a bench's own GLSL, with a result of so many bytes at block 0 and buffer textures of inputs from unit 0 on, whose
 * texels are words or four of them. peer_shader returns the number by which the others know it; peer_shader_read copies the result
 * (NULL: only asks) and returns its size. */
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
