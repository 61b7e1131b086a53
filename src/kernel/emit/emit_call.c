/* Calls. A variable that is passed for an output of another type, in Brook's dialect, is replaced by a temporary: "f(v)"
 * becomes "(t = T(v), result = f(t), v = V(t), result)". */
#include "kernel/emit/emit_private.h"
#include "kernel/emit/special.h"

#include "kernel/text/names.h"
#include "kernel/tree/functions.h"

#include <stdio.h>
#include <string.h>

#define CHANGED (FLAG_PARAM(PARAM_OUTPUT) | FLAG_PARAM(PARAM_INOUT))

/* The arguments of a call. */
typedef struct Arguments {
    TypeIndex types[MAX_PARAMS]; /* of the parameters; 0: that of the argument */
    int temporaries[MAX_PARAMS]; /* number of the variable (emit_variable) that is passed instead; 0: none */
    int instance;                /* number of the instance of the function */
} Arguments;

/* Writes an argument that the call changes. */
static void put_output(Emit *e, NodeIndex node, const Arguments *a, int k)
{
    if (a->temporaries[k]) {
        emit_format(e, "kept%d_%s", a->temporaries[k], e->root->name);
    } else {
        emit_target(e, node);
    }
}

/* Writes the name of a type before a value that is converted to it. */
static void put_conversion(Emit *e, TypeIndex type)
{
    emit_conversion(e, type);
    emit_text(e, "(");
}

/* Finds the arguments that need a temporary. GLSL converts an output itself if no information is lost. Returns whether
 * there is one. */
static bool find_temporaries(Emit *e, NodeIndex node, Arguments *a)
{
    bool any = false;
    int k = 0;
    for (NodeIndex i = emit_node(e, node)->child; i; i = emit_node(e, i)->next, k++) {
        const Node *n = emit_node(e, i);
        bool read = n->flags & FLAG_PARAM(PARAM_INOUT), plain = pass_is_plain(emit_info(e, i));
        if ((n->flags & CHANGED) && plain && a->types[k] && a->types[k] != n->type &&
            (read || !types_converts(&e->t.tree->types, a->types[k], n->type))) {
            if (!expression_pure(&e->t, i)) {
                emit_fail(e, pass_first(&e->t, i),
                          "an output of another type requires a variable without ++, -- and =");
            }
            a->temporaries[k] = emit_variable(e, a->types[k]);
            any = true;
        }
    }
    return any;
}

/* Writes the assignments before (`first`) or after a call with temporaries. */
static void put_assignments(Emit *e, NodeIndex node, const Arguments *a, bool first)
{
    int k = 0;
    for (NodeIndex i = emit_node(e, node)->child; i; i = emit_node(e, i)->next, k++) {
        if (!a->temporaries[k] || (first && !(emit_node(e, i)->flags & FLAG_PARAM(PARAM_INOUT)))) {
            continue;
        }
        emit_text(e, first ? "" : ", ");
        if (first) {
            put_output(e, i, a, k);
        } else {
            emit_target(e, i);
        }
        emit_text(e, " = ");
        put_conversion(e, first ? a->types[k] : emit_node(e, i)->type);
        if (first) {
            emit_value(e, i);
        } else {
            put_output(e, i, a, k);
        }
        emit_text(e, first ? "), " : ")");
    }
}

/* Writes a call with the assignments of its temporaries. */
static void put_whole(Emit *e, NodeIndex node, Arguments *a, void put(Emit *e, NodeIndex node, const Arguments *a))
{
    if (!e->t.tree->brook || !find_temporaries(e, node, a)) {
        put(e, node, a);
        return;
    }
    TypeIndex type = emit_node(e, node)->type;
    int result = pass_info(&e->t, type).base == BASE_VOID ? 0 : emit_variable(e, type);
    emit_text(e, "(");
    put_assignments(e, node, a, true);
    if (result) {
        emit_format(e, "kept%d_%s = ", result, e->root->name);
    }
    put(e, node, a);
    put_assignments(e, node, a, false);
    if (result) {
        emit_format(e, ", kept%d_%s", result, e->root->name);
    }
    emit_text(e, ")");
}

/* functions of the text */

