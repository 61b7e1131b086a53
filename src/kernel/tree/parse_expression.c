/* Expressions: operators by precedence, casts, calls, indices, fields. */
#include "kernel/tree/parse_private.h"

#include <string.h>

#define ERROR_TEXT(text) text

/* names and types */

static bool is_listed(const Parse *p, const uint32_t *list, size_t count, const Token *name)
{
    while (count > 0 && !token_equal(&p->tokens[list[count - 1]], name)) {
        count--;
    }
    return count > 0;
}

bool parse_variable(const Parse *p, const Token *name)
{
    return is_listed(p, p->variables.items, p->variables.count, name);
}

/* Returns whether a name in an expression is that of a type. Variables can have the names of types. */
static bool is_type(const Parse *p, const Token *name)
{
    return name->kind == TOKEN_NAME &&
           (types_word(name) || token_is(name, "struct") ||
            is_listed(p, p->structures.items, p->structures.count, name)) &&
           !parse_variable(p, name);
}

/* Returns whether "unsigned int" or "struct P" begins at a token. */
static bool has_two_words(const Parse *p, uint32_t i)
{
    const Token *t = &p->tokens[i];
    return (token_is(t, "unsigned") && token_is(t + 1, "int")) ||
           (token_is(t, "struct") && t[1].kind == TOKEN_NAME && !token_is(t + 2, "{"));
}

uint32_t parse_after_type(const Parse *p, uint32_t i)
{
    i += has_two_words(p, i) ? 2 : 1;
    while (token_is(&p->tokens[i], "[")) {
        i = p->closing[i] + 1;
    }
    return i;
}

void parse_lengths(Parse *p, Children *children)
{
    while (parse_is(p, "[")) {
        uint32_t open = p->at++;
        node_append(children, parse_is(p, "]") ? node_add(p->tree, NODE_EMPTY, open) : parse_expression(p));
        parse_close(p, open, "']' after the length");
    }
}

NodeIndex parse_type(Parse *p)
{
    const Token *t = parse_peek(p);
    bool two = t->kind == TOKEN_NAME && has_two_words(p, p->at);
    if (t->kind != TOKEN_NAME || (parse_keyword(t) && !two)) {
        return parse_fail(p, "a type");
    }
    static const char *const widths[] = {"unsigned", "signed", "long", "short", NULL}, *const words[] = {
                                                                                           "char", "short",  "long",
                                                                                           "int",  "double", "unsigned",
                                                                                           NULL};
    if (!two && token_any(t, widths) && token_any(t + 1, words)) {
        parse_error(p, p->at, "'%.*s %.*s' is not a type\nintegers have 32 bits: write 'int' or 'uint'", t->length,
                    t->text, t[1].length, t[1].text);
    }
    NodeIndex type = node_add(p->tree, NODE_TYPE, p->at);
    node_at(p->tree, type)->flags = two ? FLAG_TWO_WORDS : 0;
    p->at += two ? 2 : 1;
    Children children = parse_children(p, type);
    parse_lengths(p, &children);
    return type;
}

uint32_t parse_name(Parse *p, const char *expected)
{
    const Token *t = parse_peek(p);
    if (t->kind == TOKEN_NUMBER && types_word(t - 1)) {
        parse_error(p, p->at, "a name cannot begin with a digit: '%.*s'", t->length, t->text);
    }
    if (t->kind != TOKEN_NAME || parse_keyword(t)) {
        parse_fail(p, expected);
        return p->at;
    }
    return p->at++;
}

/* operands */

static void arguments(Parse *p, NodeIndex call)
{
    Children children = {p->tree, call, node_at(p->tree, call)->child};
    uint32_t open = p->at;
    parse_expect(p, "(", "'('");
    if (!parse_is(p, ")")) {
        do {
            node_append(&children, parse_value(p));
        } while (parse_accept(p, ","));
    }
    parse_close(p, open, "',' or ')' after the argument");
}

/* Parses a constructor of an array, or of a type that is written as two words. */
static NodeIndex construct(Parse *p)
{
    uint32_t token = p->at;
    NodeIndex node = parse_node(p, NODE_CONSTRUCT, token, parse_type(p), 0, 0);
    arguments(p, node);
    return node;
}

/* Parses "indexof x". */
static NodeIndex bare_call(Parse *p)
{
    uint32_t token = p->at++;
    NodeIndex node = parse_node(p, NODE_CALL, token, parse_leaf(p, NODE_NAME), 0, 0);
    node_at(p->tree, node)->flags = FLAG_BARE;
    return node;
}

