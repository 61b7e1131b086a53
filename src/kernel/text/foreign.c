#include "kernel/text/foreign.h"

#include <ctype.h>
#include <string.h>

/* syntax */

/* Classes of tokens, as bits. NONE: before the first and after the last token. */
enum {
    NONE = 1,
    NAME = 2,
    NUMBER = 4,
    WORD = 8, /* a word of GLSL that is not an operand, such as `else` */
    OPEN = 16,
    CLOSE = 32,
    BEGIN = 64,
    END = 128,
    SEMICOLON = 256,
    SIGN = 512,
    OTHER = 1024,
    TYPE = 2048,                                /* a NAME that is a type */
    LOOP = 4096,                                /* the CLOSE of `while (...)` */
    HEAD = 8192,                                /* any token within `for (...)` */
    OPERAND = NAME | NUMBER | CLOSE,            /* the last token of an operand */
    VALUE = NAME | NUMBER | OPEN | SIGN,        /* the first token of an operand */
    STATEMENT = NONE | BEGIN | END | SEMICOLON, /* the token before a statement */
    ANY = 16383
};

/* Syntax of other languages: a name, or two characters without white space between them, and the classes of the tokens
 * before and after it. No valid text contains a row, unless it defines a type of that name. */
#define ERROR_TEXT(text) text
static const struct {
    const char *text;
    int before, after;
    const char *message;
} rows[] = {
    {"and", OPERAND, VALUE,
     ERROR_TEXT("'and' is not an operator of GLSL: write &&, or condition ? x : y to choose a value")},
    {"or", OPERAND, VALUE,
     ERROR_TEXT("'or' is not an operator of GLSL: write ||, or condition ? x : y to choose a value")},
    {"not", ANY, NAME | NUMBER, ERROR_TEXT("'not' is not an operator of GLSL: write !")},
    {"~=", ANY, ANY, ERROR_TEXT("'~=' is not an operator of GLSL: write !=")},
    {"**", OPERAND, ANY, ERROR_TEXT("'**' is not an operator of GLSL: write pow(x, y)")},
    {"..", OPERAND, VALUE, ERROR_TEXT("'..' is not an operator of GLSL, which has no strings")},
    {"--", STATEMENT, NONE | NAME, ERROR_TEXT("'--' subtracts 1 from a variable: write // before a comment")},
    {"--", NAME | NUMBER, NAME | NUMBER | OPEN,
     ERROR_TEXT("'--' subtracts 1 from a variable: write // before a comment")},
    {"--[", ANY, ANY, ERROR_TEXT("'--[[' does not begin a comment: write /* before a comment and */ after it")},
    {"=>", ANY, ANY, ERROR_TEXT("'=>' is not an operator of GLSL: write >=")},
    {"=<", ANY, ANY, ERROR_TEXT("'=<' is not an operator of GLSL: write <=")},
    {"===", ANY, ANY, ERROR_TEXT("'===' is not an operator of GLSL: write ==")},
    {"!==", ANY, ANY, ERROR_TEXT("'!==' is not an operator of GLSL: write !=")},
    {"~", OPERAND, VALUE, ERROR_TEXT("'~' takes one operand: write ^ for the exclusive or")},
    {":=", ANY, ANY, ERROR_TEXT("':=' is not an operator of GLSL: write =")},
    {"::", NAME, NAME, ERROR_TEXT("names of GLSL have no prefix: write sin(x) for std::sin(x)")},
    {"<>", OPERAND, NUMBER, ERROR_TEXT("'<>' is not an operator of GLSL: write !=")},
    {">>>", ANY, ANY,
     ERROR_TEXT("'>>>' is not an operator of GLSL: write >>, which shifts in zeros if its left operand is a uint")},
    {"'", NUMBER, ANY, ERROR_TEXT("a number has no separators: write 1000000 for 1'000'000")},
    {"_", NUMBER, ANY, ERROR_TEXT("a number has no separators: write 1000000 for 1_000_000")},
    {"local", STATEMENT | OPEN, TYPE,
     ERROR_TEXT("'local' is not a word of GLSL: remove it; a variable of a group is 'shared'")},
    {"local", STATEMENT | OPEN, NAME,
     ERROR_TEXT("'local' is not a word of GLSL: write the type of the variable, float name = ...;")},
    {"let", STATEMENT | OPEN, NAME,
     ERROR_TEXT("'let' is not a word of GLSL: write the type of the variable, float name = ...;")},
    {"var", STATEMENT | OPEN, NAME,
     ERROR_TEXT("'var' is not a word of GLSL: write the type of the variable, float name = ...;")},
    {"auto", STATEMENT | OPEN, NAME,
     ERROR_TEXT("'auto' is not a word of GLSL: write the type of the variable, float name = ...;")},
    {"auto", HEAD, OTHER, ERROR_TEXT("a loop is written for (int i = 0; i < n; i++) { ... }")},
    {"if", NAME | NUMBER, NAME | NUMBER | SIGN,
     ERROR_TEXT("a value is chosen by an operator: write condition ? x : y")},
    {"if", ANY, NAME | NUMBER | SIGN,
     ERROR_TEXT("a condition has parentheses and braces: write if (condition) { ... }")},
    {"then", OPERAND, NAME | WORD | BEGIN, ERROR_TEXT("'then' is not a word of GLSL: write if (condition) { ... }")},
    {"elseif", END | SEMICOLON, VALUE, ERROR_TEXT("'elseif' is not a word of GLSL: write else if (condition) { ... }")},
    {"elif", END | SEMICOLON, VALUE, ERROR_TEXT("'elif' is not a word of GLSL: write else if (condition) { ... }")},
    {"for", ANY, NAME, ERROR_TEXT("a loop is written for (int i = 0; i < n; i++) { ... }")},
    {"while", ANY, NAME | NUMBER | SIGN, ERROR_TEXT("a loop is written while (condition) { ... }")},
    {"do", LOOP, BEGIN, ERROR_TEXT("a loop is written while (condition) { ... }")},
    {"in", HEAD, ANY, ERROR_TEXT("a loop is written for (int i = 0; i < n; i++) { ... }")},
    {"repeat", STATEMENT, NAME | WORD | BEGIN, ERROR_TEXT("a loop is written do { ... } while (condition);")},
    {"function", ANY, NAME, ERROR_TEXT("a function begins with the type of its result: float f(float x) { ... }")},
    {"def", STATEMENT, NAME, ERROR_TEXT("a function begins with the type of its result: float f(float x) { ... }")},
    {"end", END | SEMICOLON | NAME, NONE | NAME | WORD | END,
     ERROR_TEXT("'end' is not a word of GLSL: a block is written { ... }")},
    {"class", STATEMENT, NAME, ERROR_TEXT("kernel text has no classes: write struct Name { float x; };")},
    {"enum", STATEMENT, NAME | BEGIN | WORD, ERROR_TEXT("kernel text has no enum: write const int A = 0;")},
    {"namespace", STATEMENT, NAME | BEGIN, ERROR_TEXT("kernel text has no namespaces: write names without a prefix")},
    {"using", STATEMENT, WORD, ERROR_TEXT("kernel text has no namespaces: write names without a prefix")},
    {"using", STATEMENT, NAME, ERROR_TEXT("another name of a type is written #define real float")},
    {"typedef", STATEMENT, NAME,
     ERROR_TEXT("'struct' follows typedef: another name of a type is written #define real float")},
    {"template", STATEMENT, OTHER, ERROR_TEXT("kernel text has no templates: write a function for each type")},
    {"new", ANY, NAME, ERROR_TEXT("kernel text has no 'new': write Name(...)")},
    {"static_cast", ANY, OTHER, ERROR_TEXT("a conversion is written as a call: float(x)")},
    {"reinterpret_cast", ANY, OTHER, ERROR_TEXT("the bits of a value are read by a function: floatBitsToUint(x)")},
    {"as_type", ANY, OTHER, ERROR_TEXT("the bits of a value are read by a function: floatBitsToUint(x)")},
};

