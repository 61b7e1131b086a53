/* Statements, and declarations of variables and structures. */
#include "kernel/tree/parse_private.h"

#include "kernel/text/foreign.h"

/* Returns the flag of the next token if it is a word before a type, otherwise 0. The words can be names, too. */
static uint32_t next_word(const Parse *p, uint32_t allowed)
{
    const Token *t = parse_peek(p);
    NodeWord row = node_word(0);
    for (int i = 1; row.word && !((row.flag & allowed) && token_is(t, row.word)); i++) {
        row = node_word(i);
    }
    bool maximum = row.word && row.flag == FLAG_PARAM(PARAM_VOUT) && token_is(t + 1, "[");
    bool modes = row.word && row.flag == FLAG_PARAM(PARAM_NEIGHBOR) && token_is(t + 1, "(");
    return maximum || modes || (row.word && t[1].kind == TOKEN_NAME) ? row.flag : 0;
}

uint32_t parse_words(Parse *p, uint32_t allowed)
{
    uint32_t flags = 0;
    for (uint32_t flag = next_word(p, allowed); flag; flag = next_word(p, allowed)) {
        flags |= flag;
        p->at++;
    }
    return flags;
}

bool parse_defines_structure(const Parse *p)
{
    const Token *t = parse_peek(p);
    return token_is(t, "struct") && (token_is(t + 1, "{") || (t[1].kind == TOKEN_NAME && token_is(t + 2, "{")));
}

bool parse_declares(const Parse *p)
{
    const Token *t = parse_peek(p);
    bool index = parse_variable(p, t) && token_is(t + 1, "[");
    if (t->kind != TOKEN_NAME || token_is(t, "indexof") || index) {
        return false;
    }
    if (token_is(t, "const") || parse_defines_structure(p)) {
        return true;
    }
    return !(parse_keyword(t) && !token_is(t, "struct")) && p->tokens[parse_after_type(p, p->at)].kind == TOKEN_NAME;
}

/* Parses an initial value: a value, or "{x, {y, z}}". */
static NodeIndex initial(Parse *p)
{
    if (!parse_is(p, "{")) {
        return parse_value(p);
    }
    uint32_t open = p->at;
    NodeIndex list = parse_leaf(p, NODE_LIST);
    Children children = parse_children(p, list);
    bool comma = false;
    do {
        comma = children.last && parse_is(p, "}");
        if (!parse_is(p, "}")) {
            node_append(&children, initial(p));
        }
    } while (!comma && parse_accept(p, ","));
    node_at(p->tree, list)->flags = comma ? FLAG_COMMA : 0;
    parse_close(p, open, "',' or '}' after the value");
    return list;
}

/* Adds an error at what follows a comma, and is not a variable. */
static void check_further(Parse *p)
{
    static const char *const marks[] = {",", ";", "=", NULL};
    const Token *t = parse_peek(p);
    uint32_t after = t->kind == TOKEN_NAME ? parse_after_type(p, p->at) : p->at;
    if (types_word(t) && t[1].kind == TOKEN_NAME) {
        message_add(p->messages, t, "expected a name, got the type '%.*s'\nwrite ';' before it, not ','", t->length,
                    t->text);
        p->ended = true;
    } else if (t->kind == TOKEN_NUMBER && !t->spaced && t[-2].kind == TOKEN_NUMBER) {
        parse_error(p, p->at - 1, "a number has a decimal point\nwrite %.*s.%.*s", t[-2].length, t[-2].text, t->length,
                    t->text);
    } else if (t->kind != TOKEN_NAME || parse_keyword(t) ||
               (!token_any(&p->tokens[after], marks) && !p->tokens[after].starts_line)) {
        parse_error(
            p, p->at,
            "expected the name of a further variable, got '%.*s'\neach variable has its own value: write float x = "
            "..., y = ...;",
            t->length, t->text);
    }
}

static NodeIndex variable(Parse *p)
{
    uint32_t name = parse_name(p, "a name");
    NodeIndex node = node_add(p->tree, NODE_VARIABLE, name);
    Children children = parse_children(p, node);
    parse_lengths(p, &children);
    if (parse_accept(p, "=")) {
        node_append(&children, initial(p));
        node_at(p->tree, node)->flags = FLAG_VALUE;
    }
    parse_declare_name(p, name); /* the initial value cannot use it */
    return node;
}

