/* Prints the arguments of a launch for RILL_TRACE, and the reasons for its variant for RILL_DUMP. */
#include "kernel/launch/launch.h"

#include "gpu/program/program.h"

#include <stdio.h>
#include <string.h>

static void add_component(StrBuf *out, Scalar scalar, const uint32_t *words)
{
    float f;
    double d;
    memcpy(&f, words, sizeof f);
    switch (scalar) {
    case SCALAR_FLOAT: strbuf_addf(out, "%.9g", (double)f); break;
    case SCALAR_DOUBLE:
        memcpy(&d, words, sizeof d);
        strbuf_addf(out, "%.17g", d);
        break;
    case SCALAR_UINT: strbuf_addf(out, "%u", words[0]); break;
    case SCALAR_BOOL: strbuf_add(out, words[0] ? "true" : "false"); break;
    default: strbuf_addf(out, "%d", (int)words[0]); break;
    }
}

static void add_constant(StrBuf *out, const Param *param, const uint32_t *words)
{
    const Type *type = param->type;
    if (type->is_struct || param->matrix || type->value != type) {
        strbuf_addf(out, "a %s", type->name);
        return;
    }
    strbuf_add(out, type->components > 1 ? "{" : "");
    for (int c = 0; c < type->components; c++) {
        strbuf_add(out, c ? ", " : "");
        add_component(out, type->scalar, words + c * (type->bytes / type->components / 4));
    }
    strbuf_add(out, type->components > 1 ? "}" : "");
}

void trace_launch(const Kernel *kernel, const Domain *domain, const Argument *args)
{
    const Function *f = &kernel->function;
    const PageSet *pages = domain->pages;
    char shape[SHAPE_TEXT];
    StrBuf out = STRBUF_EMPTY;
    strbuf_addf(&out, "rill: %s over ", f->name);
    if (pages) {
        strbuf_addf(&out, "%lld elements of ", (long long)pages->elements);
    }
    strbuf_add(&out, pages && pages->unbounded ? "a domain without bounds" : shape_text(&domain->shape, shape));
    for (int i = 0; i < f->param_count - f->given; i++) {
        strbuf_addf(&out, "%s%s = ", i ? ", " : ": ", f->params[i].name);
        if (kernel_is_baked(kernel, i)) {
            strbuf_add(&out, "fixed");
        } else if (param_kinds[f->params[i].kind].stream) {
            const Stream *s = args[i].stream;
            strbuf_addf(&out, "%s<%s>[%s]", s->map ? "container" : "stream", s->type->name,
                        shape_text(&s->shape, shape));
        } else {
            add_constant(&out, &f->params[i], args[i].words);
        }
    }
    fprintf(stderr, "%s\n", strbuf_text(&out));
    strbuf_free(&out);
}

void trace_choice(const Plan *plan, const KernelText *text, const VariantKey *key, StrBuf *out)
{
    if (key->active == ACTIVE_PAGES) {
        strbuf_add(out, "over pages, each argument by itself");
        return;
    }
    strbuf_add(out, key->flat_loads ? "aligned loads" : "general loads");
    reason_loads(plan, text, key, out);
    strbuf_add(out, key->flat_stores ? "\ncontiguous stores" : "\ngeneral stores");
    reason_stores(plan, text, key, out);
}
