#include "container/translator/translator_kind.h"

#include "kernel/variant/access.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set_bounds(Bounds *bounds, const Shape *shape)
{
    bounds->known = true;
    for (int d = 0; d < shape->rank; d++) {
        bounds->size[d] = shape->size[shape->rank - 1 - d];
    }
}

Translator *translator_make(const TranslatorKind *kind, size_t bytes, const char *name, int rank, int to,
                            const Shape *domain)
{
    Translator *t = calloc(1, bytes);
    if (!t) {
        error_set("out of host memory");
        return NULL;
    }
    t->references = 1;
    t->kind = kind;
    snprintf(t->name, sizeof t->name, "%s", name);
    t->info = (TranslatorInfo){.name = t->name, .rank = rank, .to = to, .pages = kind->map != NULL};
    if (domain) {
        set_bounds(&t->info.domain, domain);
        translator_sizes(t, domain);
    }
    return t;
}

int translator_number(Translator *t, int64_t number)
{
    t->numbers[t->number_count] = (int32_t)number;
    return t->number_count++;
}

int translator_size(Translator *t, int64_t size)
{
    uint32_t multiplier, shift;
    access_divisor(size, &multiplier, &shift);
    int place = translator_number(t, size);
    translator_number(t, multiplier);
    translator_number(t, shift);
    return place;
}

int translator_sizes(Translator *t, const Shape *shape)
{
    int place = t->number_count;
    for (int d = shape->rank - 1; d >= 0; d--) {
        translator_size(t, shape->size[d]);
    }
    return place;
}

bool translator_tables_there(Translator *t)
{
    for (int i = 0; i < TRANSLATOR_TABLES; i++) {
        if (t->tables[i].device && !t->tables[i].stream.device && !word_table_fit(&t->tables[i])) {
            return false;
        }
    }
    return (!t->parts[0] || translator_tables_there(t->parts[0])) &&
           (!t->parts[1] || translator_tables_there(t->parts[1]));
}

void translator_set_memory(Translator *t, const Shape *memory)
{
    set_bounds(&t->info.memory, memory);
}

bool translator_shape(const Shape *shape, const char *what, int64_t *elements)
{
    char text[SHAPE_TEXT];
    *elements = 1;
    for (int d = 0; d < shape->rank; d++) {
        if (shape->size[d] < 1 || shape->size[d] > SHAPE_MAX_ELEMENTS) {
            return error_set("'%s' is %s: expected sizes from 1 to 2147483647", what, shape_text(shape, text));
        }
        bool more = *elements < 0 || *elements > SHAPE_MAX_ELEMENTS / shape->size[d];
        *elements = more ? -1 : *elements * shape->size[d];
    }
    return true;
}

bool translator_shape_fits(const Shape *shape, const char *what, int64_t *elements)
{
    char text[SHAPE_TEXT];
    if (!translator_shape(shape, what, elements)) {
        return false;
    }
    return *elements > 0 ||
           error_set("'%s' is %s: expected at most 2147483647 elements", what, shape_text(shape, text));
}

int64_t translator_join(const int64_t *digit, const int64_t *size, int count)
{
    int64_t number = 0;
    for (int d = count - 1; d >= 0; d--) {
        number = number * size[d] + digit[d];
    }
    return number;
}

void translator_split(int64_t number, const int64_t *size, int count, int64_t *digit)
{
    for (int d = 0; d < count - 1; d++) {
        digit[d] = number % size[d];
        number /= size[d];
    }
    if (count) {
        digit[count - 1] = number;
    }
}

/* Returns whether `b` follows `a` in memory. */
static bool follows(const int64_t *a, const int64_t *b, int rank)
{
    for (int d = 1; d < rank; d++) {
        if (a[d] != b[d]) {
            return false;
        }
    }
    return b[0] == a[0] + 1;
}

/* Adds a row of the box, point by point. */
static bool add_row(const Translator *t, const int64_t *first, int64_t last, RangeList *list, void *caller)
{
    int64_t point[SHAPE_MAX_RANK], at[SHAPE_MAX_RANK], before[SHAPE_MAX_RANK];
    bool going = false;
    memcpy(point, first, sizeof point);
    for (; point[0] <= last; point[0]++) {
        Outcome outcome = translator_point(t, DIRECTION_TRANSLATE, point, at, caller);
        if (outcome == OUTCOME_FAILED) {
            return false;
        }
        bool found = outcome == OUTCOME_FOUND;
        if (found && going && follows(before, at, t->info.to)) {
            list->items[list->count - 1].last[0] = point[0];
        } else if (found && !range_add(list, point, point, at)) {
            return false;
        }
        going = found;
        memcpy(before, at, sizeof before);
    }
    return true;
}

