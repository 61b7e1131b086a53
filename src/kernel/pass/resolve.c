#include "kernel/pass/resolve.h"

#include "base/array.h"
#include "kernel/text/foreign.h"
#include "kernel/tree/functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024 };

/* A name with its declarations. Calls and types are found apart from values, so that a variable can have the name of a
 * function. */
typedef struct Name {
    const Token *token;
    NodeIndex called;   /* the Function or Structure; 0: none */
    NodeIndex value;    /* the innermost Variable or Parameter in scope; 0: none */
    NodeIndex reported; /* the function in which an error said that the value is not declared */
    NodeIndex ended;    /* the last Variable of this name whose scope has ended; 0: none */
    NodeIndex ended_in; /* the function that contains it */
    NodeIndex loop;     /* the For or While whose scope it was; 0: another scope */
    int depth;          /* of the scope that contains the value; 0: outside of functions */
    int called_depth;   /* of the scope that contains a structure */
    size_t next;        /* 1 + the next name of the bucket; 0: none */
} Name;

/* What a name meant before a scope declared it, until the end of the scope. */
typedef struct Hidden {
    size_t at; /* place of the name in the list */
    Name name;
} Hidden;

typedef struct Resolver {
    Tree *tree;
    Messages *messages;
    NodeIndex function; /* that is being resolved; 0: none */
    NodeIndex assigned; /* the target of an assignment that is being resolved */
    NodeIndex value;    /* its value */
    bool head;          /* the first part of a `for` is being resolved */
    int parsed;         /* errors before this pass */
    int depth;
    bool failed; /* host memory was exhausted */
    struct {
        Name *items;
        size_t count, capacity;
    } names;
    struct {
        Hidden *items;
        size_t count, capacity;
    } hidden;
    size_t buckets[BUCKETS]; /* 1 + the first name; 0: none */
} Resolver;

static Node *node_of(const Resolver *r, NodeIndex node)
{
    return node_at(r->tree, node);
}

/* names */

/* Returns the place of a name in the list, which it adds if it is new. */
static size_t find_name(Resolver *r, const Token *token)
{
    unsigned hash = 5381;
    for (int i = 0; i < token->length; i++) {
        hash = hash * 33 + (unsigned char)token->text[i];
    }
    size_t *bucket = &r->buckets[hash % BUCKETS];
    for (size_t i = *bucket; i; i = r->names.items[i - 1].next) {
        if (token_equal(r->names.items[i - 1].token, token)) {
            return i - 1;
        }
    }
    if (!ARRAY_ROOM(&r->names)) {
        r->failed = true;
        return 0;
    }
    r->names.items[r->names.count] = (Name){.token = token, .next = *bucket};
    *bucket = ++r->names.count;
    return r->names.count - 1;
}

static Name *name_of(Resolver *r, const Token *token)
{
    size_t at = find_name(r, token); /* which may move the list */
    return &r->names.items[at];
}

static void declared_twice(Resolver *r, const Token *token, NodeIndex first)
{
    bool function = node_of(r, first)->kind == NODE_FUNCTION;
    message_add(r->messages, token, "'%.*s' is already declared (line %d)%s", token->length, token->text,
                source_line(r->tree->source, node_token(r->tree, first)->offset),
                function ? "\noverloading is not supported: each function needs its own name" : "");
}

/* Keeps the meaning of a name, which leave() restores. */
static bool hide(Resolver *r, size_t at)
{
    if (!ARRAY_ROOM(&r->hidden)) {
        r->failed = true;
        return false;
    }
    r->hidden.items[r->hidden.count++] = (Hidden){at, r->names.items[at]};
    return true;
}

/* Declares a Variable or Parameter in the current scope. */
static void declare_value(Resolver *r, NodeIndex node)
{
    const Token *token = node_token(r->tree, node);
    size_t at = find_name(r, token);
    if (r->failed || token->kind != TOKEN_NAME) {
        return;
    }
    Name *name = &r->names.items[at];
    NodeIndex first = name->value && name->depth == r->depth ? name->value : r->depth == 0 ? name->called : 0;
    if (first) {
        declared_twice(r, token, first);
    }
    if (hide(r, at)) {
        name->value = node;
        name->depth = r->depth;
    }
}

