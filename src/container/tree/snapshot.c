/* Snapshots of adaptive containers keep the translator and the memory of their time. The container replaces its
 * own: memory before it is written (snapshot/memory.c), the translator before pages are split or joined. */
#include "container/tree/tree_private.h"

#include "gpu/memory/buffer.h"
#include "kernel/launch/builtin.h"
#include "kernel/launch/raw.h"

#include <stdlib.h>
#include <string.h>

static TreeSnapshot *tree_snapshot(const Snapshot *s)
{
    return s->state;
}

bool tree_note(Container *c, Snapshot *s)
{
    TreeSnapshot *snapshot = tree_snapshot(s);
    snapshot->translator = translator_retain(c->translator);
    snapshot->edge = tree_of(c)->edge;
    memcpy(snapshot->value, tree_of(c)->value, sizeof snapshot->value);
    return snapshot_memory_note(c, s);
}

void tree_forget(Snapshot *s)
{
    snapshot_memory_forget(s);
    translator_release(tree_snapshot(s)->translator);
}

bool tree_own_pages(Container *c)
{
    bool shared = false;
    for (const Snapshot *s = c->newest; s && !shared; s = s->older) {
        shared = tree_snapshot(s)->translator == c->translator;
    }
    if (!container_ready_mapped(c)) {
        return false;
    }
    if (!shared) {
        return true;
    }
    Translator *t = page_tree_copy(c->translator);
    if (!t) {
        return false;
    }
    t->version = c->translator->version; /* the pages are the same */
    translator_release(c->translator);
    c->translator = t;
    return true;
}

/* Takes the frames that hold pages of a translator, and no others. False with error_set. */
static bool take_frames(const PageTree *a, Frames *frames)
{
    AdaptivePage page;
    int64_t end = page_tree_frames(a);
    while (end > 0 && !page_tree_page(a, end - 1, &page)) {
        end--;
    }
    if (!frames_reserve(frames, end)) {
        return false;
    }
    for (int64_t i = 0; i < end; i++) {
        frames_take(frames, 0);
    }
    for (int64_t i = 0; i < end; i++) {
        if (!page_tree_page(a, i, &page)) {
            frames_drop(frames, i);
        }
    }
    return true;
}

bool tree_take_frames(Container *c)
{
    return take_frames(tree_pages(c), &tree_of(c)->frames);
}

bool tree_undo(Container *c, Snapshot *s)
{
    const TreeSnapshot *was = tree_snapshot(s);
    Frames frames = {0};
    Translator *now = c->translator;
    c->shares = true;
    c->ready = 0;
    if (!take_frames((const PageTree *)was->translator, &frames)) {
        frames_free(&frames, 0);
        return false;
    }
    frames_free(&tree_of(c)->frames, translator_info(now).mapped);
    tree_of(c)->frames = frames;
    c->translator = translator_retain(was->translator);
    if (c->translator->version <= now->version) { /* pages of the same version are the same */
        c->translator->version = now->version + 1;
    }
    translator_release(now);
    container_replace_memory(c, &was->memory.memory);
    region_release(c->active);
    c->active = NULL;
    tree_changed(c);
    tree_of(c)->edge = was->edge;
    memcpy(tree_of(c)->value, was->value, sizeof was->value);
    tree_header(c);
    return true;
}

/* differences */

/* Leaves that existed before, and the frames that each had then and has now. */
typedef struct Kept {
    const Container *c;
    const PageTree *before;
    TreeList pages, changed;
    int32_t *frames; /* twice as many as possible: frames of now, and frames of then from `count` on */
    int64_t count, kept;
    bool failed;
} Kept;

static bool was_leaf(const PageTree *a, const AdaptivePage *page)
{
    AdaptivePage inside = {.level = 0};
    for (int d = 0; d < a->base.info.rank; d++) {
        inside.at[d] = page->at[d] << page->level;
    }
    return page_tree_mapped(a, page) && adaptive_level(page_tree_find(a, &inside)) == page->level;
}

