/* One dimension of a view, which maps index i to ((i * step + start) / div) % mod. */
#include "stream/view_dim.h"

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

bool view_dim_plain(const ViewDim *dim)
{
    return dim->div == 1 && dim->mod == 0;
}

int64_t view_dim_at(const ViewDim *dim, int64_t index)
{
    int64_t number = (index * dim->step + dim->start) / dim->div;
    return dim->mod ? number % dim->mod : number;
}

/* Removes the modulo if no index of the extent wraps. Moves a step that divides the modulo into the stride. */
static void simplify_mod(Stream *s, ViewDim *dim, int64_t extent)
{
    int64_t low = dim->start / dim->div / dim->mod;
    int64_t high = ((extent - 1) * dim->step + dim->start) / dim->div / dim->mod;
    if (low == high) {
        dim->start -= low * dim->mod * dim->div;
        dim->mod = 0;
        return;
    }
    dim->start %= dim->mod * dim->div;
    if (dim->div > 1) {
        return;
    }
    dim->step %= dim->mod;
    if (dim->step == 0) {
        s->offset += dim->start * dim->stride;
        *dim = (ViewDim){.step = 1, .div = 1};
    } else if (dim->mod % dim->step == 0) {
        s->offset += dim->start % dim->step * dim->stride;
        *dim = (ViewDim){.stride = dim->stride * dim->step,
                         .step = 1,
                         .start = dim->start / dim->step,
                         .div = 1,
                         .mod = dim->mod / dim->step};
    }
}

/* Moves the start of a dimension without modulo into the offset. */
static void normalize(Stream *s, ViewDim *dim)
{
    s->offset += dim->start / dim->div * dim->stride;
    dim->start %= dim->div;
    if (dim->div == 1) {
        dim->stride *= dim->step;
        dim->step = 1;
    }
}

bool view_dim_simplify(Stream *s, int d)
{
    ViewDim *dim = &s->dim[d];
    int64_t extent = s->shape.size[d];
    if (extent == 0) {
        *dim = (ViewDim){.stride = dim->stride, .step = 1, .div = 1};
        return true;
    }
    if (extent == 1) {
        s->offset += view_dim_at(dim, 0) * dim->stride;
        *dim = (ViewDim){.stride = dim->stride, .step = 1, .div = 1};
        return true;
    }
    if (dim->div > 1) {
        int64_t common = gcd(dim->step, dim->div);
        dim->step /= common;
        dim->start /= common;
        dim->div /= common;
    }
    if (dim->mod) {
        simplify_mod(s, dim, extent);
    }
    if (!dim->mod) {
        normalize(s, dim);
    }
    if (!view_dim_plain(dim) && !dim->mod && view_dim_at(dim, extent - 1) == 0) {
        *dim = (ViewDim){.step = 1, .div = 1};
    }
    return view_dim_plain(dim) || (extent - 1) * dim->step + dim->start <= SHAPE_MAX_ELEMENTS;
}

bool view_dim_stride(Stream *s, int d, int64_t n)
{
    s->shape.size[d] = (s->shape.size[d] + n - 1) / n;
    s->dim[d].step *= n;
    return view_dim_simplify(s, d);
}

bool view_dim_replicate(Stream *s, int d, int64_t n)
{
    ViewDim *dim = &s->dim[d];
    if (n > 1 && view_dim_plain(dim)) {
        dim->div = n;
    } else if (n > 1) {
        if (dim->step != 1 || dim->div * dim->mod > SHAPE_MAX_ELEMENTS || dim->div > SHAPE_MAX_ELEMENTS / n) {
            return false;
        }
        dim->start *= n;
        dim->div *= n;
    }
    s->shape.size[d] *= n;
    return view_dim_simplify(s, d);
}

/* Element ceil(i n / m) is floor((i n + m - 1) / m). Nested divisions combine: floor(floor(a / b) / c) =
 * floor(a / (b c)). */
bool view_dim_thin(Stream *s, int d, int64_t extent)
{
    ViewDim *dim = &s->dim[d];
    int64_t common = gcd(s->shape.size[d], extent), n = s->shape.size[d] / common, m = extent / common;
    if (m == 1) {
        return view_dim_stride(s, d, n);
    }
    if (dim->step != 1 || dim->div * dim->mod > SHAPE_MAX_ELEMENTS || dim->div > SHAPE_MAX_ELEMENTS / m) {
        return false;
    }
    dim->start = dim->start * m + m - 1;
    dim->step = n;
    dim->div *= m;
    s->shape.size[d] = extent;
    return view_dim_simplify(s, d);
}

/* Makes a dimension without modulo repeat after `extent` indices, by a modulo equal to the value that would
 * come after the last index. Returns false if the formula has no such modulo. */
static bool tile_wraps(ViewDim *dim, int64_t extent)
{
    int64_t end = extent * dim->step;
    if (dim->mod || end % dim->div || view_dim_at(dim, extent - 1) >= end / dim->div) {
        return false;
    }
    dim->mod = end / dim->div;
    return true;
}

bool view_dim_tile(Stream *s, int d, int64_t n)
{
    ViewDim *dim = &s->dim[d];
    int64_t extent = s->shape.size[d];
    s->shape.size[d] = extent * n;
    if (n <= 1 || extent == 0) {
        return view_dim_simplify(s, d);
    }
    bool periodic = dim->mod && extent % (dim->div * dim->mod / gcd(dim->step, dim->div * dim->mod)) == 0;
    if (!periodic && !tile_wraps(dim, extent)) {
        return false;
    }
    return view_dim_simplify(s, d);
}

void view_finish(Stream *s)
{
    int64_t stride = 1;
    bool contiguous = true;
    for (int d = s->shape.rank - 1; d >= 0; d--) {
        if (s->shape.size[d] == 1) {
            continue;
        }
        contiguous = contiguous && view_dim_plain(&s->dim[d]) && s->dim[d].stride == stride;
        stride *= s->shape.size[d];
    }
    s->contiguous = contiguous || stride == 0;
}
