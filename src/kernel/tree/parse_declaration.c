/* Declarations outside of functions: structures, constants, functions with their parameters. */
#include "kernel/tree/parse_private.h"

#include "kernel/text/foreign.h"

/* Returns whether a token names a type. */
static bool names_type(const Parse *p, const Token *token)
{
    bool found = types_word(token) != 0;
    for (size_t i = 0; i < p->structures.count && !found; i++) {
        found = token_equal(&p->tokens[p->structures.items[i]], token);
    }
    return found;
}

/* Adds an error if a type is expected and the next token is another word: one that is followed by a type or by two
 * names, or that is followed by one of the marks `ends`. `before`: what to write before the name of a function; NULL: it
 * is the name of a parameter. */
static void expect_type(Parse *p, const char *const *ends, const char *before)
{
    const Token *token = parse_peek(p);
    if (token->kind != TOKEN_NAME || names_type(p, token) || token_is(token, "struct") || p->damaged) {
        return;
    }
    StrBuf hint = STRBUF_EMPTY;
    bool known = foreign_word(&hint, token);
    bool word = known || (token[1].kind == TOKEN_NAME && (names_type(p, token + 1) || token[2].kind == TOKEN_NAME));
    if (word && !known) {
        foreign_type(&hint, param_kinds, token, foreign_nearest(token));
    }
    if (!word && before) {
        strbuf_addf(&hint, "\nwrite '%s %.*s(...)'", before, token->length, token->text);
    } else if (!word) {
        strbuf_add(&hint, "\na parameter begins with its type: 'float x' or 'float x<>'");
    }
    if (word || token_any(token + 1, ends)) {
        parse_error(p, p->at, "expected a type, got '%.*s'%s", token->length, token->text, strbuf_text(&hint));
    }
    strbuf_free(&hint);
}

/* Parses "typedef struct { fields } P;". A name after `struct` has no meaning. */
static NodeIndex type_definition(Parse *p)
{
    p->at++;
    NodeIndex node = node_add(p->tree, NODE_STRUCTURE, p->at);
    Children children = parse_children(p, node);
    node_at(p->tree, node)->flags = FLAG_TYPEDEF;
    if (!parse_is(p, "struct")) {
        parse_error(p, p->at, "a typedef names a structure only\nwrite #define name %.*s", parse_peek(p)->length,
                    parse_peek(p)->text);
    }
    parse_accept(p, "struct");
    if (!parse_is(p, "{")) {
        node_append(&children, node_add(p->tree, NODE_EMPTY, parse_name(p, "'{' and the fields")));
    }
    parse_fields(p, &children);
    uint32_t name = parse_name(p, "the name that the typedef defines");
    node_at(p->tree, node)->token = name;
    return node;
}

/* Parses the sizes in "x<4, 4>". */
static void sizes(Parse *p, Children *children)
{
    if (parse_accept(p, ">")) {
        return;
    }
    NodeIndex list = node_add(p->tree, NODE_LIST, p->at);
    Children numbers = parse_children(p, list);
    do {
        node_append(&numbers, parse_sum(p));
    } while (parse_accept(p, ","));
    node_append(children, list);
    parse_expect(p, ">", "'>'");
}

/* Parses the boundary modes in "neighbor(wrap, clamp)". */
static NodeIndex modes(Parse *p)
{
    uint32_t open = p->at;
    NodeIndex node = parse_leaf(p, NODE_MODES);
    Children children = parse_children(p, node);
    do {
        bool sign = parse_is(p, "-") || parse_is(p, "+");
        const Token *t = parse_peek(p) + sign;
        bool mode = t->kind == TOKEN_NUMBER || (t->kind == TOKEN_NAME && !sign);
        node_append(&children, mode ? parse_leaf(p, NODE_MODE)
                                    : parse_fail(p, "a boundary mode: clamp, wrap, mirror, zero or a number"));
        p->at += mode && sign;
    } while (parse_accept(p, ","));
    parse_close(p, open, "',' or ')' after the boundary mode");
    return node;
}

