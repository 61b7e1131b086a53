/* Calls and constructors. */
#include "kernel/pass/type_private.h"
#include "kernel/tree/functions.h"

#include <string.h>

/* functions of the text */

/* Parameters that take the name of a parameter of the same kind. */
#define BOUND (FLAG_PARAM(PARAM_VOUT) | FLAG_PARAM(PARAM_NEIGHBOR))

static bool is_whole(TypeInfo info)
{
    return info.base == BASE_ARRAY && info.length == 0;
}

static uint32_t flags_of_outputs(void)
{
    return FLAG_PARAM(PARAM_OUTPUT) | FLAG_PARAM(PARAM_INOUT);
}

/* Appends the parameters of a function: "float x, vec3 y". */
static void list_parameters(Typing *t, NodeIndex function, StrBuf *out)
{
    for (NodeIndex p = pass_node(t, function)->child; p; p = pass_node(t, p)->next) {
        const Token *name = node_token(t->tree, p);
        if (pass_node(t, p)->kind == NODE_PARAMETER) {
            strbuf_addf(out, "%s%s %.*s%s", out->length ? ", " : "", pass_name(t, pass_element(t, p)), name->length,
                        name->text, pass_brackets(pass_rank(t, p)));
        }
    }
}

/* Adds the error of an argument that cannot be converted to the type of the parameter. */
static bool wrong_argument(Typing *t, NodeIndex node, NodeIndex parameter, NodeIndex target, const Token *function)
{
    const Token *name = node_token(t->tree, parameter);
    TypeIndex want = pass_node(t, parameter)->type;
    StrBuf list = STRBUF_EMPTY;
    list_parameters(t, target, &list);
    message_add(t->messages, pass_first(t, node),
                "'%.*s' of '%.*s' is %s, got %s\nwrite %s(%s), or check the order: the parameters are (%s)",
                name->length, name->text, function->length, function->text, pass_a(t, want),
                pass_name(t, pass_node(t, node)->type), pass_name(t, want),
                pass_is_scalar(pass_info(t, want)) && !pass_is_scalar(pass_info(t, pass_node(t, node)->type))
                    ? "value.x"
                    : "...",
                strbuf_text(&list));
    strbuf_free(&list);
    return false;
}

/* Checks an argument of a parameter of a function. */
static bool argument(Typing *t, NodeIndex node, NodeIndex parameter, NodeIndex target, const Token *function)
{
    TypeIndex have = pass_node(t, node)->type, want = pass_node(t, parameter)->type;
    uint32_t flags = pass_node(t, parameter)->flags;
    bool stream = want && pass_rank(t, parameter) > 0, whole = have && is_whole(pass_info(t, have));
    const Token *name = node_token(t->tree, parameter);
    bool named = pass_node(t, node)->kind == NODE_PARAMETER_VALUE;
    pass_node(t, node)->flags |= flags & flags_of_outputs();
    uint32_t given = named ? pass_node(t, pass_node(t, node)->target)->flags : 0;
    if (have && want && (flags & BOUND) && !((flags & given & BOUND) && have == want)) {
        message_add(t->messages, pass_first(t, node), "'%.*s' of '%.*s' takes the name of a %s of the same type",
                    name->length, name->text, function->length, function->text,
                    (flags & FLAG_PARAM(PARAM_VOUT)) ? "variable output" : "neighbor parameter");
        return false;
    }
    if (have && want && (stream || whole) && !types_converts(&t->tree->types, have, want)) {
        message_add(
            t->messages, pass_first(t, node),
            stream ? "'%.*s' of '%.*s' takes the name of a gather with %d dimension%s and elements of type %s"
            : pass_info(t, want).base == BASE_ARRAY
                ? "'%.*s' of '%.*s' takes an array, and this is a stream\ndeclare the parameter without a length: []"
                : "'%.*s' of '%.*s' takes a value, and this is a stream\nwrite an index: name[i]",
            name->length, name->text, function->length, function->text, pass_rank(t, parameter),
            pass_rank(t, parameter) == 1 ? "" : "s", pass_name(t, pass_element(t, parameter)));
        return false;
    }
    if ((flags & flags_of_outputs()) && !stream) {
        const Token *first = pass_first(t, node);
        uint32_t kind = pass_node(t, node)->kind;
        if (kind == NODE_NUMBER || kind == NODE_BUILTIN || kind == NODE_BINARY || kind == NODE_CALL) {
            message_add(t->messages, first, "an out parameter needs a variable");
            return false;
        }
        pass_target(t, node);
        bool plain = pass_is_plain(pass_info(t, have)) && pass_is_plain(pass_info(t, want)) &&
                     pass_info(t, have).columns == pass_info(t, want).columns;
        int own = pass_info(t, have).rows, taken = pass_info(t, want).rows;
        bool short_out = taken > 1 && taken<own, short_in = own> 1 && own < taken;
        bool fits = types_converts(&t->tree->types, want, have) && (!(flags & FLAG_PARAM(PARAM_INOUT)) || want == have);
        if ((!t->brook || !plain) && have && want && !fits) {
            message_add(
                t->messages, first,
                "'%.*s' of '%.*s' takes a variable of type %s, got %s\npass a variable of this type, and convert "
                "its value",
                name->length, name->text, function->length, function->text, pass_name(t, want), pass_name(t, have));
        } else if (t->brook && plain && (short_out || (short_in && (flags & FLAG_PARAM(PARAM_INOUT))))) {
            message_add(t->messages, first, "%d components cannot become %d\nonly a scalar fills a vector",
                        short_out ? taken : own, short_out ? own : taken);
        } /* the emitter passes a variable of another type */
    } else if (have && want && !t->brook && pass_info(t, have).base != BASE_STRUCTURE &&
               !types_converts(&t->tree->types, have, want)) {
        return wrong_argument(t, node, parameter, target, function);
    } else {
        pass_fit(t, node, want, pass_first(t, node));
    }
    return true;
}

