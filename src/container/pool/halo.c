/* Halos: pages with overlap hold copies of the elements of adjacent pages. A kernel updates the copies right
 * before a launch reads them, in the pages next to pages that were written or mapped since. If the host wrote
 * or mapped them, these pages are known; otherwise all pages are updated.
 *
 * The pages around a page are its sides, numbered in base 3, x first: 0 is before, 1 is within, 2 is after. */
#include "container/pool/halo.h"
#include "container/page/paged.h"

#include "gpu/memory/buffer.h"
#include "kernel/launch/builtin.h"
#include "kernel/launch/raw.h"

#include <stdlib.h>
#include <string.h>

enum {
    CELL_WORDS =
        3 /* of a copy: its offset in the frame, the offset of the original in its frame, and the side of the original */
    ,
    AT_ONCE = 4 /* pages that an invocation updates */,
    OVERLAP_PART = 8 /* if more than this fraction of the pages must be updated, all are */
};

static Overlap *halo_of(const Container *c)
{
    return &((HaloPool *)c->state)->halo;
}

static const Paged *pages_of(const Container *c)
{
    return (const Paged *)c->translator;
}

static int rank_of(const Container *c)
{
    return c->translator->info.rank;
}

/* making */

static int64_t apron_cells(const Paged *paged)
{
    int64_t own = 1, all = 1;
    for (int d = 0; d < paged->base.info.rank; d++) {
        own *= paged->page[d];
        all *= paged->page[d] + 2 * paged->overlap;
    }
    return all - own;
}

/* Computes the cell of a point around a page, relative to its first element. False if the point is within the
 * page. */
static bool make_cell(const Paged *paged, const int64_t *point, int32_t *cell)
{
    int64_t place = paged->lead, from = place;
    int32_t side = 0;
    bool within = true;
    for (int d = paged->base.info.rank - 1; d >= 0; d--) {
        int way = point[d] < 0 ? 0 : point[d] < paged->page[d] ? 1 : 2;
        place += point[d] * paged->stride[d];
        from += (point[d] - (way - 1) * paged->page[d]) * paged->stride[d];
        side = 3 * side + way;
        within = within && way == 1;
    }
    cell[0] = (int32_t)place;
    cell[1] = (int32_t)from;
    cell[2] = side;
    return !within;
}

static bool make_cells(Container *c)
{
    const Paged *paged = pages_of(c);
    int64_t count = apron_cells(paged), made = 0, point[SHAPE_MAX_RANK] = {0};
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    int32_t *cells = malloc((size_t)count * CELL_WORDS * sizeof *cells + 1);
    if (!cells) {
        return error_set("out of host memory");
    }
    for (int d = 0; d < rank_of(c); d++) {
        point[d] = first[d] = -paged->overlap;
        last[d] = paged->page[d] + paged->overlap - 1;
    }
    do {
        made += made < count && make_cell(paged, point, cells + made * CELL_WORDS);
    } while (range_step(point, first, last, 0, rank_of(c)));
    Stream *stream = &halo_of(c)->cells;
    bool done = stream_create(c->memory.device, type_of(SCALAR_INT, CELL_WORDS), &(Shape){1, {count}}, false, stream) &&
                buffer_write(stream->buffer, 0, cells, (uint64_t)count * CELL_WORDS * sizeof *cells);
    free(cells);
    return done;
}

static bool holds(const AddressMap *map, const PageSet *pages);
static bool replicate(AddressMap *map);

bool halo_create(Container *c)
{
    Overlap *o = halo_of(c);
    o->sides = 1;
    for (int d = 0; d < rank_of(c); d++) {
        o->sides *= 3;
    }
    c->map.overlap = translator_info(c->translator).overlap;
    c->map.holds = holds;
    c->map.replicate = replicate;
    return make_cells(c);
}

static void free_pages(OverlapPages *pages)
{
    stream_release(&pages->begins);
    stream_release(&pages->around);
    *pages = (OverlapPages){0};
}

void halo_free(Container *c)
{
    Overlap *o = halo_of(c);
    free_pages(&o->all);
    stream_release(&o->cells);
    page_list_free(&o->changed);
}

