/* Operators, names, fields and indices. */
#include "base/decimal.h"
#include "kernel/pass/type_private.h"
#include "kernel/tree/functions.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* lengths and types */

/* Returns a whole number as one of a type: the lowest 32 bits, 0 or 1 for a bool. */
static long wrap(Base base, long value)
{
    return base == BASE_UINT   ? (long)(uint32_t)value
           : base == BASE_INT  ? (long)(int32_t)(uint32_t)value
           : base == BASE_BOOL ? value != 0
                               : value;
}

static bool is_real(Base base)
{
    return base == BASE_FLOAT || base == BASE_DOUBLE;
}

/* Computes a number; t->unknown is set if it is beyond the whole numbers. */
static long fold_number(Typing *t, const Token *token, Base base)
{
    size_t used;
    if (!is_real(base)) {
        return (long)strtoul(token->text, NULL, 0);
    }
    double number = decimal_read(token->text, (size_t)token->length, &used);
    t->unknown = t->unknown || number > INT32_MAX;
    return number > INT32_MAX ? 1 : (long)number;
}

static bool is_shift(const Token *token)
{
    return token_is(token, "<<") || token_is(token, ">>");
}

/* Computes a binary operator of whole numbers whose result is defined. */
static long fold_binary(const Token *operator, long a, long b)
{
    return token_is(operator, "/")    ? a / b
           : token_is(operator, "%")  ? a % b
           : token_is(operator, "+")  ? a + b
           : token_is(operator, "-")  ? a - b
           : token_is(operator, "*")  ? a * b
           : token_is(operator, "<<") ? (long)((uint64_t)a << b)
           : token_is(operator, ">>") ? a >> b
           : token_is(operator, "&")  ? a & b
           : token_is(operator, "|")  ? a | b
           : token_is(operator, "^")  ? a ^ b
           : token_is(operator, "<")  ? a < b
           : token_is(operator, ">")  ? a > b
           : token_is(operator, "<=") ? a <= b
           : token_is(operator, ">=") ? a >= b
           : token_is(operator, "==") ? a == b
           : token_is(operator, "!=") ? a != b
           : token_is(operator, "&&") ? a && b
           : token_is(operator, "||") ? a || b
                                      : !a != !b;
}

/* Computes a constant whole number or bool. Returns false if it is not one. t->unknown is set if the expression is
 * constant, but its value is not computed here: it has floats, vectors or calls. */
static bool fold(Typing *t, NodeIndex node, long *value)
{
    const Node *n = pass_node(t, node);
    const Token *token = node_token(t->tree, node);
    TypeInfo info = pass_info(t, n->type);
    long a = 0, b = 0, c = 0;
    if (--t->folds < 0) {
        return false;
    }
    t->unknown = t->unknown || (is_real(info.base) && n->kind != NODE_NUMBER && n->kind != NODE_PAREN) ||
                 (info.base != BASE_ARRAY && !pass_is_scalar(info));
    switch (n->kind) {
    case NODE_NUMBER: *value = wrap(info.base, fold_number(t, token, info.base)); return true;
    case NODE_TRUTH: *value = token_is(token, "true"); return true;
    case NODE_PAREN: return fold(t, n->child, value);
    case NODE_MEMBER: { /* x.length() */
        TypeInfo of = pass_info(t, pass_node(t, n->child)->type);
        *value = of.base == BASE_ARRAY ? of.length : of.columns > 1 ? of.columns : of.rows;
        return *value > 0;
    }
    case NODE_SWIZZLE:
    case NODE_INDEX: t->unknown = true; return fold(t, n->child, value);
    case NODE_CONVERT:
    case NODE_CONSTRUCT: {
        NodeIndex from = n->kind == NODE_CONVERT ? pass_child(t, node, 1) : n->child;
        t->unknown = t->unknown || (info.base == BASE_BOOL && is_real(pass_info(t, pass_node(t, from)->type).base));
        bool known = from && fold(t, from, &a);
        *value = wrap(info.base, a);
        return known;
    }
    case NODE_LOCAL:
    case NODE_CONSTANT_VALUE: {
        const Node *variable = pass_node(t, n->target);
        NodeIndex given = variable->child;
        while (given && pass_node(t, given)->next) {
            given = pass_node(t, given)->next;
        }
        bool known = (variable->flags & FLAG_CONST) && (variable->flags & FLAG_VALUE) && fold(t, given, &a);
        *value = wrap(info.base, a);
        return known;
    }
    case NODE_UNARY:
        if (!fold(t, n->child, &a)) {
            return false;
        }
        *value = wrap(info.base, token_is(token, "-") ? -a : token_is(token, "~") ? ~a : token_is(token, "!") ? !a : a);
        return true;
    case NODE_LOGICAL:
    case NODE_BINARY: {
        if (!fold(t, n->child, &a) || !fold(t, pass_child(t, node, 1), &b)) {
            return false;
        }
        Base left = pass_info(t, pass_node(t, n->child)->type).base,
             right = pass_info(t, pass_node(t, pass_child(t, node, 1))->type).base;
        Base common = right == BASE_UINT && !is_shift(token) ? right : left;
        bool divides = token_is(token, "/") || token_is(token, "%");
        a = wrap(common, a);
        b = is_shift(token) ? b : wrap(common, b);
        if (is_real(left) || is_real(right) || (token_is(token, "%") && (a < 0 || b < 0))) {
            t->unknown = true;
            *value = 1;
            return true;
        }
        if ((divides && !b) || (is_shift(token) && (b < 0 || b > 31))) {
            return false;
        }
        *value = wrap(info.base, fold_binary(token, a, b));
        return true;
    }
    case NODE_CHOICE:
        if (!fold(t, n->child, &a) || !fold(t, pass_child(t, node, 1), &b) || !fold(t, pass_child(t, node, 2), &c)) {
            return false;
        }
        *value = wrap(info.base, a ? b : c);
        return true;
    case NODE_BUILTIN:
        for (NodeIndex i = n->child; i; i = pass_node(t, i)->next) {
            if (!fold(t, i, &a)) {
                return false;
            }
        }
        t->unknown = true;
        *value = 1;
        return true;
    default: return false;
    }
}

