-- Random programs of ten steps whose results depend on the boundary modes that streams inherit, and a model of them in Lua.
-- Values are small whole numbers, so that all results are exact.
local rill = require "rill"

local boundaries = {}

-- Brings a 0-based index into 0 .. n - 1; nil: the value outside is read.
local function inside(i, n) return i >= 0 and i < n and i or nil end
local bring <const> = {
    clamp = function(i, n) return math.max(0, math.min(n - 1, i)) end,
    wrap = function(i, n) return i % n end,
    mirror = function(i, n) local m = i % (2 * n); return m < n and m or 2 * n - 1 - m end,
    zero = inside,
}

--- boundaries.draw(seed) returns a function d(first, last) that draws whole numbers.
function boundaries.draw(seed)
    local state = (seed * 2654435761 + 12345) & 0xffffffff
    return function(first, last)
        state = (state * 6364136223846793005 + 1442695040888963407) & ~0
        return first + (state >> 33) % (last - first + 1)
    end
end

--- boundaries.modes(d, rank) draws modes: one for each dimension, numbers equal.
function boundaries.modes(d, rank)
    local list, value <const> = {}, d(1, 4) == 1 and -2 or 7
    for k = 1, rank do
        local n <const> = d(1, 5)
        list[k] = ({"clamp", "wrap", "mirror", "zero", value})[n]
    end
    for k = 1, rank do -- all dimensions have the same value outside
        for other = 1, rank do
            list[k] = list[k] == "zero" and type(list[other]) == "number" and list[other] or list[k]
        end
    end
    return list
end

-- ---- the model: a grid {shape =, data = a flat list, modes = a list or nil}

local function count(shape)
    local n = 1
    for _, size in ipairs(shape) do n = n * size end
    return n
end

local function read(grid, modes, at)
    local place = 0
    for d, n in ipairs(grid.shape) do
        local mode <const> = modes and modes[d] or "clamp"
        local i <const> = (bring[mode] or inside)(at[d], n)
        if not i then
            return type(mode) == "number" and mode or 0
        end
        place = place * n + i
    end
    return grid.data[place + 1]
end

-- Returns a grid of f(place, index) for all elements.
local function each(shape, modes, f)
    local data, index = {}, {}
    for place = 1, count(shape) do
        local rest = place - 1
        for d = #shape, 1, -1 do
            index[d], rest = rest % shape[d], rest // shape[d]
        end
        data[place] = f(place, index)
    end
    return {shape = shape, data = data, modes = modes}
end

local function sum_of(grid, modes, terms, index)
    local sum, at = 0, {}
    for _, term in ipairs(terms) do
        for d, i in ipairs(index) do at[d] = i + term.offset[d] end
        sum = sum + term.weight * read(grid, modes, at)
    end
    return sum
end

--- boundaries.join(a, b) returns the modes that a result inherits from streams with these modes, each a list or nil.
function boundaries.join(a, b)
    if not a or not b then
        return a or b
    end
    local result, same = {}, true
    for d, mode in ipairs(a) do
        result[d], same = "clamp", same and mode == b[d]
    end
    return same and a or result
end
local join <const> = boundaries.join

-- ---- kernels

local function terms_of(d, rank)
    local terms = {}
    for k = 1, d(1, 3) do
        terms[k] = {weight = d(1, 5), offset = {}}
        for e = 1, rank do terms[k].offset[e] = d(-3, 3) end
    end
    return terms
end

