/* PageTree containers (Glift 6.3): a tree of pages, whose pages of level l have nodes 2^l apart. A page is a leaf, or has 2^rank pages of the
 * next finer level in its place, which follow its values where they are made; its own are then a mipmap's. Nodes are in the corners of
 * cells: a size of n cells has nodes 0 .. n, and pages repeat those that they share.
 *
 * A node's value is held by the leaf above it, or at an upper side of the domain by the one below. After every write the others that have it
 * get it, and hanging nodes (those on the border to a coarser leaf, which has none there) get what the coarser one has there. */
#ifndef RILL_CONTAINER_TREE_TREE_H
#define RILL_CONTAINER_TREE_TREE_H

#include "container/container.h"
#include "kernel/variant/address_map.h"

/* What is beyond the domain, and what nodes on its border hold. */
typedef enum TreeEdge { TREE_CLAMP, TREE_REPEAT, TREE_DIRICHLET, TREE_NEUMANN } TreeEdge;

/* How many levels there are: the finest is 0. */
int tree_levels(const Container *c);
void tree_set_filter(Container *c, BlendFilter filter);
/* `value`: a packed element, of Dirichlet's. The header container_whole() gives is another one afterwards. */
bool tree_set_edge(Container *c, TreeEdge edge, const void *value);

/* Whether a stream is one of points; false with error_set. */
bool tree_points_check(const Container *c, const Stream *points);
/* The level of the leaf at every point, a new stream of int. Points are streams of as many floats, or ints, as there are dimensions; those
 * outside are taken at the border. */
bool tree_level(const Container *c, const Stream *points, Stream *result);
/* Splits leaves until that at each point has a level or a finer one: that of the element of `levels`, or of all where that is NULL. Headers change as
 * above. What is new, a new region: leaves that came, and those above finer than what was split, whose nodes beside it hung before. Or nothing is
 * split, and NULL with error_set. */
Region *tree_refine(Container *c, const Stream *points, const Stream *levels, int level);
/* A container of another type with the same pages: what is written to it follows nothing. NULL with error_set. */
Container *tree_mask(const Container *c, const Type *type);
/* The same of what a kernel with the container as its only argument makes, and of the elements of a stream or a container of c's shape. */
Container *tree_mask_kernel(Container *c, Kernel *kernel, bool check);
Container *tree_mask_copy(Container *c, const Stream *elements);
/* Splits the leaves of which an element of the mask is not 0, as tree_refine; joins those that are all that a page was split into, where all elements
 * are not 0. */
Region *tree_refine_mask(Container *c, const Container *mask);
bool tree_coarsen_mask(Container *c, const Container *mask);
/* Sets what pages hold that are no leaves: means of what is below, where elements weigh by the component `how` besides (only floats do),
 * or alike with TREE_MEANS; with TREE_NEAREST what the same node has below. */
enum { TREE_MEANS = -1, TREE_NEAREST = -2 };
bool tree_mipmap(Container *c, int how);

#endif
