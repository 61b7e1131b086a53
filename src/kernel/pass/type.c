/* Declarations and statements. */
#include "kernel/pass/type_private.h"

#include <stdlib.h>

/* lists in braces */

/* Types the values of a list, each of which initializes an element of the type `want`. Returns their number. */
static int elements(Typing *t, NodeIndex node, TypeIndex want, TypeIndex *first)
{
    int count = 0;
    for (NodeIndex i = pass_node(t, node)->child; i; i = pass_node(t, i)->next) {
        TypeIndex type = pass_initial(t, i, want, 0);
        *first = count++ ? *first : type;
    }
    return count;
}

/* Types the values of a list for the fields of a structure. Returns the number of fields. */
static int field_values(Typing *t, NodeIndex node, NodeIndex structure)
{
    NodeIndex value = pass_node(t, node)->child;
    int count = 0;
    for (NodeIndex d = pass_node(t, structure)->child; d; d = pass_node(t, d)->next) {
        NodeIndex v = pass_node(t, d)->kind == NODE_DECLARE ? pass_child(t, d, 1) : 0;
        for (; v; v = pass_node(t, v)->next, count++) {
            if (value) {
                pass_initial(t, value, pass_node(t, v)->type, 0);
                value = pass_node(t, value)->next;
            }
        }
    }
    return count;
}

/* Types the values of a list for a matrix in Brook's dialect: numbers, vectors, and lists for columns. */
static void matrix_values(Typing *t, NodeIndex node, TypeIndex column)
{
    for (NodeIndex i = pass_node(t, node)->child; i; i = pass_node(t, i)->next) {
        if (pass_node(t, i)->kind == NODE_LIST) {
            pass_initial(t, i, column, 0);
        } else {
            pass_value(t, i);
        }
    }
}

TypeIndex pass_initial(Typing *t, NodeIndex node, TypeIndex want, NodeIndex variable)
{
    const Token *open = node_token(t->tree, node);
    TypeInfo info = pass_info(t, want);
    if (pass_node(t, node)->kind != NODE_LIST) {
        TypeIndex have = pass_value(t, node);
        TypeIndex closed = pass_close(t, want, have);
        if (!have || !want || !t->brook || !brook_fit(t, node, closed, pass_first(t, node))) {
            pass_fits(t, have, closed, pass_first(t, node), node, variable);
        }
        return pass_node(t, node)->type;
    }
    if (t->brook && info.columns > 1) {
        matrix_values(t, node, types_of(info.base, 1, info.rows));
        brook_matrix(t, node, want);
        return want;
    }
    TypeIndex first = 0;
    int count = pass_count(t, node), needed = 0;
    if (info.base == BASE_STRUCTURE) {
        needed = field_values(t, node, info.structure);
    } else if (info.base == BASE_ARRAY) {
        elements(t, node, info.element, &first);
        needed = info.length > 0 ? info.length : count;
        want = types_array(&t->tree->types, pass_close(t, info.element, first), needed);
    } else if (pass_is_plain(info)) {
        needed = info.columns > 1 ? info.columns : info.rows;
        elements(t, node, types_of(info.base, 1, info.columns > 1 ? info.rows : 1), &first);
    }
    if (needed && count != needed) {
        message_add(t->messages, open, "%s has %d element%s, got %d%s", pass_a(t, want), needed, needed == 1 ? "" : "s",
                    count, needed == 1 ? "\nan array is declared float name[n]" : "");
    }
    pass_node(t, node)->type = want;
    return want;
}

/* declarations */

static void type_variable(Typing *t, NodeIndex node, TypeIndex type)
{
    NodeIndex value = 0;
    const Token *name = node_token(t->tree, node);
    if (pass_node(t, node)->flags & FLAG_VALUE) {
        value = pass_child(t, node, pass_count(t, node) - 1);
    } else if (pass_node(t, node)->flags & FLAG_CONST) {
        message_add(t->messages, name, "the constant '%.*s' has no value\nwrite it here: %.*s = ...", name->length,
                    name->text, name->length, name->text);
        type = 0;
    }
    type = type ? pass_array(t, type, pass_node(t, node)->child, value) : 0;
    if (value) {
        int before = t->messages->count;
        TypeIndex have = pass_initial(t, value, type, node);
        type = t->messages->count > before ? 0 : pass_close(t, type, have);
    }
    for (TypeInfo info = pass_info(t, type); info.base == BASE_ARRAY; info = pass_info(t, info.element)) {
        if (info.length == 0) {
            bool shared = pass_node(t, node)->flags & FLAG_SHARED;
            message_add(t->messages, name, "the array '%.*s' has no length\nwrite %.*s[64]%s", name->length, name->text,
                        name->length, name->text, shared ? "" : ", or give it values: = {...}");
            type = 0;
            break;
        }
    }
    pass_node(t, node)->type = type;
}

