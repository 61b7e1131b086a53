/* Streams, and the functions that kernel text has in addition to GLSL's. The functions that are called here are declared
 * by the code generator: see body.h. */
#include "kernel/emit/emit_private.h"

#include "base/array.h"
#include "kernel/emit/glsl.h"
#include "stream/shape.h"

#include <stdio.h>
#include <string.h>

static ParamUse *use_of(Emit *e, int root)
{
    return &e->body->use[root];
}

static const char *name_of(const Emit *e, int root)
{
    return e->root->params[root].name;
}

/* Writes "f_NAME(": the access function `prefix` of the launched kernel's parameter. */
static void open_call(Emit *e, const char *prefix, int root)
{
    e->self.accesses++;
    use_of(e, root)->accesses++;
    emit_text(e, prefix);
    emit_format(e, "%s(", name_of(e, root));
}

/* indices */

enum { MOST_INDICES = 64 };

/* The indices of an access name[i][j], in order. */
typedef struct Access {
    NodeIndex name;
    NodeIndex indices[MOST_INDICES];
    int count;
} Access;

/* Finds the indices of a Gather, Element or Neighbor. */
static Access access_of(Emit *e, NodeIndex node)
{
    uint32_t kind = emit_node(e, node)->kind;
    Access access = {.name = node};
    while (kind != NODE_PARAMETER_VALUE && emit_node(e, access.name)->kind == kind && access.count < MOST_INDICES) {
        access.indices[access.count++] = pass_child(&e->t, access.name, 1);
        access.name = emit_node(e, access.name)->child;
    }
    e->self.tokens -= 2 * access.count; /* the brackets are not written */
    for (int i = 0; i < access.count / 2; i++) {
        NodeIndex last = access.indices[access.count - 1 - i];
        access.indices[access.count - 1 - i] = access.indices[i];
        access.indices[i] = last;
    }
    return access;
}

/* Writes indices as arguments. `root`: the launched kernel's parameter that is read, whose indices may be out of range; -1
 * for writes. */
static void put_indices(Emit *e, const Access *access, int root)
{
    for (int k = 0; k < access->count; k++) {
        int d = access->count - 1 - k;
        emit_text(e, k ? ", " : "");
        emit_helper(e, HELPER_INDEX, "rill_ix(");
        emit_kept(e, access->indices[k]);
        if (root >= 0) {
            emit_helper(e, HELPER_FAR_INDEX, ", ");
            emit_format(e, "b_%s(%s), %d", name_of(e, root), d < 4 ? "" : "4", d & 3);
        }
        emit_text(e, ")");
    }
}

/* gathers and random access */

/* Writes an element of a stream in storage, for a store or a load. */
static void put_stored(Emit *e, const Access *access, int root, bool written)
{
    emit_text(e, written ? "data_" : "load_");
    emit_format(e, "%s%s", name_of(e, root), written ? "[" : "(");
    open_call(e, written ? "w_" : "r_", root);
    put_indices(e, access, written ? -1 : root);
    emit_text(e, written ? ")]" : "))");
}

/* Writes the call of a gather, and lists it if its statement's gathers are. Gathers among its indices are not listed. */
static void put_gather(Emit *e, const Access *access, int root)
{
    size_t statement = e->statement;
    BodyGather gather = {.statement = statement - 1, .at = e->out.length, .param = root};
    e->statement = 0;
    open_call(e, "g_", root);
    gather.arguments = e->out.length;
    put_indices(e, access, root);
    emit_text(e, ")");
    gather.end = e->out.length;
    e->statement = statement;
    if (!statement) {
        return;
    }
    if (!ARRAY_ROOM(&e->gathers)) {
        e->failed = true;
        return;
    }
    e->gathers.items[e->gathers.count++] = gather;
}

