// Union-find in a forest, `inout int parent[]`, in which a root is its own parent: by atomic minima (D. P. Playne and K. Hawick, A new algorithm for
// parallel connected-component labelling on GPUs, 2018), with path halving (J. Jaiganesh and M. Burtscher, A high-performance connected components
// implementation for GPUs, 2018). In the end the root of a tree is the smallest of its nodes.
// HALVE_TO_ROOT(i) sets the variable i to the root of its tree.
#define HALVE_TO_ROOT(i) { \
    int up = parent[i]; \
    if (up != i) { \
        for (int more = parent[up]; more != up; more = parent[up]) { parent[i] = more; i = up; up = more; } \
        i = up; \
    } \
}
// UNITE(a, b) joins the trees of the variables a and b, which it modifies. The index of a parent only decreases. If another invocation changed the
// parent in between, atomicMin returns that parent, and the loop continues with it.
#define UNITE(a, b) { \
    HALVE_TO_ROOT(b) \
    while (a != b) { \
        int high = max(a, b), before = atomicMin(parent[high], min(a, b)); \
        b = min(a, b); \
        a = before == high ? b : before; \
    } \
}
