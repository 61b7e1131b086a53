-- The distributions of rill.random except "uniform" and "normal", which are written in C. The algorithms are in
-- kernels/distributions.glsl.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local template = require "rill.glsl.template"
local types = require "rill.core.types"
local weights = require "rill.random.weights"
local fail <const> = errors.fail

template.snippet("philox", core._philox)
local texts <const> = template.sections "distributions"

local distributions = {}

local LARGEST <const> = {float = 0x1.fffffep127, double = 0x1.fffffffffffffp1023, int = 0x7fffffff, uint = 0xffffffff}

-- A parameter is a row {name, least, most, default, whole (boolean)}; `most` nil is the largest number of the type. The
-- means of Poisson numbers are 10 deviations below it. Shapes have limits because 1 / shape and the quotients of gamma
-- numbers must be finite.
local rows <const> = {
    exponential = {{"mean", 0, nil, 1}, gamma = false, counts = false},
    gamma = {{"shape", 1e-300, 1e150}, {"scale", 0, nil, 1}, gamma = true, counts = false},
    beta = {{"a", 1e-300, 1e150}, {"b", 1e-300, 1e150}, gamma = true, counts = false},
    poisson = {{"mean", 0, "poisson"}, gamma = false, counts = true},
    binomial = {{"n", 0, nil, nil, true}, {"p", 0, 1}, gamma = false, counts = true},
    multinomial = {{"n", 0, nil, nil, true}, gamma = false, counts = true},
}

