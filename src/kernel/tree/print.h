/* Writes trees as text. */
#ifndef RILL_KERNEL_TREE_PRINT_H
#define RILL_KERNEL_TREE_PRINT_H

#include "kernel/tree/node.h"

/* Appends the kernel text of a node and its children: the tokens from which the tree was parsed, with other white space.
 * Words before a type have the order of node_words. */
void print_text(const Tree *tree, NodeIndex node, StrBuf *out);
/* Appends a line for each node: its kind, its token and its type, if it is known, indented by its
 * depth. */
void print_nodes(const Tree *tree, NodeIndex node, StrBuf *out);
#endif
