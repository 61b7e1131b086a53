#include "kernel/tree/parse_private.h"

#include "base/array.h"
#include "kernel/text/brackets.h"

#include <stdlib.h>

/* brackets */

/* Returns the bracket that closes an opening one. */
static char closer(const Token *open)
{
    return *open->text == '(' ? ')' : *open->text == '[' ? ']' : '}';
}

/* Returns the column of the first token on the line of token i. */
static int indentation(const Parse *p, uint32_t i)
{
    while (i > 0 && !p->tokens[i].starts_line) {
        i--;
    }
    return source_column(p->tree->source, p->tokens[i].offset);
}

/* Returns the last '{' whose '}' begins a line that is indented less than that of the '{', up to a token: a block that
 * is not closed shifts those around it. Returns `found` if there is none. */
static uint32_t shifted(const Parse *p, uint32_t found, uint32_t end)
{
    for (uint32_t i = 0; i < end; i++) {
        uint32_t close = token_is(&p->tokens[i], "{") ? p->closing[i] : 0;
        if (close && p->tokens[close].starts_line && indentation(p, close) < indentation(p, i)) {
            found = i;
        }
    }
    return found;
}

/* Reports brackets that do not match, at token `at`. If the closing bracket there closes one further out, or a block,
 * the innermost one is never closed. */
static bool unbalanced(Parse *p, const uint32_t *open, int depth, uint32_t at)
{
    const Token *close = &p->tokens[at];
    int i = 0;
    while (i < depth && at < p->end && closer(&p->tokens[open[i]]) != *close->text) {
        i++;
    }
    if (depth > 0 && (i < depth || *close->text == '}')) {
        uint32_t last = open[depth - 1], place = token_is(&p->tokens[last], "{") ? shifted(p, last, at) : last;
        parse_error(p, place, "this '%c' is never closed", *p->tokens[last].text);
    } else {
        parse_error(p, at, "this '%c' closes no bracket", *close->text);
    }
    return false;
}

/* Finds the closing bracket of each opening one. Returns false if brackets do not match: no other error is reported. */
static bool match_brackets(Parse *p)
{
    uint32_t open[MAX_BRACKETS];
    int depth = 0;
    for (uint32_t i = 0; i < p->end; i++) {
        int nesting = token_nesting(&p->tokens[i]);
        if (nesting > 0 && depth == MAX_BRACKETS) {
            parse_error(p, i, "brackets are nested more than %d deep", MAX_BRACKETS);
            return false;
        }
        if (nesting > 0) {
            open[depth++] = i;
        } else if (nesting < 0) {
            if (depth == 0 || closer(&p->tokens[open[depth - 1]]) != *p->tokens[i].text) {
                return unbalanced(p, open, depth, i);
            }
            p->closing[open[--depth]] = i;
        }
    }
    return depth == 0 || unbalanced(p, open, depth, p->end);
}

/* Finds the names of all structures, because a cast may precede the definition of its type. */
static bool find_structures(Parse *p)
{
    for (uint32_t i = 0; i + 1 < p->end; i++) {
        if (!token_is(&p->tokens[i], "struct")) {
            continue;
        }
        uint32_t brace = i + 1 + (p->tokens[i + 1].kind == TOKEN_NAME);
        bool type = i > 0 && token_is(&p->tokens[i - 1], "typedef") && token_is(&p->tokens[brace], "{");
        if (!ARRAY_ROOM(&p->structures)) {
            return false;
        }
        p->structures.items[p->structures.count++] = type ? p->closing[brace] + 1 : i + 1;
    }
    return true;
}

static bool parse_all(Parse *p)
{
    p->closing = calloc(p->end + 1, sizeof *p->closing);
    p->tree->root = node_add(p->tree, NODE_MODULE, 0);
    if (!p->closing) {
        return error_set("out of host memory");
    }
    if (!match_brackets(p)) {
        return true;
    }
    if (!find_structures(p)) {
        return false;
    }
    Children children = parse_children(p, p->tree->root);
    while (parse_peek(p)->kind != TOKEN_END) {
        node_append(&children, parse_outer(p));
    }
    return !p->tree->failed;
}

bool parse_module(Tree *tree, const SourceText *source, const TokenList *tokens, Messages *messages)
{
    uint32_t end = (uint32_t)tokens->count - 1;
    Parse p = {.tree = tree, .messages = messages, .tokens = tokens->items, .end = end, .last = end};
    *messages = (Messages){.source = source};
    bool done = node_start(tree, source, tokens->items) && parse_all(&p);
    free(p.closing);
    free(p.variables.items);
    free(p.structures.items);
    return done;
}