/* Declares a Structure in the current scope of a function. */
static void declare_structure(Resolver *r, NodeIndex node)
{
    const Token *token = node_token(r->tree, node);
    size_t at = find_name(r, token);
    if (r->failed || token->kind != TOKEN_NAME) {
        return;
    }
    Name *name = &r->names.items[at];
    if (name->called && name->called_depth == r->depth) {
        declared_twice(r, token, name->called);
    }
    if (hide(r, at)) {
        name->called = node;
        name->called_depth = r->depth;
    }
}

/* Returns whether a function has a body. */
static bool is_defined(const Resolver *r, NodeIndex function)
{
    uint32_t last = NODE_EMPTY;
    for (NodeIndex i = node_of(r, function)->child; i; i = node_of(r, i)->next) {
        last = node_of(r, i)->kind;
    }
    return last == NODE_BLOCK || node_of(r, function)->kind != NODE_FUNCTION;
}

/* Declares a Function or Structure. A function can have prototypes. */
static void declare_called(Resolver *r, NodeIndex node)
{
    const Token *token = node_token(r->tree, node);
    size_t at = find_name(r, token);
    if (r->failed || token->kind != TOKEN_NAME) {
        return;
    }
    NodeIndex *called = &r->names.items[at].called;
    if (*called && is_defined(r, *called) && is_defined(r, node)) {
        declared_twice(r, token, *called);
        node_of(r, node)->flags |= node_of(r, node)->kind == NODE_FUNCTION ? FLAG_TWICE : 0u;
    }
    *called = *called && !is_defined(r, node) ? *called : node;
}

/* Ends the scope of a node, in which the values from `first` on were declared. */
static void leave(Resolver *r, size_t first, NodeIndex scope)
{
    uint32_t kind = node_of(r, scope)->kind;
    while (r->hidden.count > first) {
        const Hidden *h = &r->hidden.items[--r->hidden.count];
        Name ended = r->names.items[h->at], *name = &r->names.items[h->at];
        *name = h->name;
        name->next = ended.next;
        if (ended.value != h->name.value && kind != NODE_FUNCTION && kind != NODE_STRUCTURE) {
            name->ended = ended.value;
            name->ended_in = r->function;
            name->loop = kind == NODE_FOR || kind == NODE_WHILE ? scope : 0;
        }
    }
}

/* messages */

/* Compares an unknown name with the declared values or, with `called`, functions and structures. `best` stores the name
 * that is nearest. */
static Nearest nearest_name(const Resolver *r, const Token *token, bool called, char best[MAX_NAME + 1])
{
    Nearest nearest = foreign_nearest(token);
    for (size_t i = 0; i < r->names.count; i++) {
        const Name *name = &r->names.items[i];
        if ((called ? name->called : name->value) && name->token->length <= MAX_NAME) {
            char known[MAX_NAME + 1];
            snprintf(known, sizeof known, "%.*s", name->token->length, name->token->text);
            foreign_try(&nearest, known);
            nearest.best = nearest.best == known ? strcpy(best, known) : nearest.best;
        }
    }
    return nearest;
}

/* Appends the known name that is nearest to an unknown one. */
static void suggest(const Resolver *r, const Token *token, bool called, StrBuf *text)
{
    static const char *const types[] = {"bool", "int",  "uint", "float", "double", "vec2",
                                        "vec3", "vec4", "mat2", "mat3",  "mat4"};
    char best[MAX_NAME + 1];
    Nearest nearest = nearest_name(r, token, called, best);
    for (size_t i = 0; called && functions_at(i); i++) {
        foreign_try(&nearest, functions_at(i)->name);
    }
    for (size_t i = 0; called && i < sizeof types / sizeof *types; i++) {
        foreign_try(&nearest, types[i]);
    }
    if (!called && token->length > 3) {
        foreign_try(&nearest, "true");
        foreign_try(&nearest, "false");
    }
    foreign_add(&nearest, text);
}

static bool is_known(const Token *name)
{
    return functions_find(name) != NULL;
}

/* Returns whether a token ends a statement or begins or ends a block. */
static bool is_end(const Token *token)
{
    static const char *const ends[] = {";", "{", "}", NULL};
    return token->kind == TOKEN_END || token_any(token, ends);
}

