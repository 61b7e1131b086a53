#include "kernel/text/foreign.h"

#include "kernel/text/names.h"

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
    OPERAND = NAME | NUMBER | CLOSE,            /* the last token of an operand */
    VALUE = NAME | NUMBER | OPEN | SIGN,        /* the first token of an operand */
    STATEMENT = NONE | BEGIN | END | SEMICOLON, /* the token before a statement */
    ANY = 2047
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
    {"or", OPERAND, VALUE, ERROR_TEXT("'or' is not an operator of GLSL: write ||")},
    {"not", ANY, NAME | NUMBER, ERROR_TEXT("'not' is not an operator of GLSL: write !")},
    {"~=", ANY, ANY, ERROR_TEXT("'~=' is not an operator of GLSL: write !=")},
    {"**", OPERAND, ANY, ERROR_TEXT("'**' is not an operator of GLSL: write pow(x, y)")},
    {"..", OPERAND, VALUE, ERROR_TEXT("'..' is not an operator of GLSL, which has no strings")},
    {"--", STATEMENT, NONE | NAME, ERROR_TEXT("'--' subtracts 1 from a variable: write // before a comment")},
    {"--", NAME | NUMBER, NAME | NUMBER | OPEN,
     ERROR_TEXT("'--' subtracts 1 from a variable: write // before a comment")},
    {"local", STATEMENT | OPEN, NAME,
     ERROR_TEXT("'local' is not a word of GLSL: write the type of the variable, float name = ...;")},
    {"let", STATEMENT | OPEN, NAME,
     ERROR_TEXT("'let' is not a word of GLSL: write the type of the variable, float name = ...;")},
    {"var", STATEMENT | OPEN, NAME,
     ERROR_TEXT("'var' is not a word of GLSL: write the type of the variable, float name = ...;")},
    {"auto", STATEMENT | OPEN, NAME,
     ERROR_TEXT("'auto' is not a word of GLSL: write the type of the variable, float name = ...;")},
    {"if", NAME | NUMBER, NAME | NUMBER | SIGN,
     ERROR_TEXT("a value is chosen by an operator: write condition ? x : y")},
    {"if", ANY, NAME | NUMBER | SIGN,
     ERROR_TEXT("a condition has parentheses and braces: write if (condition) { ... }")},
    {"then", OPERAND, NAME | WORD | BEGIN, ERROR_TEXT("'then' is not a word of GLSL: write if (condition) { ... }")},
    {"elseif", END | SEMICOLON, VALUE, ERROR_TEXT("'elseif' is not a word of GLSL: write else if (condition) { ... }")},
    {"elif", END | SEMICOLON, VALUE, ERROR_TEXT("'elif' is not a word of GLSL: write else if (condition) { ... }")},
    {"for", ANY, NAME, ERROR_TEXT("a loop is written for (int i = 0; i < n; i++) { ... }")},
    {"while", ANY, NAME | NUMBER | SIGN, ERROR_TEXT("a loop is written while (condition) { ... }")},
    {"repeat", STATEMENT, NAME | WORD, ERROR_TEXT("a loop is written do { ... } while (condition);")},
    {"function", ANY, NAME, ERROR_TEXT("a function begins with the type of its result: float f(float x) { ... }")},
    {"def", STATEMENT, NAME, ERROR_TEXT("a function begins with the type of its result: float f(float x) { ... }")},
    {"end", END | SEMICOLON | NAME, NONE | NAME | WORD | END,
     ERROR_TEXT("'end' is not a word of GLSL: a block is written { ... }")},
};

static int class_of(const Token *t)
{
    static const char *const words[] = {"return", "else", "do", "case", "in", "const", "if", "for", "while", NULL};
    static const char marks[] = "([)]{};-+!~";
    static const int classes[] = {OPEN, OPEN, CLOSE, CLOSE, BEGIN, END, SEMICOLON, SIGN, SIGN, SIGN, SIGN};
    if (t->kind == TOKEN_NAME) {
        return token_any(t, words) ? WORD : NAME;
    }
    const char *mark = t->kind == TOKEN_MARK && t->length == 1 ? strchr(marks, *t->text) : NULL;
    return t->kind == TOKEN_END ? NONE : t->kind == TOKEN_NUMBER ? NUMBER : mark ? classes[mark - marks] : OTHER;
}

