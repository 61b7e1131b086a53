#include "kernel/tree/functions.h"

#include "kernel/text/names.h"

#include <string.h>

static const FunctionRow rows[] = {
    /* angles, exponentials. rill's own functions of these names take doubles, too */
    {"radians", NODE_BUILTIN, "F(F)"},
    {"degrees", NODE_BUILTIN, "F(F)"},
    {"sin", NODE_BUILTIN, "G(G)"},
    {"cos", NODE_BUILTIN, "G(G)"},
    {"tan", NODE_BUILTIN, "G(G)"},
    {"asin", NODE_BUILTIN, "G(G)"},
    {"acos", NODE_BUILTIN, "G(G)"},
    {"atan", NODE_BUILTIN, "G(G);G(G, G)"},
    {"atan2", NODE_BUILTIN, "G(G);G(G, G)"},
    {"sinh", NODE_BUILTIN, "G(G)"},
    {"cosh", NODE_BUILTIN, "G(G)"},
    {"tanh", NODE_BUILTIN, "G(G)"},
    {"asinh", NODE_BUILTIN, "G(G)"},
    {"acosh", NODE_BUILTIN, "G(G)"},
    {"atanh", NODE_BUILTIN, "G(G)"},
    {"pow", NODE_BUILTIN, "G(G, G);F(F, float)"},
    {"exp", NODE_BUILTIN, "G(G)"},
    {"log", NODE_BUILTIN, "G(G)"},
    {"exp2", NODE_BUILTIN, "G(G)"},
    {"log2", NODE_BUILTIN, "G(G)"},
    {"sqrt", NODE_BUILTIN, "G(G)"},
    {"cbrt", NODE_BUILTIN, "G(G)"},
    {"expm1", NODE_BUILTIN, "G(G)"},
    {"log1p", NODE_BUILTIN, "G(G)"},
    {"sinc", NODE_BUILTIN, "G(G)"},
    {"erf", NODE_BUILTIN, "G(G)"},
    {"erfc", NODE_BUILTIN, "G(G)"},
    {"erfinv", NODE_BUILTIN, "G(G)"},
    {"gamma", NODE_BUILTIN, "G(G)"},
    {"lgamma", NODE_BUILTIN, "G(G)"},
    {"digamma", NODE_BUILTIN, "G(G)"},
    {"trigamma", NODE_BUILTIN, "G(G)"},
    {"inversesqrt", NODE_BUILTIN, "G(G)"},
    /* common functions */
    {"abs", NODE_BUILTIN, "N(N)"},
    {"sign", NODE_BUILTIN, "N(N)"},
    {"floor", NODE_BUILTIN, "G(G)"},
    {"trunc", NODE_BUILTIN, "G(G)"},
    {"round", NODE_BUILTIN, "G(G)"},
    {"roundEven", NODE_BUILTIN, "G(G)"},
    {"ceil", NODE_BUILTIN, "G(G)"},
    {"fract", NODE_BUILTIN, "G(G)"},
    {"mod", NODE_BUILTIN, "G(G, G);G(G, s)"},
    {"fmod", NODE_BUILTIN, "G(G, G);G(G, s)"},
    {"modf", NODE_BUILTIN, "G(G, out G)"},
    {"min", NODE_BUILTIN, "A(A, A);A(A, s)"},
    {"max", NODE_BUILTIN, "A(A, A);A(A, s)"},
    {"clamp", NODE_BUILTIN, "A(A, A, A);A(A, s, s)"},
    {"saturate", NODE_BUILTIN, "F(F)"},
    {"mix", NODE_BUILTIN, "G(G, G, G);G(G, G, s);G(G, G, B)"},
    {"step", NODE_BUILTIN, "G(G, G);G(s, G)"},
    {"smoothstep", NODE_BUILTIN, "G(G, G, G);G(s, s, G)"},
    {"isnan", NODE_BUILTIN, "B(G)"},
    {"isinf", NODE_BUILTIN, "B(G)"},
    {"isfinite", NODE_BUILTIN, "B(G)"},
    {"floatBitsToInt", NODE_BUILTIN, "I(F)"},
    {"floatBitsToUint", NODE_BUILTIN, "U(F)"},
    {"intBitsToFloat", NODE_BUILTIN, "F(I)"},
    {"uintBitsToFloat", NODE_BUILTIN, "F(U)"},
    {"fma", NODE_BUILTIN, "G(G, G, G)"},
    {"frexp", NODE_BUILTIN, "G(G, out I)"},
    {"ldexp", NODE_BUILTIN, "G(G, I)"},
    /* packing */
    {"packUnorm2x16", NODE_BUILTIN, "uint(vec2)"},
    {"packSnorm2x16", NODE_BUILTIN, "uint(vec2)"},
    {"packUnorm4x8", NODE_BUILTIN, "uint(vec4)"},
    {"packSnorm4x8", NODE_BUILTIN, "uint(vec4)"},
    {"unpackUnorm2x16", NODE_BUILTIN, "vec2(uint)"},
    {"unpackSnorm2x16", NODE_BUILTIN, "vec2(uint)"},
    {"unpackUnorm4x8", NODE_BUILTIN, "vec4(uint)"},
    {"unpackSnorm4x8", NODE_BUILTIN, "vec4(uint)"},
    {"packHalf2x16", NODE_BUILTIN, "uint(vec2)"},
    {"unpackHalf2x16", NODE_BUILTIN, "vec2(uint)"},
    {"packDouble2x32", NODE_BUILTIN, "double(uvec2)"},
    {"unpackDouble2x32", NODE_BUILTIN, "uvec2(double)"},
    /* geometry */
    {"length", NODE_BUILTIN, "s(G)"},
    {"distance", NODE_BUILTIN, "s(G, G)"},
    {"dot", NODE_BUILTIN, "s(G, G)"},
    {"cross", NODE_BUILTIN, "vec3(vec3, vec3);dvec3(dvec3, dvec3)"},
    {"normalize", NODE_BUILTIN, "G(G)"},
    {"faceforward", NODE_BUILTIN, "G(G, G, G)"},
    {"reflect", NODE_BUILTIN, "G(G, G)"},
    {"refract", NODE_BUILTIN, "F(F, F, float);D(D, D, float)"},
    /* matrices */
    {"matrixCompMult", NODE_BUILTIN, "M(M, M)"},
    {"outerProduct", NODE_BUILTIN, "M(C, R)"},
    {"transpose", NODE_BUILTIN, "T(M)"},
    {"determinant", NODE_BUILTIN, "m(Q)"},
    {"inverse", NODE_BUILTIN, "Q(Q)"},
    {"eigen_symmetric", NODE_BUILTIN, "void(Q, out C, out Q)"},
    {"svd", NODE_BUILTIN, "void(Q, out Q, out C, out Q)"},
    /* complex numbers */
    {"cmul", NODE_BUILTIN, "vec2(vec2, vec2);dvec2(dvec2, dvec2)"},
    {"cdiv", NODE_BUILTIN, "vec2(vec2, vec2);dvec2(dvec2, dvec2)"},
    {"conj", NODE_BUILTIN, "vec2(vec2);dvec2(dvec2)"},
    {"cabs", NODE_BUILTIN, "float(vec2);double(dvec2)"},
    {"cangle", NODE_BUILTIN, "float(vec2);double(dvec2)"},
    {"cexp", NODE_BUILTIN, "vec2(vec2);dvec2(dvec2)"},
    /* comparisons of vectors */
    {"lessThan", NODE_BUILTIN, "V(A, A)"},
    {"lessThanEqual", NODE_BUILTIN, "V(A, A)"},
    {"greaterThan", NODE_BUILTIN, "V(A, A)"},
    {"greaterThanEqual", NODE_BUILTIN, "V(A, A)"},
    {"equal", NODE_BUILTIN, "V(E, E)"},
    {"notEqual", NODE_BUILTIN, "V(E, E)"},
    {"any", NODE_BUILTIN, "bool(V)"},
    {"all", NODE_BUILTIN, "bool(V)"},
    {"not", NODE_BUILTIN, "V(V)"},
    /* integers */
    {"uaddCarry", NODE_BUILTIN, "U(U, U, out U)"},
    {"usubBorrow", NODE_BUILTIN, "U(U, U, out U)"},
    {"umulExtended", NODE_BUILTIN, "void(U, U, out U, out U)"},
    {"imulExtended", NODE_BUILTIN, "void(I, I, out I, out I)"},
    {"bitfieldExtract", NODE_BUILTIN, "I(I, int, int);U(U, int, int)"},
    {"bitfieldInsert", NODE_BUILTIN, "I(I, I, int, int);U(U, U, int, int)"},
    {"bitfieldReverse", NODE_BUILTIN, "I(I);U(U)"},
    {"bitCount", NODE_BUILTIN, "I(I);I(U)"},
    {"findLSB", NODE_BUILTIN, "I(I);I(U)"},
    {"findMSB", NODE_BUILTIN, "I(I);I(U)"},
    /* memory */
    {"atomicAdd", NODE_ATOMIC, "int(inout int, int);uint(inout uint, uint)"},
    {"atomicMin", NODE_ATOMIC, "int(inout int, int);uint(inout uint, uint)"},
    {"atomicMax", NODE_ATOMIC, "int(inout int, int);uint(inout uint, uint)"},
    {"atomicAnd", NODE_ATOMIC, "int(inout int, int);uint(inout uint, uint)"},
    {"atomicOr", NODE_ATOMIC, "int(inout int, int);uint(inout uint, uint)"},
    {"atomicXor", NODE_ATOMIC, "int(inout int, int);uint(inout uint, uint)"},
    {"atomicExchange", NODE_ATOMIC, "int(inout int, int);uint(inout uint, uint)"},
    {"atomicCompSwap", NODE_ATOMIC, "int(inout int, int, int);uint(inout uint, uint, uint)"},
    {"random", NODE_RANDOM, "float()"},
    {"random2", NODE_RANDOM, "vec2()"},
    {"random3", NODE_RANDOM, "vec3()"},
    {"random4", NODE_RANDOM, "vec4()"},
    {"random_int", NODE_RANDOM, "int(int);uint(uint)"},
    {"random_normal", NODE_RANDOM, "float()"},
    {"random_exponential", NODE_RANDOM, "float()"},
    {"barrier", NODE_BARRIER, "void()"},
    {"memoryBarrier", NODE_BUILTIN, "void()"},
    {"memoryBarrierShared", NODE_BUILTIN, "void()"},
    {"memoryBarrierBuffer", NODE_BUILTIN, "void()"},
    {"groupMemoryBarrier", NODE_BUILTIN, "void()"},
    /* subgroups */
    {"subgroupElect", NODE_BUILTIN, "bool()"},
    {"subgroupBarrier", NODE_BUILTIN, "void()"},
    {"subgroupMemoryBarrier", NODE_BUILTIN, "void()"},
    {"subgroupMemoryBarrierShared", NODE_BUILTIN, "void()"},
    {"subgroupAll", NODE_BUILTIN, "bool(bool)"},
    {"subgroupAny", NODE_BUILTIN, "bool(bool)"},
    {"subgroupAllEqual", NODE_BUILTIN, "bool(E)"},
    {"subgroupBroadcast", NODE_BUILTIN, "E(E, uint)"},
    {"subgroupBroadcastFirst", NODE_BUILTIN, "E(E)"},
    {"subgroupBallot", NODE_BUILTIN, "uvec4(bool)"},
    {"subgroupInverseBallot", NODE_BUILTIN, "bool(uvec4)"},
    {"subgroupBallotBitExtract", NODE_BUILTIN, "bool(uvec4, uint)"},
    {"subgroupBallotBitCount", NODE_BUILTIN, "uint(uvec4)"},
    {"subgroupBallotInclusiveBitCount", NODE_BUILTIN, "uint(uvec4)"},
    {"subgroupBallotExclusiveBitCount", NODE_BUILTIN, "uint(uvec4)"},
    {"subgroupBallotFindLSB", NODE_BUILTIN, "uint(uvec4)"},
    {"subgroupBallotFindMSB", NODE_BUILTIN, "uint(uvec4)"},
    {"subgroupShuffle", NODE_BUILTIN, "E(E, uint)"},
    {"subgroupShuffleXor", NODE_BUILTIN, "E(E, uint)"},
    {"subgroupShuffleUp", NODE_BUILTIN, "E(E, uint)"},
    {"subgroupShuffleDown", NODE_BUILTIN, "E(E, uint)"},
    {"subgroupAdd", NODE_BUILTIN, "A(A)"},
    {"subgroupMul", NODE_BUILTIN, "A(A)"},
    {"subgroupMin", NODE_BUILTIN, "A(A)"},
    {"subgroupMax", NODE_BUILTIN, "A(A)"},
    {"subgroupAnd", NODE_BUILTIN, "I(I);U(U);B(B)"},
    {"subgroupOr", NODE_BUILTIN, "I(I);U(U);B(B)"},
    {"subgroupXor", NODE_BUILTIN, "I(I);U(U);B(B)"},
    {"subgroupInclusiveAdd", NODE_BUILTIN, "A(A)"},
    {"subgroupInclusiveMul", NODE_BUILTIN, "A(A)"},
    {"subgroupInclusiveMin", NODE_BUILTIN, "A(A)"},
    {"subgroupInclusiveMax", NODE_BUILTIN, "A(A)"},
    {"subgroupExclusiveAdd", NODE_BUILTIN, "A(A)"},
    {"subgroupExclusiveMul", NODE_BUILTIN, "A(A)"},
    {"subgroupExclusiveMin", NODE_BUILTIN, "A(A)"},
    {"subgroupExclusiveMax", NODE_BUILTIN, "A(A)"},
    /* functions of rill, whose arguments are names of parameters */
    {"indexof", NODE_QUERY, "(name);(name, int)"},
    {"sizeof_stream", NODE_QUERY, "(name);(name, int)"},
    {"sizeof_list", NODE_QUERY, "(name);(name, index ...)"},
    {"spacingof", NODE_QUERY, "(name)"},
    {"localid", NODE_QUERY, "()"},
    {"groupid", NODE_QUERY, "()"},
    {"subgroupsize", NODE_QUERY, "()"},
    {"subgroupid", NODE_QUERY, "()"},
    {"sample", NODE_SAMPLE, "(name, position);(name, position, level)"},
    {"sample_corners", NODE_SAMPLE, "(name, position, weights, spacing);(name, position, level, weights, spacing)"},
    {"push", NODE_PUSH, "(name);(name, value)"},
    /* functions of Brook's dialect, to which operators are converted: no text can name them */
    {"rill_fmod", NODE_BUILTIN, "G(G, G);G(G, s)"},
    {"rill_cg_and", NODE_BUILTIN, "V(V, V)"},
    {"rill_cg_or", NODE_BUILTIN, "V(V, V)"},
    {"rill_cg_choose", NODE_BUILTIN, "E(B, E, E)"},
};

