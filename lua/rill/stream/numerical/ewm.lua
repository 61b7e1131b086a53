-- s:ewm: exponentially weighted means, as in pandas, by a scan of linear recurrences.
local rill = require "rill.core.public"
local axes = require "rill.stream.axes"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local recorder = require "rill.core.recorder"
local template = require "rill.glsl.template"
local types = require "rill.core.types"
local fail <const> = errors.fail

local ewm = {}

-- Composes maps y -> x y + y (factor, summand) from left to right.
local COMPOSE <const> = template.new [[
    reduce void compose(dvec2 f<>, reduce dvec2 r<>) { r = dvec2(f.x * r.x, f.x * r.y + f.y); }
]]

--- ewm.recurrence(a, b, reverse) returns y[i] = a[i] y[i - 1] + b[i] along the second of three dimensions, in
-- doubles. The first element does not depend on a. reverse: from the last element to the first.
function ewm.recurrence(a, b, reverse)
    local maps <const> = rill.vec2(a, b):eval()
    if maps.size == 0 then
        return b:copy()
    end
    return maps:scan(COMPOSE:kernel(), {axis = 2, reverse = reverse or nil}).y:eval()
end

local recurrence <const> = recorder.wrap("s:ewm sums", ewm.recurrence)

-- Sets the factor and the weight of each element. The sums decay at the next element that is not NaN, so that those
-- before many NaNs do not underflow. `last`: the greatest index up to this one of an element that is not
-- NaN, -1 for none.
local WEIGHTS <const> = template.new [[
    kernel void weights(int now<>, int last[][][], double decay, bool adjust, out double a<>, out double w<>) {
        ivec3 p = indexof(now).xyz;
        bool valid = now == p.y;
        int before = p.y > 0 ? last[p.z][max(p.y - 1, 0)][p.x] : -1;
        double old = pow(decay, double(p.y - before));
        a = valid ? old : 1.0lf;
        w = valid ? 1.0lf : 0.0lf;
        if (!adjust && valid) {
            a = before < 0 ? 0.0lf : old / (old + (1.0lf - decay));
            w = 1.0lf - a;
        }
    }
]]
local VALID <const> = template.new [[
    kernel void valid($T s<>, out int r<>) { r = isnan(s) ? -1 : indexof(s).y; }
]]

-- The same for means that are divided by the sums of their weights, in one scan: (factor, pending, sum, weight). The
-- factor is that of the sums before, up to the last element that is not NaN, and `pending` the decay after this
-- element. NaN as long as there is no weight.
local PAIRS <const> = template.new [[
    kernel void pairs($T s<>, double decay, out dvec4 r<>) {
        r = isnan(s) ? dvec4(1.0lf, decay, 0.0lf, 0.0lf) : dvec4(decay, 1.0lf, double(s), 1.0lf);
    }
]]
local COMPOSE_PAIRS <const> = template.new [[
    reduce void compose(dvec4 f<>, reduce dvec4 r<>) {
        double k = r.y * f.x;
        r = f.w > 0.0lf ? dvec4(r.x * k, f.y, k * r.zw + f.zw) : dvec4(r.x, r.y * f.y, r.zw);
    }
]]
local QUOTIENT <const> = template.new [[
    kernel void quotient(dvec4 sums<>, out $T r<>) {
        r = sums.w > 0.0lf ? $T(sums.z / sums.w) : $T(uintBitsToFloat(0x7fc00000u));
    }
]]

local function above(least)
    return {function(v) return option.is_finite(v) and v >= least end, "a number from " .. least}
end

local FORMS <const> = {"alpha", "span", "halflife", "com"}
local DECAY <const> = { -- the factor between the weights of neighbors
    alpha = function(v) return 1 - v end, span = function(v) return 1 - 2 / (v + 1) end,
    halflife = function(v) return 0.5 ^ (1 / v) end, com = function(v) return v / (1 + v) end,
}

--- s:ewm{alpha =, adjust =, axis =} returns exponentially weighted means along an axis, a new stream of the shape of
-- s: that of pandas' s.ewm(alpha).mean(). Element i has the weights (1 - alpha)^j of the elements i - j. The decay
-- is given by one of the options alpha (above 0, at most 1), span (from 1: alpha = 2 / (span + 1)), halflife (above
-- 0: the weight of the element that is `halflife` before is a half) and com (from 0: alpha = 1 / (1 + com)). adjust:
-- the means are divided by the sums of their weights; false: y[i] = (1 - alpha) y[i - 1] + alpha s[i], with y[1] =
-- s[1]. NaN elements are skipped: the mean stays, and the weights of elements before decay further. Defaults: adjust
-- true, axis -1, the last. It is computed in double precision, and is float if kernels read the elements as float,
-- else double.
function ewm.ewm(s, options, ...)
    errors.none("s:ewm", 3, 1, (...))
    s = types.reals("s:ewm: argument 's'", s)
    local o <const> = option.take("s:ewm", options, {
        alpha = {function(v) return option.is_positive(v) and v <= 1 end, "a number above 0, at most 1"},
        span = above(1), halflife = option.positive, com = above(0), adjust = option.default(option.flag, true),
        axis = {function(v) return math.type(v) == "integer" end, "an axis", -1},
    })
    local form
    for _, name in ipairs(FORMS) do
        if o[name] and form then
            fail("s:ewm: options '%s' and '%s' are two decays: give one of them", form, name)
        end
        form = o[name] and name or form
    end
    if not form then
        fail("s:ewm: a decay is missing: expected one of the options 'alpha', 'span', 'halflife' and 'com'")
    end
    local axis <const> = axes.one("s:ewm: option 'axis'", o.axis, #s.shape)
    local real <const> = types.real_of(s)
    if s.size == 0 then
        return rill.stream(real, s.shape)
    end
    local layers <const> = axes.layered(s, axis)
    if o.adjust and not recorder.on then
        local maps <close> = PAIRS:kernel {T = real}(layers, DECAY[form](o[form]))
        local sums <close> = maps:scan(COMPOSE_PAIRS:kernel(), {axis = 2})
        return QUOTIENT:kernel {T = real}(sums):reshape(s.shape)
    end
    local last <const> = VALID:kernel {T = real}(layers):scan("max", {axis = 2})
    local a, w = WEIGHTS:kernel()(last, last, DECAY[form](o[form]), o.adjust)
    local wide <const> = rill.where(rill.isnan(layers), 0, layers):eval():cast "double"
    local means = recurrence(a, (wide * w):eval())
    if o.adjust then
        means = means / ewm.recurrence(a, w)
    end
    local result <const> = rill.where(last:lt(0), 0 / 0, means):eval():reshape(s.shape)
    return real == "double" and result or result:cast(real)
end

ewm.ewm = errors.guard(ewm.ewm, "s:ewm")

return ewm
