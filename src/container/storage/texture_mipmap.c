/* Computes the levels of a texture with a box filter, one dimension after the other. If sizes are odd, the
 * boxes of a level are not whole elements of the previous level; the level is then computed from the finest
 * one. */
#include "container/storage/texture_mipmap.h"

#include "kernel/launch/builtin.h"

enum { MOST_LEVELS = 32 };

/* Returns a kernel that reduces n elements along the middle dimension to m means. Element i represents the
 * box that begins at i n / m, whose bounds may lie within elements; with `pairs` it represents two whole
 * elements. No element outside of a box is read, since it may be NaN. */
static Kernel *find_kernel(const Stream *s, bool pairs)
{
    const char *type = s->type->value->name;
    StrBuf text = STRBUF_EMPTY;
    strbuf_addf(&text, "kernel void means(%s x[][][], int m, out %s r<>) {\n  ivec3 p = indexof(r).xyz;\n", type, type);
    if (pairs) {
        strbuf_add(&text, "  r = 0.5 * x[p.z][2 * p.y][p.x] + 0.5 * x[p.z][2 * p.y + 1][p.x];\n}\n");
    } else {
        strbuf_addf(&text,
                    "  uint n = uint(sizeof_stream(x).y), k = uint(m), low = uint(p.y) * n, high = low + n;\n"
                    "  r = %s(0.0);\n"
                    "  for (uint e = low / k; e * k < high; e++) {\n"
                    "    float share = float(min((e + 1u) * k, high) - max(e * k, low)) / float(n);\n"
                    "    r += share * x[p.z][int(e)][p.x];\n"
                    "  }\n}\n",
                    type);
    }
    Kernel *kernel = builtin_kernel(s->device, strbuf_text(&text));
    strbuf_free(&text);
    return kernel;
}

/* Creates a stream of m means along dimension d, with elements of `type`. */
static bool average(const Stream *s, int d, int64_t m, const Type *type, Stream *means)
{
    Shape from = {3, {1, s->shape.size[d], 1}}, shape = s->shape;
    uint32_t count = (uint32_t)m;
    Stream boxes, result;
    for (int k = 0; k < s->shape.rank; k++) {
        from.size[k < d ? 0 : 2] *= k == d ? 1 : s->shape.size[k];
    }
    shape.size[d] = m;
    Kernel *kernel = find_kernel(s, s->shape.size[d] == 2 * m);
    if (!kernel || !stream_create(s->device, type, &shape, false, means)) {
        return false;
    }
    Shape to = from;
    to.size[1] = m;
    bool done = stream_reshape(s, &from, &boxes);
    if (done) {
        done = stream_reshape(means, &to, &result);
        if (done) {
            const Argument args[] = {{.stream = &boxes}, {.words = &count}, {.stream = &result}};
            done = kernel_launch(kernel, s->device, args, &to, false);
            stream_release(&result);
        }
        stream_release(&boxes);
    }
    if (!done) {
        stream_release(means);
    }
    return done;
}

/* Computes a level of the given sizes from another level. Intermediate sums have the type that kernels use. */
static bool make_level(const Stream *from, const int64_t *size, Stream *level)
{
    const Type *type = from->type;
    int last = -1;
    for (int d = 0; d < from->shape.rank; d++) {
        last = from->shape.size[d] != size[d] ? d : last;
    }
    stream_copy_view(from, level);
    for (int d = 0; d <= last; d++) {
        Stream means;
        if (level->shape.size[d] == size[d]) {
            continue;
        }
        if (!average(level, d, size[d], d == last ? type : type->value, &means)) {
            stream_release(level);
            return false;
        }
        stream_release(level);
        *level = means;
    }
    return true;
}

/* Returns whether boxes of the given sizes consist of whole elements of a level. */
static bool divides(const int64_t *size, const Shape *level)
{
    bool whole = true;
    for (int d = 0; d < level->rank; d++) {
        whole = whole && level->size[d] % size[d] == 0;
    }
    return whole;
}

/* Computes level i: from the coarsest level of whose whole elements its boxes consist, or from the finest
 * level. */
static bool next_level(const TextureForm *form, Stream *levels, int i)
{
    int64_t x_first[TEXTURE_MAX_RANK], size[SHAPE_MAX_RANK];
    const int rank = levels->shape.rank;
    texture_level_size(form, i, x_first);
    for (int d = 0; d < rank; d++) {
        size[d] = x_first[rank - 1 - d];
    }
    int from = i - 1;
    while (from > 0 && !divides(size, &levels[from].shape)) {
        from--;
    }
    return make_level(&levels[from], size, &levels[i]);
}

bool texture_mipmap(const Stream *s)
{
    const TextureForm *form = stream_texture(s);
    if (!form || form->levels == 1) {
        return error_set(
            "the container has no coarser levels: create it by rill.array with storage = \"texture\" and mipmaps = n");
    }
    Stream levels[MOST_LEVELS];
    int made = 1;
    stream_copy_view(s, levels);
    bool done = true;
    while (done && made < form->levels) {
        done = next_level(form, levels, made);
        if (done) {
            done = texture_set_level(s->buffer, made, levels[made].buffer);
            made++;
        }
    }
    while (made > 0) {
        stream_release(&levels[--made]);
    }
    return done;
}
