// Functions that the programs of kernels, reductions and scans use.

// Returns i: twice a number is even, so nothing is added. Compilers do not see that
// (emit_index.c).
int rill_own(int i) { return i + ((i + i) & 1); }
uint rill_own(uint i) { return i + ((i + i) & 1u); }
int rill_case(int i) { return rill_own(i); }
uint rill_case(uint i) { return rill_own(i); }

// Returns b / 255 correctly rounded, also on devices that divide by multiplying with a reciprocal:
// the first product is exact.
float rill_unorm(uint b)
{
    float v = float(b);
    precise float r = v * 0.0039215087890625 + v * 5.98383920e-8;
    return r;
}

// Converts to a half with rounding to nearest even, which drivers need not do: the last remaining
// bit and half a unit minus one bit are added before truncation. Below 2^-14 the last place of a
// half is that of a float close to 0.5.
uint rill_half(float x)
{
    uint u = floatBitsToUint(x), a = u & 0x7fffffffu, n = min((a + 0xc8000fffu + (a >> 13u & 1u)) >> 13u, 0x7c00u),
         t = floatBitsToUint(uintBitsToFloat(a) + 0.5) - 0x3f000000u;
    return (u >> 16u & 0x8000u) | (a > 0x7f800000u ? 0x7e00u : a < 0x38800000u ? t : n);
}

// Converts a half to a float and preserves denormals, which drivers need not do.
float rill_float(uint h)
{
    uint m = h & 0x7fffu, b = m < 0x400u ? floatBitsToUint(float(m) * 5.9604644775390625e-8)
                                         : (m << 13u) + (m < 0x7c00u ? 0x38000000u : 0x70000000u);
    return uintBitsToFloat(b | (h & 0x8000u) << 16u);
}

// Returns n / d, given the multiplier and shift of access_divisor.
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

// Returns the index that a dimension of a view maps i to: (i * step + start) divided, then wrapped.
int rill_map(int i, uint step, uint start, uint dm, uint ds, uint mm, uint ms, uint m)
{
    uint q = rill_div(uint(i) * step + start, dm, ds);
    return int(q - rill_div(q, mm, ms) * m);
}

// Indices outside of 0 .. n - 1 are mapped into the range.
int rill_clamp(int i, int n) { return clamp(i, 0, n - 1); }
int rill_wrap(int i, int n) { return i >= 0 ? i % n : n - 1 - (-1 - i) % n; }
int rill_mirror(int i, int n)
{
    uint m = uint(n), t = i >= 0 ? uint(i) % (2u * m) : 2u * m - 1u - uint(-1 - i) % (2u * m);
    return int(t < m ? t : 2u * m - 1u - t);
}

// Limits a neighbor's offset, so that adding the position cannot overflow.
int rill_near(int x, int period)
{
    bool far = x != clamp(x, -1073741824, 1073741823);
    int m = far && period > 0 ? rill_wrap(x, period) : 0;
    return !far ? x : period > 0 ? (m > 1073741823 ? m - period : m) : clamp(x, -1073741824, 1073741823);
}
