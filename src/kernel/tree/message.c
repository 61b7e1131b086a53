#include "kernel/tree/message.h"

#include <stdlib.h>
#include <string.h>

void message_free(Messages *messages)
{
    for (int i = 0; i < messages->count; i++) {
        free(messages->items[i].text);
    }
    messages->count = 0;
}

/* Returns the length of the token in the text where a token was written, or where its macro was used. */
static int written_length(const SourceText *source, const Token *token)
{
    Token written = {.text = source->text + token->offset};
    if (token->kind != TOKEN_END) {
        token_scan(&written, source->text + source->length);
    }
    return written.length;
}

/* Returns Message.macro. A token that "##" made is not part of the text, so that its place is not known. */
static size_t definition(const SourceText *source, const Token *token)
{
    bool inside = token->text >= source->text && token->text < source->text + source->length;
    size_t at = inside ? (size_t)(token->text - source->text) : token->offset;
    return at == token->offset ? 0 : at + 1;
}

static void add(Messages *messages, Message message, const char *format, va_list args)
{
    StrBuf text = STRBUF_EMPTY;
    strbuf_addv(&text, format, args);
    message.text = strbuf_take(&text);
    messages->failed = messages->failed || !message.text;
    if (messages->count < MAX_MESSAGES && message.text) {
        messages->items[messages->count++] = message;
    } else {
        free(message.text);
    }
}

void message_add(Messages *messages, const Token *token, const char *format, ...)
{
    const SourceText *source = messages->source;
    va_list args;
    va_start(args, format);
    add(messages, (Message){token->offset, written_length(source, token), definition(source, token), NULL}, format,
        args);
    va_end(args);
}

void message_add_after(Messages *messages, const Token *token, const char *format, ...)
{
    const SourceText *source = messages->source;
    size_t offset = token->offset + (size_t)written_length(source, token);
    va_list args;
    va_start(args, format);
    add(messages, (Message){offset, 1, 0, NULL}, format, args);
    va_end(args);
}

static void write(const Messages *messages, const Message *message, StrBuf *out)
{
    const SourceText *source = messages->source;
    const char *margin = "      ";
    int sentence = (int)strcspn(message->text, "\n");
    strbuf_addf(out, "%s:%d:%d: %s: %.*s\n", source->chunk, source_line(source, message->offset),
                source_column(source, message->offset), messages->notes ? "note" : "error", sentence, message->text);
    source_quote(source, message->offset, message->length, out);
    if (message->macro) {
        size_t use = message->offset, at = message->macro - 1;
        Token name = {.text = source->text + use}, inner = {.text = source->text + at};
        token_scan(&name, source->text + source->length);
        token_scan(&inner, source->text + source->length);
        strbuf_addf(out, "\n%s'%.*s' is in the macro '%.*s' (line %d)", margin, inner.length, inner.text, name.length,
                    name.text, source_line(source, at));
    }
    if (message->text[sentence]) {
        strbuf_addf(out, "\n%s%s", margin, message->text + sentence + 1);
    }
}

/* Returns how many errors come before error i. Errors at one place keep their order. */
static int rank(const Messages *messages, int i)
{
    int before = 0;
    for (int k = 0; k < messages->count; k++) {
        size_t a = messages->items[k].offset, b = messages->items[i].offset;
        before += a < b || (a == b && k < i);
    }
    return before;
}

void message_write_at(const Messages *messages, int i, StrBuf *out)
{
    for (int k = 0; k < messages->count; k++) {
        if (rank(messages, k) == i) {
            write(messages, &messages->items[k], out);
        }
    }
}

void message_write(const Messages *messages, StrBuf *out)
{
    for (int i = 0; i < messages->count; i++) {
        strbuf_add(out, i ? "\n" : "");
        message_write_at(messages, i, out);
    }
    if (messages->count > 1) {
        strbuf_addf(out, "\n%d errors", messages->count);
    }
}
