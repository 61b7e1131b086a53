#include "kernel/dialect/brook_operator.h"

/* `vectors`: GLSL's function for vectors, if the operator accepts only scalars. */
static const struct {
    const char *mark;
    int level;
    const char *vectors;
} operators[] = {
    {"=", LEVEL_ASSIGN, NULL},
    {"+=", LEVEL_ASSIGN, NULL},
    {"-=", LEVEL_ASSIGN, NULL},
    {"*=", LEVEL_ASSIGN, NULL},
    {"/=", LEVEL_ASSIGN, NULL},
    {"%=", LEVEL_ASSIGN, NULL},
    {"&=", LEVEL_ASSIGN, NULL},
    {"|=", LEVEL_ASSIGN, NULL},
    {"^=", LEVEL_ASSIGN, NULL},
    {"<<=", LEVEL_ASSIGN, NULL},
    {">>=", LEVEL_ASSIGN, NULL},
    {"?", LEVEL_CHOICE, NULL},
    {"||", LEVEL_OR, "rill_cg_or"},
    {"^^", LEVEL_XOR, "notEqual"},
    {"&&", LEVEL_AND, "rill_cg_and"},
    {"|", LEVEL_BIT_OR, NULL},
    {"^", LEVEL_BIT_XOR, NULL},
    {"&", LEVEL_BIT_AND, NULL},
    {"==", LEVEL_EQUAL, "equal"},
    {"!=", LEVEL_EQUAL, "notEqual"},
    {"<", LEVEL_ORDER, "lessThan"},
    {">", LEVEL_ORDER, "greaterThan"},
    {"<=", LEVEL_ORDER, "lessThanEqual"},
    {">=", LEVEL_ORDER, "greaterThanEqual"},
    {"<<", LEVEL_SHIFT, NULL},
    {">>", LEVEL_SHIFT, NULL},
    {"+", LEVEL_SUM, NULL},
    {"-", LEVEL_SUM, NULL},
    {"*", LEVEL_PRODUCT, NULL},
    {"/", LEVEL_PRODUCT, NULL},
    {"%", LEVEL_PRODUCT, NULL},
};

int brook_operator(const Token *mark)
{
    for (int i = 0; mark && mark->kind == TOKEN_MARK && i < (int)(sizeof operators / sizeof *operators); i++) {
        if (token_is(mark, operators[i].mark)) {
            return i;
        }
    }
    return -1;
}

/* Converts the left operand; the right one follows it. */
static bool fit_left(BrookWriter *w, Operand *left, Operand *right, Value want)
{
    size_t before = left->last;
    if (!brook_fit(w, left->first, &left->last, &left->value, want)) {
        return false;
    }
    right->first += left->last - before;
    right->last += left->last - before;
    return true;
}

static bool fit_right(BrookWriter *w, Operand *right, Value want)
{
    return brook_fit(w, right->first, &right->last, &right->value, want);
}

static bool fit_both(BrookWriter *w, Operand *left, Operand *right, Value want)
{
    return fit_right(w, right, want) && fit_left(w, left, right, want);
}

static Value with_count(Value value, int count)
{
    value.count = count;
    return value;
}

/* Returns the common type of two numbers. Bools count as ints. */
static Value together(Value a, Value b)
{
    ValueBase base = a.base > b.base ? a.base : b.base;
    return brook_value_of(base == VALUE_BOOL ? VALUE_INT : base, brook_value_common(a.count, b.count));
}

/* Converts the operands of an operator on numbers: bools become numbers, and the longer vector is
 * truncated. A scalar combined with a vector is unchanged. */
static bool fit_numbers(BrookWriter *w, Operand *left, Operand *right, Value *result)
{
    if (!brook_value_plain(left->value) || !brook_value_plain(right->value)) {
        *result = brook_value_of(VALUE_UNKNOWN, 1);
        return true;
    }
    *result = together(left->value, right->value);
    Operand *sides[] = {right, left};
    for (int i = 0; i < 2; i++) {
        int count = sides[i]->value.count > result->count ? result->count : sides[i]->value.count;
        Value want = with_count(sides[i]->value, count);
        want.base = want.base == VALUE_BOOL ? result->base : want.base;
        if (!(i ? fit_left(w, left, right, want) : fit_right(w, right, want))) {
            return false;
        }
    }
    return true;
}

/* Turns "a op b" into "function(a, b)". */
static bool make_call(BrookWriter *w, const Operand *left, const char *function)
{
    brook_replace(w, left->last, ",");
    size_t last = w->out.count;
    return brook_wrap(w, left->first, &last, function);
}

/* Converts a number to type `want`, even if GLSL would widen it implicitly, since compilers differ
 * in which overload they choose. */
static bool make_exactly(BrookWriter *w, Operand *side, Value want)
{
    bool same = side->value.base == want.base && side->value.count == want.count;
    return same || brook_wrap(w, side->first, &side->last, brook_value_name(want));
}

/* Converts "a % b" of numbers of which at least one is a float. */
static bool float_remainder(BrookWriter *w, Operand *left, Operand *right, Value *result)
{
    *result = together(left->value, right->value);
    return make_exactly(w, right, *result) && make_exactly(w, left, *result) && make_call(w, left, "rill_fmod");
}

static bool takes_remainder(const char *mark, const Operand *left, const Operand *right)
{
    bool real = left->value.base >= VALUE_FLOAT || right->value.base >= VALUE_FLOAT;
    return *mark == '%' && real && brook_value_plain(left->value) && brook_value_plain(right->value);
}