void emit_gather(Emit *e, NodeIndex node)
{
    if (emit_loaded(e, node)) {
        return;
    }
    Access access = access_of(e, node);
    int root = emit_root(e, access.name);
    if (node == e->held) {
        emit_text(e, "rill_v");
        return;
    }
    use_of(e, root)->element = true;
    if (param_kinds[e->root->params[root].kind].anywhere) {
        put_stored(e, &access, root, node == e->written);
    } else {
        put_gather(e, &access, root);
    }
}

bool emit_stored_whole(Emit *e, NodeIndex statement)
{
    const Node *n = emit_node(e, statement);
    NodeIndex element = n->kind == NODE_ASSIGN ? emit_element_of(e, n->child) : 0;
    Access access = element ? access_of(e, element) : (Access){0};
    int root = element ? emit_root(e, access.name) : -1;
    if (root < 0 || glsl_plain_random(e->root->params[root].type)) {
        return false;
    }
    const Token *t = emit_at(e, statement);
    NodeIndex value = emit_node(e, n->child)->next;
    const char *type = glsl_type(e->root->params[root].type);
    bool remains = token_is(t, "%=") && !emit_is_widened(e, statement);
    use_of(e, root)->element = true;
    emit_text(e, "{ int rill_e = ");
    open_call(e, "w_", root);
    put_indices(e, &access, -1);
    emit_format(e, "); %s%s rill_v = load_%s(rill_e); ", emit_exact(e) ? "precise " : "", type, name_of(e, root));
    if (remains) {
        emit_helper(e, HELPER_REMAIN_TO, "rill_rem_to(");
    }
    e->held = element;
    emit_value(e, n->child);
    if (emit_is_widened(e, statement)) {
        emit_text(e, " = ");
        emit_operation(e, statement);
        e->held = 0;
        emit_format(e, "; store_%s(rill_e, rill_v); }", name_of(e, root));
        return true;
    }
    e->held = 0;
    emit_text(e, remains ? ", " : " ");
    if (!remains) {
        emit_token(e, t, "");
        emit_text(e, " ");
    }
    if (token_is(t, "/=")) {
        emit_divisor(e, value, emit_node(e, n->child)->type);
    } else {
        emit_converted(e, value, emit_node(e, n->child)->type);
    }
    emit_format(e, "%s; store_%s(rill_e, rill_v); }", remains ? ")" : "", name_of(e, root));
    return true;
}

/* neighbors */

/* The offsets of a neighbor access, in the order of the text: in u[y][x], x is the last offset. */
typedef struct Offsets {
    int count, axes, reach;
    bool literal;
    int8_t value[OFFSET_DIMS];
} Offsets;

/* Reads the offset "-1" or "k", where k is the counter of a loop between small numbers. Returns false if the range of the
 * offset is unknown. */
static bool read_offset(const Emit *e, NodeIndex node, Offsets *offsets)
{
    const Node *n = emit_node(e, node);
    bool minus = n->kind == NODE_UNARY && token_is(emit_at(e, node), "-");
    node = minus ? n->child : node;
    n = emit_node(e, node);
    const Token *t = emit_at(e, node);
    bool literal = n->kind == NODE_NUMBER && t->length == 1;
    int value = literal ? t->text[0] - '0' : n->kind == NODE_LOCAL && !minus ? e->variables[n->target].reach : 0;
    if (offsets->count == OFFSET_DIMS) {
        return false;
    }
    offsets->literal = offsets->literal && literal;
    offsets->value[offsets->count++] = (int8_t)(minus ? -value : value);
    offsets->axes += value != 0;
    offsets->reach = value > offsets->reach ? value : offsets->reach;
    return literal || value;
}

/* Reads "ivec2(-1, k)", with two or three components, x first. */
static bool read_vector(const Emit *e, NodeIndex node, Offsets *offsets)
{
    int size = pass_count(&e->t, node);
    TypeInfo info = emit_info(e, node);
    if (info.base != BASE_INT || info.rows != size) {
        return false;
    }
    for (NodeIndex i = emit_node(e, node)->child; i; i = emit_node(e, i)->next) {
        if (!read_offset(e, i, offsets)) {
            return false;
        }
    }
    int8_t value = offsets->value[0];
    offsets->value[0] = offsets->value[size - 1];
    offsets->value[size - 1] = value;
    return true;
}