/* Parses a parameter. Those of functions that are not kernels may have no name. */
static NodeIndex parameter(Parse *p, bool kernel)
{
    NodeIndex node = node_add(p->tree, NODE_PARAMETER, p->at);
    Children children = parse_children(p, node);
    uint32_t flags = parse_words(p, FLAGS_PARAMETER), open = p->at;
    if ((flags & FLAG_PARAM(PARAM_VOUT)) && parse_accept(p, "[")) {
        flags |= FLAG_MAXIMUM;
        node_append(&children, parse_is(p, "]") ? node_add(p->tree, NODE_EMPTY, open) : parse_expression(p));
        parse_close(p, open, "']' after the maximum");
    }
    if ((flags & FLAG_PARAM(PARAM_NEIGHBOR)) && parse_is(p, "(")) {
        node_append(&children, modes(p));
        flags |= FLAG_MAXIMUM | parse_words(p, FLAGS_PARAMETER);
    }
    static const char *const ends[] = {",", ")", "<", "[", NULL};
    expect_type(p, ends, NULL);
    uint32_t first = p->at;
    NodeIndex type = parse_type(p), length = node_at(p->tree, type)->child;
    node_append(&children, type);
    const Token *t = parse_peek(p), *word = &p->tokens[first];
    if (length && (kernel || node_at(p->tree, length)->kind == NODE_EMPTY) && t->kind == TOKEN_NAME) {
        parse_error(p, first + 1, "the brackets of a stream follow its name\nwrite '%.*s %.*s[]'", word->length,
                    word->text, t->length, t->text);
    }
    for (int k = 0; k < PARAM_KIND_COUNT; k++) {
        if (param_kinds[k].word && *param_kinds[k].word && token_is(t, param_kinds[k].word) &&
            t[1].kind == TOKEN_NAME) {
            parse_error(p, p->at, "'%s' stands before the type\nwrite '%s %.*s %.*s'", param_kinds[k].word,
                        param_kinds[k].word, word->length, word->text, t[1].length, t[1].text);
        }
    }
    if (token_is(t, ":")) {
        parse_error(p, first, "a type stands before the name\nwrite 'float %.*s'", word->length, word->text);
    }
    bool nameless = !kernel && (parse_is(p, ",") || parse_is(p, ")"));
    if (parse_is(p, "*") || parse_is(p, "&")) {
        parse_error(p, p->at,
                    !kernel
                        ? "kernel text has no pointers and references\nremove it; write 'inout float x' for a value "
                          "that is changed, 'float x[]' for a stream"
                    : parse_is(p, "*")
                        ? "kernel text has no pointers\nwrite 'float x<>' for the elements of a stream, 'float x[]' "
                          "to read any element, 'inout float x[]' to write"
                        : "kernel text has no references\nwrite 'inout float x' for a value that is changed");
    }
    uint32_t name = nameless ? p->at : parse_name(p, "the parameter's name");
    if (parse_accept(p, "<")) {
        flags |= FLAG_STREAM;
        sizes(p, &children);
    }
    parse_lengths(p, &children);
    if (parse_is(p, "=")) {
        parse_error(p, p->at, "a parameter has no default value\npass the value at each launch");
    }
    node_at(p->tree, node)->token = name;
    node_at(p->tree, node)->flags = flags;
    if (!nameless) {
        parse_declare_name(p, name);
    }
    return node;
}

/* Parses the parameters with their parentheses. Returns the flags of the function. */
static uint32_t parameters(Parse *p, Children *children, bool kernel)
{
    uint32_t open = p->at, flags = 0;
    if (!parse_accept(p, "(")) {
        parse_fail(p, "'(' and the parameters");
        return 0;
    }
    const Token *t = parse_peek(p);
    if (token_is(t, "void") && token_is(t + 1, ")")) {
        flags = FLAG_VOID;
        p->at++;
    } else if (!token_is(t, ")")) {
        do {
            node_append(children, parameter(p, kernel));
        } while (parse_accept(p, ","));
    }
    if (!p->damaged) {
        parse_close(p, open, "',' or ')' after the parameter");
    }
    return flags;
}

/* Parses the sizes in "kernel(16, 8)". */
static NodeIndex group(Parse *p)
{
    uint32_t open = p->at;
    NodeIndex node = parse_leaf(p, NODE_GROUP);
    Children children = parse_children(p, node);
    do {
        const char *expected = "one to three group sizes, as in kernel(64) or kernel(16, 8), or names of #define";
        bool number = parse_peek(p)->kind == TOKEN_NUMBER;
        node_append(&children, number ? parse_leaf(p, NODE_NUMBER) : parse_fail(p, expected));
    } while (parse_accept(p, ","));
    parse_close(p, open, "')' after the group size");
    return node;
}

/* Adds an error if a variable or a structure follows where a function is expected. `first`: the token of its type. */
static void check_function(Parse *p, uint32_t first)
{
    const Token *t = parse_peek(p), *type = &p->tokens[first], *name = type + token_is(type, "struct");
    bool named = t->kind == TOKEN_NAME;
    const Token *after = named ? &p->tokens[parse_after_type(p, p->at)] : t;
    if (!named && token_is(t, "=")) {
        bool list = token_is(t + 1, "{");
        parse_error(p, p->at,
                    list ? "a structure has no '='\nwrite struct %.*s { float x; };"
                         : "a constant has a type\nwrite const T %.*s = ...;, where T is its type",
                    name->length, name->text);
    } else if (named && (token_is(after, "=") || token_is(after, ";") || token_is(after, ","))) {
        parse_error(p, p->at, "a variable outside of functions is a constant\nwrite const %.*s %.*s = ...;",
                    type->length, type->text, t->length, t->text);
    }
}