/* Two words of other languages. */
static const struct {
    const char *first, *second, *message;
} pairs[] = {
    {"unsigned", "char", ERROR_TEXT("integers have 32 bits: write 'uint'")},
    {"unsigned", "short", ERROR_TEXT("integers have 32 bits: write 'uint'")},
    {"unsigned", "long", ERROR_TEXT("integers have 32 bits: write 'uint'")},
    {"signed", "char", ERROR_TEXT("integers have 32 bits: write 'int'")},
    {"long", "long", ERROR_TEXT("integers have 32 bits: write 'int'")},
    {"long", "int", ERROR_TEXT("integers have 32 bits: write 'int'")},
    {"if", "constexpr", ERROR_TEXT("a condition is written if (condition) { ... }")},
};

static bool is_type(const Token *t)
{
    static const char *const types[] = {"void", "bool", "int",    "uint",   "half",   "float", "double", "vec2",
                                        "vec3", "vec4", "float2", "float3", "float4", "int2",  "uchar",  NULL};
    return token_any(t, types);
}

static int class_of(const Token *t)
{
    static const char *const words[] = {"return", "else",  "do",     "case",     "in",        "const", "if",
                                        "for",    "while", "struct", "function", "namespace", NULL};
    static const char marks[] = "([)]{};-+!~";
    static const int classes[] = {OPEN, OPEN, CLOSE, CLOSE, BEGIN, END, SEMICOLON, SIGN, SIGN, SIGN, SIGN};
    if (t->kind == TOKEN_NAME) {
        return token_any(t, words) ? WORD : is_type(t) ? NAME | TYPE : NAME;
    }
    const char *mark = t->kind == TOKEN_MARK && t->length == 1 ? strchr(marks, *t->text) : NULL;
    return t->kind == TOKEN_END ? NONE : t->kind == TOKEN_NUMBER ? NUMBER : mark ? classes[mark - marks] : OTHER;
}

