#include "container/address_text.h"

#include <stdio.h>

int address_text_write(const Translator *t, AddressText *text)
{
    int number = text->next++;
    t->kind->write(t, text, number);
    return number;
}

void address_text_list(StrBuf *out, const char *word, const char *name, int count)
{
    for (int d = 0; d < count; d++) {
        strbuf_addf(out, "%s%s%s%d", d ? ", " : "", word, name, d);
    }
}

/* Returns the number behind those of the translator and its parts. */
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

void address_text_given(const Translator *t, StrBuf *out, Direction direction, int number, bool parameters)
{
    add_given(t, out, direction, number, parameters);
}

void address_text_open(const Translator *t, AddressText *text, int number)
{
    bool inverse = text->direction == DIRECTION_INVERSE;
    strbuf_addf(text->out, "bool t%d_%s(", number, inverse ? "inverse" : "translate");
    address_text_list(text->out, "int ", inverse ? "p" : "v", inverse ? t->info.to : t->info.rank);
    strbuf_add(text->out, ", ");
    address_text_list(text->out, "out int ", inverse ? "v" : "p", inverse ? t->info.rank : t->info.to);
    address_text_given(t, text->out, text->direction, number, true);
    strbuf_add(text->out, ") {\n");
}

const char *address_text_number(int number, int k)
{
    static _Thread_local char texts[16][32];
    static _Thread_local unsigned turn;
    char *text = texts[turn++ % 16];
    snprintf(text, sizeof texts[0], "t%d_n%d.%c", number, k / 4, "xyzw"[k % 4]);
    return text;
}

void address_text_inside(const Translator *t, StrBuf *out, int number, const char *name)
{
    while (t->parts[0]) { /* the domain is that of the innermost */
        t = t->parts[0];
        number++;
    }
    for (int d = 0; d < t->info.rank; d++) {
        strbuf_addf(out, "%s%s%s%d", d ? " && " : "", t->info.domain.known ? "uint(" : "", name, d);
        if (t->info.domain.known) {
            strbuf_addf(out, ") < uint(%s)", address_text_number(number, d));
        } else {
            strbuf_add(out, " != -2147483647 - 1");
        }
    }
}

void address_text_join(StrBuf *out, int number, const char *name, int first, int count, int sizes)
{
    for (int d = 0; d < count - 1; d++) {
        strbuf_add(out, "(");
    }
    for (int d = count - 1; d >= 0; d--) {
        strbuf_addf(out, d < count - 1 ? " * %s + %s%d)" : "%.0s%s%d", address_text_number(number, sizes + d), name,
                    first + d);
    }
    strbuf_add(out, count ? "" : "0");
}

void address_text_split(StrBuf *out, int number, const char *from, const char *name, int first, int count, int sizes)
{
    strbuf_addf(out, "  int rest_%s = %s;\n", name, from);
    for (int d = 0; d < count - 1; d++) {
        const char *size = address_text_number(number, sizes + d);
        strbuf_addf(out, "  %s%d = rest_%s - rest_%s / %s * %s; rest_%s = rest_%s / %s;\n", name, first + d, name, name,
                    size, size, name, name, size);
    }
    if (count) {
        strbuf_addf(out, "  %s%d = rest_%s;\n", name, first + count - 1, name);
    }
}
