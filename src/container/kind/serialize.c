#include "container/serialize.h"

#include "container/container_private.h"
#include "container/page/paged.h"
#include "kernel/launch/copy.h"

#include <stdlib.h>
#include <string.h>

/* A kind of container: its image, and back. */
typedef struct ImageKind {
    const char *name;
    bool (*is)(const Container *c);
    bool (*take)(Container *c, ContainerImage *image);
    Container *(*load)(Device *device, const ContainerImage *image);
} ImageKind;

static Container *damaged(void)
{
    container_image_damaged();
    return NULL;
}

/* Room for elements and numbers. */
static bool make_room(ContainerImage *image)
{
    image->elements = malloc((size_t)image->element_count * (size_t)image->type->bytes + 1);
    image->numbers = malloc((size_t)image->number_count * sizeof *image->numbers + 1);
    return (image->elements && image->numbers) || error_set("out of host memory");
}

/* The first elements of the memory. */
static bool read_memory(const Container *c, const ContainerImage *image)
{
    uint64_t bytes = (uint64_t)image->type->bytes;
    return buffer_read(c->memory.buffer, (uint64_t)c->memory.offset * bytes, image->elements,
                       (uint64_t)image->element_count * bytes);
}

static Container *write_memory(Container *c, const ContainerImage *image)
{
    uint64_t bytes = (uint64_t)image->type->bytes;
    if (c && image->element_count > 0 &&
        !buffer_write(c->memory.buffer, (uint64_t)c->memory.offset * bytes, image->elements,
                      (uint64_t)image->element_count * bytes)) {
        container_release(c);
        return NULL;
    }
    return c;
}

/* arrays and stacks */

static bool is_array(const Container *c)
{
    return c->own && !c->stack && !c->lists;
}

enum { TEXTURE_NUMBERS = 5 };

static bool take_array(Container *c, ContainerImage *image)
{
    const TextureForm *form = stream_texture(&c->whole);
    image->size = c->whole.shape;
    image->element_count = stream_elements(&c->whole);
    image->number_count = form ? TEXTURE_NUMBERS : 0;
    if (!make_room(image)) {
        return false;
    }
    if (form) {
        const int32_t numbers[TEXTURE_NUMBERS] = {form->linear, form->normalized, form->cube, form->levels,
                                                  texture_internal_code(form->internal)};
        memcpy(image->numbers, numbers, sizeof numbers);
    }
    return read_memory(c, image);
}

/* Its texture, whose coarser levels are made anew. */
static Container *add_texture(Container *c, const ContainerImage *image)
{
    const int32_t *n = image->numbers;
    bool known = image->number_count == TEXTURE_NUMBERS && (n[0] | n[1] | n[2] | 1) == 1 && n[3] > 0;
    TextureWish wish = {0};
    if (!c || image->number_count == 0) {
        return c;
    }
    if (known) {
        wish = (TextureWish){n[0], n[1], n[2], n[3], texture_find_code(n[4])};
    }
    bool done = known && wish.internal >= 0 ? stream_texture_attach(&c->whole, &wish) : container_image_damaged();
    if (!done || (wish.levels > 1 && !container_mipmap(c, 0))) {
        container_release(c);
        return NULL;
    }
    return c;
}

static Container *load_array(Device *device, const ContainerImage *image)
{
    int64_t count = 1;
    for (int d = 0; d < image->size.rank; d++) {
        if (image->size.size[d] < 1 || image->size.size[d] > SHAPE_MAX_ELEMENTS / count) {
            return damaged();
        }
        count *= image->size.size[d];
    }
    if (count != image->element_count) {
        return damaged();
    }
    return add_texture(write_memory(container_array(device, image->type, &image->size), image), image);
}

/* A user's translator and memory, all of whose elements there are. */
static bool is_complete(const Container *c)
{
    return !c->own && !c->kind && container_complete(c);
}

static bool take_complete(Container *c, ContainerImage *image)
{
    Stream dense;
    image->size = c->whole.shape;
    image->element_count = shape_elements(&c->whole.shape);
    if (!copy_new(&c->whole, NULL, &dense)) {
        return false;
    }
    bool done = make_room(image) && buffer_read(dense.buffer, 0, image->elements, stream_bytes(&dense));
    stream_release(&dense);
    return done;
}

