// What the programs of kernels, reductions and scans are written with.

// Twice a number is even: nothing is added. See rewrite_index.c.
int rill_own(int i) { return i + ((i + i) & 1); }
uint rill_own(uint i) { return i + ((i + i) & 1u); }
int rill_case(int i) { return rill_own(i); }
uint rill_case(uint i) { return rill_own(i); }

// b / 255 rounded as it should be, where a division is a product with a reciprocal, too: the first product is exact.
float rill_unorm(uint b)
{
    float v = float(b);
    precise float r = v * 0.0039215087890625 + v * 5.98383920e-8;
    return r;
}

// Rounded to nearest, ties to even, as drivers need not: the last bit that stays and half a unit less one bit are added before the rest
// is cut off. Below 2^-14, a half's last place is that of a float next to 0.5.
uint rill_half(float x)
{
    uint u = floatBitsToUint(x), a = u & 0x7fffffffu, n = min((a + 0xc8000fffu + (a >> 13u & 1u)) >> 13u, 0x7c00u),
         t = floatBitsToUint(uintBitsToFloat(a) + 0.5) - 0x3f000000u;
    return (u >> 16u & 0x8000u) | (a > 0x7f800000u ? 0x7e00u : a < 0x38800000u ? t : n);
}

// Small halves kept, as drivers need not.
float rill_float(uint h)
{
    uint m = h & 0x7fffu, b = m < 0x400u ? floatBitsToUint(float(m) * 5.9604644775390625e-8)
                                         : (m << 13u) + (m < 0x7c00u ? 0x38000000u : 0x70000000u);
    return uintBitsToFloat(b | (h & 0x8000u) << 16u);
}

// n / d by a multiplier and a shift: access_divisor finds them.
uint rill_div(uint n, uint m, uint s)
{
    uint h, l;
    umulExtended(n << 1u, m, h, l);
    return h >> s;
}
int rill_mod(int n, int m) { return m > 0 ? n % m : n; }

float rill_ramp(float from, float delta, int i)
{
    precise float p = delta * float(i);
    precise float r = from + p;
    return r;
}
double rill_ramp(double from, double delta, int i)
{
    precise double p = delta * double(i);
    precise double r = from + p;
    return r;
}

// The index that a view's dimension makes of i: (i * step + start) divided, then wrapped.
int rill_map(int i, uint step, uint start, uint dm, uint ds, uint mm, uint ms, uint m)
{
    uint q = rill_div(uint(i) * step + start, dm, ds);
    return int(q - rill_div(q, mm, ms) * m);
}

// Indices outside of 0 .. n - 1.
int rill_clamp(int i, int n) { return clamp(i, 0, n - 1); }
int rill_wrap(int i, int n) { return i >= 0 ? i % n : n - 1 - (-1 - i) % n; }
int rill_mirror(int i, int n)
{
    uint m = uint(n), t = i >= 0 ? uint(i) % (2u * m) : 2u * m - 1u - uint(-1 - i) % (2u * m);
    return int(t < m ? t : 2u * m - 1u - t);
}

// A neighbour's offset, which must not overflow when the place is added.
int rill_near(int x, int period)
{
    bool far = x != clamp(x, -1073741824, 1073741823);
    int m = far && period > 0 ? rill_wrap(x, period) : 0;
    return !far ? x : period > 0 ? (m > 1073741823 ? m - period : m) : clamp(x, -1073741824, 1073741823);
}
