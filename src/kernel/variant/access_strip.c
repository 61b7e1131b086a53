/* Access to neighbors in steps along strips. A row of a step's elements is read as whole texels if
 * neighbors at known offsets are in it, and so are the elements next to them. Only elements further
 * away are read individually. On llvmpipe a texel takes little longer than a 32-bit word.
 *
 * LOAD_STRIPS: the texels are read for each row of the strip, since compilers see that rows share
 * them. LOAD_WINDOWS: every texel of the strip's neighborhood is read once, before the first row,
 * and the rows copy it. A GPU's compiler would not move a read across the stores of the row before. */
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

static const char side_names[] = "ba"; /* before, after */

static int row_texels(const AccessText *text)
{
    return text->launch->elements * text->key->type->bytes / 16;
}

/* Returns whether the elements next to those of a step are read as texels too. At the ends of a row,
 * which consists of whole steps, the boundary mode has elements of the same step, or those of the
 * other end, in their place. */
static bool has_sides(const AccessText *text)
{
    return !(text->key->halo & 1) && text->key->outside < OUTSIDE_OPEN && !text->trusted;
}

/* Returns the number of elements before (side -1) or after (side 1) those of the step that the
 * offsets of row k reach. */
static int side_elements(const AccessText *text, const ParamUse *use, int k, int side)
{
    int most = 0;
    for (int i = k; i < use->offset_count && has_sides(text); i++) {
        int off = use->offsets[i][0] * side;
        most = row_of(text, use, i) == k && off > most ? off : most;
    }
    return most;
}

static int side_texels(const AccessText *text, const ParamUse *use, int k, int side)
{
    int each = 16 / text->key->type->bytes;
    return (side_elements(text, use, k, side) + each - 1) / each;
}

void access_strip_rows(StrBuf *out, const AccessText *text, const ParamUse *use)
{
    if (text->layout->wide != NO_UNIT) {
        access_addf(out, text, 0, "layout(binding = %d) uniform usamplerBuffer wide_$N;\n", text->layout->wide);
    }
    for (int k = 0; k < use->offset_count; k++) {
        for (int t = 0; row_of(text, use, k) == k && t < row_texels(text); t++) {
            access_addf(out, text, 0, "uvec4 t%d_$N_%d;\n", k, t);
        }
        for (int side = -1; row_of(text, use, k) == k && side <= 1; side += 2) {
            for (int t = 0; t < side_texels(text, use, k, side); t++) {
                access_addf(out, text, 0, "uvec4 t%d%c_$N_%d;\n", k, side_names[side > 0], t);
            }
        }
    }
}

/* Returns the number of texels of row k before (side -1) or after (side 1) the step, or in it (side 0). */
static int texels_of(const AccessText *text, const ParamUse *use, int k, int side)
{
    return side ? side_texels(text, use, k, side) : row_texels(text);
}

/* A texel of a row of neighbors, in row `line` of a strip. Texel t before the step is counted from
 * the first one that row k needs. */
typedef struct Texel {
    int k, side, t, line;
} Texel;

/* Returns the texel with the same address that is read for a window: of the first row of the strip
 * for which a row of neighbors contains it. */
static Texel window_texel(const AccessText *text, const ParamUse *use, Texel of)
{
    int count = texels_of(text, use, of.k, of.side), from_step = of.side < 0 ? count - 1 - of.t : of.t;
    for (int line = 0; line < of.line; line++) {
        for (int k = 0; k < use->offset_count; k++) {
            bool same = use->offsets[k][1] + line == use->offsets[of.k][1] + of.line &&
                        use->offsets[k][2] == use->offsets[of.k][2] && row_of(text, use, k) == k;
            int texels = same ? texels_of(text, use, k, of.side) : 0;
            if (from_step < texels) {
                return (Texel){k, of.side, of.side < 0 ? texels - 1 - from_step : from_step, line};
            }
        }
    }
    return of;
}

/* Writes the name of a texel's variable. line: -1 for the variable that oI_NAME() reads. */
static void add_texel(StrBuf *out, const AccessText *text, Texel texel)
{
    strbuf_addf(out, "t%d", texel.k);
    strbuf_addf(out, texel.side ? "%c" : "", side_names[texel.side > 0]);
    strbuf_addf(out, texel.line >= 0 ? "_%d" : "", texel.line);
    strbuf_addf(out, "_%s_%d", text->param->name, texel.t);
}

