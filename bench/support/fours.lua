-- The kernels of the paper's Table 1, whose results are more than one float4: for bench/brook/outputs.lua, and for its peer, which runs them with one output per
-- pass.
local rill = require "rill"

local fours = {}

fours.text = [[
    kernel void mat4mult(vec4 a0<>, vec4 a1<>, vec4 a2<>, vec4 a3<>, vec4 b0<>, vec4 b1<>, vec4 b2<>, vec4 b3<>,
                         out vec4 r0<>, out vec4 r1<>, out vec4 r2<>, out vec4 r3<>) {
        r0 = a0.x * b0 + a0.y * b1 + a0.z * b2 + a0.w * b3;
        r1 = a1.x * b0 + a1.y * b1 + a1.z * b2 + a1.w * b3;
        r2 = a2.x * b0 + a2.y * b1 + a2.z * b2 + a2.w * b3;
        r3 = a3.x * b0 + a3.y * b1 + a3.z * b2 + a3.w * b3;
    }

    // Particles are connected by springs to their four neighbors. At an edge the missing spring has no force.
    vec4 spring(vec4 here, vec4 there, float stiffness, float rest) {
        vec4 d = there - here;
        return d * (stiffness * (1.0 - rest * inversesqrt(max(dot(d, d), 1e-12))));
    }
    kernel void cloth(neighbor vec4 x<>, vec4 v<>, float stiffness, float rest, float dt, out vec4 x1<>, out vec4 v1<>) {
        vec4 here = x[0];
        vec4 force = spring(here, x[ivec2(-1, 0)], stiffness, rest) + spring(here, x[ivec2(1, 0)], stiffness, rest) +
            spring(here, x[ivec2(0, -1)], stiffness, rest) + spring(here, x[ivec2(0, 1)], stiffness, rest);
        v1 = v + dt * (force + vec4(0.0, -9.81, 0.0, 0.0) - 0.1 * v);
        x1 = here + dt * v1;
    }
]]

fours.matrices, fours.side = 1 << 18, 1024
fours.stiffness, fours.rest, fours.dt = 40.0, 0.9, 0.01

--- fours.cases(): returns cases by name, each with `kernel`, `arguments` in order, `outputs`, and `run`.
function fours.cases()
    local k = rill.program(fours.text)
    local rows, products = {}, {}
    for i = 1, 8 do rows[i] = rill.random(fours.matrices, {type = "vec4", seed = i, low = -1}) end
    for i = 1, 4 do products[i] = rill.stream("vec4", fours.matrices) end
    local all = table.move(products, 1, 4, 9, table.move(rows, 1, 8, 1, {}))
    local shape = {fours.side, fours.side}
    local still = rill.kernel [[
        kernel void still(vec4 shift<>, out vec4 x<>) { x = vec4(vec2(indexof(x).xy) + 0.2 * shift.xy, 0.2 * shift.z, 1.0); }
    ]]
    local slow = rill.kernel "kernel void slow(vec4 x<>, out vec4 v<>) { v = vec4(x.xyz - 0.5, 0.0); }"
    local x = still(rill.random(shape, {type = "vec4", seed = 21}))
    local v = slow(rill.random(shape, {type = "vec4", seed = 22}))
    local x1, v1 = x:like(), v:like()
    local function case(kernel, arguments, inputs, outputs)
        return {kernel = kernel, arguments = arguments, inputs = inputs, outputs = outputs,
            run = function() kernel(table.unpack(arguments)) end}
    end
    return {
        mat4mult = case(k.mat4mult, all, rows, products),
        cloth = case(k.cloth, {x, v, fours.stiffness, fours.rest, fours.dt, x1, v1}, {x, v}, {x1, v1}),
    }
end

return fours
