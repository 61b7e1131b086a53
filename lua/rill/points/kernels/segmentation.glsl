// $V: the type of points, vec3 or dvec3. $R and $W: the type of numbers and vectors in which candidates are compared.
$use(union_find)

// ---- planes

// Candidates: planes through three different points, which three random numbers choose. The normal of points on a line is
// 0. Differences are scaled to about 1, so that products are in the range of doubles.
kernel void candidates($V p[], ivec3 r<>, out dvec3 normal<>, out dvec3 at<>) {
    int n = sizeof_stream(p).x, a = r.x % n, b = r.y % (n - 1), c = r.z % (n - 2);
    b = b < a ? b : b + 1;
    c = c < min(a, b) ? c : c + 1;
    c = c < max(a, b) ? c : c + 1;
    at = dvec3(p[a]);
    dvec3 u = dvec3(p[b]) - at, v = dvec3(p[c]) - at;
    double s = max(max(max(abs(u.x), abs(u.y)), abs(u.z)), max(max(abs(v.x), abs(v.y)), abs(v.z)));
    u /= s > 0.0lf ? s : 1.0lf;
    v /= s > 0.0lf ? s : 1.0lf;
    dvec3 m = cross(u, v);
    double l = length(m);
    normal = l > 1e-12lf ? m / l : dvec3(0.0lf);
}

// The numbers of points near each candidate, negative without a normal: lane k of a row counts points k, k + lanes, k + 2 lanes ...
kernel void counts($V p[], dvec3 normal[], dvec3 at[], int lanes, double distance, out int count<>) {
    ivec2 place = indexof(count).xy;
    int n = sizeof_stream(p).x;
    $W m = $W(normal[place.y]), o = $W(at[place.y]);
    $R most = $R(distance);
    for (int i = place.x; i < n; i += lanes) {
        count += abs(dot(m, $W(p[i]) - o)) <= most ? 1 : 0;
    }
    count = m == $W(0.0) ? -1 : count;
}
kernel void inside($V p<>, dvec3 normal, dvec3 at, double distance, out bool r<>) {
    r = abs(dot(normal, dvec3(p) - at)) <= distance;
}

// Sums over the points near a plane, measured from `at` in units of 1 / `scale`.
kernel void moments($V p[], dvec3 normal, dvec3 at, int lanes, double distance, double scale, out dvec4 s<>, out dvec3 a<>,
                    out dvec3 b<>) {
    int n = sizeof_stream(p).x;
    for (int i = indexof(s).x; i < n; i += lanes) {
        dvec3 d = dvec3(p[i]) - at;
        if (abs(dot(normal, d)) <= distance) {
            d *= scale;
            s += dvec4(d, 1.0lf);
            a += d.x * d;
            b += dvec3(d.y * d.yz, d.z * d.z);
        }
    }
}
// The plane with the least sum of squared distances: its normal is the eigenvector of the least variance.
kernel void fit(dvec4 s[], dvec3 a[], dvec3 b[], double scale, dvec3 at, out dvec3 normal<>, out dvec3 middle<>) {
    int lanes = sizeof_stream(s).x;
    dvec4 sum = dvec4(0.0lf);
    dvec3 x = dvec3(0.0lf), y = dvec3(0.0lf);
    for (int i = 0; i < lanes; i++) {
        sum += s[i];
        x += a[i];
        y += b[i];
    }
    double n = max(sum.w, 1.0lf);
    dvec3 mean = sum.xyz / n, values;
    x = x / n - mean.x * mean;
    y = y / n - dvec3(mean.y * mean.yz, mean.z * mean.z);
    dmat3 v;
    eigen_symmetric(dmat3(x, dvec3(x.y, y.xy), dvec3(x.z, y.yz)), values, v);
    normal = v[0];
    middle = at + mean / scale;
}

// ---- clusters

kernel void core_points(int starts[], int least, out int core<>) {
    int i = indexof(core).x;
    core = starts[i + 1] - starts[i] >= least ? 1 : 0;
}
// `row`: the point of each entry of the lists of neighbors.
kernel void unite(int row<>, int near<>, int core[], inout int parent[]) {
    int a = row, b = near;
    if (a < b && core[a] == 1 && core[b] == 1) UNITE(a, b)
}
kernel void firsts(int parent<>, int core<>, out int first<>) { first = core == 1 && parent == indexof(first).x ? 1 : 0; }
// The label of a point: the number of the cluster of itself, or of the nearest core point, of which it has few; else -1.
kernel void labels(int starts[], int near[], double square[], int core[], int parent[], int number[], out int label<>) {
    int i = indexof(label).x, root = core[i] == 1 ? i : -1, end = root < 0 ? starts[i + 1] : starts[i];
    double least = 0.0lf;
    for (int j = starts[i]; j < end; j++) {
        bool nearer = root < 0 || square[j] < least || (square[j] == least && near[j] < root);
        if (core[near[j]] == 1 && nearer) {
            root = near[j];
            least = square[j];
        }
    }
    while (root >= 0 && parent[root] != root) root = parent[root];
    label = root >= 0 ? number[root] - 1 : -1;
}
