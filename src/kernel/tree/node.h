/* The tree of a kernel text. Its nodes are in one array and refer to each other by index. Each node has the token at
 * which messages about it point. */
#ifndef RILL_KERNEL_TREE_NODE_H
#define RILL_KERNEL_TREE_NODE_H

#include "kernel/text/module.h"
#include "kernel/tree/types.h"

typedef uint32_t NodeIndex; /* 0: none */

/* The kinds of nodes: the name, and the children in order. "..." is any number of children; children in square brackets
 * may be missing. The parser creates Name, Member, Index and Call; the pass `resolve` replaces them by the kinds in the
 * second group. */
#define NODE_KINDS(X)                                                                                                  \
    /* expressions */                                                                                                  \
    X(NUMBER, Number)                                                                                                  \
    X(TRUTH, Truth)                                                                                                    \
    X(NAME, Name)                                                                                                      \
    X(MEMBER, Member)       /* value; FLAG_CALLED: x.length() */                                                       \
    X(INDEX, Index)         /* value, index */                                                                         \
    X(CALL, Call)           /* arguments...; FLAG_BARE: without parentheses, as in `indexof x` */                      \
    X(UNARY, Unary)         /* operand */                                                                              \
    X(BINARY, Binary)       /* left, right */                                                                          \
    X(LOGICAL, Logical)     /* left, right */                                                                          \
    X(CHOICE, Choice)       /* condition, value, other value */                                                        \
    X(CONVERT, Convert)     /* Type, operand; the token is the '(' */                                                  \
    X(CONSTRUCT, Construct) /* [Type,] values...; without Type: the token names the type */                            \
    X(LIST, List)           /* values...; FLAG_COMMA: a comma follows the last value */                                \
    X(PAREN, Paren)         /* value */                                                                                \
    X(COMMA, Comma)         /* values... */                                                                            \
    /* the kinds by which `resolve` replaces Name, Member, Index and Call */                                           \
    X(LOCAL, Local)                                                                                                    \
    X(PARAMETER_VALUE, ParameterValue)                                                                                 \
    X(CONSTANT_VALUE, ConstantValue)                                                                                   \
    X(FIELD, Field)                                                                                                    \
    X(SWIZZLE, Swizzle)                                                                                                \
    X(GATHER, Gather)                                                                                                  \
    X(NEIGHBOR, Neighbor)                                                                                              \
    X(ELEMENT, Element)                                                                                                \
    X(QUERY, Query)                                                                                                    \
    X(SAMPLE, Sample)                                                                                                  \
    X(BUILTIN, Builtin)                                                                                                \
    X(ATOMIC, Atomic)                                                                                                  \
    X(RANDOM, Random)                                                                                                  \
    X(PUSH, Push)                                                                                                      \
    X(BARRIER, Barrier)                                                                                                \
    /* statements; Assign and Step are expressions, too */                                                             \
    X(BLOCK, Block)       /* statements... */                                                                          \
    X(DECLARE, Declare)   /* Type or Structure, Variable...; none after "struct P { fields };" */                      \
    X(VARIABLE, Variable) /* lengths..., [value]; FLAG_VALUE: the last child is the initial value */                   \
    X(ASSIGN, Assign)     /* target, value; the token is the operator */                                               \
    X(STEP, Step)         /* target; FLAG_POSTFIX: x++ */                                                              \
    X(EVALUATE, Evaluate) /* value */                                                                                  \
    X(IF, If)             /* condition, statement, [statement] */                                                      \
    X(FOR, For)           /* Declare, value or Empty; condition or Empty; value or Empty; statement */                 \
    X(WHILE, While)       /* condition, statement */                                                                   \
    X(DO, Do)             /* statement, condition */                                                                   \
    X(SWITCH, Switch)     /* value, Block */                                                                           \
    X(CASE, Case)         /* [value]; none: default */                                                                 \
    X(BREAK, Break)                                                                                                    \
    X(CONTINUE, Continue)                                                                                              \
    X(RETURN, Return) /* [value] */                                                                                    \
    X(EMPTY, Empty)   /* also of an array's length: the '[' of "[]" */                                                 \
    X(DAMAGED, Damaged)                                                                                                \
    /* declarations */                                                                                                 \
    X(MODULE, Module)       /* declarations... */                                                                      \
    X(STRUCTURE, Structure) /* [Empty,] Declare...; Empty: the name after `typedef struct`, without meaning */         \
    X(CONSTANT, Constant)   /* Type, Variable... */                                                                    \
    X(FUNCTION, Function)   /* [Group,] Type, Parameter..., [Block]; without Block: a prototype */                     \
    X(PARAMETER,                                                                                                       \
      Parameter) /* [maximum or Modes,] Type, [List,] lengths...; List: the sizes in x<4, 4>. Without name: the     \
                               token is the ',' or ')' after it */  \
    X(MODES, Modes) /* Mode... */                                                                                      \
    X(MODE, Mode)   /* a word or a number, or the sign before it */                                                    \
    X(GROUP, Group) /* Number... */                                                                                    \
    X(TYPE, Type)   /* lengths... */

#define NODE_ID(id, name) NODE_##id,
typedef enum NodeKind { NODE_KINDS(NODE_ID) NODE_KIND_COUNT } NodeKind;
#undef NODE_ID