TypeIndex pass_call(Typing *t, NodeIndex node)
{
    const Token *name = node_token(t->tree, node);
    NodeIndex target = pass_node(t, node)->target, given = pass_node(t, node)->child;
    int count = pass_count(t, node), needed = 0;
    if (pass_node(t, target)->flags & FLAG_TWICE) {
        return 0;
    }
    for (NodeIndex p = pass_node(t, target)->child; p; p = pass_node(t, p)->next) {
        needed += pass_node(t, p)->kind == NODE_PARAMETER;
    }
    if (count != needed) {
        StrBuf list = STRBUF_EMPTY;
        list_parameters(t, target, &list);
        message_add(t->messages, name, "'%.*s' takes %d argument%s, got %d\nits parameters are (%s)", name->length,
                    name->text, needed, needed == 1 ? "" : "s", count, strbuf_text(&list));
        strbuf_free(&list);
        return pass_node(t, target)->type;
    }
    for (NodeIndex p = pass_node(t, target)->child; p; p = pass_node(t, p)->next) {
        if (pass_node(t, p)->kind == NODE_PARAMETER) {
            if (!argument(t, given, p, target, name)) {
                break;
            }
            given = pass_node(t, given)->next;
        }
    }
    return pass_node(t, target)->type;
}

/* functions of the table */

static TypeIndex no_form(Typing *t, NodeIndex node, const FunctionRow *row)
{
    const Token *name = node_token(t->tree, node);
    StrBuf given = STRBUF_EMPTY, forms = STRBUF_EMPTY;
    int count = pass_count(t, node);
    for (NodeIndex i = pass_node(t, node)->child; i; i = pass_node(t, i)->next) {
        bool named = i == pass_node(t, node)->child && pass_node(t, node)->kind == NODE_SAMPLE;
        if (!named && pass_is_no_value(t, i)) {
            strbuf_free(&given);
            return 0;
        }
        strbuf_addf(&given, "%s%s", given.length ? ", " : "", pass_name(t, pass_node(t, i)->type));
    }
    functions_list(row, &forms);
    bool sums = strncmp(row->name, "atomic", 6) == 0 && given.length && strstr(strbuf_text(&given), "float");
    strbuf_add(&forms, sums ? ": rill.scatter adds floats, and so does a reduce kernel" : "");
    if (count == 0) {
        message_add(t->messages, name, "'%.*s' is called without arguments\nits forms are %s", name->length, name->text,
                    strbuf_text(&forms));
    } else {
        message_add(t->messages, name, "'%.*s' does not take %d argument%s of type (%s)\nits forms are %s%s",
                    name->length, name->text, count, count == 1 ? "" : "s", strbuf_text(&given), strbuf_text(&forms),
                    token_is(name, "not") ? ": write ! for a bool" : "");
    }
    strbuf_free(&given);
    strbuf_free(&forms);
    return 0;
}

