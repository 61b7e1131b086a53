/* The rules of Brook's dialect for types. Values of all numeric types and numbers of components are converted: a scalar fills
 * a vector, the longer of two vectors is truncated, bools are numbers, and comparisons of vectors compare their components.
 * A conversion becomes a Construct, an operation that GLSL has for scalars only the call of a function. */
#include "kernel/pass/type_private.h"
#include "kernel/tree/functions.h"

#include <string.h>

/* Returns whether a type is a bool or number, or a vector of them. */
static bool is_plain(TypeInfo info)
{
    return pass_is_plain(info) && info.columns == 1;
}

static TypeInfo info_of(const Typing *t, NodeIndex node)
{
    return pass_info(t, pass_node(t, node)->type);
}

static bool are_plain(const Typing *t, NodeIndex a, NodeIndex b)
{
    return is_plain(info_of(t, a)) && is_plain(info_of(t, b));
}

/* Makes a node the argument of a constructor of a type, which takes its place. */
static void wrap(Typing *t, NodeIndex node, TypeIndex type)
{
    NodeIndex inner = node_add(t->tree, NODE_CONSTRUCT, pass_node(t, node)->token);
    if (!inner) {
        return;
    }
    Node *outer = pass_node(t, node), *copy = pass_node(t, inner);
    *copy = *outer;
    copy->next = 0;
    outer->kind = NODE_CONSTRUCT;
    outer->flags = 0;
    outer->target = 0;
    outer->child = inner;
    outer->type = type;
}

/* Makes an operation the call of a function with its operands as arguments. */
static TypeIndex call(Typing *t, NodeIndex node, const char *function, TypeIndex type)
{
    pass_node(t, node)->kind = NODE_BUILTIN;
    pass_node(t, node)->target = functions_number(functions_named(function));
    return type;
}

bool brook_fit(Typing *t, NodeIndex node, TypeIndex want, const Token *place)
{
    TypeIndex have = pass_node(t, node)->type;
    TypeInfo from = pass_info(t, have), to = pass_info(t, want);
    if (!is_plain(from) || !is_plain(to)) {
        return false;
    }
    if (from.rows > 1 && from.rows < to.rows) {
        message_add(t->messages, place, "%d components cannot become %d\nonly a scalar fills a vector", from.rows,
                    to.rows);
    } else if (!types_converts(&t->tree->types, have, want)) {
        wrap(t, node, want);
    }
    return true;
}

bool pass_fit(Typing *t, NodeIndex node, TypeIndex want, const Token *place)
{
    TypeIndex have = pass_node(t, node)->type;
    return (have && want && t->brook && brook_fit(t, node, want, place)) || pass_fits(t, have, want, place, node, 0);
}

/* Converts a value to exactly a type: GLSL widens an int implicitly, but compilers differ in which form of a function they
 * choose. */
static void fit_exactly(Typing *t, NodeIndex node, TypeIndex want)
{
    if (pass_node(t, node)->type == want || !brook_fit(t, node, want, pass_first(t, node))) {
        return;
    }
    if (pass_node(t, node)->type != want) {
        wrap(t, node, want);
    }
}

static void fit(Typing *t, NodeIndex node, Base base, int rows)
{
    brook_fit(t, node, types_of(base, 1, rows), pass_first(t, node));
}

/* operators */

/* Returns the number of components of an operation. A scalar is repeated, the longer of two vectors is truncated. */
static int common_rows(int a, int b)
{
    return a == 1 || b == 1 ? (a > b ? a : b) : (a < b ? a : b);
}

/* Returns the type to which two numbers are converted. Bools count as ints. */
static TypeInfo together(TypeInfo a, TypeInfo b)
{
    Base base = a.base > b.base ? a.base : b.base;
    return (TypeInfo){.base = base == BASE_BOOL ? BASE_INT : base, .rows = common_rows(a.rows, b.rows), .columns = 1};
}

static bool is_real(TypeInfo info)
{
    return info.base == BASE_FLOAT || info.base == BASE_DOUBLE;
}

bool brook_arithmetic(Typing *t, NodeIndex node, TypeIndex *type)
{
    NodeIndex sides[] = {pass_child(t, node, 0), pass_child(t, node, 1)};
    if (!are_plain(t, sides[0], sides[1])) {
        return false;
    }
    TypeInfo all = together(info_of(t, sides[0]), info_of(t, sides[1]));
    bool remains = token_is(node_token(t->tree, node), "%") && is_real(all);
    for (int i = 0; i < 2; i++) {
        TypeInfo side = info_of(t, sides[i]);
        if (remains) {
            fit_exactly(t, sides[i], types_of(all.base, 1, all.rows));
        } else {
            fit(t, sides[i], side.base == BASE_BOOL ? all.base : side.base,
                side.rows > all.rows ? all.rows : side.rows);
        }
    }
    if (remains) {
        *type = call(t, node, "rill_fmod", types_of(all.base, 1, all.rows));
    }
    return remains;
}

