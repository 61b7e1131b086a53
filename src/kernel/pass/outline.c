/* Creates the structures and functions of a module from its tree, and checks the signatures. */
#include "kernel/pass/outline.h"

#include "base/array.h"
#include "kernel/pass/adjoint.h"
#include "stream/shape.h"

#include <stdlib.h>
#include <string.h>

typedef struct Outline {
    Typing t;
    Module *module;
} Outline;

#define FAIL(o, token, ...) (message_add((o)->t.messages, (token), __VA_ARGS__), false)

/* names and types */

/* Copies a name. */
static bool copy_name(Outline *o, const Token *token, char name[MAX_NAME + 1])
{
    if (token->length > MAX_NAME) {
        return FAIL(o, token, "this name is longer than %d characters", MAX_NAME);
    }
    memcpy(name, token->text, (size_t)token->length);
    name[token->length] = '\0';
    return true;
}

/* Returns the stream type of a type, or NULL if streams cannot have it. */
static const Type *stream_type(const Outline *o, TypeIndex type)
{
    static const Scalar scalars[] = {[BASE_BOOL] = SCALAR_BOOL,
                                     [BASE_INT] = SCALAR_INT,
                                     [BASE_UINT] = SCALAR_UINT,
                                     [BASE_FLOAT] = SCALAR_FLOAT,
                                     [BASE_DOUBLE] = SCALAR_DOUBLE};
    TypeInfo info = pass_info(&o->t, type);
    if (info.base == BASE_STRUCTURE) {
        return module_struct(o->module, &info.name);
    }
    return pass_is_plain(info) && info.columns == 1 && (info.base != BASE_BOOL || info.rows == 1)
               ? type_of(scalars[info.base], info.rows)
               : NULL;
}

/* Sets the type of a parameter or result, as in Param.type and Param.matrix. */
static void set_type(const Outline *o, TypeIndex type, const Type **known, int *matrix)
{
    TypeInfo info = pass_info(&o->t, type);
    bool square = info.base == BASE_FLOAT && info.columns > 1 && info.columns == info.rows;
    *known = stream_type(o, type);
    *matrix = *known || info.base == BASE_VOID ? 0 : square ? info.columns : OTHER_TYPE;
}

/* structures */

enum { MAX_FIELDS = 64 };

/* Adds a field of a structure. *plain becomes false if streams cannot have the type. */
static bool add_field(Outline *o, NodeIndex structure, NodeIndex variable, Field *fields, int *count, bool *plain)
{
    const Token *name = node_token(o->t.tree, variable);
    TypeInfo info = pass_info(&o->t, pass_node(&o->t, variable)->type);
    if (*count == MAX_FIELDS) {
        return FAIL(o, name, "a structure has at most %d fields", MAX_FIELDS);
    }
    const Type *known = stream_type(o, pass_node(&o->t, variable)->type);
    *plain = *plain && known;
    while (info.base == BASE_ARRAY) {
        info = pass_info(&o->t, info.element);
    }
    if (info.base == BASE_STRUCTURE && info.structure >= structure) {
        return FAIL(o, name - 1, "structure '%.*s' must be declared before it is used", info.name.length,
                    info.name.text);
    }
    fields[*count].type = known;
    return copy_name(o, name, fields[(*count)++].name);
}

static bool add_structure(Outline *o, NodeIndex node)
{
    Field fields[MAX_FIELDS] = {0};
    char name[MAX_NAME + 1];
    const Token *token = node_token(o->t.tree, node);
    int count = 0;
    bool plain = true;
    for (NodeIndex d = pass_node(&o->t, node)->child; d; d = pass_node(&o->t, d)->next) {
        NodeIndex type = pass_node(&o->t, d)->kind == NODE_DECLARE ? pass_node(&o->t, d)->child : 0;
        for (NodeIndex v = type ? pass_node(&o->t, type)->next : 0; v; v = pass_node(&o->t, v)->next) {
            if (!add_field(o, node, v, fields, &count, &plain)) {
                return true;
            }
        }
    }
    if (!copy_name(o, token, name) || (count == 0 && !FAIL(o, token, "structure '%s' has no fields", name)) || !plain) {
        return true;
    }
    const Type *type = type_struct(name, fields, count);
    if (!type || !ARRAY_ROOM(&o->module->structs)) {
        type_release(type);
        return false;
    }
    o->module->structs.items[o->module->structs.count++] = type;
    return true;
}

/* parameters */

