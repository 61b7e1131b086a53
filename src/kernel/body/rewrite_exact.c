/* Rewrites bodies so that a program computes what the kernel's text says, unless the kernel is
 * `fast`.
 *
 * GLSL permits other operations than those written, except for values that are assigned to a
 * `precise` variable. Therefore every variable, parameter and returned value is declared `precise`,
 * and arguments, conditions and stored values are assigned to such variables (rewrite_kept.c).
 *
 * Some code generators also change operations on numbers that the compiler knows to be 0. Mesa's
 * llvmpipe replaces x * 0 by 0 and x + 0 by x, and leaves x / 0 undefined. On such drivers
 * `rill_zero` is a variable with the value 0 that replaces the literal, and rill_seen() hides a
 * value that may be a known 0: divisors, and floats made from ints. On other drivers both change
 * nothing (prelude.c).
 *
 * In GLSL % of negative numbers is undefined. rill_rem() computes that of C. */
#include "kernel/body/rewriter.h"

#include "base/array.h"
#include "base/decimal.h"
#include "kernel/body/glsl.h"
#include "kernel/text/names.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool rewrite_exact_on(const Rewriter *rw)
{
    return !rw->constants && !rw->module->fast;
}

/* Returns whether a token is a name, also one that the Brook dialect has inserted. */
static bool is_word(const Token *t)
{
    return t->kind == TOKEN_NAME || (t->kind == TOKEN_MARK && t->length > 0 && isalpha((unsigned char)*t->text));
}

/* Returns the token after an operand of an assignment or an argument that begins at token i. */
static size_t expression_end(const Rewriter *rw, size_t i, size_t last)
{
    int depth = 0, choices = 0;
    for (; i < last; i++) {
        const Token *t = rewriter_token(rw, i);
        int step = token_nesting(t);
        choices += depth == 0 && token_is(t, "?");
        bool other = depth == 0 && token_is(t, ":") && choices-- == 0;
        if (other || (depth == 0 && (step < 0 || token_is(t, ",") || token_is(t, ";")))) {
            return i;
        }
        depth += step;
    }
    return last;
}

/* --- types, as far as they are known --- */

typedef enum Real { REAL_NOT, REAL_YES, REAL_UNKNOWN } Real;

bool rewrite_exact_real(const Type *type, int matrix)
{
    return (matrix && strstr(module_value_name(matrix), "mat")) ||
           (type && !type->is_struct && (type->value->scalar == SCALAR_FLOAT || type->value->scalar == SCALAR_DOUBLE));
}

/* Returns whether a token is the name of a variable or parameter of floats. */
static Real real_name(const Rewriter *rw, size_t i)
{
    const Token *t = rewriter_token(rw, i);
    int index;
    const Local *local = rewriter_local(rw, t);
    if (t->kind != TOKEN_NAME || token_is(rewriter_token(rw, i - 1), ".")) {
        return REAL_UNKNOWN;
    }
    if (local) {
        return rewrite_exact_real(local->type, local->matrix) ? REAL_YES : REAL_NOT;
    }
    const Param *param = rewriter_param(rw, t, &index);
    return !param ? REAL_UNKNOWN : rewrite_exact_real(param->type, param->matrix) ? REAL_YES : REAL_NOT;
}

/* --- numbers --- */

static const char naught[] = "rill_naught", naught_unsigned[] = "uint(rill_naught)";

/* Returns the text that replaces a literal 0, or NULL if the literal is not 0. */
static const char *zero_text(const Token *t)
{
    bool hex = t->length > 1 && (t->text[1] == 'x' || t->text[1] == 'X');
    size_t used;
    double value = hex ? 1 : fabs(decimal_read(t->text, (size_t)t->length, &used));
    char end = t->text[t->length - 1];
    bool wide = t->length > 2 && (end == 'f' || end == 'F') && (t->text[t->length - 2] | 32) == 'l';
    if (value > (wide ? 0 : 7e-46)) {
        return NULL; /* numbers below half of the smallest float become 0 */
    }
    if (end == 'u' || end == 'U') {
        return naught_unsigned;
    }
    bool whole = !memchr(t->text, '.', (size_t)t->length) && !memchr(t->text, 'e', (size_t)t->length) &&
                 !memchr(t->text, 'E', (size_t)t->length) && t->text[t->length - 1] >= '0' &&
                 t->text[t->length - 1] <= '9';
    return wide ? "double(rill_zero)" : whole ? naught : "rill_zero";
}