uint64_t halo_bytes(const Container *c)
{
    const Overlap *o = halo_of(c);
    return stream_bytes(&o->cells) + (uint64_t)o->all.count * (uint64_t)(o->sides + 1) * sizeof(int32_t);
}

uint64_t halo_version(const Container *c)
{
    return stream_version(&c->memory) - halo_of(c)->own_writes;
}

void halo_moved(Container *c)
{
    halo_of(c)->known = false;
    halo_of(c)->own_writes = 0;
}

void halo_changed(Container *c, const PageList *list)
{
    Overlap *o = halo_of(c);
    uint64_t version = translator_version(c->translator);
    if (o->mapped + 1 != version ||
        (int64_t)(o->changed.count + list->count) > translator_info(c->translator).mapped / OVERLAP_PART ||
        !page_list_reserve(&o->changed, (int64_t)list->count)) {
        return; /* the version tells that all elements may have changed */
    }
    for (size_t i = 0; i < list->count; i++) {
        o->changed.items[o->changed.count++] = list->items[i];
    }
    o->mapped = version;
}

/* what changes */

/* Adds the pages whose own elements the host wrote since. False if there are too many, or if the device wrote
 * elements. */
static bool add_written(const Container *c, PageList *list)
{
    const Overlap *o = halo_of(c);
    const Paged *paged = pages_of(c);
    size_t most = (size_t)(paged->base.info.mapped / OVERLAP_PART);
    uint64_t frame_bytes = (uint64_t)paged->elements * (uint64_t)c->memory.type->bytes;
    uint64_t end = (uint64_t)paged_frames(paged);
    for (uint64_t frame = 0; frame < end && list->count <= most; frame++) {
        BufferRegion region = {.from = frame * frame_bytes, .to = (frame + 1) * frame_bytes, .width = frame_bytes};
        const int32_t *words = paged->base.tables[PAGED_BACK].words + paged_back(paged, (int64_t)frame);
        int64_t page[SHAPE_MAX_RANK];
        for (int d = 0; d < rank_of(c); d++) {
            page[d] = words[d + 1];
        }
        if (words[0] && buffer_written_since(c->memory.buffer, o->written, &region) &&
            !page_list_add(list, rank_of(c), page, (int64_t)frame)) {
            return false;
        }
    }
    return list->count <= most;
}

/* pages whose copies must be updated */

static int64_t pages_along(const Container *c, int d)
{
    return (c->map.sizes[d] - 1) / pages_of(c)->page[d] + 1;
}

/* Returns whether a page lies in the domain. */
static bool in_domain(const Container *c, const int64_t *page)
{
    bool inside = true;
    for (int d = 0; d < rank_of(c); d++) {
        inside = inside && page[d] >= 0 && page[d] < pages_along(c, d);
    }
    return inside;
}

/* Returns how many pages the domain has; -1 if there are more than memory can hold. */
static int64_t all_pages(const Container *c)
{
    int64_t all = 1;
    for (int d = 0; d < rank_of(c) && all > 0; d++) {
        all = pages_along(c, d) > SHAPE_MAX_ELEMENTS / all ? -1 : all * pages_along(c, d);
    }
    return all;
}

/* Returns the frame of the page at a side of another page, or NO_FRAME. */
static int64_t adjacent_frame(const Container *c, const PageEntry *entry, int side, int64_t *page)
{
    page_list_page(entry, page);
    for (int d = 0; d < rank_of(c); d++, side /= 3) {
        page[d] += side % 3 - 1;
    }
    return in_domain(c, page) ? paged_frame(c->translator, page) : NO_FRAME;
}

/* Adds the mapped pages of a list and those around them, each once. */
static bool add_around(const Container *c, const PageList *list, PageList *result)
{
    bool done = true;
    for (size_t i = 0; done && i < list->count; i++) {
        for (int side = 0; done && side < halo_of(c)->sides; side++) {
            int64_t page[SHAPE_MAX_RANK], frame = adjacent_frame(c, &list->items[i], side, page);
            done = frame == NO_FRAME || page_list_add(result, rank_of(c), page, frame);
        }
    }
    page_list_unique(result, NULL, NULL);
    return done;
}

