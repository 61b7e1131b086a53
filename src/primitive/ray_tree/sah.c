/* A bounding volume hierarchy with four children per node, split by the surface area heuristic. */
#include "primitive/ray_tree/ray_tree.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 16, WIDTH = 4 };

typedef struct Box {
    float low[3], high[3];
} Box;

/* A triangle while the tree is built: its box, and its index in the faces. */
typedef struct Item {
    Box box;
    int32_t i;
} Item;

/* Items first .. first + count - 1, with their box, and the box of their centers (times 2). */
typedef struct Range {
    int32_t first, count;
    Box box, centers;
} Range;

typedef struct Builder {
    const RayFaces *faces;
    Item *items;
    RayTree *tree;
    float pad;
} Builder;

static const Box EMPTY = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static float least(float a, float b)
{
    return a < b ? a : b;
}

static float most(float a, float b)
{
    return a > b ? a : b;
}

static void enclose(Box *box, const Box *other)
{
    for (int d = 0; d < 3; d++) {
        box->low[d] = least(box->low[d], other->low[d]);
        box->high[d] = most(box->high[d], other->high[d]);
    }
}

static void enclose_center(Box *box, const Box *item)
{
    for (int d = 0; d < 3; d++) {
        float center = item->low[d] + item->high[d];
        box->low[d] = least(box->low[d], center);
        box->high[d] = most(box->high[d], center);
    }
}

/* Half the surface of a box; 0 of an empty one. */
static double area(const Box *box)
{
    double x = (double)box->high[0] - (double)box->low[0], y = (double)box->high[1] - (double)box->low[1],
           z = (double)box->high[2] - (double)box->low[2];
    return x >= 0 ? x * y + y * z + z * x : 0;
}

static Range range_of(const Builder *b, int32_t first, int32_t count)
{
    Range r = {first, count, EMPTY, EMPTY};
    for (int32_t k = first; k < first + count; k++) {
        enclose(&r.box, &b->items[k].box);
        enclose_center(&r.centers, &b->items[k].box);
    }
    return r;
}

static int bin_of(const Range *r, int axis, float scale, const Box *item)
{
    int bin = (int)((item->low[axis] + item->high[axis] - r->centers.low[axis]) * scale);
    return bin < 0 ? 0 : (bin < BINS ? bin : BINS - 1);
}

static float bin_scale(const Range *r, int axis)
{
    float width = r->centers.high[axis] - r->centers.low[axis];
    float scale = (float)BINS * (1 - 1e-6f) / width;
    return width > 0 && scale < 1e30f ? scale : 0;
}

/* Costs of the splits of one axis between bins k and k + 1. */
static void evaluate(const Box *boxes, const int32_t *counts, int axis, double *best, int *best_axis, int *best_bin)
{
    double right[BINS];
    Box box = EMPTY;
    int32_t n = 0;
    for (int k = BINS - 1; k > 0; k--) {
        enclose(&box, &boxes[k]);
        n += counts[k];
        right[k] = n * area(&box);
    }
    box = EMPTY;
    n = 0;
    int32_t total = 0;
    for (int k = 0; k < BINS; k++) {
        total += counts[k];
    }
    for (int k = 0; k + 1 < BINS; k++) {
        enclose(&box, &boxes[k]);
        n += counts[k];
        double cost = n * area(&box) + right[k + 1];
        if (n > 0 && n < total && cost < *best) {
            *best = cost;
            *best_axis = axis;
            *best_bin = k;
        }
    }
}

/* Finds the split with the least cost. Returns its axis, or -1 if all centers are equal. */
static int find_split(const Builder *b, const Range *r, int *bin)
{
    Box boxes[3][BINS];
    int32_t counts[3][BINS] = {{0}};
    float scale[3] = {bin_scale(r, 0), bin_scale(r, 1), bin_scale(r, 2)};
    for (int d = 0; d < 3; d++) {
        for (int k = 0; k < BINS; k++) {
            boxes[d][k] = EMPTY;
        }
    }
    for (int32_t k = r->first; k < r->first + r->count; k++) {
        const Box *item = &b->items[k].box;
        for (int d = 0; d < 3; d++) {
            int at = bin_of(r, d, scale[d], item);
            enclose(&boxes[d][at], item);
            counts[d][at]++;
        }
    }
    double best = INFINITY;
    int axis = -1;
    for (int d = 0; d < 3; d++) {
        if (scale[d] > 0) {
            evaluate(boxes[d], counts[d], d, &best, &axis, bin);
        }
    }
    return axis;
}

/* Moves the items of the bins up to `bin` to the front. Returns how many there are. */
static int32_t partition(Builder *b, const Range *r, int axis, int bin)
{
    float scale = bin_scale(r, axis);
    int32_t i = r->first, j = r->first + r->count - 1;
    while (i <= j) {
        if (bin_of(r, axis, scale, &b->items[i].box) <= bin) {
            i++;
        } else {
            Item swap = b->items[i];
            b->items[i] = b->items[j];
            b->items[j--] = swap;
        }
    }
    return i - r->first;
}

/* The number of levels of a tree of n triangles that is split into halves. */
static int levels_of(int32_t n)
{
    int levels = 1;
    for (int64_t full = RAY_LEAF; full < n; full *= WIDTH) {
        levels++;
    }
    return levels;
}

/* Splits a range in two. A tree that would become too deep is split in the middle of its order. */
static void split(Builder *b, const Range *r, bool halve, Range *left, Range *right)
{
    int bin = 0, axis = halve ? -1 : find_split(b, r, &bin);
    int32_t n = axis >= 0 ? partition(b, r, axis, bin) : r->count / 2;
    n = n > 0 && n < r->count ? n : r->count / 2;
    *left = range_of(b, r->first, n);
    *right = range_of(b, r->first + n, r->count - n);
}

