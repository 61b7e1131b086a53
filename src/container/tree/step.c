/* Steps of adaptive containers: operations for all nodes of some pages, executed by the kernels of
 * tree/step_glsl.c. */
#include "container/tree/tree_private.h"

#include "gpu/memory/buffer.h"
#include "kernel/launch/builtin.h"
#include "kernel/launch/raw.h"

static Kernel *step_kernel(const Container *c, TreeStep step)
{
    Tree *tree = tree_of(c);
    if (!tree->steps[step]) {
        StrBuf text = STRBUF_EMPTY;
        tree_glsl_step(c, step, &text);
        Kernel *kernel = builtin_kernel(c->memory.device, strbuf_text(&text));
        strbuf_free(&text);
        tree->steps[step] = kernel ? kernel_retain(kernel) : NULL;
    }
    return tree->steps[step];
}

/* Creates a view of the numbers 0 .. count - 1 that takes no memory. */
static bool count_up(Device *device, int64_t count, Stream *result)
{
    double from[4] = {0}, to[4] = {(double)count};
    return stream_ramp(device, type_of(SCALAR_INT, 1), &(Shape){1, {count}}, from, to, result);
}

/* Stores elements at indices in memory that are not negative. Elements that share a word are stored one by one. */
static bool put_elements(const Container *c, const Stream *elements, const Stream *places)
{
    int bytes = c->memory.type->bytes, bits = 8 * bytes;
    Stream from = {0}, to = {0};
    Shape words = {1, {(int64_t)(stream_bytes(&c->memory) / 4)}};
    StrBuf text = STRBUF_EMPTY;
    bool done =
        raw_view(elements, &from) && (bytes < 4 ? stream_over(c->memory.buffer, type_of(SCALAR_UINT, 1), &words, 0, &to)
                                                : raw_view(&c->memory, &to));
    if (done && bytes < 4) {
        strbuf_addf(&text,
                    "kernel void put(int at<>, uint x<>, inout uint m[]) {\n  if (at >= 0) {\n"
                    "  int w = at / %d;\n  uint s = uint(at - w * %d) * %du;\n"
                    "  atomicAnd(m[w], ~(%uu << s));\n  atomicOr(m[w], x << s);\n  }\n}\n",
                    4 / bytes, 4 / bytes, bits, (1u << bits) - 1);
    } else if (done) {
        const char *type = to.type->value->name;
        raw_declare(&text, to.type);
        strbuf_addf(&text, "kernel void put(int at<>, %s x<>, inout %s m[]) {\n  if (at >= 0) { m[at] = x; }\n}\n",
                    type, type);
    }
    Kernel *kernel = done ? builtin_kernel(c->memory.device, strbuf_text(&text)) : NULL;
    Argument args[] = {{.stream = places}, {.stream = &from}, {.stream = &to}};
    done = kernel && kernel_launch(kernel, c->memory.device, args, &places->shape, false);
    strbuf_free(&text);
    stream_release(&from);
    stream_release(&to);
    return done;
}

/* Creates the argument `value` of a step: one element. */
static bool give_value(const Container *c, TreeStep step, Stream *given)
{
    bool weigh = step == TREE_STEP_WEIGH;
    const Type *type = weigh                       ? c->memory.type->value
                       : c->memory.type->is_struct ? raw_type(c->memory.type->bytes)
                                                   : c->memory.type;
    return stream_create(c->memory.device, type, &(Shape){1, {1}}, false, given) &&
           buffer_write(given->buffer, 0, weigh ? tree_of(c)->weight : tree_of(c)->value, (uint64_t)type->bytes);
}

/* Creates the view of memory that steps use, and streams for the elements that are stored afterwards. */
static bool step_streams(const Container *c, int64_t count, Stream *memory, Stream made[2])
{
    Shape shape = {1, {count}};
    bool done = !c->memory.type->is_struct || raw_view(&c->memory, memory);
    if (done && !c->memory.type->is_struct) {
        stream_copy_view(&c->memory, memory);
    }
    return done &&
           (tree_glsl_stores(c) || (stream_create(c->memory.device, memory->type, &shape, false, &made[0]) &&
                                    stream_create(c->memory.device, type_of(SCALAR_INT, 1), &shape, false, &made[1])));
}

bool tree_step(const Container *c, TreeStep step, const Stream *frames, int64_t first, int64_t count)
{
    Device *device = c->memory.device;
    const PageTree *a = tree_pages(c);
    uint32_t begin = (uint32_t)first, repeat = tree_of(c)->edge == TREE_REPEAT;
    Argument args[MAX_PARAMS];
    Stream numbers, given = {0}, memory = {0}, made[2] = {{0}};
    Kernel *kernel = step_kernel(c, step);
    bool border = step == TREE_STEP_SYNC || step == TREE_STEP_VALUE || step == TREE_STEP_INNER;
    int64_t nodes = border ? stream_elements(&tree_of(c)->border) : a->elements;
    if (!kernel || count == 0 || !count_up(device, count * nodes, &numbers)) {
        return kernel && count == 0;
    }
    bool done = give_value(c, step, &given) && step_streams(c, count * nodes, &memory, made);
    args[0].stream = &numbers;
    args[1].stream = frames;
    args[2].stream = &tree_of(c)->border;
    args[3].stream = &a->base.tables[ADAPTIVE_BACK].stream;
    args[4].words = &begin;
    args[5].words = &repeat;
    args[6].stream = &given;
    args[7].stream = &memory;
    int next = 8 + translator_glsl_give(c->translator, DIRECTION_TRANSLATE, args + 8);
    args[next].stream = &made[0];
    args[next + 1].stream = &made[1];
    done = done && kernel_launch(kernel, device, args, &numbers.shape, false) &&
           (tree_glsl_stores(c) || put_elements(c, &made[0], &made[1]));
    Stream *const streams[] = {&numbers, &given, &memory, &made[0], &made[1]};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        stream_release(streams[i]);
    }
    return done;
}