static bool upload(const Container *c, const int32_t *words, int64_t count, Stream *stream)
{
    Shape shape = {1, {count}};
    return stream_create(c->memory.device, type_of(SCALAR_INT, 1), &shape, false, stream) &&
           buffer_write(stream->buffer, 0, words, (uint64_t)count * sizeof *words);
}

/* Creates the tables of a list of mapped pages. */
static bool make_pages(const Container *c, const PageList *list, OverlapPages *pages)
{
    int sides = halo_of(c)->sides;
    int64_t count = (int64_t)list->count, elements = pages_of(c)->elements, page[SHAPE_MAX_RANK];
    int32_t *begins = malloc((size_t)count * sizeof *begins + 1),
            *around = malloc((size_t)count * (size_t)sides * sizeof *around + 1);
    bool done = (begins && around) || error_set("out of host memory");
    for (int64_t i = 0; done && i < count; i++) {
        begins[i] = (int32_t)(list->items[i].frame * elements);
        for (int side = 0; side < sides; side++) {
            int64_t frame = adjacent_frame(c, &list->items[i], side, page);
            around[i * sides + side] = frame == NO_FRAME ? -1 : (int32_t)(frame * elements);
        }
    }
    pages->count = count;
    done = done && upload(c, begins, count, &pages->begins) && upload(c, around, count * sides, &pages->around);
    free(begins);
    free(around);
    return done;
}

/* Creates the tables of all mapped pages, which are kept until the mapping changes. */
static bool list_all(Container *c)
{
    Overlap *o = halo_of(c);
    PageList list = {0};
    if (o->listed == translator_version(c->translator) + 1) {
        return true;
    }
    free_pages(&o->all);
    bool done = container_mapped(c, &list) && make_pages(c, &list, &o->all);
    o->listed = done ? translator_version(c->translator) + 1 : 0;
    page_list_free(&list);
    return done;
}

/* the kernel */

/* Writes the copy of a cell of one page. Elements of less than a word are inserted into words that hold other
 * elements, too. */
static void write_copy(const Container *c, const char *type, StrBuf *text)
{
    int bytes = c->memory.type->bytes;
    if (bytes >= 4) {
        strbuf_addf(text, "  %s v = m[at];\n  if (from < 0) { v = none; }\n  m[to] = v;\n  }\n", type);
        return;
    }
    int each = 4 / bytes, bits = 8 * bytes;
    uint32_t mask = (1u << bits) - 1;
    strbuf_addf(text,
                "  uint v = from < 0 ? none : m[at / %d] >> uint(at %% %d * %d);\n"
                "  int w = to / %d;\n  uint s = uint(to %% %d * %d);\n"
                "  atomicAnd(m[w], ~(%uu << s));\n  atomicOr(m[w], (v & %uu) << s);\n  }\n",
                each, each, bits, each, each, bits, mask, mask);
}

/* Writes the kernel: an invocation loads a cell once and copies it for several pages. Past the last page it
 * repeats the last one. */
static void write_kernel(const Container *c, const Stream *memory, StrBuf *text)
{
    const char *type = memory->type->value->name;
    raw_declare(text, memory->type);
    strbuf_addf(text,
                "kernel void replicate(int last, int x<>, int begin[], int around[], ivec3 cell[], %s other[], "
                "inout %s m[]) {\n"
                "  ivec4 p = indexof(x);\n  ivec3 c = cell[p.x];\n  %s none = other[0];\n",
                type, type, type);
    for (int i = 0; i < AT_ONCE; i++) {
        strbuf_addf(text,
                    "  {\n  int n = min(p.y * %d + %d, last);\n"
                    "  int from = around[n * %d + c.z], to = begin[n] + c.x, at = max(from, 0) + c.y;\n",
                    AT_ONCE, i, halo_of(c)->sides);
        write_copy(c, type, text);
    }
    strbuf_add(text, "}\n");
}

/* Views memory as elements that the kernel copies: words if elements are smaller. Creates `other`, the value
 * for unmapped pages. */