/* The statement, or the declaration outside of functions, that contains the place of an error. */
typedef struct Region {
    const Token *first, *last; /* without the last token */
} Region;

static Region region_at(const Resolver *r, size_t offset)
{
    const Token *at = r->tree->tokens;
    Region region = {at, at};
    int depth = 0, braces = 0; /* of brackets in which nothing ends; of functions and blocks */
    bool fields = false;       /* in "{ ... }" after a name */
    for (; at->kind != TOKEN_END; at++) {
        bool curly = token_is(at, "{") || token_is(at, "}");
        fields = fields || (at > r->tree->tokens && token_is(at, "{") && braces == 0 && at[-1].kind == TOKEN_NAME);
        bool ends = !fields && depth == 0 && is_end(at);
        if (ends && at->offset >= offset) {
            break;
        }
        *(curly && !fields ? &braces : &depth) += token_nesting(at);
        fields = fields && depth > 0;
        region.first = ends ? at + 1 : region.first;
    }
    region.last = at;
    return region;
}

/* Returns whether a name follows from an error of the parser, which skips tokens: it is in the line of the error after
 * it, or it was in the statement or declaration that contains the error. */
static bool follows_error(const Resolver *r, const Token *token, size_t offset)
{
    Region region = region_at(r, offset);
    for (const Token *t = region.first; t < region.last && t < token; t++) {
        if (token_equal(t, token)) {
            return true;
        }
    }
    return token->offset >= offset &&
           source_line(r->tree->source, token->offset) == source_line(r->tree->source, offset);
}

static bool is_consequence(const Resolver *r, const Token *token)
{
    bool found = false;
    for (int i = 0; i < r->parsed && i < r->messages->count && !found; i++) {
        found = follows_error(r, token, r->messages->items[i].offset);
    }
    return found;
}

/* Returns the wider of the types of two operands. */
static const Token *wider(const Token *a, const Token *b)
{
    static const char *const scalars[] = {"bool", "int", "uint", "float", "double", NULL};
    int place[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        while (scalars[place[i]] && !token_is(i ? b : a, scalars[place[i]])) {
            place[i]++;
        }
    }
    return place[1] > place[0] ? b : a;
}

/* Returns the type of a number without a suffix that is not one. */
static const Token *number_type(const Token *number)
{
    static const Token types[] = {{.kind = TOKEN_NAME, .text = "int", .length = 3},
                                  {.kind = TOKEN_NAME, .text = "uint", .length = 4},
                                  {.kind = TOKEN_NAME, .text = "float", .length = 5}};
    char last = number->text[number->length - 1];
    bool hex = number->length > 1 && (number->text[1] == 'x' || number->text[1] == 'X'), real = false;
    for (int i = 0; i < number->length && !hex; i++) {
        real = real || strchr(".eEfF", number->text[i]);
    }
    return &types[real ? 2 : last == 'u' || last == 'U'];
}

/* Returns the word of the type before the declaration of a name, with or without `[` after it; NULL: none. */
static const Token *declared_type(Resolver *r, NodeIndex node, bool array)
{
    NodeIndex value = name_of(r, node_token(r->tree, node))->value;
    const Token *name = value ? node_token(r->tree, value) : NULL;
    return name && token_is(name + 1, "[") == array && types_word(name - 1) ? name - 1 : NULL;
}

/* Returns the word of the type of a value of which it is plain, such as 2.0, vec2(x) or a declared name; otherwise
 * NULL. */
static const Token *plain_type(Resolver *r, NodeIndex node)
{
    const Token *token = node_token(r->tree, node), *a, *b;
    NodeIndex child = node_of(r, node)->child;
    switch (node_of(r, node)->kind) {
    case NODE_NUMBER: return token->kind == TOKEN_NUMBER ? number_type(token) : NULL;
    case NODE_CALL: return types_word(token) ? token : NULL;
    case NODE_UNARY:
    case NODE_PAREN: return plain_type(r, child);
    case NODE_BINARY:
        a = plain_type(r, child);
        b = plain_type(r, node_of(r, child)->next);
        return a && b ? wider(a, b) : NULL;
    case NODE_INDEX: /* of an array or a stream, which is declared as "float x[" */
        for (; node_of(r, child)->kind == NODE_INDEX; child = node_of(r, child)->child) {
        }
        return node_of(r, child)->kind == NODE_NAME ? declared_type(r, child, true) : NULL;
    case NODE_NAME: return declared_type(r, node, false);
    default: return NULL;
    }
}

