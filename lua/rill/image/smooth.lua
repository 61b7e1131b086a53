-- Smoothing: rill.image.gaussian and rill.image.bilateral.
local option = require "rill.core.options"
local picture = require "rill.image.arguments"
local kernels <const> = require "rill.glsl.template".file "smooth"
local weighted = require "rill.image.kernel_sum"

local smooth = {}

local MOST_SIGMA <const> = 1e5
local MOST_RADIUS <const> = 100 -- a window has some 40,000 pixels then: some devices cut loops short that make some 65,000 trips
local UNROLLED <const> = 7 -- the largest radius whose loops the driver's compiler may write out

--- rill.image.gaussian's weights: of deviation sigma, up to a radius of ceil(3 sigma), 1 in all.
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

--- rill.image.gaussian(s, sigma): a new picture, s weighed by Gauss's function of deviation sigma, in pixels, cut at a radius of ceil(3 sigma). Outside
-- is what s says (s:boundary), its border unless told.
smooth.gaussian = picture.filter("gaussian", function(s, type, where, sigma)
    sigma = picture.number(where, 2, "sigma", sigma, 0.0, MOST_SIGMA)
    local weights = smooth.weights(sigma)
    return weighted.cross(s, type, weights, weights)
end)

-- ---- bilateral

local LARGEST <const> = 2.0 ^ 128 - 2.0 ^ 104 -- float
local NARROW <const> = 1e-3 -- pixels: of a narrower weight the next pixel has none either
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

-- What a distance is multiplied by before it is squared: squares of values may be beyond floats. Not infinity, whose product with 0 is NaN.
local function falloff(sigma)
    return math.min(math.sqrt(0.5) / sigma, LARGEST)
end

--- rill.image.bilateral(s, {sigma_space=, sigma_range= [, radius=]}): a new picture, the mean of the (2 radius + 1)^2 pixels around each, weighed
-- by exp(-d^2 / (2 sigma_space^2)) of their distance d in pixels, and by the same of sigma_range and how far their values are apart, of vectors the length of
-- the difference (Tomasi and Manduchi, "Bilateral filtering for gray and color images", 1998). The radius is ceil(3 sigma_space) unless told.
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