/* Returns whether an int is at a position where it becomes a float, or is an operand of a product or quotient. */
static bool among_reals(const Rewriter *rw, size_t i)
{
    static const char *const marks[] = {"*", "/", "*=", "/=", NULL}, *const lists[] = {"{", ",", NULL},
                             *const ends[] = {"}", ",", NULL}, *const stops[] = {";", ",", NULL};
    const Token *before = rewriter_token(rw, i - 1), *after = rewriter_token(rw, i + 1);
    if (token_any(before, marks) || token_any(after, marks)) {
        return true;
    }
    if (rw->real && token_any(before, lists) && token_any(after, ends)) {
        return true;
    }
    return token_is(before, "=") && token_any(after, stops) && (rw->real || real_name(rw, i - 2) == REAL_YES);
}

static bool is_naught(const char *text)
{
    return text == naught || text == naught_unsigned;
}

/* Writes the number at token i in a form that hides a 0 from the compiler. Returns false if it need not be hidden. */
static bool put_zero(Rewriter *rw, size_t i, bool *done)
{
    const Token *t = rewriter_token(rw, i);
    const char *text = rewrite_exact_on(rw) && !rw->fixed ? zero_text(t) : NULL;
    if (!text || (is_naught(text) && !among_reals(rw, i))) {
        return false;
    }
    *done = rewriter_put(rw, t, text, (int)strlen(text));
    return true;
}

/* --- constructors --- */

static bool is_int_zero(const Rewriter *rw, size_t first, size_t last)
{
    const Token *t = rewriter_token(rw, first);
    const char *text = last == first + 1 && t->kind == TOKEN_NUMBER ? zero_text(t) : NULL;
    return text && is_naught(text);
}

bool rewrite_exact_argument(Rewriter *rw, size_t first, size_t last, bool real)
{
    const Token *t = rewriter_token(rw, first);
    if (rewrite_exact_on(rw) && !rw->fixed && real && is_int_zero(rw, first, last)) {
        return rewriter_put(rw, t, "rill_zero", 9);
    }
    return rewriter_range(rw, first, last);
}

/* Returns whether an argument of a float constructor may be an int that the compiler knows. */
static bool may_be_known(const Rewriter *rw, size_t first, size_t last, int components)
{
    if (last == first + 1) {
        const Token *t = rewriter_token(rw, first);
        Real real = real_name(rw, first);
        return t->kind == TOKEN_NAME && (real == REAL_NOT || (real == REAL_UNKNOWN && components == 1));
    }
    return components == 1;
}

bool rewrite_exact_construct(Rewriter *rw, size_t i, size_t first, size_t end, bool called, bool *handled)
{
    const Type *type;
    int matrix, used;
    const Token *t = rewriter_token(rw, i);
    Token name = *t; /* a mark if the Brook dialect has inserted it */
    name.kind = TOKEN_NAME;
    *handled = rewrite_exact_on(rw) && !rw->fixed && module_type(rw->module, &name, &type, &matrix, &used) &&
               rewrite_exact_real(type, matrix);
    if (!*handled) {
        return true;
    }
    int components = matrix ? 0 : type->components;
    bool seen = false;
    for (size_t at = first; at < end && !seen;) {
        size_t stop = called ? expression_end(rw, at, end) : end;
        seen = may_be_known(rw, at, stop, components);
        at = stop + 1;
    }
    rewriter_add(rw, seen ? " rill_seen(" : "");
    bool kept = seen && rewrite_kept_computes(rw, first, end) && rewrite_kept_open(rw, brook_value(type, matrix));
    if (!(t->kind == TOKEN_NAME ? rewriter_type(rw, t) : rewriter_put(rw, t, t->text, t->length))) {
        return false;
    }
    rewriter_add(rw, "(");
    for (size_t at = first; at < end;) {
        size_t stop = called ? expression_end(rw, at, end) : end;
        rewriter_add(rw, at > first ? "," : "");
        if (!called) {
            rw->cast = first;
        }
        if (!rewrite_exact_argument(rw, at, stop, true)) {
            return false;
        }
        at = stop + 1;
    }
    rewrite_kept_end(rw, kept);
    rewriter_add(rw, seen ? "))" : ")");
    return true;
}

/* Writes a constant of the module, or an element of a constant array. It is hidden from the
 * compiler if it may be 0. */