/* Proposes the declaration of a name to which a value is assigned. */
static void propose(Resolver *r, const Token *token, StrBuf *text)
{
    const Token *type = plain_type(r, r->value);
    strbuf_add(text, "\nwrite its type where it is first assigned");
    if (type || r->head) {
        strbuf_addf(text, ": %.*s %.*s = ...", type ? type->length : 3, type ? type->text : "int", token->length,
                    token->text);
    }
}

/* Returns the structure that has a field of this name; 0: none. */
static NodeIndex structure_with(const Resolver *r, const Token *field)
{
    for (NodeIndex s = 1; s < r->tree->nodes.count; s++) {
        NodeIndex d = node_of(r, s)->kind == NODE_STRUCTURE ? node_of(r, s)->child : 0;
        for (; d; d = node_of(r, d)->next) {
            NodeIndex type = node_of(r, d)->kind == NODE_DECLARE ? node_of(r, d)->child : 0;
            for (NodeIndex v = type ? node_of(r, type)->next : 0; v; v = node_of(r, v)->next) {
                if (token_equal(node_token(r->tree, v), field)) {
                    return s;
                }
            }
        }
    }
    return 0;
}

/* Writes the error about a name that is a function or a type. Returns false if it is none. */
static bool used_as_value(Resolver *r, const Token *token, NodeIndex called, StrBuf *text)
{
    const FunctionRow *row = functions_find(token);
    bool function = called ? node_of(r, called)->kind == NODE_FUNCTION : row != NULL;
    if (function) {
        const char *arguments = called                        ? "..."
                                : strstr(row->forms, "()")    ? ""
                                : strstr(row->forms, "(name") ? "name"
                                                              : "...";
        strbuf_addf(text, "'%.*s' is a function: write %.*s(%s)", token->length, token->text, token->length,
                    token->text, arguments);
    } else if (called || types_word(token)) {
        bool reference = token_is(token + 1, "&");
        strbuf_addf(text, "'%.*s' is a type", token->length, token->text);
        strbuf_addf(text, reference ? "; kernel text has no references: write %.*s name" : ": write %.*s(...)",
                    token->length, token->text);
    }
    return function || called || types_word(token);
}

/* Writes the error about a variable whose scope has ended. */
static void ended(const Resolver *r, const Token *token, const Name *name, StrBuf *text)
{
    NodeIndex last = name->loop ? node_of(r, name->loop)->child : 0;
    while (last && node_of(r, last)->next) {
        last = node_of(r, last)->next;
    }
    const char *scope = name->loop ? "loop" : "block";
    strbuf_addf(text, "'%.*s' is not declared here: the %s of its declaration (line %d) has ended", token->length,
                token->text, scope, source_line(r->tree->source, node_token(r->tree, name->ended)->offset));
    if (last && node_of(r, last)->kind == NODE_EMPTY) {
        strbuf_add(text, "\nremove the ';' after the parentheses of the loop: it is the whole loop");
    } else {
        strbuf_addf(text, "\ndeclare it before the %s", scope);
    }
}

/* Adds the error about an undeclared value. */
static void unknown_value(Resolver *r, const Token *token, bool assigned)
{
    const Name *name = name_of(r, token);
    StrBuf text = STRBUF_EMPTY;
    NodeIndex structure;
    if (name->ended && name->ended_in == r->function) {
        ended(r, token, name, &text);
    } else if (!used_as_value(r, token, name->called, &text)) {
        strbuf_addf(&text, "'%.*s' is not declared", token->length, token->text);
        size_t sentence = text.length;
        foreign_value(&text, token, is_known);
        if (text.length == sentence && token->length > 3 && memcmp(token->text, "gl_", 3) == 0) {
            strbuf_add(&text, ": write indexof(name) for the index of the element, or localid() and groupid() in a "
                              "group kernel");
        }
        if (text.length == sentence && (structure = structure_with(r, token))) {
            const Token *type = node_token(r->tree, structure);
            strbuf_addf(&text, "; it is a field of %.*s: write name.%.*s", type->length, type->text, token->length,
                        token->text);
        }
        if (text.length == sentence) {
            suggest(r, token, false, &text);
        }
        if (text.length == sentence && assigned) {
            propose(r, token, &text);
        }
        if (text.length == sentence) {
            foreign_index(&text, token);
        }
    }
    if (token_is(token + 1, "&") && token[2].kind == TOKEN_NAME) { /* Particle &q: the name of a reference */
        name_of(r, token + 2)->reported = r->function;
    }
    message_add(r->messages, token, "%s", strbuf_text(&text));
    strbuf_free(&text);
}

