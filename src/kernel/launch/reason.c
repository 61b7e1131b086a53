/* Describes why a launch uses its variant. */
#include "kernel/launch/launch.h"

/* Writes what prevents an argument from being read or written in whole texels. Returns false if nothing does. */
static bool own_reason(const Plan *plan, int i, StrBuf *out)
{
    const Stream *s = plan->streams[i];
    const char *name = plan->kernel->function.params[i].name;
    if (s->map) {
        strbuf_addf(out, " because argument '%s' is a container", name);
    } else if (plan->resampled[i]) {
        strbuf_addf(out, " because argument '%s' is repeated or strided to the output's shape", name);
    } else if (!s->contiguous) {
        strbuf_addf(out, " because argument '%s' is a view whose elements are not contiguous in memory", name);
    } else if (!launch_aligned(s)) {
        strbuf_addf(out, " because argument '%s' starts at element %lld", name, (long long)s->offset + 1);
    } else {
        return false;
    }
    return true;
}

static bool reads_texels(const Plan *plan, const VariantKey *key, int i)
{
    const ParamKindInfo *kind = launch_kind(&plan->kernel->function, i);
    return kind->element && kind->read && key->args[i].path == PATH_DENSE;
}

static const char over_list[] = " because it runs over a list of active elements";

void reason_loads(const Plan *plan, const KernelText *text, const VariantKey *key, StrBuf *out)
{
    const Function *f = text->function;
    bool reads = false;
    for (int i = 0; i < f->param_count; i++) {
        reads = reads || reads_texels(plan, key, i);
    }
    if (key->flat_loads || !reads) {
        return;
    }
    if (key->active) {
        strbuf_add(out, over_list);
        return;
    }
    for (int i = 0; i < f->param_count; i++) {
        if (reads_texels(plan, key, i) && own_reason(plan, i, out)) {
            return;
        }
    }
    bool one = f->group_rank || text->body->unbounded || key->check;
    strbuf_add(out, f->group_rank           ? " because a group kernel takes one element per invocation"
                    : key->check            ? " because rill.check takes one element per invocation"
                    : text->body->unbounded ? " because a loop without a known end takes one element per invocation"
                                            : "");
    if (!one) {
        strbuf_add(out, variant_texels_fit(text, key)
                            ? " because arguments have to share bindings"
                            : " because a step of whole texels would be too large or write at random");
    }
}

void reason_stores(const Plan *plan, const KernelText *text, const VariantKey *key, StrBuf *out)
{
    const Function *f = text->function;
    int elements = variant_elements(text, key);
    if (key->flat_stores) {
        return;
    }
    if (f->group_rank || key->active) {
        strbuf_add(out, f->group_rank ? " because a group kernel stores element by element" : over_list);
        return;
    }
    for (int i = 0; i < f->param_count; i++) {
        if (!variant_stores(f, key, i) || launch_storable(plan, plan->streams[i], elements)) {
            continue;
        }
        if (!own_reason(plan, i, out)) {
            strbuf_addf(out, " because argument '%s' ends inside its buffer, or has elements that fill no whole words",
                        f->params[i].name);
        }
        return;
    }
}