bool brook_compare(Typing *t, NodeIndex node, TypeIndex *type)
{
    static const char *const functions[][2] = {{"==", "equal"},      {"!=", "notEqual"},
                                               {"<", "lessThan"},    {"<=", "lessThanEqual"},
                                               {">", "greaterThan"}, {">=", "greaterThanEqual"}};
    NodeIndex a = pass_child(t, node, 0), b = pass_child(t, node, 1);
    const Token *mark = node_token(t->tree, node);
    if (!are_plain(t, a, b)) {
        return false;
    }
    TypeInfo all = together(info_of(t, a), info_of(t, b));
    bool truths = info_of(t, a).base == BASE_BOOL && info_of(t, b).base == BASE_BOOL;
    all.base = truths && mark->text[1] == '=' && *mark->text != '<' && *mark->text != '>' ? BASE_BOOL : all.base;
    if (all.rows == 1) { /* GLSL widens other numbers itself */
        fit(t, a, info_of(t, a).base == BASE_BOOL ? all.base : info_of(t, a).base, 1);
        fit(t, b, info_of(t, b).base == BASE_BOOL ? all.base : info_of(t, b).base, 1);
        return false;
    }
    fit(t, a, all.base, all.rows);
    fit(t, b, all.base, all.rows);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (token_is(mark, functions[i][0])) {
            *type = call(t, node, functions[i][1], types_of(BASE_BOOL, 1, all.rows));
        }
    }
    return true;
}

bool brook_logical(Typing *t, NodeIndex node, TypeIndex *type)
{
    NodeIndex a = pass_child(t, node, 0), b = pass_child(t, node, 1);
    const Token *mark = node_token(t->tree, node);
    if (!are_plain(t, a, b)) {
        return false;
    }
    int rows = common_rows(info_of(t, a).rows, info_of(t, b).rows);
    fit(t, a, BASE_BOOL, rows);
    fit(t, b, BASE_BOOL, rows);
    *type = types_of(BASE_BOOL, 1, rows);
    if (rows > 1) {
        call(t, node, token_is(mark, "&&") ? "rill_cg_and" : token_is(mark, "||") ? "rill_cg_or" : "notEqual", *type);
    }
    return true;
}

bool brook_negate(Typing *t, NodeIndex node, TypeIndex *type)
{
    NodeIndex operand = pass_node(t, node)->child;
    TypeInfo info = info_of(t, operand);
    if (!is_plain(info)) {
        return false;
    }
    fit(t, operand, BASE_BOOL, info.rows);
    *type = types_of(BASE_BOOL, 1, info.rows);
    if (info.rows > 1) {
        call(t, node, "not", *type);
    }
    return true;
}

void brook_sign(Typing *t, NodeIndex operand)
{
    TypeInfo info = info_of(t, operand);
    if (is_plain(info) && info.base == BASE_BOOL) {
        fit(t, operand, BASE_INT, info.rows);
    }
}

bool brook_choice(Typing *t, NodeIndex node, TypeIndex *type)
{
    NodeIndex test = pass_child(t, node, 0), a = pass_child(t, node, 1), b = pass_child(t, node, 2);
    TypeInfo asked = info_of(t, test);
    if (!are_plain(t, a, b) || !is_plain(asked)) {
        fit(t, test, BASE_BOOL, 1);
        return false;
    }
    TypeInfo all = together(info_of(t, a), info_of(t, b));
    bool truths = info_of(t, a).base == BASE_BOOL && info_of(t, b).base == BASE_BOOL;
    all.base = truths ? BASE_BOOL : all.base;
    all.rows = asked.rows > 1 ? common_rows(asked.rows, all.rows) : all.rows;
    *type = types_of(all.base, 1, all.rows);
    fit(t, a, all.base, all.rows);
    fit(t, b, all.base, all.rows);
    fit(t, test, BASE_BOOL, asked.rows > 1 ? all.rows : 1);
    if (asked.rows > 1) {
        fit_exactly(t, a, *type);
        fit_exactly(t, b, *type);
        call(t, node, "rill_cg_choose", *type);
    }
    return true;
}

/* assignments */

bool brook_assign(Typing *t, NodeIndex node)
{
    NodeIndex target = pass_child(t, node, 0), value = pass_child(t, node, 1);
    const Token *mark = node_token(t->tree, node);
    TypeInfo left = info_of(t, target), right = info_of(t, value);
    if (!is_plain(left) || !is_plain(right)) {
        return false;
    }
    if (token_is(mark, "=")) {
        return brook_fit(t, value, pass_node(t, target)->type, pass_first(t, value));
    }
    bool arithmetic = mark->length == 2 && strchr("+-*/%", *mark->text);
    if (arithmetic && right.rows > 1 && right.rows != left.rows) {
        fit(t, value, right.base, left.rows);
        right = info_of(t, value);
    }
    if (arithmetic && (left.base == BASE_BOOL || (is_real(right) && (left.base < BASE_FLOAT || *mark->text == '%')))) {
        return true; /* the emitter writes a = T(a op b) */
    }
    if (arithmetic && is_real(left) && *mark->text == '%') {
        return true;
    }
    fit(t, value, left.base, right.rows == 1 ? 1 : left.rows);
    return false;
}