/* Adds the error about a function that does not exist. */
static void unknown_function(Resolver *r, const Token *token)
{
    NodeIndex value = name_of(r, token)->value;
    StrBuf text = STRBUF_EMPTY;
    if (value) {
        const Token *after = node_token(r->tree, value) + 1;
        bool elements = token_is(after, "[") || (node_of(r, value)->flags & FLAG_PARAM(PARAM_NEIGHBOR));
        strbuf_addf(&text, "'%.*s' is not a function: write %.*s%s", token->length, token->text, token->length,
                    token->text, elements ? "[i] for an element" : " * (...) for a product");
    } else {
        strbuf_addf(&text, "function '%.*s' is not declared", token->length, token->text);
        if (!foreign_called(&text, token, is_known)) {
            suggest(r, token, true, &text);
        }
    }
    message_add(r->messages, token, "%s", strbuf_text(&text));
    strbuf_free(&text);
}

/* the tree */

static void resolve(Resolver *r, NodeIndex node);

static void resolve_children(Resolver *r, NodeIndex node)
{
    for (NodeIndex i = node_of(r, node)->child; i; i = node_of(r, i)->next) {
        resolve(r, i);
    }
}

static void resolve_name(Resolver *r, NodeIndex node)
{
    const Token *token = node_token(r->tree, node);
    size_t at = find_name(r, token);
    const Name *name = &r->names.items[at];
    Node *n = node_of(r, node);
    if (token->length > 2 && memcmp(token->text, "__", 2) == 0) {
        n->kind = NODE_NUMBER; /* __LINE__ */
    } else if (r->failed || !name->value) {
        bool reported = name->reported && name->reported == r->function; /* once for each name in a function */
        if (!r->failed && !reported && !is_consequence(r, token)) {
            r->names.items[at].reported = r->function;
            unknown_value(r, token, node == r->assigned);
        }
        node_of(r, node)->kind = NODE_DAMAGED;
    } else {
        bool parameter = node_of(r, name->value)->kind == NODE_PARAMETER;
        n->kind = parameter ? NODE_PARAMETER_VALUE : name->depth == 0 ? NODE_CONSTANT_VALUE : NODE_LOCAL;
        n->target = name->value;
    }
}

/* A function that calls a function of its own name calls the one of GLSL. */
static void resolve_call(Resolver *r, NodeIndex node)
{
    const Token *token = node_token(r->tree, node);
    Node *n = node_of(r, node);
    size_t at = find_name(r, token);
    NodeIndex called = r->names.items[at].called;
    const FunctionRow *row = functions_find(token);
    if (called && !(row && called == r->function)) {
        n->target = called;
        n->kind = node_of(r, called)->kind == NODE_FUNCTION ? NODE_CALL : NODE_CONSTRUCT;
    } else if (types_word(token)) {
        n->kind = NODE_CONSTRUCT;
    } else if (row) {
        n->kind = row->kind;
        n->target = functions_number(row);
    } else {
        if (!is_consequence(r, token)) {
            unknown_function(r, token);
        }
        n->kind = NODE_DAMAGED;
    }
    resolve_children(r, node);
}

