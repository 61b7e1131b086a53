/* Functions, constants, types, and the text that is written. */
#include "kernel/emit/emit_private.h"

#include "base/array.h"
#include "kernel/emit/glsl.h"
#include "kernel/text/names.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* text */

void emit_fail(Emit *e, const Token *token, const char *format, ...)
{
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (!e->failed) {
        e->failed = true;
        source_error(&e->module->source, token->offset, "%s", message);
    }
}

void emit_text(Emit *e, const char *text)
{
    strbuf_add(&e->out, text);
}

void emit_helper(Emit *e, BodyHelper helper, const char *text)
{
    e->body->helpers |= 1u << helper;
    emit_text(e, text);
}

void emit_seen(Emit *e, TypeIndex type)
{
    TypeInfo info = pass_info(&e->t, type);
    e->body->helpers |= info.columns > 1 ? 1u << HELPER_SEEN_MATRIX : 0u;
    e->body->helpers |= info.base == BASE_DOUBLE ? 1u << HELPER_SEEN_DOUBLE : 0u;
    emit_helper(e, HELPER_SEEN, "rill_seen(");
}

void emit_conversion(Emit *e, TypeIndex type)
{
    if (type == types_of(BASE_BOOL, 1, 1)) {
        emit_helper(e, HELPER_BOOL, "rill_bool");
    } else {
        emit_type_name(e, type);
    }
}

void emit_format(Emit *e, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    strbuf_add(&e->out, text);
}

static void mark(Emit *e, bool end)
{
    if (!e->marked) {
        return;
    }
    if (ARRAY_ROOM(&e->body->marks)) {
        e->body->marks.items[e->body->marks.count++] = (BodyMark){e->out.length, end};
    } else {
        e->failed = true;
    }
}

void emit_name(Emit *e, const Token *token)
{
    mark(e, false);
    emit_token(e, token, "u_");
}

void emit_token(Emit *e, const Token *token, const char *prefix)
{
    strbuf_add(&e->out, prefix);
    strbuf_add_bytes(&e->out, token->text, (size_t)token->length);
}

enum { MOST_INDENT = 16 }; /* levels: the text of deeply nested statements consists of spaces otherwise */

void emit_line(Emit *e)
{
    int depth = e->depth < MOST_INDENT ? e->depth : MOST_INDENT;
    strbuf_addf(&e->out, "\n%*s", 4 * depth, "");
}

bool emit_exact(const Emit *e)
{
    return e->self.function && !e->module->fast;
}

void emit_append(Emit *e)
{
    for (size_t i = 0; i < e->gathers.count; i++) {
        size_t start = e->body->text.length;
        BodyGather g = e->gathers.items[i];
        if (!ARRAY_ROOM(&e->body->gathers)) {
            e->failed = true;
            return;
        }
        e->body->gathers.items[e->body->gathers.count++] =
            (BodyGather){g.statement + start, g.at + start, g.arguments + start, g.end + start, g.param};
    }
    e->gathers.count = 0;
    strbuf_add(&e->body->text, strbuf_text(&e->out));
    strbuf_add(&e->body->text, "\n");
    if (e->body->text.failed) {
        e->failed = true;
        error_set("out of host memory");
    }
    strbuf_free(&e->out);
    e->out = STRBUF_EMPTY;
}

/* types */

void emit_type_name(Emit *e, TypeIndex type)
{
    TypeInfo info = pass_info(&e->t, type);
    while (info.base == BASE_ARRAY) {
        type = info.element;
        info = pass_info(&e->t, type);
    }
    if (info.base == BASE_STRUCTURE &&
        (info.name.kind != TOKEN_NAME || (emit_node(e, info.structure)->flags & FLAG_INNER))) {
        emit_format(e, "l%u_", (unsigned)info.structure); /* each block can declare a structure of the name */
    } else if (info.base == BASE_STRUCTURE) {
        strbuf_add(&e->out, "u_");
    }
    types_name(&e->t.tree->types, type, &e->out);
}

void emit_lengths(Emit *e, NodeIndex first, NodeIndex end)
{
    bool fixed = e->fixed;
    e->fixed = true;
    for (NodeIndex i = first; i != end; i = emit_node(e, i)->next) {
        emit_text(e, "[");
        if (emit_node(e, i)->kind != NODE_EMPTY) {
            emit_value(e, i);
        }
        emit_text(e, "]");
    }
    e->fixed = fixed;
}

void emit_known_lengths(Emit *e, TypeIndex type)
{
    for (TypeInfo i = pass_info(&e->t, type); i.base == BASE_ARRAY; i = pass_info(&e->t, i.element)) {
        emit_format(e, "[%d]", i.length);
    }
}

void emit_type(Emit *e, NodeIndex type)
{
    emit_type_name(e, emit_node(e, type)->type);
    if (emit_node(e, type)->kind == NODE_TYPE) {
        emit_lengths(e, emit_node(e, type)->child, 0);
    }
}

/* functions */