/* calls */

/* Returns the letter that all parameters of a function have, of the form with `count` parameters; 0 if they differ. */
static char letter_of(const FunctionRow *row, int count)
{
    for (const char *text = row->forms; *text;) {
        int length = (int)strcspn(text, ";"), given = 0;
        char letter = '\0';
        const char *open = memchr(text, '(', (size_t)length);
        for (const char *p = open + 1; *p != ')'; p += strspn(p, ", ")) {
            int word = (int)strcspn(p, ",)");
            letter = given == 0 && word == 1 ? *p : word == 1 && *p == letter ? letter : '\0';
            given++;
            p += word;
        }
        if (given == count) {
            return letter;
        }
        text += length + (text[length] == ';');
    }
    return '\0';
}

/* Converts the first `count` arguments to one type, which is real on demand, with `rows` components (0: as many as they
 * have). */
static bool unite(Typing *t, NodeIndex node, int count, bool real, int rows)
{
    TypeInfo all = {0};
    for (int i = 0; i < count; i++) {
        TypeInfo info = info_of(t, pass_child(t, node, i));
        if (!is_plain(info)) {
            return false;
        }
        all = i ? together(all, info) : together(info, info);
    }
    all.base = real && all.base < BASE_FLOAT ? BASE_FLOAT : all.base;
    for (int i = 0; i < count; i++) {
        fit_exactly(t, pass_child(t, node, i), types_of(all.base, 1, rows ? rows : all.rows));
    }
    return true;
}

bool brook_arguments(Typing *t, NodeIndex node)
{
    const FunctionRow *row = functions_of(pass_node(t, node));
    int count = pass_count(t, node);
    char letter = letter_of(row, count);
    NodeIndex first = pass_node(t, node)->child;
    if (letter && strchr("FG", letter)) {
        unite(t, node, count, true, 0);
    } else if (letter && strchr("NA", letter)) {
        unite(t, node, count, false, 0);
    } else if (strcmp(row->name, "cross") == 0 && count == 2) {
        unite(t, node, count, true, 3);
    } else if (strcmp(row->name, "refract") == 0 && count == 3) {
        if (unite(t, node, 2, true, 0)) {
            fit(t, pass_child(t, node, 2), BASE_FLOAT, 1);
        }
    } else if ((strcmp(row->name, "modf") == 0 || strcmp(row->name, "frexp") == 0) && count == 2) {
        unite(t, node, 1, true, 0);
    } else if (letter == 'V' && count == 1 && is_plain(info_of(t, first)) && info_of(t, first).rows > 1) {
        fit(t, first, BASE_BOOL, info_of(t, first).rows);
    } else if (letter == 'V' && count == 1 && is_plain(info_of(t, first))) { /* any(x) of a scalar */
        pass_node(t, node)->kind = NODE_CONSTRUCT;
        pass_node(t, node)->target = 0;
        return true;
    }
    return false;
}

TypeIndex brook_index(Typing *t, NodeIndex node, TypeIndex type)
{
    pass_node(t, node)->type = type;
    TypeIndex real = types_of(BASE_FLOAT, 1, pass_info(t, type).rows);
    wrap(t, node, real);
    return real;
}

TypeIndex brook_output(const Typing *t, NodeIndex call, int i)
{
    const FunctionRow *row = functions_of(pass_node(t, call));
    TypeInfo first = info_of(t, pass_node(t, call)->child);
    bool splits = i == 1 && first.rows >= 1;
    return splits && strcmp(row->name, "frexp") == 0  ? types_of(BASE_INT, 1, first.rows)
           : splits && strcmp(row->name, "modf") == 0 ? types_of(first.base, 1, first.rows)
                                                      : 0;
}

/* lists in braces */

/* Returns the number of components of the values of a list; 0 if it is unknown. */
static int components(const Typing *t, NodeIndex list)
{
    int count = 0;
    for (NodeIndex i = pass_node(t, list)->child; i; i = pass_node(t, i)->next) {
        TypeInfo info = info_of(t, i);
        count += is_plain(info) ? info.rows : 100;
    }
    return count < 100 ? count : 0;
}

void brook_matrix(Typing *t, NodeIndex list, TypeIndex want)
{
    TypeInfo info = pass_info(t, want);
    for (NodeIndex i = pass_node(t, list)->child; i; i = pass_node(t, i)->next) {
        if (pass_node(t, i)->kind == NODE_LIST) {
            pass_node(t, i)->kind = NODE_CONSTRUCT;
            pass_node(t, i)->type = types_of(info.base, 1, info.rows);
        }
    }
    int count = components(t, list), all = info.rows * info.columns;
    if (count && count != all) {
        message_add(t->messages, node_token(t->tree, list), "the list has %d number%s, the matrix %d components", count,
                    count == 1 ? "" : "s", all);
    }
    pass_node(t, list)->kind = NODE_CONSTRUCT;
    pass_node(t, list)->type = want;
}
