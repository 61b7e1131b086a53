/* Adaptive containers (Glift 6.3): a tree of pages. The nodes of a page of level l are 2^l apart. A page is a
 * leaf, or it is split into 2^rank pages of the next finer level, which interpolate its values when they are
 * created; its own values are then mipmap values. Nodes are at the corners of cells: a size of n cells has
 * the nodes 0 .. n, and adjacent pages repeat the nodes that they share.
 *
 * If several leaves share a node, the leaf at larger coordinates determines its value, or at the upper end of
 * the domain the leaf at smaller coordinates. After every write the value is copied to the other leaves.
 * Hanging nodes (nodes on the border to a coarser leaf that has no node there) get the value that the coarser
 * leaf interpolates. */
#ifndef RILL_CONTAINER_TREE_TREE_H
#define RILL_CONTAINER_TREE_TREE_H

#include "container/container.h"
#include "kernel/variant/address_map.h"

/* Boundary modes: the values that are read outside of the domain, and the values of nodes on its border. */
typedef enum TreeEdge { TREE_CLAMP, TREE_REPEAT, TREE_DIRICHLET, TREE_NEUMANN } TreeEdge;

/* Returns the number of levels. Level 0 is the finest. */
int tree_levels(const Container *c);
/* Sets how sample() interpolates at a level. */
void tree_set_filter(Container *c, BlendFilter filter);
/* Sets the boundary. `value`: the packed element of TREE_DIRICHLET. The header of container_whole changes.
 * Returns false with error_set on failure. */
bool tree_set_edge(Container *c, TreeEdge edge, const void *value);

/* Returns true if the elements of a stream are points (vectors of floats or ints with one component per
 * dimension), otherwise false with error_set. */
bool tree_points_check(const Container *c, const Stream *points);
/* Creates a stream of int with the level of the leaf at each point. Points outside of the domain are moved to
 * its border. Returns false with error_set on failure. */
bool tree_level(const Container *c, const Stream *points, Stream *result);
/* Splits leaves until the leaf at each point has a level or a finer one: the element of `levels`, or `level`
 * if `levels` is NULL. Headers change as for tree_set_edge. Returns a new region of the new leaves, and of
 * adjacent finer leaves with nodes that were hanging before. On failure splits nothing and returns NULL with
 * error_set. */
Region *tree_refine(Container *c, const Stream *points, const Stream *levels, int level);
/* Creates a container of another type with the same pages, whose nodes are not synchronized after writes.
 * Returns NULL with error_set on failure. */
Container *tree_mask(const Container *c, const Type *type);
/* Creates a mask that a kernel computes, with the container as its only argument. `random`: see Domain. Returns NULL with
 * error_set on failure. */
Container *tree_mask_kernel(Container *c, Kernel *kernel, RandomNumbers random, bool check);
/* Creates a mask from the elements of a stream or a container of c's shape. Returns NULL with error_set on
 * failure. */
Container *tree_mask_copy(Container *c, const Stream *elements);
/* Splits each leaf in which an element of the mask is not 0. Result and errors as for tree_refine. */
Region *tree_refine_mask(Container *c, const Container *mask);
/* Joins the leaves into which a page was split if all their elements of the mask are not 0. Returns false
 * with error_set on failure. */
bool tree_coarsen_mask(Container *c, const Container *mask);
enum { TREE_MEANS = -1, TREE_NEAREST = -2 };
/* Computes the values of pages that are not leaves. TREE_MEANS: means of the next finer level. A component 0
 * .. 3: means in which elements are weighted by this component; only for floats. TREE_NEAREST: the value of
 * the same node of the next finer level. Returns false with error_set on failure. */
bool tree_mipmap(Container *c, int how);

#endif
