-- Where generators get their choices from: a seed, or a list of choices made before. Every choice is a whole number from 0, and 0 is
-- the simplest, so that a failing case is shrunk by shortening and lowering the list, whatever the generator makes of it.
local draw = {}
draw.__index = draw

-- What the runner has found the device to stand: the most elements a case should have.
draw.most = 1 << 16
-- Whether it stands integer divisions by what a stream holds.
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

-- 0 .. n - 1
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

-- low .. high, low being the simplest
function draw:int(low, high)
    return low + self:below(high - low + 1)
end

function draw:pick(list)
    return list[self:below(#list) + 1]
end

-- True `n` times of `of`; false is simpler.
function draw:chance(n, of)
    return self:below(of) >= of - n
end

-- A list of `least` to `most` results of f(i); about `mean` of them.
function draw:many(least, most, mean, f)
    local list = {}
    while #list < least or #list < most and self:chance(mean, mean + 1) do
        list[#list + 1] = f(#list + 1)
    end
    return list
end

-- One of {weight, value ...}: the first is the simplest.
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
