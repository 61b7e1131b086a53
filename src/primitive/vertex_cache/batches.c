#include "primitive/vertex_cache/vertex_cache.h"

#include "base/error.h"

#include <stdlib.h>

/* Notes that the vertices of a primitive are in a batch. Returns how many of them were not yet. */
static int take_primitive(int32_t *batch_of, const int32_t *vertices, int corners, int32_t batch)
{
    int more = 0;
    for (int c = 0; c < corners; c++) {
        more += batch_of[vertices[c]] != batch;
        batch_of[vertices[c]] = batch;
    }
    return more;
}

int64_t batches_find(const int32_t *dense, int64_t count, int32_t vertices, int corners, int most, int unique,
                     int32_t (*starts)[2])
{
    int32_t *batch_of = calloc((size_t)vertices + 1, sizeof *batch_of); /* the last batch of a vertex, 1-based */
    int32_t batches = 0, before = 0;
    int64_t begin = 0;
    int found = 0;
    if (!batch_of) {
        error_set("out of host memory");
        return -1;
    }
    for (int64_t i = 0; i < count; i += corners) {
        int more = take_primitive(batch_of, dense + i, corners, batches);
        if (batches == 0 || found + more > unique || i + corners - begin > most) {
            before += found;
            starts[batches][0] = (int32_t)i;
            starts[batches++][1] = before;
            begin = i;
            found = 0;
            more = take_primitive(batch_of, dense + i, corners, batches);
        }
        found += more;
    }
    free(batch_of);
    starts[batches][0] = (int32_t)count;
    starts[batches][1] = before + found;
    return batches;
}