static void type_declare(Typing *t, NodeIndex node);

/* Types the fields of a structure. */
static void type_structure(Typing *t, NodeIndex node)
{
    for (NodeIndex i = pass_node(t, node)->child; i; i = pass_node(t, i)->next) {
        if (pass_node(t, i)->kind == NODE_DECLARE) {
            type_declare(t, i);
        }
    }
}

static void type_declare(Typing *t, NodeIndex node)
{
    NodeIndex first = pass_node(t, node)->child;
    if (pass_node(t, first)->kind == NODE_STRUCTURE) {
        type_structure(t, first);
    }
    TypeIndex type = pass_declared(t, first);
    uint32_t words = pass_node(t, node)->flags & (FLAG_CONST | FLAG_SHARED);
    if (type && pass_info(t, type).base == BASE_VOID) {
        message_add(t->messages, node_token(t->tree, first), "a variable cannot be void");
        type = 0;
    }
    for (NodeIndex i = pass_node(t, first)->next; i; i = pass_node(t, i)->next) {
        const Token *name = node_token(t->tree, i);
        pass_node(t, i)->flags |= words;
        if ((words & FLAG_SHARED) && (pass_node(t, i)->flags & FLAG_VALUE)) {
            NodeIndex value = pass_child(t, i, pass_count(t, i) - 1);
            message_add(
                t->messages, pass_first(t, value),
                "the shared variable '%.*s' cannot have an initial value\nassign it in one invocation, and call "
                "barrier()",
                name->length, name->text);
            continue;
        }
        type_variable(t, i, type);
    }
}

/* Types the parameter of a function. A gather is an array of unknown length. */
static void type_parameter(Typing *t, NodeIndex node, bool kernel)
{
    uint32_t flags = pass_node(t, node)->flags;
    bool maximum = flags & FLAG_MAXIMUM;
    const Token *name = node_token(t->tree, node);
    NodeIndex type = pass_child(t, node, maximum), rest = pass_node(t, type)->next;
    TypeIndex result = pass_declared(t, type);
    if (kernel && (flags & FLAG_PARAM(PARAM_OUTPUT)) && !(flags & FLAG_STREAM)) {
        const char *element = pass_name(t, result);
        message_add(t->messages, rest ? node_token(t->tree, rest) : name,
                    "an output is a stream with <>\nwrite 'out %s %.*s<>'%s%s%s%.*s%s", element, name->length,
                    name->text, rest ? ", or 'inout " : "", rest ? element : "", rest ? " " : "",
                    rest ? name->length : 0, name->text,
                    !rest                      ? ""
                    : pass_node(t, rest)->next ? "[][]' to write any element"
                                               : "[]' to write any element");
        return;
    }
    const uint32_t streams = FLAG_PARAM(PARAM_VOUT) | FLAG_PARAM(PARAM_NEIGHBOR) | FLAG_PARAM(PARAM_REDUCE);
    bool changed = (flags & FLAG_PARAM(PARAM_INOUT)) && !rest;
    if (kernel && ((flags & streams) || changed) && !(flags & FLAG_STREAM)) {
        const char *word = flags & FLAG_PARAM(PARAM_VOUT)       ? "vout"
                           : flags & FLAG_PARAM(PARAM_NEIGHBOR) ? "neighbor"
                           : flags & FLAG_PARAM(PARAM_REDUCE)   ? "reduce"
                                                                : "inout";
        message_add(t->messages, name, "a parameter with '%s' is a stream with <>\nwrite '%s %s %.*s<>'%s", word, word,
                    pass_name(t, result), name->length, name->text, changed ? ", or [] to change any element" : "");
        return;
    }
    if (rest && pass_node(t, rest)->kind == NODE_LIST) {
        rest = pass_node(t, rest)->next;
    }
    if (!kernel && !(pass_node(t, node)->flags & FLAG_STREAM)) {
        result = result ? pass_array(t, result, rest, 0) : 0;
        rest = 0;
    }
    for (; rest && result; rest = pass_node(t, rest)->next) {
        result = types_array(&t->tree->types, result, 0);
    }
    pass_node(t, node)->type = result;
}