const FunctionRow *functions_at(size_t i)
{
    return i < sizeof rows / sizeof *rows ? &rows[i] : NULL;
}

uint32_t functions_number(const FunctionRow *row)
{
    return (uint32_t)(row - rows) + 1;
}

const FunctionRow *functions_named(const char *name)
{
    const FunctionRow *row = functions_at(0);
    for (size_t i = 1; row && strcmp(row->name, name) != 0; i++) {
        row = functions_at(i);
    }
    return row;
}

const FunctionRow *functions_of(const Node *call)
{
    return functions_at(call->target - 1);
}

const FunctionRow *functions_find(const Token *name)
{
    if (name->length > 5 && memcmp(name->text, "rill_", 5) == 0) {
        return NULL;
    }
    const char *spelling = token_is(name, "atan2") ? NULL : names_constant_spelling(name);
    bool own = !spelling || strncmp(spelling, "rill_", 5) == 0; /* saturate, fmod */
    const FunctionRow *row = functions_at(0);
    for (size_t i = 1; row && !(own ? token_is(name, row->name) : strcmp(spelling, row->name) == 0); i++) {
        row = functions_at(i);
    }
    return row;
}

/* forms */

/* The values of the letters of a form. */
typedef struct Letters {
    Base base;
    int rows;          /* components of a vector */
    int columns, high; /* of a matrix: columns, and rows */
} Letters;

