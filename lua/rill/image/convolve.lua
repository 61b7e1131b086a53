-- Sums of neighbours by weights of the user's: rill.image.convolve, rill.image.correlate and rill.image.separable.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local picture = require "rill.image.arguments"
local weighted = require "rill.image.kernel_sum"
local fail <const> = errors.fail

local weigh = {}

local WRITTEN_OUT <const> = 32 -- terms

-- ---- weights

local function is_numbers(list)
    for i = 1, #list do
        if type(list[i]) ~= "number" then
            return false
        end
    end
    return #list > 0
end

local function is_plain(value)
    return type(value) == "table" and not rill.type(value)
end

-- Rows of numbers, all as long, or nothing.
local function rows_of(value)
    if not is_plain(value) or #value == 0 then
        return nil
    end
    for _, row in ipairs(value) do
        if not is_plain(row) or not is_numbers(row) or #row ~= #value[1] then
            return nil
        end
    end
    return value
end

local function is_weights(value, rank)
    return not errors.not_open(value) and value.size > 0 and #value.shape == rank
end

-- ---- dense

-- The terms of a sum by rows of weights: where each looks, and the weights in the same order. flip: turned round.
local function terms(rows, flip)
    local m, n, places, weights = #rows, #rows[1], {}, {}
    for j, row in ipairs(rows) do
        for i, w in ipairs(row) do
            local dy, dx = j - 1 - m // 2, i - 1 - n // 2
            places[#places + 1], weights[#weights + 1] = flip and {-dx, -dy} or {dx, dy}, w
        end
    end
    return places, weights
end

for _, name in ipairs {"convolve", "correlate"} do
    weigh[name] = picture.filter(name, function(s, type, where, weights, options)
        local rows = rows_of(weights)
        if not rows and not is_weights(weights, 2) then
            fail("%s: argument #2 'weights': expected rows of numbers, all as long, or a stream {rows, columns}, " ..
                "got %s", where, errors.told(weights))
        end
        s = option.bounded(where, s, option.take(where, options, {boundary = option.boundary}).boundary)
        if rows and #rows * #rows[1] <= WRITTEN_OUT then
            return weighted.sum(s, type, terms(rows, name == "convolve"))
        end
        return rill[name](s, rows and rill.from(rows) or weights)
    end, "^rill%." .. name)
end

-- ---- separable

local function line_of(where, number, what, value)
    if is_plain(value) and is_numbers(value) then
        return value
    elseif not is_weights(value, 1) then
        fail("%s: argument #%d '%s': expected a list of numbers, or a stream of one dimension, got %s", where, number,
            what, errors.told(value))
    end
    return rill.type(value) == "expression" and value:eval() or value
end

-- A value outside of the picture is, beside it in what the columns were weighed to, that value times the sum of wy.
local function by_streams(s, wy, wx)
    local down <close> = rill.convolve(s, wy:reshape {wy.size, 1})
    local scale = picture.has_value(s) and wy:sum() or 1
    return rill.convolve(picture.same_border(down, s, scale), wx:reshape {1, wx.size})
end

--- rill.image.separable(s, wy, wx): s convolved with the numbers wy down its columns and wx along its rows: a new picture, what
-- rill.image.convolve makes of the weights wy[j] wx[i]. Lists of numbers or streams.
weigh.separable = picture.filter("separable", function(s, kind, where, wy, wx)
    wy, wx = line_of(where, 2, "wy", wy), line_of(where, 3, "wx", wx)
    if is_plain(wy) and is_plain(wx) then
        return weighted.cross(s, kind, wy, wx)
    end
    return by_streams(s, is_plain(wy) and rill.from(wy) or wy, is_plain(wx) and rill.from(wx) or wx)
end, "^rill%.convolve")

return weigh