/* Returns whether several invocations can change a value: whether it is a part of a stream or of a shared variable. */
static bool is_shared(const Typing *t, NodeIndex node)
{
    const Node *n = pass_node(t, node);
    while (n->kind == NODE_FIELD || n->kind == NODE_SWIZZLE || n->kind == NODE_INDEX || n->kind == NODE_PAREN) {
        n = pass_node(t, n->child);
    }
    return n->kind == NODE_ELEMENT || (n->kind == NODE_LOCAL && (pass_node(t, n->target)->flags & FLAG_SHARED));
}

TypeIndex pass_builtin(Typing *t, NodeIndex node)
{
    const FunctionRow *row = functions_of(pass_node(t, node));
    TypeIndex given[MAX_FORM] = {0};
    FunctionForm form = {0};
    int count = 0;
    if (t->brook && brook_arguments(t, node)) {
        return pass_scalar(BASE_BOOL);
    }
    for (NodeIndex i = pass_node(t, node)->child; i; i = pass_node(t, i)->next, count++) {
        TypeIndex output = t->brook ? brook_output(t, node, count) : 0;
        given[count < MAX_FORM ? count : MAX_FORM - 1] = output ? output : pass_node(t, i)->type;
    }
    if (!functions_match(row, &t->tree->types, given, count, &form)) {
        return no_form(t, node, row);
    }
    if (pass_node(t, node)->kind == NODE_ATOMIC && !is_shared(t, pass_node(t, node)->child)) {
        const Token *name = node_token(t->tree, node);
        return PASS_FAIL(t, pass_first(t, pass_node(t, node)->child),
                         "'%.*s' changes an element of a stream 'inout int x[]', or a shared variable", name->length,
                         name->text);
    }
    for (int i = 0; i < count; i++) {
        if (form.out[i]) {
            pass_target(t, pass_child(t, node, i));
            pass_node(t, pass_child(t, node, i))->flags |= FLAG_PARAM(form.in[i] ? PARAM_INOUT : PARAM_OUTPUT);
        }
    }
    return form.result;
}

/* Returns the parameter that the first argument of a call names; 0 after an error. */
static NodeIndex named(Typing *t, NodeIndex node)
{
    NodeIndex first = pass_node(t, node)->child;
    const Token *name = node_token(t->tree, node);
    if (first && pass_node(t, first)->kind == NODE_PARAMETER_VALUE) {
        return pass_node(t, first)->target;
    }
    return PASS_FAIL(t, name, "'%.*s' takes the name of a %s", name->length, name->text,
                     token_is(name, "spacingof") ? "parameter with <>: spacingof(name)"
                     : token_is(name, "sample") || token_is(name, "sample_corners")
                         ? "gather, and a position"
                         : "stream parameter\nname.length() is the length of an array");
}

/* Returns the number of dimensions of the groups that call the function. Functions are called by kernels of one rank. */
static int group_rank(const Typing *t)
{
    int rank = 0;
    for (NodeIndex i = pass_node(t, t->tree->root)->child; i; i = pass_node(t, i)->next) {
        NodeIndex group = pass_node(t, i)->child;
        bool own = i == t->function || rank == 0;
        if (pass_node(t, i)->kind == NODE_FUNCTION && pass_node(t, group)->kind == NODE_GROUP && own) {
            rank = pass_count(t, group);
        }
    }
    return rank;
}