/* Returns the scalar types of a letter, in the order in which they are preferred. */
static const char *bases_of(char letter)
{
    switch (letter) {
    case 'F': return "f";
    case 'D': return "d";
    case 'G':
    case 'M':
    case 'Q': return "fd";
    case 'N': return "ifd";
    case 'A': return "iufd";
    case 'E': return "biufd";
    default: return NULL;
    }
}

static Base base_of(char c)
{
    static const char order[] = "biufd";
    return (Base)(BASE_BOOL + (strchr(order, c) - order));
}

/* Returns the type of a word of a form. */
static TypeIndex type_of_word(const char *word, int length, const Letters *l)
{
    if (length > 1) {
        Token token = {.kind = TOKEN_NAME, .text = word, .length = length};
        return types_word(&token);
    }
    switch (*word) {
    case 'I': return types_of(BASE_INT, 1, l->rows);
    case 'U': return types_of(BASE_UINT, 1, l->rows);
    case 'V':
    case 'B': return types_of(BASE_BOOL, 1, l->rows);
    case 'F': return types_of(BASE_FLOAT, 1, l->rows);
    case 'D': return types_of(BASE_DOUBLE, 1, l->rows);
    case 's':
    case 'm': return types_of(l->base, 1, 1);
    case 'M':
    case 'Q': return types_of(l->base, l->columns, l->high);
    case 'T': return types_of(l->base, l->high, l->columns);
    case 'C': return types_of(l->base, 1, l->high);
    case 'R': return types_of(l->base, 1, l->columns);
    default: return types_of(l->base, 1, l->rows);
    }
}