bool pass_constant(Typing *t, NodeIndex node, long *value)
{
    t->folds = 10000;
    t->unknown = false;
    return fold(t, node, value) && !t->unknown;
}

TypeIndex pass_array(Typing *t, TypeIndex element, NodeIndex first, NodeIndex end)
{
    long length = 0;
    if (first == end) {
        return element;
    }
    TypeIndex inner = pass_array(t, element, pass_node(t, first)->next, end);
    bool given = pass_node(t, first)->kind != NODE_EMPTY;
    t->folds = 10000;
    t->unknown = false;
    TypeIndex type = given ? pass_value(t, first) : 0;
    if (given && !type) {
        return 0;
    }
    if (type && (!pass_is_whole(pass_info(t, type)) || !fold(t, first, &length) ||
                 (!t->unknown && (length < 1 || length > 1 << 24)))) {
        message_add(
            t->messages, pass_first(t, first),
            "the length of an array must be a constant whole number\nwrite a number, or a name of #define or const");
        return 0;
    }
    return inner ? types_array(&t->tree->types, inner, t->unknown && given ? -1 : (int)length) : 0;
}

TypeIndex pass_declared(Typing *t, NodeIndex type)
{
    const Node *n = pass_node(t, type);
    return n->kind == NODE_TYPE && n->type ? pass_array(t, n->type, n->child, 0) : n->type;
}

/* numbers */

/* Returns the length of digits of a base at a text. */
static int digits_at(const char *text, int length, int base)
{
    int n = 0;
    while (n < length && isxdigit((unsigned char)text[n]) &&
           (isdigit((unsigned char)text[n]) ? text[n] - '0' < base : base == 16)) {
        n++;
    }
    return n;
}

/* Returns the base of a number with an optional suffix; BASE_NONE if it is none. */
static Base number_base(const char *text, int length)
{
    static const struct {
        const char *suffix;
        Base whole, real;
    } suffixes[] = {{"", BASE_INT, BASE_FLOAT},
                    {"u", BASE_UINT, BASE_NONE},
                    {"f", BASE_NONE, BASE_FLOAT},
                    {"lf", BASE_NONE, BASE_DOUBLE},
                    {"h", BASE_NONE, BASE_FLOAT}};
    bool hex = length > 2 && text[0] == '0' && tolower((unsigned char)text[1]) == 'x', real = false;
    int n = hex ? 2 + digits_at(text + 2, length - 2, 16) : digits_at(text, length, 10);
    if (!hex && n < length && text[n] == '.') {
        real = true;
        n += 1 + digits_at(text + n + 1, length - n - 1, 10);
    }
    if (!hex && n < length && tolower((unsigned char)text[n]) == 'e') {
        int sign = n + 1 < length && (text[n + 1] == '+' || text[n + 1] == '-');
        int exponent = digits_at(text + n + 1 + sign, length - n - 1 - sign, 10);
        real = true;
        n += exponent ? 1 + sign + exponent : 0;
    }
    bool octal = !hex && !real && n > 1 && *text == '0';
    if (n == 0 || (hex && n == 2) || (octal && digits_at(text, n, 8) < n)) {
        return BASE_NONE;
    }
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        if ((size_t)(length - n) == strlen(suffixes[i].suffix) &&
            strncasecmp(text + n, suffixes[i].suffix, (size_t)(length - n)) == 0) {
            return real ? suffixes[i].real : suffixes[i].whole;
        }
    }
    return BASE_NONE;
}

/* Appends the spelling in GLSL of a number of another language, such as 10ull, 0b101 or 1.0d. */
static void spell(const char *text, int length, StrBuf *out)
{
    bool hex = length > 2 && text[0] == '0' && tolower((unsigned char)text[1]) == 'x';
    bool binary = length > 2 && text[0] == '0' && tolower((unsigned char)text[1]) == 'b';
    int n = hex ? 2 + digits_at(text + 2, length - 2, 16) : digits_at(text, length, 10);
    bool real = false, whole = true, wide = false; /* suffixes of whole numbers; of doubles */
    for (; !hex && n < length && strchr(".0123456789eE", text[n]); n++) {
        real = true;
    }
    bool unsigned_ = hex || (!real && strtod(text, NULL) > 2147483647.0);
    for (int i = n; i < length; i++) {
        char c = (char)tolower((unsigned char)text[i]);
        whole = whole && (c == 'u' || c == 'l');
        unsigned_ = unsigned_ || c == 'u';
        wide = wide || c == 'd' || (c == 'l' && i + 1 < length && tolower((unsigned char)text[i + 1]) == 'f');
    }
    if (binary && 2 + digits_at(text + 2, length - 2, 2) < length - 3) {
        return;
    }
    if (binary) {
        strbuf_addf(out, "\nwrite 0x%llX", strtoull(text + 2, NULL, 2));
    } else if (n > 0 && whole && n < length) {
        strbuf_addf(out, "\nwrite %.*s%s", n, text, !real && unsigned_ ? "u" : "");
    } else if (n > 0 && n + 2 >= length && strchr("fFhHdDlL", text[n])) {
        strbuf_addf(out, "\nwrite %.*s%s%s", n, text, real || hex ? "" : ".0", wide ? "lf" : "");
    } else if (n > 0 && n < length && !hex && *text != '0' && isalpha((unsigned char)text[n])) { /* 2x */
        strbuf_addf(out, "\nwrite %.*s * %.*s", n, text, length - n, text + n);
    } else if (n == length && *text == '0') {
        strbuf_addf(out, "\na number that begins with 0 is octal: write %.*s", n - (int)strspn(text, "0"),
                    text + strspn(text, "0"));
    }
}

