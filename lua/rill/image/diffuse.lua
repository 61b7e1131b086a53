-- rill.image.diffuse: anisotropic diffusion (Perona and Malik, "Scale-space and edge detection using anisotropic
-- diffusion", 1990), with their scheme of four neighbors. The flow out of a pixel equals the flow into its neighbor bit
-- for bit, so only rounding of the sums changes the mean.
local option = require "rill.core.options"
local picture = require "rill.image.arguments"
local kernels <const> = require "rill.glsl.template".file "diffuse"

local OPTIONS <const> = {
    k = option.number(0.0, 1e18, nil, true), steps = option.number(0, 1000000, 20),
    step = option.number(0.0, 0.25, 0.2), conductance = option.choice({"exp", "quotient"}, "exp"),
}

-- The largest float: bounds 1 / k for tiny k, since infinity times 0 is NaN.
local LARGEST <const> = 2.0 ^ 128 - 2.0 ^ 104

local CONDUCTANCES <const> = {exp = "exp(-q * q)", quotient = "1.0 / (1.0 + q * q)"}

--- rill.image.diffuse(s, {k= [, steps=, step=, conductance=]}) returns `s` after `steps` (default: 20) steps of length
-- `step` (default: 0.2, at most 0.25) of diffusion that stops at edges, where neighbors differ by more than `k`. The
-- conductance of a difference d is exp(-(d / k)^2) ("exp", the default) or 1 / (1 + (d / k)^2) ("quotient").
local function diffuse(s, type, where, options)
    local o = option.take(where, options, OPTIONS)
    local kernel = kernels:kernel {T = type, conductance = CONDUCTANCES[o.conductance]}
    local scale, u, spare = math.min(1 / o.k, LARGEST), s, nil
    for _ = 1, o.steps do
        local next = picture.with_border(kernel(scale, o.step, u, spare), s)
        u, spare = next, u ~= s and u or nil
    end
    if spare then spare:close() end
    return u == s and s:cast(type) or u
end

return {diffuse = picture.filter("diffuse", diffuse)}
