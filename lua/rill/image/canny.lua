-- rill.image.canny: edges one pixel wide (Canny, "A computational approach to edge detection", 1986). Union-find
-- determines which weak edges are connected to a strong one, in one launch over all pixels whatever the shape of the
-- edges (Playne and Hawick, "A new algorithm for parallel connected-component labelling on GPUs", 2018). Nothing is
-- read back.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local picture = require "rill.image.arguments"
local smooth = require "rill.image.smooth"
local template = require "rill.glsl.template"
local weighted = require "rill.image.kernel_sum"
local fail <const> = errors.fail
local kernels <const> = template.sections "canny"

local LIGHT <const> = template.new [=[
    kernel void light($T p<>, out float r<>) { r = dot(p.rgb, vec3(0.2126, 0.7152, 0.0722)); }
]=]

local function keep_strong(marks)
    local hysteresis <const> = kernels.hysteresis:program()
    local parent <close> = rill.iota(marks.size)
    local strong <close> = rill.stream("int", marks.size)
    hysteresis.unite(marks, marks, parent)
    local root <close> = hysteresis.roots(marks, parent, nil, strong)
    return hysteresis.kept(marks, root, strong)
end

local function marks_of(light, o)
    local size, direction = kernels.gradient:kernel()(light)
    local bounded <close> = size:boundary "zero"
    local marks = kernels.ridges:kernel()(bounded, direction, o.low ^ 2, o.high ^ 2)
    size:close()
    direction:close()
    return marks
end

local OPTIONS <const> = {
    sigma = option.number(0.0, 1e5, 1.4), low = option.number(0.0, 1e15, 0.04), high = option.number(0.0, 1e15, 0.1),
}

--- rill.image.canny(s [, {low=, high=, sigma=}]) returns a stream of bool, true on the edges of `s` (of its luminance,
-- if it has colors) after smoothing by rill.image.gaussian with `sigma` (default: 1.4). Edges are ridges of the
-- gradient's length, in values per pixel, of at least `high` (default: 0.1), and ridges of at least `low` (default:
-- 0.04) that are connected to them through any of the eight neighbors.
local function canny(s, type, where, options)
    local o = option.take(where, options, OPTIONS)
    if o.low > o.high then
        fail("%s: option 'low' is %g, above 'high', %g", where, o.low, o.high)
    end
    local bright = type == "float" and s or picture.with_border(LIGHT:kernel {T = type}(s), s)
    local weights = smooth.weights(o.sigma)
    local smoothed <close> = picture.with_border(weighted.cross(bright, "float", weights, weights), s)
    local marks <close> = marks_of(smoothed, o)
    if bright ~= s then bright:close() end
    return keep_strong(marks)
end

return {canny = picture.filter("canny", canny)}