static TypeIndex number(Typing *t, NodeIndex node)
{
    const Token *token = node_token(t->tree, node);
    Base base = token->kind == TOKEN_NAME ? BASE_INT : number_base(token->text, token->length); /* __LINE__ */
    bool hex = token->length > 10 && token->text[0] == '0' && tolower((unsigned char)token->text[1]) == 'x';
    if (hex && base != BASE_NONE && strtoull(token->text, NULL, 16) > UINT32_MAX) {
        return PASS_FAIL(t, token, "%.*s is out of range: whole numbers have 32 bits, at most 8 hexadecimal digits",
                         token->length, token->text);
    }
    if (base != BASE_NONE) {
        return pass_scalar(base);
    }
    StrBuf text = STRBUF_EMPTY;
    spell(token->text, token->length, &text);
    message_add(t->messages, token, "'%.*s' is not a number%s", token->length, token->text, strbuf_text(&text));
    strbuf_free(&text);
    return 0;
}

/* fields and indices */

static TypeIndex field(Typing *t, NodeIndex node, TypeInfo info)
{
    const Token *name = node_token(t->tree, node);
    StrBuf known = STRBUF_EMPTY;
    for (NodeIndex d = pass_node(t, info.structure)->child; d; d = pass_node(t, d)->next) {
        NodeIndex first = pass_node(t, d)->kind == NODE_DECLARE ? pass_child(t, d, 1) : 0;
        for (NodeIndex v = first; v; v = pass_node(t, v)->next) {
            const Token *field = node_token(t->tree, v);
            if (token_equal(field, name)) {
                pass_node(t, node)->kind = NODE_FIELD;
                pass_node(t, node)->target = v;
                strbuf_free(&known);
                return pass_node(t, v)->type;
            }
            strbuf_addf(&known, "%s%.*s", known.length ? ", " : "", field->length, field->text);
        }
    }
    message_add(t->messages, name, "structure '%.*s' has no field '%.*s'\nits fields are %s", info.name.length,
                info.name.text, name->length, name->text, strbuf_text(&known));
    strbuf_free(&known);
    return 0;
}

static TypeIndex swizzle(Typing *t, NodeIndex node, TypeInfo info, TypeIndex type)
{
    static const char sets[3][5] = {"xyzw", "rgba", "stpq"};
    const Token *name = node_token(t->tree, node);
    const char *set = NULL;
    for (int i = 0; i < 3 && !set; i++) {
        set = memchr(sets[i], *name->text, 4) ? sets[i] : NULL;
    }
    for (int i = 0; i < name->length; i++) {
        const char *found = set ? memchr(set, name->text[i], 4) : NULL;
        if (!found) {
            return PASS_FAIL(t, name, "%s has no components '%.*s'\n%s", pass_a(t, type), name->length, name->text,
                             token_is(name, "length") ? "write length(value)"
                                                      : "components are letters of one of xyzw, rgba and stpq");
        }
        if (found - set >= info.rows) {
            return PASS_FAIL(t, name, "%s has no component '%c'%s%.*s", pass_a(t, type), *found,
                             info.rows > 1 ? "\nits components are " : "", info.rows > 1 ? info.rows : 0, set);
        }
    }
    if (name->length > 4) {
        return PASS_FAIL(t, name, "a vector has at most 4 components");
    }
    pass_node(t, node)->kind = NODE_SWIZZLE;
    return types_of(info.base, 1, name->length);
}

