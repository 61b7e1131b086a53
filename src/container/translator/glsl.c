#include "container/translator/glsl.h"

#include <stdio.h>

/* Divides by multiplication, with the numbers of access_divisor: drivers are slow at divisions by uniforms. */
const char translator_glsl_functions[] = "int t_quotient(int n, int multiplier, int shift) {\n"
                                         "  uint high, low;\n"
                                         "  umulExtended(uint(n) << 1u, uint(multiplier), high, low);\n"
                                         "  return int(high >> uint(shift));\n"
                                         "}\n";

int translator_glsl_write(const Translator *t, TranslatorGlsl *text)
{
    int number = text->next++;
    t->kind->write(t, text, number);
    return number;
}

void translator_glsl_list(StrBuf *out, const char *word, const char *name, int count)
{
    for (int d = 0; d < count; d++) {
        strbuf_addf(out, "%s%s%s%d", d ? ", " : "", word, name, d);
    }
}

/* Returns the number that follows the numbers of the translator and its parts. */
static int add_given(const Translator *t, StrBuf *out, Direction direction, int number, bool parameters)
{
    int next = number + 1;
    for (int i = 0; i < 2 && t->parts[i]; i++) {
        next = add_given(t->parts[i], out, direction, next, parameters);
    }
    for (int k = 0; k < t->number_count; k += 4) {
        strbuf_addf(out, ", %st%d_n%d", parameters ? "ivec4 " : "", number, k / 4);
    }
    if (t->kind->table[direction] != NO_TABLE) {
        strbuf_addf(out, parameters ? ", int t%d_t[]" : ", t%d_t", number);
    }
    return next;
}

void translator_glsl_given(const Translator *t, StrBuf *out, Direction direction, int number, bool parameters)
{
    add_given(t, out, direction, number, parameters);
}

int translator_glsl_give(const Translator *t, Direction direction, Argument *args)
{
    int count = 0;
    for (int i = 0; i < 2 && t->parts[i]; i++) {
        count += translator_glsl_give(t->parts[i], direction, args + count);
    }
    for (int k = 0; k < t->number_count; k += 4) {
        args[count++].words = (const uint32_t *)(t->numbers + k);
    }
    if (t->kind->table[direction] != NO_TABLE) {
        args[count++].stream = &t->tables[t->kind->table[direction]].stream;
    }
    return count;
}

void translator_glsl_open(const Translator *t, TranslatorGlsl *text, int number)
{
    bool inverse = text->direction == DIRECTION_INVERSE;
    strbuf_addf(text->out, "bool t%d_%s(", number, inverse ? "inverse" : "translate");
    translator_glsl_list(text->out, "int ", inverse ? "p" : "v", inverse ? t->info.to : t->info.rank);
    strbuf_add(text->out, ", ");
    translator_glsl_list(text->out, "out int ", inverse ? "v" : "p", inverse ? t->info.rank : t->info.to);
    translator_glsl_given(t, text->out, text->direction, number, true);
    strbuf_add(text->out, ") {\n");
}

const char *translator_glsl_number(int number, int k)
{
    static _Thread_local char texts[16][32];
    static _Thread_local unsigned turn;
    char *text = texts[turn++ % 16];
    snprintf(text, sizeof texts[0], "t%d_n%d.%c", number, k / 4, "xyzw"[k % 4]);
    return text;
}

const char *translator_glsl_size(int number, int sizes, int d)
{
    return translator_glsl_number(number, sizes + TRANSLATOR_SIZE * d);
}

const char *translator_glsl_quotient(const char *n, int number, int sizes, int d)
{
    static _Thread_local char texts[4][128];
    static _Thread_local unsigned turn;
    char *text = texts[turn++ % 4];
    int at = sizes + TRANSLATOR_SIZE * d;
    snprintf(text, sizeof texts[0], "t_quotient(%s, %s, %s)", n, translator_glsl_number(number, at + 1),
             translator_glsl_number(number, at + 2));
    return text;
}

bool translator_glsl_shifts(const Translator *t, int sizes, int d)
{
    int32_t size = t->numbers[sizes + TRANSLATOR_SIZE * d];
    return (size & (size - 1)) == 0;
}

const char *translator_glsl_shift(int number, int sizes, int d)
{
    return translator_glsl_number(number, sizes + TRANSLATOR_SIZE * d + TRANSLATOR_SIZE - 1);
}

const char *translator_glsl_over(const Translator *t, const char *n, int number, int sizes, int d)
{
    static _Thread_local char texts[4][128];
    static _Thread_local unsigned turn;
    if (!translator_glsl_shifts(t, sizes, d)) {
        return translator_glsl_quotient(n, number, sizes, d);
    }
    char *text = texts[turn++ % 4];
    snprintf(text, sizeof texts[0], "(%s >> %s)", n, translator_glsl_shift(number, sizes, d));
    return text;
}

void translator_glsl_inside(const Translator *t, StrBuf *out, int number, const char *name)
{
    while (t->parts[0]) { /* the domain of a composition is its innermost translator's */
        t = t->parts[0];
        number++;
    }
    for (int d = 0; d < t->info.rank; d++) {
        strbuf_addf(out, "%s%s%s%d", d ? " && " : "", t->info.domain.known ? "uint(" : "", name, d);
        if (t->info.domain.known) {
            strbuf_addf(out, ") < uint(%s)", translator_glsl_size(number, 0, d));
        } else {
            strbuf_add(out, " != -2147483647 - 1");
        }
    }
}

void translator_glsl_join(StrBuf *out, int number, const char *name, int first, int count, int sizes)
{
    for (int d = 0; d < count - 1; d++) {
        strbuf_add(out, "(");
    }
    for (int d = count - 1; d >= 0; d--) {
        if (d < count - 1) {
            strbuf_addf(out, " * %s + %s%d)", translator_glsl_size(number, sizes, d), name, first + d);
        } else {
            strbuf_addf(out, "%s%d", name, first + d);
        }
    }
    strbuf_add(out, count ? "" : "0");
}

/* Powers of two use shifts, since a driver multiplies 32-bit words in several steps. */
void translator_glsl_split(const Translator *t, StrBuf *out, int number, const char *from, const char *name, int first,
                           int count, int sizes)
{
    char rest[32], next[32];
    snprintf(rest, sizeof rest, "%s", from);
    for (int d = 0; d < count - 1; d++) {
        const char *size = translator_glsl_size(number, sizes, d);
        snprintf(next, sizeof next, "rest_%s%d", name, d);
        strbuf_addf(out, "  int %s = %s; %s%d = ", next, translator_glsl_over(t, rest, number, sizes, d), name,
                    first + d);
        if (translator_glsl_shifts(t, sizes, d)) {
            strbuf_addf(out, "%s & (%s - 1);\n", rest, size);
        } else {
            strbuf_addf(out, "%s - %s * %s;\n", rest, next, size);
        }
        snprintf(rest, sizeof rest, "%s", next);
    }
    if (count) {
        strbuf_addf(out, "  %s%d = %s;\n", name, first + count - 1, rest);
    }
}
