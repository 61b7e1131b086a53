/* The tree of a kernel as Lua tables, from which rill.grad.kernel makes derivatives. */
#include "binding/kernels/kernel.h"

#include "binding/binding.h"
#include "kernel/tree/functions.h"
#include "kernel/tree/print.h"

/* Pushes the table of a node, without its children: see rill_kernel_tree. */
static void push_node(lua_State *L, const Tree *tree, NodeIndex i)
{
    const Node *node = node_at(tree, i);
    bool named = node->kind == NODE_BUILTIN || node->kind == NODE_QUERY || node->kind == NODE_RANDOM;
    const FunctionRow *row = named ? functions_of(node) : NULL;
    TypeInfo info = types_info(&tree->types, node->type);
    lua_createtable(L, 2, 6);
    lua_pushstring(L, node_kind_name((NodeKind)node->kind));
    lua_setfield(L, -2, "kind");
    const Token *token = node_token(tree, i);
    lua_pushlstring(L, token->text, (size_t)token->length);
    lua_setfield(L, -2, "text");
    if (row) {
        lua_pushstring(L, row->name);
        lua_setfield(L, -2, "name");
    }
    StrBuf type = STRBUF_EMPTY;
    types_name(&tree->types, node->type, &type);
    if (node->type) {
        lua_pushlstring(L, strbuf_text(&type), type.length);
        lua_setfield(L, -2, "type");
    }
    strbuf_free(&type);
    for (int w = 0; node_word(w).word; w++) {
        if (*node_word(w).word && (node->flags & node_word(w).flag)) {
            lua_pushboolean(L, true);
            lua_setfield(L, -2, node_word(w).word);
        }
    }
    if (node->flags & FLAG_VALUE) {
        lua_pushboolean(L, true);
        lua_setfield(L, -2, "value");
    }
    if (node->kind == NODE_FUNCTION && (node->flags & FLAG_GRADIENT)) {
        lua_pushboolean(L, true);
        lua_setfield(L, -2, "gradient");
    }
    if (info.base == BASE_ARRAY && info.length > 0) {
        lua_pushinteger(L, info.length);
        lua_setfield(L, -2, "length");
    }
    if (node->kind == NODE_STEP && (node->flags & FLAG_POSTFIX)) {
        lua_pushboolean(L, true);
        lua_setfield(L, -2, "postfix");
    }
}

/* Sets the field `name` of the table on the stack to the table of node i. `nodes`: the stack index of all tables. */
static void set_node(lua_State *L, int nodes, NodeIndex i, const char *name)
{
    lua_rawgeti(L, nodes, i);
    lua_setfield(L, -2, name);
}

/* Appends the texts of the declarations of a module except its kernels. */
static bool print_helpers(const Tree *tree, StrBuf *out)
{
    for (NodeIndex i = node_at(tree, tree->root)->child; i; i = node_at(tree, i)->next) {
        const uint32_t kernel = FLAG_KERNEL | FLAG_PARAM(PARAM_REDUCE);
        bool function = node_at(tree, i)->kind == NODE_FUNCTION;
        if (!function || !(node_at(tree, i)->flags & kernel)) {
            print_text(tree, i, out);
            strbuf_add(out, function ? "\n" : ";\n");
        }
    }
    return strbuf_whole(strbuf_text(out));
}

/* _kernel_tree(kernel): the tree of the text that defines the kernel, for rill.grad.kernel: the node of its function, the
 * node of the module, and the text of the module without its kernels. A node is a table with `kind`, `text` (its token),
 * `type`, its children, `target` (the node that it names), and for builtin functions `name`; further the words before a
 * type (`out`, `const` ...), `value`, `postfix` and `gradient` (of the user's own rule) as true, and `length` of an array. */
static int rill_kernel_tree(lua_State *L)
{
    const Kernel *kernel = kernel_to(L, 1);
    luaL_argcheck(L, kernel, 1, "a kernel");
    const Tree *tree = kernel_module(kernel)->tree;
    const uint32_t count = (uint32_t)tree->nodes.count;
    lua_settop(L, 1);
    lua_createtable(L, (int)count, 0);
    for (NodeIndex i = 1; i < count; i++) {
        push_node(L, tree, i);
        lua_rawseti(L, 2, i);
    }
    for (NodeIndex i = 1; i < count; i++) {
        const Node *node = node_at(tree, i);
        lua_rawgeti(L, 2, i);
        int n = 0;
        for (NodeIndex c = node->child; c; c = node_at(tree, c)->next) {
            lua_rawgeti(L, 2, c);
            lua_rawseti(L, -2, ++n);
        }
        bool names = node->kind == NODE_LOCAL || node->kind == NODE_PARAMETER_VALUE || node->kind == NODE_CALL ||
                     node->kind == NODE_CONSTANT_VALUE;
        if (names && node->target) {
            set_node(L, 2, node->target, "target");
        }
        TypeInfo info = types_info(&tree->types, node->type);
        if (info.base == BASE_STRUCTURE) {
            set_node(L, 2, info.structure, "structure");
        }
        lua_pop(L, 1);
    }
    lua_rawgeti(L, 2, kernel_function(kernel)->node);
    lua_rawgeti(L, 2, tree->root);
    StrBuf text = STRBUF_EMPTY;
    bool done = print_helpers(tree, &text);
    if (done) {
        lua_pushlstring(L, strbuf_text(&text), text.length);
    }
    strbuf_free(&text);
    return done ? 3 : luaL_error(L, "%s", error_message());
}

void open_node_table(lua_State *L)
{
    static const luaL_Reg functions[] = {{"_kernel_tree", rill_kernel_tree}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