static TypeIndex member(Typing *t, NodeIndex node)
{
    NodeIndex base = pass_node(t, node)->child;
    TypeIndex type = pass_value(t, base);
    TypeInfo info = pass_info(t, type);
    const Token *name = node_token(t->tree, node);
    if (!type) {
        return 0;
    }
    if (pass_node(t, node)->flags & FLAG_COMMA) {
        const Token *value = pass_first(t, base);
        static const char *const adds[] = {"append", "Append", "push_back", "emplace_back", "add", "insert", NULL},
                                 *const reads[] = {"Load", "Sample", "SampleLevel", "read", "get", "at", NULL};
        if (token_any(name, adds) || token_any(name, reads)) {
            return PASS_FAIL(t, name,
                             token_any(name, adds) ? "values have no functions\nwrite push(%.*s, value)"
                                                   : "values have no functions\nwrite an index: %.*s[i]",
                             value->length, value->text);
        }
        return functions_find(name) && !token_is(name, "length")
                   ? PASS_FAIL(t, name, "values have no functions\nwrite %.*s(%.*s, ...)", name->length, name->text,
                               value->length, value->text)
                   : PASS_FAIL(t, name, "'%.*s' takes no arguments: values have no functions\nwrite name(value, ...)",
                               name->length, name->text);
    }
    if (pass_node(t, node)->flags & FLAG_CALLED) {
        bool stream = info.base == BASE_ARRAY && info.length == 0;
        const Token *value = pass_first(t, base);
        if (!token_is(name, "length") && functions_find(name)) {
            return PASS_FAIL(t, name, "values have no functions\nwrite %.*s(%.*s)", name->length, name->text,
                             value->length, value->text);
        }
        return token_is(name, "length") && !stream && (info.base == BASE_ARRAY || !pass_is_scalar(info))
                   ? pass_scalar(BASE_INT)
               : stream || pass_node(t, base)->kind == NODE_PARAMETER_VALUE
                   ? PASS_FAIL(t, name,
                               "'%.*s' has no function '%.*s'\nsizeof_stream(name).x is the number of elements of a "
                               "stream, sizeof_list(name) that of a list",
                               pass_first(t, base)->length, pass_first(t, base)->text, name->length, name->text)
                   : PASS_FAIL(t, name, "%s has no function '%.*s'\n.length() is its number of elements",
                               pass_a(t, type), name->length, name->text);
    }
    if (info.base == BASE_STRUCTURE) {
        return field(t, node, info);
    }
    if (info.base == BASE_ARRAY && info.length == 0) {
        return PASS_FAIL(t, name,
                         "a stream has no field '%.*s'\nsizeof_stream(name).x is its length, name[i] an element",
                         name->length, name->text);
    }
    return pass_is_plain(info) && info.columns == 1
               ? swizzle(t, node, info, type)
               : PASS_FAIL(t, name, "%s has no field '%.*s'\nwrite %s", pass_a(t, type), name->length, name->text,
                           token_is(name, "length") ? ".length()" : "an index: name[i]");
}

/* Returns the parameter that an expression names, or 0. */
static NodeIndex parameter_of(const Typing *t, NodeIndex node)
{
    while (pass_node(t, node)->kind == NODE_NEIGHBOR || pass_node(t, node)->kind == NODE_PAREN) {
        node = pass_node(t, node)->child;
    }
    return pass_node(t, node)->kind == NODE_PARAMETER_VALUE ? pass_node(t, node)->target : 0;
}

/* Adds an error at an index of a parameter with <>. */
static TypeIndex single(Typing *t, const Token *name, NodeIndex parameter, int indices)
{
    uint32_t flags = pass_node(t, parameter)->flags;
    const char *text = pass_name(t, pass_element(t, parameter)), *brackets = pass_brackets(indices);
    int length = name->length;
    if (t->function && (pass_node(t, t->function)->flags & FLAG_PARAM(PARAM_REDUCE))) {
        return PASS_FAIL(t, name,
                         "'%.*s' is a single element and has no index\nwrite %.*s: a reduce kernel is called for "
                         "each element",
                         length, name->text, length, name->text);
    }
    if (flags & FLAG_PARAM(PARAM_VOUT)) {
        return PASS_FAIL(t, name, "'%.*s' is a variable output and has no index\nwrite push(%.*s, value)", length,
                         name->text, length, name->text);
    }
    if (flags & (FLAG_PARAM(PARAM_OUTPUT) | FLAG_PARAM(PARAM_INOUT))) {
        return PASS_FAIL(
            t, name,
            "'%.*s' is a single element and has no index\nwrite %.*s for the element, or declare 'inout %s "
            "%.*s%s' to write any element",
            length, name->text, length, name->text, text, length, name->text, brackets);
    }
    return PASS_FAIL(
        t, name,
        "'%.*s' is a single element and has no index\nwrite %.*s for the element; declare '%s %.*s%s' to read "
        "any element by its index, or 'neighbor %s %.*s<>' to read its neighbors",
        length, name->text, length, name->text, text, length, name->text, brackets, text, length, name->text);
}

/* Adds an error at an index of a value that has no elements. If it belongs to a stream, names the declaration that the
 * index needs. */
static TypeIndex no_elements(Typing *t, NodeIndex node, TypeIndex type)
{
    NodeIndex root = node;
    int indices = 0;
    for (; pass_node(t, root)->kind == NODE_INDEX || pass_node(t, root)->kind == NODE_GATHER ||
           pass_node(t, root)->kind == NODE_ELEMENT;
         root = pass_node(t, root)->child) {
        indices++;
    }
    NodeIndex parameter = pass_node(t, root)->kind == NODE_PARAMETER_VALUE ? pass_node(t, root)->target : 0;
    int rank = parameter ? pass_rank(t, parameter) : 0;
    const Token *name = node_token(t->tree, root);
    const char *text = pass_name(t, type);
    if (rank > 0) {
        return PASS_FAIL(t, node_token(t->tree, node),
                         "'%.*s' has %d indices here, but %d pair%s of brackets in its declaration\n%d indices need "
                         "one pair each: '%s %.*s%s'",
                         name->length, name->text, indices, rank, rank == 1 ? "" : "s", indices, text, name->length,
                         name->text, pass_brackets(indices));
    }
    if (parameter && (pass_node(t, parameter)->flags & FLAG_STREAM)) {
        return single(t, name, parameter, indices);
    }
    bool named = pass_node(t, root)->kind == NODE_LOCAL || parameter;
    return named && indices == 1 ? PASS_FAIL(t, name, "'%.*s' is %s and has no index\nwrite %.*s", name->length,
                                             name->text, pass_a(t, type), name->length, name->text)
                                 : PASS_FAIL(t, node_token(t->tree, node), "%s has no elements", pass_a(t, type));
}

