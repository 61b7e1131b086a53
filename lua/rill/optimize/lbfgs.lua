-- L-BFGS (Liu and Nocedal 1989) with a line search for the strong Wolfe conditions (Nocedal and Wright 2006,
-- algorithms 3.5 and 3.6). The choices of step lengths and the criteria of termination are those of PyTorch.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local optimizer = require "rill.optimize.optimizer"
local fail <const> = errors.fail
local huge <const> = math.huge

local OPTIONS <const> = {
    rate = option.default(option.positive, 1), iterations = option.default(option.count, 20),
    evaluations = option.count, history = option.default(option.count, 100),
    tolerance = option.default(option.not_negative, 1e-7), change = option.default(option.not_negative, 1e-9),
}
local DECREASE <const>, CURVATURE <const> = 1e-4, 0.9 -- the constants of the Wolfe conditions
local SEARCHES <const> = 25 -- the most evaluations of a line search
local LEAST_CURVATURE <const> = 1e-10 -- the least y . s for which a pair is kept

-- ---- vectors: lists of streams, one for each parameter

local function dot(a, b)
    local sum = 0
    for i, s in ipairs(a) do sum = sum + s:dot(b[i]) end
    return sum
end

-- Returns the largest absolute component.
local function largest(a)
    local most = 0
    for _, s in ipairs(a) do
        local one = s.size > 0 and rill.abs(s):max() or 0
        one = type(one) == "table" and math.max(table.unpack(one)) or one
        most = (one ~= one or one > most) and one or most
    end
    return most
end

local function sum_of_magnitudes(a)
    local total = 0
    for _, s in ipairs(a) do
        local one = rill.abs(s):sum()
        for _, part in ipairs(type(one) == "table" and one or {one}) do total = total + part end
    end
    return total
end

-- Returns the list of new streams f(a[i], b[i]).
local function combine(f, a, b)
    local list = {}
    for i, s in ipairs(a) do list[i] = f(s, b and b[i]):eval() end
    return list
end

local function add(a, factor, b)
    for i, s in ipairs(a) do s:write(s + factor * b[i]) end
end

local function close(a)
    for _, s in ipairs(a or {}) do s:close() end
end

-- ---- the function

-- Calls f at the parameters. Returns {value =, g =}: the value, infinite if it or a gradient is not a finite number,
-- and copies of the gradients, since f may write into the same streams again.
local function evaluate(self, f)
    local results = table.pack(f(table.unpack(self.parameters)))
    local value = results[1]
    if not errors.not_open(value) and value.size == 1 then
        value = value:values()[1]
    end
    if type(value) ~= "number" then
        fail("O:step: the function returned %s: expected its value, a number or a stream of one element, and the "
            .. "gradients", errors.told(value))
    end
    local gradients = table.pack(table.unpack(results, 2, results.n))
    optimizer.check_gradients(self, gradients, "O:step: the function returned ")
    local copies = combine(function(g) return g:copy() end, gradients)
    return {value = value - value == 0 and largest(copies) < huge and value or huge, g = copies}
end

-- ---- line search

-- Returns the minimum between bounds of the cubic with the values and slopes of the points a and b; the middle of the
-- bounds if there is none.
local function cubic(a, b, low, high)
    if a.t > b.t then a, b = b, a end
    low, high = low or a.t, high or b.t
    local d = a.slope + b.slope - 3 * (a.value - b.value) / (a.t - b.t)
    local square = d * d - a.slope * b.slope
    local root = square >= 0 and math.sqrt(square)
    local t = root and b.t - (b.t - a.t) * ((b.slope + root - d) / (b.slope - a.slope + 2 * root))
    return t and t == t and math.min(math.max(t, low), high) or (low + high) / 2
end

-- Returns t, moved away from the ends of the interval if the last steps made little progress; and whether this step
-- makes little.
local function inside(t, low, high, stuck)
    local margin = 0.1 * (high - low)
    if math.min(high - t, t - low) >= margin then
        return t, false
    elseif stuck or t >= high or t <= low then
        return math.abs(t - high) < math.abs(t - low) and high - margin or low + margin, false
    end
    return t, true
end

-- Searches a step length from the point `start` along a direction whose largest component is `reach`. at(t) returns
-- the point at the length t. Returns the point, and the number of evaluations.
local function search(at, start, t, reach, change)
    local function steep(point)
        return point.value > start.value + DECREASE * point.t * start.slope
    end
    local function flat(point)
        return math.abs(point.slope) <= -CURVATURE * start.slope
    end
    local before, point, count = start, at(t), 1
    while count <= SEARCHES do
        if steep(point) or count > 2 and point.value >= before.value then
            break
        elseif flat(point) then
            return point, count
        elseif point.slope >= 0 then
            break
        end
        local further = cubic(before, point, point.t + 0.01 * (point.t - before.t), 10 * point.t)
        before, point, count = point, at(further), count + 1
    end
    local low, high, stuck = count <= SEARCHES and before or start, point, false
    if low.value > high.value then low, high = high, low end
    while count <= SEARCHES and math.abs(high.t - low.t) * reach >= change do
        t, stuck = inside(cubic(low, high), math.min(low.t, high.t), math.max(low.t, high.t), stuck)
        point, count = at(t), count + 1
        if steep(point) or point.value >= low.value then
            high = point
        elseif flat(point) then
            return point, count
        else
            high = point.slope * (high.t - low.t) >= 0 and low or high
            low = point
        end
    end
    return low, count
