// Text of kernels that unite nodes in a forest, `inout int parent[]`, in which a root is its own parent: by atomic minima (D. P. Playne and K. Hawick, A new
// algorithm for parallel connected-component labelling on GPUs, 2018), paths being halved on the way (J. Jaiganesh and M. Burtscher, A high-performance
// connected components implementation for GPUs, 2018). In the end the root of a tree is the least of its nodes.
// Makes i, a variable, the root of its tree.
#define HALVE_TO_ROOT(i) { \
    int up = parent[i]; \
    if (up != i) { \
        for (int more = parent[up]; more != up; more = parent[up]) { parent[i] = more; i = up; up = more; } \
        i = up; \
    } \
}
// Makes the trees of a and b, variables that it changes, one. Parents only ever become less. What was put below another in between is found by the
// minimum, which gives its parent of before.
#define UNITE(a, b) { \
    HALVE_TO_ROOT(b) \
    while (a != b) { \
        int high = max(a, b), before = atomicMin(parent[high], min(a, b)); \
        b = min(a, b); \
        a = before == high ? b : before; \
    } \
}