/* Returns the kind with a word, for T name[] or T name<>; PARAM_KIND_COUNT if there is none. */
static ParamKind kind_of(const char *word, bool brackets)
{
    int k = 0;
    while (k < PARAM_KIND_COUNT &&
           !(param_kinds[k].word && strcmp(param_kinds[k].word, word) == 0 && param_kinds[k].brackets == brackets)) {
        k++;
    }
    return (ParamKind)k;
}

/* Returns the word of a parameter kind before a parameter, or NULL. *several: different ones occur. */
static const char *word_of(uint32_t flags, bool *several)
{
    const char *word = NULL;
    *several = false;
    for (int k = 0; k < PARAM_KIND_COUNT; k++) {
        if (flags & FLAG_PARAM(k)) {
            *several = word != NULL;
            word = param_kinds[k].word;
        }
    }
    return word;
}

/* Appends the words of all kinds, each once: "out, inout" and so on. */
static void add_words(StrBuf *list)
{
    for (int k = 0; k < PARAM_KIND_COUNT; k++) {
        const char *word = param_kinds[k].word;
        bool known = !word;
        for (int i = 0; i < k && !known; i++) {
            known = param_kinds[i].word && strcmp(param_kinds[i].word, word) == 0;
        }
        if (!known) {
            strbuf_addf(list, "%s%s", list->length ? ", " : "", word);
        }
    }
}

/* Adds the error of a word that requires a stream, before a parameter that is not one. */
static bool wrong_form(Outline *o, const Param *param, const Token *token, const char *word)
{
    const char *name = param->name;
    return kind_of(word, true) != PARAM_KIND_COUNT
               ? FAIL(o, token, "'%s': inout needs %s<> or %s[]", name, name, name)
               : FAIL(o, token, "'%s': write %s<> for a %s", name, name, param_kinds[kind_of(word, false)].name);
}

/* Returns the first field of a structure whose type streams cannot have, or 0. */
static NodeIndex other_field(const Outline *o, TypeInfo info)
{
    for (NodeIndex d = pass_node(&o->t, info.structure)->child; d; d = pass_node(&o->t, d)->next) {
        NodeIndex first = pass_node(&o->t, d)->kind == NODE_DECLARE ? pass_child(&o->t, d, 1) : 0;
        for (NodeIndex v = first; v; v = pass_node(&o->t, v)->next) {
            if (!stream_type(o, pass_node(&o->t, v)->type)) {
                return v;
            }
        }
    }
    return 0;
}

/* Adds the error of a parameter with a type that only functions can have. */
static bool wrong_type(Outline *o, const Param *param, NodeIndex node)
{
    const Token *token = node_token(o->t.tree, node);
    TypeIndex type = pass_element(&o->t, node);
    TypeInfo info = pass_info(&o->t, type);
    NodeIndex field = info.base == BASE_STRUCTURE ? other_field(o, info) : 0;
    const char *kind = param_kinds[param->kind].name, *name = pass_name(&o->t, type);
    if (!field) {
        return FAIL(o, token, "'%s': a %s can't be of type %s", param->name, kind, name);
    }
    const Token *at = node_token(o->t.tree, field);
    return FAIL(o, token,
                "'%s': a %s can't be of type %s\nits field '%.*s' is %s: streams and constants have fields that are "
                "scalars, vectors, or structures of them",
                param->name, kind, name, at->length, at->text, pass_a(&o->t, pass_node(&o->t, field)->type));
}

static bool set_kind(Outline *o, const Function *f, Param *param, NodeIndex node, bool sized)
{
    const Token *token = node_token(o->t.tree, node);
    uint32_t flags = pass_node(&o->t, node)->flags;
    bool several, gather = param->rank > 0, stream = flags & FLAG_STREAM;
    const char *word = word_of(flags, &several), *name = param->name;
    bool out = word && strcmp(word, "out") == 0, inout = word && strcmp(word, "inout") == 0;
    if (several) {
        StrBuf words = STRBUF_EMPTY;
        add_words(&words);
        message_add(o->t.messages, token, "'%s' has more than one of %s", name, strbuf_text(&words));
        strbuf_free(&words);
        return false;
    }
    if (f->kind == FUNCTION_HELPER && !stream && !(flags & FLAG_PARAM(PARAM_VOUT)) && (!gather || sized)) {
        param->kind = PARAM_CONSTANT;
        param->output = inout ? 2 : out;
        return true;
    }
    param->kind = stream ? PARAM_INPUT : gather ? PARAM_GATHER : PARAM_CONSTANT;
    if (word) {
        ParamKind kind = kind_of(word, !stream && gather);
        if (kind == PARAM_KIND_COUNT || (!stream && !gather)) {
            return wrong_form(o, param, token, word);
        }
        param->kind = kind;
    }
    return !param->matrix || (param->kind == PARAM_CONSTANT && param->matrix != OTHER_TYPE) ||
           wrong_type(o, param, node);
}