bool rewrite_exact_constant(Rewriter *rw, size_t i, size_t last, const Constant *constant, size_t *next)
{
    const Type *type;
    int matrix, used;
    size_t first = constant->first + token_is(rewriter_token(rw, constant->first), "static"), end = i + 1;
    first += token_is(rewriter_token(rw, first), "const");
    *next = i + 1;
    bool real = rewrite_exact_on(rw) && !rw->fixed &&
                module_type(rw->module, rewriter_token(rw, first), &type, &matrix, &used) &&
                rewrite_exact_real(type, matrix);
    bool zeros = false;
    for (size_t k = first; real && k < constant->last && !zeros; k++) {
        const Token *t = rewriter_token(rw, k);
        bool initial = t->kind == TOKEN_NAME && module_constant(rw->module, t) &&
                       !token_is(rewriter_token(rw, k + 1), "=") && !token_is(rewriter_token(rw, k + 1), "[");
        zeros = initial || (t->kind == TOKEN_NUMBER && zero_text(t));
    }
    if (!zeros) {
        return rewriter_put_user(rw, rewriter_token(rw, i), "u_");
    }
    end = rewriter_skip_brackets(rw, end, last, INT_MAX);
    rewriter_add(rw, " rill_seen(");
    bool done = rewriter_put_user(rw, rewriter_token(rw, i), "u_") && rewriter_range(rw, i + 1, end);
    rewriter_add(rw, ")");
    *next = end;
    return done;
}

/* --- remainders and conditions: operations whose left operand is written into a call --- */

/* Returns whether all tokens are numbers, whole constants and calls of GLSL's own functions.
 * Lengths of arrays consist of them, and no other function may be called there. */
bool rewrite_exact_fixed(const Rewriter *rw, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++) {
        const Token *t = rewriter_token(rw, i);
        const Local *local = t->kind == TOKEN_NAME ? rewriter_local(rw, t) : NULL;
        const Constant *constant = local || t->kind != TOKEN_NAME ? NULL : module_constant(rw->module, t);
        bool whole = false;
        for (size_t k = constant ? constant->first : 0; constant && k < constant->first + 3; k++) {
            whole = whole || token_is(rewriter_token(rw, k), "int") || token_is(rewriter_token(rw, k), "uint");
        }
        const Type *type;
        int matrix, used;
        bool called = !local && token_is(rewriter_token(rw, i + 1), "(") &&
                      (names_builtin(t) || module_type(rw->module, t, &type, &matrix, &used)) &&
                      !module_function(rw->module, t);
        if (t->kind == TOKEN_NAME && !whole && !called && !(local && (local->fixed || local->constant))) {
            return false;
        }
    }
    return true;
}

bool rewrite_exact_zeros(const Rewriter *rw, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++) {
        const Token *t = rewriter_token(rw, i);
        bool sign = i + 2 == last && token_is(rewriter_token(rw, i - 1), "="); /* the sign of a single number */
        if ((token_is(t, "-") && !sign) || (t->kind == TOKEN_NUMBER && zero_text(t))) {
            return true;
        }
    }
    return false;
}

/* State of one nesting level of brackets: the tokens at which its expression, its last operand of
 * || and its last chain of products begin (0: not begun), and whether an operand has just ended. */
typedef struct Level {
    size_t whole, terms, start;
    bool operand, head, cast;
} Level;

typedef struct Levels {
    Level *items;
    size_t count, capacity;
} Levels;

static bool add_operation(Rewriter *rw, size_t start, size_t at)
{
    OperationList *list = &rw->operations;
    size_t count = list->last - list->first;
    if (!list->slots && !(list->slots = calloc(count + 1, sizeof *list->slots))) {
        return error_set("out of host memory");
    }
    if (!ARRAY_ROOM(list)) {
        return false;
    }
    size_t *slot = &list->slots[start - list->first];
    list->items[list->count++] = (Operation){.start = start, .at = at};
    list->slots[at - list->first] = list->count;
    while (*slot) {
        slot = &list->items[*slot - 1].next;
    }
    *slot = list->count;
    return true;
}

static void begin(Level *level, size_t i)
{
    level->whole = level->whole ? level->whole : i;
    level->terms = level->terms ? level->terms : i;
}