/* Adds an error at a function with streams if the text has no kernel. */
static void check_kernels(Typing *t)
{
    NodeIndex found = 0;
    for (NodeIndex i = pass_node(t, t->tree->root)->child; i; i = pass_node(t, i)->next) {
        if (pass_node(t, i)->flags & (FLAG_KERNEL | FLAG_PARAM(PARAM_REDUCE))) {
            return;
        }
        for (NodeIndex p = pass_node(t, i)->child; p && pass_node(t, i)->kind == NODE_FUNCTION;
             p = pass_node(t, p)->next) {
            bool stream = pass_node(t, p)->kind == NODE_PARAMETER && (pass_node(t, p)->flags & FLAG_STREAM);
            found = stream ? i : found;
        }
    }
    if (found) {
        const Token *name = node_token(t->tree, found);
        message_add(t->messages, pass_first(t, pass_node(t, found)->child),
                    "the text has no kernel, and '%.*s' has streams\nwrite 'kernel void %.*s(...)'", name->length,
                    name->text, name->length, name->text);
    }
}

/* Checks the types of a reduce kernel. Its body is not typed after an error. */
static void check_reduce(Typing *t, NodeIndex node)
{
    NodeIndex input = 0, result = 0, type = 0;
    for (NodeIndex i = pass_node(t, node)->child; i; i = pass_node(t, i)->next) {
        uint32_t flags = pass_node(t, i)->flags;
        type = pass_node(t, i)->kind == NODE_TYPE ? i : type;
        if (pass_node(t, i)->kind == NODE_PARAMETER && (flags & FLAG_PARAM(PARAM_REDUCE))) {
            result = i;
        } else if (pass_node(t, i)->kind == NODE_PARAMETER && (flags & FLAG_STREAM) && !(flags & ~0u << FLAG_BITS)) {
            input = i;
        }
    }
    TypeIndex have = input ? pass_node(t, input)->type : 0, want = result ? pass_node(t, result)->type : 0;
    int before = t->messages->count;
    if (pass_node(t, node)->type && pass_info(t, pass_node(t, node)->type).base != BASE_VOID) {
        const Token *name = node_token(t->tree, node);
        message_add(t->messages, pass_first(t, type),
                    "a reduce kernel returns no value\nwrite 'reduce void %.*s(...)', and "
                    "assign the reduce parameter",
                    name->length, name->text);
    } else if (have && want && have != want) {
        message_add(t->messages, pass_first(t, result),
                    "the input (%s) and the reduce parameter (%s) must have the same type", pass_name(t, have),
                    pass_name(t, want));
    }
    pass_node(t, node)->flags |= t->messages->count > before ? FLAG_TWICE : 0u;
}

static void type_signature(Typing *t, NodeIndex node)
{
    bool kernel = pass_node(t, node)->flags & (FLAG_KERNEL | FLAG_PARAM(PARAM_REDUCE));
    for (NodeIndex i = pass_node(t, node)->child; i; i = pass_node(t, i)->next) {
        if (pass_node(t, i)->kind == NODE_TYPE) {
            TypeIndex type = pass_declared(t, i);
            pass_node(t, node)->type = type;
        } else if (pass_node(t, i)->kind == NODE_PARAMETER) {
            type_parameter(t, i, kernel);
        }
    }
    if (pass_node(t, node)->flags & FLAG_PARAM(PARAM_REDUCE)) {
        check_reduce(t, node);
    }
}

/* statements */

static void type_condition(Typing *t, NodeIndex node)
{
    if (pass_node(t, node)->kind == NODE_DECLARE) {
        type_declare(t, node);
        return;
    }
    t->condition = node;
    TypeIndex type = pass_node(t, node)->kind == NODE_EMPTY ? 0 : pass_value(t, node);
    if (type && t->brook && brook_fit(t, node, types_of(BASE_BOOL, 1, 1), pass_first(t, node))) {
        return;
    }
    if (!type || type == types_of(BASE_BOOL, 1, 1)) {
        return;
    }
    bool bools = pass_info(t, type).base == BASE_BOOL;
    message_add(t->messages, pass_first(t, node), "a condition must be a bool, got %s\nwrite %s", pass_name(t, type),
                bools                                           ? "all(...) or any(...)"
                : node_token(t->tree, node)->kind == TOKEN_NAME ? "value != 0"
                                                                : "(value) != 0");
}

