// Sums over pairs of a source point, moved by the transform with rows a, b, c, and its nearest target point. All positions are measured from `middle`,
// in units of 1 / `scale`, so that products neither cancel nor leave the range of doubles. $V: the type of
// points, vec3 or dvec3.
typedef struct { dvec3 p; dvec3 q; bool near; } Pair;

Pair pair_of(int i, $V source[], dvec4 a, dvec4 b, dvec4 c, $V target[], int index[][], dvec3 middle, double scale) {
    int n = index[i][0];
    dvec4 x = dvec4(dvec3(source[i]), 1.0lf);
    Pair r;
    r.near = n >= 0;
    r.p = (dvec3(dot(a, x), dot(b, x), dot(c, x)) - middle) * scale;
    r.q = (dvec3(target[max(n, 0)]) - middle) * scale;
    return r;
}

// Sums of invocation k: points k, k + lanes, k + 2 lanes ...
kernel void points(int lanes, $V source[], dvec4 a, dvec4 b, dvec4 c, $V target[], int index[][], dvec3 middle, double scale,
                   out dvec4 p<>, out dvec4 q<>, out dvec4 r0<>, out dvec4 r1<>, out dvec4 r2<>) {
    int n = sizeof_stream(source).x;
    for (int i = indexof(p).x; i < n; i += lanes) {
        Pair g = pair_of(i, source, a, b, c, target, index, middle, scale);
        if (g.near) {
            dvec3 d = g.q - g.p;
            p += dvec4(g.p, 1.0lf);
            q += dvec4(g.q, dot(d, d));
            r0 += dvec4(g.q.x * g.p, 0.0lf);
            r1 += dvec4(g.q.y * g.p, 0.0lf);
            r2 += dvec4(g.q.z * g.p, 0.0lf);
        }
    }
}
// The rotation and translation with the least sum of squares (K. Arun, T. Huang and S. Blostein 1987; S. Umeyama 1991, without reflections). A small multiple of
// the identity is added, so that among equal rotations, for points on a line, the smallest one is chosen.
kernel void rigid(dvec4 p[], dvec4 q[], dvec4 r0[], dvec4 r1[], dvec4 r2[], out dvec4 a<>, out dvec4 b<>, out dvec4 c<>, out dvec2 sums<>) {
    int lanes = sizeof_stream(p).x;
    dvec4 u = dvec4(0.0lf), w = u, x = u, y = u, z = u;
    for (int i = 0; i < lanes; i++) {
        u += p[i];
        w += q[i];
        x += r0[i];
        y += r1[i];
        z += r2[i];
    }
    double n = max(u.w, 1.0lf);
    dvec3 from = u.xyz / n, to = w.xyz / n;
    dmat3 h = transpose(dmat3(x.xyz / n - to.x * from, y.xyz / n - to.y * from, z.xyz / n - to.z * from)), left, right;
    h += dmat3(1e-10lf * (abs(h[0][0]) + abs(h[1][1]) + abs(h[2][2])));
    dvec3 s;
    svd(h, left, s, right);
    left[2] *= determinant(left) * determinant(right) < 0.0lf ? -1.0lf : 1.0lf;
    dmat3 turn = transpose(left * transpose(right));
    a = dvec4(turn[0], to.x - dot(turn[0], from));
    b = dvec4(turn[1], to.y - dot(turn[1], from));
    c = dvec4(turn[2], to.z - dot(turn[2], from));
    sums = dvec2(u.w, w.w);
}

// The normal equations of small rotations and translations that move points into the planes of their target points (Y. Chen and G. Medioni 1991; K. Low,
// "Linear least-squares optimization for point-to-plane ICP surface registration", 2004). g: the products of the six derivatives and the residual, the
// upper triangle by rows; 27 of them.
kernel void planes(int lanes, $V source[], dvec4 a, dvec4 b, dvec4 c, $V target[], vec3 normal[], int index[][], dvec3 middle, double scale,
                   out dvec4 g0<>, out dvec4 g1<>, out dvec4 g2<>, out dvec4 g3<>, out dvec4 g4<>, out dvec4 g5<>, out dvec4 g6<>, out dvec2 sums<>) {
    int n = sizeof_stream(source).x;
    for (int i = indexof(g0).x; i < n; i += lanes) {
        Pair g = pair_of(i, source, a, b, c, target, index, middle, scale);
        if (g.near) {
            dvec3 m = dvec3(normal[index[i][0]]), d = g.q - g.p, t = cross(g.p, m);
            double e = dot(m, d);
            g0 += t.x * dvec4(t, m.x);
            g1 += dvec4(t.x * m.yz, t.x * e, t.y * t.y);
            g2 += dvec4(t.y * t.z, t.y * m);
            g3 += dvec4(t.y * e, t.z * t.z, t.z * m.xy);
            g4 += dvec4(t.z * m.z, t.z * e, m.x * m.xy);
            g5 += dvec4(m.x * m.z, m.x * e, m.y * m.yz);
            g6 += dvec4(m.y * e, m.z * m.z, m.z * e, e * e);
            sums += dvec2(1.0lf, dot(d, d));
        }
    }
}
