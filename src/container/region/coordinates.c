#include "container/region/coordinates.h"

#include "base/error.h"
#include "base/strbuf.h"
#include "kernel/launch/builtin.h"
#include "primitive/reduction/vout.h"

#include <string.h>

static void write_kernel(StrBuf *out, int rank)
{
    static const char *const vectors[] = {"int", "ivec2", "ivec3", "ivec4"};
    static const char *const fields[] = {"x", "xy", "xyz", "xyzw"};
    if (rank <= 4) {
        strbuf_addf(out, "kernel void addresses(int at<>, vout %s r<>) { push(r, indexof(at).%s); }", vectors[rank - 1],
                    fields[rank - 1]);
        return;
    }
    strbuf_add(out, "kernel void addresses(int at<>, vout int r<>) {\n");
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, "  push(r, indexof(at, %d));\n", d);
    }
    strbuf_add(out, "}\n");
}

bool region_coordinates(const Region *region, Stream *result)
{
    Device *device = region->list.device;
    int rank = region->shape.rank;
    Shape single = {1, {1}};
    Stream one, points = {0}, *results[MAX_PARAMS] = {NULL, &points};
    StrBuf text = STRBUF_EMPTY;
    write_kernel(&text, rank);
    Kernel *kernel = builtin_kernel(device, strbuf_text(&text));
    strbuf_free(&text);
    if (!kernel || !stream_create(device, type_of(SCALAR_INT, 1), &single, true, &one)) {
        return false;
    }
    /* One element that is repeated over the whole shape: shapes may be larger than any stream. */
    Stream everywhere = one;
    everywhere.shape = region->shape;
    everywhere.contiguous = false;
    for (int d = 0; d < rank; d++) {
        everywhere.dim[d] = (ViewDim){.stride = 0, .step = 1, .div = 1};
    }
    Argument args[MAX_PARAMS] = {{.stream = &everywhere}};
    Domain domain = {.shape = region->shape, .pages = region_set(region, false)};
    bool done = vout_launch(kernel, device, args, &domain, false, results);
    stream_release(&one);
    if (done && rank > 4) {
        Shape shape = {2, {stream_elements(&points) / rank, rank}};
        done = stream_reshape(&points, &shape, result);
        stream_release(&points);
        return done;
    }
    *result = points;
    return done;
}