static bool compare(BrookWriter *w, int op, Operand *left, Operand *right, Value *result)
{
    *result = brook_value_of(VALUE_BOOL, 1);
    if (!brook_value_plain(left->value) || !brook_value_plain(right->value)) {
        return true;
    }
    Value want = together(left->value, right->value);
    bool equality = operators[op].level == LEVEL_EQUAL;
    if (equality && left->value.base == VALUE_BOOL && right->value.base == VALUE_BOOL) {
        want.base = VALUE_BOOL;
    }
    result->count = want.count;
    if (want.count > 1) {
        return fit_both(w, left, right, want) && make_call(w, left, operators[op].vectors);
    }
    /* Scalars: GLSL widens numbers by itself. */
    bool number = want.base != VALUE_BOOL;
    return (!number || right->value.base != VALUE_BOOL || fit_right(w, right, want)) &&
           (!number || left->value.base != VALUE_BOOL || fit_left(w, left, right, want));
}

static bool combine(BrookWriter *w, int op, Operand *left, Operand *right, Value *result)
{
    int count = 1;
    if (brook_value_plain(left->value) && brook_value_plain(right->value)) {
        count = brook_value_common(left->value.count, right->value.count);
    }
    *result = brook_value_of(VALUE_BOOL, count);
    return fit_both(w, left, right, *result) && (count == 1 || make_call(w, left, operators[op].vectors));
}

/* Converts "a op= b" if GLSL does not have it, because b is wider than a or the operator is % of
 * floats: "a = T(a op (b))", as in C. */
static bool spell_assignment(BrookWriter *w, int op, Operand *left, Operand *right)
{
    static const char *const plain[] = {"", "+", "-", "*", "/", "%"};
    size_t last = right->last, at = right->first;
    brook_replace(w, left->last, "=");
    if (!brook_wrap(w, at, &last, NULL) || !brook_insert(w, at, plain[op])) {
        return false;
    }
    Operand again = {at, at + left->last - left->first, left->value};
    for (size_t i = left->last; i-- > left->first;) {
        if (!brook_insert_token(w, at, w->out.items[i])) {
            return false;
        }
    }
    Operand by = {again.last + 1, w->out.count, right->value};
    if (takes_remainder(plain[op], &again, &by) && !float_remainder(w, &again, &by, &again.value)) {
        return false;
    }
    last = w->out.count;
    return brook_wrap(w, at, &last, brook_value_name(left->value));
}

static bool assign(BrookWriter *w, int op, Operand *left, Operand *right, Value *result)
{
    *result = left->value;
    bool plain = brook_value_plain(left->value) && brook_value_plain(right->value);
    bool arithmetic = op >= 1 && op <= 5;
    if (plain && arithmetic && right->value.count > 1 && right->value.count != left->value.count &&
        !fit_right(w, right, with_count(right->value, left->value.count))) {
        return false;
    }
    bool widens = left->value.base < VALUE_FLOAT && right->value.base >= VALUE_FLOAT;
    if (plain && arithmetic && (widens || takes_remainder(operators[op].mark, left, right))) {
        if (brook_changes(w, left->first, left->last)) {
            return source_error(&w->module->source, w->out.items[left->first].offset,
                                "an assignment that converts its result requires a variable without side effects: "
                                "no ++, --, = or function with an output in it");
        }
        return spell_assignment(w, op, left, right);
    }
    bool scalar = op > 0 && plain && right->value.count == 1;
    return fit_right(w, right, scalar ? with_count(left->value, 1) : left->value);
}

bool brook_binary(BrookWriter *w, int op, Operand *left, Operand *right, Value *result)
{
    int level = operators[op].level;
    if (level == LEVEL_ASSIGN) {
        return assign(w, op, left, right, result);
    }
    if (level == LEVEL_EQUAL || level == LEVEL_ORDER) {
        return compare(w, op, left, right, result);
    }
    if (takes_remainder(operators[op].mark, left, right)) {
        return float_remainder(w, left, right, result);
    }
    return level <= LEVEL_AND ? combine(w, op, left, right, result) : fit_numbers(w, left, right, result);
}

int brook_operator_level(int op)
{
    return operators[op].level;
}

bool brook_choose(BrookWriter *w, Operand *cond, Operand *a, Operand *b, Value *result)
{
    Value truth = brook_value_of(VALUE_BOOL, 1);
    if (!brook_value_plain(a->value) || !brook_value_plain(b->value)) {
        *result = brook_value_plain(a->value) ? b->value : a->value;
        return fit_left(w, cond, a, truth);
    }
    Value want = together(a->value, b->value);
    if (a->value.base == VALUE_BOOL && b->value.base == VALUE_BOOL) {
        want.base = VALUE_BOOL;
    }
    bool vector = brook_value_plain(cond->value) && cond->value.count > 1;
    want.count = vector ? brook_value_common(cond->value.count, want.count) : want.count;
    truth.count = vector ? want.count : 1;
    *result = want;
    bool alike = a->value.count == want.count && b->value.count == want.count &&
                 (a->value.base == VALUE_BOOL) == (b->value.base == VALUE_BOOL);
    if (!alike || vector) {
        if (!fit_both(w, a, b, want)) {
            return false;
        }
    }
    if (!vector) {
        return fit_left(w, cond, a, truth);
    }
    brook_replace(w, a->last, ",");
    brook_replace(w, cond->last, ",");
    size_t last = w->out.count, before = cond->last;
    if (!brook_fit(w, cond->first, &cond->last, &cond->value, truth)) {
        return false;
    }
    last += cond->last - before;
    return brook_wrap(w, cond->first, &last, "rill_cg_choose");
}
