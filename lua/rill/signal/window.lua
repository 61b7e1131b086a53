-- Windows: weights of n samples, with the definitions of scipy. They are computed in doubles on the host.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local lru = require "rill.core.lru"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local types = require "rill.core.types"
local fail <const> = errors.fail

local window = {}

local abs, cos, exp, pi, sin <const> = math.abs, math.cos, math.exp, math.pi, math.sin

-- Sums of cosines: Harris (1978), Nuttall (1981), and the flat top window of Heinzel, Ruediger and Schilling (2002).
local function sum_of(...)
    local a <const> = {...}
    return function(i, n)
        local x, s = 2 * pi * i / (n - 1), 0
        for k = #a, 1, -1 do s = s + a[k] * (k % 2 == 1 and 1 or -1) * cos((k - 1) * x) end
        return s
    end
end

local function triangle(i, n) return 1 - abs(2 * i / (n - 1) - 1) end

-- The modified Bessel function of order 0, by its series.
local function bessel(x)
    local term, sum, k = 1.0, 1.0, 0
    repeat
        k = k + 1
        term = term * (x / (2 * k)) ^ 2
        sum = sum + term
    until term < sum * 1e-17
    return sum
end

-- Functions (i, n, o) of the sample i = 0 .. n - 1 of a symmetric window of n > 1 samples with the options o.
local rows <const> = {
    boxcar = function() return 1.0 end,
    triang = function(i, n)
        local m = math.min(i, n - 1 - i) + 1
        return n % 2 == 0 and (2 * m - 1) / n or 2 * m / (n + 1)
    end,
    bartlett = triangle,
    hann = sum_of(0.5, 0.5),
    hamming = sum_of(0.54, 0.46),
    blackman = sum_of(0.42, 0.5, 0.08),
    blackmanharris = sum_of(0.35875, 0.48829, 0.14128, 0.01168),
    nuttall = sum_of(0.3635819, 0.4891775, 0.1365995, 0.0106411),
    flattop = sum_of(0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368),
    cosine = function(i, n) return sin(pi * (i + 0.5) / n) end,
    barthann = function(i, n)
        local x = abs(i / (n - 1) - 0.5)
        return 0.62 - 0.48 * x + 0.38 * cos(2 * pi * x)
    end,
    bohman = function(i, n)
        local x = abs(2 * i / (n - 1) - 1)
        return (i == 0 or i == n - 1) and 0.0 or (1 - x) * cos(pi * x) + sin(pi * x) / pi
    end,
    parzen = function(i, n)
        local x = abs(i - (n - 1) / 2)
        local y = 2 * x / n
        return x <= (n - 1) / 4 and 1 - 6 * y ^ 2 + 6 * y ^ 3 or 2 * (1 - y) ^ 3
    end,
    lanczos = function(i, n)
        local x = pi * (2 * i / (n - 1) - 1)
        return x == 0 and 1.0 or sin(x) / x
    end,
    kaiser = function(i, n, o)
        local x = 2 * i / (n - 1) - 1
        return bessel(o.beta * math.sqrt(math.max(0, 1 - x * x))) / bessel(o.beta)
    end,
    gaussian = function(i, n, o) return exp(-0.5 * ((i - (n - 1) / 2) / o.std) ^ 2) end,
    tukey = function(i, n, o)
        local width <const> = o.alpha * (n - 1) / 2
        local m = math.min(i, n - 1 - i)
        return m >= width and 1.0 or 0.5 * (1 + cos(pi * (m / width - 1)))
    end,
    exponential = function(i, n, o) return exp(-abs(i - (n - 1) / 2) / o.tau) end,
}

