/* Access to neighbors in steps along strips. A row of a step's elements is read as whole texels if
 * neighbors at known offsets are in it. Only elements outside the step are read individually. On
 * llvmpipe a texel takes little longer than a 32-bit word. */
#include "kernel/variant/access.h"

#include "kernel/emit/glsl.h"

#include <stdio.h>
#include <stdlib.h>

/* Returns the first offset in the same row as offset k that reaches elements of the step; -1 if
 * offset k does not reach any. */
static int row_of(const AccessText *text, const ParamUse *use, int k)
{
    const int8_t(*offsets)[OFFSET_DIMS] = use->offsets;
    int elements = text->launch->elements, row = 0;
    if (abs(offsets[k][0]) >= elements) {
        return -1;
    }
    while (abs(offsets[row][0]) >= elements || offsets[row][1] != offsets[k][1] || offsets[row][2] != offsets[k][2]) {
        row++;
    }
    return row;
}

static int row_texels(const AccessText *text)
{
    return text->launch->elements * text->key->type->bytes / 16;
}

void access_strip_rows(StrBuf *out, const AccessText *text, const ParamUse *use)
{
    access_addf(out, text, 0, "layout(binding = %d) uniform usamplerBuffer wide_$N;\n", text->layout->wide);
    for (int k = 0; k < use->offset_count; k++) {
        for (int t = 0; row_of(text, use, k) == k && t < row_texels(text); t++) {
            access_addf(out, text, 0, "uvec4 t%d_$N_%d;\n", k, t);
        }
    }
}

void access_strip_loads(StrBuf *out, const AccessText *text, int rank, const ParamUse *use)
{
    AccessText known = *text;
    for (int k = 0; k < use->offset_count; k++) {
        if (row_of(text, use, k) != k) {
            continue;
        }
        known.offset = use->offsets[k];
        strbuf_add(out, "        { int i0 = rill_x");
        for (int d = 1; d < rank; d++) {
            strbuf_addf(out, ", i%d = rill_d%d + %d", d, d, d < OFFSET_DIMS ? use->offsets[k][d] : 0);
        }
        access_addf(out, &known, rank, "; int a = adr_$N(i0$1{, $i$}) / %d;", 16 / text->key->type->bytes);
        for (int t = 0; t < row_texels(text); t++) {
            access_addf(out, text, rank, " t%d_$N_%d = texelFetch(wide_$N, a + %d);", k, t, t);
        }
        strbuf_add(out, " }\n");
    }
}

void access_strip_element(StrBuf *out, const AccessText *text, const ParamUse *use, int k)
{
    int row = row_of(text, use, k), off = use->offsets[k][0], elements = text->launch->elements;
    int first = off < 0 ? 0 : off, last = off < 0 ? elements - 1 + off : elements - 1;
    if (row < 0) {
        return;
    }
    char texels[MAX_NAME + 16];
    snprintf(texels, sizeof texels, "t%d_%s", row, text->param->name);
    strbuf_addf(out, " int j = rill_k + %d; if (uint(j) < %du) { rill_v = ", off, elements);
    for (int j = first; j <= last; j++) {
        if (j < last) {
            strbuf_addf(out, "j == %d ? ", j);
        }
        access_texel(out, texels, text->param->type, text->key->type, j);
        strbuf_add(out, j < last ? " : " : "; } else");
    }
}
