// f
// made with the kernel: the likely variant
#version 430
layout(local_size_x = 8) in;
layout(location = 0) uniform uvec4 rill_p[3];
int rill_d0;
int rill_e;
uint rill_trips;
int rill_own(int i) { return i + ((i + i) & 1); }
uint rill_own(uint i) { return i + ((i + i) & 1u); }
int rill_case(int i) { return rill_own(i); }
uint rill_case(uint i) { return rill_own(i); }
float rill_unorm(uint b)
{
    float v = float(b);
    precise float r = v * 0.0039215087890625 + v * 5.98383920e-8;
    return r;
}
uint rill_half(float x)
{
    uint u = floatBitsToUint(x), a = u & 0x7fffffffu, n = min((a + 0xc8000fffu + (a >> 13u & 1u)) >> 13u, 0x7c00u),
         t = floatBitsToUint(uintBitsToFloat(a) + 0.5) - 0x3f000000u;
    return (u >> 16u & 0x8000u) | (a > 0x7f800000u ? 0x7e00u : a < 0x38800000u ? t : n);
}
float rill_float(uint h)
{
    uint m = h & 0x7fffu, b = m < 0x400u ? floatBitsToUint(float(m) * 5.9604644775390625e-8)
                                         : (m << 13u) + (m < 0x7c00u ? 0x38000000u : 0x70000000u);
    return uintBitsToFloat(b | (h & 0x8000u) << 16u);
}
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
int rill_map(int i, uint step, uint start, uint dm, uint ds, uint mm, uint ms, uint m)
{
    uint q = rill_div(uint(i) * step + start, dm, ds);
    return int(q - rill_div(q, mm, ms) * m);
}
int rill_clamp(int i, int n) { return clamp(i, 0, n - 1); }
int rill_wrap(int i, int n) { return i >= 0 ? i % n : n - 1 - (-1 - i) % n; }
int rill_mirror(int i, int n)
{
    uint m = uint(n), t = i >= 0 ? uint(i) % (2u * m) : 2u * m - 1u - uint(-1 - i) % (2u * m);
    return int(t < m ? t : 2u * m - 1u - t);
}
int rill_near(int x, int period)
{
    bool far = x != clamp(x, -1073741824, 1073741823);
    int m = far && period > 0 ? rill_wrap(x, period) : 0;
    return !far ? x : period > 0 ? (m > 1073741823 ? m - period : m) : clamp(x, -1073741824, 1073741823);
}
bool rill_never() { return false; }
bool rill_exit(bool b) { return rill_own(int(b)) != 0; }
layout(binding = 0) uniform usamplerBuffer tex_x;
layout(std430, binding = 1) buffer Out_r { uvec4 out_r[]; };
bool rill_live() { return uint(rill_e) < rill_p[0].x; }

void u_f(float u_x, out float u_r)
{
    u_r = float(0); precise float u_y = u_x * 2.0; u_r = u_y; }


