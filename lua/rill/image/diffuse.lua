-- rill.image.diffuse: anisotropic diffusion (Perona and Malik, "Scale-space and edge detection using anisotropic diffusion", 1990), their scheme of four
-- neighbours. What flows from a pixel to the next is, to the bit, what arrives there, so that only rounding changes the mean.
local option = require "rill.core.options"
local picture = require "rill.image.arguments"
local kernels <const> = require "rill.glsl.template".file "diffuse"

local OPTIONS <const> = {
    k = option.number(0.0, 1e18, nil, true), steps = option.number(0, 1000000, 20),
    step = option.number(0.0, 0.25, 0.2), conductance = option.choice({"exp", "quotient"}, "exp"),
}

local LARGEST <const> = 2.0 ^ 128 - 2.0 ^ 104 -- float: of 1 / k where k is 0 or nearly so, since infinity times 0 is NaN

local CONDUCTANCES <const> = {exp = "exp(-q * q)", quotient = "1.0 / (1.0 + q * q)"}

--- rill.image.diffuse(s, {k= [, steps=, step=, conductance=]}): s after so many steps (20 unless told) of length `step` (0.2; at most 0.25) of diffusion
-- that stops at edges, where neighbours differ by more than k: the conductance of a difference d is exp(-(d / k)^2) ("exp") or 1 / (1 + (d / k)^2) ("quotient").
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