/* Returns the type of an element of an array, of a stream, of a vector, or a column of a matrix. */
static TypeIndex element(Typing *t, NodeIndex node, TypeIndex type, TypeInfo index)
{
    TypeInfo info = pass_info(t, type);
    bool stream = info.base == BASE_ARRAY && info.length == 0;
    const Token *place = pass_first(t, pass_child(t, node, 1));
    if (!stream && t->brook && pass_is_scalar(index) && index.base >= BASE_FLOAT) {
        brook_fit(t, pass_child(t, node, 1), pass_scalar(BASE_INT), place);
        index = pass_info(t, pass_scalar(BASE_INT));
    }
    bool vector = stream && index.rows > 1 && pass_node(t, pass_node(t, node)->child)->kind != NODE_PARAMETER_VALUE;
    NodeIndex named = pass_node(t, pass_node(t, node)->child)->kind == NODE_PARAMETER_VALUE
                          ? pass_node(t, pass_node(t, node)->child)->target
                          : 0;
    if (named && !stream && (pass_node(t, named)->flags & FLAG_STREAM) && pass_is_number(index) && index.rows > 1) {
        return single(t, pass_first(t, node), named, index.rows);
    }
    if (pass_is_no_value(t, pass_child(t, node, 1))) {
        return 0;
    }
    if (stream ? vector || !pass_is_number(index) || index.columns > 1 : !pass_is_whole(index)) {
        return PASS_FAIL(
            t, place,
            stream ? "an index of a stream is a number, or one vector of all indices\nwrite name[y][x] or name[p]"
                   : "an index must be an int or uint\nwrite int(...)");
    }
    if (stream) {
        TypeIndex inner = info.element;
        while (index.rows > 1 && pass_info(t, inner).base == BASE_ARRAY && pass_info(t, inner).length == 0) {
            inner = pass_info(t, inner).element; /* a vector of all indices */
        }
        NodeIndex root = node;
        while (pass_node(t, root)->kind == NODE_INDEX || pass_node(t, root)->kind == NODE_GATHER ||
               pass_node(t, root)->kind == NODE_ELEMENT) {
            root = pass_node(t, root)->child;
        }
        NodeIndex parameter = parameter_of(t, root);
        bool written = parameter && (pass_node(t, parameter)->flags & FLAG_PARAM(PARAM_INOUT));
        pass_node(t, node)->kind = written ? NODE_ELEMENT : NODE_GATHER;
        return inner;
    }
    if (info.base == BASE_ARRAY) {
        return info.element;
    }
    if (!pass_is_plain(info) || info.rows == 1) {
        return no_elements(t, node, type);
    }
    return types_of(info.base, 1, info.columns > 1 ? info.rows : 1);
}

static TypeIndex indexed(Typing *t, NodeIndex node)
{
    NodeIndex base = pass_node(t, node)->child;
    TypeIndex type = pass_value(t, base), index = pass_value(t, pass_node(t, base)->next);
    NodeIndex parameter = parameter_of(t, base);
    if (!type || !index) {
        return 0;
    }
    bool whole =
        pass_node(t, base)->kind == NODE_NEIGHBOR && pass_info(t, pass_node(t, pass_child(t, base, 1))->type).rows > 1;
    if (parameter && (pass_node(t, parameter)->flags & FLAG_PARAM(PARAM_NEIGHBOR)) && !whole) {
        TypeInfo info = pass_info(t, index);
        pass_node(t, node)->kind = NODE_NEIGHBOR;
        return pass_is_number(info) && info.columns == 1
                   ? type
                   : PASS_FAIL(t, pass_first(t, pass_node(t, base)->next), "an offset must be a number or a vector");
    }
    return element(t, node, type, pass_info(t, index));
}

/* operators */

/* Returns the type to which both operands are converted, component by component; 0: there is none. */
static Base common(TypeInfo a, TypeInfo b)
{
    return a.base > b.base ? a.base : b.base;
}

/* Appends what to write if an operator does not take two types. */
static void advise(Typing *t, TypeIndex left, TypeIndex right, StrBuf *out)
{
    TypeInfo a = pass_info(t, left), b = pass_info(t, right), less = a.rows > b.rows ? b : a,
             more = a.rows > b.rows ? a : b;
    bool plain = pass_is_plain(a) && pass_is_plain(b);
    if (plain && (a.base == BASE_BOOL) != (b.base == BASE_BOOL)) {
        bool vector = (a.base == BASE_BOOL ? a : b).rows > 1;
        strbuf_add(out, vector ? "\nwrite all(...) or any(...) for a condition"
                               : "\na bool is a condition: write it alone, or int(...)");
    } else if (plain && (a.columns > 1 || b.columns > 1)) {
        strbuf_addf(out, "\na %s is multiplied by a vector or matrix of its size",
                    pass_name(t, a.columns > 1 ? left : right));
    } else if (plain && less.rows == 1) {
        bool real = is_real(more.base);
        strbuf_addf(out, "\nwrite .x after the %s for a component%s", pass_name(t, a.rows > b.rows ? left : right),
                    real ? ", or length(...)" : "");
    } else if (plain) {
        strbuf_addf(out, "\nwrite .%.*s after the %s", less.rows, "xyzw", pass_name(t, a.rows > b.rows ? left : right));
    } else if (a.base == BASE_STRUCTURE || b.base == BASE_STRUCTURE) {
        strbuf_add(out, "\nwrite a '.' and the name of a field after it");
    }
}

