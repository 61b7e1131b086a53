#include "kernel/check/analyze.h"

#include "kernel/check/check.h"
#include "kernel/pass/outline.h"
#include "kernel/pass/resolve.h"
#include "kernel/pass/type.h"
#include "kernel/text/foreign.h"
#include "kernel/tree/parse.h"

#include <stdlib.h>

bool analyze_tree(Tree *tree, Messages *messages)
{
    return pass_resolve(tree, messages) && pass_type(tree, messages) &&
           (messages->count > 0 || pass_check(tree, messages)) &&
           (!messages->failed || error_set("out of host memory"));
}

bool analyze_report(const Messages *messages)
{
    StrBuf out = STRBUF_EMPTY;
    message_write(messages, &out);
    bool done = messages->count == 0 || error_set("%s", strbuf_text(&out));
    strbuf_free(&out);
    return done;
}

/* Replaces the errors by one about syntax of another language, from which they follow, if there is any. */
static void explain(const SourceText *source, Messages *messages)
{
    size_t offset;
    const char *foreign = messages->count ? foreign_syntax(source, &offset) : NULL;
    if (foreign) {
        Token token = {.text = source->text + offset, .offset = offset};
        token_scan(&token, source->text + source->length);
        message_free(messages);
        message_add(messages, &token, "%s", foreign);
    }
}

static void destroy(Tree *tree)
{
    node_free(tree);
    free(tree);
}

/* Parses the tokens of a module and runs the passes. */
static bool analyze(Module *module, TextKind kind, Messages *messages)
{
    Tree *tree = calloc(1, sizeof *tree);
    if (!tree) {
        return error_set("out of host memory");
    }
    module->tree = tree;
    module->tree_destroy = destroy;
    module->library = kind == TEXT_OWN;
    bool done = parse_module(tree, &module->source, &module->tokens, messages);
    tree->brook = kind == TEXT_BROOK;
    done = done && pass_resolve(tree, messages) && pass_type(tree, messages) &&
           (messages->count > 0 || pass_outline(tree, module, messages)) &&
           (messages->count > 0 || kind == TEXT_OWN || pass_check(tree, messages)) &&
           (!messages->failed || error_set("out of host memory"));
    explain(&module->source, messages);
    return done;
}

Module *analyze_begin(const char *text, size_t length, const char *chunk, int first_line, TextKind kind,
                      Messages *messages)
{
    *messages = (Messages){0};
    Module *module = module_lex(text, length, chunk, first_line);
    if (module && !analyze(module, kind, messages)) {
        message_free(messages);
        module_release(module);
        return NULL;
    }
    return module;
}

Module *analyze_module(const char *text, size_t length, const char *chunk, int first_line, TextKind kind)
{
    Messages messages;
    Module *module = analyze_begin(text, length, chunk, first_line, kind, &messages);
    bool done = module && analyze_report(&messages);
    message_free(&messages);
    if (module && !done) {
        module_release(module);
        return NULL;
    }
    return module;
}