/* Reads a form with values for its letters. Returns the text after it. */
static const char *read_form(const char *text, const Letters *l, FunctionForm *form)
{
    *form = (FunctionForm){0};
    int length = (int)strcspn(text, "(");
    form->result = type_of_word(text, length, l);
    for (text += length + 1; *text != ')'; text += strspn(text, ", ")) {
        bool inout = strncmp(text, "inout ", 6) == 0, out = inout || strncmp(text, "out ", 4) == 0;
        text += inout ? 6 : out ? 4 : 0;
        length = (int)strcspn(text, ",)");
        form->out[form->count] = out;
        form->in[form->count] = inout || !out;
        form->params[form->count++] = type_of_word(text, length, l);
        text += length;
    }
    return text + 1;
}

/* Returns the number of arguments that must be converted, or -1 if they cannot be. */
static int conversions(const FunctionForm *form, const Types *types, const TypeIndex *arguments, int count)
{
    int converted = 0;
    for (int i = 0; i < count; i++) {
        if (arguments[i] != form->params[i]) {
            bool fits = (!form->out[i] || types_converts(types, form->params[i], arguments[i])) &&
                        (!form->in[i] || types_converts(types, arguments[i], form->params[i]));
            if (!fits) {
                return -1;
            }
            converted++;
        }
    }
    return form->count == count ? converted : -1;
}

