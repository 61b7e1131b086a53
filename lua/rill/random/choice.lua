-- rill.permutation and rill.choice: random permutations and samples.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local template = require "rill.glsl.template"
local FEISTEL <const> = template.file "choice"
local weights = require "rill.random.weights"
local fail <const> = errors.fail

local choice = {}

local function check_options(name, options, known)
    option.check(name, options, known)
    options = tables.whole(options or {})
    if options.seed ~= nil and math.type(options.seed) ~= "integer" then
        fail("%s: option 'seed': expected a whole number, got %s", name, tostring(options.seed))
    end
    return options
end

local MOST <const> = (1 << 31) - 1

local function is_count(value, least)
    return math.type(value) == "integer" and value >= least and value <= MOST
end

-- Returns 0 .. n - 1 in the order of random 32-bit words. Two words are equal with probability 2^-32; then their
-- indices keep their order.
local function shuffled(n, seed)
    local words <close> = rill.random(n, {type = "uint", seed = seed})
    return core._set_indices(rill.argsort(words), false)
end

--- rill.permutation(n [, {seed=}]) returns the numbers 0 .. n - 1 in random order, a new int stream. The same seed
-- gives the same order on every device. Default of `seed`: the sequence that rill.seed starts.
function choice.permutation(n, options)
    n = tables.whole(n)
    if not is_count(n, 0) then
        fail("rill.permutation: argument #1 'n': expected a whole number from 0 to %d, got %s", MOST, tostring(n))
    end
    options = check_options("rill.permutation", options, {seed = true})
    return (shuffled(n, options.seed))
end

-- Scales uniform random numbers to the total. `below` is the largest number less than `total`, so that no result
-- exceeds the last sum.
local SPREAD <const> = template.new [[
    kernel void spread(double u<>, double total, double below, out double r<>) {
        r = min(u * total, below);
    }
]]


-- For fewer numbers, or a larger share of them, the shuffle is as fast.
local FEISTEL_LEAST <const>, FEISTEL_SHARE <const> = 32, 8

-- Returns `count` different integers below n.
local function distinct(n, count, seed)
    if n < FEISTEL_LEAST or count > n // FEISTEL_SHARE then
        local all <close> = shuffled(n, seed)
        return all:domain(1, count):copy()
    end
    local bits = 1
    while 1 << bits < n do
        bits = bits + 1
    end
    local keys <close> = rill.random(3, {type = "uvec4", seed = seed})
    return FEISTEL:kernel()(rill.iter("int", count, 0, count), n, bits, keys)
end

-- Returns `count` integers below n, drawn by the options, as a flat int stream.
local function draw(n, count, options)
    local seed = options.seed
    if not options.p then
        if options.replace == false then
            return distinct(n, count, seed)
        end
        return rill.random(count, {type = "int", low = 0, high = math.max(n, 1) - 1, seed = seed})
    end
    local chances = weights.check("rill.choice", "p", options.p, n)
    if n == 0 then
        return rill.stream("int", 0)
    elseif options.replace ~= false then
        local sums <close> = chances:scan()
        local uniform <close> = rill.random(count, {type = "double", seed = seed})
        local total = sums[n]
        local below = string.unpack("d", string.pack("j", string.unpack("j", string.pack("d", total)) - 1))
        local at <close> = SPREAD:kernel()(uniform, total, below)
        return core._set_indices(rill.searchsorted(sums, at, {side = "right"}), false)
    end
    local some = chances:count()
    if count > some then
        local what = "rill.choice: cannot draw %d elements without repetition: only %d elements have a chance above 0"
        fail(what, count, some)
    end
    -- Each element gets an exponentially distributed waiting time, which is shorter for larger chances (Efraimidis and
    -- Spirakis 2006). The logarithms of the times are compared, so that chances of any size are possible.
    local times <close> = rill.random(n, {type = "double", distribution = "exponential", seed = seed})
    local haste <close> = (rill.log(chances) - rill.log(times)):eval()
    local best <close>, order = haste:top_k(count)
    return best and core._set_indices(order, false)
end

--- rill.choice(from, shape [, {seed=, replace=, p=}]) returns elements drawn from a stream or a table, or integers from
-- 0 to from
-- - 1 (an int stream). `p`: the chances, which need not be normalized. Default: equal chances. `replace`: whether an
-- element may be drawn twice. Default: true.
function choice.choice(from, shape, options)
    if type(from) == "table" and not rill.type(from) then
        from = rill.from(from)
    end
    from = tables.whole(from)
    local other = errors.not_open(from)
    local source = not other and from
    if not source and not is_count(from, 0) then
        local what = "rill.choice: argument #1 'from': expected an open stream or a table, or a whole number " ..
            "from 0 to %d, got %s"
        fail(what, MOST, rill.type(from) and other or tostring(from))
    end
    options = check_options("rill.choice", options, {seed = true, replace = true, p = true})
    if options.replace ~= nil and type(options.replace) ~= "boolean" then
        local what = "rill.choice: option 'replace': expected true or false, got %s"
        fail(what, tostring(options.replace))
    end
    local n = source and source.size or from
    local sizes <const> = core._checked_shape("rill.choice", "shape", 2, shape)
    local count <const> = tables.product(sizes)
    if count > 0 and n == 0 then
        fail("rill.choice: argument #1 'from' is empty")
    elseif options.replace == false and count > n then
        fail("rill.choice: cannot draw %d elements without repetition from %d", count, n)
    end
    local numbers = draw(n, count, options):reshape(sizes)
    if not source then
        return numbers
    end
    return (rill.gather(source, numbers))
end

choice.permutation = errors.guard(choice.permutation, "rill.permutation")
choice.choice = errors.guard(choice.choice, "rill.choice")

return choice
