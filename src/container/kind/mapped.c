/* Containers over a mapping, a translator that tells where the elements of the domain are stored within the
 * domain of another container, which owns the pages. The device finds the pages that elements need by
 * translating their coordinates, so no function of a user is called while pages are mapped and unmapped. */
#include "container/kind/kinds.h"
#include "container/page/paged.h"
#include "container/pool/page_pool.h"
#include "container/region/box_list.h"
#include "container/region/coordinates.h"
#include "container/translator/translator_kind.h"
#include "container/translator/translators.h"

#include "gpu/memory/buffer.h"
#include "kernel/launch/builtin.h"
#include "primitive/reduction/compact.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANK = 4, INNER = 0 };

static const char *const vectors[] = {"int", "ivec2", "ivec3", "ivec4"};

typedef struct Mapped {
    Container *pages; /* held; owns the pages */
} Mapped;

typedef struct MappedSnapshot {
    Region *region; /* held; the mapped elements */
    Snapshot *pages;
} MappedSnapshot;

static Container *pages_of(const Container *c)
{
    return ((const Mapped *)c->state)->pages;
}

static MappedSnapshot *snapshot_of_pages(const Snapshot *s)
{
    return s->state;
}

static Translator *mapping_of(const Container *c)
{
    return c->translator->parts[INNER];
}

static bool follow(Container *c, bool done)
{
    if (c->memory.buffer != pages_of(c)->memory.buffer) {
        container_replace_memory(c, &pages_of(c)->memory);
    }
    return done;
}

/* points */

/* Returns a kernel that tests whether a point lies in a shape, or, if the sizes are 0 (no bounds), whether it
 * is mapped. */
static Kernel *inside_kernel(Device *device, int rank)
{
    StrBuf text = STRBUF_EMPTY;
    const char *vector = vectors[rank - 1];
    strbuf_addf(&text, "kernel void inside(%s a<>, %s s, out uint r<>) {\n  bool found = true;\n", vector, vector);
    for (int d = 0; d < rank; d++) {
        const char *field = rank == 1 ? "" : &".x\0.y\0.z\0.w"[3 * d];
        strbuf_addf(&text, "  found = found && (s%s == 0 ? a%s != %s : uint(a%s) < uint(s%s));\n", field, field,
                    "(-2147483647 - 1)", field, field);
    }
    strbuf_add(&text, "  r = found ? 1u : 0u;\n}\n");
    Kernel *kernel = builtin_kernel(device, strbuf_text(&text));
    strbuf_free(&text);
    return kernel;
}

/* Creates a stream of one dimension with the points that lie in a container's domain. */
static bool keep_inside(const Container *c, const Stream *points, Stream *result)
{
    uint32_t sizes[SHAPE_MAX_RANK] = {0};
    int rank = c->whole.shape.rank;
    Kernel *kernel = inside_kernel(points->device, rank);
    Stream mask;
    for (int d = 0; d < rank; d++) {
        sizes[d] = (uint32_t)c->whole.shape.size[rank - 1 - d];
    }
    if (!kernel || !compact_mask(points, &mask)) {
        return false;
    }
    Argument args[] = {{.stream = points}, {.words = sizes}, {.stream = &mask}};
    bool done = kernel_launch(kernel, points->device, args, &points->shape, false) &&
                compact_stream(COMPACT_FILTER, points, &mask, result, NULL);
    stream_release(&mask);
    if (done && !stream_settle(result)) {
        stream_release(result);
        return false;
    }
    return done;
}

/* Translates points by the mapping, and omits unmapped points. */
static bool lead(const Container *c, const Stream *points, Stream *result)
{
    Stream all, flat;
    if (!translator_stream(mapping_of(c), DIRECTION_TRANSLATE, points, &all)) {
        return false;
    }
    bool done = compact_flat(&all, &flat);
    stream_release(&all);
    if (done) {
        done = keep_inside(pages_of(c), &flat, result);
        stream_release(&flat);
    }
    return done;
}

static bool lead_region(const Container *c, const Region *region, Stream *result)
{
    Stream points;
    if (!region_coordinates(region, &points)) {
        return false;
    }
    bool done = lead(c, &points, result);
    stream_release(&points);
    return done;
}

/* pages */

/* Maps or frees the pages of points. */
static bool change(Container *pages, const Stream *places, bool map, bool *found)
{
    return stream_elements(places) == 0 ||
           (map ? container_allocate_points : container_free_points)(pages, places, found);
}