static bool is_type(const Token *t)
{
    static const char *const types[] = {"void",   "bool", "int",  "uint", "half", "float",
                                        "double", "vec2", "vec3", "vec4", NULL};
    return token_any(t, types);
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
    bool number = operand && isdigit((unsigned char)*first) && class_of(before) != CLOSE;
    for (const char *p = first; p < last; p++) {
        number = number && (isalnum((unsigned char)*p) || *p == '.');
    }
    return (class_of(before) & OPERAND) && (statement || number)
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
        bool two = (at[0] == '*' && at[1] == '*') || (at[0] == '~' && at[1] == '=') || (at[0] == '.' && at[1] == '.');
        token.length = two && token.kind == TOKEN_MARK ? 2 : token.length;
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

static const char *message_of(const SourceText *source, const Token *before, const Token *token, const Token *after)
{
    if (token_is(token, "--") && !is_comment(source, after)) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (token_is(token, rows[i].text) && (class_of(before) & rows[i].before) && (class_of(after) & rows[i].after) &&
            !is_type(before)) {
            return rows[i].message;
        }
    }
    return NULL;
}

const char *foreign_syntax(const SourceText *source, size_t *offset)
{
    const char *message = NULL, *comment = NULL;
    Token before = {.kind = TOKEN_END, .text = source->text}, token = next_token(source, &before, &comment);
    while (token.kind != TOKEN_END) {
        const Token after = next_token(source, &token, &comment);
        message = message_of(source, &before, &token, &after);
        if (message || comment) {
            bool loop = message && token_is(&token, "for"); /* the word itself is one of GLSL */
            *offset = message && !loop ? token.offset : after.offset;
            return message ? message : comment;
        }
        before = token;
        token = after;
    }
    return NULL;
}

/* names */

typedef struct Hint {
    const char *name, *hint;
} Hint;

/* Words of CUDA, OpenCL, Metal and Lua. */
static const Hint word_hints[] = {
    {"gather", "write 'float x[]' to read any element of a stream"},
    {"scatter", "write 'inout float x[]' to write any element of a stream"},
    {"stream", "write 'float x<>' for the elements of a stream"},
    {"input", "write 'float x<>' for the elements of a stream"},
    {"output", "did you mean 'out'?"},
    {"__global__", "write 'kernel void' before the name of a kernel"},
    {"__kernel", "write 'kernel void' before the name of a kernel"},
    {"function", "write 'kernel void' before the name of a kernel"},
    {"def", "write 'kernel void' before the name of a kernel"},
    {"__device__", "write the type of the function's result first"},
    {"__global", "write 'float x[]' to read any element of a stream"},
    {"__shared__", "write 'shared float s[64];' in the body of a group kernel"},
    {"extern", "write 'shared float s[64];' in the body of a group kernel"},
    {"__constant__", "write 'const'"},
    {"sampler2D", "write 'vec4 image[][]', and sample(image, p) for an interpolated element"},
    {"sampler3D", "write 'vec4 image[][][]', and sample(image, p) for an interpolated element"},
    {"image2D", "write 'vec4 image[][]' to read any element, 'inout vec4 image[][]' to write"},
    {"layout", "a group size is written kernel(64) void f(...), a buffer is a parameter: 'float x[]'"},
    {"precision", "remove it: floats have 32 bits"},
    {"uniform", "a value for the whole launch is a parameter: 'float x'"},
    {"in", "an input is a parameter: 'float x<>'"},
    {"out", "an output is a parameter: 'out float r<>'"},
    {"inout", "a stream that is changed is a parameter: 'inout float r<>'"},
    {"shared", "shared variables are declared in the body of a group kernel"},
    {"goto", "there is no goto: write loops and conditions"},
};

static const Hint value_hints[] = {
    {"nil", "numbers always have a value: use a number such as 0.0 as a mark"},
    {"None", "numbers always have a value: use a number such as 0.0 as a mark"},
    {"NULL", "numbers always have a value: use a number such as 0.0 as a mark"},
    {"True", "write true"},
    {"False", "write false"},
    {"math", "functions of GLSL have no prefix: write sin(x)"},
    {"np", "functions of GLSL have no prefix: write sin(x)"},
    {"numpy", "functions of GLSL have no prefix: write sin(x)"},
    {"std", "functions of GLSL have no prefix: write sin(x)"},
    {"rill", "functions of GLSL have no prefix: write sin(x)"},
    {"pi", "write 3.14159265"},
    {"PI", "write 3.14159265"},
    {"M_PI", "write 3.14159265"},
    {"threadIdx", "write indexof(name).x for the index of the element, or localid() in a group kernel"},
    {"blockIdx", "write indexof(name).x for the index of the element, or groupid() in a group kernel"},
    {"blockDim", "write sizeof_stream(name).x for the number of elements, or the size of the group in a group kernel"},
    {"gridDim", "write sizeof_stream(name).x for the number of elements"},
    {"warpSize", "write subgroupsize()"},
    {"INFINITY", "write 1.0 / 0.0"},
    {"huge", "write 1.0 / 0.0"},
    {"inf", "write 1.0 / 0.0"},
    {"NAN", "write 0.0 / 0.0"},
    {"nan", "write 0.0 / 0.0"},
    {"FLT_MAX", "write 3.40282347e38"},
    {"FLT_EPSILON", "write 1.1920929e-7"},
    {"INT_MAX", "write 2147483647"},
    {"discard", "write return to leave the function; outputs keep the values that they have"},
    {"gl_FragColor", "an output is a parameter to which the kernel assigns: 'out vec4 color<>'"},
};

