-- rill.image.convolve, rill.image.correlate and rill.image.separable: sums of neighbors with given weights.
local rill = require "rill.core.public"
local convolve = require "rill.stream.convolve"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local picture = require "rill.image.arguments"
local recorder = require "rill.core.recorder"
local weighted = require "rill.image.kernel_sum"
local fail <const> = errors.fail
local is_table <const> = option.table[1]

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

-- Returns `value` if it is a list of rows of numbers of equal length, else nil.
local function rows_of(value)
    if not is_table(value) or #value == 0 then
        return nil
    end
    for _, row in ipairs(value) do
        if not is_table(row) or not is_numbers(row) or #row ~= #value[1] then
            return nil
        end
    end
    return value
end

local function is_weights(value, rank)
    return not errors.not_open(value) and value.size > 0 and #value.shape == rank
end

-- ---- dense

-- Returns the offsets {dx, dy} of a sum's terms and their weights in the same order. flip: flips the weights in both
-- dimensions.
local function terms(rows, flip)
    local m, n, offsets, weights = #rows, #rows[1], {}, {}
    for j, row in ipairs(rows) do
        for i, w in ipairs(row) do
            local dy, dx = j - 1 - m // 2, i - 1 - n // 2
            offsets[#offsets + 1], weights[#weights + 1] = flip and {-dx, -dy} or {dx, dy}, w
        end
    end
    return offsets, weights
end

for _, name in ipairs {"convolve", "correlate"} do
    weigh[name] = picture.filter(name, function(s, type, where, weights, options)
        local rows = rows_of(weights)
        if not rows and not is_weights(weights, 2) then
            fail("%s: argument #2 'weights': expected rows of numbers of equal length, or a stream {rows, columns}, " ..
                "got %s", where, errors.told(weights))
        end
        s = option.bounded(where, s, option.take(where, options, {boundary = option.boundary}).boundary)
        if rows and #rows * #rows[1] <= WRITTEN_OUT then
            return weighted.sum(s, type, terms(rows, name == "convolve"))
        end
        return convolve.run(where, s, rows and rill.from(rows) or weights, nil, name == "convolve")
    end)
end

-- ---- separable

local function line_of(where, number, what, value)
    if is_table(value) and is_numbers(value) then
        return value
    elseif not is_weights(value, 1) then
        fail("%s: argument #%d '%s': expected a list of numbers, or a stream of one dimension, got %s", where, number,
            what, errors.told(value))
    end
    return rill.type(value) == "expression" and value:eval() or value
end

-- After the convolution of the columns, a boundary value of s corresponds to that value times the sum of wy.
local function by_streams(where, s, wy, wx)
    local down <close> = convolve.run(where, s, wy:reshape {wy.size, 1}, nil, true)
    local scale = picture.has_value(s) and wy:sum() or 1
    return convolve.run(where, picture.same_border(down, s, scale), wx:reshape {1, wx.size}, nil, true)
end

--- rill.image.separable(s, wy, wx) returns `s` convolved with `wy` down its columns and `wx` along its rows, which is
-- the result of rill.image.convolve with the weights wy[j] wx[i]. `wy` and `wx` are lists of numbers or streams.
weigh.separable = picture.filter("separable", function(s, kind, where, wy, wx)
    wy, wx = line_of(where, 2, "wy", wy), line_of(where, 3, "wx", wx)
    if is_table(wy) and is_table(wx) then
        return weighted.cross(s, kind, wy, wx)
    end
    return by_streams(where, s, is_table(wy) and rill.from(wy) or wy, is_table(wx) and rill.from(wx) or wx)
end)

for name, filter in pairs(weigh) do
    weigh[name] = recorder.wrap("rill.image." .. name, filter)
end

return weigh
