/* A kernel text that is being tested, and its tree. */
#ifndef RILL_UNIT_TREE_H
#define RILL_UNIT_TREE_H

#include "unit.h"

#include "base/strbuf.h"
#include "kernel/text/lexer.h"
#include "kernel/tree/parse.h"
#include "kernel/tree/print.h"

static SourceText source;
static TokenList tokens;
static Tree tree;
static Messages messages;

static void parse_end(void)
{
    message_free(&messages);
    node_free(&tree);
    token_list_free(&tokens);
    source_free(&source);
}

/* Parses a text. parse_end must follow. */
static void parse_begin(const char *text)
{
    parse_end(); /* of a test that failed */
    unit_check(source_create(&source, text, strlen(text), "k.lua", 1));
    unit_check(lexer_run(&source, &tokens));
    unit_check(parse_module(&tree, &source, &tokens, &messages));
}

/* Checks that the collected errors are exactly these: "line:column: sentence" for each, one per line. */
static void expect_errors(const char *expected)
{
    StrBuf out = STRBUF_EMPTY;
    for (int i = 0; i < messages.count; i++) {
        const Message *m = &messages.items[i];
        strbuf_addf(&out, "%d:%d: %.*s\n", source_line(&source, m->offset), source_column(&source, m->offset),
                    (int)strcspn(m->text, "\n"), m->text);
    }
    assert_string_equal(strbuf_text(&out), expected);
    strbuf_free(&out);
}

#endif
