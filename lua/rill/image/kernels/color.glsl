// sRGB: IEC 61966-2-1. Lab: CIE 1976 with the white point D65. YCbCr: ITU-R BT.601 in full range, as in JFIF. Gray: the weights of Rec. 709.
float encode1(float x) { return x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1.0 / 2.4) - 0.055; }
float decode1(float x) { return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4); }
vec3 encode(vec3 c) { return vec3(encode1(c.x), encode1(c.y), encode1(c.z)); }
vec3 decode(vec3 c) { return vec3(decode1(c.x), decode1(c.y), decode1(c.z)); }

float bend(float t) { return t > 216.0 / 24389.0 ? pow(t, 1.0 / 3.0) : t * (841.0 / 108.0) + 4.0 / 29.0; }
float unbend(float f) { return f > 6.0 / 29.0 ? f * f * f : (f - 4.0 / 29.0) * (108.0 / 841.0); }
vec3 to_lab(vec3 c) {
    float x = dot(c, vec3(0.4124564, 0.3575761, 0.1804375)) / 0.95047;
    float y = dot(c, vec3(0.2126729, 0.7151522, 0.0721750));
    float z = dot(c, vec3(0.0193339, 0.1191920, 0.9503041)) / 1.08883;
    x = bend(x); y = bend(y); z = bend(z);
    return vec3(116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z));
}
vec3 from_lab(vec3 c) {
    float y = (c.x + 16.0) / 116.0, x = y + c.y / 500.0, z = y - c.z / 200.0;
    vec3 w = vec3(0.95047 * unbend(x), unbend(y), 1.08883 * unbend(z));
    return vec3(dot(w, vec3(3.2404542, -1.5371385, -0.4985314)), dot(w, vec3(-0.9692660, 1.8760108, 0.0415560)),
        dot(w, vec3(0.0556434, -0.2040259, 1.0572252)));
}

// The saturation is spread / value, which is negative if no component is positive. A value that is 0, or small compared
// with the spread, is replaced by one that is negligible, so that the saturation is finite.
vec3 to_hsv(vec3 c) {
    if (any(isnan(c))) return vec3(c.x + c.y + c.z);
    float most = max(c.x, max(c.y, c.z)), spread = most - min(c.x, min(c.y, c.z)), h = 0.0;
    if (spread > 0.0) {
        h = most == c.x ? (c.y - c.z) / spread : most == c.y ? 2.0 + (c.z - c.x) / spread : 4.0 + (c.x - c.y) / spread;
        h = (h < 0.0 ? h + 6.0 : h) / 6.0;
        float least = max(spread * 8.673617379884035e-19, 1.1754943508222875e-38); // 2^-60, 2^-126
        most = abs(most) >= least ? most : least;
    }
    return vec3(h, spread > 0.0 ? spread / most : 0.0, most);
}
vec3 from_hsv(vec3 c) {
    if (isnan(c.x)) return vec3(c.x);
    vec3 k = 6.0 * fract(c.x + vec3(0.0, 2.0 / 3.0, 1.0 / 3.0));
    return c.z * (1.0 - c.y * (1.0 - clamp(abs(k - 3.0) - 1.0, 0.0, 1.0)));
}

vec3 to_ycbcr(vec3 c) {
    float y = dot(c, vec3(0.299, 0.587, 0.114));
    return vec3(y, (c.z - y) / 1.772 + 0.5, (c.x - y) / 1.402 + 0.5);
}
vec3 from_ycbcr(vec3 c) {
    float r = c.x + 1.402 * (c.z - 0.5), b = c.x + 1.772 * (c.y - 0.5);
    return vec3(r, (c.x - 0.299 * r - 0.114 * b) / 0.587, b);
}

float to_gray(vec3 c) { return dot(c, vec3(0.2126, 0.7152, 0.0722)); }
vec3 from_gray(float x) { return vec3(x); }
kernel void convert($from p<>, out $to r<>) { r = $value; }
