/* Nodes and their types, and checks of values that have a type. */
#include "kernel/pass/type_private.h"

#include <stdio.h>
#include <string.h>

Node *pass_node(const Typing *t, NodeIndex node)
{
    return node_at(t->tree, node);
}

NodeIndex pass_child(const Typing *t, NodeIndex node, int i)
{
    NodeIndex child = pass_node(t, node)->child;
    for (; child && i > 0; i--) {
        child = pass_node(t, child)->next;
    }
    return child;
}

int pass_count(const Typing *t, NodeIndex node)
{
    int count = 0;
    for (NodeIndex i = pass_node(t, node)->child; i; i = pass_node(t, i)->next) {
        count++;
    }
    return count;
}

const Token *pass_first(const Typing *t, NodeIndex node)
{
    for (;;) {
        const Node *n = pass_node(t, node);
        switch (n->kind) {
        case NODE_STEP:
            if (!(n->flags & FLAG_POSTFIX)) {
                return node_token(t->tree, node);
            }
            break;
        case NODE_BINARY:
        case NODE_LOGICAL:
        case NODE_CHOICE:
        case NODE_ASSIGN:
        case NODE_COMMA:
        case NODE_MEMBER:
        case NODE_FIELD:
        case NODE_SWIZZLE:
        case NODE_INDEX:
        case NODE_GATHER:
        case NODE_NEIGHBOR:
        case NODE_ELEMENT: break;
        default: return node_token(t->tree, node);
        }
        node = n->child;
    }
}

const char *pass_name(Typing *t, TypeIndex type)
{
    StrBuf out = STRBUF_EMPTY;
    char *name = t->names[t->listed++ % 4];
    types_name(&t->tree->types, type, &out);
    snprintf(name, sizeof t->names[0], "%s", strbuf_text(&out));
    strbuf_free(&out);
    return name;
}

const char *pass_a(Typing *t, TypeIndex type)
{
    char name[sizeof t->names[0] - 4];
    snprintf(name, sizeof name, "%s", pass_name(t, type));
    char *text = t->names[(t->listed + 3) % 4]; /* of the name that was returned last */
    snprintf(text, sizeof t->names[0], "%s %s", *name == 'i' ? "an" : "a", name);
    return text;
}

int pass_rank(const Typing *t, NodeIndex parameter)
{
    int rank = 0;
    TypeInfo info = pass_info(t, pass_node(t, parameter)->type);
    for (; info.base == BASE_ARRAY && info.length == 0; info = pass_info(t, info.element)) {
        rank++;
    }
    return rank;
}

TypeIndex pass_element(const Typing *t, NodeIndex parameter)
{
    TypeIndex type = pass_node(t, parameter)->type;
    for (int i = pass_rank(t, parameter); i > 0; i--) {
        type = pass_info(t, type).element;
    }
    return type;
}

const char *pass_brackets(int count)
{
    static const char brackets[] = "[][][][][][][][][][][][][][][][]";
    size_t length = 2 * (size_t)count, most = sizeof brackets - 1;
    return brackets + (length < most ? most - length : 0);
}

TypeIndex pass_close(Typing *t, TypeIndex want, TypeIndex have)
{
    TypeInfo open = pass_info(t, want), given = pass_info(t, have);
    if (open.base != BASE_ARRAY || given.base != BASE_ARRAY) {
        return want;
    }
    TypeIndex element = pass_close(t, open.element, given.element);
    return types_array(&t->tree->types, element, open.length ? open.length : given.length);
}

TypeInfo pass_info(const Typing *t, TypeIndex type)
{
    return types_info(&t->tree->types, type);
}