/* Finds the launched kernel's parameter to which a stream parameter of a called function is bound. */
static int bind(Emit *e, const Function *callee, int k, NodeIndex argument)
{
    int index;
    const Param *want = &callee->params[k], *have = NULL;
    const ParamKindInfo *kind = &param_kinds[want->kind];
    if (emit_node(e, argument)->kind == NODE_PARAMETER_VALUE) {
        have = emit_param(e, emit_node(e, argument)->target, &index);
    }
    int root = have && kind->stream ? emit_root(e, argument) : -1;
    bool fits = have && root >= 0 &&
                (have->kind == want->kind || (want->kind == PARAM_GATHER && param_kinds[have->kind].anywhere));
    if (kind->bound && !fits) {
        emit_fail(e, pass_first(&e->t, argument), "'%s' of '%s' takes the name of a %s parameter", want->name,
                  callee->name, kind->name);
    }
    return root;
}

static void put_call(Emit *e, NodeIndex node, const Arguments *a)
{
    const Token *name = emit_at(e, node);
    const Function *callee = module_function(e->module, name);
    char prefix[24] = "u_";
    int k = 0;
    if (a->instance) {
        snprintf(prefix, sizeof prefix, "u%d_", a->instance);
    }
    emit_token(e, name, prefix);
    const char *mark = "(";
    for (NodeIndex i = emit_node(e, node)->child; i; i = emit_node(e, i)->next, k++) {
        const Param *param = &callee->params[k];
        if (param_kinds[param->kind].bound) {
            continue;
        }
        emit_text(e, mark);
        mark = ", ";
        if (param->output || (param_kinds[param->kind].stream && param_kinds[param->kind].written)) {
            put_output(e, i, a, k);
        } else {
            emit_kept_as(e, i, a->types[k]);
        }
    }
    emit_text(e, *mark == '(' ? "()" : ")");
}

void emit_call(Emit *e, NodeIndex node)
{
    const Token *name = emit_at(e, node);
    const Function *callee = module_function(e->module, name);
    Arguments a = {0};
    int bound[MAX_PARAMS], k = 0;
    if (!e->self.function || !callee) {
        emit_fail(e, name, "a constant can't be computed by '%.*s'", name->length, name->text);
        return;
    }
    for (NodeIndex c = emit_node(e, emit_node(e, node)->target)->child; c; c = emit_node(e, c)->next) {
        if (emit_node(e, c)->kind == NODE_PARAMETER) {
            a.types[k++] = emit_node(e, c)->type;
        }
    }
    k = 0;
    for (NodeIndex i = emit_node(e, node)->child; i; i = emit_node(e, i)->next, k++) {
        bound[k] = bind(e, callee, k, i);
    }
    if (e->failed) {
        return;
    }
    Instance instance = emit_instance(e, callee, bound);
    e->self.tokens += instance.tokens;
    e->self.accesses += instance.accesses;
    e->self.trips += instance.trips * e->trips;
    e->self.unbounded = e->self.unbounded || instance.unbounded;
    a.instance = instance.number;
    put_whole(e, node, &a, put_call);
}

/* functions of the table */

/* Returns the name of the function of shaders/functions/wide.glsl that computes a builtin with doubles, or NULL. */
static const char *wide_name(const Emit *e, NodeIndex node, const char *name)
{
    static const char *const names[][2] = {
        {"tan", "rill_wide_tan"},        {"asin", "rill_wide_asin"},   {"acos", "rill_wide_acos"},
        {"atan", "rill_wide_atan"},      {"atan2", "rill_wide_atan"},  {"sinh", "rill_wide_sinh"},
        {"cosh", "rill_wide_cosh"},      {"tanh", "rill_wide_tanh"},   {"asinh", "rill_wide_asinh"},
        {"acosh", "rill_wide_acosh"},    {"atanh", "rill_wide_atanh"}, {"fmod", "rill_wide_fmod"},
        {"rill_fmod", "rill_wide_fmod"},
    };
    const char *found = NULL;
    for (size_t i = 0; emit_info(e, node).base == BASE_DOUBLE && i < sizeof names / sizeof *names; i++) {
        found = strcmp(name, names[i][0]) == 0 ? names[i][1] : found;
    }
    return found;
}

