/* Parses kernel text to a tree. The grammar is that of GLSL 4.30 with the forms of rill, Brook and Cg, in both dialects. */
#ifndef RILL_KERNEL_TREE_PARSE_H
#define RILL_KERNEL_TREE_PARSE_H

#include "kernel/tree/message.h"
#include "kernel/tree/node.h"

/* Parses the tokens of a text (lexer_run), which must live as long as the tree. Errors are added to `messages`: a tree
 * exists even then, with Damaged nodes. Returns false with error_set if host memory is exhausted. Release the tree with
 * node_free in any case. */
bool parse_module(Tree *tree, const SourceText *source, const TokenList *tokens, Messages *messages);

#endif