static bool take_stack(Container *c, ContainerImage *image)
{
    image->size = (Shape){1, {1}};
    image->capacity = translator_info(c->translator).domain.size[0];
    image->element_count = c->count;
    return make_room(image) && read_memory(c, image);
}

static Container *load_stack(Device *device, const ContainerImage *image)
{
    Stream elements;
    if (image->capacity < 1 || image->capacity > SHAPE_MAX_ELEMENTS || image->element_count > image->capacity) {
        return damaged();
    }
    Container *c = container_stack(device, image->type, image->capacity);
    if (!c || image->element_count == 0) {
        return c;
    }
    bool done = stream_create(device, image->type, &(Shape){1, {image->element_count}}, false, &elements);
    if (done) {
        done = buffer_write(elements.buffer, 0, image->elements, stream_bytes(&elements)) &&
               container_stack_push(c, &elements);
        stream_release(&elements);
    }
    if (!done) {
        container_release(c);
        return NULL;
    }
    return c;
}

/* lists */

static bool take_lists(Container *c, ContainerImage *image)
{
    const Shape *whole = &c->whole.shape; /* behind the grid's sizes stands the longest list */
    image->size = *whole;
    image->size.rank = whole->rank - 1;
    image->element_count = c->count;
    image->number_count = shape_elements(&image->size) + 1;
    if (!make_room(image)) {
        return false;
    }
    memcpy(image->numbers, c->translator->tables[0].words, (size_t)image->number_count * sizeof *image->numbers);
    return read_memory(c, image);
}

static bool offsets_agree(const ContainerImage *image)
{
    int64_t cells = 1;
    for (int d = 0; d < image->size.rank; d++) {
        if (image->size.size[d] < 1 || image->size.size[d] > SHAPE_MAX_ELEMENTS / cells) {
            return false;
        }
        cells *= image->size.size[d];
    }
    bool agree = image->size.rank < SHAPE_MAX_RANK && image->number_count == cells + 1 && image->numbers[0] == 0;
    for (int64_t i = 0; agree && i < cells; i++) {
        agree = image->numbers[i] <= image->numbers[i + 1];
    }
    return agree && image->numbers[cells] == image->element_count;
}

static Container *load_lists(Device *device, const ContainerImage *image)
{
    Stream entries;
    if (!offsets_agree(image)) {
        return damaged();
    }
    Translator *t = translator_lists(device, &image->size, image->numbers);
    Container *c = NULL;
    if (t && stream_create(device, image->type, &(Shape){1, {image->element_count}}, true, &entries)) {
        c = container_lists(t, &entries);
        stream_release(&entries);
    }
    translator_release(t);
    return write_memory(c, image);
}

/* pages */

static bool is_sparse(const Container *c)
{
    return !c->kind && container_paged(c) && !container_queries(c) && container_bounded(c) && !c->overlap;
}

static bool is_overlap(const Container *c)
{
    return c->overlap != NULL;
}

static bool is_hashgrid(const Container *c)
{
    return c->pooled && !container_bounded(c);
}

/* Reads frames of a list, side by side ones at once. */
static bool read_frames(const Container *c, const PageList *list, char *to)
{
    uint64_t page = (uint64_t)translator_info(c->translator).page * (uint64_t)c->memory.type->bytes;
    bool done = true;
    for (size_t i = 0; done && i < list->count;) {
        size_t first = i++;
        while (i < list->count && list->items[i].frame == list->items[i - 1].frame + 1) {
            i++;
        }
        done = buffer_read(c->memory.buffer,
                           (uint64_t)c->memory.offset * (uint64_t)c->memory.type->bytes +
                               (uint64_t)list->items[first].frame * page,
                           to + first * page, (i - first) * page);
    }
    return done;
}

static void copy_numbers(const PageList *list, int rank, int32_t *numbers)
{
    for (size_t i = 0; i < list->count; i++) {
        memcpy(numbers + i * (size_t)rank, list->items[i].page, (size_t)rank * sizeof *numbers);
    }
}