static bool see_memory(const Container *c, Stream *memory, Stream *other)
{
    int bytes = c->memory.type->bytes;
    Shape words = {1, {(int64_t)(stream_bytes(&c->memory) / 4)}};
    char element[TYPE_MAX_BYTES] = {0};
    memcpy(element, c->fallback, (size_t)bytes);
    bool done = bytes < 4 ? stream_over(c->memory.buffer, type_of(SCALAR_UINT, 1), &words, 0, memory)
                          : raw_view(&c->memory, memory);
    return done && stream_create(c->memory.device, memory->type, &(Shape){1, {1}}, false, other) &&
           buffer_write(other->buffer, 0, element, (uint64_t)memory->type->bytes);
}

static bool copy_cells(Container *c, const OverlapPages *pages)
{
    Overlap *o = halo_of(c);
    Stream over = {0}, memory = {0}, other = {0};
    Shape shape = {2, {(pages->count + AT_ONCE - 1) / AT_ONCE, stream_elements(&o->cells)}};
    uint32_t last = (uint32_t)(pages->count - 1);
    double zero[4] = {0};
    if (pages->count == 0) {
        return true;
    }
    StrBuf text = STRBUF_EMPTY;
    bool done = see_memory(c, &memory, &other) &&
                stream_ramp(c->memory.device, type_of(SCALAR_INT, 1), &shape, zero, zero, &over);
    if (done) {
        write_kernel(c, &memory, &text);
        Kernel *kernel = builtin_kernel(c->memory.device, strbuf_text(&text));
        Argument args[] = {{.words = &last},           {.stream = &over},     {.stream = &pages->begins},
                           {.stream = &pages->around}, {.stream = &o->cells}, {.stream = &other},
                           {.stream = &memory}};
        uint64_t before = stream_version(&c->memory);
        done = kernel && kernel_launch(kernel, c->memory.device, args, &shape, false);
        o->own_writes += stream_version(&c->memory) - before;
    }
    strbuf_free(&text);
    stream_release(&over);
    stream_release(&memory);
    stream_release(&other);
    return done;
}

/* called by launches */

static bool replicate_some(Container *c, const PageList *list)
{
    PageList around = {0};
    OverlapPages pages = {0};
    bool done = add_around(c, list, &around) && make_pages(c, &around, &pages) && copy_cells(c, &pages);
    free_pages(&pages);
    page_list_free(&around);
    return done;
}

static bool replicate(AddressMap *map)
{
    Container *c = (Container *)map;
    Overlap *o = halo_of(c);
    bool known = o->known && o->mapped == translator_version(c->translator) &&
                 memcmp(o->fallback, c->fallback, (size_t)c->memory.type->bytes) == 0;
    if (known && o->changed.count == 0 && o->written == stream_version(&c->memory)) {
        return true;
    }
    bool some = known && add_written(c, &o->changed);
    if (!(some ? replicate_some(c, &o->changed) : list_all(c) && copy_cells(c, &o->all))) {
        o->known = false;
        return false;
    }
    page_list_free(&o->changed);
    o->known = true;
    o->written = stream_version(&c->memory);
    o->mapped = translator_version(c->translator);
    memcpy(o->fallback, c->fallback, sizeof o->fallback);
    return true;
}

static bool holds(const AddressMap *map, const PageSet *pages)
{
    const Container *c = (const Container *)map;
    const Paged *paged = pages_of(c);
    int rank = rank_of(c), words = rank + (pages && pages->masked);
    if (!pages) {
        return paged->base.info.mapped == all_pages(c);
    }
    if (!pages->words || !pages->aligned) {
        return false;
    }
    if (container_active_known(c) && pages->words == c->active->words) {
        return true;
    }
    for (int64_t i = 0; i < pages->count; i++) {
        int64_t page[SHAPE_MAX_RANK];
        for (int d = 0; d < rank; d++) {
            page[d] = pages->words[i * words + d] / paged->page[d];
        }
        if (!in_domain(c, page) || paged_frame(c->translator, page) == NO_FRAME) {
            return false;
        }
    }
    return true;
}
