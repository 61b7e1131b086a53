/* Packs the mapped part of a container into a stream, for primitives. */
#include "container/container_private.h"

#include "kernel/launch/builtin.h"
#include "kernel/launch/copy.h"

#include <string.h>

enum { FROM = 1, TO = 2 }; /* bits of Domain.numbered, one for each parameter of copy_over */

static bool copy_line(Container *c, const Region *region, Stream *to, const Stream *from, unsigned numbered)
{
    Domain domain = {.shape = c->whole.shape, .pages = &region->set, .numbered = numbered};
    return copy_over(to, from, &domain);
}

/* Creates a stream with one element for each mapped element. */
static bool create(const Container *c, const Region *region, const Type *type, Stream *result)
{
    return stream_create(c->memory.device, type, &(Shape){1, {region->set.elements}}, false, result);
}

/* Returns the frame from which on memory holds the line, in address order or in any order; -1: it does not. */
static int64_t side_by_side(Container *c, const Region *region, bool ordered)
{
    bool whole = container_paged(c) && !container_queries(c) &&
                 region->set.elements == region->set.count * translator_info(c->translator).page;
    return !whole ? -1 : ordered ? c->contiguous.first : c->contiguous.least;
}

bool container_pack_exists(Container *c, bool ordered)
{
    const Region *region = container_partial(c) ? container_active(c) : NULL;
    return !container_partial(c) || (region && side_by_side(c, region, ordered) >= 0);
}

static bool line_in_memory(const Container *c, const Region *region, int64_t frame, Stream *result)
{
    int64_t page = translator_info(c->translator).page;
    return stream_over(c->memory.buffer, c->memory.type, &(Shape){1, {region->set.elements}},
                       c->memory.offset + frame * page, result);
}

bool container_pack(Container *c, const Stream *from, const Region *part, Stream *result)
{
    if (!container_partial(c)) {
        if (!from->map && from->contiguous) {
            stream_copy_view(from, result);
            return true;
        }
        return copy_new(from, NULL, result);
    }
    const Region *region = part ? part : container_active(c);
    int64_t frame = !part && region && from->map == &c->map ? side_by_side(c, region, true) : -1;
    if (frame >= 0) {
        return line_in_memory(c, region, frame, result);
    }
    if (!region || !create(c, region, from->type, result)) {
        return false;
    }
    if (!copy_line(c, region, result, from, TO)) {
        stream_release(result);
        return false;
    }
    return true;
}

bool container_pack_unordered(Container *c, Stream *result)
{
    const Region *region = container_partial(c) ? container_active(c) : NULL;
    int64_t frame = region ? side_by_side(c, region, false) : -1;
    return frame >= 0 ? line_in_memory(c, region, frame, result)
                      : container_pack(c, container_elements(c), NULL, result);
}

bool container_pack_take(Container *c, const Stream *line)
{
    Stream whole = *container_elements(c);
    const Region *region = container_active(c);
    return region && copy_line(c, region, &whole, line, FROM);
}

Container *container_unpack(Container *c, const Stream *line)
{
    Container *made = container_like(c, line->type);
    const Region *region = made && container_partial(c) ? container_active(c) : NULL;
    bool done = made && (!container_partial(c) || (region && container_ready_region(made, region)));
    if (done) {
        Stream whole = *container_elements(made);
        done = region ? copy_line(made, region, &whole, line, FROM) : copy_stream(&whole, line);
    }
    if (made && !done) {
        container_release(made);
        return NULL;
    }
    return made;
}

/* points */

static bool launch_points(Container *c, const Type *type, Stream *result, const PageSet *set)
{
    static const char *const fields[] = {"x", "xy", "xyz", "xyzw"};
    StrBuf text = STRBUF_EMPTY;
    strbuf_addf(&text, "kernel void points(out %s r<>) { r = indexof(r).%s; }", type->name,
                fields[c->whole.shape.rank - 1]);
    Kernel *kernel = builtin_kernel(c->memory.device, strbuf_text(&text));
    strbuf_free(&text);
    Argument arg = {.stream = result};
    Domain domain = {.shape = c->whole.shape, .pages = set, .numbered = set ? 1 : 0};
    return kernel && kernel_launch_over(kernel, c->memory.device, &arg, &domain, false);
}

/* Creates the coordinates of all elements, as a line. */
static bool all_points(Container *c, const Type *type, Stream *result)
{
    Stream all;
    if (!stream_create(c->memory.device, type, &c->whole.shape, false, &all)) {
        return false;
    }
    bool done = launch_points(c, type, &all, NULL) &&
                stream_reshape(&all, &(Shape){1, {shape_elements(&c->whole.shape)}}, result);
    stream_release(&all);
    return done;
}

bool container_pack_points(Container *c, const Region *part, Stream *result)
{
    int rank = c->whole.shape.rank;
    if (rank > 4) {
        return error_set(
            "points of %d dimensions cannot be elements of a stream: expected a container of at most 4 dimensions",
            rank);
    }
    const Type *type = type_of(SCALAR_INT, rank);
    if (!container_partial(c)) {
        return all_points(c, type, result);
    }
    const Region *region = part ? part : container_active(c);
    if (!region || !create(c, region, type, result)) {
        return false;
    }
    if (!launch_points(c, type, result, &region->set)) {
        stream_release(result);
        return false;
    }
    return true;
}

Container *container_like_mapped(Container *c, const Type *type)
{
    const Region *region = container_active(c);
    Container *made = region ? container_like(c, type) : NULL;
    if (made && !container_ready_region(made, region)) {
        container_release(made);
        made = NULL;
    }
    return made;
}

bool container_append_from(Container *c, Container *from, const Region *region)
{
    if (!region && !container_partial(from)) {
        return container_append(c, container_elements(from));
    }
    region = region ? region : container_active(from);
    return region && container_append_region(c, from, region);
}