static bool take_list(Container *c, const PageList *list, ContainerImage *image)
{
    TranslatorInfo info = translator_info(c->translator);
    image->number_count = (int64_t)list->count * info.rank;
    image->element_count = 1 + (int64_t)list->count * info.page;
    if (!make_room(image)) {
        return false;
    }
    copy_numbers(list, info.rank, image->numbers);
    memcpy(image->elements, c->fallback, (size_t)image->type->bytes);
    return read_frames(c, list, (char *)image->elements + image->type->bytes);
}

/* Replicas are made anew. */
static bool take_line(Container *c, const PageList *list, ContainerImage *image)
{
    int rank = c->whole.shape.rank;
    const Region *region = container_active(c);
    Stream line = {0};
    if (!region) {
        return false;
    }
    image->number_count = 1 + (int64_t)list->count * rank;
    image->element_count = 1 + region->set.elements;
    if (!make_room(image)) {
        return false;
    }
    image->numbers[0] = translator_info(c->translator).overlap;
    copy_numbers(list, rank, image->numbers + 1);
    memcpy(image->elements, c->fallback, (size_t)image->type->bytes);
    bool done = list->count == 0 || (container_pack(c, &c->whole, NULL, &line) &&
                                     buffer_read(line.buffer, (uint64_t)line.offset * (uint64_t)image->type->bytes,
                                                 (char *)image->elements + image->type->bytes, stream_bytes(&line)));
    if (line.device) {
        stream_release(&line);
    }
    return done;
}

static bool take_pages(Container *c, ContainerImage *image)
{
    TranslatorInfo info = translator_info(c->translator);
    int64_t page[SHAPE_MAX_RANK];
    PageList list = {0};
    translator_page_sizes(c->translator, page);
    image->size = c->whole.shape;
    image->page.rank = info.rank;
    for (int d = 0; d < info.rank; d++) {
        image->page.size[info.rank - 1 - d] = page[d];
    }
    image->levels = container_bounded(c) ? translator_table_levels(c->translator) : 0;
    image->capacity = info.capacity;
    bool done = container_mapped(c, &list);
    container_drop_outside(c, &list);
    done = done && (c->overlap ? take_line : take_list)(c, &list, image);
    page_list_free(&list);
    return done;
}

/* The pages of an image; false with error_set where there can't be such. */
static bool list_pages(const Container *c, const ContainerImage *image, PageList *list)
{
    TranslatorInfo info = translator_info(c->translator);
    int64_t pages = image->number_count / info.rank, first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    container_bounds(c, first, last);
    PageBox all = paged_box(c->translator, first, last);
    bool agree = pages * info.rank == image->number_count && pages <= info.capacity;
    for (int64_t i = 0; agree && i < pages; i++) {
        int64_t page[SHAPE_MAX_RANK] = {0};
        for (int d = 0; d < info.rank; d++) {
            page[d] = image->numbers[i * info.rank + d];
            agree = agree && page[d] >= all.first[d] && page[d] <= all.last[d];
        }
        if (!page_list_add(list, info.rank, page, NO_FRAME)) {
            return false;
        }
    }
    page_list_unique(list, NULL, NULL); /* they were in order */
    return (agree && (int64_t)list->count == pages) || container_image_damaged();
}

static Container *fill_pages(Container *c, const ContainerImage *image)
{
    int64_t bytes = image->type->bytes;
    PageList list = {0};
    bool done = c && list_pages(c, image, &list) && page_pool_map(c, &list, (int64_t)list.count);
    done = done && (list.count == 0 || buffer_write(c->memory.buffer, 0, (const char *)image->elements + bytes,
                                                    (uint64_t)((image->element_count - 1) * bytes)));
    page_list_free(&list);
    if (!done) {
        container_release(c);
        return NULL;
    }
    return c;
}

/* Asked before anything is made: a small file makes nothing large. `numbers`: how many numbers there are of whole pages; less than 0: the elements are
 * others. */
static bool sizes_agree(const ContainerImage *image, int64_t numbers, bool bounded)
{
    int64_t page = 1, pages = numbers / image->size.rank;
    bool agree = image->capacity >= 1;
    for (int d = 0; agree && d < image->size.rank; d++) {
        agree = (bounded ? image->size.size[d] >= 1 : image->size.size[d] == 0) && image->page.size[d] >= 1 &&
                image->page.size[d] <= SHAPE_MAX_ELEMENTS / page;
        page *= image->page.size[d];
    }
    return agree && (numbers < 0 || image->element_count == 1 + pages * page);
}