static void sort_leaf(void *self, int64_t frame, const AdaptivePage *page, bool leaf)
{
    Kept *kept = self;
    if (!leaf || kept->failed) {
        return;
    }
    if (!was_leaf(kept->before, page)) {
        kept->failed = !tree_add(&kept->changed, page);
        return;
    }
    kept->failed = !tree_add(&kept->pages, page);
    kept->frames[kept->kept] = (int32_t)frame;
    kept->frames[kept->count + kept->kept++] = (int32_t)adaptive_frame(page_tree_mapped(kept->before, page));
}

/* Views structures as words. */
static bool see_memory(const Stream *memory, Stream *result)
{
    if (memory->type->is_struct) {
        return raw_view(memory, result);
    }
    stream_copy_view(memory, result);
    return true;
}

/* Returns a kernel that tests for each pair of frames whether their elements differ. Floats are compared bit by
 * bit. */
static Kernel *differ_kernel(const Container *c, const Type *type)
{
    const char *bits = !type->is_struct && type->scalar == SCALAR_FLOAT ? "floatBitsToUint" : "";
    int elements = (int)tree_pages(c)->elements;
    StrBuf text = STRBUF_EMPTY;
    raw_declare(&text, type);
    strbuf_addf(&text,
                "kernel void differ(int now<>, int then<>, %s a[], %s b[], out int r<>) {\n  r = 0;\n"
                "  for (int i = 0; i < %d; i++) {\n"
                "  if (%s(a[now * %d + i]) != %s(b[then * %d + i])) { r = 1; }\n  }\n}\n",
                type->name, type->name, elements, bits, elements, bits, elements);
    Kernel *kernel = builtin_kernel(c->memory.device, strbuf_text(&text));
    strbuf_free(&text);
    return kernel;
}

/* Compares each pair of frames, and sets it to 1 if they differ. */
static bool compare_frames(const Container *c, const Stream *before, Kept *kept)
{
    Device *device = c->memory.device;
    const Type *type = type_of(SCALAR_INT, 1);
    Shape shape = {1, {kept->kept}};
    uint64_t bytes = (uint64_t)kept->kept * sizeof *kept->frames;
    Stream streams[3] = {{0}}, memory[2] = {{0}};
    Argument args[MAX_PARAMS];
    bool done = see_memory(&c->memory, &memory[0]) && see_memory(before, &memory[1]);
    Kernel *kernel = done ? differ_kernel(c, memory[0].type->value) : NULL;
    done = kernel != NULL;
    for (int i = 0; i < 3 && done; i++) {
        done = stream_create(device, type, &shape, false, &streams[i]) &&
               (i == 2 || buffer_write(streams[i].buffer, 0, kept->frames + i * kept->count, bytes));
    }
    if (done) {
        args[0].stream = &streams[0];
        args[1].stream = &streams[1];
        args[2].stream = &memory[0];
        args[3].stream = &memory[1];
        args[4].stream = &streams[2];
        done = kernel_launch(kernel, device, args, &shape, false) &&
               buffer_read(streams[2].buffer, 0, kept->frames, bytes);
    }
    for (int i = 0; i < 3; i++) {
        stream_release(&streams[i]);
    }
    stream_release(&memory[0]);
    stream_release(&memory[1]);
    return done;
}

Region *tree_diff(Container *c, const Snapshot *s)
{
    const TreeSnapshot *was = tree_snapshot(s);
    int64_t most = translator_info(c->translator).mapped;
    Kept kept = {.c = c, .before = (const PageTree *)was->translator, .count = most};
    kept.frames = malloc(2 * (size_t)most * sizeof *kept.frames);
    bool done = kept.frames || error_set("out of host memory");
    if (done) {
        tree_each(c, sort_leaf, &kept);
        done = !kept.failed;
    }
    bool written = was->memory.memory.buffer != c->memory.buffer;
    done = done && (!written || kept.kept == 0 || compare_frames(c, &was->memory.memory, &kept));
    for (int64_t i = 0; i < kept.kept && done && written; i++) {
        done = !kept.frames[i] || tree_add(&kept.changed, &kept.pages.items[i]);
    }
    Region *region = done ? tree_region(c, &kept.changed) : NULL;
    free(kept.frames);
    free(kept.pages.items);
    free(kept.changed.items);
    return region;
}
