/* Expressions of Brook's dialect. At a construct that is not understood the expression ends, and
 * the statement around it copies the rest. */
#include "kernel/dialect/brook_call.h"
#include "kernel/dialect/brook_operator.h"

static bool read_operand(BrookWriter *w, int level, Operand *operand)
{
    operand->first = w->out.count;
    bool done = brook_expression(w, level, &operand->value);
    operand->last = w->out.count;
    return done;
}

/* Converts the operand that was written last, before any marks. */
static bool fit(BrookWriter *w, Operand *operand, Value want)
{
    return brook_fit(w, operand->first, &operand->last, &operand->value, want);
}

/* operands */

static bool indices(BrookWriter *w, Value *value)
{
    while (brook_next_is(w, "[")) {
        Operand index;
        if (!brook_put(w) || !read_operand(w, 0, &index) || !brook_put_rest(w, "")) {
            return false;
        }
        bool element = !value->offsets && value->brackets == 0;
        bool vector = brook_value_plain(index.value) && index.value.count > 1;
        bool real = brook_value_plain(index.value) && index.value.base >= VALUE_FLOAT;
        if (real && !value->offsets && !value->gather && !fit(w, &index, brook_value_of(VALUE_INT, 1))) {
            return false;
        }
        if (!brook_put(w)) {
            return false;
        }
        if (value->offsets) {
            continue;
        }
        if (element && value->matrix) {
            *value = brook_value_column(*value);
        } else if (element) {
            *value = brook_value_of(value->base >= VALUE_BOOL && value->count > 1 ? value->base : VALUE_UNKNOWN, 1);
        } else {
            value->brackets = vector ? 0 : value->brackets - 1;
        }
    }
    value->offsets = false;
    return true;
}

static bool postfix(BrookWriter *w, Value *value)
{
    for (;;) {
        if (brook_next_is(w, "[")) {
            if (!indices(w, value)) {
                return false;
            }
        } else if (brook_next_is(w, ".") && brook_peek_next(w)->kind == TOKEN_NAME) {
            *value = brook_value_field(*value, brook_peek_next(w));
            if (!brook_put(w) || !brook_put(w)) {
                return false;
            }
        } else if (brook_next_is(w, "++") || brook_next_is(w, "--")) {
            if (!brook_put(w)) {
                return false;
            }
        } else {
            value->offsets = false;
            return true;
        }
    }
}

/* Returns whether "(T)" precedes an operand. */
static bool is_cast(const BrookWriter *w, Value *type, int *used)
{
    const Token *name = brook_peek_next(w);
    const Type *named;
    int matrix;
    if (!brook_next_is(w, "(") || name->kind != TOKEN_NAME || brook_name(w, name) ||
        !module_type(w->module, name, &named, &matrix, used) || (!named && !matrix)) {
        return false;
    }
    *type = brook_value(named, matrix);
    size_t close = w->at + 1 + (size_t)*used;
    return close + 1 < w->last && token_is(&w->module->tokens.items[close], ")");
}

static bool cast(BrookWriter *w, Value type, int used, Value *value)
{
    Operand operand;
    if (!brook_value_plain(type)) {
        *value = type;
        return brook_put_until(w, w->at + (size_t)used + 2) && read_operand(w, LEVEL_UNARY, &operand);
    }
    w->at += (size_t)used + 2;
    if (!read_operand(w, LEVEL_UNARY, &operand)) {
        return false;
    }
    *value = type;
    Value have = operand.value;
    if (brook_value_plain(have) && !(have.base == type.base && have.count == type.count)) {
        return fit(w, &operand, type) &&
               (operand.value.base == type.base || brook_wrap(w, operand.first, &operand.last, brook_value_name(type)));
    }
    return brook_value_plain(have) || brook_wrap(w, operand.first, &operand.last, brook_value_name(type));
}

static bool negate(BrookWriter *w, Value *value)
{
    size_t mark = w->out.count;
    Operand operand;
    if (!brook_put(w) || !read_operand(w, LEVEL_UNARY, &operand)) {
        return false;
    }
    bool vector = brook_value_plain(operand.value) && operand.value.count > 1;
    *value = brook_value_of(VALUE_BOOL, vector ? operand.value.count : 1);
    if (!fit(w, &operand, *value) || !vector) {
        return fit(w, &operand, *value);
    }
    brook_replace(w, mark, "not");
    return brook_wrap(w, operand.first, &operand.last, NULL);
}

static bool prefix(BrookWriter *w, Value *value)
{
    bool changes = brook_next_is(w, "++") || brook_next_is(w, "--");
    Operand operand;
    if (!brook_put(w) || !read_operand(w, LEVEL_UNARY, &operand)) {
        return false;
    }
    bool truth = !changes && operand.value.base == VALUE_BOOL && brook_value_plain(operand.value);
    bool done = !truth || fit(w, &operand, brook_value_of(VALUE_INT, operand.value.count));
    *value = operand.value;
    return done;
}