static TypeIndex mismatch(Typing *t, const Token *operator, TypeIndex a, TypeIndex b, const char *remedy)
{
    StrBuf advice = STRBUF_EMPTY;
    if (!*remedy) {
        advise(t, a, b, &advice);
    }
    message_add(t->messages, operator,
                "operator '%.*s' cannot be applied to %s and %s%s", operator->length, operator->text, pass_name(t, a),
                pass_name(t, b), *remedy ? remedy : strbuf_text(&advice));
    strbuf_free(&advice);
    return 0;
}

/* Returns the type of a product in which an operand is a matrix. */
static TypeIndex product(TypeInfo a, TypeInfo b)
{
    Base base = common(a, b);
    if (base < BASE_FLOAT) {
        return 0;
    }
    if (a.columns > 1 && b.columns > 1) {
        return a.columns == b.rows ? types_of(base, b.columns, a.rows) : 0;
    }
    return a.columns > 1 ? (a.columns == b.rows ? types_of(base, 1, a.rows) : 0)
                         : (a.rows == b.rows ? types_of(base, 1, b.columns) : 0);
}

static bool is_any(const Token *token, const char *marks)
{
    size_t length = (size_t)(token->length - (token->length > 1 && token->text[token->length - 1] == '='));
    return length == 1 && strchr(marks, *token->text);
}

/* Returns the type of an arithmetic operation, also of an assignment such as +=. */
static TypeIndex arithmetic(Typing *t, const Token *operator, TypeIndex left, TypeIndex right)
{
    TypeInfo a = pass_info(t, left), b = pass_info(t, right);
    bool whole = a.base <= BASE_UINT && b.base <= BASE_UINT, shift = *operator->text == '<' || * operator->text == '>';
    if (!pass_is_number(a) || !pass_is_number(b)) {
        return mismatch(t, operator, left, right, "");
    }
    if ((shift || is_any(operator, "%&|^")) && !whole) {
        return mismatch(t, operator, left, right,
                        is_any(operator, "%") ? "\nwrite mod(x, y)"
                        : is_any(operator, "^")
                            ? "\n^ is the exclusive or of whole numbers: write pow(x, y) for a power"
                            : "\nwrite int(...)");
    }
    if (shift) {
        return b.rows == 1 || b.rows == a.rows ? left : mismatch(t, operator, left, right, "");
    }
    Base base = common(a, b);
    bool matrix = a.columns > 1 || b.columns > 1;
    if (matrix && base < BASE_FLOAT) {
        base = BASE_FLOAT;
    }
    if (a.rows == 1 || b.rows == 1) {
        return a.rows == 1 ? types_of(base, b.columns, b.rows) : types_of(base, a.columns, a.rows);
    }
    if (matrix && is_any(operator, "*")) {
        TypeIndex type = product(a, b);
        return type ? type : mismatch(t, operator, left, right, "");
    }
    return a.rows == b.rows && a.columns == b.columns ? types_of(base, a.columns, a.rows)
                                                      : mismatch(t, operator, left, right, "");
}

/* Returns what to write instead of a bool that is an operand. */
static const char *bool_remedy(Typing *t, NodeIndex operation, NodeIndex operand)
{
    const Token *operator= node_token(t->tree, operation);
    bool binary = pass_node(t, operation)->kind == NODE_BINARY, compared = pass_node(t, operand)->kind == NODE_BINARY;
    bool both = true;
    for (NodeIndex i = pass_node(t, operation)->child; i; i = pass_node(t, i)->next) {
        both = both && pass_info(t, pass_node(t, i)->type).base == BASE_BOOL;
    }
    return both && is_any(operator, "&")               ? "\nwrite && between conditions"
           : both && is_any(operator, "|")             ? "\nwrite || between conditions"
           : both && is_any(operator, "^")             ? "\nwrite ^^ between conditions"
           : is_any(operator, "&|^") && compared       ? "\ncomparisons are computed first: write (a & b) == c"
           : pass_node(t, operand)->kind == NODE_UNARY ? "\n! is computed first: write !(a > b)"
           : binary && compared && strchr("<>", *operator->text) ? "\nwrite a < b && b < c"
                                                                 : "\nwrite float(...) or int(...)";
}

/* Adds an error at an operand that cannot be computed with. Returns whether there is one. */
static bool is_no_number(Typing *t, NodeIndex operation, NodeIndex node)
{
    TypeIndex type = pass_node(t, node)->type;
    TypeInfo info = pass_info(t, type);
    if (!type || pass_is_number(info) || pass_is_no_value(t, node)) {
        return type && !pass_is_number(info);
    }
    if (info.base == BASE_BOOL) {
        message_add(t->messages, pass_first(t, node), "a bool is not a number%s", bool_remedy(t, operation, node));
    } else {
        message_add(t->messages, pass_first(t, node), "%s is not a number\nwrite %s", pass_a(t, type),
                    info.base == BASE_ARRAY ? "an index: name[i]" : "a '.' and the name of a field after it");
    }
    return true;
}

