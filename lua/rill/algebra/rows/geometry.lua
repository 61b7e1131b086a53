-- Defines the functions of vectors (a number is a vector of one component) and the conversions of angles. define.lua
-- describes the fields of a row.
local define = require("rill.algebra.define").row

-- Lengths are finite and accurate even if the squares of the components overflow or underflow.
define("length", "v", "geometry", {
    derivative = {"rill.where(y:eq(0), 0, g / y) * a"},
    doc = "the length of each vector", any = "@@length", result = "scalar", number = math.abs,
    text = [[T @@length(V v) {
    T s = @@scale(v);
    return length(v * s) / s;
}]],
})
define("distance", "a b", "geometry", {
    derivative = {"rill.where(y:eq(0), 0, g / y) * (a - b)", "rill.where(y:eq(0), 0, g / y) * (b - a)"},
    doc = "the length of a - b", any = "@@distance", result = "scalar",
    text = "T @@distance(V a, V b) { return @@length(a - b); }",
    number = function(a, b) return math.abs(a - b) end,
})
define("dot", "a b", "geometry", {
    derivative = {"g * b", "g * a"},
    doc = "the dot product of each pair of vectors; s:dot(t) is one number", any = "dot($1, $2)", result = "scalar",
    number = function(a, b) return a * b end,
})
define("cross", "a b", "geometry", {
    doc = "the cross product of vec3s", any = "cross($1, $2)", only = 3,
    derivative = {"rill.cross(b, g)", "rill.cross(g, a)"},
})
define("normalize", "v", "geometry", {
    derivative = {"(g - y * rill.dot(y, g)) / rill.length(a)"},
    doc = "v / length(v)", any = "@@normalize",
    text = [[V @@normalize(V v) {
    V w = v * @@scale(v);
    return w / length(w);
}]],
    number = function(v) return v > 0 and 1.0 or v < 0 and -1.0 or v end,
})
define("reflect", "incident normal", "geometry", {
    derivative = {"g - 2 * rill.dot(b, g) * b", "-2 * (rill.dot(b, a) * g + rill.dot(b, g) * a)"},
    doc = "reflects incident at the plane with this unit normal", any = "reflect($1, $2)",
})
define("refract", "incident normal eta", "refract", {
    doc = "refracts incident at the plane with this unit normal; eta: ratio of refractive indices",
    any = "refract($1, $2, $3)",
})

define("radians", "x", "real", {
    derivative = {"0.017453292519943295 * g"},
    doc = "converts degrees to radians", number = math.rad,
    float = "$1 * $T(0.017453292519943295)", double = "$1 * $T(0.017453292519943295LF)",
})
define("degrees", "x", "real", {
    derivative = {"57.29577951308232 * g"},
    doc = "converts radians to degrees", number = math.deg,
    float = "$1 * $T(57.29577951308232)", double = "$1 * $T(57.29577951308232LF)",
})