/* Returns whether a texel is read in its line of a strip. */
static bool is_read(const AccessText *text, const ParamUse *use, Texel texel)
{
    Texel read = window_texel(text, use, texel);
    return read.k == texel.k && read.line == texel.line;
}

/* Writes the load of a texel that is read in its line. `first`: the variable with the address of its
 * side's first texel. */
static void add_load(StrBuf *out, const AccessText *text, const ParamUse *use, Texel texel, char first)
{
    bool window = texel.line >= 0, texture = text->layout->texture != NO_UNIT;
    if (!is_read(text, use, texel)) {
        return;
    }
    strbuf_add(out, " ");
    add_texel(out, text, texel);
    access_addf(out, text, 0,
                !window   ? " = texelFetch(wide_$N, %c + %d);"
                : texture ? " = texelFetch(tex_$N, %c + %d);"
                          : " = in_$N[%c + %d];",
                first, texel.t);
}

/* Writes the loads of the texels at one side of the step whose first texel is `a`. At the end of a
 * row they are replaced by others that exist. */
static void side_loads(StrBuf *out, const AccessText *text, const ParamUse *use, int k, int side, int line)
{
    int count = side_texels(text, use, k, side), own = row_texels(text);
    if (count == 0) {
        return;
    }
    int each = 16 / text->key->type->bytes, elements = text->launch->elements;
    bool wraps = access_boundary(text->key, 0) == BOUNDARY_WRAP;
    const char *size = access_size(text, 0);
    if (side < 0) {
        strbuf_addf(out, " int b = rill_x > 0 ? a - %d : a", count);
    } else {
        strbuf_addf(out, " int c = rill_x + %d < %s ? a + %d : a", elements, size, own);
    }
    if (wraps && side < 0) {
        strbuf_addf(out, " + %s / %d - %d", size, each, count);
    } else if (wraps) {
        strbuf_addf(out, " + %d - %s / %d", own, size, each);
    }
    strbuf_add(out, ";");
    for (int t = 0; t < count; t++) {
        add_load(out, text, use, (Texel){k, side, t, line}, side < 0 ? 'b' : 'c');
    }
}

/* Calls `write` for the texels of all rows of neighbors in row `line` of a strip. */
static void each_texel(StrBuf *out, const AccessText *text, const ParamUse *use, int line,
                       void (*write)(StrBuf *out, const AccessText *text, const ParamUse *use, Texel texel))
{
    for (int k = 0; k < use->offset_count; k++) {
        for (int side = -1; row_of(text, use, k) == k && side <= 1; side++) {
            for (int t = 0; t < texels_of(text, use, k, side); t++) {
                write(out, text, use, (Texel){k, side, t, line});
            }
        }
    }
}

static void declare_texel(StrBuf *out, const AccessText *text, const ParamUse *use, Texel texel)
{
    if (is_read(text, use, texel)) {
        strbuf_add(out, "        uvec4 ");
        add_texel(out, text, texel);
        strbuf_add(out, ";\n");
    }
}

static void copy_texel(StrBuf *out, const AccessText *text, const ParamUse *use, Texel texel)
{
    Texel to = texel;
    to.line = -1;
    strbuf_add(out, "        ");
    add_texel(out, text, to);
    strbuf_add(out, " = ");
    add_texel(out, text, window_texel(text, use, texel));
    strbuf_add(out, ";\n");
}

void access_window_row(StrBuf *out, const AccessText *text, const ParamUse *use, int line)
{
    each_texel(out, text, use, line, copy_texel);
}

void access_window_loads(StrBuf *out, const AccessText *text, int rank, const ParamUse *use, int line)
{
    each_texel(out, text, use, line, declare_texel);
    access_strip_loads(out, text, rank, use, line);
}

/* Returns whether texels of row k are read in row `line` of a strip. */
static bool row_is_read(const AccessText *text, const ParamUse *use, int k, int line)
{
    for (int side = -1; side <= 1; side++) {
        for (int t = 0; t < texels_of(text, use, k, side); t++) {
            if (is_read(text, use, (Texel){k, side, t, line})) {
                return true;
            }
        }
    }
    return false;
}

