// Eigenvalues and singular values of small matrices by Jacobi rotations. This text is written once for each type of matrix
// (prelude.c), with the macros
//   RILL_N, RILL_R, RILL_V, RILL_M    the number of columns, the types of numbers, columns and matrices
//   RILL_WIDE                         defined for doubles
//   RILL_FIRST                        defined for the first matrix of each type of numbers
//   RILL_EIGEN, RILL_SVD              the names of the functions that are needed
// The matrix is scaled by a power of two so that products neither overflow nor underflow.

// RILL_HIGH(x): the high word of |x|; RILL_MAKE(w): the number with this high word; RILL_PLACE: the lowest bit of its exponent,
// whose largest value is RILL_LARGEST. Matrices converge in at most RILL_SWEEPS sweeps; most need four to six.
#ifdef RILL_WIDE
#define RILL_HIGH(x) (unpackDouble2x32(x).y & 0x7fffffffu)
#define RILL_MAKE(w) packDouble2x32(uvec2(0u, w))
#define RILL_PLACE 20
#define RILL_LARGEST 2047
#define RILL_EPSILON 2.220446049250313e-16lf
#define RILL_SWEEPS 10
#else
#define RILL_HIGH(x) (floatBitsToUint(x) & 0x7fffffffu)
#define RILL_MAKE(w) uintBitsToFloat(w)
#define RILL_PLACE 23
#define RILL_LARGEST 255
#define RILL_EPSILON 1.1920928955078125e-7
#define RILL_SWEEPS 8
#endif

// Calls f(p, q) for all p < q. In this order, exchanges of adjacent pairs sort.
#if RILL_N == 2
#define RILL_COLUMNS(f) f(0) f(1)
#define RILL_PAIRS(f) f(0, 1)
#elif RILL_N == 3
#define RILL_COLUMNS(f) f(0) f(1) f(2)
#define RILL_PAIRS(f) f(0, 1) f(0, 2) f(1, 2)
#else
#define RILL_COLUMNS(f) f(0) f(1) f(2) f(3)
#define RILL_PAIRS(f) f(0, 1) f(2, 3) f(0, 2) f(1, 3) f(0, 3) f(1, 2)
#endif

// Divides a matrix by a power of two, `unit`, such that its largest entry is about 1. Returns false if an entry is not finite:
// the matrix is then 0, and `unit` NaN.
bool rill_normalize(inout RILL_M a, out RILL_R unit)
{
    uint high = 0u;
    for (int c = 0; c < RILL_N; c++) {
        for (int r = 0; r < RILL_N; r++) high = max(high, RILL_HIGH(a[c][r]));
    }
    int top = int(high >> RILL_PLACE), up = clamp(RILL_LARGEST - 1 - top, 1, RILL_LARGEST - 2);
    if (top == RILL_LARGEST) {
        a = RILL_M(0.0);
        unit = RILL_MAKE(uint(2 * RILL_LARGEST + 1) << (RILL_PLACE - 1));
        return false;
    }
    a *= RILL_MAKE(uint(up) << RILL_PLACE);
    unit = RILL_MAKE(uint(RILL_LARGEST - 1 - up) << RILL_PLACE);
    return true;
}

// Returns the cosine, the sine and the tangent of the rotation that makes the symmetric matrix {{x, d}, {d, y}} diagonal. The
// smaller of the two angles is used.
#ifdef RILL_FIRST
void rill_rotation(RILL_R x, RILL_R y, RILL_R d, out RILL_R c, out RILL_R s, out RILL_R t)
{
    bool small = abs(d) < RILL_MAKE(1u << RILL_PLACE);
    RILL_R h = small ? RILL_R(1.0) : RILL_R(0.5) * (y - x) / d;
    t = small ? RILL_R(0.0) : RILL_R(1.0) / (abs(h) + sqrt(RILL_R(1.0) + h * h));
    c = RILL_R(1.0) / sqrt(RILL_R(1.0) + t * t);
    t = h < RILL_R(0.0) ? -t : t;
    s = t * c;
}
#endif

void rill_rotate(inout RILL_V x, inout RILL_V y, RILL_R c, RILL_R s)
{
    RILL_V k = c * x - s * y;
    y = s * x + c * y;
    x = k;
}

void rill_exchange(bool swap, inout RILL_V x, inout RILL_V y)
{
    RILL_V k = swap ? y : x;
    y = swap ? x : y;
    x = k;
}

#ifdef RILL_EIGEN
// Only the lower triangle is read and rotated (C. Jacobi 1846; G. Forsythe and P. Henrici 1960, the cyclic order). After the
// last sweep, no entry outside of the diagonal is larger than rounding errors.
#define RILL_COPY(p, q) a[q][p] = a[p][q];
#define RILL_ENTRY(i, j) a[min(i, j)][max(i, j)]
#define RILL_TURN(p, q) \
    rill_rotation(a[p][p], a[q][q], a[p][q], c, s, t); \
    t *= a[p][q]; \
    a[p][p] -= t; \
    a[q][q] += t; \
    a[p][q] = RILL_R(0.0); \
    for (int r = 0; r < RILL_N; r++) { \
        if (r != p && r != q) { \
            t = c * RILL_ENTRY(p, r) - s * RILL_ENTRY(q, r); \
            RILL_ENTRY(q, r) = s * RILL_ENTRY(p, r) + c * RILL_ENTRY(q, r); \
            RILL_ENTRY(p, r) = t; \
        } \
    } \
    rill_rotate(v[p], v[q], c, s);