local KAISER <const> = 700 -- the largest beta: bessel(beta) is in range
-- The parameters of windows: the row of its option, and the window that has it.
local PARAMETERS <const> = {
    beta = {option.number(0.0, KAISER)[1], "a number from 0 to " .. KAISER}, std = option.positive,
    alpha = {option.number(0.0, 1.0)[1], "a number from 0 to 1", 0.5}, tau = option.default(option.positive, 1),
}
local OF <const> = {kaiser = "beta", gaussian = "std", tukey = "alpha", exponential = "tau"}
local MOST <const> = 1 << 24

local NAMES <const> = tables.keys(rows)
local name_row <const> = option.words(NAMES)

-- Returns a list of the n weights, as numbers.
local function weights(name, n, o)
    local f, list = rows[name], {}
    local m <const> = o.symmetric and n or n + 1
    for i = 1, n do list[i] = m > 1 and f(i - 1, m, o) or 1.0 end
    return n == 1 and {1.0} or list
end

-- Returns checked options of a window.
local function checked(where, name, options, known)
    if not name_row[1](name) then
        fail("%s: expected the name of a window, %s, got %s", where[1], name_row[2], errors.told(name))
    end
    known = tables.copy(known)
    local own <const> = OF[name]
    for key in pairs(options or {}) do
        if PARAMETERS[key] and key ~= own then
            fail("%s: option '%s': the window \"%s\" does not have it", where[2], key, name)
        end
    end
    for key, row in pairs(PARAMETERS) do
        known[key] = {row[1], row[2], key == own and row[3] or nil, key == own and not row[3]}
    end
    return option.take(where[2], options, known)
end

local OPTIONS <const> = {symmetric = option.default(option.flag, false), type = option.choice({"float", "double"},
    "float")}

--- rill.signal.window(name, n, options) returns the n weights of a window, a new stream.
function window.window(name, n, options, ...)
    local where <const> = "rill.signal.window"
    errors.none(where, 4, 3, (...))
    n = tables.whole(n)
    local o <const> = checked({where .. ": argument #1 'name'", where}, name, options, OPTIONS)
    if math.type(n) ~= "integer" or n < 0 or n > MOST then
        fail("%s: argument #2 'n': expected a whole number from 0 to %d, got %s", where, MOST, errors.told(n))
    end
    return n == 0 and rill.stream(o.type, 0) or rill.from(weights(name, n, o), o.type)
end

-- ---- windows as options

local KEPT <const> = 16
local find, keep = lru(KEPT)

-- Returns the list of the weights of a window, which is kept.
local function kept(name, n, o)
    local key <const> = table.concat({name, n, tostring(o.symmetric), o[OF[name]] or ""}, " ")
    local list = find(key)
    if not list then
        list = weights(name, n, o)
        keep(key, list)
    end
    return list
end

--- window.row: the row of the option 'window': a name, a table {name, parameter =}, or a stream of the weights.
window.row = {function(v)
    return name_row[1](v) or option.table[1](v) or not errors.not_open(v)
end, "the name of a window, a table such as {\"kaiser\", beta = 8}, or a stream of weights"}

--- window.of(where, value, n [, symmetric]) returns the list of the n weights of the option 'window'.
function window.of(where, value, n, symmetric)
    local what <const> = where .. ": option 'window'"
    if not option.table[1](value) and not errors.not_open(value) then
        local s <const> = types.numbers(what, value)
        if #s.shape ~= 1 or s.size ~= n then
            fail("%s: expected a stream of %d weights, the size of a window, got shape %s", what, n, s.shape)
        end
        return s:values()
    end
    local name, given = value, {}
    if option.table[1](value) then
        name = value[1]
        for key, item in pairs(value) do
            if key ~= 1 then given[key] = item end
        end
    end
    local o <const> = checked({what, what}, name, given, {})
    o.symmetric = symmetric
    return kept(name, n, o)
end

--- window.sums(list) returns the sum of the weights and the sum of their squares.
function window.sums(list)
    local sum, squares = 0, 0
    for _, w in ipairs(list) do sum, squares = sum + w, squares + w * w end
    return sum, squares
end

window.window = errors.guard(window.window, "rill.signal.window")

return window