void emit_needs_subgroup(Emit *e, NodeIndex node)
{
    const char *name = functions_of(emit_node(e, node))->name;
    bool ballot = strstr(name, "Ballot") || strstr(name, "Broadcast");
    const Token **first = &e->body->subgroup[ballot                    ? SUBGROUP_BALLOT
                                             : strstr(name, "Shuffle") ? SUBGROUP_SHUFFLE
                                                                       : SUBGROUP_OPS];
    if (strncmp(name, "subgroup", 8) == 0 && !*first) {
        *first = emit_at(e, node);
    }
}

/* Lists the functions of shaders/functions that a call of a builtin needs. */
static void list_helper(Emit *e, const char *name, bool doubles)
{
    static const struct {
        const char *name;
        BodyHelper helper;
    } rows[] = {
        {"rill_saturate", HELPER_SATURATE},
        {"rill_log", HELPER_LOGARITHM},
        {"rill_log2", HELPER_LOGARITHM},
        {"rill_exp", HELPER_EXPONENTIAL},
        {"rill_exp2", HELPER_EXPONENTIAL},
        {"rill_pow", HELPER_POWER},
        {"rill_sin", HELPER_CIRCULAR},
        {"rill_cos", HELPER_CIRCULAR},
        {"rill_fmod", HELPER_REMAINDER},
        {"rill_cg_and", HELPER_COMPONENTWISE},
        {"rill_cg_or", HELPER_COMPONENTWISE},
        {"rill_cg_choose", HELPER_COMPONENTWISE},
        {"rill_cg_finite", HELPER_COMPONENTWISE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(name, rows[i].name) == 0) {
            e->body->helpers |= 1u << rows[i].helper | (doubles ? 1u << HELPER_DOUBLES : 0u);
        }
    }
}

/* What the sweeps take for each pair of columns as tokens of the text: more than a body of which several elements are
 * inlined has, since compilers would need seconds. */
enum { JACOBI_TOKENS = 1000 };

/* Writes the type of the matrix after the name of a function of shaders/functions/jacobi.glsl, and lists it in the body. */
static void put_matrix(Emit *e, NodeIndex node, bool svd)
{
    TypeIndex given[MAX_FORM] = {0};
    FunctionForm form = {0};
    int count = 0;
    for (NodeIndex i = emit_node(e, node)->child; i && count < MAX_FORM; i = emit_node(e, i)->next) {
        given[count++] = emit_node(e, i)->type;
    }
    functions_match(functions_of(emit_node(e, node)), &e->t.tree->types, given, count, &form);
    TypeInfo info = pass_info(&e->t, form.params[0]);
    e->body->jacobi[svd] |= 1u << body_matrix(info.base == BASE_DOUBLE, info.columns);
    e->self.tokens += JACOBI_TOKENS * info.columns * (info.columns - 1) / 2;
    emit_format(e, "_%s", pass_name(&e->t, form.params[0]));
}

const char *const body_complex[] = {"cmul", "cdiv", "conj", "cabs", "cangle", "cexp", NULL};

/* Lists a function of shaders/functions/complex.glsl, and the functions that it calls. */
static void list_complex(Emit *e, const char *name, bool doubles)
{
    for (int i = 0; body_complex[i]; i++) {
        if (strcmp(name, body_complex[i]) == 0) {
            e->body->complex[doubles] |= 1u << i;
        }
    }
    if (strcmp(name, "cexp") == 0) {
        list_helper(e, "rill_exp", doubles);
        list_helper(e, "rill_sin", doubles);
    } else if (doubles && strcmp(name, "cangle") == 0) {
        emit_helper(e, HELPER_WIDE, "");
    }
}
enum { SPECIAL_TOKENS = 200 }; /* what a special function takes as tokens of the text */