/* Reads the arguments and both brackets. Arguments beyond the size of the array are copied. */
static bool read_arguments(BrookWriter *w, BrookArguments *a)
{
    a->count = 0;
    if (!brook_put(w)) {
        return false;
    }
    while (w->at < w->last && !brook_next_is(w, ")") && a->count < MAX_PARAMS) {
        int k = a->count++;
        a->first[k] = w->out.count;
        if (!brook_expression(w, 0, &a->value[k]) || !brook_put_rest(w, ",")) {
            return false;
        }
        a->last[k] = w->out.count;
        if (brook_next_is(w, ",") && !brook_put(w)) {
            return false;
        }
    }
    return brook_put_rest(w, "") && brook_put(w);
}

/* Converts a call whose name has `used` tokens, and its arguments; also "indexof name". */
static bool call(BrookWriter *w, int used, Value *value)
{
    BrookArguments a = {.count = 1};
    const Token *name = brook_peek(w);
    size_t at = w->out.count;
    bool bare = token_is(name, "indexof") && brook_peek_next(w)->kind == TOKEN_NAME;
    if (!brook_put_until(w, w->at + (size_t)used) || !(bare ? brook_put(w) : read_arguments(w, &a))) {
        return false;
    }
    return brook_call(w, name, at, &a, value);
}

static bool word(BrookWriter *w, Value *value)
{
    const Token *t = brook_peek(w);
    bool called = token_is(brook_peek_next(w), "(");
    const BrookName *name = called ? NULL : brook_name(w, t);
    const Type *type;
    int matrix, used = 1;
    if (name) {
        *value = name->value;
        return brook_put(w);
    }
    if (token_is(t, "true") || token_is(t, "false")) {
        *value = brook_value_of(VALUE_BOOL, 1);
        return brook_put(w);
    }
    bool two =
        module_type(w->module, t, &type, &matrix, &used) && used == 2 && w->at + 2 < w->last && token_is(t + 2, "(");
    bool bare = token_is(t, "indexof") && brook_peek_next(w)->kind == TOKEN_NAME;
    return called || two || bare ? call(w, two ? 2 : 1, value) : brook_put(w);
}

static bool primary(BrookWriter *w, Value *value)
{
    const Token *t = brook_peek(w);
    *value = brook_value_of(VALUE_UNKNOWN, 1);
    if (brook_next_is(w, "(")) {
        bool done = brook_put(w) && brook_expression(w, 0, value);
        while (done && brook_next_is(w, ",")) {
            done = brook_put(w) && brook_expression(w, 0, value);
        }
        return done && brook_put_rest(w, "") && brook_put(w);
    }
    if (t->kind == TOKEN_NUMBER) {
        *value = brook_value_number(t);
        return brook_put(w);
    }
    return t->kind != TOKEN_NAME || word(w, value);
}

static bool unary(BrookWriter *w, Value *value)
{
    Value type;
    int used;
    if (brook_next_is(w, "!")) {
        return negate(w, value);
    }
    if (brook_next_is(w, "-") || brook_next_is(w, "+") || brook_next_is(w, "~") || brook_next_is(w, "++") ||
        brook_next_is(w, "--")) {
        return prefix(w, value);
    }
    if (is_cast(w, &type, &used)) {
        return cast(w, type, used, value);
    }
    return primary(w, value) && postfix(w, value);
}

/* Converts the rest of "cond ? a : b" after the condition. */
static bool choice(BrookWriter *w, Operand *cond, Value *value)
{
    Operand a, b;
    *value = brook_value_of(VALUE_UNKNOWN, 1);
    if (!brook_put(w) || !read_operand(w, 0, &a)) {
        return false;
    }
    if (!brook_next_is(w, ":")) {
        return true; /* the compiler reports the error */
    }
    return brook_put(w) && read_operand(w, LEVEL_ASSIGN, &b) && brook_choose(w, cond, &a, &b, value);
}

/* Converts the rest of "left op right" after the left operand. */
static bool infix(BrookWriter *w, int op, Operand *left, Value *value)
{
    Operand right;
    int level = brook_operator_level(op);
    return brook_put(w) && read_operand(w, level + (level > LEVEL_ASSIGN), &right) &&
           (right.first == right.last || brook_binary(w, op, left, &right, value));
}

bool brook_expression(BrookWriter *w, int level, Value *value)
{
    Operand left = {.first = w->out.count};
    if (!unary(w, &left.value)) {
        return false;
    }
    for (;;) {
        int op = brook_operator(brook_peek(w));
        left.last = w->out.count;
        *value = left.value;
        if (op < 0 || brook_operator_level(op) < level || left.last == left.first) {
            return true;
        }
        bool chooses = brook_operator_level(op) == LEVEL_CHOICE;
        if (!(chooses ? choice(w, &left, value) : infix(w, op, &left, value))) {
            return false;
        }
        left.value = *value;
    }
}