const Param *emit_param(const Emit *e, NodeIndex parameter, int *index)
{
    const Function *f = e->self.function;
    for (int i = 0; f && i < f->param_count; i++) {
        if (e->params[i] == parameter) {
            *index = i;
            return &f->params[i];
        }
    }
    return NULL;
}

int emit_root(const Emit *e, NodeIndex value)
{
    int index;
    bool named = emit_node(e, value)->kind == NODE_PARAMETER_VALUE;
    return named && emit_param(e, emit_node(e, value)->target, &index) ? e->self.bound[index] : -1;
}

/* Writes a parameter that GLSL knows. */
static void write_parameter(Emit *e, const Param *param, NodeIndex node)
{
    emit_format(e, "%s%s", emit_exact(e) ? "precise " : "", glsl_qualifier(param));
    emit_type_name(e, pass_element(&e->t, node));
    if (*param->name) {
        emit_format(e, " u_%s", param->name);
    }
    if (e->self.function->kind == FUNCTION_HELPER && param->kind == PARAM_CONSTANT) {
        NodeIndex type = emit_node(e, node)->child;
        emit_lengths(e, emit_node(e, type)->next, 0);
        emit_lengths(e, emit_node(e, type)->child, 0);
    }
}

NodeIndex emit_result_type(const Emit *e)
{
    NodeIndex type = emit_node(e, e->self.function->node)->child;
    return emit_node(e, type)->kind == NODE_GROUP ? emit_node(e, type)->next : type;
}

static void write_signature(Emit *e)
{
    const Function *f = e->self.function;
    char prefix[24];
    snprintf(prefix, sizeof prefix, "u%d_", e->self.number);
    emit_type(e, emit_result_type(e));
    emit_format(e, " %s%s(", e->self.number ? prefix : module_prefix(f), f->name);
    const char *comma = "";
    for (int i = 0; i < f->param_count; i++) {
        if (!param_kinds[f->params[i].kind].bound) {
            emit_text(e, comma);
            write_parameter(e, &f->params[i], e->params[i]);
            comma = ", ";
        }
    }
    emit_text(e, ")\n{");
    mark(e, true);
    for (int i = 0; i < f->param_count; i++) {
        const Param *param = &f->params[i];
        const Node *node = emit_node(e, e->params[i]);
        TypeInfo info = pass_info(&e->t, node->type);
        if ((node->flags & FLAG_UNSET) && pass_is_plain(info)) { /* of a function of the text */
            emit_format(e, "\n    u_%s = ", param->name);
            emit_type_name(e, node->type);
            emit_text(e, emit_exact(e) && emit_real(info) ? "(rill_zero);" : "(0);");
        }
        if (param->kind != PARAM_OUTPUT) {
            continue;
        }
        emit_text(e, "\n    ");
        mark(e, false);
        emit_format(e, "u_%s = ", param->name);
        Scalar scalar = param->type->is_struct ? SCALAR_COUNT : param->type->value->scalar;
        if (emit_exact(e) && (scalar == SCALAR_FLOAT || scalar == SCALAR_DOUBLE)) {
            emit_format(e, "%s(rill_zero)", glsl_type(param->type));
        } else {
            glsl_zero(&e->out, param->type);
        }
        emit_text(e, ";");
        mark(e, true);
    }
}

/* Returns whether a statement declares or assigns scalars, and adds the number of variables. */
static bool is_straight(const Emit *e, NodeIndex node, int *variables)
{
    const Node *n = emit_node(e, node);
    TypeInfo info = emit_info(e, node);
    bool straight = true;
    switch (n->kind) {
    case NODE_VARIABLE:
        ++*variables;
        straight = pass_is_scalar(info) && info.base >= BASE_INT && info.base <= BASE_FLOAT;
        break;
    case NODE_DECLARE: straight = !(n->flags & FLAG_CONST); break;
    case NODE_PARAMETER_VALUE: return true;
    case NODE_LIST:
    case NODE_INDEX:
    case NODE_GATHER:
    case NODE_NEIGHBOR:
    case NODE_ELEMENT:
    case NODE_QUERY:
    case NODE_SAMPLE:
    case NODE_ATOMIC:
    case NODE_RANDOM:
    case NODE_PUSH:
    case NODE_BARRIER: return false;
    default:
        straight = n->kind == NODE_ASSIGN || n->kind == NODE_STEP || n->kind < NODE_BLOCK || n->kind == NODE_EVALUATE ||
                   n->kind == NODE_TYPE;
    }
    for (NodeIndex i = n->child; i && straight; i = emit_node(e, i)->next) {
        straight = is_straight(e, i, variables);
    }
    return straight;
}