/* Reads a boundary mode, and the value outside if it is a number. */
static bool read_mode(Outline *o, const Param *param, const Token *token, Boundary *mode, double *outside)
{
    bool sign = token->kind != TOKEN_NAME && token->kind != TOKEN_NUMBER;
    int known = token->kind == TOKEN_NAME ? 0 : BOUNDARY_VALUE;
    while (token->kind == TOKEN_NAME && boundary_names[known] && !token_is(token, boundary_names[known])) {
        known++;
    }
    if (!boundary_names[known]) {
        return FAIL(o, token, "'%s': unknown boundary mode '%.*s'\nwrite clamp, wrap, mirror, zero or a number",
                    param->name, token->length, token->text);
    }
    *mode = (Boundary)known;
    *outside = token->kind == TOKEN_NAME ? 0 : strtod(token[sign].text, NULL) * (token_is(token, "-") ? -1 : 1);
    return true;
}

/* Sets the boundary modes of a parameter. */
static bool set_modes(Outline *o, const Function *f, Param *param, NodeIndex list)
{
    ParamModes *modes = &param->modes;
    bool valued = false;
    if (f->kind != FUNCTION_KERNEL) {
        return FAIL(o, node_token(o->t.tree, list), "'%s': only a kernel's parameters have boundary modes\nremove them",
                    param->name);
    }
    for (NodeIndex i = pass_node(&o->t, list)->child; i; i = pass_node(&o->t, i)->next) {
        const Token *token = node_token(o->t.tree, i);
        double outside;
        if (modes->count == SHAPE_MAX_RANK) {
            return FAIL(o, token, "'%s' has more than %d dimensions", param->name, SHAPE_MAX_RANK);
        }
        if (!read_mode(o, param, token, &modes->mode[modes->count], &outside)) {
            return false;
        }
        if (modes->mode[modes->count++] != BOUNDARY_VALUE) {
            continue;
        }
        if (valued && outside != modes->outside) {
            return FAIL(o, token, "'%s': all dimensions must have the same value outside\nwrite %g for each of them",
                        param->name, modes->outside);
        }
        modes->outside = outside;
        valued = true;
    }
    return true;
}

/* Adds a parameter. Returns false after an error. */
static bool add_parameter(Outline *o, Function *f, NodeIndex node)
{
    const Token *token = node_token(o->t.tree, node);
    const Node *n = pass_node(&o->t, node);
    NodeIndex type = pass_child(&o->t, node, n->flags & FLAG_MAXIMUM ? 1 : 0), length = pass_node(&o->t, type)->next;
    Param *param = &f->params[f->param_count];
    bool sized = false;
    if (f->param_count == MAX_PARAMS) {
        return FAIL(o, token, "a function has at most %d parameters", MAX_PARAMS);
    }
    *param = (Param){.offset = token->offset};
    bool named = token->kind == TOKEN_NAME;
    if (length && pass_node(&o->t, length)->kind == NODE_LIST) {
        length = pass_node(&o->t, length)->next;
    }
    for (; length; length = pass_node(&o->t, length)->next) {
        sized = sized || pass_node(&o->t, length)->kind != NODE_EMPTY;
        param->rank++;
    }
    TypeIndex element = pass_node(&o->t, type)->type;
    if (pass_info(&o->t, element).base == BASE_VOID) {
        return FAIL(o, node_token(o->t.tree, type), "a parameter can't be void");
    }
    set_type(o, element, &param->type, &param->matrix);
    if (named && !copy_name(o, token, param->name)) {
        return false;
    }
    if (param->rank > SHAPE_MAX_RANK) {
        return FAIL(o, token, "'%s' has more than %d dimensions", param->name, SHAPE_MAX_RANK);
    }
    bool done = set_kind(o, f, param, node, sized);
    NodeIndex modes = n->flags & FLAG_MAXIMUM ? n->child : 0;
    done = done && (!modes || pass_node(&o->t, modes)->kind != NODE_MODES || set_modes(o, f, param, modes));
    f->param_count++;
    return done;
}

/* functions */

static bool set_group(Outline *o, Function *f, NodeIndex group)
{
    for (NodeIndex i = pass_node(&o->t, group)->child; i; i = pass_node(&o->t, i)->next) {
        const Token *token = node_token(o->t.tree, i);
        long size = token->kind == TOKEN_NUMBER ? strtol(token->text, NULL, 0) : 0;
        if (size < 1 || size > 65536 || f->group_rank == 3) {
            return FAIL(o, token, "expected one to three group sizes, like kernel(64) or kernel(16, 8), got '%.*s'",
                        token->length, token->text);
        }
        f->group[f->group_rank++] = (int)size;
    }
    return true;
}