static void type_return(Typing *t, NodeIndex node)
{
    NodeIndex value = pass_node(t, node)->child;
    TypeIndex want = t->function ? pass_node(t, t->function)->type : 0;
    if (value) {
        pass_value(t, value);
    }
    bool none = want && pass_info(t, want).base == BASE_VOID;
    if (value && none) {
        message_add(t->messages, pass_first(t, value), "a void function cannot return a value\n%s",
                    pass_node(t, t->function)->flags & FLAG_PARAM(PARAM_REDUCE) ? "assign it to the reduce parameter"
                    : pass_node(t, t->function)->flags & FLAG_KERNEL
                        ? "assign it to an output: 'out float r<>'"
                        : "write the type of the value before the function's name");
    } else if (!value && want && !none) {
        message_add(t->messages, node_token(t->tree, node), "expected a value of type %s after return",
                    pass_name(t, want));
    } else if (value) {
        pass_fit(t, value, want, pass_first(t, value));
    }
}

static void type_statement(Typing *t, NodeIndex node);

static void type_children(Typing *t, NodeIndex node)
{
    for (NodeIndex i = pass_node(t, node)->child; i; i = pass_node(t, i)->next) {
        type_statement(t, i);
    }
}

/* Types the statement that a loop repeats. */
static void type_repeated(Typing *t, NodeIndex node)
{
    t->loops++;
    type_statement(t, node);
    t->loops--;
}

/* A label of a switch, by its value. */
typedef struct Label {
    uint32_t value;
    NodeIndex node;
} Label;

static int order_labels(const void *a, const void *b)
{
    const Label *x = a, *y = b;
    return x->value != y->value ? (x->value < y->value ? -1 : 1) : x->node < y->node ? -1 : 1;
}

/* Checks that the labels of a switch differ. */
static void check_labels(Typing *t, NodeIndex block)
{
    size_t count = 0;
    NodeIndex other = 0;
    Label *labels = malloc((size_t)pass_count(t, block) * sizeof *labels + 1);
    for (NodeIndex i = pass_node(t, block)->child; i && labels; i = pass_node(t, i)->next) {
        NodeIndex value = pass_node(t, i)->child;
        long number;
        if (pass_node(t, i)->kind == NODE_CASE && value && pass_constant(t, value, &number)) {
            labels[count++] = (Label){(uint32_t)number, value};
        } else if (pass_node(t, i)->kind == NODE_CASE && !value) {
            if (other) {
                message_add(t->messages, node_token(t->tree, i), "this switch has a default already");
            }
            other = i;
        }
    }
    if (labels) {
        qsort(labels, count, sizeof *labels, order_labels);
    }
    for (size_t i = 1; i < count; i++) {
        if (labels[i].value == labels[i - 1].value) {
            message_add(t->messages, pass_first(t, labels[i].node), "this switch has a case of this value already");
        }
    }
    free(labels);
}

static void type_switch(Typing *t, NodeIndex node)
{
    NodeIndex value = pass_node(t, node)->child, block = pass_node(t, value)->next;
    TypeIndex type = pass_value(t, value);
    if (type && t->brook && brook_fit(t, value, pass_scalar(BASE_INT), pass_first(t, value))) {
        type = pass_scalar(BASE_INT);
    }
    if (type && !pass_is_whole(pass_info(t, type))) {
        message_add(t->messages, pass_first(t, value), "the value of a switch must be an int or uint, got %s",
                    pass_name(t, type));
    }
    t->switches++;
    type_statement(t, block);
    check_labels(t, block);
    t->switches--;
}

static void type_case(Typing *t, NodeIndex node)
{
    NodeIndex value = pass_node(t, node)->child;
    TypeIndex type = value ? pass_value(t, value) : 0;
    long number;
    if (type && !pass_is_whole(pass_info(t, type))) {
        message_add(t->messages, pass_first(t, value), "the value of a case must be an int or uint, got %s",
                    pass_name(t, type));
    } else if (type && !pass_constant(t, value, &number) && !t->unknown) {
        message_add(t->messages, pass_first(t, value), "the value of a case must be a constant\nwrite if and else");
    }
}

