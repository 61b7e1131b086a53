/* Determines whether pages are adjacent in memory, so that launches can treat them as one run of elements. */
#include "container/container_private.h"
#include "container/page/paged.h"

#include <string.h>

/* Returns whether the pages of a set are pages of the container, row-major without a halo. */
static bool fits(const Container *c, const Paged *paged, const PageSet *pages)
{
    bool same = c->map.run_unit != 0 && paged->overlap == 0 && pages->words && pages->aligned && !pages->levels &&
                !pages->masked && (!pages->in_memory || pages->memory_words);
    for (int d = 0; same && d < paged->base.info.rank; d++) {
        same = pages->page[d] == paged->page[d];
    }
    return same;
}

static int64_t frame_of(const Paged *paged, const int32_t *origin)
{
    int64_t page[SHAPE_MAX_RANK] = {0};
    for (int d = 0; d < paged->base.info.rank; d++) {
        page[d] = origin[d] / paged->page[d]; /* no remainder: pages are aligned */
    }
    return paged_frame(&paged->base, page);
}

/* Returns the frame of the first page if the frames of the pages are consecutive, otherwise NO_FRAME. */
static int64_t first_frame(const Container *c, const Paged *paged, const PageSet *pages)
{
    int rank = paged->base.info.rank;
    const int32_t *words = pages->in_memory ? pages->memory_words : pages->words;
    int64_t first = pages->count > 0 ? frame_of(paged, words) : NO_FRAME;
    bool one = first != NO_FRAME && first + pages->count <= stream_elements(&c->memory) / paged->elements;
    for (int64_t i = 1; one && i < pages->count; i++) {
        one = frame_of(paged, words + i * rank) == first + i;
    }
    return one ? first : NO_FRAME;
}

/* As AddressMap.run_begin. Results are cached for a few sets of pages until pages are mapped or unmapped. */
static int64_t run_begin(AddressMap *map, const PageSet *pages)
{
    Container *c = (Container *)map;
    const Paged *paged = (const Paged *)c->translator;
    uint64_t version = translator_version(c->translator);
    if (paged->stale || pages->serial == 0 || !fits(c, paged, pages)) {
        return -1;
    }
    for (int i = 0; i < PAGE_RUNS; i++) {
        if (c->contiguous.runs[i].serial == pages->serial && c->contiguous.runs[i].version == version) {
            return c->contiguous.runs[i].begin;
        }
    }
    int64_t first = first_frame(c, paged, pages);
    PageRun *run = &c->contiguous.runs[c->contiguous.next++ % PAGE_RUNS];
    *run = (PageRun){pages->serial, version, first == NO_FRAME ? -1 : first * paged->elements};
    return run->begin;
}

void container_contiguous_set(Container *c, bool any)
{
    c->map.run_begin = any ? run_begin : NULL;
}