/* Returns whether a text closes a bracket that it does not open. */
static bool closes_bracket(const char *first, const char *last)
{
    int depth = 0;
    for (const char *p = first; p < last && depth >= 0; p++) {
        depth += (*p == '(') - (*p == ')');
    }
    return depth < 0;
}

/* Returns the message about a comment that was meant as a quotient of Lua or Python; NULL if it is a comment. */
static const char *quotient(const Token *before, const char *at, const char *end)
{
    const char *first = at + 2, *last = end;
    while (first < end && (*first == ' ' || *first == '\t')) {
        first++;
    }
    while (last > first && isspace((unsigned char)last[-1])) {
        last--;
    }
    bool operand = first < last && (isalnum((unsigned char)*first) || *first == '(');
    bool statement = operand && (last[-1] == ';' || last[-1] == '}') && !memchr(first, '=', (size_t)(last - first));
    bool inner = operand && closes_bracket(first, last) && strchr("{};)", last[-1]);
    bool number = operand && isdigit((unsigned char)*first) && class_of(before) != CLOSE;
    for (const char *p = first; p < last; p++) {
        number = number && (isalnum((unsigned char)*p) || *p == '.');
    }
    return (class_of(before) & OPERAND) && (statement || number || inner)
               ? ERROR_TEXT("'//' begins a comment: write floor(x / y) for floats, or x / y for ints, which truncates")
               : NULL;
}