NodeIndex parse_variables(Parse *p, NodeKind kind, uint32_t flags)
{
    NodeIndex node = node_add(p->tree, kind, p->at);
    node_at(p->tree, node)->flags = flags;
    Children children = parse_children(p, node);
    bool structure = parse_defines_structure(p);
    NodeIndex type = structure ? parse_structure(p) : parse_type(p);
    node_append(&children, type);
    if (structure && kind == NODE_DECLARE) {
        node_at(p->tree, type)->flags |= FLAG_INNER;
    }
    if (structure && parse_is(p, ";")) {
        return node;
    }
    const Token *named = node_token(p->tree, type), *after = parse_peek(p);
    if (!structure && !types_word(named) && (token_is(after, "=") || token_is(after, ";"))) {
        parse_error(p, node_at(p->tree, type)->token, "'%.*s' has no type\nwrite the type before the name: float %.*s",
                    named->length, named->text, named->length, named->text);
        return node_add(p->tree, NODE_DAMAGED, p->at);
    }
    node_append(&children, variable(p));
    while (parse_accept(p, ",")) {
        check_further(p);
        if (p->ended) {
            break;
        }
        if (!p->damaged) {
            node_append(&children, variable(p));
        }
    }
    return node;
}

NodeIndex parse_declaration(Parse *p)
{
    uint32_t words = parse_words(p, FLAGS_LOCAL);
    return parse_variables(p, NODE_DECLARE, words);
}

/* structures */

void parse_fields(Parse *p, Children *children)
{
    uint32_t open = p->at, last = p->last;
    size_t variables = p->variables.count;
    if (!parse_accept(p, "{")) {
        parse_fail(p, "'{' and the fields");
        return;
    }
    p->last = p->closing[open];
    while (!p->damaged && !p->stopped && p->at < p->last) {
        if (parse_defines_structure(p)) {
            parse_error(p, p->at, "a structure cannot be defined inside of another one\ndefine it before");
        }
        NodeIndex field = parse_declaration(p);
        node_append(children, field);
        for (NodeIndex i = node_at(p->tree, field)->child; i; i = node_at(p->tree, i)->next) {
            if (node_at(p->tree, i)->flags & FLAG_VALUE) {
                message_add(p->messages, node_token(p->tree, i),
                            "a field has no initial value\ngive the values to the constructor: P(x, y)");
            }
        }
        if (parse_is(p, "(")) {
            parse_error(p, p->at, "a structure has no functions\nwrite float f(P p) { ... } after it");
        }
        parse_semicolon(p);
    }
    parse_close(p, open, "'}'");
    p->last = last;
    p->variables.count = variables;
}

NodeIndex parse_structure(Parse *p)
{
    p->at++;
    NodeIndex node = node_add(p->tree, NODE_STRUCTURE, p->at);
    Children children = parse_children(p, node);
    if (!parse_is(p, "{")) {
        node_at(p->tree, node)->token = parse_name(p, "a name for the structure");
    }
    parse_fields(p, &children);
    return node;
}

/* control */

static NodeIndex declaration_or_expression(Parse *p)
{
    return parse_declares(p) ? parse_declaration(p) : parse_expression(p);
}

/* Parses a condition, or the value of a `switch`, in parentheses. */
static NodeIndex condition(Parse *p)
{
    uint32_t open = p->at;
    if (!parse_accept(p, "(")) {
        return parse_fail(p, "'(' and a condition");
    }
    NodeIndex node = declaration_or_expression(p);
    parse_close(p, open, "')' after the condition");
    return node;
}

static NodeIndex branch(Parse *p)
{
    uint32_t token = p->at++;
    NodeIndex test = condition(p), chosen = parse_statement(p);
    return parse_node(p, NODE_IF, token, test, chosen, parse_accept(p, "else") ? parse_statement(p) : 0);
}

/* Parses a part of the head of a `for`, which may be missing, up to the mark after it. */
static NodeIndex part(Parse *p, const char *end, NodeIndex parse(Parse *p))
{
    return parse_is(p, end) ? node_add(p->tree, NODE_EMPTY, p->at) : parse(p);
}

/* Adds an error if the head of a `for` does not have two semicolons, and skips it. */
static bool check_head(Parse *p, uint32_t open)
{
    uint32_t comma = 0, close = token_is(&p->tokens[open], "(") ? p->closing[open] : 0;
    int semicolons = 0;
    for (uint32_t i = open + 1; i < close; i++) {
        semicolons += token_is(&p->tokens[i], ";");
        comma =
            !comma && (token_is(&p->tokens[i], ",") || token_is(&p->tokens[i], "in") || token_is(&p->tokens[i], ":"))
                ? i
                : comma;
        i = token_nesting(&p->tokens[i]) > 0 ? p->closing[i] : i;
    }
    if (close && semicolons != 2) {
        parse_error(p, comma ? comma : close,
                    "the head of this loop has %d ';', not 2\nwrite for (int i = 0; i < n; i++) { ... }", semicolons);
        parse_resume(p, close + 1);
        return false;
    }
    return true;
}