static bool read_offsets(const Emit *e, const Access *access, Offsets *offsets)
{
    *offsets = (Offsets){.literal = true};
    bool vector = access->count == 1 && emit_node(e, access->indices[0])->kind == NODE_CONSTRUCT &&
                  emit_info(e, access->indices[0]).rows > 1;
    bool known = !vector || read_vector(e, access->indices[0], offsets);
    for (int k = 0; k < access->count && known && !vector; k++) {
        known = read_offset(e, access->indices[k], offsets);
    }
    return known;
}

/* Returns the index of an offset in the list of the parameter. Adds the offset if the list does not contain it. Returns -1
 * if the list is full. */
static int note_offsets(ParamUse *use, const Offsets *offsets)
{
    int8_t own[OFFSET_DIMS] = {0};
    for (int d = 0; d < offsets->count; d++) {
        own[d] = offsets->value[offsets->count - 1 - d];
    }
    for (int k = 0; k < use->offset_count; k++) {
        if (memcmp(use->offsets[k], own, sizeof own) == 0) {
            return k;
        }
    }
    if (use->offset_count == MAX_OFFSETS) {
        return -1;
    }
    memcpy(use->offsets[use->offset_count], own, sizeof own);
    return use->offset_count++;
}

/* Writes an access to a neighbor at known offsets. */
static void put_known(Emit *e, const Access *access, const Offsets *offsets, int root)
{
    ParamUse *use = use_of(e, root);
    use->axes = offsets->axes > use->axes ? offsets->axes : use->axes;
    use->reach = offsets->reach > use->reach ? offsets->reach : use->reach;
    int number = offsets->literal ? note_offsets(use, offsets) : -1;
    use->ranges = use->ranges || number < 0;
    char prefix[16] = "nl_";
    if (number >= 0) {
        snprintf(prefix, sizeof prefix, "o%d_", number);
    }
    open_call(e, prefix, root);
    for (int k = 0; k < access->count && number < 0; k++) {
        emit_text(e, k ? ", " : "");
        emit_value(e, access->indices[k]);
    }
    emit_text(e, number < 0 && access->count == 0 ? "0)" : ")");
}

void emit_neighbor(Emit *e, NodeIndex node)
{
    Offsets offsets;
    Access access = access_of(e, node);
    int root = emit_root(e, access.name);
    use_of(e, root)->element = true;
    e->body->uses_position = true;
    if (read_offsets(e, &access, &offsets)) {
        put_known(e, &access, &offsets, root);
        return;
    }
    use_of(e, root)->far = true;
    open_call(e, "n_", root);
    put_indices(e, &access, root);
    emit_text(e, access.count ? ")" : "0)");
}

/* parameters */

void emit_parameter(Emit *e, NodeIndex node)
{
    int index;
    const Token *name = emit_at(e, node);
    const Param *param = emit_param(e, emit_node(e, node)->target, &index);
    int root = emit_root(e, node);
    switch (param->kind) {
    case PARAM_NEIGHBOR: emit_neighbor(e, node); break;
    case PARAM_VOUT: /* the variable whose value push(name) pushes */
        use_of(e, root)->element = true;
        emit_text(e, "rill_v_");
        emit_text(e, name_of(e, root));
        break;
    default: emit_name(e, name);
    }
}

/* functions of rill */