/* Parses a function from its result type on. The words before it were consumed. */
static NodeIndex function(Parse *p, uint32_t flags)
{
    NodeIndex node = node_add(p->tree, NODE_FUNCTION, p->at);
    Children children = parse_children(p, node);
    size_t variables = p->variables.count;
    if ((flags & FLAG_KERNEL) && parse_is(p, "(")) {
        node_append(&children, group(p));
    }
    static const char *const ends[] = {"(", NULL};
    expect_type(p, ends, (flags & FLAG_KERNEL) ? "kernel void" : "float");
    if ((flags & FLAG_KERNEL) && (parse_is(p, "[") || parse_is(p, "<"))) {
        parse_error(p, p->at, "a group size has parentheses\nwrite kernel(64) void name(...)");
    }
    uint32_t first = p->at;
    node_append(&children, parse_type(p));
    check_function(p, first);
    uint32_t name = parse_name(p, "the function's name");
    int before = p->messages->count;
    flags |= parameters(p, &children, flags & (FLAG_KERNEL | FLAG_PARAM(PARAM_REDUCE)));
    flags |= p->messages->count > before ? FLAG_TWICE : 0; /* its calls are not checked */
    node_at(p->tree, node)->token = name;
    node_at(p->tree, node)->flags = flags;
    if (parse_is(p, "{")) {
        node_append(&children, parse_block(p));
    } else if ((flags & FLAG_GRADIENT) || !parse_accept(p, ";")) {
        parse_fail(p, "'{' and the body");
    }
    p->variables.count = variables;
    return node;
}

/* Returns whether the next word is the `gradient` of "gradient void name(" or "gradient(64) void name(". */
static bool begins_gradient(const Parse *p)
{
    uint32_t type = p->at + 1;
    if (!parse_is(p, "gradient")) {
        return false;
    }
    type = token_is(&p->tokens[type], "(") ? p->closing[type] + 1 : type;
    return token_is(&p->tokens[type], "void") && p->tokens[type + 1].kind == TOKEN_NAME &&
           token_is(&p->tokens[type + 2], "(");
}

static NodeIndex outer(Parse *p)
{
    if (parse_is(p, ";")) {
        return parse_leaf(p, NODE_EMPTY);
    }
    if (parse_is(p, "typedef") || parse_defines_structure(p)) {
        NodeIndex node = parse_is(p, "typedef") ? type_definition(p) : parse_structure(p);
        parse_semicolon(p);
        return node;
    }
    bool gradient = begins_gradient(p);
    if (gradient || parse_is(p, "kernel") || parse_is(p, "reduce")) {
        uint32_t flags = gradient                ? FLAG_KERNEL | FLAG_GRADIENT
                         : parse_is(p, "kernel") ? FLAG_KERNEL
                                                 : FLAG_PARAM(PARAM_REDUCE);
        p->at++;
        return function(p, flags);
    }
    if (parse_is(p, "[")) {
        parse_error(p, p->at, "a declaration has no attributes\na group size is written kernel(16, 16) void name(...)");
    }
    if (parse_is(p, "template")) {
        parse_error(p, p->at, "kernel text has no templates: write the function for one type, or use a macro");
    }
    uint32_t flags = parse_words(p, FLAGS_OUTER);
    uint32_t name = parse_after_type(p, p->at);
    if (!(flags & FLAG_CONST) || (name < p->end && token_is(&p->tokens[name + 1], "("))) {
        return function(p, flags);
    }
    NodeIndex node = parse_variables(p, NODE_CONSTANT, flags);
    parse_semicolon(p);
    return node;
}

/* Resumes at the declaration after the one that begins at token `first`. */
static NodeIndex resume(Parse *p, uint32_t first)
{
    uint32_t i = first;
    bool block = false;
    while (i < p->end && !block && !token_is(&p->tokens[i], ";")) {
        block = token_is(&p->tokens[i], "{");
        i = token_nesting(&p->tokens[i]) > 0 ? p->closing[i] + 1 : i + 1;
    }
    uint32_t name = i < p->end && p->tokens[i].kind == TOKEN_NAME; /* of a typedef */
    i += token_is(&p->tokens[i + (block ? name : 0)], ";") ? (block ? name : 0) + 1 : 0;
    parse_resume(p, i > p->at ? i : p->at);
    return node_add(p->tree, NODE_DAMAGED, first);
}

NodeIndex parse_outer(Parse *p)
{
    uint32_t first = p->at;
    int depth = p->depth;
    NodeIndex node = outer(p);
    if (p->damaged) {
        node = resume(p, first);
    }
    p->depth = depth;
    return node;
}