/* Properties of a node. The first group are words before a type (node_word), and so are the words of param_kinds. */
#define FLAG_PARAM(kind) (1u << (FLAG_BITS + (kind)))
enum { FLAG_BITS = 21 }; /* number of flags without those of param_kinds */
_Static_assert(FLAG_BITS + PARAM_KIND_COUNT <= 32, "a flag for each kind of parameters");
#define FLAG_CONST (1u << 0)
#define FLAG_STATIC (1u << 1)
#define FLAG_INLINE (1u << 2)
#define FLAG_SHARED (1u << 3)
#define FLAG_PRECISE (1u << 4)
#define FLAG_HIGHP (1u << 5)
#define FLAG_MEDIUMP (1u << 6)
#define FLAG_LOWP (1u << 7)
#define FLAG_UNIFORM (1u << 8)
#define FLAG_IN (1u << 9)
#define FLAG_KERNEL (1u << 10)    /* of a Function */
#define FLAG_VOID (1u << 11)      /* of a Function: written f(void) */
#define FLAG_TYPEDEF (1u << 12)   /* of a Structure */
#define FLAG_STREAM (1u << 13)    /* of a Parameter: T x<> */
#define FLAG_MAXIMUM (1u << 14)   /* of a Parameter: the first child is n in "vout [n] T x<>", or Modes */
#define FLAG_VALUE (1u << 15)     /* of a Variable: the last child is its initial value */
#define FLAG_POSTFIX (1u << 16)   /* of a Step: x++ */
#define FLAG_UNSET FLAG_POSTFIX   /* of a Parameter of a function: an output without a value on some path to the end */
#define FLAG_TWICE FLAG_POSTFIX   /* of a Function: its declaration has an error, so that calls are not checked */
#define FLAG_BARE (1u << 17)      /* of a Call: indexof x */
#define FLAG_CALLED (1u << 18)    /* of a Member: x.length() */
#define FLAG_COMMA (1u << 19)     /* of a List: a comma follows the last value; of a Member: its call has arguments */
#define FLAG_TWO_WORDS (1u << 20) /* of a Type: the next token belongs to it: "unsigned int", "struct P" */
#define FLAG_GRADIENT FLAG_CALLED /* of a Function with FLAG_KERNEL: written `gradient void` */
#define FLAG_INNER FLAG_BARE      /* of a Structure: it is declared in a function */

/* The words that a local variable, a parameter, and a declaration outside of functions may have. */
#define FLAGS_PRECISION (FLAG_PRECISE | FLAG_HIGHP | FLAG_MEDIUMP | FLAG_LOWP)
#define FLAGS_LOCAL (FLAG_CONST | FLAG_STATIC | FLAG_SHARED | FLAGS_PRECISION)
#define FLAGS_PARAMETER (FLAG_CONST | FLAG_UNIFORM | FLAG_IN | FLAGS_PRECISION | ~0u << FLAG_BITS)
#define FLAGS_OUTER (FLAG_CONST | FLAG_STATIC | FLAG_INLINE | FLAGS_PRECISION)

/* A word before a type, and its flag. */
typedef struct NodeWord {
    const char *word; /* "": a kind of parameters without a word */
    uint32_t flag;
} NodeWord;
/* Returns word i, from 0, in the order in which they are printed. The word is NULL after the last one. */
NodeWord node_word(int i);

typedef struct Node {
    uint32_t kind;  /* NodeKind */
    uint32_t flags; /* FLAG_... */
    TypeIndex type;
    uint32_t token; /* in the list of tokens */
    NodeIndex child, next;
    NodeIndex target; /* the Variable, Parameter or Structure of a name; the Function of a call,
                         or the number of another function (functions_number). 0: none */
} Node;

typedef struct Tree {
    const SourceText *source;
    const Token *tokens; /* end with TOKEN_END */
    struct {
        Node *items; /* the first one is not used */
        size_t count, capacity;
    } nodes;
    Types types;
    NodeIndex root; /* the Module */
    bool brook;     /* the text is in Brook's dialect */
    bool failed;    /* host memory was exhausted */
} Tree;

/* Begins a tree of a text, which must live as long as the tree. Returns false with error_set if host memory is
 * exhausted. */
bool node_start(Tree *tree, const SourceText *source, const Token *tokens);
void node_free(Tree *tree);

/* Adds a node. If host memory is exhausted, sets tree->failed with error_set and returns 0, which may be used like
 * other nodes. */
NodeIndex node_add(Tree *tree, NodeKind kind, uint32_t token);
/* Returns a node. The pointer is valid until the next node is added. */
static inline Node *node_at(const Tree *tree, NodeIndex node)
{
    return &tree->nodes.items[node];
}
/* Returns the token of a node. */
static inline const Token *node_token(const Tree *tree, NodeIndex node)
{
    return &tree->tokens[tree->nodes.items[node].token];
}

/* A list of children that grows at its end. */
typedef struct Children {
    Tree *tree;
    NodeIndex parent, last;
} Children;

/* Appends a child. */
void node_append(Children *children, NodeIndex child);

/* Returns whether a text declares a name outside of functions. */
bool node_declares(const Tree *tree, const Token *name);
/* Returns the name of a kind: "Binary". */
const char *node_kind_name(NodeKind kind);

#endif