void access_strip_loads(StrBuf *out, const AccessText *text, int rank, const ParamUse *use, int line)
{
    AccessText known = *text;
    for (int k = 0; k < use->offset_count; k++) {
        if (row_of(text, use, k) != k || !row_is_read(text, use, k, line)) {
            continue;
        }
        known.offset = use->offsets[k];
        strbuf_add(out, "        { int i0 = rill_x");
        for (int d = 1; d < rank; d++) {
            strbuf_addf(out, ", i%d = rill_d%d + %d", d, d, d < OFFSET_DIMS ? use->offsets[k][d] : 0);
        }
        access_addf(out, &known, rank, "; int a = adr_$N(i0$1{, $i$}) / %d;", 16 / text->key->type->bytes);
        for (int t = 0; t < row_texels(text); t++) {
            add_load(out, text, use, (Texel){k, 0, t, line}, 'a');
        }
        side_loads(out, text, use, k, -1, line);
        side_loads(out, text, use, k, 1, line);
        strbuf_add(out, " }\n");
    }
}

/* Writes an expression for element j of the step, counted from its first element, which is outside
 * of the step. */
static void side_element(StrBuf *out, const AccessText *text, const ParamUse *use, int row, int j)
{
    int elements = text->launch->elements, side = j < 0 ? -1 : 1;
    char own[MAX_NAME + 16], texels[MAX_NAME + 16];
    snprintf(own, sizeof own, "t%d_%s", row, text->param->name);
    snprintf(texels, sizeof texels, "t%d%c_%s", row, side_names[side > 0], text->param->name);
    Boundary boundary = access_boundary(text->key, 0);
    if (boundary == BOUNDARY_CLAMP || boundary == BOUNDARY_MIRROR) {
        int end = side < 0 ? 0 : elements - 1, mirrored = side < 0 ? -1 - j : 2 * elements - 1 - j;
        if (side < 0) {
            strbuf_add(out, "i0 < 0 ? ");
        } else {
            strbuf_addf(out, "i0 >= %s ? ", access_size(text, 0));
        }
        access_texel(out, own, text->param->type, text->key->type, boundary == BOUNDARY_CLAMP ? end : mirrored);
        strbuf_add(out, " : ");
    }
    int before = side_texels(text, use, row, -1) * 16 / text->key->type->bytes;
    access_texel(out, texels, text->param->type, text->key->type, side < 0 ? before + j : j - elements);
}

bool access_strip_element(StrBuf *out, const AccessText *text, const ParamUse *use, int k)
{
    int row = row_of(text, use, k), off = use->offsets[k][0], elements = text->launch->elements;
    int first = off < 0 ? 0 : off, last = off < 0 ? elements - 1 + off : elements - 1;
    if (row < 0) {
        return false;
    }
    char texels[MAX_NAME + 16];
    snprintf(texels, sizeof texels, "t%d_%s", row, text->param->name);
    bool always = off == 0 && text->key->load == LOAD_WINDOWS; /* the other case would only take time to compile */
    strbuf_addf(out,
                always ? " int j = rill_k; rill_v = " : " int j = rill_k + %d; if (uint(j) < %du) { rill_v = ", off,
                elements);
    for (int j = first; j <= last; j++) {
        if (j < last) {
            strbuf_addf(out, "j == %d ? ", j);
        }
        access_texel(out, texels, text->param->type, text->key->type, j);
        strbuf_add(out, j < last ? " : " : always ? ";" : "; } else");
    }
    if (always) {
        return true;
    }
    if (off == 0 || !has_sides(text)) {
        return false;
    }
    strbuf_add(out, " rill_v = ");
    int from = off < 0 ? off : elements, to = off < 0 ? -1 : elements - 1 + off;
    for (int j = from; j <= to; j++) {
        if (j < to) {
            strbuf_addf(out, "j == %d ? ", j);
        }
        strbuf_add(out, "(");
        side_element(out, text, use, row, j);
        strbuf_add(out, j < to ? ") : " : ");");
    }
    return true;
}
