/* Meshes in plain C on one thread: an OBJ file read by strtof and strtol, and a level of Loop's subdivision with a hash table of edges. */
#include "peer.h"
#include "peers.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *grown(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room) return array;
    *room = *room ? 2 * *room : 1024;
    void *more = realloc(array, *room * size);
    if (!more) peer_fail("out of memory");
    return more;
}

double peer_obj(const char *path, int *vertices, int *faces)
{
    char line[4096];
    double start = peer_clock();
    FILE *file = fopen(path, "r");
    if (!file) peer_fail("no OBJ file to read");
    float *places = NULL;
    int *triangles = NULL;
    size_t n = 0, m = 0, room = 0, face_room = 0;
    while (fgets(line, sizeof line, file)) {
        char *at = line + 1;
        if (line[0] == 'v' && line[1] == ' ') {
            places = grown(places, n, &room, 12);
            for (int d = 0; d < 3; d++) places[3 * n + (size_t)d] = strtof(at, &at);
            n++;
        } else if (line[0] == 'f') {
            triangles = grown(triangles, m, &face_room, 12);
            for (int k = 0; k < 3; k++) {
                triangles[3 * m + (size_t)k] = (int)strtol(at, &at, 10) - 1;
                while (*at > ' ') at++; /* "/2/3" */
            }
            m++;
        }
    }
    fclose(file);
    double taken = peer_clock() - start;
    *vertices = (int)n;
    *faces = (int)m;
    free(places);
    free(triangles);
    return taken;
}

typedef struct Edge {
    int a, b;   /* a < b; a = -1: the entry is free */
    int far[2]; /* the third corners of its triangles; -1: none */
    int number; /* index of its new vertex */
} Edge;

static Edge *find(Edge *table, size_t mask, int a, int b)
{
    int low = a < b ? a : b, high = a < b ? b : a;
    size_t at = ((size_t)low * 0x9e3779b97f4a7c15u + (size_t)high * 0xc2b2ae3d27d4eb4fu) >> 20 & mask;
    while (table[at].a >= 0 && (table[at].a != low || table[at].b != high)) at = (at + 1) & mask;
    if (table[at].a < 0) table[at] = (Edge){.a = low, .b = high, .far = {-1, -1}, .number = -1};
    return &table[at];
}

/* Subdivides a closed mesh: new vertices on edges have the weights 3/8, 3/8, 1/8, 1/8, old ones Loop's weights. */
double peer_loop(const float *places, int vertices, const int *triangles, int faces, float *out, int *split)
{
    double start = peer_clock();
    size_t mask = 1;
    while (mask < 4 * (size_t)faces) mask *= 2;
    Edge *table = malloc(mask * sizeof *table);
    float *sum = calloc((size_t)vertices, 3 * sizeof *sum);
    int *valence = calloc((size_t)vertices, sizeof *valence), next = vertices;
    if (!table || !sum || !valence) peer_fail("out of memory");
    memset(table, -1, mask * sizeof *table);
    mask--;
    for (int f = 0; f < faces; f++) {
        const int *t = triangles + 3 * f;
        int middle[3];
        for (int k = 0; k < 3; k++) {
            Edge *e = find(table, mask, t[k], t[(k + 1) % 3]);
            if (e->number < 0) {
                e->number = next++;
                for (int d = 0; d < 3; d++) {
                    sum[3 * e->a + d] += places[3 * e->b + d];
                    sum[3 * e->b + d] += places[3 * e->a + d];
                }
                valence[e->a]++, valence[e->b]++;
            }
            e->far[e->far[0] >= 0] = t[(k + 2) % 3];
            middle[k] = e->number;
        }
        const int parts[12] = {t[0],      middle[0], middle[2], middle[0], t[1],      middle[1],
                               middle[2], middle[1], t[2],      middle[0], middle[1], middle[2]};
        memcpy(split + 12 * f, parts, sizeof parts);
    }
    for (size_t i = 0; i <= mask; i++) {
        const Edge *e = &table[i];
        if (e->a < 0) continue;
        const float *a = places + 3 * e->a, *b = places + 3 * e->b, *c = places + 3 * e->far[0],
                    *d = places + 3 * e->far[1];
        for (int k = 0; k < 3; k++) out[3 * e->number + k] = 0.375f * (a[k] + b[k]) + 0.125f * (c[k] + d[k]);
    }
    for (int v = 0; v < vertices; v++) {
        int n = valence[v];
        float angle = 0.375f + 0.25f * __builtin_cosf(6.2831853f / (float)n);
        float beta = (0.625f - angle * angle) / (float)n;
        for (int d = 0; d < 3; d++) out[3 * v + d] = (1 - (float)n * beta) * places[3 * v + d] + beta * sum[3 * v + d];
    }
    double taken = peer_clock() - start;
    free(table);
    free(sum);
    free(valence);
    return taken;
}