#define RILL_MOST(p, q) most = max(most, abs(a[p][q]));
#define RILL_SORT(p, q) \
    rill_exchange(values[q] < values[p], v[p], v[q]); \
    c = min(values[p], values[q]); \
    values[q] = max(values[p], values[q]); \
    values[p] = c;
void RILL_EIGEN(RILL_M a, out RILL_V values, out RILL_M v)
{
    RILL_PAIRS(RILL_COPY)
    RILL_R unit, c, s, t;
    bool finite = rill_normalize(a, unit);
    v = RILL_M(1.0);
    for (int sweep = 0; sweep < RILL_SWEEPS; sweep++) {
        RILL_PAIRS(RILL_TURN)
        RILL_R most = RILL_R(0.0);
        RILL_PAIRS(RILL_MOST)
        if (most < RILL_R(0.1) * RILL_EPSILON) break;
    }
    for (int k = 0; k < RILL_N; k++) {
        values[k] = a[k][k];
        v[k] /= length(v[k]);
    }
    RILL_PAIRS(RILL_SORT)
    values *= unit;
    if (!finite) {
        values = RILL_V(unit);
        v = RILL_M(0.0) + unit;
    }
}
#undef RILL_COPY
#undef RILL_ENTRY
#undef RILL_TURN
#undef RILL_MOST
#undef RILL_SORT
#endif

#ifdef RILL_SVD
// One-sided rotations (M. Hestenes 1958) turn the columns of w = a v until they are orthogonal. The longer column of a pair
// comes first (P. de Rijk 1989). A sweep without exchanges in which all pairs were orthogonal within rounding errors is the
// last one. The columns of u are those of Q in w = Q R, computed by reflections (A. Householder 1958): they are orthogonal
// for singular matrices, too. R is diagonal within rounding errors.
#define RILL_TURN(p, q) \
    x = dot(w[p], w[p]); \
    y = dot(w[q], w[q]); \
    swap = x + RILL_R(8.0) * RILL_EPSILON * x < y; \
    turned = turned || swap; \
    rill_exchange(swap, w[p], w[q]); \
    rill_exchange(swap, v[p], v[q]); \
    d = swap ? x : y; \
    x = swap ? y : x; \
    y = d; \
    d = dot(w[p], w[q]); \
    turned = turned || abs(d) > RILL_EPSILON * sqrt(x) * sqrt(y); \
    rill_rotation(x, y, d, c, s, t); \
    rill_rotate(w[p], w[q], c, s); \
    rill_rotate(v[p], v[q], c, s);
#define RILL_SORT(p, q) \
    rill_exchange(values[q] > values[p], u[p], u[q]); \
    rill_exchange(values[q] > values[p], v[p], v[q]); \
    c = max(values[p], values[q]); \
    values[q] = min(values[p], values[q]); \
    values[p] = c;
#define RILL_REFLECT(k) \
    v[k] /= length(v[k]); \
    n = w[k]; \
    for (int i = 0; i < k; i++) n[i] = RILL_R(0.0); \
    d = RILL_R(0.0); \
    for (int i = 0; i < RILL_N; i++) d = max(d, abs(n[i])); \
    if (k < RILL_N - 1) { \
        bool small = d < RILL_MAKE(1u << RILL_PLACE); \
        n /= small ? RILL_R(1.0) : d; \
        n[k] += n[k] < RILL_R(0.0) ? -length(n) : length(n); \
        d = small ? RILL_R(0.0) : RILL_R(2.0) / dot(n, n); \
        w -= outerProduct(n, d * (n * w)); \
        u -= outerProduct(u * n, d * n); \
    } \
    values[k] = abs(w[k][k]);
#define RILL_TURN_BACK(k) u[k] = w[k][k] < RILL_R(0.0) ? -u[k] : u[k];
void RILL_SVD(RILL_M w, out RILL_M u, out RILL_V values, out RILL_M v)
{
    RILL_R unit, c, s, t, x, y, d;
    bool finite = rill_normalize(w, unit), swap;
    RILL_V n;
    u = RILL_M(1.0);
    v = RILL_M(1.0);
    for (int sweep = 0; sweep < RILL_SWEEPS; sweep++) {
        bool turned = false;
        RILL_PAIRS(RILL_TURN)
        if (!turned) break;
    }
    RILL_COLUMNS(RILL_REFLECT)
    RILL_COLUMNS(RILL_TURN_BACK)
    RILL_PAIRS(RILL_SORT)
    values *= unit;
    if (!finite) {
        values = RILL_V(unit);
        u = RILL_M(0.0) + unit;
        v = u;
    }
}
#undef RILL_TURN
#undef RILL_SORT
#endif
#undef RILL_PAIRS
#undef RILL_COLUMNS
#undef RILL_REFLECT
#undef RILL_TURN_BACK
#undef RILL_EIGEN
#undef RILL_SVD
#undef RILL_FIRST
#undef RILL_WIDE
#undef RILL_N
#undef RILL_R
#undef RILL_V
#undef RILL_M
#undef RILL_HIGH
#undef RILL_MAKE
#undef RILL_PLACE
#undef RILL_LARGEST
#undef RILL_EPSILON
#undef RILL_SWEEPS
