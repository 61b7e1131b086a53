-- rill.image.gaussian and rill.image.bilateral.
local option = require "rill.core.options"
local picture = require "rill.image.arguments"
local kernels <const> = require "rill.glsl.template".file "smooth"
local weighted = require "rill.image.kernel_sum"

local smooth = {}

local MOST_SIGMA <const> = 1e5
-- The window of this radius has about 40,000 pixels: some devices terminate loops after about 65,000 iterations.
local MOST_RADIUS <const> = 100
local UNROLLED <const> = 7 -- the largest radius whose loops the driver's compiler may unroll

--- smooth.weights(sigma) returns the weights of rill.image.gaussian, up to the radius ceil(3 sigma). Their sum is 1.
function smooth.weights(sigma)
    local radius, weights, total = math.ceil(3 * sigma), {}, 0
    for k = -radius, radius do
        local w = k == 0 and 1 or math.exp(-0.5 * (k / sigma) ^ 2)
        weights[#weights + 1], total = w, total + w
    end
    for i, w in ipairs(weights) do
        weights[i] = w / total
    end
    return weights
end

--- rill.image.gaussian(s, sigma) returns `s` smoothed by a Gaussian of standard deviation `sigma`, in pixels, up to the
-- radius ceil(3 sigma). The boundary of `s` applies. Default: "clamp".
smooth.gaussian = picture.filter("gaussian", function(s, type, where, sigma)
    sigma = picture.number(where, 2, "sigma", sigma, 0.0, MOST_SIGMA)
    local weights = smooth.weights(sigma)
    return weighted.cross(s, type, weights, weights)
end)

-- ---- bilateral

local LARGEST <const> = 2.0 ^ 128 - 2.0 ^ 104 -- the largest float
local NARROW <const> = 1e-3 -- pixels: with this or a smaller deviation the weight of the next pixel is 0
local BILATERAL <const> = {
    radius = {function(v) return math.type(v) == "integer" and v >= 0 and v <= MOST_RADIUS end,
        ("a whole number from 0 to %d"):format(MOST_RADIUS)},
    sigma_space = option.number(0.0, MOST_SIGMA, nil, true),
    sigma_range = option.number(0.0, 1e30, nil, true),
}

local specialized = {}
local function written_out(type, radius)
    local key = type .. radius
    specialized[key] = specialized[key] or kernels:kernel {T = type}:specialize {radius = radius}
    return specialized[key]
end

-- Returns the factor for a distance before it is squared, since squares of values may overflow a float. It is not
-- infinite, since infinity times 0 is NaN.
local function falloff(sigma)
    return math.min(math.sqrt(0.5) / sigma, LARGEST)
end

--- rill.image.bilateral(s, {sigma_space=, sigma_range= [, radius=]}) returns the weighted mean of the (2 radius + 1)^2
-- pixels around each pixel. The weight of a neighbor is exp(-d^2 / (2 sigma_space^2)) of its distance d in pixels,
-- times the same function with `sigma_range` of its difference in value, for vectors the length of the difference
-- (Tomasi and Manduchi, "Bilateral filtering for gray and color images", 1998). Default of radius: ceil(3 sigma_space),
-- at most 100.
smooth.bilateral = picture.filter("bilateral", function(s, type, where, options)
    local o = option.take(where, options, BILATERAL)
    local radius = o.radius or math.min(MOST_RADIUS, math.ceil(3 * o.sigma_space))
    local space, range = -falloff(math.max(o.sigma_space, NARROW)) ^ 2, falloff(o.sigma_range)
    if radius <= UNROLLED then
        return written_out(type, radius)(s, space, range)
    end
    return kernels:kernel {T = type}(s, radius, space, range)
end)

return smooth