/* The search for the best form. */
typedef struct Search {
    const Types *types;
    const TypeIndex *arguments;
    int count, least; /* least: conversions of the best form; -1: none yet */
    FunctionForm *best;
} Search;

static void try_form(Search *s, const char *text, const Letters *l)
{
    FunctionForm form = {0};
    read_form(text, l, &form);
    int converted = conversions(&form, s->types, s->arguments, s->count);
    if (converted >= 0 && (s->least < 0 || converted < s->least)) {
        s->least = converted;
        *s->best = form;
    }
}

/* Tries a form with all values of its letters. */
static void try_letters(Search *s, const char *text, int length)
{
    const char *bases = "f";
    bool matrix = false, square = false, vector = false;
    for (int i = 0; i < length; i++) {
        bool letter = strchr("FDGNAEMQV", text[i]) && (i + 1 == length || strchr("(), ", text[i + 1]));
        bases = letter && bases_of(text[i]) ? bases_of(text[i]) : bases;
        matrix = matrix || (letter && (text[i] == 'M' || text[i] == 'Q'));
        square = square || (letter && text[i] == 'Q');
        vector = vector || (letter && text[i] == 'V');
    }
    for (; *bases; bases++) {
        Letters l = {.base = base_of(*bases)};
        for (l.rows = vector ? 2 : 1; !matrix && l.rows <= 4; l.rows++) {
            try_form(s, text, &l);
        }
        for (int k = 0; matrix && k < 9; k++) {
            l.columns = k / 3 + 2;
            l.high = k % 3 + 2;
            if (!square || l.columns == l.high) {
                try_form(s, text, &l);
            }
        }
    }
}