/* Moves the parts that become nodes before the parts that become leaves. */
static void inner_first(Range *parts, int n)
{
    int inner = 0;
    for (int k = 0; k < n; k++) {
        if (parts[k].count > RAY_LEAF) {
            Range swap = parts[inner];
            parts[inner++] = parts[k];
            parts[k] = swap;
        }
    }
}

/* Returns the part to split next: the largest of those that would become nodes, or else of the leaves with several triangles. -1: none. */
static int largest_part(const Range *parts, int n, bool halve)
{
    int at = -1;
    bool inner = false;
    double largest = -1;
    for (int k = 0; k < n; k++) {
        bool is_inner = parts[k].count > RAY_LEAF;
        double size = halve ? parts[k].count : area(&parts[k].box);
        if (parts[k].count > 1 && (is_inner > inner || (is_inner == inner && size > largest))) {
            inner = is_inner;
            largest = size;
            at = k;
        }
    }
    return at;
}

/* Splits a range into at most four. Returns how many. */
static int split_wide(Builder *b, const Range *r, int depth, Range *parts)
{
    bool halve = depth + levels_of(r->count) + 1 >= RAY_DEPTH;
    int n = 1;
    parts[0] = *r;
    for (int at = largest_part(parts, n, halve); n < WIDTH && at >= 0; at = largest_part(parts, n, halve)) {
        Range whole = parts[at];
        split(b, &whole, halve, &parts[at], &parts[n]);
        n++;
    }
    inner_first(parts, n);
    return n;
}

static int exponent_of(float extent)
{
    int e = -100;
    if (extent > 0) {
        frexpf(extent / 254.0f, &e);
    }
    return e < -100 ? -100 : e;
}

/* Writes the box of a node and the bounds of its children, rounded outward. */
static void quantize(const Builder *b, uint32_t *words, const Box *whole, const Range *parts, int n)
{
    for (int d = 0; d < 3; d++) {
        float low = whole->low[d] - b->pad, high = whole->high[d] + b->pad;
        low = nextafterf(low, -INFINITY);
        int e = exponent_of(nextafterf(high, INFINITY) - low);
        double unit = ldexp(1, e);
        memcpy(&words[d], &low, sizeof low);
        words[3] |= (uint32_t)(e + 127) << (8 * d);
        uint32_t lows = 0, highs = 0;
        for (int k = 0; k < WIDTH; k++) {
            double from = 255, to = 0;
            if (k < n) {
                from = floor(((double)parts[k].box.low[d] - (double)b->pad - (double)low) / unit - 1e-3);
                to = ceil(((double)parts[k].box.high[d] + (double)b->pad - (double)low) / unit + 1e-3);
                from = from > 0 ? from : 0;
                to = to < 255 ? to : 255;
            }
            lows |= (uint32_t)from << (8 * k);
            highs |= (uint32_t)to << (8 * k);
        }
        words[4 + 2 * d] = lows;
        words[5 + 2 * d] = highs;
    }
}

static void write_leaf(Builder *b, const Range *r)
{
    for (int32_t k = 0; k < r->count; k++) {
        ray_faces_write(b->faces, b->items[r->first + k].i, b->tree->parts + RAY_CORNER_WORDS * b->tree->count++);
    }
}

/* Writes the node of a range at `at`, then its triangles, and all nodes below it. */
static void build_node(Builder *b, int64_t at, const Range *r, int depth)
{
    Range parts[WIDTH];
    uint32_t words[RAY_CORNER_WORDS] = {0};
    int n = split_wide(b, r, depth, parts), inner = 0;
    quantize(b, words, &r->box, parts, n);
    while (inner < n && parts[inner].count > RAY_LEAF) {
        inner++;
    }
    int64_t child = b->tree->count;
    b->tree->count += inner;
    words[10] = (uint32_t)child;
    words[11] = (uint32_t)b->tree->count;
    b->tree->depth = depth > b->tree->depth ? depth : b->tree->depth;
    for (int k = inner; k < n; k++) {
        words[3] |= (uint32_t)parts[k].count << (24 + 2 * k);
        write_leaf(b, &parts[k]);
    }
    memcpy(b->tree->parts + RAY_CORNER_WORDS * at, words, sizeof words);
    for (int k = 0; k < inner; k++) {
        build_node(b, child + k, &parts[k], depth + 1);
    }
}

static void fill_items(Builder *b)
{
    for (int32_t i = 0; i < b->faces->count; i++) {
        const float *p = b->faces->corners + 9 * (int64_t)i;
        Item *item = &b->items[i];
        item->i = i;
        for (int d = 0; d < 3; d++) {
            item->box.low[d] = least(p[d], least(p[3 + d], p[6 + d]));
            item->box.high[d] = most(p[d], most(p[3 + d], p[6 + d]));
        }
    }
}

bool ray_tree_build(const RayFaces *faces, float pad, RayTree *tree)
{
    size_t n = (size_t)faces->count;
    *tree = (RayTree){.count = 1};
    Builder b = {.faces = faces, .tree = tree, .pad = pad, .items = malloc((n + 1) * sizeof(Item))};
    tree->parts = malloc((2 * n + 1) * RAY_CORNER_WORDS * sizeof *tree->parts);
    bool done = (b.items && tree->parts) || error_set("out of host memory");
    if (done) {
        fill_items(&b);
        Range all = range_of(&b, 0, faces->count);
        build_node(&b, 0, &all, 1);
    } else {
        ray_tree_release(tree);
    }
    free(b.items);
    return done;
}

void ray_tree_release(RayTree *tree)
{
    free(tree->parts);
    *tree = (RayTree){0};
}