bool translator_point_ranges(const Translator *t, const int64_t *first, const int64_t *last, RangeList *list,
                             void *caller)
{
    int64_t row[SHAPE_MAX_RANK];
    memcpy(row, first, sizeof row);
    do {
        if (!add_row(t, row, last[0], list, caller)) {
            return false;
        }
    } while (range_step(row, first, last, 1, t->info.rank));
    return true;
}

Translator *translator_retain(Translator *t)
{
    t->references++;
    return t;
}

void translator_release(Translator *t)
{
    if (!t || --t->references > 0) {
        return;
    }
    if (t->kind->destroy) {
        t->kind->destroy(t);
    }
    for (int i = 0; i < TRANSLATOR_TABLES; i++) {
        word_table_free(&t->tables[i]);
    }
    for (int i = 0; i < DIRECTION_COUNT; i++) {
        kernel_release(t->kernels[i]);
    }
    translator_release(t->parts[0]);
    translator_release(t->parts[1]);
    free(t);
}

uint64_t translator_version(const Translator *t)
{
    uint64_t version = t->version;
    for (int i = 0; i < 2 && t->parts[i]; i++) {
        version += translator_version(t->parts[i]);
    }
    return version;
}

/* Decrements *i by the number of hooks before the one that is returned. */
static void *find_hooks(const Translator *t, int *i)
{
    void *found = t->hooks && (*i)-- == 0 ? t->hooks : NULL;
    for (int part = 0; part < 2 && t->parts[part] && !found; part++) {
        found = find_hooks(t->parts[part], i);
    }
    return found;
}

void *translator_hooks(const Translator *t, int i)
{
    return find_hooks(t, &i);
}

bool translator_shared(const Translator *t)
{
    return t->references > 1;
}

TranslatorInfo translator_info(const Translator *t)
{
    return t->info;
}

Device *translator_device(const Translator *t)
{
    return t->device;
}

bool translator_inside(const Translator *t, const int64_t *point)
{
    for (int d = 0; d < t->info.rank; d++) {
        if (t->info.domain.known ? point[d] < 0 || point[d] >= t->info.domain.size[d]
                                 : point[d] <= INT32_MIN || point[d] > INT32_MAX) {
            return false;
        }
    }
    return true;
}

Outcome translator_point(const Translator *t, Direction direction, const int64_t *from, int64_t *to, void *caller)
{
    return t->kind->point(t, direction, from, to, caller);
}

bool translator_ranges(const Translator *t, const int64_t *first, const int64_t *last, RangeList *list, void *caller)
{
    list->rank = t->info.rank;
    list->to = t->info.to;
    for (int d = 0; d < t->info.rank; d++) {
        if (last[d] < first[d]) {
            return true;
        }
    }
    return t->kind->ranges(t, first, last, list, caller);
}

bool translator_map_level(Translator *t, int level, const int64_t *first, const int64_t *last, int64_t frame)
{
    t->version++;
    return t->kind->map(t, level, first, last, frame);
}

bool translator_unmap_level(Translator *t, int level, const int64_t *first, const int64_t *last, int64_t *count)
{
    t->version++;
    return t->kind->unmap(t, level, first, last, count);
}

bool translator_map(Translator *t, const int64_t *first, const int64_t *last, int64_t frame)
{
    return translator_map_level(t, 0, first, last, frame);
}

bool translator_unmap(Translator *t, const int64_t *first, const int64_t *last, int64_t *count)
{
    return translator_unmap_level(t, 0, first, last, count);
}

const char *translator_point_text(const int64_t *point, int rank, char text[TRANSLATOR_POINT_TEXT])
{
    int length = 0;
    for (int d = 0; d < rank; d++) {
        length +=
            snprintf(text + length, TRANSLATOR_POINT_TEXT - (size_t)length, "%s%" PRId64, d ? ", " : "{", point[d]);
    }
    snprintf(text + length, TRANSLATOR_POINT_TEXT - (size_t)length, "}");
    return text;
}