/* Maps the pages of points and separates them from snapshots. */
static bool ready_places(Container *pages, const Stream *places)
{
    bool found;
    return pages->shares ? copy_on_write_points(pages, places) : change(pages, places, true, &found);
}

static bool ready_region(Container *c, const Region *region)
{
    Stream points;
    if (region->set.elements == 0) {
        return true;
    }
    if (!lead_region(c, region, &points)) {
        return false;
    }
    int64_t unmapped = region->set.elements - stream_elements(&points);
    bool done = unmapped == 0 ? ready_places(pages_of(c), &points)
                              : error_set("%" PRId64 " of the %" PRId64
                                          " elements to be written have no address: mapping '%s' does not map them",
                                          unmapped, region->set.elements, translator_info(mapping_of(c)).name);
    stream_release(&points);
    if (done) {
        c->ready = region->serial;
    }
    return follow(c, done);
}

static Region *box_region(const Container *c, const int64_t *first, const int64_t *last)
{
    return region_box(c->memory.device, &c->whole.shape, false, first, last);
}

static bool ready(Container *c, const ContainerPart *part)
{
    if (!part->region && !part->first) {
        return follow(c, container_ready_mapped(pages_of(c)));
    }
    if (part->region) {
        return container_is_ready(c, part->region) || ready_region(c, part->region);
    }
    Region *region = box_region(c, part->first, part->last);
    bool done = region && ready_region(c, region);
    region_release(region);
    return done;
}

static bool change_box(Container *c, const int64_t *first, const int64_t *last, bool map)
{
    Stream points;
    bool found;
    Region *region = box_region(c, first, last);
    bool done = region && (region->set.elements == 0 || lead_region(c, region, &points));
    if (done && region->set.elements > 0) {
        done = change(pages_of(c), &points, map, &found);
        stream_release(&points);
    }
    region_release(region);
    c->ready = 0;
    return follow(c, done);
}

/* Checks that the points of a user lie in the domain. False with error_set. */
static bool check_points(const Container *c, const Stream *points)
{
    Shape shape;
    Stream flat, inside;
    if (c->whole.shape.rank > MOST_RANK) {
        return error_set("streams of points have at most 4 dimensions: give boxes instead");
    }
    if (!translator_points_check(points, c->whole.shape.rank, &shape) || !compact_flat(points, &flat)) {
        return false;
    }
    bool done = stream_settle(&flat) && keep_inside(c, &flat, &inside);
    if (done) {
        done = stream_elements(&inside) == stream_elements(&flat) ||
               error_set("some points lie outside of the container's shape; coordinates are 0-based");
        stream_release(&inside);
    }
    stream_release(&flat);
    return done;
}

static bool change_points(Container *c, const Stream *points, bool *found, bool map)
{
    Stream there;
    *found = stream_elements(points) == 0 || check_points(c, points);
    if (!*found || stream_elements(points) == 0) {
        return *found;
    }
    bool done = lead(c, points, &there);
    if (done) {
        done = change(pages_of(c), &there, map, found);
        stream_release(&there);
    }
    c->ready = 0;
    return follow(c, done);
}

/* snapshots */

static bool note(Container *c, Snapshot *s)
{
    Region *region = container_active(c);
    MappedSnapshot *snapshot = snapshot_of_pages(s);
    snapshot->pages = region ? container_snapshot(pages_of(c)) : NULL;
    if (!snapshot->pages) {
        return false;
    }
    snapshot->region = region_retain(region);
    container_link_snapshot(c, s, false);
    return true;
}

static void forget(Snapshot *s)
{
    snapshot_close(snapshot_of_pages(s)->pages);
    region_release(snapshot_of_pages(s)->region);
}

static bool undo(Container *c, Snapshot *s)
{
    c->ready = 0;
    return follow(c, container_undo(pages_of(c), snapshot_of_pages(s)->pages));
}

/* Adds the elements of a region that the translator maps, one by one. */
static bool add_found(const Region *region, Translator *t, BoxList *boxes)
{
    Stream points, places;
    RegionCursor cursor = {0};
    int64_t point[SHAPE_MAX_RANK], count = region->set.elements;
    if (count == 0) {
        return true;
    }
    int32_t *numbers = malloc((size_t)count * sizeof *numbers);
    bool done = numbers ? region_coordinates(region, &points) : error_set("out of host memory");
    if (done) {
        done = translator_stream(t, DIRECTION_TRANSLATE, &points, &places);
        stream_release(&points);
    }
    if (done) {
        done = buffer_read(places.buffer, 0, numbers, (uint64_t)count * sizeof *numbers);
        stream_release(&places);
    }
    for (int64_t i = 0; done && i < count && region_step(region, &cursor, point); i++) {
        done = numbers[i] < 0 || region_add_box(boxes, point, point, region->shape.rank);
    }
    free(numbers);
    return done;
}