static bool check_reduce(Outline *o, const Function *f, const Token *token)
{
    int reduces = 0, inputs = 0;
    const Type *types[2] = {NULL, NULL};
    for (int i = 0; i < f->param_count; i++) {
        ParamKind kind = f->params[i].kind;
        reduces += kind == PARAM_REDUCE;
        inputs += kind == PARAM_INPUT;
        if (kind == PARAM_INPUT || kind == PARAM_REDUCE) {
            types[kind == PARAM_REDUCE] = f->params[i].type;
        }
    }
    if (reduces != 1 || inputs != 1) {
        return FAIL(o, token,
                    "a reduce kernel has one input stream and one reduce parameter\nwrite reduce void %s(float x<>, "
                    "reduce float r<>)",
                    f->name);
    }
    return types[0] == types[1] ||
           FAIL(o, token, "the input (%s) and the reduce parameter (%s) must have the same type", types[0]->name,
                types[1]->name);
}

static bool check_signature(Outline *o, const Function *f, NodeIndex node)
{
    NodeIndex parameter = pass_node(&o->t, node)->child;
    for (int i = 0; i < f->param_count; parameter = pass_node(&o->t, parameter)->next) {
        if (pass_node(&o->t, parameter)->kind != NODE_PARAMETER) {
            continue;
        }
        const Param *param = &f->params[i++];
        const Token *token = node_token(o->t.tree, parameter);
        ParamKind kind = param->kind;
        bool allowed = kind == PARAM_REDUCE || kind == PARAM_INPUT || kind == PARAM_CONSTANT || kind == PARAM_GATHER;
        if (f->kind == FUNCTION_REDUCE && !allowed) {
            NodeIndex type = pass_child(&o->t, parameter, pass_node(&o->t, parameter)->flags & FLAG_MAXIMUM ? 1 : 0);
            return FAIL(o, node_token(o->t.tree, type) - (param_kinds[kind].word != NULL),
                        "a reduce kernel can't have %s %s\nits result is 'reduce %s %s<>'",
                        strchr("aeiou", *param_kinds[kind].name) ? "an" : "a", param_kinds[kind].name,
                        pass_name(&o->t, pass_element(&o->t, parameter)), param->name);
        }
        if (f->kind == FUNCTION_KERNEL && kind == PARAM_REDUCE) {
            return FAIL(o, token, "'%s' is a reduce parameter: write 'reduce void %s(...)'", param->name, f->name);
        }
        if (f->group_rank && kind == PARAM_VOUT) {
            return FAIL(o, token, "'%s': a group kernel can't have a variable output (vout)", param->name);
        }
    }
    return f->kind != FUNCTION_REDUCE || check_reduce(o, f, node_token(o->t.tree, node));
}

/* Returns the number of tokens of a block. */
static int tokens_of(const Outline *o, NodeIndex block)
{
    const Token *first = node_token(o->t.tree, block), *t = first;
    int depth = token_nesting(t);
    while (depth > 0) {
        depth += token_nesting(++t);
    }
    return (int)(t - first) - 1;
}

/* Makes a function. *made becomes false for a prototype, or after an error in the signature. */
static bool make_function(Outline *o, NodeIndex node, Function *made_function, bool *made)
{
    const Token *token = node_token(o->t.tree, node);
    uint32_t flags = pass_node(&o->t, node)->flags;
    Function f = {.offset = token->offset, .node = node, .is_gradient = flags & FLAG_GRADIENT};
    f.kind = flags & FLAG_KERNEL                ? FUNCTION_KERNEL
             : flags & FLAG_PARAM(PARAM_REDUCE) ? FUNCTION_REDUCE
                                                : FUNCTION_HELPER;
    f.params = calloc(MAX_PARAMS, sizeof *f.params);
    if (!f.params) {
        return error_set("out of host memory");
    }
    set_type(o, pass_node(&o->t, node)->type, &f.result, &f.result_matrix);
    bool done = copy_name(o, token, f.name), defined = false;
    for (NodeIndex i = pass_node(&o->t, node)->child; i && done; i = pass_node(&o->t, i)->next) {
        uint32_t kind = pass_node(&o->t, i)->kind;
        done = kind == NODE_GROUP ? set_group(o, &f, i) : kind != NODE_PARAMETER || add_parameter(o, &f, i);
        if (kind == NODE_BLOCK) {
            defined = true;
            f.tokens = tokens_of(o, i);
        }
    }
    *made = done && defined && check_signature(o, &f, node);
    if (!*made) {
        free(f.params);
    }
    *made_function = f;
    return true;
}