void pass_is_stream(Typing *t, NodeIndex value, const char *expected, TypeInfo stream)
{
    const Token *place = pass_first(t, value);
    const Node *root = pass_node(t, value);
    while (root->kind == NODE_GATHER || root->kind == NODE_ELEMENT || root->kind == NODE_PAREN) {
        root = pass_node(t, root->child);
    }
    int all = root->kind == NODE_PARAMETER_VALUE ? pass_rank(t, root->target) : 0;
    TypeIndex element = stream.element;
    int rank = 1;
    for (TypeInfo i = pass_info(t, element); i.base == BASE_ARRAY && i.length == 0; i = pass_info(t, element)) {
        element = i.element;
        rank++;
    }
    if (all > rank) {
        message_add(t->messages, place, "'%.*s' has %d dimensions, and %d ind%s here\nwrite %.*s%s", place->length,
                    place->text, all, all - rank, all - rank == 1 ? "ex" : "ices", place->length, place->text,
                    all == 2   ? "[y][x]"
                    : all == 3 ? "[z][y][x]"
                               : "[i]...");
    } else if (rank == 1) {
        message_add(t->messages, place, "expected %s, got a stream of %s\nwrite an index: name[i]", expected,
                    pass_name(t, element));
    } else {
        message_add(t->messages, place,
                    "expected %s, got a stream of %s, of %d dimensions\nwrite an index for each dimension: name%s",
                    expected, pass_name(t, element), rank,
                    rank == 2   ? "[y][x]"
                    : rank == 3 ? "[z][y][x]"
                                : "[i]...");
    }
}

bool pass_is_no_value(Typing *t, NodeIndex node)
{
    TypeInfo info = pass_info(t, pass_node(t, node)->type);
    bool stream = info.base == BASE_ARRAY && info.length == 0;
    if (stream) {
        pass_is_stream(t, node, "a value", info);
    } else if (info.base == BASE_VOID) {
        message_add(t->messages, pass_first(t, node),
                    "this call has no value: the function returns void\ncall it in a statement of its own");
    }
    return stream || info.base == BASE_VOID;
}

bool pass_fits(Typing *t, TypeIndex have, TypeIndex want, const Token *place, NodeIndex value, NodeIndex variable)
{
    if (!have || !want || types_converts(&t->tree->types, have, want)) {
        return true;
    }
    uint32_t kind = pass_node(t, value)->kind;
    StrBuf other = STRBUF_EMPTY; /* the declaration of the variable */
    if (variable && pass_node(t, variable)->kind == NODE_VARIABLE) {
        const Token *name = node_token(t->tree, variable);
        strbuf_addf(&other, ", or declare '%.*s' as %s", name->length, name->text, pass_name(t, have));
    }
    const char *also = strbuf_text(&other);
    bool whole = value && (kind == NODE_BINARY || kind == NODE_CHOICE || kind == NODE_UNARY);
    const char *before = whole ? "(...)" : "", *after = whole ? "" : " after it";
    TypeInfo from = pass_info(t, have), to = pass_info(t, want);
    const char *source = pass_name(t, have), *name = pass_name(t, want);
    if (value && from.base == BASE_ARRAY && from.length == 0) {
        pass_is_stream(t, value, name, from);
    } else if (pass_is_plain(from) && pass_is_plain(to) && (from.rows == to.rows || pass_is_scalar(from)) &&
               from.columns == 1) {
        message_add(t->messages, place, "cannot convert %s to %s\nwrite %s(...)%s", source, name, name, also);
    } else if (pass_is_plain(from) && from.columns == 1 && pass_is_scalar(to) &&
               !types_converts(&t->tree->types, types_of(from.base, 1, 1), want)) {
        message_add(t->messages, place, "cannot convert %s to %s\nwrite %s(value.x)%s", source, name, name, also);
    } else if (pass_is_plain(from) && from.columns == 1 && pass_is_scalar(to)) {
        message_add(t->messages, place, "cannot convert %s to %s\nwrite %s.x%s to choose a component%s", source, name,
                    before, after, also);
    } else if (pass_is_plain(from) && pass_is_plain(to) && from.columns == 1 && to.columns == 1 &&
               from.rows > to.rows) {
        message_add(t->messages, place, "cannot convert %s to %s\nwrite %s.%.*s%s%s", source, name, before, to.rows,
                    "xyzw", after, also);
    } else if (pass_is_plain(from) && pass_is_plain(to) && from.columns == 1 && to.columns == 1) {
        message_add(t->messages, place, "cannot convert %s to %s\nwrite %s(value, ...) with the other components%s",
                    source, name, name, also);
    } else {
        StrBuf fields = STRBUF_EMPTY;
        TypeInfo structure = from.base == BASE_STRUCTURE ? from : to;
        bool fits = structure.base == BASE_STRUCTURE;
        for (NodeIndex d = fits ? pass_node(t, structure.structure)->child : 0; d; d = pass_node(t, d)->next) {
            NodeIndex v = pass_node(t, d)->kind == NODE_DECLARE ? pass_child(t, d, 1) : 0;
            for (; v; v = pass_node(t, v)->next) {
                const Token *field = node_token(t->tree, v);
                strbuf_addf(&fields, from.base == BASE_STRUCTURE ? "%s.%.*s" : "%s%.*s",
                            fields.length ? from.base == BASE_STRUCTURE ? " or " : ", " : "", field->length,
                            field->text);
            }
        }
        const char *declare = *also ? also + strlen(", or ") : "";
        message_add(t->messages, place,
                    !fits                         ? "cannot convert %s to %s%s%s"
                    : from.base == BASE_STRUCTURE ? "cannot convert %s to %s%.0s%.0s\nwrite %s after it"
                                                  : "cannot convert %s to %s%.0s%.0s\nwrite %s(%s)",
                    source, name, *declare ? "\n" : "", declare,
                    from.base == BASE_STRUCTURE ? strbuf_text(&fields) : name, strbuf_text(&fields));
        strbuf_free(&fields);
    }
    strbuf_free(&other);
    return false;
}