/* Maps the pages of a box to consecutive frames. */
static bool map_box(void *self, const int64_t *first, const int64_t *last)
{
    Translator **table = self;
    if (!translator_map(*table, first, last, translator_info(*table).mapped)) {
        translator_release(*table);
        *table = NULL;
    }
    return *table != NULL;
}

/* Returns a translator of the domain that maps only the elements stored in the pages of a region. */
static Translator *finder(const Container *c, const Region *pages)
{
    Translator *table = translator_paged_empty(pages_of(c)->translator, 0);
    if (!table) {
        return NULL;
    }
    region_boxes(pages, map_box, &table);
    Translator *t = table ? translator_compose(table, mapping_of(c)) : NULL;
    translator_release(table);
    return t;
}

static Region *diff(Container *c, const Snapshot *s)
{
    BoxList boxes = {0};
    const MappedSnapshot *was = snapshot_of_pages(s);
    Region *result = NULL, *now = container_active(c), *pages = now ? container_diff(pages_of(c), was->pages) : NULL;
    Translator *t = pages ? finder(c, pages) : NULL;
    if (t && add_found(was->region, t, &boxes) && (now == was->region || add_found(now, t, &boxes))) {
        result = container_boxes_region(c, &boxes);
    }
    translator_release(t);
    region_release(pages);
    free(boxes.items);
    return result;
}

/* the container of the pages */

static Container *page_owner(const Container *c)
{
    return pages_of(c);
}

static void destroy(Container *c)
{
    container_release(pages_of(c));
}

static Container *like(const Container *c, const Type *type)
{
    return container_mapping(container_like(pages_of(c), type), mapping_of(c));
}

static Container *copy(const Container *c)
{
    return container_mapping(container_copy(pages_of(c)), mapping_of(c));
}

static uint64_t bytes(const Container *c)
{
    return container_bytes(pages_of(c)) + container_table_bytes(mapping_of(c));
}

static bool fill(Container *c, const void *element, void *caller)
{
    return follow(c, container_fill(pages_of(c), element, caller));
}

static void launch_begin(Container *c)
{
    container_note(pages_of(c));
}

static void launch_end(Container *c, bool keep)
{
    c->ready = keep ? c->ready : 0;
    container_settle(pages_of(c), keep);
}

static bool save(Container *c, ContainerData *data)
{
    (void)data;
    return error_set("its mapping '%s' is a translator, which cannot be saved: save c:stream(), and c:write the "
                     "loaded elements to a container with this mapping",
                     translator_info(mapping_of(c)).name);
}

const ContainerKind container_kind_mapped = {
    .name = "mapped",
    .traits = {.owns_memory = true, .owns_pages = true, .queried = true},
    .state_bytes = sizeof(Mapped),
    .snapshot_bytes = sizeof(MappedSnapshot),
    .destroy = destroy,
    .like = like,
    .copy = copy,
    .save = save,
    .page_owner = page_owner,
    .bytes = bytes,
    .allocate = change_box,
    .allocate_points = change_points,
    .ready = ready,
    .fill = fill,
    .launch_begin = launch_begin,
    .launch_end = launch_end,
    .note = note,
    .forget = forget,
    .diff = diff,
    .undo = undo,
};

Container *container_mapping(Container *pages, Translator *mapping)
{
    Translator *t = pages ? translator_compose(pages->translator, mapping) : NULL;
    Container *c = t ? container_new(&container_kind_mapped, t, &pages->memory, pages->fallback) : NULL;
    translator_release(t);
    if (!c) {
        container_release(pages);
        return NULL;
    }
    ((Mapped *)c->state)->pages = pages;
    c->checked = false; /* no page is mapped outside of memory */
    return c;
}

Container *container_sparse_mapped(Device *device, const Type *type, Translator *mapping, const Shape *page, int levels,
                                   int64_t capacity, const void *fallback)
{
    TranslatorInfo info = translator_info(mapping);
    Shape to = {.rank = info.to};
    for (int d = 0; d < info.to; d++) {
        to.size[d] = info.memory.size[info.to - 1 - d];
    }
    Container *pages = info.memory.known ? container_sparse(device, type, &to, page, 0, levels, capacity, fallback)
                                         : container_hashgrid(device, type, page, capacity, fallback);
    return container_mapping(pages, mapping);
}