/* Adds an error at the first operand that cannot be computed with. */
static bool has_no_number(Typing *t, NodeIndex node)
{
    for (NodeIndex i = pass_node(t, node)->child; i; i = pass_node(t, i)->next) {
        if (is_no_number(t, node, i)) {
            return true;
        }
    }
    return false;
}

static TypeIndex binary(Typing *t, NodeIndex node)
{
    const Token *operator= node_token(t->tree, node);
    NodeIndex first = pass_node(t, node)->child;
    TypeIndex left = pass_value(t, first), right = pass_value(t, pass_node(t, first)->next);
    if (!left || !right) {
        return 0;
    }
    TypeIndex type;
    bool equal = token_is(operator, "==") || token_is(operator, "!=");
    bool compares =
        equal || ((*operator->text == '<' || * operator->text == '>') && operator->text[1] != * operator->text);
    if (t->brook && (compares ? brook_compare(t, node, &type) : brook_arithmetic(t, node, &type))) {
        return type;
    }
    left = pass_node(t, first)->type;
    right = pass_node(t, pass_node(t, first)->next)->type;
    const Types *types = &t->tree->types;
    TypeInfo a = pass_info(t, left), b = pass_info(t, right);
    if (equal) {
        if (pass_is_no_value(t, first) || pass_is_no_value(t, pass_node(t, first)->next)) {
            return 0;
        }
        bool same = types_converts(types, left, right) || types_converts(types, right, left);
        return same ? pass_scalar(BASE_BOOL) : mismatch(t, operator, left, right, "");
    }
    if (has_no_number(t, node)) {
        return 0;
    }
    if (compares) {
        bool vectors = a.rows > 1 && b.rows > 1;
        return pass_is_number(a) && pass_is_number(b) && pass_is_scalar(a) && pass_is_scalar(b)
                   ? pass_scalar(BASE_BOOL)
                   : mismatch(t, operator, left, right,
                              !vectors                 ? ""
                              : *operator->text == '<' ? "\nwrite all(lessThan(a, b)) or any(lessThan(a, b))"
                                                       : "\nwrite all(greaterThan(a, b)) or any(greaterThan(a, b))");
    }
    return arithmetic(t, operator, left, right);
}

/* Checks that an operand of !, && and ? is a bool. */
static bool check_truth(Typing *t, NodeIndex node, const char *remedy)
{
    TypeIndex type = pass_node(t, node)->type;
    bool good = !type || type == pass_scalar(BASE_BOOL);
    if (!good && !pass_is_no_value(t, node)) {
        message_add(t->messages, pass_first(t, node), "expected a bool, got %s\nwrite %s", pass_name(t, type), remedy);
    }
    return good;
}

static TypeIndex logical(Typing *t, NodeIndex node)
{
    TypeIndex type, left = pass_value(t, pass_child(t, node, 0)), right = pass_value(t, pass_child(t, node, 1));
    if (t->brook && left && right && brook_logical(t, node, &type)) {
        return type;
    }
    const Token *operator= node_token(t->tree, node);
    const char *remedy = token_is(operator, "&&")   ? "(...) != 0, or & for the bits of ints"
                         : token_is(operator, "||") ? "(...) != 0, or | for the bits of ints"
                                                    : "(...) != 0, or ^ for the bits of ints";
    check_truth(t, pass_child(t, node, 0), remedy);
    check_truth(t, pass_child(t, node, 1), remedy);
    return pass_scalar(BASE_BOOL);
}

static TypeIndex unary(Typing *t, NodeIndex node)
{
    const Token *operator= node_token(t->tree, node);
    NodeIndex operand = pass_node(t, node)->child;
    TypeIndex type = pass_value(t, operand);
    if (token_is(operator, "!")) {
        if (type && t->brook && brook_negate(t, node, &type)) {
            return type;
        }
        bool good =
            check_truth(t, operand, "(...) == 0 for !(...), !(a > b) for a condition, or ~ for the bits of ints");
        return good ? pass_scalar(BASE_BOOL) : 0;
    }
    if (type && t->brook) {
        brook_sign(t, operand);
        type = pass_node(t, operand)->type;
    }
    TypeInfo info = pass_info(t, type);
    if (!type || is_no_number(t, node, operand)) {
        return 0;
    }
    return token_is(operator, "~") && info.base != BASE_INT && info.base != BASE_UINT
               ? PASS_FAIL(t, operator, "operator '~' cannot be applied to %s\nwrite ~int(...)", pass_name(t, type))
               : type;
}

static TypeIndex choice(Typing *t, NodeIndex node)
{
    TypeIndex type, test = pass_value(t, pass_child(t, node, 0));
    TypeIndex a = pass_value(t, pass_child(t, node, 1)), b = pass_value(t, pass_child(t, node, 2));
    const Types *types = &t->tree->types;
    if (t->brook && test && a && b && brook_choice(t, node, &type)) {
        return type;
    }
    check_truth(t, pass_child(t, node, 0), "(...) != 0");
    if (!a || !b) {
        return 0;
    }
    return types_converts(types, a, b) ? b
           : types_converts(types, b, a)
               ? a
               : PASS_FAIL(t, node_token(t->tree, node), "the two values must have one type, got %s and %s",
                           pass_name(t, a), pass_name(t, b));
}

/* assignments */

