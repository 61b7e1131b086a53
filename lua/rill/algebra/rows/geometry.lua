-- Geometry: vectors as a whole, of which a plain number is one of one component; units of angles. define.lua says what a row is made of.
local define = require("rill.algebra.define").row

-- Lengths are in range and accurate wherever the squares of components are not.
define("length", "v", "geometry", {
    doc = "the length of each vector", any = "@@length", result = "scalar", number = math.abs,
    text = [[T @@length(V v) {
    T s = @@scale(v);
    return length(v * s) / s;
}]],
})
define("distance", "a b", "geometry", {
    doc = "the length of a - b", any = "@@distance", result = "scalar",
    text = "T @@distance(V a, V b) { return @@length(a - b); }",
    number = function(a, b) return math.abs(a - b) end,
})
define("dot", "a b", "geometry", {
    doc = "the dot product of each pair of elements; s:dot(t) is one number", any = "dot($1, $2)", result = "scalar",
    number = function(a, b) return a * b end,
})
define("cross", "a b", "geometry", {doc = "the cross product of vec3s", any = "cross($1, $2)", only = 3})
define("normalize", "v", "geometry", {
    doc = "v / length(v)", any = "@@normalize",
    text = [[V @@normalize(V v) {
    V w = v * @@scale(v);
    return w / length(w);
}]],
    number = function(v) return v > 0 and 1.0 or v < 0 and -1.0 or v end,
})
define("reflect", "incident normal", "geometry", {
    doc = "incident mirrored at the plane of a unit normal", any = "reflect($1, $2)",
})
define("refract", "incident normal eta", "refract", {
    doc = "incident refracted at the plane of a unit normal", any = "refract($1, $2, $3)",
})

define("radians", "x", "real", {
    doc = "degrees to radians", number = math.rad,
    float = "$1 * $T(0.017453292519943295)", double = "$1 * $T(0.017453292519943295LF)",
})
define("degrees", "x", "real", {
    doc = "radians to degrees", number = math.deg,
    float = "$1 * $T(57.29577951308232)", double = "$1 * $T(57.29577951308232LF)",
})
