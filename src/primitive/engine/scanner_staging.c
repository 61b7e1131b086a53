/* Exchanges the texels of a unit through shared memory. A lane scans consecutive elements, so that its loads are far
 * from the loads of the adjacent lanes. Here adjacent lanes load adjacent texels and store them in shared memory, where
 * each lane reads its own elements. Results go the opposite way. */
#include "primitive/engine/scanner_glsl.h"

#include "base/round.h"
#include "kernel/emit/glsl.h"

#include <stdio.h>

/* Most bytes of shared memory for texels, and most texels of a lane in one stream. */
enum { STAGING_BYTES = 32 * 1024, STAGING_TEXELS = 8 };

/* Returns the most texels that a lane has of a stream with elements of so many bytes. */
static int lane_texels(const ScannerWriter *w, int bytes)
{
    return (int)round_up(SCANNER_RUN, w->key->input.chunk) * bytes / 16;
}

/* Takes shared memory for the texels of a group from *room. Returns false if there is not enough. */
static bool take_room(const ScannerWriter *w, int bytes, int64_t *room)
{
    int texels = lane_texels(w, bytes);
    int64_t wanted = (int64_t)texels * SCANNER_GROUP * 16;
    bool fits = texels <= STAGING_TEXELS && wanted <= *room;
    *room -= fits ? wanted : 0;
    return fits;
}

static void write_area(ScannerWriter *w, const char *name, int bytes)
{
    strbuf_addf(w->out, "shared uvec4 %s[%d];\n", name, lane_texels(w, bytes) * SCANNER_GROUP);
}

static void stage_inputs(ScannerWriter *w, int64_t *room)
{
    for (int i = 0; i < w->in->streams; i++) {
        int bytes = w->key->input.args[i].type->bytes;
        if ((w->key->input.texels >> i & 1) && take_room(w, bytes, room)) {
            char name[MAX_NAME + 16];
            snprintf(name, sizeof name, "rill_w_%s", w->in->params[i].name);
            write_area(w, name, bytes);
            w->input->staged |= 1u << i;
        }
    }
}

/* Results replace the elements of an input that has elements of the same size, or have shared memory of their own. */
static void stage_outputs(ScannerWriter *w, int64_t *room)
{
    uint32_t unused = w->input->staged;
    for (int o = 0; o < w->key->output_count; o++) {
        int bytes = 4 * glsl_words(w->key->types[o]), i = 0;
        if (!w->key->store || !scanner_is_flat(w, o)) {
            continue;
        }
        while (i < w->in->streams && !((unused >> i & 1) && w->key->input.args[i].type->bytes == bytes)) {
            i++;
        }
        if (i < w->in->streams) {
            unused &= ~(1u << i);
            snprintf(w->area[o], sizeof w->area[o], "rill_w_%s", w->in->params[i].name);
        } else if (take_room(w, bytes, room)) {
            snprintf(w->area[o], sizeof w->area[o], "rill_w%d", o);
            write_area(w, w->area[o], bytes);
        }
    }
}

void scanner_write_staging(ScannerWriter *w)
{
    int64_t accumulators = round_up(type_array_bytes(w->key->accumulator), 16) * SCANNER_GROUP;
    int64_t room = (int64_t)device_limits(w->in->device)->shared_bytes - accumulators;
    room = room < STAGING_BYTES ? room : STAGING_BYTES;
    if (!w->key->tree || w->key->input.chunk == 0) {
        return;
    }
    /* Exchanges the indices of eight texels, so that eight lanes at the same texel of their runs use all banks. */
    strbuf_add(w->out, "int rill_bank(int i) { return i ^ (i >> 3 & 7); }\n");
    stage_inputs(w, &room);
    stage_outputs(w, &room);
}

void scanner_write_staged_loads(ScannerWriter *w)
{
    if (!w->key->tree || w->key->input.chunk == 0) {
        return;
    }
    int chunk = w->key->input.chunk;
    /* Runs of bodies with loops may be shorter than a step. Their elements are not read and stored in whole texels. */
    strbuf_addf(w->out, "    int staged = counted && run >= %d ? max(min(int(%s), n - from), 0) / %d * %d : 0;\n",
                chunk, access_word(w->layout->unit), chunk, chunk);
    for (int i = 0; i < w->in->streams; i++) {
        if (!(w->input->staged >> i & 1)) {
            continue;
        }
        const char *name = w->in->params[i].name;
        int bytes = w->key->input.args[i].type->bytes, texels = lane_texels(w, bytes);
        strbuf_addf(
            w->out,
            "    {\n        int base = int(uint(rill_at_%s(from)) * %du / 16u) + local, count = int(uint(staged) "
            "* %du / 16u) - local;\n",
            name, bytes, bytes);
        for (int k = 0; k < texels; k++) {
            strbuf_addf(w->out, "        uvec4 w%d = %d < count ? ", k, k * SCANNER_GROUP);
            inputs_write_texel(w->input, i, "base", k * SCANNER_GROUP);
            strbuf_add(w->out, " : uvec4(0u);\n");
        }
        for (int k = 0; k < texels; k++) {
            strbuf_addf(w->out, "        rill_w_%s[rill_bank(local + %d)] = w%d;\n", name, k * SCANNER_GROUP, k);
        }
        strbuf_add(w->out, "    }\n");
    }
    strbuf_add(w->out, w->input->staged ? "    barrier();\n" : "");
}

void scanner_write_staged_stores(ScannerWriter *w)
{
    bool any = false;
    for (int o = 0; o < w->key->output_count; o++) {
        if (!w->area[o][0]) {
            continue;
        }
        int words = glsl_words(w->key->types[o]);
        strbuf_addf(
            w->out,
            "%s    {\n        int base = int(uint(rill_place(from)) * %du / 4u) + local, count = int(uint(staged) "
            "* %du / 4u) - local;\n",
            any ? "" : "    barrier();\n", words, words);
        for (int k = 0; k < lane_texels(w, 4 * words); k++) {
            strbuf_addf(w->out, "        if (%d < count) rill_out%d[base + %d] = %s[rill_bank(local + %d)];\n",
                        k * SCANNER_GROUP, o, k * SCANNER_GROUP, w->area[o], k * SCANNER_GROUP);
        }
        strbuf_add(w->out, "    }\n");
        any = true;
    }
}