/* Checks the indices of sizeof_list: one for each dimension of a gather except the last. */
static bool lists_fit(Typing *t, NodeIndex node, NodeIndex parameter)
{
    const Token *word = node_token(t->tree, node), *name = node_token(t->tree, parameter);
    int rank = pass_rank(t, parameter), indices = 0;
    for (NodeIndex i = pass_child(t, node, 1); i; i = pass_node(t, i)->next) {
        indices += pass_info(t, pass_node(t, i)->type).rows;
    }
    if (rank == 0) {
        message_add(t->messages, word,
                    "'sizeof_list' takes the name of a gather, and an index for each dimension except the last");
    } else if (indices != rank - 1) {
        const char *type = pass_name(t, pass_element(t, parameter));
        message_add(t->messages, word,
                    "'%s %.*s%s' takes %d ind%s in sizeof_list, one for each pair of brackets except the last\n%d "
                    "ind%s '%s %.*s%s'",
                    type, name->length, name->text, pass_brackets(rank), rank - 1, rank == 2 ? "ex" : "ices", indices,
                    indices == 1 ? "ex needs" : "ices need", type, name->length, name->text,
                    pass_brackets(indices + 1));
    } else {
        return true;
    }
    return false;
}

/* Checks that a query can be made about a parameter, which its first argument names. */
static bool can_query(Typing *t, NodeIndex node, NodeIndex parameter)
{
    const Token *query = node_token(t->tree, node), *name = pass_first(t, pass_node(t, node)->child);
    uint32_t flags = pass_node(t, parameter)->flags;
    bool size = token_is(query, "sizeof_stream"), gather = pass_rank(t, parameter) > 0;
    if (token_is(query, "sizeof_list")) {
        return true;
    }
    if (flags & FLAG_PARAM(PARAM_VOUT)) {
        return PASS_FAIL(t, name, "'%.*s' is a variable output: %s", name->length, name->text,
                         size ? "its size is not known yet\npush(name, value) adds an element"
                              : "it has no index\nname an input with <>");
    }
    if (token_is(query, "indexof") && gather) {
        return PASS_FAIL(t, name,
                         "'%.*s' is a gather: no element of it belongs to this call\nname a parameter with <>, "
                         "such as an output",
                         name->length, name->text);
    }
    if (token_is(query, "spacingof") && !(flags & FLAG_STREAM)) {
        return PASS_FAIL(t, query, "'spacingof' takes the name of a parameter with <>: spacingof(name)");
    }
    return (flags & FLAG_STREAM) || gather ||
           PASS_FAIL(t, query, "'%.*s' takes the name of a stream parameter\ndeclare it with <>: '%s%s %.*s<>'",
                     query->length, query->text, flags & FLAG_PARAM(PARAM_OUTPUT) ? "out " : "",
                     pass_name(t, pass_element(t, parameter)), name->length, name->text);
}

TypeIndex pass_query(Typing *t, NodeIndex node)
{
    const Token *name = node_token(t->tree, node);
    int count = pass_count(t, node), rank = group_rank(t);
    bool local = token_is(name, "localid") || token_is(name, "groupid");
    if (local || token_is(name, "subgroupsize") || token_is(name, "subgroupid")) {
        if (count > 0) {
            return PASS_FAIL(t, name, "'%.*s' takes no arguments\nwrite %.*s()%s", name->length, name->text,
                             name->length, name->text, local && rank > 1 ? ".x, .y" : "");
        }
        return rank ? types_of(BASE_INT, 1, local ? rank : 1)
                    : PASS_FAIL(t, name, "'%.*s' exists in group kernels only: kernel(64) void ...", name->length,
                                name->text);
    }
    NodeIndex parameter = named(t, node);
    if (parameter &&
        (!can_query(t, node, parameter) || (token_is(name, "sizeof_list") && !lists_fit(t, node, parameter)))) {
        return 0;
    }
    bool whole = token_is(name, "spacingof") || token_is(name, "sizeof_list") || count > 1;
    TypeIndex type = types_of(BASE_INT, 1, whole ? 1 : 4);
    bool index = parameter && t->brook && token_is(name, "indexof");
    return index ? brook_index(t, node, type) : parameter ? type : 0;
}

