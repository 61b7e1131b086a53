$section(types)
$use(restart_trail)
$use(points_tree)
// A traversal can be interrupted after $steps steps and continued in another launch, on devices that limit loops.
// It descends at most $nodes nodes until all elements that run together are at leaves or finished, so that few
// elements wait while others compute distances (T. Aila and S. Laine, "Understanding the Efficiency of Ray
// Traversal on GPUs", 2009).
//
// Squared distances are computed in double precision. No rounded operation on them reverses an order, so the squared
// distance of a box, which is computed by the same operations, is never above that of a point in the box.

$D apart($D e$if(periodic){, $D box}) { return $if(periodic){min(abs(e), box - abs(e))}$else{e}; }
double squared($D e) {
    return $if(rank == 1){e * e}$else{$if(rank == 2){e.x * e.x + e.y * e.y}$else{e.x * e.x + e.y * e.y + e.z * e.z}};
}
double to_point($D q, $V p$if(periodic){, $D box}) { return squared(apart($D(p) - q$if(periodic){, box})); }
double to_box($D q, Box b$if(periodic){, $D box}) {
    $D low = $D(b.low), high = $D(b.high), e = max(max(low - q, q - high), $D(0.0lf));
    $if(periodic){e = min(e, max(box - max(q - low, high - q), $D(0.0lf)));}
    return squared(e);
}
$section(nearest)
$use(points_distances)
// The k nearest points. Found points are in variables, nearest first, as squared distance d and index i. The first
// $slots - k variables stay below all distances, so the last variable is the k-th point.
const int NONE = 2147483647;
bool is_before(double d, int i, double e, int j) { return d < e || (d == e && i < j); }

// `near`: the place of the query among the points on the curve. `width`, `first`: the columns of the result, and
// the one of the first variable in use. `window`: the number of points around the query that bound the distances.
// `most`: the largest squared distance. `without`: whether a query is not its own neighbor. With `after`, the
// neighbors before column `first` are known, and those that follow are searched. With `resumed`, the search
// continues.
kernel void nearest(Point q<>, int near<>, Point p[], Box boxes[], int least[], int leaves, int k, int width, int first,
                    int window, double most, int without$if(periodic){, $D box}$if(again){, int place[]},
                    inout ivec3 at<>, inout int index[], inout $real distance[]) {
    $D o = $D(q.p);
    int own = without != 0 ? q.id : -1, at_first = q.id * width + first - $slots + k;
    ivec3 here = at;
    $if(after){
    int known = index[q.id * width + first - 1];
    double far = known >= 0 ? to_point(o, p[place[known]].p$if(periodic){, box}) : 0.0lf;
    if (known < 0) here = ivec3(0);
    }
    double limit = most;
    $if(windowed){
    // The k-th of the points around the place of the query on the curve is an upper bound.
    $for(s, all){float w$s = $s < $slots - k ? -1.0 : 1.0 / 0.0;
    }
    int from = max(min(near - window / 2, sizeof_stream(p).x - window), 0);
    int end = min(from + window, sizeof_stream(p).x);
    for (int j = from; j < end; j++) {
        Point x = p[j];
        double square = to_point(o, x.p$if(periodic){, box});
        bool counts = x.id != own$if(after){ && is_before(far, known, square, x.id)};
        float e = counts ? float(square) : 1.0 / 0.0, t;
        $for(s, all){
        t = max(w$s, e);
        w$s = min(w$s, e);
        e = t;
        }
    }
    limit = min(most, double(w$last) * 1.000001lf + 1.1754944e-38lf); // with the roundings of floats
    }
    $for(s, all){
    double d$s = $s < $slots - k ? -1.0lf : limit;
    int i$s = $s < $slots - k ? -1 : NONE;
    }
    $if(resumed){
    $for(s, all){
    if ($s >= $slots - k && index[at_first + $s] >= 0) {
        i$s = index[at_first + $s];
        d$s = to_point(o, p[place[i$s]].p$if(periodic){, box});
    }
    }
    }
    for (int step = 0; step < $steps; step++) {
        if (here.x == 0) break;
        for (int down = 0; down < $nodes; down++) {
            if (here.x == 0 || here.x >= leaves) break;
            int n = 2 * here.x;
            double left = to_box(o, boxes[n]$if(periodic){, box});
            double right = to_box(o, boxes[n + 1]$if(periodic){, box});
            bool to_left = left < d$last, to_right = right < d$last;
            for (bool equal = left == d$last || right == d$last; equal; equal = false) {
                to_left = is_before(left, least[n], d$last, i$last);
                to_right = is_before(right, least[n + 1], d$last, i$last);
            }
            here = below(here, to_left, to_right, right < left);
        }
        if (here.x >= leaves) {
            int from = (here.x - leaves) * $leaf, end = min(from + $leaf, sizeof_stream(p).x);
            for (int j = from; j < end; j++) {
                Point x = p[j];
                double e = to_point(o, x.p$if(periodic){, box});
                for (bool closer = e <= d$last; closer; closer = false) {
                    int i = x.id;
                    bool c = i != own$if(after){ && is_before(far, known, e, i)};
                    $for(s, all){
                    bool c$s = c && is_before(e, i, d$s, i$s);
                    }
                    $for(s, shifted){
                    d$s.to = c$s.from ? d$s.from : (c$s.to ? e : d$s.to);
                    i$s.to = c$s.from ? i$s.from : (c$s.to ? i : i$s.to);
                    }
                    d0 = c0 ? e : d0;
                    i0 = c0 ? i : i0;
                }
            }
            here = next_of(here);
        }
    }
    $for(s, all){
    if ($s >= $slots - k) {
        index[at_first + $s] = i$s == NONE ? -1 : i$s;
        distance[at_first + $s] = i$s == NONE ? $real(1.0 / 0.0) : $real(sqrt(d$s));
    }
    }
    at = here;
}

