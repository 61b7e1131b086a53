#include "kernel/variant/generator.h"

#include "kernel/emit/glsl.h"

#include <string.h>

typedef struct GeneratorArgument {
    const Generator *g;
    int i;
} GeneratorArgument;

/* Returns the first uniform word for a letter of the template, in dimension d. */
static int find_word(const GeneratorArgument *argument, char letter, int d)
{
    static const char sizes[] = "zmhpqr";
    const Layout *layout = argument->g->layout;
    const ArgLayout *arg = &layout->args[argument->i];
    const int starts[] = {layout->shape, layout->page + PAGE_WORDS};
    const char *size = strchr(sizes, letter);
    return size            ? starts[(size - sizes) / 3] + 3 * d + (int)(size - sizes) % 3
           : letter == 'B' ? arg->base
           : letter == 'S' ? arg->store_base
                           : layout->count;
}

static void add_word(const void *self, StrBuf *out, char letter, int d)
{
    const GeneratorArgument *argument = self;
    const Param *param = &argument->g->f->params[argument->i];
    strbuf_add(out, letter == 'N'   ? param->name
                    : letter == 'T' ? glsl_type(param->type)
                                    : access_word(find_word(argument, letter, d)));
}

void generator_addf(const Generator *g, int i, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    template_addv(g->out, g->key->rank, add_word, &(GeneratorArgument){g, i}, format, args);
    va_end(args);
}

bool generator_faults(const Generator *g)
{
    return g->text->canary || g->key->check || variant_partial(g->key);
}

int generator_step_bytes(const Generator *g, int i)
{
    return g->key->args[i].type->bytes * g->layout->elements;
}

bool generator_flat_load(const Generator *g, int i)
{
    return variant_flat_load(g->f, g->key, i);
}

bool generator_copies(const Generator *g)
{
    const Body *body = g->text->body;
    return g->layout->trips != NO_SLOT || body->unbounded || body->trips > 0;
}

AccessText generator_access(const Generator *g, int i)
{
    const AddressUse *addresses = g->text->addresses;
    bool own = i < g->f->param_count - g->f->given;
    int place = g->key->args[i].container.place;
    bool near = g->f->params[i].kind == PARAM_NEIGHBOR && g->key->args[i].path == PATH_DENSE;
    bool gather = place && g->f->params[i].kind == PARAM_GATHER;
    return (AccessText){.param = &g->f->params[i],
                        .key = &g->key->args[i],
                        .layout = &g->layout->args[i],
                        .box = &g->layout->args[gather ? place - 1 : i],
                        .texels = variant_texel_load(g->f, g->key, i),
                        .launch = near ? g->layout : NULL,
                        .trusted = g->text->body->use[i].trusted,
                        .sizes = addresses && own && g->key->args[i].fixed ? addresses[i].sizes : NULL};
}

void generator_window_loads(Generator *g, int line)
{
    for (int i = 0; i < g->f->param_count; i++) {
        if (g->key->args[i].load == LOAD_WINDOWS) {
            AccessText text = generator_access(g, i);
            access_window_loads(g->out, &text, g->key->rank, &g->text->body->use[i], line);
        }
    }
}

void generator_strip_loads(Generator *g, int line)
{
    for (int i = 0; i < g->f->param_count; i++) {
        AccessText text = generator_access(g, i);
        if (g->key->args[i].load == LOAD_STRIPS) {
            access_strip_loads(g->out, &text, g->key->rank, &g->text->body->use[i], -1);
        } else if (g->key->args[i].load == LOAD_WINDOWS) {
            access_window_row(g->out, &text, &g->text->body->use[i], line);
        }
    }
}
