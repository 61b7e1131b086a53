-- Smoothing kernels of a bounded support h (chapter 28.7.2), in GLSL: functions of q = d / h, 0 to 1 and zero beyond, which the solver's texts call.
-- W(d) = norm / h^D weight(q), and the gradient of W at r is norm / h^(D + 2) slope(q) r, slope being the derivative of weight divided by q.
--
-- spiky: the chapter's; poly6: Müller, Charypar, Gross 2003; cubic: Monaghan's spline of 1992, whose smoothing length is h / 2. The norms of two
-- dimensions make the integral over the disc 1, as those of three that over the ball.
local smoothing = {}

local TEXTS <const> = {
    spiky = [[
        float weight(float q) { float a = max(1.0 - q, 0.0); return a * a * a; }
        float slope(float q) { float a = max(1.0 - q, 0.0); return -3.0 * a * a / max(q, 1e-6); }
    ]],
    poly6 = [[
        float weight(float q) { float a = max(1.0 - q * q, 0.0); return a * a * a; }
        float slope(float q) { float a = max(1.0 - q * q, 0.0); return -6.0 * a * a; }
    ]],
    cubic = [[
        float weight(float q) {
            float a = max(2.0 - 2.0 * q, 0.0), b = max(1.0 - 2.0 * q, 0.0);
            return 0.25 * (a * a * a - 4.0 * b * b * b);
        }
        float slope(float q) {
            float a = max(2.0 - 2.0 * q, 0.0), b = max(1.0 - 2.0 * q, 0.0);
            return -1.5 * (a * a - 4.0 * b * b) / max(q, 1e-6);
        }
    ]],
}

local NORMS <const> = {
    spiky = {[2] = 10 / math.pi, [3] = 15 / math.pi},
    poly6 = {[2] = 4 / math.pi, [3] = 315 / (64 * math.pi)},
    cubic = {[2] = 40 / (7 * math.pi), [3] = 8 / math.pi},
}

-- What viscosity weighs differences of velocities by: the Laplacian of W is norm / h^(D + 2) bend(q). "linear" is h - d, positive everywhere, with the
-- norm that makes the Laplacian of a quadratic field exact. "printed" is the Laplacian of the printed spiky kernel, below 0 for q < 1/2 (1/3 in two
-- dimensions): pairs as close as that are driven apart in velocity, which makes energy of nothing.
local BENDS <const> = {
    linear = {[2] = "max(1.0 - q, 0.0)", [3] = "max(1.0 - q, 0.0)"},
    printed = {
        [2] = "3.0 * max(1.0 - q, 0.0) * (3.0 * q - 1.0) / max(q, 1e-6)",
        [3] = "6.0 * max(1.0 - q, 0.0) * (2.0 * q - 1.0) / max(q, 1e-6)",
    },
}
local BEND_NORMS <const> = {
    linear = {[2] = 40 / math.pi, [3] = 45 / math.pi}, printed = NORMS.spiky,
}

--- smoothing.kernels, smoothing.laplacians: the names there are, as keys.
smoothing.kernels, smoothing.laplacians = TEXTS, BENDS

--- smoothing.text(kernel, laplacian, dimensions): the functions weight, slope and bend.
function smoothing.text(kernel, laplacian, dimensions)
    return ("%s\n float bend(float q) { return %s; }\n"):format(TEXTS[kernel], BENDS[laplacian][dimensions])
end

--- smoothing.norms(kernel, laplacian, dimensions, h): what weight, slope and bend are multiplied by for a support of h.
function smoothing.norms(kernel, laplacian, dimensions, h)
    local norm = NORMS[kernel][dimensions]
    return norm / h ^ dimensions, norm / h ^ (dimensions + 2),
        BEND_NORMS[laplacian][dimensions] / h ^ (dimensions + 2)
end

return smoothing
