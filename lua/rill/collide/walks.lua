-- The kernels of queries: rays, distances and containment, each element a walk of its own through a tree's nodes.
--
-- A walk keeps no stack. Nodes are numbered as in a heap, so that one number leads back up, and one bit for each level on the way (`at.y`, the lowest of this
-- node) says whether the sibling there needs no visit any more (after S. Laine, "Restart Trail for Stackless BVH Traversal", 2010). A walk can therefore rest
-- after STEPS trips and go on in another launch, on devices that cut long loops. Walks with pruning go down, NODES at most, until all that run together
-- are at leaves or done, so that few wait while others test triangles (T. Aila and S. Laine, "Understanding the Efficiency of Ray Traversal on GPUs", 2009). `at`: the node (0: done), those bits, and how many triangles of a leaf were seen.
--
-- Boxes are floats, and wider than their triangles by more than floats lose here; triangles are tested in doubles. Of what is equally near the lowest triangle
-- is taken, so that answers do not depend on the tree.
return [=[
    typedef struct { vec3 low; vec3 high; } Span;

    kernel void span(vec3 low<>, vec3 high<>, float pad, out Span s<>) { s.low = low - pad; s.high = high + pad; }
    bool is_finite(vec3 v) { return all(notEqual(floatBitsToUint(v) & 0x7f800000u, uvec3(0x7f800000u))); }
    bool is_empty(Span s) { return s.low.x > s.high.x; }
    ivec3 next_of(ivec3 at) {
        if (at.y == -1) return ivec3(0);
        int k = findLSB(~at.y);
        return ivec3((at.x >> k) ^ 1, (at.y >> k) | 1, 0);
    }
    ivec3 below(ivec3 at, bool left, bool right, bool right_first) {
        if (!left && !right) return next_of(at);
        return ivec3(2 * at.x + (right && (!left || right_first) ? 1 : 0), 2 * at.y + (left && right ? 0 : 1), 0);
    }
    ivec3 beside(ivec3 at, int leaf) { return at.z + 1 == leaf ? next_of(at) : ivec3(at.xy, at.z + 1); }

    reduce void furthest(ivec3 at<>, reduce ivec3 most<>) { most = max(most, at); }

    // ax * by - ay * bx with its exact sign, so that two triangles agree about the edge they share: where rounding might matter, products are split
    // (T. J. Dekker, "A floating-point technique for extending the available precision", 1971).
    double lost(double a, double b, double p) {
        precise double s = a * 134217729.0lf, t = b * 134217729.0lf;
        precise double ah = s - (s - a), bh = t - (t - b);
        precise double al = a - ah, bl = b - bh;
        precise double e = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
        return e;
    }
    double side(dvec2 a, dvec2 b) {
        precise double p = a.x * b.y, q = a.y * b.x;
        precise double d = p - q;
        if (abs(d) <= 1e-15lf * (abs(p) + abs(q))) {
            precise double e = lost(a.x, b.y, p) - lost(a.y, b.x, q);
            d += e;
        }
        return d;
    }

    // ---- rays: S. Woop, C. Benthin and I. Wald, "Watertight Ray/Triangle Intersection", 2013

    // Where a ray enters a box, in lengths of its longest component; above `most` where it does not.
    float entry(Span s, vec3 o, vec3 inverse, float most) {
        bvec3 up = greaterThan(inverse, vec3(0.0));
        vec3 a = (mix(s.high, s.low, up) - o) * inverse, b = (mix(s.low, s.high, up) - o) * inverse;
        float enter = max(max(max(a.x, a.y), a.z), 0.0), leave = min(min(b.x, b.y), b.z);
        return !is_empty(s) && enter * 0.999999 <= min(leave * 1.000001, most) ? enter : 3.4028235e38;
    }
    dvec3 main_last(int k, dvec3 v) { return k == 0 ? v.yzx : (k == 1 ? v.zxy : v); }
    dvec3 sheared(dvec3 v, dvec2 shear) {
        precise dvec2 p = v.xy - shear * v.z;
        return dvec3(p, v.z);
    }
    // Where the line meets a triangle around the ray's origin, its main axis last and sheared upright; -1 behind the origin and where there is none.
    double struck(dvec3 a, dvec3 b, dvec3 c, double main_part) {
        double u = side(c.xy, b.xy), v = side(a.xy, c.xy), w = side(b.xy, a.xy);
        double sum = u + v + w;
        bool hit = (u >= 0.0lf && v >= 0.0lf && w >= 0.0lf) || (u <= 0.0lf && v <= 0.0lf && w <= 0.0lf);
        double t = hit && sum != 0.0lf ? (u * a.z + v * b.z + w * c.z) / sum / main_part : -1.0lf;
        return t >= 0.0lf ? t : -1.0lf;
    }
    kernel void ray(vec3 o<>, vec3 d<>, int leaves, int leaf, Span s[], int face[], vec3 corner[], inout ivec3 at<>,
                    inout double best<>, inout int found<>) {
        ivec3 here = at;
        double near = best;
        int place = found;
        vec3 size = abs(d);
        int k = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
        float most = max(max(size.x, size.y), size.z);
        if (!is_finite(o) || !is_finite(d) || most == 0.0) here.x = 0;
        vec3 unit = vec3(dvec3(d) / double(most));
        vec3 inverse = 1.0 / mix(unit, mix(vec3(1e-30), vec3(-1e-30), lessThan(unit, vec3(0.0))),
                                 lessThan(abs(unit), vec3(1e-30)));
        dvec3 from = dvec3(o), way = main_last(k, dvec3(d));
        precise dvec2 shear = way.xy / way.z;
        float limit = float(near * double(most)) * 1.000001;
        for (int step = 0; step < STEPS; step++) {
            if (here.x == 0) break;
            for (int down = 0; down < NODES; down++) {
                if (here.x == 0 || here.x >= leaves) break;
                float left = entry(s[2 * here.x], o, inverse, limit), right = entry(s[2 * here.x + 1], o, inverse, limit);
                here = below(here, left < 3.4028235e38, right < 3.4028235e38, right < left);
            }
            if (here.x >= leaves) {
                int i = (here.x - leaves) * leaf + here.z;
                int f = here.z > 0 || entry(s[here.x], o, inverse, limit) < 3.4028235e38 ? face[i] : -1;
                if (f >= 0) {
                    dvec3 a = dvec3(corner[3 * i]), b = dvec3(corner[3 * i + 1]), c = dvec3(corner[3 * i + 2]);
                    double t = struck(sheared(main_last(k, a - from), shear), sheared(main_last(k, b - from), shear),
                                      sheared(main_last(k, c - from), shear), way.z);
                    if (t >= 0.0lf && (t < near || (t == near && f < face[max(place, 0)])) &&
                        any(notEqual(cross(b - a, c - a), dvec3(0.0lf)))) {
                        near = t;
                        place = i;
                        limit = float(near * double(most)) * 1.000001;
                    }
                }
                here = f >= 0 ? beside(here, leaf) : next_of(here);
            }
        }
        at = here;
        best = near;
        found = place;
    }
    kernel void ray_end(double best<>, int place<>, int face[], out float distance<>, out int triangle<>) {
        distance = place >= 0 ? float(best) : 1.0 / 0.0;
        triangle = place >= 0 ? face[place] : -1;
    }

    // ---- distances; triangles are around the point

    dvec3 on_segment(dvec3 a, dvec3 b) {
        dvec3 e = b - a;
        double l = dot(e, e);
        return l > 0.0lf ? a + clamp(-dot(a, e) / l, 0.0lf, 1.0lf) * e : a;
    }
    dvec3 nearer(dvec3 a, dvec3 b) { return dot(b, b) < dot(a, a) ? b : a; }
    dvec3 nearest(dvec3 a, dvec3 b, dvec3 c) {
        dvec3 n = cross(b - a, c - a);
        double l = dot(n, n);
        if (l > 0.0lf && dot(cross(n, b - a), a) <= 0.0lf && dot(cross(n, c - b), b) <= 0.0lf &&
            dot(cross(n, a - c), c) <= 0.0lf) return n * (dot(n, a) / l);
        return nearer(nearer(on_segment(a, b), on_segment(b, c)), on_segment(c, a));
    }
    // The square of how far a box is, at least, but for 1e-5 of it; negative of an empty one.
    float away(Span s, vec3 p) {
        vec3 d = max(max(s.low - p, p - s.high), vec3(0.0));
        return is_empty(s) ? -1.0 : dot(d, d);
    }
    kernel void distance(vec3 p<>, int leaves, int leaf, Span s[], int face[], vec3 corner[], inout ivec3 at<>,
                         inout double best<>, inout int found<>) {
        ivec3 here = is_finite(p) ? at : ivec3(0);
        double near = best;
        int place = found;
        float limit = float(near) * 1.00001 + 1e-37;
        for (int step = 0; step < STEPS; step++) {
            if (here.x == 0) break;
            for (int down = 0; down < NODES; down++) {
                if (here.x == 0 || here.x >= leaves) break;
                float left = away(s[2 * here.x], p), right = away(s[2 * here.x + 1], p);
                here = below(here, left >= 0.0 && left <= limit, right >= 0.0 && right <= limit, right < left);
            }
            if (here.x >= leaves) {
                int i = (here.x - leaves) * leaf + here.z;
                int f = here.z > 0 || away(s[here.x], p) <= limit ? face[i] : -1;
                if (f >= 0) {
                    dvec3 q = nearest(dvec3(corner[3 * i]) - dvec3(p), dvec3(corner[3 * i + 1]) - dvec3(p),
                                      dvec3(corner[3 * i + 2]) - dvec3(p));
                    double l = dot(q, q);
                    if (l < near || (l == near && f < face[max(place, 0)])) {
                        near = l;
                        place = i;
                        limit = float(near) * 1.00001 + 1e-37;
                    }
                }
                here = f >= 0 ? beside(here, leaf) : next_of(here);
            }
        }
        at = here;
        best = near;
        found = place;
    }
    kernel void distance_end(vec3 p<>, int place<>, int face[], vec3 corner[], out float distance<>, out int triangle<>,
                             out vec3 point<>) {
        int i = 3 * max(place, 0);
        dvec3 from = dvec3(p);
        dvec3 q = nearest(dvec3(corner[i]) - from, dvec3(corner[i + 1]) - from, dvec3(corner[i + 2]) - from);
        float nan = 0.0 / 0.0, far = is_finite(p) ? 1.0 / 0.0 : nan;
        distance = place >= 0 ? float(sqrt(dot(q, q))) : far;
        triangle = place >= 0 ? face[place] : -1;
        point = place >= 0 ? vec3(q + from) : vec3(nan);
    }

    // ---- containment: crossings of a ray along z, which starts not at the point but beside it by (e, e^2), e as small as any number
    // (H. Edelsbrunner and E. Muecke, "Simulation of Simplicity", 1990): it meets no edge, and goes through each shared one on one side.

    double side_beside(dvec2 a, dvec2 b) {
        double d = side(a, b);
        return d != 0.0lf ? d : (a.y != b.y ? a.y - b.y : b.x - a.x);
    }
    bool crossed(dvec3 a, dvec3 b, dvec3 c) {
        double u = side_beside(b.xy, c.xy), v = side_beside(c.xy, a.xy), w = side_beside(a.xy, b.xy);
        bool through = (u > 0.0lf && v > 0.0lf && w > 0.0lf) || (u < 0.0lf && v < 0.0lf && w < 0.0lf);
        if (!through || max(max(a.z, b.z), c.z) <= 0.0lf) return false;
        if (min(min(a.z, b.z), c.z) > 0.0lf) return true;
        double x = side(b.xy, c.xy), y = side(c.xy, a.xy), z = side(a.xy, b.xy);
        double height = x * a.z + y * b.z + z * c.z;
        return x + y + z > 0.0lf ? height > 0.0lf : height < 0.0lf;
    }
    // Nodes in the order of a walk without pruning, so that `at` is the node, how many triangles were crossed, and how many of a leaf were seen.
    int after(int node) { return ((node + 1) >> findLSB(node + 1)) == 1 ? 0 : (node + 1) >> findLSB(node + 1); }
    kernel void contains(dvec3 p<>, int leaves, int leaf, Span s[], int face[], vec3 corner[], inout ivec3 at<>) {
        vec3 near = vec3(p);
        ivec3 here = is_finite(near) ? at : ivec3(0);
        for (int step = 0; step < STEPS; step++) {
            if (here.x == 0) break;
            Span box = s[here.x];
            bool meets = here.z > 0 || (near.x >= box.low.x && near.y >= box.low.y && all(lessThanEqual(near, box.high)));
            if (!meets) {
                here.x = after(here.x);
            } else if (here.x < leaves) {
                here.x = 2 * here.x;
            } else {
                int i = (here.x - leaves) * leaf + here.z;
                bool filled = face[i] >= 0;
                if (filled && crossed(dvec3(corner[3 * i]) - p, dvec3(corner[3 * i + 1]) - p,
                                      dvec3(corner[3 * i + 2]) - p)) here.y++;
                bool more = filled && here.z + 1 < leaf;
                here = more ? ivec3(here.xy, here.z + 1) : ivec3(after(here.x), here.y, 0);
            }
        }
        at = here;
    }
    kernel void contains_end(dvec3 p<>, ivec3 at<>, out bool inside<>) { inside = is_finite(vec3(p)) && (at.y & 1) == 1; }

    // ---- whether a surface is closed: of each edge a number of its ends, whatever their order; those of closed ones cancel.

    uint mixed(uint h) {
        h = (h ^ (h >> 16)) * 0x7feb352du;
        h = (h ^ (h >> 15)) * 0x846ca68bu;
        return h ^ (h >> 16);
    }
    uvec2 number_of(uvec3 v) {
        uint a = mixed(mixed(mixed(v.x) + v.y) + v.z), b = mixed(mixed(mixed(v.z ^ 0x9e3779b9u) + v.x) + v.y);
        return uvec2(a, b);
    }
    uvec2 vertex_number(vec3 p) { return number_of(floatBitsToUint(mix(p, vec3(0.0), equal(p, vec3(0.0))))); }
    uvec2 edge_number(uvec2 a, uvec2 b) {
        if (a == b) return uvec2(0u);
        bool turn = a.x > b.x || (a.x == b.x && a.y > b.y);
        uvec2 low = turn ? b : a, high = turn ? a : b;
        return number_of(uvec3(low.x, low.y, high.x)) ^ number_of(uvec3(high.y, high.x, low.y));
    }
    kernel void edges(int face<>, vec3 corner[], out uvec2 sum<>) {
        int i = 3 * indexof(face).x;
        uvec2 a = vertex_number(corner[i]), b = vertex_number(corner[i + 1]), c = vertex_number(corner[i + 2]);
        sum = face < 0 ? uvec2(0u) : edge_number(a, b) ^ edge_number(b, c) ^ edge_number(c, a);
    }
    reduce void odd(uvec2 sum<>, reduce uvec2 all_of<>) { all_of ^= sum; }
]=]
