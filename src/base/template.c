#include "base/template.h"

#include <string.h>

typedef struct Template {
    StrBuf *out;
    TemplateWord *word;
    const void *self;
} Template;

/* A type of repetition. */
typedef struct Loop {
    char letter;
    bool descends;
    int first;
    const char *separator;
} Loop;

static const Loop loops[] = {{',', false, 0, ", "}, {'&', false, 0, " && "}, {'|', false, 0, " | "},
                             {'0', false, 0, ""},   {'1', false, 1, ""},     {'<', true, 0, ""},
                             {'-', true, 0, ", "},  {'>', true, 1, ", "}};

static const Loop *find_loop(const char *at)
{
    for (size_t i = 0; at[0] == '$' && at[1] && at[2] == '{' && i < sizeof loops / sizeof *loops; i++) {
        if (loops[i].letter == at[1]) {
            return &loops[i];
        }
    }
    return NULL;
}

/* Adds the text up to `end`. d: the dimension, if it is in a repeated part, else -1. */
static void add_part(const Template *t, const char *at, const char *end, int d)
{
    while (at < end) {
        size_t plain = strcspn(at, d < 0 ? "$" : "$#");
        plain = plain < (size_t)(end - at) ? plain : (size_t)(end - at);
        strbuf_add_bytes(t->out, at, plain);
        at += plain;
        if (at < end && *at == '#') {
            strbuf_addf(t->out, "%d", d);
            at++;
        } else if (at < end) {
            t->word(t->self, t->out, at[1], d < 0 ? 0 : d);
            at += 2;
        }
    }
}

static void expand(const Template *t, const char *format, int count)
{
    const char *start = format;
    for (const char *at = format; *at;) {
        const Loop *loop = find_loop(at);
        if (!loop) {
            at++;
            continue;
        }
        const char *body = at + 3, *close = strstr(body, "$}");
        add_part(t, start, at, -1);
        for (int k = loop->first; k < count; k++) {
            strbuf_add(t->out, k > loop->first ? loop->separator : "");
            add_part(t, body, close, loop->descends ? count - 1 + loop->first - k : k);
        }
        start = at = close + 2;
    }
    add_part(t, start, format + strlen(format), -1);
}

void template_addv(StrBuf *out, int count, TemplateWord *word, const void *self, const char *format, va_list args)
{
    StrBuf text = STRBUF_EMPTY;
    expand(&(Template){&text, word, self}, format, count);
    out->failed = out->failed || text.failed;
    strbuf_addv(out, strbuf_text(&text), args);
    strbuf_free(&text);
}
