-- Smoothing kernels of a bounded support h (chapter 28.7.2), in GLSL: functions of q = d / h, 0 to 1 and zero beyond, which the solver's texts call.
-- W(d) = norm / h^D weight(q), and the gradient of W at r is norm / h^(D + 2) slope(q) r, slope being the derivative of weight divided by q.
--
-- spiky: the chapter's; poly6: Müller, Charypar, Gross 2003; cubic: Monaghan's spline of 1992, whose smoothing length is h / 2. The norms of two
-- dimensions make the integral over the disc 1, as those of three that over the ball.
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

--- smoothing.kernels, smoothing.laplacians: the names there are, as keys.
smoothing.kernels, smoothing.laplacians = NORMS, BEND_NORMS

-- The functions weight, slope and bend, by the values kernel and laplacian.
template.snippet("smoothing", template.file "smoothing")

--- smoothing.norms(kernel, laplacian, dimensions, h): what weight, slope and bend are multiplied by for a support of h.
function smoothing.norms(kernel, laplacian, dimensions, h)
    local norm = NORMS[kernel][dimensions]
    return norm / h ^ dimensions, norm / h ^ (dimensions + 2),
        BEND_NORMS[laplacian][dimensions] / h ^ (dimensions + 2)
end

return smoothing