static NodeIndex for_loop(Parse *p)
{
    uint32_t token = p->at++, open = p->at;
    if (!p->damaged && !check_head(p, open)) {
        return parse_statement(p);
    }
    NodeIndex node = node_add(p->tree, NODE_FOR, token);
    Children children = parse_children(p, node);
    if (!parse_accept(p, "(")) {
        parse_fail(p, "'(', as in for (int i = 0; i < n; i++)");
        return node;
    }
    NodeIndex first = part(p, ";", declaration_or_expression);
    node_append(&children, first);
    parse_expect(p, ";", "';' after the first part of the loop");
    if (p->damaged && node_at(p->tree, first)->kind == NODE_DECLARE) { /* commas instead of semicolons */
        node_at(p->tree, node_at(p->tree, node_at(p->tree, first)->child)->next)->next = 0;
    }
    node_append(&children, part(p, ";", declaration_or_expression));
    parse_expect(p, ";", "';' after the condition of the loop");
    node_append(&children, part(p, ")", parse_expression));
    parse_close(p, open, "')' after the head of the loop");
    node_append(&children, parse_statement(p));
    return node;
}

static NodeIndex while_loop(Parse *p)
{
    uint32_t token = p->at++;
    NodeIndex test = condition(p);
    if (parse_is(p, "do") && token_is(parse_peek(p) + 1, "{") &&
        !token_is(&p->tokens[p->closing[p->at + 1] + 1], "while")) {
        parse_error(p, p->at, "'do' does not follow a condition\nwrite while (condition) { ... }");
    }
    return parse_node(p, NODE_WHILE, token, test, parse_statement(p), 0);
}

static NodeIndex do_loop(Parse *p)
{
    uint32_t token = p->at++;
    NodeIndex body = parse_statement(p);
    parse_expect(p, "while", "'while' after the body of the loop");
    NodeIndex node = parse_node(p, NODE_DO, token, body, condition(p), 0);
    parse_semicolon(p);
    return node;
}

static NodeIndex selection(Parse *p)
{
    uint32_t token = p->at++;
    NodeIndex value = condition(p);
    NodeIndex body = parse_is(p, "{") ? parse_statement(p) : parse_fail(p, "'{' and the cases");
    return parse_node(p, NODE_SWITCH, token, value, body, 0);
}

static NodeIndex label(Parse *p)
{
    bool value = parse_is(p, "case");
    uint32_t token = p->at++;
    NodeIndex node = parse_node(p, NODE_CASE, token, value ? parse_expression(p) : 0, 0, 0);
    parse_expect(p, ":", "':'");
    return node;
}

static NodeIndex leave(Parse *p)
{
    bool out = parse_is(p, "break");
    NodeIndex node = parse_leaf(p, out ? NODE_BREAK : NODE_CONTINUE);
    parse_semicolon(p);
    return node;
}

/* Adds an error if an expression has several values that are separated by commas, of which one has no effect. */
static void check_values(Parse *p, NodeIndex comma, bool returned)
{
    bool list = comma && node_at(p->tree, comma)->kind == NODE_COMMA;
    for (NodeIndex i = list ? node_at(p->tree, comma)->child : 0; i && !p->damaged; i = node_at(p->tree, i)->next) {
        uint32_t kind = node_at(p->tree, i)->kind;
        bool last = !node_at(p->tree, i)->next;
        if (!last && (kind == NODE_NAME || kind == NODE_MEMBER || kind == NODE_INDEX || kind == NODE_NUMBER)) {
            parse_error(p, node_at(p->tree, comma)->token,
                        returned ? "a function returns one value\nreturn a vector or a structure, or use out parameters"
                                 : "a statement assigns one variable\nwrite a = x; b = y;");
        }
    }
}

static NodeIndex result(Parse *p)
{
    uint32_t token = p->at++;
    NodeIndex value = parse_is(p, ";") || parse_is(p, "}") ? 0 : parse_expression(p);
    NodeIndex node = parse_node(p, NODE_RETURN, token, value, 0, 0);
    check_values(p, value, true);
    parse_semicolon(p);
    return node;
}

/* statements */

