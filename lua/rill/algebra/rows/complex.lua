-- Defines the functions of complex numbers, vectors of two components: see shaders/functions/complex.glsl. A function
-- with the complex derivative d has the adjoint g conj(d). define.lua describes the fields of a row.
local define = require("rill.algebra.define").row

define("cmul", "a b", "complex", {
    derivative = {"rill.cmul(g, rill.conj(b))", "rill.cmul(g, rill.conj(a))"},
    doc = "the product of complex numbers", any = "cmul($1, $2)",
})
define("cdiv", "a b", "complex", {
    derivative = {"rill.cdiv(g, rill.conj(b))", "-rill.cdiv(rill.cmul(g, rill.conj(y)), rill.conj(b))"},
    doc = "the quotient of complex numbers", any = "cdiv($1, $2)",
})
define("conj", "z", "complex", {
    derivative = {"rill.conj(g)"},
    doc = "the conjugate of complex numbers", any = "conj($1)",
})
define("cabs", "z", "complex", {
    derivative = {"rill.where(y:eq(0), 0, g / y) * a"},
    doc = "the magnitude of complex numbers", any = "cabs($1)", result = "scalar",
})
define("cangle", "z", "complex", {
    derivative = {"g / rill.cabs(a) * (rill.vec2(-a.y, a.x) / rill.cabs(a))"},
    doc = "the phase of complex numbers, from -pi to pi", any = "cangle($1)", result = "scalar",
})
define("cexp", "z", "complex", {
    derivative = {"rill.cmul(g, rill.conj(y))"},
    doc = "e to the power of complex numbers", any = "cexp($1)",
})