static bool add_function(Outline *o, NodeIndex node)
{
    Function f;
    bool made;
    if (!make_function(o, node, &f, &made)) {
        return false;
    }
    if (made && !ARRAY_ROOM(&o->module->functions)) {
        free(f.params);
        return false;
    }
    if (made) {
        o->module->functions.items[o->module->functions.count++] = f;
    }
    return true;
}

/* Adds the rule of a kernel's derivatives to its function. */
static bool add_gradient(Outline *o, NodeIndex node)
{
    const Token *name = node_token(o->t.tree, node);
    Function f, *kernel = (Function *)module_function(o->module, name);
    bool made;
    if (!kernel || kernel->kind == FUNCTION_HELPER) {
        message_add(o->t.messages, name,
                    "'%.*s' is not a kernel of this text\na gradient has the name of the kernel whose derivatives it "
                    "computes",
                    name->length, name->text);
        return true;
    }
    if (kernel->gradient) {
        message_add(o->t.messages, name, "'%s' already has a gradient (line %d)\nremove one of them", kernel->name,
                    source_line(o->t.tree->source, kernel->gradient->offset));
        return true;
    }
    if (!make_function(o, node, &f, &made)) {
        return false;
    }
    if (!made || !adjoint_check(&o->t, kernel, &f)) {
        free(made ? f.params : NULL);
        return true;
    }
    kernel->gradient = malloc(sizeof f);
    if (!kernel->gradient) {
        free(f.params);
        return error_set("out of host memory");
    }
    *kernel->gradient = f;
    return true;
}

static bool is_gradient(const Outline *o, NodeIndex node)
{
    return pass_node(&o->t, node)->kind == NODE_FUNCTION && (pass_node(&o->t, node)->flags & FLAG_GRADIENT);
}

/* recursion */

/* Finds calls of a function while it runs. `state` of each node: 0 not visited, 1 being visited, 2 done. */
static bool visit(Outline *o, NodeIndex node, char *state)
{
    const Node *n = pass_node(&o->t, node);
    if (n->kind == NODE_CALL && n->target) {
        const Token *name = node_token(o->t.tree, node);
        if (state[n->target] == 1) {
            return FAIL(o, name, "recursion: '%.*s' is called while it runs\nwrite a loop", name->length, name->text);
        }
        if (state[n->target] == 0 && !visit(o, n->target, state)) {
            return false;
        }
    }
    state[node] = 1;
    for (NodeIndex i = n->child; i; i = pass_node(&o->t, i)->next) {
        if (!visit(o, i, state)) {
            return false;
        }
    }
    state[node] = 2;
    return true;
}

enum { MAX_FUNCTIONS = 512 };

static bool check_recursion(Outline *o)
{
    char *state = calloc(o->t.tree->nodes.count, 1);
    if (!state) {
        return error_set("out of host memory");
    }
    int count = 0;
    for (NodeIndex i = pass_node(&o->t, o->t.tree->root)->child; i; i = pass_node(&o->t, i)->next) {
        if (pass_node(&o->t, i)->kind == NODE_FUNCTION && ++count > MAX_FUNCTIONS) {
            message_add(o->t.messages, node_token(o->t.tree, i), "a kernel text has at most %d functions",
                        MAX_FUNCTIONS);
            break;
        }
        if (state[i] == 0 && !visit(o, i, state)) {
            break;
        }
    }
    free(state);
    return true;
}

bool pass_outline(Tree *tree, Module *module, Messages *messages)
{
    Outline o = {.t = {.tree = tree, .messages = messages}, .module = module};
    bool done = check_recursion(&o);
    for (NodeIndex i = pass_node(&o.t, tree->root)->child; i && done; i = pass_node(&o.t, i)->next) {
        if (pass_node(&o.t, i)->kind == NODE_STRUCTURE) {
            done = add_structure(&o, i);
        } else if (pass_node(&o.t, i)->kind == NODE_FUNCTION && !is_gradient(&o, i)) {
            done = add_function(&o, i);
        }
    }
    for (NodeIndex i = pass_node(&o.t, tree->root)->child; i && done; i = pass_node(&o.t, i)->next) {
        done = !is_gradient(&o, i) || add_gradient(&o, i); /* a gradient can precede its kernel */
    }
    return done;
}
