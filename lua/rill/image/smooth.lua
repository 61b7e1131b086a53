-- Smoothing: rill.image.gaussian.
local blame = require "rill.support.blame"
local picture = require "rill.image.picture"
local weighted = require "rill.image.weighted"

local smooth = {}

local MOST_SIGMA <const> = 1e5

local function gauss(sigma)
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
smooth.gaussian = blame.guard(function(s, sigma)
    local where <const> = "rill.image.gaussian"
    local type
    s, type = picture.take(where, s)
    sigma = picture.number(where, 2, "sigma", sigma, 0.0, MOST_SIGMA)
    local weights = gauss(sigma)
    return weighted.cross(s, type, weights, weights)
end, "rill.image.gaussian")

return smooth
