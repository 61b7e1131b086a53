#include "kernel/text/condition.h"

#include <stdint.h>
#include <stdlib.h>

enum { MAX_DEPTH = 128, LEVELS = 10 };

typedef struct Condition {
    const SourceText *source;
    const Token *tokens, *place;
    size_t count, at;
    int depth;
    int skipped; /* more than 0 inside an operand that || && ? skip */
    bool failed;
} Condition;

static const char *const operators[LEVELS][5] = {
    {"||"},       {"&&"},     {"|"},           {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"},
    {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"},
};

static int64_t choice(Condition *c);

static bool accept(Condition *c, const char *text)
{
    bool match = c->at < c->count && token_is(&c->tokens[c->at], text);
    c->at += match;
    return match;
}

static int64_t fail(Condition *c, const char *message)
{
    if (!c->failed) {
        const Token *token = c->at < c->count ? &c->tokens[c->at] : c->place;
        source_error(c->source, token->offset, "%s", message);
    }
    c->failed = true;
    return 0;
}

static int64_t unexpected(Condition *c)
{
    return fail(c, "#if takes whole numbers, names, defined(name) and operators");
}

static int64_t number(Condition *c)
{
    const Token *token = &c->tokens[c->at];
    char *end;
    int64_t value = (int64_t)strtoull(token->text, &end, 0);
    bool suffix = end == token->text + token->length - 1 && (*end == 'u' || *end == 'U');
    if (!suffix && end != token->text + token->length) {
        return unexpected(c);
    }
    c->at++;
    return value;
}

bool condition_predefined(const SourceText *source, const Token *name, int *value)
{
    static const struct {
        const char *name;
        int value;
    } names[] = {{"__VERSION__", 430}, {"__FILE__", 0}, {"GL_core_profile", 1}};
    if (token_is(name, "__LINE__")) {
        *value = source_line(source, name->offset);
        return true;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (token_is(name, names[i].name)) {
            *value = names[i].value;
            return true;
        }
    }
    return false;
}

static int64_t name(Condition *c)
{
    int value = 0; /* of a name that is not a macro */
    condition_predefined(c->source, &c->tokens[c->at++], &value);
    return value;
}

static int64_t unary(Condition *c)
{
    if (c->failed || ++c->depth > MAX_DEPTH) {
        return fail(c, "this #if is nested too deep");
    }
    int64_t value = 0;
    if (accept(c, "!")) {
        value = !unary(c);
    } else if (accept(c, "-")) {
        value = (int64_t)(0 - (uint64_t)unary(c));
    } else if (accept(c, "+")) {
        value = unary(c);
    } else if (accept(c, "~")) {
        value = ~unary(c);
    } else if (accept(c, "(")) {
        value = choice(c);
        value = accept(c, ")") ? value : fail(c, "expected ')' in #if");
    } else if (c->at < c->count && c->tokens[c->at].kind == TOKEN_NUMBER) {
        value = number(c);
    } else if (c->at < c->count && c->tokens[c->at].kind == TOKEN_NAME) {
        value = name(c);
    } else {
        value = unexpected(c);
    }
    c->depth--;
    return value;
}

static int64_t apply(Condition *c, const char *op, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    bool twice = op[1] != '\0';
    switch (op[0]) {
    case '|': return twice ? a || b : (int64_t)(x | y);
    case '&': return twice ? a && b : (int64_t)(x & y);
    case '^': return (int64_t)(x ^ y);
    case '=': return a == b;
    case '!': return a != b;
    case '<': return !twice ? a < b : op[1] == '=' ? a <= b : (int64_t)(x << (y & 63));
    case '>': return !twice ? a > b : op[1] == '=' ? a >= b : a >> (y & 63);
    case '+': return (int64_t)(x + y);
    case '-': return (int64_t)(x - y);
    case '*': return (int64_t)(x * y);
    default: break;
    }
    if (b == 0 || b == -1) {
        if (b == 0) {
            return c->skipped ? 0 : fail(c, "division by zero in #if");
        }
        return op[0] == '%' ? 0 : (int64_t)(0 - x);
    }
    return op[0] == '/' ? a / b : a % b;
}

static int64_t binary(Condition *c, int level)
{
    if (level == LEVELS) {
        return unary(c);
    }
    int64_t value = binary(c, level + 1);
    for (int k = 0; operators[level][k];) {
        if (!c->failed && accept(c, operators[level][k])) {
            bool decided = (level == 0 && value) || (level == 1 && !value);
            c->skipped += decided;
            int64_t right = binary(c, level + 1);
            c->skipped -= decided;
            value = apply(c, operators[level][k], value, right);
            k = 0;
        } else {
            k++;
        }
    }
    return value;
}

/* "a ? b : c" */
static int64_t choice(Condition *c)
{
    int64_t value = binary(c, 0);
    if (c->failed || !accept(c, "?")) {
        return value;
    }
    if (++c->depth > MAX_DEPTH) {
        return fail(c, "this #if is nested too deep");
    }
    c->skipped += value == 0;
    int64_t yes = choice(c);
    c->skipped -= value == 0;
    if (!accept(c, ":")) {
        return fail(c, "expected ':' after '?' in #if");
    }
    c->skipped += value != 0;
    int64_t no = choice(c);
    c->skipped -= value != 0;
    c->depth--;
    return value ? yes : no;
}

bool condition_value(const SourceText *source, const Token *tokens, size_t count, const Token *place, bool *value)
{
    Condition c = {.source = source, .tokens = tokens, .place = place, .count = count};
    *value = choice(&c) != 0;
    if (!c.failed && c.at < count) {
        unexpected(&c);
    }
    return !c.failed;
}