static void open_bracket(const Rewriter *rw, size_t i, size_t last, Level *level, Level *inner)
{
    static const char *const heads[] = {"if", "while", "for", "switch", NULL};
    bool round = token_is(rewriter_token(rw, i), "(");
    *inner = (Level){.head = round && token_any(rewriter_token(rw, i - 1), heads),
                     .cast = round && rewrite_cast_match(rw, i, last)};
    if (round && !level->operand && !level->start) {
        level->start = i;
    }
}

static void read_word(const Rewriter *rw, size_t i, Level *level)
{
    static const char *const words[] = {"return", "else", "do", "case", "if", "while", "for", "switch", NULL},
                             *const joins[] = {".", "indexof", "unsigned", "struct", NULL};
    const Token *t = rewriter_token(rw, i);
    if (token_any(t, words)) {
        *level = (Level){.head = level->head, .cast = level->cast};
        return;
    }
    bool joined = token_any(rewriter_token(rw, i - 1), joins);
    if (!joined && (level->operand || !level->start)) {
        level->start = i; /* two consecutive words: a type and a name */
    }
    level->operand = true;
}

static bool read_mark(Rewriter *rw, size_t i, Level *level)
{
    static const char *const steps[] = {"++", "--", NULL}, *const signs[] = {"-", "+", "!", "~", NULL},
                             *const separators[] = {"=",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=",
                                                    "^=", "<<=", ">>=", ",",  ";",  "?",  ":",  NULL},
                             *const products[] = {"*", "/", "%", "%=", NULL};
    const Token *t = rewriter_token(rw, i);
    bool either = token_is(t, "||"), choice = token_is(t, "?");
    if (token_is(t, ".")) {
        return true;
    }
    if (either || choice || token_is(t, "&&")) {
        size_t first = either || choice ? level->whole : level->terms;
        if (first && first < i && !add_operation(rw, first, i)) {
            return false;
        }
    }
    if (token_any(t, separators)) {
        level->whole = 0;
    }
    level->terms = either || token_is(t, "^^") || !level->whole ? 0 : level->terms;
    if (token_any(t, steps) || (!level->operand && token_any(t, signs))) {
        level->start = level->start ? level->start : i;
        return true;
    }
    if ((token_is(t, "%") || token_is(t, "%=")) && level->start && !add_operation(rw, level->start, i)) {
        return false;
    }
    level->start = token_any(t, products) && !token_is(t, "%=") ? level->start : 0;
    level->operand = false;
    return true;
}

bool rewrite_exact_scan(Rewriter *rw, size_t first, size_t last)
{
    Levels levels = {0};
    Level top = {0};
    bool done = true;
    rw->operations.first = first;
    rw->operations.last = last;
    for (size_t i = first; done && i < last; i++) {
        const Token *t = rewriter_token(rw, i);
        begin(&top, i);
        if (token_nesting(t) > 0) {
            Level inner;
            open_bracket(rw, i, last, &top, &inner);
            done = ARRAY_ROOM(&levels);
            if (done) {
                levels.items[levels.count++] = top;
                top = inner;
            }
        } else if (levels.count && token_nesting(t) < 0) {
            Level inner = top;
            top = levels.items[--levels.count];
            bool ends = inner.head || token_is(t, "}");
            top = ends ? (Level){.head = top.head, .cast = top.cast} : top;
            top.operand = !ends && !inner.cast;
        } else if (t->kind == TOKEN_NUMBER || is_word(t)) {
            read_word(rw, i, &top);
        } else {
            done = read_mark(rw, i, &top);
        }
    }
    free(levels.items);
    return done;
}

static Operation *operation_of(const Rewriter *rw, size_t i)
{
    const OperationList *list = &rw->operations;
    size_t slot = list->slots && i >= list->first && i < list->last ? list->slots[i - list->first] : 0;
    return slot ? &list->items[slot - 1] : NULL;
}

static bool stored_whole(const Rewriter *rw, const Token *name)
{
    int index;
    const Param *param = rewriter_local(rw, name) ? NULL : rewriter_param(rw, name, &index);
    return param && param->kind == PARAM_RANDOM_ACCESS && !body_plain_random(param->type);
}

static Operation *next_of(const Rewriter *rw, const Operation *r)
{
    return r->next ? &rw->operations.items[r->next - 1] : NULL;
}

static bool is_condition(const Rewriter *rw, size_t at)
{
    static const char *const marks[] = {"?", "&&", "||", NULL};
    return token_any(rewriter_token(rw, at), marks);
}

