#include "kernel/tree/print.h"

typedef struct Printer {
    const Tree *tree;
    StrBuf *out;
    int depth; /* of blocks */
} Printer;

static void print(Printer *p, NodeIndex node);

static void put(Printer *p, const char *text)
{
    strbuf_add(p->out, text);
}

static void put_token(Printer *p, uint32_t token)
{
    const Token *t = &p->tree->tokens[token];
    strbuf_add_bytes(p->out, t->text, (size_t)t->length);
}

static NodeIndex next_of(const Printer *p, NodeIndex node)
{
    return node_at(p->tree, node)->next;
}

/* Starts a line. */
static void put_line(Printer *p)
{
    strbuf_addf(p->out, "\n%*s", 4 * p->depth, "");
}

/* Writes a node and its siblings before `end`, with a text between them. Returns `end`. */
static NodeIndex print_list(Printer *p, NodeIndex first, NodeIndex end, const char *between)
{
    for (NodeIndex i = first; i != end; i = next_of(p, i)) {
        put(p, i == first ? "" : between);
        print(p, i);
    }
    return end;
}

static void print_words(Printer *p, uint32_t flags)
{
    NodeWord row = node_word(0);
    for (int i = 1; row.word; row = node_word(i++)) {
        if (flags & row.flag) {
            put(p, row.word);
            put(p, " ");
        }
    }
}

/* Writes "[n][m]" for a node and its siblings before `end`. */
static void print_lengths(Printer *p, NodeIndex first, NodeIndex end)
{
    for (NodeIndex i = first; i != end; i = next_of(p, i)) {
        put(p, "[");
        print(p, node_at(p->tree, i)->kind == NODE_EMPTY ? 0 : i);
        put(p, "]");
    }
}

/* types and variables */

static void print_type(Printer *p, const Node *node)
{
    put_token(p, node->token);
    if (node->flags & FLAG_TWO_WORDS) {
        put(p, " ");
        put_token(p, node->token + 1);
    }
    print_lengths(p, node->child, 0);
}

static void print_variable(Printer *p, const Node *node)
{
    NodeIndex value = 0;
    if (node->flags & FLAG_VALUE) {
        for (value = node->child; next_of(p, value); value = next_of(p, value)) {
        }
    }
    put_token(p, node->token);
    print_lengths(p, node->child, value);
    put(p, value ? " = " : "");
    print(p, value);
}

static void print_declare(Printer *p, const Node *node)
{
    print_words(p, node->flags);
    print(p, node->child);
    put(p, next_of(p, node->child) ? " " : "");
    print_list(p, next_of(p, node->child), 0, ", ");
}

static void print_structure(Printer *p, const Node *node)
{
    bool definition = node->flags & FLAG_TYPEDEF,
         tag = node->child && node_at(p->tree, node->child)->kind == NODE_EMPTY;
    bool named = !definition && !token_is(&p->tree->tokens[node->token], "{");
    put(p, definition ? "typedef struct " : "struct ");
    if (named) {
        put_token(p, node->token);
    }
    if (tag) {
        put_token(p, node_at(p->tree, node->child)->token);
    }
    put(p, " {");
    p->depth++;
    for (NodeIndex i = tag ? next_of(p, node->child) : node->child; i; i = next_of(p, i)) {
        put_line(p);
        print(p, i);
        put(p, ";");
    }
    p->depth--;
    put_line(p);
    put(p, definition ? "} " : "}");
    if (definition) {
        put_token(p, node->token);
    }
}

/* expressions */

static void print_call(Printer *p, const Node *node)
{
    NodeIndex first = node->child;
    if (node->kind == NODE_CONSTRUCT && first && node_at(p->tree, first)->kind == NODE_TYPE) {
        print(p, first);
        first = next_of(p, first);
    } else {
        put_token(p, node->token);
    }
    put(p, node->flags & FLAG_BARE ? " " : "(");
    print_list(p, first, 0, ", ");
    put(p, node->flags & FLAG_BARE ? "" : ")");
}

static void print_infix(Printer *p, const Node *node)
{
    print(p, node->child);
    put(p, " ");
    put_token(p, node->token);
    put(p, " ");
    print(p, next_of(p, node->child));
}

static void print_prefix(Printer *p, const Node *node)
{
    bool postfix = node->flags & FLAG_POSTFIX;
    print(p, postfix ? node->child : 0);
    put(p, " "); /* "- -x" is not "--x" */
    put_token(p, node->token);
    print(p, postfix ? 0 : node->child);
}

static void print_choice(Printer *p, const Node *node)
{
    NodeIndex value = next_of(p, node->child);
    print(p, node->child);
    put(p, " ? ");
    print(p, value);
    put(p, " : ");
    print(p, next_of(p, value));
}

static void print_convert(Printer *p, const Node *node)
{
    put(p, "(");
    print(p, node->child);
    put(p, ")");
    print(p, next_of(p, node->child));
}

