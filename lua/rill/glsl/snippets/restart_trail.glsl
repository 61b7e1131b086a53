// Steps of a traversal of a tree without a stack. Nodes are numbered as in a heap, so the parent follows from the index.
// `at`: the node (0: finished), and one bit for each level on the path (the lowest bit for the current node) that says
// whether the sibling at that level is finished (after S. Laine, "Restart Trail for Stackless BVH Traversal", 2010); and a
// number that is 0 after each step.
ivec3 next_of(ivec3 at) {
    if (at.y == -1) return ivec3(0);
    int k = findLSB(~at.y);
    return ivec3((at.x >> k) ^ 1, (at.y >> k) | 1, 0);
}
ivec3 below(ivec3 at, bool left, bool right, bool right_first) {
    if (!left && !right) return next_of(at);
    return ivec3(2 * at.x + (right && (!left || right_first) ? 1 : 0), 2 * at.y + (left && right ? 0 : 1), 0);
}