static NodeIndex named(Parse *p)
{
    const Token *t = parse_peek(p);
    if (token_is(t, "true") || token_is(t, "false")) {
        return parse_leaf(p, NODE_TRUTH);
    }
    if (token_is(t + 1, "(")) {
        NodeIndex call = parse_leaf(p, NODE_CALL);
        arguments(p, call);
        return call;
    }
    if ((token_is(t + 1, "[") || has_two_words(p, p->at)) && token_is(&p->tokens[parse_after_type(p, p->at)], "(")) {
        return construct(p);
    }
    if (p->at > 1 && token_is(t - 2, "sizeof")) { /* `resolve` reports the function */
        return parse_leaf(p, NODE_DAMAGED);
    }
    if (types_word(t) && is_type(p, t)) {
        if (t[1].kind == TOKEN_NUMBER) {
            p->at++;
            parse_name(p, "a name");
        }
        parse_error(p, p->at, "'%.*s' is a type\nwrite %.*s(x) for a value", t->length, t->text, t->length, t->text);
        return node_add(p->tree, NODE_DAMAGED, p->at);
    }
    bool bare = token_is(t, "indexof") && t[1].kind == TOKEN_NAME;
    return bare ? bare_call(p) : parse_leaf(p, NODE_NAME);
}

static NodeIndex primary(Parse *p)
{
    const Token *t = parse_peek(p);
    if (t->kind == TOKEN_NUMBER) {
        return parse_leaf(p, NODE_NUMBER);
    }
    if (t->kind == TOKEN_NAME && (!parse_keyword(t) || has_two_words(p, p->at))) {
        return named(p);
    }
    if (t->kind == TOKEN_OTHER) {
        bool prints = p->at > 1 && token_is(t - 2, "printf");
        parse_error(p, prints ? p->at - 2 : p->at,
                    prints ? "kernel text has no printf: store the value in an output, and print the stream"
                           : "kernel text has no strings");
        return node_add(p->tree, NODE_DAMAGED, p->at);
    }
    static const struct {
        const char *mark, *message;
    } marks[] = {
        {"&", ERROR_TEXT("kernel text has no addresses\nwrite the variable, or the element: name[i]")},
        {"*", ERROR_TEXT("kernel text has no pointers\nremove the '*', or write an index: name[i]")},
        {">", ERROR_TEXT("kernel text has no pointers\nwrite a '.' before the name of a field")},
        {"#", ERROR_TEXT("'#' is not an operator of GLSL\nsizeof_stream(name).x is the length of a stream")},
        {"{", ERROR_TEXT("a list in braces initializes a variable only\nwrite a constructor, such as vec2(x, y)")}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        bool arrow = *marks[i].mark != '>' || token_is(t - 1, "-");
        if (token_is(t, marks[i].mark) && arrow) {
            parse_error(p, p->at - (*marks[i].mark == '>'), "%s", marks[i].message);
            return node_add(p->tree, NODE_DAMAGED, p->at);
        }
    }
    if (!token_is(t, "(")) {
        return parse_fail(p, "an expression");
    }
    uint32_t open = p->at++;
    NodeIndex node = parse_node(p, NODE_PAREN, open, parse_expression(p), 0, 0);
    parse_close(p, open, "')'");
    return node;
}

static NodeIndex member(Parse *p, NodeIndex value)
{
    p->at++;
    NodeIndex node = parse_node(p, NODE_MEMBER, parse_name(p, "a name after '.'"), value, 0, 0);
    if (parse_is(p, "(")) {
        uint32_t open = p->at++;
        bool arguments = !token_is(parse_peek(p), ")");
        node_at(p->tree, node)->flags = FLAG_CALLED | (arguments ? FLAG_COMMA : 0);
        p->at = arguments && !p->damaged ? p->closing[open] : p->at;
        parse_close(p, open, "')'");
    }
    return node;
}

static NodeIndex index_of(Parse *p, NodeIndex value)
{
    uint32_t open = p->at++;
    NodeIndex node = parse_node(p, NODE_INDEX, open, value, parse_value(p), 0);
    if (parse_is(p, ",")) {
        parse_error(p, p->at, "brackets have one index\nwrite a pair for each dimension: name[y][x]");
        node = node_add(p->tree, NODE_DAMAGED, open);
    }
    parse_close(p, open, "']' after the index");
    return node;
}

static NodeIndex postfix(Parse *p)
{
    NodeIndex value = primary(p);
    for (;;) {
        bool step = parse_is(p, "++") || parse_is(p, "--");
        if (!(step || parse_is(p, "[") || parse_is(p, ".")) || !parse_deeper(p)) {
            return value;
        }
        if (step) {
            value = parse_node(p, NODE_STEP, p->at++, value, 0, 0);
            node_at(p->tree, value)->flags = FLAG_POSTFIX;
        } else {
            value = parse_is(p, "[") ? index_of(p, value) : member(p, value);
        }
    }
}

/* operators */