/* Without pages. */
static Container *make_sparse(Device *device, const ContainerImage *image, int64_t overlap)
{
    enum { MOST_LEVELS = 8 };
    if (image->levels < 1 || image->levels > MOST_LEVELS) {
        return damaged();
    }
    /* Fewer levels than there would be without being told make a large table. */
    Container *c =
        container_sparse(device, image->type, &image->size, &image->page, overlap, 0, image->capacity, image->elements);
    if (c && translator_table_levels(c->translator) < image->levels) {
        container_release(c);
        c = container_sparse(device, image->type, &image->size, &image->page, overlap, image->levels, image->capacity,
                             image->elements);
    }
    return c;
}

static Container *load_sparse(Device *device, const ContainerImage *image)
{
    return sizes_agree(image, image->number_count, true) ? fill_pages(make_sparse(device, image, 0), image) : damaged();
}

/* The elements that are mapped. */
static bool write_line(Container *c, const ContainerImage *image)
{
    Stream line;
    const Region *region = container_active(c);
    if (!region || region->set.elements != image->element_count - 1) {
        return region && container_image_damaged();
    }
    if (region->set.elements == 0) {
        return true;
    }
    if (!stream_create(c->memory.device, image->type, &(Shape){1, {region->set.elements}}, false, &line)) {
        return false;
    }
    bool done = buffer_write(line.buffer, 0, (const char *)image->elements + image->type->bytes, stream_bytes(&line)) &&
                container_pack_take(c, &line);
    stream_release(&line);
    return done;
}

static Container *load_overlap(Device *device, const ContainerImage *image)
{
    ContainerImage pages = *image; /* the number in front of theirs is the overlap */
    PageList list = {0};
    pages.numbers++;
    pages.number_count--;
    if (image->number_count < 1 || image->numbers[0] < 1 || !sizes_agree(&pages, -1, true)) {
        return damaged();
    }
    Container *c = make_sparse(device, &pages, image->numbers[0]);
    bool done =
        c && list_pages(c, &pages, &list) && page_pool_map(c, &list, (int64_t)list.count) && write_line(c, &pages);
    page_list_free(&list);
    if (!done) {
        container_release(c);
        return NULL;
    }
    return c;
}

static Container *load_hashgrid(Device *device, const ContainerImage *image)
{
    if (!sizes_agree(image, image->number_count, false)) {
        return damaged();
    }
    return fill_pages(container_hashgrid(device, image->type, &image->page, image->capacity, image->elements), image);
}

static const ImageKind kinds[] = {{"array", is_array, take_array, load_array},
                                  {"stack", container_is_stack, take_stack, load_stack},
                                  {"lists", container_is_lists, take_lists, load_lists},
                                  {"sparse", is_sparse, take_pages, load_sparse},
                                  {"overlap", is_overlap, take_pages, load_overlap},
                                  {"hashgrid", is_hashgrid, take_pages, load_hashgrid},
                                  {"array", is_complete, take_complete, load_array},
                                  {"adaptive", container_adaptive, adaptive_data_take, adaptive_data_load}};

enum { KINDS = sizeof kinds / sizeof *kinds };

bool container_image_take(Container *c, ContainerImage *image)
{
    *image = (ContainerImage){.type = c->memory.type};
    for (int i = 0; i < KINDS; i++) {
        if (kinds[i].is(c)) {
            image->kind = kinds[i].name;
            return kinds[i].take(c, image);
        }
    }
    if (c->pages) {
        return error_set("its mapping '%s' is a translator, which no file keeps: save c:stream(), and c:write what was "
                         "loaded to a container made with it",
                         translator_info(c->translator->parts[0]).name);
    }
    return error_set(
        "what is mapped is not everything, and no pages of one size: save c:stream(), or what the container "
        "was made of");
}

Container *container_image_load(Device *device, const ContainerImage *image)
{
    for (int i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i].name, image->kind) == 0) {
            return kinds[i].load(device, image);
        }
    }
    error_set("it holds a container of an unknown kind, '%s'", image->kind);
    return NULL;
}