/* Writes indexof(x), indexof x, indexof(x, d) and sizeof_stream(x). */
static void place(Emit *e, NodeIndex node, bool size)
{
    NodeIndex named = emit_node(e, node)->child, dimension = emit_node(e, named)->next;
    const Token *name = emit_at(e, named);
    int root = emit_root(e, named);
    if (root < 0 && size) {
        emit_fail(e, name, "'%.*s' stands for a value here, which has no size", name->length, name->text);
    } else if (root < 0) {
        e->body->uses_at = true;
        e->body->uses_at_high = e->body->uses_at_high || dimension;
        emit_text(e, "rill_at(");
    } else {
        ParamUse *use = use_of(e, root);
        use->index = use->index || !size;
        use->index_high = use->index_high || (dimension && !size);
        use->size = use->size || size;
        open_call(e, size ? "size_" : "at_", root);
    }
    e->body->uses_position = e->body->uses_position || !size;
    if (dimension) {
        emit_text(e, "int("); /* it may be a uint or a float, like an index */
        emit_value(e, dimension);
        emit_text(e, ")");
    }
    emit_text(e, ")");
}

/* Writes sizeof_list(name, i, ...). It takes indices for all dimensions except the fastest. */
static void list_size(Emit *e, NodeIndex node)
{
    NodeIndex name = emit_node(e, node)->child;
    int root = emit_root(e, name);
    use_of(e, root)->row = use_of(e, root)->element = true;
    open_call(e, "z_", root);
    for (NodeIndex i = emit_node(e, name)->next; i; i = emit_node(e, i)->next) {
        emit_text(e, i == emit_node(e, name)->next ? "" : ", ");
        emit_helper(e, HELPER_INDEX, "rill_ix(");
        emit_kept(e, i);
        emit_text(e, ")");
    }
    emit_text(e, ")");
}

void emit_query(Emit *e, NodeIndex node)
{
    const Token *word = emit_at(e, node);
    if (token_is(word, "groupid") || token_is(word, "localid")) {
        emit_text(e, token_is(word, "localid") ? "rill_localid()" : "rill_groupid()");
    } else if (token_is(word, "subgroupsize") || token_is(word, "subgroupid")) {
        emit_needs_subgroup(e, node);
        emit_text(e, token_is(word, "subgroupid") ? "int(gl_SubgroupInvocationID)" : "int(gl_SubgroupSize)");
    } else if (token_is(word, "spacingof")) {
        e->body->uses_spacing = e->body->uses_position = true;
        emit_text(e, "rill_spacing");
    } else if (token_is(word, "sizeof_list")) {
        list_size(e, node);
    } else {
        place(e, node, token_is(word, "sizeof_stream"));
    }
}

/* Writes sample(name, p) or sample_corners(name, p, weights, spacing). */
void emit_sample(Emit *e, NodeIndex node)
{
    NodeIndex name = emit_node(e, node)->child;
    bool corners = token_is(emit_at(e, node), "sample_corners");
    int root = emit_root(e, name);
    if (root < 0 || param_kinds[e->root->params[root].kind].anywhere) {
        const Token *token = emit_at(e, name);
        emit_fail(e, token, "'%.*s' can't be sampled here: it is bound to a stream that is written", token->length,
                  token->text);
        return;
    }
    use_of(e, root)->sample = use_of(e, root)->element = true;
    use_of(e, root)->corners = use_of(e, root)->corners || corners;
    open_call(e, corners ? "k_" : "s_", root);
    for (NodeIndex i = emit_node(e, name)->next; i; i = emit_node(e, i)->next) {
        emit_text(e, i == emit_node(e, name)->next ? "" : ", ");
        if (emit_node(e, i)->flags & FLAG_PARAM(PARAM_OUTPUT)) {
            emit_target(e, i);
        } else {
            emit_kept(e, i);
        }
    }
    emit_text(e, ")");
}

/* Writes push(name, value) and Brook's push(name). */
void emit_push(Emit *e, NodeIndex node)
{
    NodeIndex name = emit_node(e, node)->child, value = emit_node(e, name)->next;
    int root = emit_root(e, name);
    emit_text(e, "rill_push_");
    emit_format(e, "%s(", name_of(e, root));
    if (value) {
        emit_kept_as(e, value, emit_node(e, name)->type);
    } else {
        emit_format(e, "rill_v_%s", name_of(e, root));
    }
    emit_text(e, ")");
}
