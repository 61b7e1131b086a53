-- Smoothing kernels with support h (chapter 28.7.2): GLSL functions of q = d / h, from 0 to 1 and zero beyond. W(d) =
-- norm / h^D weight(q). The gradient of W at r is norm / h^(D + 2) slope(q) r, where slope is the derivative of
-- weight divided by q.
--
-- spiky: the chapter's; poly6: Müller, Charypar, Gross 2003; cubic: Monaghan's spline of 1992, whose smoothing length
-- is h / 2. The norms make the integral over the disc (two dimensions) or the ball (three dimensions) 1.
local template = require "rill.glsl.template"

local smoothing = {}

local NORMS <const> = {
    spiky = {[2] = 10 / math.pi, [3] = 15 / math.pi},
    poly6 = {[2] = 4 / math.pi, [3] = 315 / (64 * math.pi)},
    cubic = {[2] = 40 / (7 * math.pi), [3] = 8 / math.pi},
}

local BEND_NORMS <const> = {
    linear = {[2] = 40 / math.pi, [3] = 45 / math.pi}, printed = NORMS.spiky,
}

--- smoothing.kernels, smoothing.laplacians: the values of the options, as keys.
smoothing.kernels, smoothing.laplacians = NORMS, BEND_NORMS

-- Defines the functions weight, slope and bend for the values kernel and laplacian.
template.snippet("smoothing", template.file "smoothing")

--- smoothing.norms(kernel, laplacian, dimensions, h) returns the factors of weight, slope and bend for a support h.
function smoothing.norms(kernel, laplacian, dimensions, h)
    local norm = NORMS[kernel][dimensions]
    return norm / h ^ dimensions, norm / h ^ (dimensions + 2),
        BEND_NORMS[laplacian][dimensions] / h ^ (dimensions + 2)
end

return smoothing