/* Adds an error if a component is assigned twice. */
static void check_components(Typing *t, NodeIndex node)
{
    const Token *name = node_token(t->tree, node);
    for (int i = 1; i < name->length; i++) {
        if (memchr(name->text, name->text[i], (size_t)i)) {
            message_add(t->messages, name, "component '%c' is assigned twice", name->text[i]);
            return;
        }
    }
}

void pass_target(Typing *t, NodeIndex node)
{
    const Token *first = pass_first(t, node);
    for (NodeIndex i = node; pass_node(t, node)->type;) {
        const Node *n = pass_node(t, i);
        switch (n->kind) {
        case NODE_SWIZZLE: check_components(t, i); break;
        case NODE_FIELD:
        case NODE_INDEX:
        case NODE_ELEMENT:
        case NODE_PAREN: break;
        case NODE_PARAMETER_VALUE:
            if (i == node && pass_info(t, n->type).base == BASE_ARRAY && pass_info(t, n->type).length == 0) {
                message_add(
                    t->messages, first,
                    "'%.*s' is a whole stream, to which nothing is assigned\ndeclare 'out %s %.*s<>', or write an "
                    "element of an inout stream: %.*s[i]",
                    first->length, first->text, pass_name(t, pass_element(t, n->target)), first->length, first->text,
                    first->length, first->text);
                pass_node(t, node)->type = 0;
            }
            return;
        case NODE_LOCAL:
            if (pass_node(t, n->target)->flags & FLAG_CONST) {
                message_add(t->messages, first, "'%.*s' is const and cannot be assigned", first->length, first->text);
            }
            return;
        case NODE_GATHER:
            message_add(t->messages, first,
                        "'%.*s' is a gather, which is only read\ndeclare it inout to assign its "
                        "elements",
                        first->length, first->text);
            return;
        case NODE_NEIGHBOR:
        case NODE_CONSTANT_VALUE:
            message_add(t->messages, first, "'%.*s' is %s and cannot be assigned", first->length, first->text,
                        n->kind == NODE_NEIGHBOR ? "a neighbor stream" : "const");
            return;
        default: message_add(t->messages, first, "expected a variable, to which a value is assigned"); return;
        }
        i = pass_node(t, i)->child;
    }
}
