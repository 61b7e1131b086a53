-- Source of the choices of generators: a seed, or a list of earlier choices. Every choice is a whole number from 0,
-- and 0 is the simplest. A failing case is reduced by shortening the list and lowering its numbers, whatever the
-- generator makes of them.
local draw = {}
draw.__index = draw

-- The maximum number of elements of a case, which the runner has measured for the device.
draw.most = 1 << 16
-- Whether the device supports integer divisions by elements of a stream.
draw.divides = true

function draw.random(seed)
    return setmetatable({state = seed, choices = {}, at = 0}, draw)
end

function draw.replay(choices)
    return setmetatable({given = choices, choices = {}, at = 0}, draw)
end

-- SplitMix64 (Steele, Lea and Flood, 2014).
local function next_word(self)
    self.state = self.state + 0x9e3779b97f4a7c15
    local z = self.state
    z = (z ~ (z >> 30)) * 0xbf58476d1ce4e5b9
    z = (z ~ (z >> 27)) * 0x94d049bb133111eb
    return z ~ (z >> 31)
end

-- Returns a number in 0 .. n - 1.
function draw:below(n)
    if n <= 1 then
        return 0
    end
    self.at = self.at + 1
    local choice
    if self.given then
        choice = math.min(self.given[self.at] or 0, n - 1)
    else
        choice = (next_word(self) >> 1) % n
    end
    self.choices[self.at] = choice
    return choice
end

-- Returns a number in low .. high; low is the simplest.
function draw:int(low, high)
    return low + self:below(high - low + 1)
end

function draw:pick(list)
    return list[self:below(#list) + 1]
end

-- Returns true in `n` of `of` cases; false is simpler.
function draw:chance(n, of)
    return self:below(of) >= of - n
end

-- Returns a list of `least` to `most` results of f(i), on average `mean`.
function draw:many(least, most, mean, f)
    local list = {}
    while #list < least or #list < most and self:chance(mean, mean + 1) do
        list[#list + 1] = f(#list + 1)
    end
    return list
end

-- Returns a value of a list of {weight, value ...}; the first is the simplest.
function draw:weighted(rows)
    local total = 0
    for _, row in ipairs(rows) do
        total = total + row[1]
    end
    local at = self:below(total)
    for _, row in ipairs(rows) do
        at = at - row[1]
        if at < 0 then
            return row[2]
        end
    end
end

return draw