/* What to write instead of the call of a function that other languages have. */
static const Hint call_hints[] = {
    {"texture", "write sample(name, p), where p counts elements"},
    {"texture2D", "write sample(name, p), where p counts elements"},
    {"textureLod", "write sample(name, p, level), where p counts elements"},
    {"tex1D", "write sample(name, x), where x counts elements"},
    {"tex2D", "write sample(name, vec2(x, y)), where x and y count elements"},
    {"texelFetch", "write an index: name[p]"},
    {"imageLoad", "write an index: name[p]"},
    {"imageStore", "assign to an output, or to an element of an 'inout vec4 name[][]'"},
    {"textureSize", "write sizeof_stream(name)"},
    {"imageSize", "write sizeof_stream(name)"},
    {"dFdx", "read neighbors: 'neighbor float x<>', x[1] - x[0]"},
    {"dFdy", "read neighbors: 'neighbor float x<>', x[1][0] - x[0][0]"},
    {"fwidth", "read neighbors: 'neighbor float x<>', x[1] - x[0]"},
    {"__syncthreads", "write barrier()"},
    {"__syncwarp", "write subgroupBarrier()"},
    {"atomicCAS", "write atomicCompSwap(x, compare, value)"},
    {"atomicExch", "write atomicExchange(x, value)"},
    {"atomicSub", "write atomicAdd(x, -value)"},
    {"__shfl_sync", "write subgroupShuffle(x, lane)"},
    {"__shfl_down_sync", "write subgroupShuffleDown(x, n)"},
    {"__shfl_up_sync", "write subgroupShuffleUp(x, n)"},
    {"__shfl_xor_sync", "write subgroupShuffleXor(x, mask)"},
    {"__ballot_sync", "write subgroupBallot(condition)"},
    {"print", "store the value in an output, and print the stream"},
    {"printf", "store the value in an output, and print the stream"},
    {"assert", "store the condition in an output, and check the stream"},
    {"sizeof", "sizeof_stream(name).x is the number of elements of a stream"},
    {"random", "make the numbers with rill.random, and pass the stream"},
    {"rand", "make the numbers with rill.random, and pass the stream"},
};

static const Hint function_hints[] = {
    {"fabs", "abs"},    {"fmin", "min"},    {"fmax", "max"},     {"arctan2", "atan2"},
    {"arcsin", "asin"}, {"arccos", "acos"}, {"arctan", "atan"},  {"power", "pow"},
    {"rint", "round"},  {"clip", "clamp"},  {"maximum", "max"},  {"minimum", "min"},
    {"ln", "log"},      {"iif", "mix"},     {"absolute", "abs"}, {"tonumber", "float"},
};

static const char *hint_of(const Hint *hints, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(hints[i].name, name) == 0) {
            return hints[i].hint;
        }
    }
    return NULL;
}
#define HINT_OF(hints, name) hint_of(hints, sizeof(hints) / sizeof *(hints), name)

Nearest foreign_nearest(const Token *name)
{
    Nearest n = {.distance = name->length > 4 ? 3 : 2};
    for (int i = 0; i < name->length && i < MAX_NAME; i++) {
        n.name[i] = (char)tolower((unsigned char)name->text[i]);
    }
    return n;
}

void foreign_try(Nearest *n, const char *known)
{
    int distance = strlen(n->name) < 3 ? 99 : type_word_distance(n->name, known);
    if (distance < n->distance) {
        n->best = known;
        n->distance = distance;
    } else if (distance == n->distance && n->best && strcmp(known, n->best) != 0) {
        n->best = NULL;
    }
}