void main()
{
    int b_x = int(rill_p[1].w);
    int o_r = int(rill_p[2].y);
    int rill_part = int(8u * rill_p[0].w), rill_start = int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * rill_part;
    int rill_end = min(int(rill_p[0].y), rill_start + rill_part);
    for (int rill_n = rill_start + int(gl_LocalInvocationID.x); rill_n < rill_end; rill_n += 8) {
        uvec4 f_x_0 = texelFetch(tex_x, b_x + rill_n * 4 + 0);
        uvec4 f_x_1 = texelFetch(tex_x, b_x + rill_n * 4 + 1);
        uvec4 f_x_2 = texelFetch(tex_x, b_x + rill_n * 4 + 2);
        uvec4 f_x_3 = texelFetch(tex_x, b_x + rill_n * 4 + 3);
        uint w_r_0, w_r_1, w_r_2, w_r_3, w_r_4, w_r_5, w_r_6, w_r_7, w_r_8, w_r_9, w_r_10, w_r_11, w_r_12, w_r_13, w_r_14, w_r_15;
        {
        rill_e = rill_n * 16 + 0;
        rill_d0 = rill_e;
        float v_x = float(uintBitsToFloat(f_x_0.x));
        float v_r = float(0);
        u_f(v_x, v_r);
        w_r_0 = floatBitsToUint(v_r);
        }
        {
        rill_e = rill_n * 16 + 1;
        rill_d0 = rill_e;
        float v_x = float(uintBitsToFloat(f_x_0.y));
        float v_r = float(0);
        u_f(v_x, v_r);
        w_r_1 = floatBitsToUint(v_r);
        }
        {
        rill_e = rill_n * 16 + 2;
        rill_d0 = rill_e;
        float v_x = float(uintBitsToFloat(f_x_0.z));
        float v_r = float(0);
        u_f(v_x, v_r);
        w_r_2 = floatBitsToUint(v_r);
        }
        {
        rill_e = rill_n * 16 + 3;
        rill_d0 = rill_e;
        float v_x = float(uintBitsToFloat(f_x_0.w));
        float v_r = float(0);
        u_f(v_x, v_r);
        w_r_3 = floatBitsToUint(v_r);
        }
        {
        rill_e = rill_n * 16 + 4;
        rill_d0 = rill_e;
        float v_x = float(uintBitsToFloat(f_x_1.x));
        float v_r = float(0);
        u_f(v_x, v_r);
        w_r_4 = floatBitsToUint(v_r);
        }
        {
        rill_e = rill_n * 16 + 5;
        rill_d0 = rill_e;
        float v_x = float(uintBitsToFloat(f_x_1.y));
        float v_r = float(0);
        u_f(v_x, v_r);
        w_r_5 = floatBitsToUint(v_r);
        }
        {
        rill_e = rill_n * 16 + 6;
        rill_d0 = rill_e;
        float v_x = float(uintBitsToFloat(f_x_1.z));
        float v_r = float(0);
        u_f(v_x, v_r);
        w_r_6 = floatBitsToUint(v_r);
        }
        {
        rill_e = rill_n * 16 + 7;
        rill_d0 = rill_e;
        float v_x = float(uintBitsToFloat(f_x_1.w));
        float v_r = float(0);
        u_f(v_x, v_r);
        w_r_7 = floatBitsToUint(v_r);
        }
        {
        rill_e = rill_n * 16 + 8;
        rill_d0 = rill_e;
        float v_x = float(uintBitsToFloat(f_x_2.x));
        float v_r = float(0);
        u_f(v_x, v_r);
        w_r_8 = floatBitsToUint(v_r);
        }
        {
        rill_e = rill_n * 16 + 9;
        rill_d0 = rill_e;
        float v_x = float(uintBitsToFloat(f_x_2.y));
        float v_r = float(0);
        u_f(v_x, v_r);
        w_r_9 = floatBitsToUint(v_r);
        }
        {
        rill_e = rill_n * 16 + 10;
        rill_d0 = rill_e;
        float v_x = float(uintBitsToFloat(f_x_2.z));
        float v_r = float(0);
        u_f(v_x, v_r);
        w_r_10 = floatBitsToUint(v_r);
        }
        {
        rill_e = rill_n * 16 + 11;
        rill_d0 = rill_e;
        float v_x = float(uintBitsToFloat(f_x_2.w));
        float v_r = float(0);
        u_f(v_x, v_r);
        w_r_11 = floatBitsToUint(v_r);
        }
        {
        rill_e = rill_n * 16 + 12;
        rill_d0 = rill_e;
        float v_x = float(uintBitsToFloat(f_x_3.x));
        float v_r = float(0);
        u_f(v_x, v_r);
        w_r_12 = floatBitsToUint(v_r);
        }
        {
        rill_e = rill_n * 16 + 13;
        rill_d0 = rill_e;
        float v_x = float(uintBitsToFloat(f_x_3.y));
        float v_r = float(0);
        u_f(v_x, v_r);
        w_r_13 = floatBitsToUint(v_r);
        }
        {
        rill_e = rill_n * 16 + 14;
        rill_d0 = rill_e;
        float v_x = float(uintBitsToFloat(f_x_3.z));
        float v_r = float(0);
        u_f(v_x, v_r);
        w_r_14 = floatBitsToUint(v_r);
        }
        {
        rill_e = rill_n * 16 + 15;
        rill_d0 = rill_e;
        float v_x = float(uintBitsToFloat(f_x_3.w));
        float v_r = float(0);
        u_f(v_x, v_r);
        w_r_15 = floatBitsToUint(v_r);
        }
        out_r[o_r + rill_n * 4 + 0] = uvec4(w_r_0, w_r_1, w_r_2, w_r_3);
        out_r[o_r + rill_n * 4 + 1] = uvec4(w_r_4, w_r_5, w_r_6, w_r_7);
        out_r[o_r + rill_n * 4 + 2] = uvec4(w_r_8, w_r_9, w_r_10, w_r_11);
        out_r[o_r + rill_n * 4 + 3] = uvec4(w_r_12, w_r_13, w_r_14, w_r_15);
    }
}