-- Returns the names of the distributions as text.
local function list_names()
    local list = tables.keys(rows)
    table.move({"normal", "uniform"}, 1, 2, #list + 1, list)
    table.sort(list)
    return ('"%s" or "%s"'):format(table.concat(list, '", "', 1, #list - 1), list[#list])
end

local function range_of(row, scalar)
    local most = row[3]
    if most == "poisson" then
        most = math.floor(LARGEST[scalar] - 10 * LARGEST[scalar] ^ 0.5)
    end
    return row[2], most or LARGEST[scalar]
end

-- Returns a parameter that is a stream as a flat stream of doubles, after a check of its values.
local function check_stream(row, value, shape, info, wanted)
    local name, least, most = row[1], range_of(row, info.scalar)
    value = errors.open("rill.random", value)
    if info.components > 1 then
        fail("rill.random: option '%s': expected %s for numbers of type %s, got a stream", name, wanted, info.name)
    elseif tostring(value.shape) ~= tostring(shape) or not types.scalar(value.type) then
        fail("rill.random: option '%s': expected %s, or a stream of shape %s of such numbers, got %s of shape %s", name,
            wanted, shape, value.type, value.shape)
    end
    local flat = value:cast "double":reshape(value.size)
    if flat.size > 0 then
        local low, high = flat:min(), flat:max()
        if low ~= low or high ~= high or low < least or high > most or row[5] and types.is_real(value.type) then
            fail("rill.random: option '%s': expected %s, or a stream of such numbers, got %s from %s to %s", name,
                wanted, value.type, errors.number(low), errors.number(high))
        end
    end
    return flat
end

-- Returns a checked parameter: a number, or a flat stream of doubles with as many elements as the result.
local function check_parameter(row, value, shape, info)
    local least, most = range_of(row, info.scalar)
    local form = row[5] and "a whole number from %d to %d" or "a number from %g to %.10g"
    local wanted, name = form:format(least, most), row[1]
    if value == nil then
        return row[4] or fail("rill.random: option '%s' is missing: expected %s", name, wanted)
    elseif rill.type(value) == "stream" or rill.type(value) == "expression" then
        return check_stream(row, value, shape, info, wanted)
    end
    local good = type(value) == "number" and value >= least and value <= most
    if not good or row[5] and not math.tointeger(value) then
        fail("rill.random: option '%s': expected %s, got %s", name, wanted, errors.told(value))
    end
    return value
end

local function pair_of(word)
    return {word & 0xffffffff, word >> 32 & 0xffffffff}
end

-- Returns the named arguments of a kernel that uses `count` counters.
local function start(seed, count)
    local key, first = core._random_take(seed, count)
    return {key = pair_of(key), first = pair_of(first)}
end

-- Returns `count` numbers of type `scalar` as a flat stream. `given`: the parameters by name.
local function draw_each(name, given, scalar, count, seed)
    local row, names, declared, arguments = rows[name], {}, {}, start(seed, count)
    for i, parameter in ipairs(row) do
        names[i] = "given_" .. parameter[1]
        local value = given[parameter[1]]
        declared[i] = ("double %s%s"):format(names[i], type(value) == "number" and "" or "<>")
        arguments[names[i]] = value
    end
    arguments.shape = count
    return texts.each:kernel {
        gamma = row.gamma, counts = row.counts, T = scalar, parameters = table.concat(declared, ", "),
        value = ("%s_value(counter, key, %s)"):format(name, table.concat(names, ", ")),
    }(arguments)
end

-- Returns the probabilities of the left halves at each level of a binary tree over the weights, which are padded to a
-- power of two. The root is level 1.
local function tree_of(chances)
    local leaves = 1
    while leaves < chances.size do
        leaves = leaves * 2
    end
    local sums, levels = rill.zeros(leaves, "double"), {}
    local exponent = math.floor(math.log(chances:max(), 2))
    local scale = 2.0 ^ -math.max(math.min(exponent, 1000), -1000) -- the sums and their inverses must be finite
    sums:domain(1, chances.size):write((chances * scale):eval())
    while sums.size > 1 do
        local left
        sums, left = texts.halves:kernel {gamma = false, counts = false} {p = sums, shape = sums.size // 2}
        table.insert(levels, 1, left)
    end
    return levels, leaves
end

-- Returns multinomial counts: for each of `count` rows, `chances.size` counts whose sum is n, as a flat stream.
local function draw_multinomial(n, chances, scalar, count, seed)
    local levels, leaves = tree_of(chances)
    local arguments = start(seed, count * leaves)
    local counts = rill.type(n) and n:cast(scalar) or rill.full(count, math.tointeger(n), scalar)
    for level, left in ipairs(levels) do
        local nodes = 1 << level - 1
        counts = texts.split:kernel {gamma = false, counts = true, T = scalar} {
            counts = counts, left = left, nodes = nodes, leaves = leaves, key = arguments.key, first = arguments.first,
            shape = count * nodes * 2,
        }
    end
    return counts:reshape({count, leaves}):domain({1, 1}, {count, chances.size}):copy()
end

local function type_of(name, row, given)
    local info = types.list[given or row.counts and "int" or "float"]
    if types.is_real(info.name) == row.counts then
        local expected = row.counts and "integers: type 'int', 'uint'" or "floats: type 'float', 'double'"
        fail("rill.random: '%s' numbers are %s or a vector of them, got type '%s'", name, expected, info.name)
    end
    return info
end

local function check_options(row, options)
    local known = {seed = true, type = true, distribution = true}
    for _, parameter in ipairs(row) do
        known[parameter[1]] = true
    end
    known.p = known.p or row == rows.multinomial or nil
    option.check("rill.random", options, known)
end

--- distributions.random(shape, options) returns a stream of random numbers of the distribution `options.distribution`.
-- The caller has checked the shape, and that the type is float, double, int, uint or a vector of them.
function distributions.random(shape, options)
    local name = options.distribution
    local row = rows[name]
    if not row then
        fail("rill.random: option 'distribution': expected %s, got %s", list_names(), errors.told(name))
    end
    check_options(row, options)
    local info, like = type_of(name, row, options.type), rill.iter("float", shape, 0, 1) -- takes no memory
    local given = {}
    for _, parameter in ipairs(row) do
        given[parameter[1]] = check_parameter(parameter, options[parameter[1]], like.shape, info)
    end
    if row ~= rows.multinomial then
        local numbers = draw_each(name, given, info.scalar, like.size * info.components, options.seed)
        if info.components > 1 then
            numbers = numbers:reshape({like.size, info.components}):as(info.name)
        end
        return numbers:reshape(like.shape)
    end
    local chances = weights.check("rill.random", "p", options.p)
    local sizes = {table.unpack(like.shape)}
    sizes[#sizes + 1] = chances.size
    return draw_multinomial(given.n, chances, info.scalar, like.size, options.seed):reshape(sizes)
end

distributions.random = errors.guard(distributions.random, "rill.random")

return distributions
