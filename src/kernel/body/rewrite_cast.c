/* Rewrites casts in the notation of C, "(float)x", "(float3) f(x)", to GLSL's constructors. */
#include "kernel/body/rewriter.h"

static bool is_word(const Token *t)
{
    static const char *const words[] = {"return", "else", "do", "case", NULL};
    return token_any(t, words);
}

static bool starts_operand(const Token *t)
{
    static const char *const marks[] = {"(", "-", "+", "!", "~", NULL};
    return t->kind == TOKEN_NAME || t->kind == TOKEN_NUMBER || token_any(t, marks);
}

bool rewrite_cast_match(const Rewriter *rw, size_t i, size_t last)
{
    const Type *type;
    int matrix, used;
    const Token *t = rewriter_token(rw, i);
    if (!token_is(t, "(") || i == 0 || !module_type(rw->module, t + 1, &type, &matrix, &used) || (!type && !matrix)) {
        return false;
    }
    size_t close = i + 1 + (size_t)used;
    if (rewriter_variable(rw, t + 1) || close + 1 >= last || !token_is(rewriter_token(rw, close), ")")) {
        return false;
    }
    const Token *before = rewriter_token(rw, i - 1);
    bool called = i != rw->cast &&
                  ((before->kind == TOKEN_NAME && !is_word(before)) || token_is(before, ")") || token_is(before, "]"));
    return !called && starts_operand(rewriter_token(rw, close + 1));
}

size_t rewrite_cast_operand(Rewriter *rw, size_t i, size_t last)
{
    static const char *const signs[] = {"-", "+", "!", "~", "++", "--", NULL};
    for (;;) {
        const Token *t = rewriter_token(rw, i);
        rw->cast = i;
        const Type *type;
        int matrix, used;
        if (rewrite_cast_match(rw, i, last) && module_type(rw->module, t + 1, &type, &matrix, &used)) {
            i += (size_t)used + 2;
        } else if (token_any(t, signs)) {
            i++;
        } else {
            break;
        }
    }
    bool index = token_is(rewriter_token(rw, i), "indexof") && rewriter_token(rw, i + 1)->kind == TOKEN_NAME;
    i = token_is(rewriter_token(rw, i), "(") ? rewriter_close(rw, i, last) : i + 1 + index;
    while (i < last) {
        const Token *t = rewriter_token(rw, i);
        if (token_is(t, "(") || token_is(t, "[")) {
            i = rewriter_close(rw, i, last);
        } else if (token_is(t, ".")) {
            i += 2;
        } else if (token_is(t, "++") || token_is(t, "--")) {
            i++;
        } else {
            break;
        }
    }
    return i < last ? i : last;
}

bool rewrite_cast_write(Rewriter *rw, size_t i, size_t last, size_t *next)
{
    const Type *type;
    int matrix, used;
    const Token *t = rewriter_token(rw, i + 1);
    module_type(rw->module, t, &type, &matrix, &used);
    size_t first = i + 2 + (size_t)used, end = rewrite_cast_operand(rw, first, last);
    bool handled;
    *next = end;
    bool made = rewrite_exact_construct(rw, i + 1, first, end, false, &handled);
    if (!made || handled) {
        return made;
    }
    rewriter_add(rw, " ");
    if (!rewriter_constructor(rw, t)) {
        return false;
    }
    rewriter_add(rw, "(");
    rw->cast = first;
    if (!rewriter_range(rw, first, end)) {
        return false;
    }
    rewriter_add(rw, ")");
    return true;
}