/* Writes what must precede the operations that begin at token i: of the last one, which contains the others, first. */
static void open_operations(Rewriter *rw, Operation *r, size_t i)
{
    bool condition = is_condition(rw, r->at), assigns = token_is(rewriter_token(rw, r->at), "%=");
    if (next_of(rw, r)) {
        open_operations(rw, next_of(rw, r), i);
    }
    r->plain = assigns     ? stored_whole(rw, rewriter_token(rw, i))
               : condition ? rw->fixed || !rewrite_exact_computes(rw, i, r->at)
                           : rw->fixed;
    if (!r->plain) {
        rewriter_add(rw, condition ? " rill_truth((" : assigns ? " rill_rem_to(" : " rill_rem(");
        Value want = condition ? brook_value_of(VALUE_BOOL, 1) : rewrite_kept_type(rw, i, r->at);
        r->kept = !assigns && rewrite_kept_begin(rw, i, r->at, want);
    }
}

void rewrite_exact_open(Rewriter *rw, size_t i)
{
    Operation *r = operation_of(rw, i);
    if (r && r->at != i) {
        open_operations(rw, r, i);
    }
}

/* --- operators and words --- */

static bool put_remainder(Rewriter *rw, size_t i, size_t last, size_t *next, bool *done)
{
    const Operation *r = operation_of(rw, i);
    if (!r || r->plain || r->at != i) {
        return false;
    }
    const Token *t = rewriter_token(rw, i);
    bool assigns = token_is(t, "%=");
    *next = assigns ? expression_end(rw, i + 1, last) : rewrite_cast_operand(rw, i + 1, last);
    rewrite_kept_end(rw, r->kept);
    *done = rewriter_put(rw, t, ",", 1) && rewrite_kept_value(rw, i + 1, *next);
    rewriter_add(rw, ")");
    return true;
}

/* Returns whether an operand is an element that is loaded, so that the compiler does not know its value. */
static bool has_element(const Rewriter *rw, size_t first, size_t last)
{
    int index;
    for (size_t i = first; rw->self.function == rw->root && i < last && !token_is(rewriter_token(rw, i), "["); i++) {
        const Token *t = rewriter_token(rw, i);
        const Param *param = t->kind == TOKEN_NAME && !rewriter_local(rw, t) ? rewriter_param(rw, t, &index) : NULL;
        bool loaded = param && param_kinds[param->kind].element && param_kinds[param->kind].read;
        if (loaded && rewrite_exact_real(param->type, param->matrix) && !token_is(t - 1, ".")) {
            return true;
        }
    }
    return false;
}

static bool put_divisor(Rewriter *rw, size_t i, size_t last, size_t *next, bool *done)
{
    const Token *t = rewriter_token(rw, i);
    bool assigns = token_is(t, "/=");
    size_t end = assigns ? expression_end(rw, i + 1, last) : rewrite_cast_operand(rw, i + 1, last);
    bool number = end == i + 2 && rewriter_token(rw, i + 1)->kind == TOKEN_NUMBER;
    if (rw->fixed || number || end <= i + 1 || has_element(rw, i + 1, end)) {
        return false;
    }
    *next = end;
    *done = rewriter_put(rw, t, t->text, t->length);
    rewriter_add(rw, " rill_seen(");
    *done = *done && rewrite_kept_value(rw, i + 1, end);
    rewriter_add(rw, ")");
    return true;
}

/* Writes "return value;" through a variable. */
static bool put_result(Rewriter *rw, size_t i, size_t last, size_t *next, bool *done)
{
    const Function *f = rw->self.function;
    size_t end = expression_end(rw, i + 1, last);
    if (end == i + 1 || !token_is(rewriter_token(rw, end), ";") || (!f->result && !f->result_matrix)) {
        return false;
    }
    const Token *t = rewriter_token(rw, i);
    *done = rewriter_put(rw, t, "{ precise ", 10);
    rewriter_add(rw, f->result_matrix ? module_value_name(f->result_matrix) : glsl_type(f->result));
    rewriter_add(rw, " rill_r =");
    *done = *done && rewrite_exact_argument(rw, i + 1, end, rewrite_exact_real(f->result, f->result_matrix)) &&
            rewriter_put(rw, rewriter_token(rw, end), ";", 1);
    rewriter_add(rw, " return rill_r; }");
    *next = end + 1;
    return true;
}