bool functions_match(const FunctionRow *row, const Types *types, const TypeIndex *arguments, int count,
                     FunctionForm *form)
{
    Search s = {types, arguments, count, -1, form};
    for (const char *text = row->forms; *text && count <= MAX_FORM;) {
        int length = (int)strcspn(text, ";");
        try_letters(&s, text, length);
        text += length + (text[length] == ';');
    }
    return s.least >= 0;
}

/* Appends what the letters of a form stand for. */
static void list_letters(const char *forms, StrBuf *out)
{
    static const char *const texts[][2] = {{"F", "a float or a vector of floats"},
                                           {"D", "a double or a vector of doubles"},
                                           {"I", "an int or a vector of ints"},
                                           {"U", "a uint or a vector of uints"},
                                           {"B", "a bool or a vector of bools"},
                                           {"G", "a float, a double or a vector of them"},
                                           {"N", "an int, a float, a double or a vector of them"},
                                           {"A", "a number or a vector of numbers"},
                                           {"E", "a number, a bool or a vector of them"},
                                           {"V", "a vector of bools"},
                                           {"s", "one component of it"},
                                           {"M", "a matrix"},
                                           {"Q", "a square matrix"},
                                           {"T", "the transposed matrix"},
                                           {"C", "a column of the matrix"},
                                           {"R", "a row of the matrix"}};
    const char *comma = ": ";
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int found = 0;
        for (const char *at = strchr(forms, '('); at && *at; at++) {
            found += *at == *texts[i][0] && strchr("(, ", at[-1]) && strchr(",)", at[1]);
        }
        if (found) {
            strbuf_addf(out, "%s%s is %s%s", comma, texts[i][0], texts[i][1],
                        found > 1 ? ", the same in all places" : "");
            comma = ", ";
        }
    }
}

void functions_list(const FunctionRow *row, StrBuf *out)
{
    for (const char *text = row->forms; *text;) {
        int length = (int)strcspn(text, ";"), open = (int)strcspn(text, "(");
        strbuf_addf(out, "%s%s%.*s", text == row->forms ? "" : " or ", row->name, length - open, text + open);
        text += length + (text[length] == ';');
    }
    list_letters(row->forms, out);
}
