#include "primitive/vertex_cache/vertex_cache.h"

#include "base/error.h"

#include <stdlib.h>

int64_t batches_find(const int32_t *dense, int64_t count, int32_t vertices, int corners, int most, int unique,
                     int32_t *starts)
{
    int32_t *batch_of = calloc((size_t)vertices + 1, sizeof *batch_of); /* the last batch of a vertex, 1-based */
    int32_t batches = 0;
    int64_t begin = 0;
    int found = 0;
    if (!batch_of) {
        error_set("out of host memory");
        return -1;
    }
    for (int64_t i = 0; i < count; i += corners) {
        int more = 0;
        for (int c = 0; c < corners; c++) {
            bool again = batches > 0 && batch_of[dense[i + c]] == batches;
            for (int k = 0; k < c; k++) {
                again = again || dense[i + k] == dense[i + c];
            }
            more += !again;
        }
        if (batches == 0 || found + more > unique || i + corners - begin > most) {
            starts[batches++] = (int32_t)i;
            begin = i;
            found = 0;
        }
        for (int c = 0; c < corners; c++) {
            found += batch_of[dense[i + c]] != batches;
            batch_of[dense[i + c]] = batches;
        }
    }
    free(batch_of);
    starts[batches] = (int32_t)count;
    return batches;
}
