/* Determines the offsets of neighbors from their indices: u[0][-1], u[ivec2(-1, 0)]. */
#include "kernel/body/rewriter.h"

#include <string.h>

/* Reads the offset "-1" or "k" at token *i, where k is the counter of a loop between small numbers,
 * and moves *i after it. Returns false if the range of the offset is unknown. */
static bool read_offset(const Rewriter *rw, size_t *i, Offsets *offsets)
{
    bool minus = token_is(rewriter_token(rw, *i), "-");
    const Token *t = rewriter_token(rw, *i + minus);
    const Local *local = !minus && t->kind == TOKEN_NAME ? rewriter_local(rw, t) : NULL;
    bool literal = t->kind == TOKEN_NUMBER && t->length == 1;
    int value = literal ? t->text[0] - '0' : local ? local->reach : 0;
    *i += minus + 1;
    offsets->literal = offsets->literal && literal;
    offsets->value[offsets->count++] = (int8_t)(minus ? -value : value);
    offsets->axes += value != 0;
    offsets->reach = value > offsets->reach ? value : offsets->reach;
    return literal || value;
}

/* Reads "ivec2(-1, k)" at token *i, with two or three components, x first. */
static bool read_vector(const Rewriter *rw, size_t *i, Offsets *offsets)
{
    const Token *word = rewriter_token(rw, *i);
    int size = token_is(word, "ivec2") || token_is(word, "int2")   ? 2
               : token_is(word, "ivec3") || token_is(word, "int3") ? 3
                                                                   : 0;
    for (int k = 0; k < size; k++) {
        if (!token_is(rewriter_token(rw, *i + 1), k ? "," : "(")) {
            return false;
        }
        *i += 2;
        if (!read_offset(rw, i, offsets)) {
            return false;
        }
        --*i;
    }
    *i += 2;
    for (int k = 0; k < size / 2; k++) {
        int8_t value = offsets->value[k];
        offsets->value[k] = offsets->value[size - 1 - k];
        offsets->value[size - 1 - k] = value;
    }
    return size > 0 && token_is(rewriter_token(rw, *i - 1), ")");
}

bool rewrite_offsets_read(const Rewriter *rw, size_t i, size_t last, Offsets *offsets)
{
    *offsets = (Offsets){.literal = true};
    while (i < last && token_is(rewriter_token(rw, i), "[")) {
        bool vector = !offsets->count && token_is(rewriter_token(rw, i + 2), "(");
        i++;
        if (offsets->count == OFFSET_DIMS || !(vector ? read_vector(rw, &i, offsets) : read_offset(rw, &i, offsets)) ||
            !token_is(rewriter_token(rw, i), "]")) {
            return false;
        }
        i++;
        offsets->brackets++;
        if (vector) { /* a second bracket would select a component */
            offsets->end = i;
            return i >= last || !token_is(rewriter_token(rw, i), "[");
        }
    }
    offsets->end = i;
    return true;
}

int rewrite_offsets_note(ParamUse *use, const Offsets *offsets)
{
    int8_t own[OFFSET_DIMS] = {0};
    for (int d = 0; d < offsets->count; d++) {
        own[d] = offsets->value[offsets->count - 1 - d];
    }
    for (int k = 0; k < use->offset_count; k++) {
        if (memcmp(use->offsets[k], own, sizeof own) == 0) {
            return k;
        }
    }
    if (use->offset_count == MAX_OFFSETS) {
        return -1;
    }
    memcpy(use->offsets[use->offset_count], own, sizeof own);
    return use->offset_count++;
}