static void print_list_node(Printer *p, const Node *node)
{
    put(p, "{");
    print_list(p, node->child, 0, ", ");
    put(p, node->flags & FLAG_COMMA ? ",}" : "}");
}

static void print_paren(Printer *p, const Node *node)
{
    put(p, "(");
    print(p, node->child);
    put(p, ")");
}

static void print_comma(Printer *p, const Node *node)
{
    print_list(p, node->child, 0, ", ");
}

static void print_member(Printer *p, const Node *node)
{
    print(p, node->child);
    put(p, ".");
    put_token(p, node->token);
    put(p, node->flags & FLAG_CALLED ? "()" : "");
}

static void print_index(Printer *p, const Node *node)
{
    print(p, node->child);
    print_lengths(p, next_of(p, node->child), 0);
}

/* statements */

/* Writes a statement on a line of its own. */
static void print_statement(Printer *p, NodeIndex node)
{
    static const bool whole[NODE_KIND_COUNT] = {
        [NODE_BLOCK] = true, [NODE_IF] = true,     [NODE_FOR] = true,
        [NODE_WHILE] = true, [NODE_SWITCH] = true, [NODE_CASE] = true,
    };
    put_line(p);
    print(p, node);
    put(p, whole[node_at(p->tree, node)->kind] ? "" : ";");
}

/* Writes the statement of a loop or branch: a block on the same line, another statement on the next one. */
static void print_body(Printer *p, NodeIndex node)
{
    if (node_at(p->tree, node)->kind == NODE_BLOCK) {
        put(p, " ");
        print(p, node);
    } else {
        p->depth++;
        print_statement(p, node);
        p->depth--;
    }
}

static void print_block(Printer *p, const Node *node)
{
    put(p, "{");
    p->depth++;
    for (NodeIndex i = node->child; i; i = next_of(p, i)) {
        print_statement(p, i);
    }
    p->depth--;
    put_line(p);
    put(p, "}");
}

static void print_branch(Printer *p, const Node *node)
{
    NodeIndex chosen = next_of(p, node->child), other = next_of(p, chosen);
    put(p, "if (");
    print(p, node->child);
    put(p, ")");
    print_body(p, chosen);
    if (other) {
        put_line(p);
        put(p, "else");
        print_body(p, other);
    }
}

static void print_for(Printer *p, const Node *node)
{
    NodeIndex test = next_of(p, node->child), step = next_of(p, test);
    put(p, "for (");
    print(p, node->child);
    put(p, "; ");
    print(p, test);
    put(p, "; ");
    print(p, step);
    put(p, ")");
    print_body(p, next_of(p, step));
}

/* Writes "while (x) statement" and "switch (x) {}". */
static void print_while(Printer *p, const Node *node)
{
    put_token(p, node->token);
    put(p, " (");
    print(p, node->child);
    put(p, ")");
    print_body(p, next_of(p, node->child));
}

static void print_do(Printer *p, const Node *node)
{
    put(p, "do");
    print_body(p, node->child);
    put(p, " while (");
    print(p, next_of(p, node->child));
    put(p, ")");
}

static void print_case(Printer *p, const Node *node)
{
    put(p, node->child ? "case " : "default");
    print(p, node->child);
    put(p, ":");
}

static void print_return(Printer *p, const Node *node)
{
    put(p, "return ");
    print(p, node->child);
}

/* declarations */

static void print_parameter(Printer *p, const Node *node)
{
    NodeIndex type = node->flags & FLAG_MAXIMUM ? next_of(p, node->child) : node->child, rest = next_of(p, type);
    bool sizes = rest && node_at(p->tree, rest)->kind == NODE_LIST;
    print_words(p, node->flags);
    if (node_at(p->tree, node->child)->kind == NODE_MODES) {
        print(p, node->child);
    } else {
        print_lengths(p, node->child, type);
    }
    print(p, type);
    if (p->tree->tokens[node->token].kind == TOKEN_NAME) {
        put(p, " ");
        put_token(p, node->token);
    }
    put(p, node->flags & FLAG_STREAM ? "<" : "");
    if (sizes) {
        print_list(p, node_at(p->tree, rest)->child, 0, ", ");
        rest = next_of(p, rest);
    }
    put(p, node->flags & FLAG_STREAM ? ">" : "");
    print_lengths(p, rest, 0);
}

static void print_group(Printer *p, const Node *node)
{
    put(p, "(");
    print_list(p, node->child, 0, ", ");
    put(p, ") ");
}

static void print_mode(Printer *p, const Node *node)
{
    put_token(p, node->token);
    if (p->tree->tokens[node->token].kind != TOKEN_NAME && p->tree->tokens[node->token].kind != TOKEN_NUMBER) {
        put_token(p, node->token + 1);
    }
}

