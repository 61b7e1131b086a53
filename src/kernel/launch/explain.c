/* Describes in words how a launch runs. */
#include "gpu/memory/workspace.h"
#include "kernel/emit/glsl.h"
#include "kernel/launch/copy.h"
#include "kernel/launch/launch.h"
#include "kernel/variant/address_map.h"

static void explain_argument(const KernelText *text, const VariantKey *key, const Layout *layout, int i,
                             const Argument *arg, StrBuf *out)
{
    const Param *param = &text->function->params[i];
    const ParamKindInfo *kind = &param_kinds[param->kind];
    strbuf_addf(out, "  %-12s %s", param->name, kind->name);
    if (!kind->stream) {
        strbuf_add(out, text->baked[i] ? ", fixed in the program\n" : ", a uniform\n");
        return;
    }
    const ArgKey *a = &key->args[i];
    const ArgLayout *place = &layout->args[i];
    char shape[SHAPE_TEXT];
    strbuf_addf(out, " of %s[%s]", arg->stream->type->name, shape_text(&arg->stream->shape, shape));
    strbuf_addf(out, ", %s", access_paths[a->path].name);
    strbuf_add(out, path_mapped(a->path) && arg->stream->map && arg->stream->map->baked ? " of constant sizes" : "");
    if (kind->read && path_buffered(a->path) && !param_kinds[param->kind].anywhere) {
        bool flat = variant_texel_load(text->function, key, i);
        strbuf_addf(out, ", %s %s",
                    flat                     ? "16-byte loads"
                    : a->load == LOAD_STRIPS ? "16-byte and word loads"
                                             : "word loads",
                    place->texture != NO_UNIT ? "through a buffer texture" : "from a storage block");
    }
    if (a->container.place && a->container.place - 1 < i) {
        strbuf_addf(out, ", at the addresses of '%s'", text->function->params[a->container.place - 1].name);
    }
    strbuf_add(out, a->container.replicas ? ", through the halos of its pages"
                    : a->pages.near       ? ", through the adjacent pages"
                                          : "");
    strbuf_add(out, place->sampler != NO_UNIT ? ", sampled in its texture" : "");
    if (place->store != NO_UNIT && !param_kinds[param->kind].anywhere) {
        strbuf_add(out, variant_flat_store(text->function, key, i) ? ", contiguous stores" : ", element stores");
    }
    strbuf_add(out, a->addressing == ADDRESS_DIVIDED ? ", index mapped (repeated, tiled or strided view)\n" : "\n");
}

static void explain_access(const Preview *preview, StrBuf *out)
{
    const VariantKey *key = &preview->key;
    if (key->active == ACTIVE_PAGES) {
        strbuf_add(out, "  over pages only, each argument by itself\n");
        return;
    }
    strbuf_add(out, preview->linear ? "  over pages that are contiguous in memory: as over a stream\n" : "");
    strbuf_addf(out, "  %s%s\n", key->flat_loads ? "aligned loads" : "general loads", strbuf_text(&preview->loads));
    strbuf_addf(out, "  %s%s\n", key->flat_stores ? "contiguous stores" : "general stores",
                strbuf_text(&preview->stores));
}

static void explain_preview(const KernelText *text, const Preview *preview, const Argument *args, const Domain *domain,
                            StrBuf *out)
{
    const Function *f = text->function;
    const Layout *layout = &preview->layout;
    explain_access(preview, out);
    strbuf_addf(out, "  %d element%s per step, group %d, %d dimension%s in the index\n", layout->elements,
                layout->elements == 1 ? "" : "s", f->group_rank ? f->group[0] : layout->group, preview->key.rank,
                preview->key.rank == 1 ? "" : "s");
    if (preview->key.active && preview->key.active != ACTIVE_PAGES) {
        strbuf_add(out, "  over the list of active elements only\n");
    }
    if (preview->passes > 1) {
        strbuf_addf(out, "  %d passes, %d outputs each, because this device stores no more at once\n", preview->passes,
                    preview->per_pass);
    }
    if (text->canary) {
        strbuf_add(out, "  loops of unknown length: watched, since the device may stop them\n");
    }
    for (int i = 0; i < f->param_count - f->given; i++) {
        explain_argument(text, &preview->key, layout, i, &args[i], out);
    }
    Shape pages = {1, {domain->pages ? kernel_page_elements(domain->pages, domain->shape.rank) : 0}};
    const Shape *moved = domain->pages ? &pages : domain->active ? &domain->active->shape : &domain->shape;
    strbuf_addf(out, "  moves %llu bytes element-wise; gathers come on top\n",
                (unsigned long long)launch_bytes(f, args, moved));
}

bool kernel_explain(Kernel *kernel, Device *device, const Argument *args, const Domain *domain, bool check, StrBuf *out)
{
    Preview *preview = workspace_take(device, sizeof *preview);
    char shape[SHAPE_TEXT];
    if (!preview) {
        return false;
    }
    preview->loads = preview->stores = STRBUF_EMPTY;
    bool done = launch_preview(kernel, device, args, domain, check, copy_argument, preview);
    if (done) {
        KernelText text = kernel_text(preview->kernel, device);
        strbuf_addf(out, "%s over %s on %s (%s family)\n", kernel->function.name, shape_text(&domain->shape, shape),
                    device_describe(device)->name, text.traits->family == FAMILY_CPU ? "cpu" : "gpu");
        explain_preview(&text, preview, args, domain, out);
    }
    strbuf_free(&preview->loads);
    strbuf_free(&preview->stores);
    workspace_give(device, preview);
    return done;
}

bool kernel_source(Kernel *kernel, Device *device, StrBuf *out)
{
    if (kernel->count) {
        strbuf_add(out, "/* counts what every element pushes */\n");
        bool counted = kernel_source(kernel->count, device, out);
        strbuf_add(out, "\n/* writes it */\n");
        return counted && kernel_source(kernel->write, device, out);
    }
    kernel = address_latest(kernel);
    if (!kernel->variants.count && !kernel_compile(kernel, device)) {
        return false;
    }
    if (!kernel->variants.count) {
        return error_set("%s: nothing is compiled before its first launch", kernel->function.name);
    }
    KernelText text = kernel_text(kernel, device);
    const Variant *last = kernel->variants.items[0];
    return codegen_write(&text, &last->key, &last->layout, out);
}