TypeIndex pass_sample(Typing *t, NodeIndex node)
{
    NodeIndex parameter = named(t, node);
    int rank = parameter ? pass_rank(t, parameter) : 0, count = pass_count(t, node);
    const Token *word = node_token(t->tree, node), *name = pass_first(t, pass_node(t, node)->child);
    bool corners = token_is(word, "sample_corners");
    TypeIndex type = parameter ? pass_element(t, parameter) : 0;
    if (!type) {
        return 0;
    }
    if (rank < 1 && (pass_node(t, parameter)->flags & FLAG_STREAM)) {
        return PASS_FAIL(t, name, "'%.*s' cannot be sampled: it is a single element\ndeclare '%s %.*s[][]'",
                         name->length, name->text, pass_name(t, type), name->length, name->text);
    }
    if (rank < 1 || count < (corners ? 4 : 2) || count > (corners ? 5 : 3)) {
        return no_form(t, node, functions_of(pass_node(t, node)));
    }
    TypeInfo info = pass_info(t, type);
    if ((info.base != BASE_FLOAT && info.base != BASE_DOUBLE) || rank > 3) {
        return PASS_FAIL(t, name,
                         "'%.*s' cannot be sampled\n%.*s takes a gather of floats with one to three dimensions",
                         name->length, name->text, word->length, word->text);
    }
    if (corners && (rank > 2 || info.rows > 1)) {
        return PASS_FAIL(t, name,
                         "'%.*s' has no corners to sample\nsample_corners takes a gather of single floats with one or "
                         "two dimensions",
                         name->length, name->text);
    }
    NodeIndex position = pass_child(t, node, 1);
    TypeInfo given = pass_info(t, pass_node(t, position)->type);
    if (given.base == BASE_DOUBLE && given.columns == 1 && given.rows >= rank) {
        pass_fit(t, position, types_of(BASE_FLOAT, 1, given.rows), pass_first(t, position));
    } else if (given.base < BASE_INT || given.base > BASE_DOUBLE || given.rows < rank) { /* others are ignored */
        pass_fits(t, pass_node(t, position)->type, types_of(BASE_FLOAT, 1, rank), pass_first(t, position), position, 0);
    }
    if (count == (corners ? 5 : 3)) {
        NodeIndex level = pass_node(t, position)->next;
        pass_fits(t, pass_node(t, level)->type, pass_scalar(BASE_FLOAT), pass_first(t, level), level, 0);
    }
    for (int i = count - 2; corners && i < count; i++) {
        NodeIndex output = pass_child(t, node, i);
        pass_target(t, output);
        pass_fits(t, types_of(BASE_FLOAT, 1, i < count - 1 ? rank : 1), pass_node(t, output)->type,
                  pass_first(t, output), 0, 0);
        pass_node(t, pass_child(t, node, i))->flags |= FLAG_PARAM(PARAM_OUTPUT);
    }
    return corners ? types_of(BASE_FLOAT, 1, rank == 1 ? 2 : 4) : type;
}

TypeIndex pass_push(Typing *t, NodeIndex node)
{
    NodeIndex first = pass_node(t, node)->child, value = first ? pass_node(t, first)->next : 0;
    bool output = first && pass_node(t, first)->kind == NODE_PARAMETER_VALUE &&
                  (pass_node(t, pass_node(t, first)->target)->flags & FLAG_PARAM(PARAM_VOUT));
    const Token *name = node_token(t->tree, node);
    for (NodeIndex p = t->function ? pass_node(t, t->function)->child : 0; p && !output; p = pass_node(t, p)->next) {
        if (pass_node(t, p)->flags & FLAG_PARAM(PARAM_VOUT)) {
            const Token *named = node_token(t->tree, p);
            return PASS_FAIL(t, name, "'push' takes the name of a variable output and a value\nwrite push(%.*s, value)",
                             named->length, named->text);
        }
    }
    if (!output && first && pass_node(t, first)->kind == NODE_PARAMETER_VALUE) {
        const Token *given = pass_first(t, first);
        return PASS_FAIL(t, given, "'%.*s' is no variable output\ndeclare it 'vout %s %.*s<>' to push values to it",
                         given->length, given->text, pass_name(t, pass_element(t, pass_node(t, first)->target)),
                         given->length, given->text);
    }
    if (!output || pass_count(t, node) > 2) {
        return PASS_FAIL(t, name, "'push' takes the name of a variable output and a value\nwrite push(name, value)");
    }
    if (value) {
        pass_fit(t, value, pass_node(t, first)->type, pass_first(t, value));
    }
    return types_of(BASE_VOID, 1, 1);
}