/* Returns whether "(T)" and an operand begin at the next token. */
static bool is_cast(const Parse *p)
{
    static const char *const marks[] = {"(", "-", "+", "!", "~", "++", "--", "*", NULL};
    const Token *t = parse_peek(p);
    if (!token_is(t, "(") || t[1].kind != TOKEN_NAME) {
        return false;
    }
    const Token *close = &p->tokens[parse_after_type(p, p->at + 1)], *operand = close + 1;
    return token_is(close, ")") &&
           (operand->kind == TOKEN_NAME || operand->kind == TOKEN_NUMBER || token_any(operand, marks)) &&
           is_type(p, t + 1);
}

static NodeIndex unary(Parse *p);

static NodeIndex cast(Parse *p)
{
    uint32_t open = p->at++;
    NodeIndex type = parse_type(p);
    parse_close(p, open, "')' after the type");
    NodeIndex operand = unary(p), value = operand;
    const Token *name = node_token(p->tree, type);
    while (node_at(p->tree, value)->kind == NODE_MEMBER || node_at(p->tree, value)->kind == NODE_INDEX) {
        value = node_at(p->tree, value)->child;
    }
    if (node_at(p->tree, value)->kind == NODE_PAREN &&
        node_at(p->tree, node_at(p->tree, value)->child)->kind == NODE_COMMA) {
        parse_error(p, open, "a conversion has one value\nwrite %.*s(x, ...)", name->length, name->text);
    }
    return parse_node(p, NODE_CONVERT, open, type, operand, 0);
}

static NodeIndex unary(Parse *p)
{
    static const char *const signs[] = {"-", "+", "!", "~", NULL};
    bool step = parse_is(p, "++") || parse_is(p, "--"), converts = is_cast(p);
    if (!step && !converts && !token_any(parse_peek(p), signs)) {
        return postfix(p);
    }
    if (!parse_deeper(p)) {
        return node_add(p->tree, NODE_DAMAGED, p->at);
    }
    if (converts) {
        return cast(p);
    }
    uint32_t token = p->at++;
    return parse_node(p, step ? NODE_STEP : NODE_UNARY, token, unary(p), 0, 0);
}

enum { LEVEL_AND = 3, LEVEL_SUM = 10 };

/* Returns the precedence of a binary operator, from 1; 0: not a binary operator. */
static int level_of(const Token *t)
{
    static const char *const rows[][5] = {
        {"||"},       {"^^"},     {"&&"},          {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="},
        {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"},
    };
    enum { LEVELS = sizeof rows / sizeof *rows };
    for (int i = 0; t->kind == TOKEN_MARK && i < LEVELS; i++) {
        if (token_any(t, rows[i])) {
            return i + 1;
        }
    }
    return 0;
}

static NodeIndex binary(Parse *p, int least)
{
    NodeIndex left = unary(p);
    for (;;) {
        int level = level_of(parse_peek(p));
        if (level == 0 || level < least || !parse_deeper(p)) {
            return left;
        }
        uint32_t token = p->at++;
        NodeIndex right = binary(p, level + 1);
        left = p->damaged ? node_add(p->tree, NODE_DAMAGED, token)
                          : parse_node(p, level <= LEVEL_AND ? NODE_LOGICAL : NODE_BINARY, token, left, right, 0);
    }
}

static NodeIndex choice(Parse *p, NodeIndex condition)
{
    uint32_t token = p->at++;
    NodeIndex value = parse_expression(p);
    parse_expect(p, ":", "':' and the other value");
    return parse_node(p, NODE_CHOICE, token, condition, value, parse_value(p));
}

NodeIndex parse_sum(Parse *p)
{
    return binary(p, LEVEL_SUM);
}

NodeIndex parse_value(Parse *p)
{
    static const char *const marks[] = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", NULL};
    int depth = p->depth;
    NodeIndex left = parse_deeper(p) ? binary(p, 1) : node_add(p->tree, NODE_DAMAGED, p->at);
    if (parse_is(p, "?")) {
        left = choice(p, left);
    } else if (token_any(parse_peek(p), marks)) {
        uint32_t token = p->at++, kind = node_at(p->tree, left)->kind;
        if (kind == NODE_LOGICAL && token_is(&p->tokens[token], "=")) {
            parse_error(p, token, "'=' assigns a value\nwrite == to compare");
        }
        left = p->damaged ? node_add(p->tree, NODE_DAMAGED, token)
                          : parse_node(p, NODE_ASSIGN, token, left, parse_value(p), 0);
    }
    p->depth = depth;
    return left;
}

NodeIndex parse_expression(Parse *p)
{
    uint32_t token = p->at;
    NodeIndex value = parse_value(p);
    if (!parse_is(p, ",")) {
        return value;
    }
    NodeIndex list = node_add(p->tree, NODE_COMMA, token);
    Children children = parse_children(p, list);
    node_append(&children, value);
    while (parse_accept(p, ",")) {
        node_append(&children, parse_value(p));
    }
    return list;
}
