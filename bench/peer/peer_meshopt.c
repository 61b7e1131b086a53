/* libmeshoptimizer, loaded if it is installed: its order of triangles for vertex caches, and its model of a cache. */
#include "peer.h"
#include "peers.h"

#include <dlfcn.h>

typedef struct Statistics {
    unsigned transformed, warps;
    float acmr, atvr;
} Statistics;

static void (*optimize)(unsigned *, const unsigned *, size_t, size_t);
static Statistics (*analyze)(const unsigned *, size_t, size_t, unsigned, unsigned, unsigned);

static bool loaded(void)
{
    void *library = optimize ? NULL : dlopen("libmeshoptimizer.so.2d", RTLD_NOW);
    if (!library && !optimize) library = dlopen("libmeshoptimizer.so", RTLD_NOW);
    if (library) {
        *(void **)&optimize = dlsym(library, "meshopt_optimizeVertexCache");
        *(void **)&analyze = dlsym(library, "meshopt_analyzeVertexCache");
    }
    return optimize && analyze;
}

double peer_meshopt_order(const unsigned *triangles, size_t indices, size_t vertices, unsigned *out)
{
    if (!loaded()) return -1;
    double start = peer_clock();
    optimize(out, triangles, indices, vertices);
    return peer_clock() - start;
}

double peer_meshopt_acmr(const unsigned *triangles, size_t indices, size_t vertices, const unsigned model[3])
{
    return loaded() ? analyze(triangles, indices, vertices, model[0], model[1], model[2]).acmr : -1;
}
