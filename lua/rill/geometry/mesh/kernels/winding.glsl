kernel void corners(ivec3 t[], vec3 p[], out vec3 c<>) { int i = indexof(c).x; ivec3 v = t[i / 3]; c = p[v[i % 3]]; }
// The argument of x + i y to 1e-11, by two half-angle formulas and a series.
double argument(double x, double y) {
    double u = abs(x), v = abs(y);
    double t = min(u, v) / max(max(u, v), 1e-300LF);
    for (int k = 0; k < 2; k++) t /= 1.0LF + sqrt(1.0LF + t * t);
    double s = -t * t, r = 0.0LF;
    for (int k = 15; k > 0; k -= 2) r = r * s + 1.0LF / double(k);
    r *= 4.0LF * t;
    r = v > u ? 1.5707963267948966LF - r : r;
    r = x < 0.0LF ? 3.141592653589793LF - r : r;
    return y < 0.0LF ? -r : r;
}
// The sum of half the solid angles of a slice of the triangles, over 2 pi (A. Van Oosterom and J. Strackee, The solid angle
// of a plane triangle, 1983). The angles are the arguments of complex numbers, so their sum is the argument of the product
// and a number of full turns. Only one arc tangent is needed. A triangle in the plane of the point has no angle.
kernel void solid(vec3 point[], int first, vec3 corner[], int faces, int per, out double w<>) {
    ivec2 at = indexof(w).xy;
    dvec3 o = dvec3(point[first + at.x]);
    dvec2 z = dvec2(1.0, 0.0);
    int turns = 0, from = at.y * per, to = min(from + per, faces);
    for (int f = from; f < to; f++) {
        dvec3 a = dvec3(corner[3 * f]) - o, b = dvec3(corner[3 * f + 1]) - o, c = dvec3(corner[3 * f + 2]) - o;
        double la = sqrt(dot(a, a)), lb = sqrt(dot(b, b)), lc = sqrt(dot(c, c));
        double y = dot(a, cross(b, c));
        double x = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
        if (y != 0.0LF) {
            double before = z.y;
            z = dvec2(z.x * x - z.y * y, z.x * y + z.y * x);
            z /= abs(z.x) + abs(z.y);
            if (y > 0.0LF && before >= 0.0LF && z.y < 0.0LF) turns++;
            if (y < 0.0LF && before < 0.0LF && z.y >= 0.0LF) turns--;
        }
    }
    w = double(turns) + argument(z.x, z.y) / 6.283185307179586LF;
}
kernel void narrow(double sum<>, out float w<>) { w = float(sum); }