/* constructors */

/* Checks the values of a structure or array, each of which must fit an element. */
static TypeIndex parts(Typing *t, TypeIndex type, NodeIndex first, const Token *place)
{
    TypeInfo info = pass_info(t, type);
    int count = 0, needed = info.length;
    for (NodeIndex i = first; i; i = pass_node(t, i)->next) {
        count++;
    }
    if (info.base == BASE_ARRAY) {
        info.element = first ? pass_close(t, info.element, pass_node(t, first)->type) : info.element;
        for (NodeIndex i = first; i; i = pass_node(t, i)->next) {
            pass_fit(t, i, info.element, pass_first(t, i));
        }
        needed = needed > 0 ? needed : count;
        type = types_array(&t->tree->types, info.element, needed);
    } else {
        NodeIndex value = first;
        StrBuf fields = STRBUF_EMPTY;
        for (NodeIndex d = pass_node(t, info.structure)->child; d; d = pass_node(t, d)->next) {
            NodeIndex v = pass_node(t, d)->kind == NODE_DECLARE ? pass_child(t, d, 1) : 0;
            for (; v; v = pass_node(t, v)->next, needed++) {
                const Token *name = node_token(t->tree, v);
                strbuf_addf(&fields, "%s%s %.*s", needed ? ", " : "", pass_name(t, pass_node(t, v)->type), name->length,
                            name->text);
            }
        }
        if (count != needed) {
            message_add(t->messages, place, "%s has %d elements, got %d\nits fields are %s", pass_a(t, type), needed,
                        count, strbuf_text(&fields));
        }
        strbuf_free(&fields);
        for (NodeIndex d = pass_node(t, info.structure)->child; d && count == needed; d = pass_node(t, d)->next) {
            NodeIndex v = pass_node(t, d)->kind == NODE_DECLARE ? pass_child(t, d, 1) : 0;
            for (; v; v = pass_node(t, v)->next) {
                pass_fit(t, value, pass_node(t, v)->type, pass_first(t, value));
                value = pass_node(t, value)->next;
            }
        }
        return count == needed ? type : 0;
    }
    return count == needed ? type : PASS_FAIL(t, place, "%s has %d elements, got %d", pass_a(t, type), needed, count);
}

TypeIndex pass_construct(Typing *t, TypeIndex type, NodeIndex first, const Token *place)
{
    TypeInfo info = pass_info(t, type);
    if (first && !pass_node(t, first)->next && pass_node(t, first)->type == type) {
        return type; /* a cast */
    }
    if (info.base == BASE_ARRAY || info.base == BASE_STRUCTURE) {
        return parts(t, type, first, place);
    }
    int needed = info.rows * info.columns, components = 0, last = 0;
    bool one = first && !pass_node(t, first)->next;
    for (NodeIndex i = first; i; i = pass_node(t, i)->next) {
        TypeInfo given = pass_info(t, pass_node(t, i)->type);
        if (given.base < BASE_BOOL || given.base > BASE_DOUBLE) {
            return PASS_FAIL(t, pass_first(t, i), "cannot convert %s to %s", pass_name(t, pass_node(t, i)->type),
                             pass_name(t, type));
        }
        if (given.columns > 1 && info.columns > 1 && !one) {
            return PASS_FAIL(t, pass_first(t, i), "a matrix must be the only value of a %s", pass_name(t, type));
        }
        last = given.rows * given.columns;
        components += last;
    }
    bool matrix = one && pass_info(t, pass_node(t, first)->type).columns > 1;
    bool fits =
        (one && (last == 1 || (matrix && info.columns > 1))) || (components >= needed && components - last < needed);
    return fits ? type
                : PASS_FAIL(t, place, "%s has %d component%s, got %d", pass_a(t, type), needed, needed == 1 ? "" : "s",
                            components);
}