void foreign_add(const Nearest *n, StrBuf *text)
{
    if (n->best) {
        strbuf_addf(text, "; did you mean '%s'?", n->best);
    }
}

/* Appends the name in kernels of a type of another language, or of a type that is only stored. Returns whether there is
 * one. */
static bool add_type(StrBuf *text, const char *name)
{
    const char *here;
    if (type_foreign(name, &here) && !here) {
        strbuf_add(text, "; integers have 32 bits: write 'int' or 'uint'");
        return true;
    }
    char own[MAX_NAME + 1];
    strcpy(own, name);
    if (type_foreign(name, &here)) {
        size_t length = strcspn(here + 1, "'");
        memcpy(own, here + 1, length);
        own[length] = '\0';
    }
    const Type *type = type_find(own);
    if (type) {
        strbuf_addf(text, "; in kernels it is called '%s'", type->value->name);
    }
    return type != NULL;
}

bool foreign_word(StrBuf *text, const Token *name)
{
    char own[MAX_NAME + 1] = "";
    if (name->kind != TOKEN_NAME || name->length > MAX_NAME) {
        return false;
    }
    memcpy(own, name->text, (size_t)name->length);
    const char *hint = HINT_OF(word_hints, own);
    strbuf_addf(text, "%s%s", hint ? "; " : "", hint ? hint : "");
    return hint != NULL;
}

void foreign_type(StrBuf *text, const ParamKindInfo *kinds, const Token *name, Nearest n)
{
    static const char *const words[] = {"kernel", "reduce", "const", "struct", "typedef",
                                        "void",   "mat2",   "mat3",  "mat4"};
    if (name->kind != TOKEN_NAME || name->length > MAX_NAME) {
        return;
    }
    char own[MAX_NAME + 1] = "";
    memcpy(own, name->text, (size_t)name->length);
    const char *hint = HINT_OF(word_hints, own);
    if (hint) {
        strbuf_addf(text, "; %s", hint);
        return;
    }
    if (add_type(text, own)) {
        return;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        foreign_try(&n, words[i]);
    }
    for (int k = 0; k < PARAM_KIND_COUNT; k++) {
        if (kinds[k].word) {
            foreign_try(&n, kinds[k].word);
        }
    }
    const Type *type;
    for (int i = 0; (type = type_at(i)); i++) {
        foreign_try(&n, type->value->name);
    }
    foreign_add(&n, text);
}

bool foreign_called(StrBuf *text, const Token *name)
{
    char own[MAX_NAME + 1] = "";
    if (name->length > MAX_NAME) {
        return false;
    }
    memcpy(own, name->text, (size_t)name->length);
    const char *hint = HINT_OF(function_hints, own);
    Token type = {.kind = TOKEN_NAME, .text = name->text + 5, .length = name->length - 5};
    bool made = strncmp(own, "make_", 5) == 0;
    const char *call = HINT_OF(call_hints, own), *bare = own + (own[0] == '_' && own[1] == '_' ? 2 : 0);
    if (call) {
        strbuf_addf(text, "; %s", call);
        return true;
    }
    size_t stem = strlen(bare);
    if (!hint && stem > 1 && bare[stem - 1] == 'f') { /* fminf, __expf */
        char without[MAX_NAME + 1] = "";
        memcpy(without, bare, stem - 1);
        const Token known = {.kind = TOKEN_NAME, .text = without, .length = (int)stem - 1};
        hint = HINT_OF(function_hints, without);
        if (!hint && names_builtin(&known)) {
            strbuf_addf(text, "; did you mean '%s'?", without);
            return true;
        }
    }
    if (made && names_spelling(&type)) { /* of CUDA: make_float3 */
        strbuf_addf(text, "; write %s(...)", names_spelling(&type));
    } else if (hint) {
        strbuf_addf(text, "; did you mean '%s'?", hint);
    } else {
        return false;
    }
    return true;
}

void foreign_value(StrBuf *text, const Token *name)
{
    size_t sentence = text->length;
    if (token_is(name + 1, ".") && name[2].kind == TOKEN_NAME) { /* math.pi */
        foreign_value(text, name + 2);
    }
    if (text->length == sentence && name->length <= MAX_NAME) {
        char own[MAX_NAME + 1] = "";
        memcpy(own, name->text, (size_t)name->length);
        const char *hint = HINT_OF(value_hints, own);
        strbuf_addf(text, "%s%s", hint ? "; " : "", hint ? hint : "");
    }
}
