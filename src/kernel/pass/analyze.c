#include "kernel/pass/analyze.h"

#include "kernel/pass/check.h"
#include "kernel/pass/resolve.h"
#include "kernel/pass/type.h"
#include "kernel/text/foreign.h"
#include "kernel/tree/parse.h"

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

/* Reports the errors of the tokens of a module. */
static bool analyze(const Module *module, bool brook)
{
    Tree tree = {0};
    Messages messages;
    bool done = parse_module(&tree, &module->source, &module->tokens, &messages);
    done = done && (brook || analyze_tree(&tree, &messages));
    explain(&module->source, &messages);
    done = done && analyze_report(&messages);
    message_free(&messages);
    node_free(&tree);
    return done;
}

Module *analyze_module(const char *text, size_t length, const char *chunk, int first_line, bool brook)
{
    Module *module = module_lex(text, length, chunk, first_line);
    if (module && !(analyze(module, brook) && module_outline(module))) {
        module_release(module);
        return NULL;
    }
    return module;
}