/* Checks that a loop, or for break also a switch, contains the statement. */
static void check_leaves(Typing *t, NodeIndex node, bool inside)
{
    const Token *word = node_token(t->tree, node);
    if (!inside) {
        message_add(t->messages, word, "'%.*s' is not inside of a loop%s", word->length, word->text,
                    pass_node(t, node)->kind == NODE_BREAK ? " or switch" : "");
    }
}

static void check_if(Typing *t, NodeIndex condition)
{
    if (pass_node(t, condition)->kind == NODE_DECLARE) {
        message_add(t->messages, node_token(t->tree, condition), "the condition of an if cannot declare a variable");
    }
}

static void type_statement(Typing *t, NodeIndex node)
{
    switch (pass_node(t, node)->kind) {
    case NODE_DECLARE: type_declare(t, node); break;
    case NODE_RETURN: type_return(t, node); break;
    case NODE_WHILE:
        type_condition(t, pass_node(t, node)->child);
        type_repeated(t, pass_child(t, node, 1));
        break;
    case NODE_IF:
        check_if(t, pass_node(t, node)->child);
        type_condition(t, pass_node(t, node)->child);
        type_statement(t, pass_child(t, node, 1));
        type_statement(t, pass_child(t, node, 2));
        break;
    case NODE_FOR:
        type_statement(t, pass_child(t, node, 0));
        type_condition(t, pass_child(t, node, 1));
        type_statement(t, pass_child(t, node, 2));
        type_repeated(t, pass_child(t, node, 3));
        break;
    case NODE_DO:
        type_repeated(t, pass_child(t, node, 0));
        type_condition(t, pass_child(t, node, 1));
        break;
    case NODE_SWITCH: type_switch(t, node); break;
    case NODE_CASE: type_case(t, node); break;
    case NODE_BREAK: check_leaves(t, node, t->loops + t->switches > 0); break;
    case NODE_CONTINUE: check_leaves(t, node, t->loops > 0); break;
    case NODE_BLOCK:
    case NODE_EVALUATE: type_children(t, node); break;
    case NODE_STRUCTURE:
    case NODE_EMPTY:
    case NODE_DAMAGED: break;
    default: pass_value(t, node);
    }
}

static void type_function(Typing *t, NodeIndex node)
{
    t->function = node;
    for (NodeIndex i = pass_node(t, node)->child; i; i = pass_node(t, i)->next) {
        if (pass_node(t, i)->kind == NODE_BLOCK && !(pass_node(t, node)->flags & FLAG_TWICE)) {
            type_statement(t, i);
        }
    }
    t->function = 0;
}

/* Reserves memory for the conversions of Brook's dialect, so that nodes do not move while the tree is walked. A node is
 * converted at most three times. */
static bool reserve(Tree *tree)
{
    size_t capacity = 4 * tree->nodes.count + 64;
    Node *items = realloc(tree->nodes.items, capacity * sizeof *items);
    if (!items) {
        return error_set("out of host memory");
    }
    tree->nodes.items = items;
    tree->nodes.capacity = capacity;
    return true;
}

bool pass_type(Tree *tree, Messages *messages)
{
    Typing t = {.tree = tree, .messages = messages, .brook = tree->brook};
    if (tree->brook && !reserve(tree)) {
        return false;
    }
    check_kernels(&t);
    for (int pass = 0; pass < 3; pass++) { /* structures and constants; signatures; bodies */
        for (NodeIndex i = pass_node(&t, tree->root)->child; i; i = pass_node(&t, i)->next) {
            uint32_t kind = pass_node(&t, i)->kind;
            if (pass == 0 && kind == NODE_STRUCTURE) {
                type_structure(&t, i);
            } else if (pass == 0 && kind == NODE_CONSTANT) {
                type_declare(&t, i);
            } else if (pass == 1 && kind == NODE_FUNCTION) {
                type_signature(&t, i);
            } else if (pass == 2 && kind == NODE_FUNCTION) {
                type_function(&t, i);
            }
        }
    }
    return !tree->failed && !tree->types.failed;
}