/* Returns whether a condition contains arithmetic, a negation or a call, and not only comparisons of values. */
bool rewrite_exact_computes(const Rewriter *rw, size_t first, size_t last)
{
    static const char *const marks[] = {"+", "-", "*", "/", "!", "(", NULL};
    for (size_t i = first; rewrite_exact_on(rw) && i < last; i++) {
        if (token_any(rewriter_token(rw, i), marks)) {
            return true;
        }
    }
    return false;
}

/* Writes "case number:", where no function may be called. */
static bool put_label(Rewriter *rw, size_t i, size_t last, size_t *next)
{
    const Token *t = rewriter_token(rw, i);
    bool fixed = rw->fixed;
    rw->fixed = true;
    *next = expression_end(rw, i + 1, last);
    bool done = rewriter_put(rw, t, t->text, t->length) && rewriter_range(rw, i + 1, *next);
    rw->fixed = fixed;
    return done;
}

bool rewrite_exact_match(Rewriter *rw, size_t i, size_t last, size_t *next, bool *done)
{
    const Token *t = rewriter_token(rw, i);
    if (token_is(t, "case")) {
        *done = put_label(rw, i, last, next);
        return true;
    }
    if (token_is(t, "%") || token_is(t, "%=")) {
        return put_remainder(rw, i, last, next, done);
    }
    if (!rewrite_exact_on(rw)) {
        return false;
    }
    if (is_condition(rw, i)) {
        const Operation *r = operation_of(rw, i);
        bool ends = r && r->at == i && !r->plain;
        rewrite_kept_end(rw, ends && r->kept);
        rewriter_add(rw, ends ? "))" : "");
        return false;
    }
    if (token_is(t, "/") || token_is(t, "/=")) {
        return put_divisor(rw, i, last, next, done);
    }
    size_t close =
        t->kind == TOKEN_MARK && is_word(t) && token_is(t + 1, "(") ? module_close(rw->module, i + 1, last) : 0;
    bool handled;
    *done = !close || rewrite_exact_construct(rw, i, i + 2, close - 1, true, &handled);
    if (!*done || (close && handled)) {
        *next = close;
        return true;
    }
    *next = i + 1;
    return (t->kind == TOKEN_NUMBER && put_zero(rw, i, done)) ||
           (token_is(t, "return") && put_result(rw, i, last, next, done));
}

/* --- stores --- */

/* Returns whether computing the indices of an element twice could make a difference. */
static bool has_effects(const Rewriter *rw, size_t first, size_t last)
{
    static const char *const effects[] = {
        "++", "--", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "modf", "frexp", NULL};
    for (size_t i = first; i < last; i++) {
        const Token *t = rewriter_token(rw, i);
        bool atomic = t->length > 6 && memcmp(t->text, "atomic", 6) == 0;
        if (token_any(t, effects) || atomic || (t->kind == TOKEN_NAME && module_function(rw->module, t))) {
            return true;
        }
    }
    return false;
}

bool rewrite_exact_store(Rewriter *rw, size_t first, size_t last, Store *store)
{
    static const char *const changes[] = {"+=", "-=", "*=", "/=", NULL};
    const Token *t = rewriter_token(rw, store->op);
    store->change = store->type.base >= VALUE_FLOAT && token_any(t, changes) && !has_effects(rw, first, store->op);
    store->end = expression_end(rw, store->op + 1, last);
    bool done = store->change ? rewriter_put(rw, t, "=", 1) : rewriter_put(rw, t, t->text, t->length);
    rewriter_add(rw, " rill_kept(");
    if (store->change) {
        store->kept = rewrite_kept_open(rw, store->type);
    } else {
        Value want = token_is(t, "=") ? store->type : rewrite_kept_type(rw, store->op + 1, store->end);
        store->kept = rewrite_kept_begin(rw, store->op + 1, store->end, want);
    }
    return done;
}

bool rewrite_exact_stored(Rewriter *rw, const Store *store)
{
    const Token *t = rewriter_token(rw, store->op);
    if (store->change) {
        strbuf_add_bytes(&rw->out, t->text, 1);
        rewriter_add(rw, token_is(t, "/=") ? " rill_seen(" : " (");
    }
    bool done = store->change && token_is(t, "/=") ? rewrite_kept_value(rw, store->op + 1, store->end)
                                                   : rewriter_range(rw, store->op + 1, store->end);
    rewriter_add(rw, store->change ? ")" : "");
    rewrite_kept_end(rw, store->kept);
    rewriter_add(rw, ")");
    return done;
}
