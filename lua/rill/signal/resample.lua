-- Transforms of whole signals: resampling, analytic signals, and the removal of trends.
local rill = require "rill.core.public"
local arguments = require "rill.signal.arguments"
local errors = require "rill.core.error"
local held = require "rill.core.scope"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local template = require "rill.glsl.template"
local fail <const> = errors.fail
local kernels <const> = template.sections "spectrum"

local resample = {}

local MOST <const> = (1 << 31) - 1
local COMPLEX <const> = {float = "vec2", double = "dvec2"}

--- rill.signal.resample(x, n) returns the signal at n samples.
function resample.resample(x, n, ...)
    local where <const> = "rill.signal.resample"
    errors.none(where, 3, 2, (...))
    local rows <const>, batch <const> = arguments.rows(arguments.signal(where, 1, x))
    local signals <const>, length <const> = rows.shape[1], rows.shape[2]
    n = tables.whole(n)
    if math.type(n) ~= "integer" or n < 1 or n > MOST then
        fail("%s: argument #2 'n': expected a number of samples, 1 or more, got %s", where, errors.told(n))
    end
    errors.fits(where, arguments.sizes(batch, n))
    if signals == 0 then
        return rill.stream(rows.type, arguments.sizes(batch, n))
    end
    local own <close> = held {}
    local C <const> = COMPLEX[rows.type]
    own.f = rill.fft(rows, {axes = 2, real = true})
    own.g = rill.stream(C, {signals, n // 2 + 1})
    kernels.respectrum:kernel {T = rows.type, C = C}(own.f, math.min(n, length), n / length,
        n < length and 2 or n > length and 0.5 or 1, own.g)
    return arguments.shaped(rill.fft(own.g, {axes = 2, real = true, inverse = true, length = n}), batch, n)
end

--- rill.signal.hilbert(x) returns the analytic signal.
function resample.hilbert(x, ...)
    local where <const> = "rill.signal.hilbert"
    errors.none(where, 2, 1, (...))
    local rows <const>, batch <const> = arguments.rows(arguments.signal(where, 1, x))
    local signals <const>, n <const>, C <const> = rows.shape[1], rows.shape[2], COMPLEX[rows.type]
    if signals == 0 then
        return rill.stream(C, arguments.sizes(batch, n))
    end
    local own <close> = held {}
    own.f = rill.fft(rows, {axes = 2, real = true})
    own.g = rill.stream(C, {signals, n})
    kernels.analytic:kernel {C = C}(own.f, n, own.g)
    return arguments.shaped(rill.fft(own.g, {axes = 2, inverse = true}), batch, n)
end

--- resample.flatten(rows, type) returns the rows of a matrix without their means, or their least squares lines.
function resample.flatten(rows, type)
    local n <const>, T <const> = rows.shape[2], rows.type
    local own <close> = held {}
    own.mean = rows:mean(2)
    if type == "constant" or n == 1 then
        return (rows - own.mean:reshape {own.mean.size, 1}):eval()
    end
    local middle <const> = (n - 1) / 2
    own.moments = kernels.moment:kernel {T = T}(rows, own.mean, middle, 1 / n)
    own.moment = own.moments:sum(2)
    -- the sum of (i - middle)^2 is n (n^2 - 1) / 12
    return (kernels.line:kernel {T = T}(rows, own.mean, own.moment, middle, 12 / ((n - 1.0) * (n + 1.0))))
end

local DETREND <const> = {type = option.choice({"linear", "constant"}, "linear")}

--- rill.signal.detrend(x, options) returns the signal without its line, or its mean.
function resample.detrend(x, options, ...)
    local where <const> = "rill.signal.detrend"
    errors.none(where, 3, 2, (...))
    local o <const> = option.take(where, options, DETREND)
    local s <const> = arguments.signal(where, 1, x)
    local rows <const> = arguments.rows(s)
    return rows.size == 0 and rill.stream(s.type, s.shape) or resample.flatten(rows, o.type):reshape(s.shape)
end

for _, name in ipairs {"resample", "hilbert", "detrend"} do
    resample[name] = errors.guard(resample[name], "rill.signal." .. name)
end

return resample
