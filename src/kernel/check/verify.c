#include "kernel/check/verify.h"

#include "base/environment.h"
#include "kernel/check/analyze.h"
#include "kernel/text/lexer.h"
#include "kernel/tree/parse.h"
#include "kernel/tree/print.h"

/* Lexes a text. */
static bool lex(const char *text, size_t length, SourceText *source, TokenList *tokens)
{
    return source_create(source, text, length, "tree", 1) && lexer_run(source, tokens);
}

/* Returns whether two lists have the same tokens. *at becomes the first one that differs. */
static bool equal(const TokenList *a, const TokenList *b, size_t *at)
{
    for (*at = 0; *at < a->count && *at < b->count; ++*at) {
        const Token *x = &a->items[*at], *y = &b->items[*at];
        if (x->kind != y->kind || (x->kind != TOKEN_END && !token_equal(x, y))) {
            return false;
        }
    }
    return a->count == b->count;
}

/* Returns false with error_set if the tokens of the printed text differ. */
static bool same_tokens(const TokenList *tokens, const char *text, size_t length)
{
    SourceText source = {0};
    TokenList printed = {0};
    size_t at;
    bool done = lex(text, length, &source, &printed);
    if (done && !equal(tokens, &printed, &at)) {
        done = source_error(&source, printed.items[at].offset, "the tree prints another token than '%.*s'",
                            tokens->items[at].length, tokens->items[at].text);
    }
    token_list_free(&printed);
    source_free(&source);
    return done;
}

/* Parses the tokens and compares them with the text that the tree prints. Then finds errors. */
static bool check(const SourceText *source, const TokenList *tokens, bool brook)
{
    Tree tree = {0};
    Messages messages;
    StrBuf out = STRBUF_EMPTY;
    bool done = parse_module(&tree, source, tokens, &messages) && analyze_report(&messages);
    if (done) {
        print_text(&tree, tree.root, &out);
        done = strbuf_whole(strbuf_text(&out)) && same_tokens(tokens, strbuf_text(&out), out.length);
    }
    tree.brook = brook;
    done = done && analyze_tree(&tree, &messages) && analyze_report(&messages);
    strbuf_free(&out);
    message_free(&messages);
    node_free(&tree);
    return done;
}

bool pass_verify(const Module *module)
{
    const SourceText *source = &module->source;
    SourceText copy = {0};
    TokenList tokens = {0};
    if (!environment_flag("RILL_TREE")) {
        return true;
    }
    bool done = lex(source->text, source->length, &copy, &tokens) && check(&copy, &tokens, module->tree->brook);
    token_list_free(&tokens);
    source_free(&copy);
    return done;
}