static void put_builtin(Emit *e, NodeIndex node, const Arguments *a)
{
    const char *name = functions_of(emit_node(e, node))->name;
    Token token = {.kind = TOKEN_NAME, .text = name, .length = (int)strlen(name)};
    const char *spelling = e->self.function ? names_spelling(&token) : names_constant_spelling(&token);
    const char *wide = wide_name(e, node, name);
    const char *text = wide ? wide : token_is(&token, "isfinite") ? "rill_cg_finite" : spelling ? spelling : name;
    bool own = strncmp(text, "rill_", 5) == 0; /* its arguments are those of a call */
    bool mine = names_spelling(&token) && strncmp(names_spelling(&token), "rill_", 5) == 0;
    if (!e->self.function && emit_info(e, node).base == BASE_DOUBLE && (wide || mine)) {
        emit_fail(e, emit_at(e, node), "a constant can't be computed by '%s'", name); /* GLSL has it for floats only */
    }
    int k = 0;
    if (wide) {
        emit_helper(e, HELPER_WIDE, "");
    }
    list_helper(e, text, emit_info(e, node).base == BASE_DOUBLE);
    list_complex(e, name, emit_info(e, node).base == BASE_DOUBLE);
    if (special_list(e->body, text, emit_info(e, node).base == BASE_DOUBLE)) {
        e->self.tokens += SPECIAL_TOKENS;
        if (!e->self.function) {
            emit_fail(e, emit_at(e, node), "a constant can't be computed by '%s'", name);
        }
    }
    emit_text(e, text);
    bool svd = strcmp(text, "rill_svd") == 0;
    if (svd || strcmp(text, "rill_eigen") == 0) {
        put_matrix(e, node, svd);
    }
    emit_text(e, "(");
    for (NodeIndex i = emit_node(e, node)->child; i; i = emit_node(e, i)->next, k++) {
        emit_text(e, k ? ", " : "");
        if (emit_node(e, i)->flags & CHANGED) {
            put_output(e, i, a, k);
        } else if (own || emit_node(e, node)->kind == NODE_ATOMIC) {
            emit_kept(e, i);
        } else {
            emit_value(e, i);
        }
    }
    emit_text(e, ")");
}

enum {
    RANDOM_TOKENS = 120,   /* what the ten rounds of Philox take as tokens of the text */
    DRAW_TRIPS = 6,        /* of the loop in random_int(n) on average, until all lanes of a vector keep a word */
    RARELY_DRAWN = 1 << 16 /* up to this n, a word is drawn again with a probability below 2^-16 */
};

static bool draws_again(const Emit *e, NodeIndex node)
{
    double n;
    return strcmp(functions_of(emit_node(e, node))->name, "random_int") == 0 &&
           !(emit_number(e, emit_node(e, node)->child, &n) && n <= RARELY_DRAWN);
}

/* Writes a call of a function of shaders/functions/random.glsl. */
void emit_random(Emit *e, NodeIndex node)
{
    const char *name = functions_of(emit_node(e, node))->name;
    if (e->root->kind != FUNCTION_KERNEL || !e->self.function) {
        emit_fail(e, emit_at(e, node), "'%s' exists in kernels only, not in %s", name,
                  e->root->kind == FUNCTION_REDUCE ? "reduce kernels: make the numbers in the kernel of its input"
                                                   : "functions that compute addresses or constants");
    }
    e->body->random = true;
    e->self.tokens += RANDOM_TOKENS;
    e->self.trips += draws_again(e, node) ? DRAW_TRIPS * e->trips : 0;
    emit_helper(e, HELPER_PHILOX, "");
    emit_helper(e, HELPER_RANDOM, "");
    if (strcmp(name, "random_normal") == 0 || strcmp(name, "random_exponential") == 0) {
        emit_helper(e, HELPER_NORMAL, "");
        emit_helper(e, HELPER_RANDOM_NORMAL, "");
    }
    emit_format(e, "rill_%s(", name);
    for (NodeIndex i = emit_node(e, node)->child; i; i = emit_node(e, i)->next) {
        emit_converted(e, i, emit_node(e, node)->type);
    }
    emit_text(e, ")");
}

void emit_builtin(Emit *e, NodeIndex node)
{
    Arguments a = {0};
    emit_needs_subgroup(e, node);
    int count = e->t.tree->brook ? pass_count(&e->t, node) : 0;
    for (int k = 0; k < count && k < MAX_FORM; k++) {
        a.types[k] = brook_output(&e->t, node, k);
    }
    put_whole(e, node, &a, put_builtin);
}