/* Finds the type of a Type without its lengths. */
static void resolve_type(Resolver *r, NodeIndex node)
{
    Node *n = node_of(r, node);
    uint32_t word = n->token + (token_is(node_token(r->tree, node), "struct") ? 1 : 0);
    const Token *token = &r->tree->tokens[word];
    size_t at = find_name(r, token);
    NodeIndex called = r->names.items[at].called;
    bool structure = called && node_of(r, called)->kind == NODE_STRUCTURE;
    n->target = structure ? called : 0;
    n->type = structure ? node_of(r, called)->type : types_word(token);
    static const char *const after[] = {"=", "[", ";", NULL};
    if (!n->type && !is_consequence(r, token)) {
        StrBuf text = STRBUF_EMPTY;
        strbuf_addf(&text, "'%.*s' is not a type", token->length, token->text);
        char best[MAX_NAME + 1];
        size_t sentence = text.length;
        foreign_type(&text, param_kinds, token, nearest_name(r, token, true, best));
        if (text.length == sentence && token_any(token + 1, after)) { /* const a = 3; */
            strbuf_addf(&text, "; write the type before the name: float %.*s", token->length, token->text);
        }
        message_add(r->messages, token, "%s", strbuf_text(&text));
        strbuf_free(&text);
    }
    resolve_children(r, node);
}

/* Resolves a node and its children in a scope of their own. That of a function contains its parameters and its body, and that
 * of a `for` or `while` its variables and its body. */
static void resolve_scope(Resolver *r, NodeIndex node)
{
    size_t first = r->hidden.count;
    NodeIndex function = r->function;
    uint32_t kind = node_of(r, node)->kind;
    bool whole = kind == NODE_FUNCTION || kind == NODE_FOR || kind == NODE_WHILE;
    r->function = kind == NODE_FUNCTION ? node : function;
    r->depth++;
    for (NodeIndex i = node_of(r, node)->child; i; i = node_of(r, i)->next) {
        r->head = kind == NODE_FOR && i == node_of(r, node)->child;
        if (whole && node_of(r, i)->kind == NODE_BLOCK) {
            resolve_children(r, i);
        } else {
            resolve(r, i);
        }
    }
    r->depth--;
    leave(r, first, node);
    r->function = function;
}

static void resolve(Resolver *r, NodeIndex node)
{
    switch (node_of(r, node)->kind) {
    case NODE_NAME: resolve_name(r, node); break;
    case NODE_CALL: resolve_call(r, node); break;
    case NODE_ASSIGN:
        r->assigned = token_is(node_token(r->tree, node), "=") ? node_of(r, node)->child : 0;
        r->value = r->assigned ? node_of(r, r->assigned)->next : 0;
        resolve_children(r, node);
        break;
    case NODE_TYPE: resolve_type(r, node); break;
    case NODE_FUNCTION:
    case NODE_BLOCK:
    case NODE_FOR:
    case NODE_WHILE:
    case NODE_IF: resolve_scope(r, node); break;
    case NODE_STRUCTURE:
        resolve_scope(r, node);
        if (node_of(r, node)->flags & FLAG_INNER) {
            declare_structure(r, node);
        }
        break;
    case NODE_VARIABLE:
    case NODE_PARAMETER:
        resolve_children(r, node);
        declare_value(r, node); /* the initial value cannot use it */
        break;
    default: resolve_children(r, node);
    }
}

/* Declares all functions, and the structures outside of functions, which can be used before their definition. */
static void declare_outer(Resolver *r)
{
    for (NodeIndex i = 1; i < r->tree->nodes.count; i++) {
        uint32_t kind = node_of(r, i)->kind;
        if (kind == NODE_STRUCTURE) {
            TypeIndex type = types_structure(&r->tree->types, i, node_token(r->tree, i));
            node_of(r, i)->type = type;
        }
        bool gradient = kind == NODE_FUNCTION && (node_of(r, i)->flags & FLAG_GRADIENT); /* no text calls it */
        if ((kind == NODE_FUNCTION && !gradient) || (kind == NODE_STRUCTURE && !(node_of(r, i)->flags & FLAG_INNER))) {
            declare_called(r, i);
        }
    }
}

bool pass_resolve(Tree *tree, Messages *messages)
{
    Resolver r = {.tree = tree, .messages = messages, .parsed = messages->count};
    if (!ARRAY_ROOM(&r.names)) {
        return false;
    }
    r.names.items[0] = (Name){0};
    declare_outer(&r);
    resolve_children(&r, tree->root);
    free(r.names.items);
    free(r.hidden.items);
    return !r.failed;
}