static void print_function(Printer *p, const Node *node)
{
    NodeIndex type = node->child, body = 0;
    put(p, node->flags & FLAG_GRADIENT ? "gradient " : node->flags & FLAG_KERNEL ? "kernel " : "");
    print_words(p, node->flags);
    if (node_at(p->tree, type)->kind == NODE_GROUP) {
        print(p, type);
        type = next_of(p, type);
    }
    print(p, type);
    put(p, " ");
    put_token(p, node->token);
    put(p, node->flags & FLAG_VOID ? "(void" : "(");
    for (NodeIndex i = next_of(p, type); i; i = next_of(p, i)) {
        body = node_at(p->tree, i)->kind == NODE_BLOCK ? i : 0;
    }
    print_list(p, next_of(p, type), body, ", ");
    put(p, body ? ") " : ");");
    print(p, body);
}

static void print_module(Printer *p, const Node *node)
{
    for (NodeIndex i = node->child; i; i = next_of(p, i)) {
        print(p, i);
        put(p, node_at(p->tree, i)->kind == NODE_FUNCTION ? "\n" : ";\n");
    }
}

static void print_token(Printer *p, const Node *node)
{
    put_token(p, node->token);
}

static void print_nothing(Printer *p, const Node *node)
{
    (void)p;
    (void)node;
}

static void print_child(Printer *p, const Node *node)
{
    print(p, node->child);
}

static void print(Printer *p, NodeIndex node)
{
    static void (*const rows[NODE_KIND_COUNT])(Printer *, const Node *) = {
        [NODE_NUMBER] = print_token,
        [NODE_TRUTH] = print_token,
        [NODE_NAME] = print_token,
        [NODE_MEMBER] = print_member,
        [NODE_INDEX] = print_index,
        [NODE_CALL] = print_call,
        [NODE_UNARY] = print_prefix,
        [NODE_BINARY] = print_infix,
        [NODE_LOGICAL] = print_infix,
        [NODE_CHOICE] = print_choice,
        [NODE_CONVERT] = print_convert,
        [NODE_CONSTRUCT] = print_call,
        [NODE_LIST] = print_list_node,
        [NODE_PAREN] = print_paren,
        [NODE_COMMA] = print_comma,
        [NODE_LOCAL] = print_token,
        [NODE_PARAMETER_VALUE] = print_token,
        [NODE_CONSTANT_VALUE] = print_token,
        [NODE_FIELD] = print_member,
        [NODE_SWIZZLE] = print_member,
        [NODE_GATHER] = print_index,
        [NODE_NEIGHBOR] = print_index,
        [NODE_ELEMENT] = print_index,
        [NODE_QUERY] = print_call,
        [NODE_SAMPLE] = print_call,
        [NODE_BUILTIN] = print_call,
        [NODE_ATOMIC] = print_call,
        [NODE_RANDOM] = print_call,
        [NODE_PUSH] = print_call,
        [NODE_BARRIER] = print_call,
        [NODE_BLOCK] = print_block,
        [NODE_DECLARE] = print_declare,
        [NODE_VARIABLE] = print_variable,
        [NODE_ASSIGN] = print_infix,
        [NODE_STEP] = print_prefix,
        [NODE_EVALUATE] = print_child,
        [NODE_IF] = print_branch,
        [NODE_FOR] = print_for,
        [NODE_WHILE] = print_while,
        [NODE_DO] = print_do,
        [NODE_SWITCH] = print_while,
        [NODE_CASE] = print_case,
        [NODE_BREAK] = print_token,
        [NODE_CONTINUE] = print_token,
        [NODE_RETURN] = print_return,
        [NODE_EMPTY] = print_nothing,
        [NODE_DAMAGED] = print_nothing,
        [NODE_MODULE] = print_module,
        [NODE_STRUCTURE] = print_structure,
        [NODE_CONSTANT] = print_declare,
        [NODE_FUNCTION] = print_function,
        [NODE_PARAMETER] = print_parameter,
        [NODE_MODES] = print_group,
        [NODE_MODE] = print_mode,
        [NODE_GROUP] = print_group,
        [NODE_TYPE] = print_type,
    };
    if (node) {
        const Node *n = node_at(p->tree, node);
        rows[n->kind](p, n);
    }
}

void print_text(const Tree *tree, NodeIndex node, StrBuf *out)
{
    print(&(Printer){.tree = tree, .out = out}, node);
}

static void print_at(const Tree *tree, NodeIndex node, int depth, StrBuf *out)
{
    const Token *token = node_token(tree, node);
    strbuf_addf(out, "%*s%s %.*s", 2 * depth, "", node_kind_name((NodeKind)node_at(tree, node)->kind), token->length,
                token->text);
    strbuf_add(out, node_at(tree, node)->type ? ": " : "");
    types_name(&tree->types, node_at(tree, node)->type, out);
    strbuf_add(out, "\n");
    for (NodeIndex i = node_at(tree, node)->child; i; i = node_at(tree, i)->next) {
        print_at(tree, i, depth + 1, out);
    }
}

void print_nodes(const Tree *tree, NodeIndex node, StrBuf *out)
{
    print_at(tree, node, 0, out);
}