end

-- ---- iterations

-- Adds the last change of the parameters and of the gradients to the history, and removes the oldest pair from a full
-- history.
local function remember(self, g)
    local y, s = combine(function(a, b) return a - b end, g, self.gradient), self.change
    close(self.gradient)
    local curvature = dot(y, s)
    if curvature > LEAST_CURVATURE then
        if #self.pairs == self.options.history then
            local oldest = table.remove(self.pairs, 1)
            close(oldest.y)
            close(oldest.s)
        end
        self.pairs[#self.pairs + 1] = {y = y, s = s, inverse = 1 / curvature}
        self.scale = curvature / dot(y, y)
    else
        close(y)
        close(s)
    end
end

-- Returns the direction of descent: two loops over the history.
local function direction(self, g)
    local d, factors = combine(function(a) return -a end, g), {}
    for i = #self.pairs, 1, -1 do
        local pair = self.pairs[i]
        factors[i] = pair.inverse * dot(pair.s, d)
        add(d, -factors[i], pair.y)
    end
    for _, s in ipairs(self.pairs[1] and d or {}) do s:write(self.scale * s) end
    for i, pair in ipairs(self.pairs) do
        add(d, factors[i] - pair.inverse * dot(pair.y, d), pair.s)
    end
    return d
end

local function forget(self)
    for _, pair in ipairs(self.pairs) do
        close(pair.y)
        close(pair.s)
    end
    close(self.gradient)
    close(self.change)
    self.pairs, self.gradient, self.change = {}, nil, nil
end

-- Makes one iteration from a point. Returns the next point, the number of evaluations and the largest change of a
-- parameter; nil if no direction of descent is found. After an error the parameters are unchanged.
local function iterate(self, f, start)
    local t, g = self.rate, start.g
    if self.gradient then
        remember(self, g)
    else
        t = math.min(1, 1 / sum_of_magnitudes(g)) * self.rate
    end
    self.gradient, self.change = g, nil
    local d = direction(self, g)
    start.t, start.slope = 0, dot(g, d)
    local descends = start.slope <= -self.options.change -- false for NaN
    if not descends then
        forget(self)
        return nil
    end
    local origin = combine(function(p) return p:copy() end, self.parameters)
    local function move(length)
        for i, p in ipairs(self.parameters) do p:write(origin[i] + length * d[i]) end
    end
    local function at(length)
        move(length)
        local point = evaluate(self, f)
        point.t, point.slope = length, point.value < huge and dot(point.g, d) or 0
        return point
    end
    local reach = largest(d)
    local done, found, count = pcall(search, at, start, t, reach, self.options.change)
    move(done and found.t or 0)
    close(origin)
    if not done then
        forget(self)
        error(found, 0)
    end
    self.change = combine(function(s) return found.t * s end, d)
    close(d)
    return found, count, found.t * reach
end

local function step(self, _, f)
    if type(f) ~= "function" and not (getmetatable(f) or {}).__call then
        fail("O:step: argument #1 'f': expected a function of the parameters that returns its value and the gradients, "
            .. "such as rill.value_and_grad(loss), got %s", errors.told(f))
    end
    local given <const> = self.options
    local most = given.evaluations or given.iterations * 5 // 4
    local point, evaluations = evaluate(self, f), 1
    if point.value == huge then
        fail("O:step: the value or a gradient is not a finite number at the parameters: start from others")
    end
    self.steps = self.steps + 1
    local converged = largest(point.g) <= given.tolerance
    for _ = 1, given.iterations do
        if converged then break end
        local following, count, reach = iterate(self, f, point)
        converged = not following or largest(following.g) <= given.tolerance or reach <= given.change
            or math.abs(following.value - point.value) < given.change
        point, evaluations = following or point, evaluations + (count or 0)
        if evaluations >= most then break end
    end
    return point.value, converged
end

--- rill.optimize.lbfgs(parameters [, options]) returns an optimizer by L-BFGS. O:step(f) makes up to `iterations`
-- iterations. f(parameters...) returns a value and the gradients, as rill.value_and_grad does. Returns the value, and
-- whether the iteration converged.
return function(parameters, options)
    local self = optimizer.new("lbfgs", parameters, options, OPTIONS)
    self.step, self.pairs, self.release = step, {}, forget
    return optimizer.create(self)
end
