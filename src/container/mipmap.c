/* Levels of a texture: each is made of the one before by a box filter, one dimension after the other. */
#include "container/container_parts.h"
#include "container/tree.h"

#include "kernel/launch/internal.h"

/* Half of the middle dimension. Element i stands for a box of three elements from 2 i on, of which it has these shares: of an odd size boxes are
 * not whole elements. */
static Kernel *find_kernel(const Stream *s)
{
    const char *type = s->type->value->name;
    StrBuf text = STRBUF_EMPTY;
    strbuf_addf(
        &text,
        "kernel void halve(%s x[][][], out %s r<>) {\n"
        "  ivec3 p = indexof(r).xyz;\n"
        "  int n = sizeof_stream(x).y, m = n / 2, i = p.y;\n"
        "  vec3 share = n %% 2 == 0 ? vec3(0.5, 0.5, 0) : vec3(m - i, m, i + 1) / float(n);\n"
        "  r = share.x * x[p.z][2 * i][p.x] + share.y * x[p.z][2 * i + 1][p.x] + share.z * x[p.z][2 * i + 2][p.x];\n"
        "}\n",
        type, type);
    Kernel *kernel = internal_kernel(s->device, strbuf_text(&text));
    strbuf_free(&text);
    return kernel;
}

/* A new stream of half of dimension d, of elements of `type`; a dimension of one element stays. */
static bool halve(Kernel *kernel, const Stream *s, int d, const Type *type, Stream *half)
{
    Shape from = {3, {1, s->shape.size[d], 1}}, shape = s->shape;
    Stream boxes, result;
    for (int k = 0; k < s->shape.rank; k++) {
        from.size[k < d ? 0 : 2] *= k == d ? 1 : s->shape.size[k];
    }
    shape.size[d] /= 2;
    if (!stream_create(s->device, type, &shape, false, half)) {
        return false;
    }
    Shape to = from;
    to.size[1] = shape.size[d];
    bool done = stream_reshape(s, &from, &boxes);
    if (done) {
        boxes.explicit_boundary = true; /* the last share of an even size is none, of what may lie outside */
        done = stream_reshape(half, &to, &result);
        if (done) {
            done = kernel_launch(kernel, s->device, (Argument[]){{.stream = &boxes}, {.stream = &result}}, &to, false);
            stream_release(&result);
        }
        stream_release(&boxes);
    }
    if (!done) {
        stream_release(half);
    }
    return done;
}

/* The next level in place of one, whose dimensions are halved from `first` on; sums on the way are in the type that kernels see. */
static bool next_level(Kernel *kernel, int first, Stream *level)
{
    const Type *type = level->type;
    int last = -1;
    for (int d = first; d < level->shape.rank; d++) {
        last = level->shape.size[d] > 1 ? d : last;
    }
    for (int d = first; d <= last; d++) {
        Stream half;
        if (level->shape.size[d] == 1) {
            continue;
        }
        if (!halve(kernel, level, d, d == last ? type : type->value, &half)) {
            return false;
        }
        stream_release(level);
        *level = half;
    }
    return true;
}

bool container_mipmap(Container *c, int how)
{
    if (container_adaptive(c)) {
        return tree_mipmap(c, how);
    }
    const TextureForm *form = stream_texture(&c->whole);
    if (!form || form->levels == 1) {
        return error_set(
            "it has no coarser levels: rill.array with storage = \"texture\" and mipmaps = n makes such a one");
    }
    Kernel *kernel = find_kernel(&c->whole);
    Stream level;
    stream_copy_view(&c->whole, &level);
    bool done = kernel != NULL;
    for (int i = 1; done && i < form->levels; i++) {
        done = next_level(kernel, form->cube, &level) && texture_set_level(c->memory.buffer, i, level.buffer);
    }
    stream_release(&level);
    return done;
}