static void write_function(Emit *e)
{
    const Function *f = e->self.function;
    NodeIndex node = f->node, block = 0;
    int count = 0;
    for (NodeIndex c = emit_node(e, node)->child; c; c = emit_node(e, c)->next) {
        if (emit_node(e, c)->kind == NODE_PARAMETER) {
            e->params[count++] = c;
        }
        block = emit_node(e, c)->kind == NODE_BLOCK ? c : block;
    }
    e->t.function = node;
    e->self.tokens = f->tokens;
    e->marked = f == e->root;
    for (NodeIndex i = emit_node(e, block)->child; i && e->marked; i = emit_node(e, i)->next) {
        e->marked = is_straight(e, i, &e->body->locals);
    }
    write_signature(e);
    e->depth = 1;
    for (NodeIndex i = emit_node(e, block)->child; i; i = emit_node(e, i)->next) {
        emit_listed(e, i);
        mark(e, true);
    }
    for (size_t i = 0; i < e->body->marks.count && e->marked; i++) {
        e->body->marks.items[i].at += e->body->text.length;
    }
    emit_text(e, "\n}\n");
    emit_append(e);
}

static bool same_binding(const Instance *instance, const Function *f, const int *bound)
{
    return instance->function == f && memcmp(instance->bound, bound, (size_t)f->param_count * sizeof *bound) == 0;
}

enum {
    MAX_INSTANCES = 512,
    MAX_BODY_TOKENS = 60000,
    ACCESS_TOKENS = 16
}; /* ACCESS_TOKENS: estimated size of an access function */

Instance emit_instance(Emit *e, const Function *f, const int *bound)
{
    InstanceList *list = e->instances;
    int number = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (same_binding(&list->items[i], f, bound)) {
            return list->items[i];
        }
        number += list->items[i].function == f;
    }
    Emit inner = {.t = e->t, .module = e->module, .root = e->root, .body = e->body, .instances = list};
    inner.variables = e->variables;
    inner.forward = e->forward;
    inner.trips = 1;
    inner.self = (Instance){.function = f, .number = number};
    memcpy(inner.self.bound, bound, (size_t)f->param_count * sizeof *bound);
    bool many = list->count == MAX_INSTANCES;
    if (!many && !e->failed) {
        write_function(&inner);
    }
    e->failed = e->failed || inner.failed;
    many = many || inner.self.tokens + ACCESS_TOKENS * inner.self.accesses > MAX_BODY_TOKENS;
    if (many && !e->failed) {
        e->failed = true;
        source_error(&e->module->source, f->offset,
                     "'%s' is too large: functions are inlined at every call, and a kernel is compiled once for every "
                     "set of gathers that it is passed",
                     f->name);
    }
    if (!e->failed && ARRAY_ROOM(list)) {
        list->items[list->count++] = inner.self;
    } else {
        e->failed = true;
    }
    strbuf_free(&inner.out);
    free(inner.gathers.items);
    return inner.self;
}

/* the body */

/* Writes a structure. */
static void write_structure(Emit *e, NodeIndex node)
{
    emit_text(e, "\nstruct ");
    emit_type_name(e, emit_node(e, node)->type);
    emit_text(e, " {");
    for (NodeIndex d = emit_node(e, node)->child; d; d = emit_node(e, d)->next) {
        for (NodeIndex v = pass_child(&e->t, d, 1); v; v = emit_node(e, v)->next) {
            const Token *name = emit_at(e, v);
            emit_text(e, " ");
            emit_type_name(e, emit_node(e, v)->type);
            emit_format(e, " %s%.*s", names_field(name), name->length, name->text);
            emit_known_lengths(e, emit_node(e, v)->type);
            emit_text(e, ";");
        }
    }
    emit_text(e, " };");
}

/* Writes the structures that streams cannot have, or that are declared in functions. The code generator writes the others. */
static void write_structures(Emit *e)
{
    for (NodeIndex i = 1; i < e->t.tree->nodes.count; i++) {
        bool inner = emit_node(e, i)->flags & FLAG_INNER;
        if (emit_node(e, i)->kind == NODE_STRUCTURE && (inner || !module_struct(e->module, emit_at(e, i)))) {
            write_structure(e, i);
        }
    }
}

static void write_constants(Emit *e)
{
    for (NodeIndex i = emit_node(e, e->t.tree->root)->child; i; i = emit_node(e, i)->next) {
        if (emit_node(e, i)->kind == NODE_CONSTANT) {
            emit_line(e);
            emit_declare(e, i, 0);
            emit_text(e, ";");
        }
    }
    emit_append(e);
}

bool emit_body(const Module *module, const Function *kernel, bool forward, Body *body, Instance *instance)
{
    InstanceList list = {0};
    Tree *tree = module->tree;
    Emit e = {.t = {.tree = tree}, .module = module, .root = kernel, .body = body, .instances = &list, .trips = 1};
    int bound[MAX_PARAMS];
    for (int i = 0; i < kernel->param_count; i++) {
        bound[i] = param_kinds[kernel->params[i].kind].stream ? i : -1;
    }
    e.forward = forward;
    e.variables = calloc(tree->nodes.count, sizeof *e.variables);
    if (!e.variables) {
        return error_set("out of host memory");
    }
    write_structures(&e);
    write_constants(&e);
    *instance = emit_instance(&e, kernel, bound);
    free(e.variables);
    strbuf_free(&e.out);
    free(list.items);
    free(list.matrices.items);
    return !e.failed;
}
