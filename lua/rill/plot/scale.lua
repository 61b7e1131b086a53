-- Axes of charts: from numbers to places between 0 and 1, and round numbers to write beside them.
local Scale = {}
Scale.__index = Scale

local NARROW = 1e-12 -- a range smaller than this share of its ends has no room for ticks
local FAR = 4e307 -- numbers beyond are in units of 10^SHIFT: the width of a range must be a number
local SHIFT = 2
local MOST = 0x1.fffffffffffffp1023 -- the largest double
local NEAR = 1e-290 -- nor is a range narrower than that: what divides it must not be 0

-- Limits for numbers from low to high that leave some room around them, or that a constant gets.
local function widen(low, high, room)
    local size = math.max(math.abs(low), math.abs(high))
    if high - low <= size * NARROW then
        local half = size > 0 and size / 10 or 1
        return low - half, high + half
    end
    local margin = (high - low) * room
    return low - margin, high + margin
end

--- low and high, moved where the numbers of a computer are too coarse, too small or too large for a range between them.
function Scale.apart(low, high)
    low, high = math.max(math.min(low, FAR), -FAR), math.max(math.min(high, FAR), -FAR)
    if high - low < NEAR then
        local half = math.max(math.abs(low) / 10, NEAR)
        low, high = low - half, high + half
    end
    return low, high
end

--- What numbers up to these are multiplied by, so that their difference is a number.
function Scale.unit(...)
    local unit = 1
    for _, v in ipairs { ... } do
        if math.abs(v) > FAR then unit = 10.0 ^ -SHIFT end
    end
    return unit
end

--- A scale of the numbers from low to high (nil where there are none). fixed: {low, high} of limits that were told, each may be nil;
-- room: the share of the range that is left free at both ends.
function Scale.new(low, high, fixed, logarithmic, room)
    local told_low, told_high = fixed[1], fixed[2]
    local unit = logarithmic and 1 or Scale.unit(low or 0, high or 0, told_low or 0, told_high or 0)
    local to = logarithmic and math.log or function(v) return v * unit end
    if not low then
        low = told_low or told_high and (logarithmic and told_high / 10 or told_high - 1) or logarithmic and 1 or 0
        high = told_high or logarithmic and low * 10 or low + 1
    end
    low, high = widen(to(told_low or low), to(told_high or high), room)
    low, high = told_low and to(told_low) or low, told_high and to(told_high) or high
    if low >= high then -- one limit was told, beyond all the numbers
        low, high = told_low and low or high - 1, told_low and low + 1 or high
    end
    low, high = Scale.apart(low, high)
    return setmetatable({ low = low, high = high, to = to, unit = unit, logarithmic = logarithmic }, Scale)
end

--- Where a number stands: 0 at the lower end, 1 at the upper one. NaN for what has no place.
function Scale:at(v)
    if self.logarithmic and (v <= 0 or v ~= v) then
        return 0 / 0
    end
    return (self.to(v) - self.low) / (self.high - self.low)
end

-- Below, 1e-9 and 1e-6 are parts of a step, of a digit or of the axis: rounding.

-- 1.50e+06 as 1.5e6; the exponent is larger by `shift`.
local function trimmed(text, shift)
    local mantissa, sign, exponent = text:match "^(.-)e([+-])0*(%d+)$"
    if mantissa:find(".", 1, true) then
        mantissa = mantissa:gsub("%.?0+$", "")
    end
    return ("%se%d"):format(mantissa, math.tointeger(sign .. exponent) + shift)
end

-- Tick `value`, a whole number of times 10^exponent, of an axis whose largest number is `size`, all over 10^shift.
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

-- 1, 2 or 5 times a power of ten, so that at most `count` steps fit into the range.
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

--- The width of at most `count` parts of a range that round numbers make.
function Scale.step(range, count)
    local times, exponent = round_step(range, count)
    return times * 10.0 ^ exponent
end

-- low and high are in the unit.
local function linear_ticks(low, high, unit, count)
    local times, exponent = round_step(high - low, count)
    local step, ticks = times * 10.0 ^ exponent, {}
    local size = math.max(math.abs(low), math.abs(high))
    for k = math.ceil(low / step - 1e-6), math.floor(high / step + 1e-6) do
        -- Divided rather than multiplied by what no float holds: 3 * 0.1 is not 0.3, 3 / 10 is.
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

-- Powers of ten; 2 and 5 times them too where there are few; every so many of them where there are too many.
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

--- About `count` ticks: {at = 0..1, label =}, from the lower end to the upper.
function Scale:ticks(count)
    count = math.max(count, 1)
    local ticks = self.logarithmic and power_ticks(self.low, self.high, count) or {}
    local low, high, unit = self.low, self.high, self.unit
    if self.logarithmic then
        low, high = math.exp(low), math.min(math.exp(high), MOST)
        unit = Scale.unit(low, high)
        low, high = low * unit, high * unit
    end
    -- One tick alone gives no scale: rather one or two more than were asked for.
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

--- As many ticks as `fits(ticks)` lets pass, beginning with `count`.
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
