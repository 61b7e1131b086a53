-- Axes of charts: map numbers to positions from 0 to 1, and choose round numbers for ticks.
local Scale = {}
Scale.__index = Scale

local NARROW = 1e-12 -- a range smaller than this share of its ends is widened, since it has no distinct ticks
local FAR = 4e307 -- larger numbers are divided by 10^SHIFT, so that the width of a range does not overflow
local SHIFT = 2
local MOST = 0x1.fffffffffffffp1023 -- the largest double
local NEAR = 1e-290 -- the least width of a range, so that parts of it are not 0

-- Returns the limits of an axis for numbers from low to high, with some space, or with a default range around a
-- constant.
local function widen(low, high, room)
    local size = math.max(math.abs(low), math.abs(high))
    if high - low <= size * NARROW then
        local half = size > 0 and size / 10 or 1
        return low - half, high + half
    end
    local margin = (high - low) * room
    return low - margin, high + margin
end

--- Scale.apart(low, high) returns low and high, moved if the range between them would overflow or be too narrow.
function Scale.apart(low, high)
    low, high = math.max(math.min(low, FAR), -FAR), math.max(math.min(high, FAR), -FAR)
    if high - low < NEAR then
        local half = math.max(math.abs(low) / 10, NEAR)
        low, high = low - half, high + half
    end
    return low, high
end

--- Scale.unit(...) returns the factor for numbers up to these, 1 or 10^-SHIFT, with which their differences do not
-- overflow.
function Scale.unit(...)
    local unit = 1
    for _, v in ipairs { ... } do
        if math.abs(v) > FAR then unit = 10.0 ^ -SHIFT end
    end
    return unit
end

--- Scale.new(low, high, fixed, logarithmic, room) returns a scale for numbers from low to high (nil if there are none).
-- fixed: {low, high}, limits that the caller sets, each may be nil; room: the share of the range that is left free at
-- both ends.
function Scale.new(low, high, fixed, logarithmic, room)
    local fixed_low, fixed_high = fixed[1], fixed[2]
    local unit = logarithmic and 1 or Scale.unit(low or 0, high or 0, fixed_low or 0, fixed_high or 0)
    local to = logarithmic and math.log or function(v) return v * unit end
    if not low then
        low = fixed_low or fixed_high and (logarithmic and fixed_high / 10 or fixed_high - 1) or logarithmic and 1 or 0
        high = fixed_high or logarithmic and low * 10 or low + 1
    end
    low, high = widen(to(fixed_low or low), to(fixed_high or high), room)
    low, high = fixed_low and to(fixed_low) or low, fixed_high and to(fixed_high) or high
    if low >= high then -- one limit is fixed and lies beyond all numbers
        low, high = fixed_low and low or high - 1, fixed_low and low + 1 or high
    end
    low, high = Scale.apart(low, high)
    return setmetatable({ low = low, high = high, to = to, unit = unit, logarithmic = logarithmic }, Scale)
end

--- Scale:at(v) returns the position of a number, 0 at the lower end and 1 at the upper end; NaN for numbers that a
-- logarithmic axis cannot show.
function Scale:at(v)
    if self.logarithmic and (v <= 0 or v ~= v) then
        return 0 / 0
    end
    return (self.to(v) - self.low) / (self.high - self.low)
end

-- In the following, 1e-9 and 1e-6 are tolerances for rounding, as parts of a step, a digit or the axis.

-- Returns text like 1.50e+06 as 1.5e6, with the exponent increased by `shift`.
local function trimmed(text, shift)
    local mantissa, sign, exponent = text:match "^(.-)e([+-])0*(%d+)$"
    if mantissa:find(".", 1, true) then
        mantissa = mantissa:gsub("%.?0+$", "")
    end
    return ("%se%d"):format(mantissa, math.tointeger(sign .. exponent) + shift)
end

-- Returns the label of the tick `value`, a multiple of 10^exponent, on an axis whose largest number is `size`. All are
-- divided by 10^shift.
local function label(value, exponent, size, shift)
    if value == 0 then
        return "0"
    end
    local digits = math.floor(math.log(math.abs(value), 10) + 1e-9) - exponent
    if (size >= 1e5 or size < 1e-3) and digits <= 4 then
        return trimmed(("%%.%de"):format(math.max(digits, 0)):format(value), shift)
    end
    return ("%%.%df"):format(math.max(-exponent, 0)):format(value * 10.0 ^ shift)