local function text_of(terms, name)
    local parts = {}
    for k, term in ipairs(terms) do
        local list = {}
        for e, n in ipairs(term.offset) do list[#term.offset + 1 - e] = ("%d"):format(n) end
        local index <const> = #list == 1 and list[1] or ("ivec%d(%s)"):format(#list, table.concat(list, ", "))
        parts[k] = ("%d.0 * %s[%s]"):format(term.weight, name, index)
    end
    return table.concat(parts, " + ")
end

--- boundaries.case(seed, rank) draws a case: shape, data, modes, another stream (shape, data, modes or nil), the kernels' texts
-- and ten steps.
function boundaries.case(seed, rank, steps)
    local d <const> = boundaries.draw(seed)
    local case = {rank = rank, shape = {}, d = d}
    for k = 1, rank do case.shape[k] = d(1, rank == 1 and 40 or rank == 2 and 9 or 6) end
    case.seed = seed
    case.u = each(case.shape, boundaries.modes(d, rank), function() return d(0, 63) end)
    case.w = each(case.shape, d(1, 2) == 1 and boundaries.modes(d, rank) or nil, function() return d(0, 63) end)
    case.near, case.far, case.fixed = terms_of(d, rank), terms_of(d, rank), boundaries.modes(d, rank)
    local one <const> = d(1, 3) == 1
    local words = {}
    for k, mode in ipairs(case.fixed) do
        case.fixed[k] = one and case.fixed[1] or mode
        words[k] = not (one and k > 1) and tostring(mode) or nil
    end
    local near <const>, far <const> = text_of(case.near, "u"), text_of(case.far, "w")
    case.texts = {
        step = ("kernel void step(neighbor float u<>, out float r<>) { r = mod(%s + 1.0, 64.0); }"):format(near),
        fixed = ("kernel void fixed(neighbor(%s) float u<>, out float r<>) { r = mod(%s + 2.0, 64.0); }"):format(
            table.concat(words, ", "), near),
        pair = ("kernel void pair(neighbor float u<>, neighbor float w<>, out float r<>) { r = mod(%s + %s, 64.0); }")
            :format(near, far),
        mixed = ("kernel void mixed(neighbor float u<>, float w<>, out float r<>) { r = mod(%s + w, 64.0); }")
            :format(near),
        scale = "kernel void scale(float x<>, out float r<>) { r = mod(3.0 * x + 1.0, 64.0); }",
    }
    local few <const> = {} -- kinds of steps, so that few programs are compiled
    for k = 1, 3 do few[k] = steps[d(1, #steps)] end
    case.steps = {}
    for k = 1, 9 do case.steps[k] = few[d(1, #few)] end
    case.steps[10] = "step"
    return case
end

local function near(u, modes, terms, c)
    return function(_, index) return (sum_of(u, modes, terms, index) + c) % 64 end
end

-- The steps: each has a function of the model's streams, and one of real streams, distributed streams or containers. s: {u =, v
-- =, w =}, the stream, the output of an earlier step or nil, another stream.
boundaries.steps = {
    step = {
        function(case, s) s.u = each(case.shape, s.u.modes, near(s.u, s.u.modes, case.near, 1)) end,
        function(_, s, k) s.u = k.step(s.u) end,
    },
    turn = { -- the idiom u, v = k(u, v), u
        function(case, s)
            local modes = s.u.modes
            if s.v then modes = s.v.modes end -- a stream that is given keeps its own
            s.u, s.v = each(case.shape, modes, near(s.u, s.u.modes, case.near, 1)), s.u
        end,
        function(_, s, k) s.u, s.v = k.step(s.u, s.v and s.v:eval()), s.u end,
    },
    fixed = {
        function(case, s) s.u = each(case.shape, case.fixed, near(s.u, case.fixed, case.near, 2)) end,
        function(_, s, k) s.u = k.fixed(s.u) end,
    },
    pair = {
        function(case, s)
            local one <const>, two <const> = s.u, s.w
            s.u = each(case.shape, join(one.modes, two.modes), function(_, index)
                return (sum_of(one, one.modes, case.near, index) + sum_of(two, two.modes, case.far, index)) % 64
            end)
        end,
        function(_, s, k) s.u = k.pair(s.u, s.w) end,
    },
    mixed = {
        function(case, s)
            local one <const>, two <const> = s.u, s.w
            s.u = each(case.shape, one.modes or two.modes, function(place, index)
                return (sum_of(one, one.modes, case.near, index) + two.data[place]) % 64
            end)
        end,
        function(_, s, k) s.u = k.mixed(s.u, s.w) end,
    },
    scale = {
        function(case, s)
            local one <const> = s.u
            s.u = each(case.shape, one.modes, function(place) return (3 * one.data[place] + 1) % 64 end)
        end,
        function(_, s, k) s.u = k.scale(s.u) end,
    },
    expression = {
        function(case, s)
            local one <const> = s.u
            s.u = each(case.shape, one.modes, function(place) return one.data[place] + 1 end)
        end,
        function(_, s) s.u = s.u + 1 end,
    },
    add = {
        function(case, s)
            local one <const>, two <const> = s.u, s.w
            s.u = each(case.shape, join(one.modes, two.modes), function(place)
                return one.data[place] + two.data[place]
            end)
        end,
        function(_, s) s.u = s.u + s.w end,
    },
    computed = { -- an expression as the argument of a kernel
        function(case, s)
            local one <const> = s.u
            local sum <const> = each(case.shape, one.modes, function(place) return 2 * one.data[place] end)
            s.u = each(case.shape, one.modes, near(sum, sum.modes, case.near, 1))
        end,
        function(_, s, k) s.u = k.step(2 * s.u) end,
    },
    copy = {function() end, function(_, s) s.u = s.u:copy() end},
    cast = {function() end, function(_, s) s.u = s.u:cast "int":cast "float" end},
    rebound = {
        function(case, s)
            s.u = {shape = case.shape, data = s.u.data, modes = boundaries.modes(case.d, case.rank)}
        end,
        function(_, s, _, modes) s.u = s.u:eval():boundary(table.unpack(modes)) end,
    },
    map = {
        function(case, s)
            local one <const> = s.u
            s.u = each(case.shape, one.modes, function(place) return (one.data[place] * 5) % 64 end)
        end,
        function(_, s) s.u = s.u:map "mod(x * 5.0, 64.0)" end,
    },
    -- only of streams
    like = {function() end, function(_, s) s.u = s.u:like():write(s.u) end},
    roll = {
        function(case, s)
            local one <const>, total <const> = s.u, count(case.shape)
            s.u = each(case.shape, one.modes, function(place) return one.data[(place - 2) % total + 1] end)
        end,
        function(_, s) s.u = s.u:roll(1) end,
    },
    choose = {
        function(case, s)
            local one <const>, two <const> = s.u, s.w
            s.u = each(case.shape, join(one.modes, two.modes), function(place)
                return one.data[place] > two.data[place] and one.data[place] or 5
            end)
        end,
        function(_, s) s.u = rill.where(s.u:gt(s.w), s.u, 5) end,
    },
}

boundaries.common = {"step", "step", "turn", "turn", "fixed", "pair", "mixed", "scale", "expression", "add", "computed",
    "copy", "cast", "rebound", "map"}
boundaries.streams = table.move(boundaries.common, 1, #boundaries.common, 4, {"like", "roll", "choose"})

local compiled <const> = {} -- by their texts

--- boundaries.kernels(case) returns the kernels of a case, which are compiled when they are used.
function boundaries.kernels(case)
    return setmetatable({}, {__index = function(_, name)
        local text <const> = case.texts[name]
        compiled[text] = compiled[text] or rill.kernel(text)
        return compiled[text]
    end})
end

--- boundaries.run(case, make, values [, kernels]) runs a case with streams that make(grid) returns, and raises unless
-- values(s) of the result are those of the model.
function boundaries.run(case, make, values, kernels)
    kernels = kernels or boundaries.kernels(case)
    local model, real = {u = case.u, w = case.w}, {u = make(case.u), w = make(case.w)}
    for _, name in ipairs(case.steps) do
        local row <const> = boundaries.steps[name]
        row[1](case, model)
        row[2](case, real, kernels, model.u.modes)
    end
    local expected <const>, found <const> = model.u.data, values(real.u)
    for k = 1, math.max(#expected, #found) do
        if expected[k] ~= found[k] then
            local format <const> = "seed %s, shape %s, modes %s, other modes %s, steps %s: element %d is %s, " ..
                "expected %s\n%s"
            error(format:format(case.seed, table.concat(case.shape, "x"), table.concat(case.u.modes or {"none"}, " "),
                table.concat(case.w.modes or {"none"}, " "), table.concat(case.steps, " "), k, found[k], expected[k],
                case.texts.step), 0)
        end
    end
end

return boundaries
