// The neighbors of vertex `self`, found from its corners list[from] to list[to - 1] in triangles t[]. Each corner yields the next and the previous
// vertex of its triangle and the half-edges between them and `self`. near1, near2, ... are these vertices in ascending order, side1, side2, ... the half-edges. A neighbor
// occurs once for each half-edge; a half-edge from `self` to `self` occurs once. NONE follows the last neighbor, and near0 is -1.
const int NONE = 0x7fffffff;
int near0 = -1, near$ring_end = NONE, near$ring_second = NONE, side$ring_end = 0;
$for(c, ring_corners){int near$c.next = NONE, near$c.previous = NONE, side$c.next = 0, side$c.previous = 0;
if (from + $c.n < to) {
    int h = list[from + $c.n], f = h / 3, k = h - 3 * f;
    ivec3 v = t[f];
    int previous = k == 0 ? v.z : k == 1 ? v.x : v.y;
    near$c.next = k == 0 ? v.y : k == 1 ? v.z : v.x;
    near$c.previous = previous == self ? NONE : previous;
    side$c.next = h;
    side$c.previous = k == 0 ? h + 2 : h - 1;
}
}$for(x, ring_exchanges){{
    bool less = near$x.b < near$x.a;
    int low = min(near$x.a, near$x.b), way = less ? side$x.b : side$x.a;
    near$x.b = max(near$x.a, near$x.b);
    side$x.b = less ? side$x.a : side$x.b;
    near$x.a = low;
    side$x.a = way;
}}
