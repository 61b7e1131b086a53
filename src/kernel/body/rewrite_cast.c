/* Casts as C writes them: "(float)x", "(float3) f(x)". GLSL has constructors instead. */
#include "kernel/body/rewriter.h"

static bool is_word(const Token *t)
{
    return token_is(t, "return") || token_is(t, "else") || token_is(t, "do") || token_is(t, "case");
}

static bool starts_operand(const Token *t)
{
    return t->kind == TOKEN_NAME || t->kind == TOKEN_NUMBER || token_is(t, "(") || token_is(t, "-") ||
           token_is(t, "+") || token_is(t, "!") || token_is(t, "~");
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
    int index;
    bool variable = rewriter_local(rw, t + 1) || rewriter_param(rw, t + 1, &index);
    if (variable || close + 1 >= last || !token_is(rewriter_token(rw, close), ")")) {
        return false;
    }
    const Token *before = rewriter_token(rw, i - 1);
    bool called = i != rw->cast &&
                  ((before->kind == TOKEN_NAME && !is_word(before)) || token_is(before, ")") || token_is(before, "]"));
    return !called && starts_operand(rewriter_token(rw, close + 1));
}

size_t rewrite_cast_operand(Rewriter *rw, size_t i, size_t last)
{
    for (;;) {
        const Token *t = rewriter_token(rw, i);
        rw->cast = i;
        const Type *type;
        int matrix, used;
        if (rewrite_cast_match(rw, i, last) && module_type(rw->module, t + 1, &type, &matrix, &used)) {
            i += (size_t)used + 2;
        } else if (token_is(t, "-") || token_is(t, "+") || token_is(t, "!") || token_is(t, "~") || token_is(t, "++") ||
                   token_is(t, "--")) {
            i++;
        } else {
            break;
        }
    }
    bool index = token_is(rewriter_token(rw, i), "indexof") && rewriter_token(rw, i + 1)->kind == TOKEN_NAME;
    size_t close = token_is(rewriter_token(rw, i), "(") ? module_close(rw->module, i, last) : i + 1 + index;
    i = close ? close : last;
    while (i < last) {
        const Token *t = rewriter_token(rw, i);
        if (token_is(t, "(") || token_is(t, "[")) {
            close = module_close(rw->module, i, last);
            i = close ? close : last;
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