/* Returns the length of the white space, comment or directive at a position; 0 for a token. */
static size_t blank_length(const char *at, bool starts_line)
{
    const char *close;
    if (isspace((unsigned char)*at)) {
        return 1;
    }
    if ((at[0] == '/' && at[1] == '/') || (*at == '#' && starts_line)) {
        return strcspn(at, "\n");
    }
    if (at[0] == '/' && at[1] == '*') {
        close = strstr(at + 2, "*/");
        return close ? (size_t)(close + 2 - at) : strlen(at);
    }
    return 0;
}

/* Returns the length of a mark, also if other languages have it. */
static int mark_length(const Token *token)
{
    static const char *const marks[] = {"--[", ">>>", "===", "!==", "=>", "=<", "**", "~=", "..", ":=", "::", "<>"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (strncmp(token->text, marks[i], strlen(marks[i])) == 0) {
            return (int)strlen(marks[i]);
        }
    }
    return token->length;
}

/* Reads the next token. *message becomes the message if a comment before it is a quotient. */
static Token next_token(const SourceText *source, const Token *before, const char **message)
{
    const char *at = before->text + before->length, *end = source->text + source->length;
    bool starts_line = before->length == 0, same_line = true;
    Token token = {.kind = TOKEN_END, .text = end};
    for (size_t n; *at && (n = blank_length(at, starts_line)) > 0; at += n) {
        token.spaced = true;
        starts_line = starts_line || *at == '\n';
        same_line = same_line && *at != '\n';
        if (at[0] == '/' && at[1] == '/' && same_line && !*message) {
            *message = quotient(before, at, at + n);
            token.offset = (size_t)(at - source->text);
        }
    }
    if (*at && !*message) {
        token.text = at;
        token.offset = (size_t)(at - source->text);
        token_scan(&token, end);
        token.starts_line = starts_line;
        token.length = token.kind == TOKEN_MARK ? mark_length(&token) : token.length;
    }
    return token;
}

/* Returns whether `--` before a name begins a comment of Lua, and not a statement such as `--n;` or `--a[i];`. */
static bool is_comment(const SourceText *source, const Token *name)
{
    static const char *const more[] = {";", "[", ".", ",", ")", NULL};
    const char *ignored = NULL;
    Token next = name->kind == TOKEN_END ? *name : next_token(source, name, &ignored);
    return !token_any(&next, more);
}

/* Returns whether some tokens follow another one. "": a name. The list ends in NULL. */
static bool followed(const SourceText *source, const Token *before, const char *const *tokens)
{
    const char *ignored = NULL;
    Token token = *before;
    for (; *tokens; tokens++) {
        token = token.kind == TOKEN_END ? token : next_token(source, &token, &ignored);
        if (**tokens ? !token_is(&token, *tokens) : token.kind != TOKEN_NAME) {
            return false;
        }
    }
    return true;
}

/* Returns the message about a declaration or a value that begins at a name or at `[`; NULL: none. */
static const char *value_message(const SourceText *source, const Token *before, const Token *token, const Token *after)
{
    static const char *const words[] = {"local", "auto", "let", "var", "struct", NULL};
    static const char *const table[] = {"=", "{", "", "=", NULL}, *const structure[] = {"=", "{", NULL};
    static const char *const lambda[] = {"=", "[", NULL}, *const captures[] = {"]", "&", "=", NULL};
    bool operand = (class_of(before) & (OPEN | OTHER)) || token_is(before, "return");
    bool list = token_is(token, "[") && operand && !token_is(before, ">") && !token_is(before, "<>");
    const Token *name = token_any(token, words) ? after : token;
    bool named = name->kind == TOKEN_NAME && !list, brackets = named && followed(source, name, lambda);
    Token third = list ? *after : *name;
    for (int i = 0; i < 3 && brackets; i++) { /* name = [ third */
        const char *ignored = NULL;
        third = next_token(source, &third, &ignored);
    }
    if ((list || brackets) && token_any(&third, captures)) {
        return ERROR_TEXT("kernel text has no functions inside of functions: write a function before the kernel");
    }
    if (named && token_is(token, "struct") && followed(source, name, structure)) {
        return ERROR_TEXT("a structure is declared without =: struct P { float x; };");
    }
    if (named && followed(source, name, table)) {
        return ERROR_TEXT("the fields of a value have no names: declare struct P { float x; }; and write P(1.0)");
    }
    return list || ((class_of(token) & NAME) && operand && token_is(after, "{"))
               ? ERROR_TEXT("a value is written with parentheses: vec2(x, y), Name(...)")
               : NULL;
}