void parse_semicolon(Parse *p)
{
    bool ended = p->ended;
    p->ended = false;
    if (p->damaged || p->stopped || ended || parse_accept(p, ";")) {
        return;
    }
    const Token *t = parse_peek(p);
    if (token_is(t, "==")) {
        message_add(p->messages, t, "'==' compares two values\nwrite = to give a variable its value");
    } else {
        message_add_after(p->messages, t - 1, "expected ';', got '%.*s'%s", t->length, t->text, parse_remedy(p, true));
    }
    p->stopped = p->messages->count == MAX_MESSAGES;
    p->damaged = !t->starts_line && p->at < p->last;
}

NodeIndex parse_block(Parse *p)
{
    uint32_t open = p->at, last = p->last;
    size_t variables = p->variables.count;
    NodeIndex block = parse_leaf(p, NODE_BLOCK);
    Children children = parse_children(p, block);
    p->last = p->closing[open];
    while (!p->stopped && p->at < p->last) {
        node_append(&children, parse_statement(p));
    }
    parse_close(p, open, "'}'");
    p->last = last;
    p->variables.count = variables;
    return block;
}

/* Skips a word of another language before the type of a declaration, such as `extern`. */
static void skip_foreign(Parse *p)
{
    const Token *token = parse_peek(p);
    StrBuf hint = STRBUF_EMPTY;
    if (token->kind == TOKEN_NAME && !next_word(p, ~0u) && token[1].kind == TOKEN_NAME && foreign_word(&hint, token)) {
        message_add(p->messages, token, "expected a type, got '%.*s'%s", token->length, token->text,
                    strbuf_text(&hint));
        p->stopped = p->messages->count == MAX_MESSAGES;
        p->at++;
        while (foreign_word(&hint, parse_peek(p)) && !next_word(p, ~0u)) {
            p->at++;
        }
    }
    strbuf_free(&hint);
}

static NodeIndex simple(Parse *p)
{
    if (parse_is(p, ";")) {
        return parse_leaf(p, NODE_EMPTY);
    }
    skip_foreign(p);
    uint32_t token = p->at;
    if (types_word(parse_peek(p)) && token_is(parse_peek(p) + 1, "*")) {
        parse_error(p, p->at + 1, "kernel text has no pointers: a stream is read by its index, name[i]");
    }
    NodeIndex node = declaration_or_expression(p);
    uint32_t kind = node_at(p->tree, node)->kind;
    check_values(p, node, false);
    parse_semicolon(p);
    return kind == NODE_DECLARE || kind == NODE_ASSIGN || kind == NODE_STEP
               ? node
               : parse_node(p, NODE_EVALUATE, token, node, 0, 0);
}

static NodeIndex stray_else(Parse *p)
{
    parse_error(
        p, p->at,
        "there is no 'if' before this 'else'\nbraces enclose several statements: if (condition) { ... } else { ... }");
    return node_add(p->tree, NODE_DAMAGED, p->at);
}

static NodeIndex statement(Parse *p)
{
    static const struct {
        const char *word;
        NodeIndex (*parse)(Parse *p);
    } rows[] = {
        {"{", parse_block}, {"if", branch},        {"for", for_loop},  {"while", while_loop},
        {"do", do_loop},    {"switch", selection}, {"case", label},    {"default", label},
        {"break", leave},   {"continue", leave},   {"return", result}, {"else", stray_else},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (parse_is(p, rows[i].word)) {
            return rows[i].parse(p);
        }
    }
    return simple(p);
}

/* Resumes after the semicolon or block that ends a damaged statement. The declaration of a variable remains. */
static NodeIndex resume(Parse *p, NodeIndex node, uint32_t first)
{
    uint32_t i = p->at;
    while (i < p->last && !token_is(&p->tokens[i], ";") && !token_is(&p->tokens[i], "{")) {
        i++;
    }
    if (i < p->last) {
        i = token_is(&p->tokens[i], "{") ? p->closing[i] + 1 : i + 1;
    }
    parse_resume(p, i);
    return node_at(p->tree, node)->kind == NODE_DECLARE ? node : node_add(p->tree, NODE_DAMAGED, first);
}

NodeIndex parse_statement(Parse *p)
{
    uint32_t first = p->at;
    int depth = p->depth;
    bool loop = parse_is(p, "for") || parse_is(p, "while") || parse_is(p, "if") || parse_is(p, "switch");
    size_t variables = p->variables.count;
    NodeIndex node = parse_deeper(p) ? statement(p) : 0;
    if (p->damaged || p->stopped) {
        node = resume(p, node, first);
    }
    p->depth = depth;
    p->variables.count = loop ? variables : p->variables.count;
    return node;
}