static TypeIndex assign(Typing *t, NodeIndex node)
{
    NodeIndex target = pass_node(t, node)->child;
    const Token *operator= node_token(t->tree, node);
    TypeIndex type = pass_value(t, target);
    if (node == t->condition && !t->brook && type && pass_info(t, type).base != BASE_BOOL) {
        return PASS_FAIL(t, operator, "an assignment is not a condition\nwrite == to compare");
    }
    TypeIndex value = pass_value(t, pass_node(t, target)->next);
    pass_target(t, target);
    type = pass_node(t, target)->type;
    if (type && value && t->brook) {
        if (brook_assign(t, node)) {
            return type;
        }
        value = pass_node(t, pass_node(t, target)->next)->type;
    }
    if (type && value && !token_is(operator, "=")) {
        value = has_no_number(t, node) ? 0 : arithmetic(t, operator, type, value);
    }
    NodeIndex right = pass_node(t, target)->next,
              root = pass_node(t, target)->kind == NODE_LOCAL ? pass_node(t, target)->target : 0;
    NodeIndex named = pass_node(t, target)->kind == NODE_INDEX ? pass_node(t, target)->child : 0;
    bool element = named && pass_node(t, named)->kind == NODE_PARAMETER_VALUE &&
                   (pass_node(t, pass_node(t, named)->target)->flags & FLAG_STREAM);
    if (element && type && value && !types_converts(&t->tree->types, value, type)) { /* v[i] of a stream of vectors */
        return single(t, pass_first(t, target), pass_node(t, named)->target, 1);
    }
    pass_fits(t, value, type, operator, right, root);
    return type;
}

static TypeIndex step(Typing *t, NodeIndex node)
{
    NodeIndex target = pass_node(t, node)->child;
    TypeIndex type = pass_value(t, target);
    pass_target(t, target);
    if (type && !pass_is_number(pass_info(t, type))) {
        return PASS_FAIL(t, node_token(t->tree, node), "%s cannot be stepped", pass_a(t, type));
    }
    return type;
}

/* expressions */

static TypeIndex comma(Typing *t, NodeIndex node)
{
    TypeIndex type = 0;
    for (NodeIndex i = pass_node(t, node)->child; i; i = pass_node(t, i)->next) {
        type = pass_value(t, i);
        TypeInfo info = pass_info(t, type);
        if (info.base == BASE_ARRAY && info.length == 0) {
            return PASS_FAIL(t, pass_first(t, i), "expected a value, got a stream of %s\nwrite an index: name[i]",
                             pass_name(t, info.element));
        }
    }
    return type;
}

/* Types the arguments of a call. Returns whether all of them have a type. */
static bool arguments(Typing *t, NodeIndex node)
{
    bool known = true;
    for (NodeIndex i = pass_node(t, node)->child; i; i = pass_node(t, i)->next) {
        known = (pass_node(t, i)->kind == NODE_TYPE || pass_value(t, i)) && known;
    }
    return known;
}

static TypeIndex converted(Typing *t, NodeIndex node)
{
    NodeIndex first = pass_node(t, node)->child;
    TypeIndex type = pass_declared(t, first), have = pass_value(t, pass_node(t, first)->next);
    return type && have ? pass_construct(t, type, pass_node(t, first)->next, node_token(t->tree, node)) : type;
}

static TypeIndex constructed(Typing *t, NodeIndex node)
{
    const Node *n = pass_node(t, node);
    bool typed = n->child && pass_node(t, n->child)->kind == NODE_TYPE, known = arguments(t, node);
    NodeIndex target = n->target, first = typed ? pass_node(t, n->child)->next : n->child;
    const Token *place = node_token(t->tree, node);
    TypeIndex type = typed ? pass_declared(t, n->child) : target ? pass_node(t, target)->type : types_word(place);
    return known && type ? pass_construct(t, type, first, place) : type;
}

static TypeIndex value(Typing *t, NodeIndex node)
{
    const Node *n = pass_node(t, node);
    switch (n->kind) {
    case NODE_NUMBER: return number(t, node);
    case NODE_TRUTH: return pass_scalar(BASE_BOOL);
    case NODE_LOCAL:
    case NODE_PARAMETER_VALUE:
    case NODE_CONSTANT_VALUE: return pass_node(t, n->target)->type;
    case NODE_MEMBER: return member(t, node);
    case NODE_INDEX: return indexed(t, node);
    case NODE_UNARY: return unary(t, node);
    case NODE_BINARY: return binary(t, node);
    case NODE_LOGICAL: return logical(t, node);
    case NODE_CHOICE: return choice(t, node);
    case NODE_PAREN: return pass_value(t, n->child);
    case NODE_COMMA: return comma(t, node);
    case NODE_ASSIGN: return assign(t, node);
    case NODE_STEP: return step(t, node);
    case NODE_CONVERT: return converted(t, node);
    case NODE_CONSTRUCT: return constructed(t, node);
    case NODE_CALL: return arguments(t, node) ? pass_call(t, node) : pass_node(t, n->target)->type;
    case NODE_BARRIER:
    case NODE_ATOMIC:
    case NODE_RANDOM:
    case NODE_BUILTIN: return arguments(t, node) ? pass_builtin(t, node) : 0;
    case NODE_QUERY: return arguments(t, node) ? pass_query(t, node) : 0;
    case NODE_SAMPLE: return arguments(t, node) ? pass_sample(t, node) : 0;
    case NODE_PUSH: return arguments(t, node) ? pass_push(t, node) : types_of(BASE_VOID, 1, 1);
    default: return 0;
    }
}

TypeIndex pass_value(Typing *t, NodeIndex node)
{
    TypeIndex type = value(t, node);
    pass_node(t, node)->type = type;
    return type;
}