/* Returns whether `while` follows the block that begins at a token. */
static bool ends_in_while(const SourceText *source, const Token *open)
{
    const char *ignored = NULL;
    Token token = *open;
    for (int depth = token_nesting(&token); depth > 0 && token.kind != TOKEN_END; depth += token_nesting(&token)) {
        token = next_token(source, &token, &ignored);
    }
    token = token.kind == TOKEN_END ? token : next_token(source, &token, &ignored);
    return token_is(&token, "while");
}

/* Parentheses of loops before a token. */
typedef struct Loops {
    int depth;   /* of all parentheses */
    int head;    /* depth outside of those of a loop; -1: in no loop's */
    bool repeat; /* the loop is a `while` */
    bool closed; /* the last token closes the parentheses of a `while` */
} Loops;

static void count_loops(Loops *loops, const Token *token, const Token *after)
{
    loops->depth += token_is(token, "(") - token_is(token, ")");
    loops->closed = token_is(token, ")") && loops->depth == loops->head && loops->repeat;
    if (token_is(after, "(") && (token_is(token, "for") || token_is(token, "while"))) {
        loops->head = loops->depth;
        loops->repeat = token_is(token, "while");
    } else if (token_is(token, ")") && loops->depth == loops->head) {
        loops->head = -1;
    }
}

/* Returns the class of the token before another one. */
static int class_before(const Token *before, const Token *token, const Loops *loops)
{
    int line = token_is(token, "if") && token->starts_line ? NONE : class_of(before);
    return line | (loops->closed ? LOOP : 0) | (loops->head >= 0 && !loops->repeat ? HEAD : 0);
}

static const char *message_of(const SourceText *source, const Token *before, const Token *token, const Token *after,
                              const Loops *loops)
{
    if ((token_is(token, "--") && !is_comment(source, after)) ||
        (token_is(token, "do") && ends_in_while(source, after))) {
        return NULL;
    }
    const char *value = value_message(source, before, token, after);
    if (value) {
        return value;
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (token_is(token, pairs[i].first) && token_is(after, pairs[i].second)) {
            return pairs[i].message;
        }
    }
    Token name = *token;
    name.length = class_of(before) == NUMBER && *token->text == '_' && !token->spaced ? 1 : name.length; /* 1_000 */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (token_is(&name, rows[i].text) && (class_before(before, token, loops) & rows[i].before) &&
            (class_of(after) & rows[i].after) && !is_type(before)) {
            return rows[i].message;
        }
    }
    return NULL;
}

const char *foreign_syntax(const SourceText *source, size_t *offset)
{
    const char *message = NULL, *comment = NULL;
    Token before = {.kind = TOKEN_END, .text = source->text}, token = next_token(source, &before, &comment);
    Loops loops = {.head = -1};
    while (token.kind != TOKEN_END) {
        const Token after = next_token(source, &token, &comment);
        message = message_of(source, &before, &token, &after, &loops);
        if (message || comment) {
            bool value = class_of(&token) == NAME && !token_is(&token, "repeat");
            bool brace = value && token_is(&after, "{"); /* vec2{x, y} */
            bool inner =
                message && (brace || token_is(&token, "for") || token_is(&token, "typedef")); /* words of GLSL */
            *offset = message && !inner ? token.offset : after.offset;
            return message ? message : comment;
        }
        count_loops(&loops, &token, &after);
        before = token;
        token = after;
    }
    return NULL;
}
