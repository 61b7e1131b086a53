$section(direct)
// r[i] is the sum over k of a[i + low + k] b[way k + last]. `element`: the type of a, which is a vector or the type of b.
kernel void convolve($element a$brackets, $real b$brackets, ivec4 low, ivec4 size, ivec4 last, int way, out $element r<>) {
    ivec4 i = indexof(r) + low, k = ivec4(0);
    r = $element(0);
    $for(c, axes){for (k.$c = 0; k.$c < size.$c; k.$c++) }
        r += a[$place(i + k)$first] * b[$place(k * way + last)$first];
}

$section(place)
// r[i] is s[way i + low], with the boundary mode of s; one component if s has vectors.
kernel void place($element s$brackets, ivec4 low, int way, out $real r<>) {
    r = s[$place(indexof(r) * way + low)$first]$component;
}

$section(vector)
kernel void vector($for(n, names, ", "){$real $n<>}, out $element r<>) { r = $element($for(n, names, ", "){$n}); }

$section(join)
kernel void join($C x<>, $C y<>, out $C r<>) { r = $C(x.x * y.x + x.y * y.y, x.y * y.x - x.x * y.y); }