$section(within)
$use(points_distances)
// All points within a radius: a traversal that counts them, and one that lists them.
$if(counting){
// The squared distance of the farthest corner of a box.
double to_corner($D q, Box b) { return squared(max(abs($D(b.low) - q), abs(q - $D(b.high)))); }
// The number of points of a node.
int size_of(int node, int leaves, int count) {
    int shift = findMSB(leaves) - findMSB(node), from = ((node << shift) - leaves) * $leaf;
    return max(min(from + ($leaf << shift), count) - from, 0);
}
}
kernel void within(Point q<>, Point p[], Box boxes[], int leaves, double most, int without$if(periodic){, $D box},
                   inout ivec3 at<>, inout int ends[]$if(counting){}$else{, inout int index[], inout int row[],
                   inout double square[]}) {
    $D o = $D(q.p);
    int own = without != 0 ? q.id : -1, end = ends[q.id];
    ivec3 here = at;
    for (int step = 0; step < $steps; step++) {
        if (here.x == 0) break;
        for (int down = 0; down < $nodes; down++) {
            if (here.x == 0 || here.x >= leaves) break;
            int n = 2 * here.x;
            Box left = boxes[n], right = boxes[n + 1];
            bool to_left = to_box(o, left$if(periodic){, box}) <= most, to_right = to_box(o, right$if(periodic){, box}) <= most;
            $if(counting){
            if (to_left && to_corner(o, left) <= most) {
                to_left = false;
                end += size_of(n, leaves, sizeof_stream(p).x);
            }
            if (to_right && to_corner(o, right) <= most) {
                to_right = false;
                end += size_of(n + 1, leaves, sizeof_stream(p).x);
            }
            }
            here = below(here, to_left, to_right, false);
        }
        if (here.x >= leaves) {
            int from = (here.x - leaves) * $leaf, last = min(from + $leaf, sizeof_stream(p).x);
            for (int j = from; j < last; j++) {
                Point x = p[j];
                double e = to_point(o, x.p$if(periodic){, box});
                $if(counting){
                end += e <= most ? 1 : 0;
                }$else{
                if (e <= most && x.id != own) {
                    index[end] = x.id;
                    row[end] = q.id;
                    square[end] = e;
                    end++;
                }
                }
            }
            here = next_of(here);
        }
    }
    $if(counting){if (own >= 0 && here.x == 0 && at.x != 0) end--; }

    ends[q.id] = end;
    at = here;
}
$section(order)
// Moves an entry to its place in its row: after the entries that are nearer, or as near with a lower index.
kernel void place(int i<>, double d<>, int row<>, int index[], double square[], int starts[], inout int to_index[],
                  inout $real to_distance[]) {
    int from = starts[row], end = starts[row + 1], to = from;
    for (int j = from; j < end; j++) {
        double e = square[j];
        to += e < d || (e == d && index[j] < i) ? 1 : 0;
    }
    to_index[to] = i;
    to_distance[to] = $real(sqrt(d));
}
kernel void root(double d<>, out $real distance<>) { distance = $real(sqrt(d)); }
$section(steps)
reduce void furthest(ivec3 at<>, reduce ivec3 most<>) { most = max(most, at); }
