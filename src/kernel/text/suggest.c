#include "kernel/text/suggest.h"

#include "kernel/text/names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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
    {"threadIdx", "write indexof(name).x for the index of the element"},
    {"blockIdx", "write indexof(name).x for the index of the element"},
    {"blockDim", "write sizeof_stream(name).x for the number of elements"},
    {"gridDim", "write sizeof_stream(name).x for the number of elements"},
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

/* The known name that is nearest to an unknown one. */
typedef struct Nearest {
    char name[MAX_NAME + 1];
    const char *best; /* NULL: none, or several names are equally near */
    int distance;
} Nearest;

static Nearest nearest_start(const Token *name)
{
    Nearest n = {.distance = name->length > 4 ? 3 : 2};
    for (int i = 0; i < name->length && i < MAX_NAME; i++) {
        n.name[i] = (char)tolower((unsigned char)name->text[i]);
    }
    return n;
}

static void nearest_try(Nearest *n, const char *known)
{
    int distance = strlen(n->name) < 3 ? 99 : type_word_distance(n->name, known);
    if (distance < n->distance) {
        n->best = known;
        n->distance = distance;
    } else if (distance == n->distance && n->best && strcmp(known, n->best) != 0) {
        n->best = NULL;
    }
}

static void nearest_add(const Nearest *n, StrBuf *text)
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

void suggest_type(StrBuf *text, const Module *module, const Token *name)
{
    static const char *const words[] = {"kernel", "reduce", "const", "struct", "typedef", "uniform", "void"};
    if (name->kind != TOKEN_NAME || name->length > MAX_NAME) {
        return;
    }
    char own[MAX_NAME + 1] = "";
    memcpy(own, name->text, (size_t)name->length);
    const char *hint = HINT_OF(word_hints, own), *known;
    if (hint) {
        strbuf_addf(text, "; %s", hint);
        return;
    }
    if (add_type(text, own)) {
        return;
    }
    Nearest n = nearest_start(name);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        nearest_try(&n, words[i]);
    }
    for (int k = 0; k < PARAM_KIND_COUNT; k++) {
        if (param_kinds[k].word) {
            nearest_try(&n, param_kinds[k].word);
        }
    }
    for (size_t i = 0; (known = module_type_name(i)); i++) {
        nearest_try(&n, known);
    }
    for (size_t i = 0; i < module->structs.count; i++) {
        nearest_try(&n, module->structs.items[i]->name);
    }
    nearest_add(&n, text);
}

void suggest_function(StrBuf *text, const Module *module, const Token *name)
{
    char own[MAX_NAME + 1] = "";
    if (name->length > MAX_NAME) {
        return;
    }
    memcpy(own, name->text, (size_t)name->length);
    const char *hint = HINT_OF(function_hints, own), *known;
    Token shorter = {.kind = TOKEN_NAME, .text = name->text, .length = name->length - 1};
    if (hint) {
        strbuf_addf(text, "; did you mean '%s'?", hint);
    } else if (own[shorter.length] == 'f' && names_builtin(&shorter)) { /* of C: sinf */
        strbuf_addf(text, "; did you mean '%.*s'?", shorter.length, shorter.text);
    } else {
        Nearest n = nearest_start(name);
        for (size_t i = 0; i < module->functions.count; i++) {
            nearest_try(&n, module->functions.items[i].name);
        }
        for (size_t i = 0; (known = names_builtin_at(i)); i++) {
            nearest_try(&n, known);
        }
        nearest_add(&n, text);
    }
}

void suggest_value(StrBuf *text, const Token *name)
{
    char own[MAX_NAME + 1] = "";
    if (name->length <= MAX_NAME) {
        memcpy(own, name->text, (size_t)name->length);
        const char *hint = HINT_OF(value_hints, own);
        strbuf_addf(text, "%s%s", hint ? "; " : "", hint ? hint : "");
    }
}