end

-- Returns 1, 2 or 5 and the exponent of a power of ten, for the least step with which at most `count` steps fit into
-- the range.
local function round_step(range, count)
    local exponent = math.floor(math.log(range / count, 10))
    for _, factor in ipairs { 1, 2, 5, 10, 20 } do
        local times = factor >= 10 and factor // 10 or factor
        local power = factor >= 10 and exponent + 1 or exponent
        if range / (times * 10.0 ^ power) <= count + 1e-9 then
            return times, power
        end
    end
end

--- Scale.step(range, count) returns the least round step that divides a range into at most `count` parts.
function Scale.step(range, count)
    local times, exponent = round_step(range, count)
    return times * 10.0 ^ exponent
end

-- Returns ticks at multiples of a round step. low and high are multiplied by unit.
local function linear_ticks(low, high, unit, count)
    local times, exponent = round_step(high - low, count)
    local step, ticks = times * 10.0 ^ exponent, {}
    local size = math.max(math.abs(low), math.abs(high))
    for k = math.ceil(low / step - 1e-6), math.floor(high / step + 1e-6) do
        -- Divides by a power of ten because negative powers are not exact: 3 * 0.1 is not 0.3, but 3 / 10 is.
        local value = exponent < 0 and k * times / 10.0 ^ -exponent or k * step
        ticks[#ticks + 1] = { value = value / unit, label = label(value, exponent, size, unit < 1 and SHIFT or 0) }
    end
    return ticks
end

local function power_label(mantissa, exponent)
    if exponent >= -3 and exponent <= 4 then
        return ("%%.%df"):format(math.max(-exponent, 0)):format(mantissa * 10.0 ^ exponent)
    end
    return ("%de%d"):format(mantissa, exponent)
end

-- Returns ticks at powers of ten, also at 2 and 5 times these if all fit, or at every n-th power if there are too many.
local function power_ticks(low, high, count)
    local first, last = math.floor(low / math.log(10)), math.ceil(high / math.log(10))
    local function listed(factors, stride)
        local ticks = {}
        for exponent = math.ceil(first / stride) * stride, last, stride do
            for _, factor in ipairs(factors) do
                local place = math.log(factor) + exponent * math.log(10)
                if place >= low - 1e-9 and place <= high + 1e-9 then
                    ticks[#ticks + 1] = { value = math.exp(place), label = power_label(factor, exponent) }
                end
            end
        end
        return ticks
    end
    local all = listed({ 1, 2, 5 }, 1)
    if #all <= count + 1 then
        return all
    end
    local stride = 1
    while #listed({ 1 }, stride) > count + 1 do
        stride = stride + 1
    end
    return listed({ 1 }, stride)
end

--- Scale:ticks(count) returns about `count` ticks {at = 0..1, label =}, in ascending order.
function Scale:ticks(count)
    count = math.max(count, 1)
    local ticks = self.logarithmic and power_ticks(self.low, self.high, count) or {}
    local low, high, unit = self.low, self.high, self.unit
    if self.logarithmic then
        low, high = math.exp(low), math.min(math.exp(high), MOST)
        unit = Scale.unit(low, high)
        low, high = low * unit, high * unit
    end
    -- A single tick shows no scale, so a few more than `count` are allowed.
    for more = 0, 3 do
        if #ticks < 2 then
            ticks = linear_ticks(low, high, unit, count + more)
        end
    end
    local placed = {}
    for _, tick in ipairs(ticks) do
        local at = self:at(tick.value)
        if at > -1e-6 and at < 1 + 1e-6 then
            placed[#placed + 1] = { at = at, label = tick.label }
        end
    end
    return placed
end

--- Scale:ticks_that_fit(count, fits) returns the most ticks, at most about `count`, for which fits(ticks) is true.
function Scale:ticks_that_fit(count, fits)
    for n = count, 1, -1 do
        local ticks = self:ticks(n)
        if fits(ticks) then
            return ticks
        end
    end
    return {}
end

return Scale
