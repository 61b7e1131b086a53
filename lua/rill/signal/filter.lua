-- Filters: the design of finite impulse responses, and filters with rational transfer functions.
--
-- A recursive filter is computed in blocks: the outputs of all blocks with the state 0; the states before the blocks,
-- which follow from the last outputs by a linear recurrence with a constant matrix, in groups of blocks, and groups of
-- groups; the contributions of the states. Everything is computed in doubles.
local rill = require "rill.core.public"
local arguments = require "rill.signal.arguments"
local errors = require "rill.core.error"
local held = require "rill.core.scope"
local option = require "rill.core.options"
local recorder = require "rill.core.recorder"
local tables = require "rill.core.tables"
local template = require "rill.glsl.template"
local types = require "rill.core.types"
local window = require "rill.signal.window"
local fail <const> = errors.fail
local kernels <const> = template.sections "filter"

local filter = {}

local pi, sin <const> = math.pi, math.sin

-- ---- design

local PASSES <const> = {lowpass = 1, highpass = 1, bandpass = 2, bandstop = 2}
local MOST_TAPS <const> = 1 << 20
local FIRWIN <const> = {
    pass = option.words(PASSES), window = option.default(window.row, "hamming"), rate = option.default(option.positive,
        2),
    scale = option.default(option.flag, true), type = option.choice({"float", "double"}, "float"),
}

-- Returns the bands {low, high} that pass, as fractions of half of the rate.
local function bands_of(where, cutoff, o, n)
    local edges, last = type(cutoff) == "table" and cutoff or {cutoff}, 0
    if not option.is_list(edges) or #edges == 0 then
        fail("%s: argument #2 'cutoff': expected a frequency, or a list of them, got %s", where, errors.told(cutoff))
    end
    local list = {}
    for k, f in ipairs(edges) do
        list[k] = type(f) == "number" and f / (o.rate / 2)
        if not list[k] or not (list[k] > last and list[k] < 1) then
            fail("%s: argument #2 'cutoff': expected increasing frequencies above 0 and below %g, half of the rate, " ..
                "got %s", where, o.rate / 2, errors.told(cutoff))
        end
        last = list[k]
    end
    local pass <const> = o.pass or #list == 1 and "lowpass"
    if not pass then
        fail("%s: option 'pass' is missing: with %d frequencies, expected \"bandpass\" or \"bandstop\"", where, #list)
    elseif (PASSES[pass] == 1) ~= (#list == 1) then
        fail("%s: option 'pass': \"%s\" has %s, got %d", where, pass, PASSES[pass] == 1 and "one frequency" or
            "two or more frequencies", #list)
    end
    if pass == "lowpass" or pass == "bandstop" then table.insert(list, 1, 0) end
    if #list % 2 == 1 then
        list[#list + 1] = 1
        if n % 2 == 0 then
            fail("%s: argument #1 'n': a filter with an even number of coefficients is 0 at half of the rate, " ..
                "where \"%s\" passes: expected an odd number, got %d", where, pass, n)
        end
    end
    return list
end

local function sinc(x) return x == 0 and 1.0 or sin(pi * x) / (pi * x) end

--- rill.signal.firwin(n, cutoff, options) returns the coefficients of a filter, by the window method.
function filter.firwin(n, cutoff, options, ...)
    local where <const> = "rill.signal.firwin"
    errors.none(where, 4, 3, (...))
    n = tables.whole(n)
    if math.type(n) ~= "integer" or n < 1 or n > MOST_TAPS then
        fail("%s: argument #1 'n': expected a number of coefficients from 1 to %d, got %s", where, MOST_TAPS,
            errors.told(n))
    end
    local o <const> = option.take(where, options, FIRWIN)
    local bands <const>, weights <const> = bands_of(where, cutoff, o, n), window.of(where, o.window, n, true)
    local list, sum = {}, 0
    local low <const>, high <const> = bands[1], bands[2]
    local center <const> = low == 0 and 0 or high == 1 and 1 or (low + high) / 2 -- where the response is 1
    for i = 1, n do
        local m, h = i - 1 - (n - 1) / 2, 0
        for k = 1, #bands, 2 do h = h + bands[k + 1] * sinc(bands[k + 1] * m) - bands[k] * sinc(bands[k] * m) end
        list[i] = h * weights[i]
        sum = sum + list[i] * math.cos(pi * m * center)
    end
    for i = 1, o.scale and n or 0 do list[i] = list[i] / sum end
    return rill.from(list, o.type)
end

-- ---- coefficients

local MOST_ORDER <const> = 16

-- Returns a list of numbers from argument i: a number, a list or a stream of one dimension.
local function coefficients(where, i, name, value)
    local what <const> = ("%s: argument #%d '%s'"):format(where, i, name)
    arguments.untracked(where, name, value)
    if option.is_finite(value) then
        value = {value}
    elseif not option.table[1](value) and not errors.not_open(value) then
        local s <const> = types.numbers(what, value)
        value = #s.shape == 1 and s:values() or nil
    end
    if value == nil or not option.is_vector(value) or #value == 0 then
        fail("%s: expected finite numbers, at least one: a table or a stream of one dimension, got %s", what,
            errors.told(value))
    end
    return value
end

-- Returns the coefficients of a transfer function, divided by a[1]. Zeros at the end of `a` are left out.
local function normalized(where, b, a, first)
    b, a = coefficients(where, first or 1, "b", b), coefficients(where, (first or 1) + 1, "a", a)
    local lead <const> = a[1]
    if lead == 0 then
        fail("%s: argument #%d 'a': the first coefficient must not be 0", where, (first or 1) + 1)
    end
    local p, q = {}, {}
    for k, v in ipairs(b) do p[k] = v / lead end
    for k, v in ipairs(a) do q[k] = v / lead end
    while q[#q] == 0 do q[#q] = nil end
    if #q - 1 > MOST_ORDER then
        fail("%s: argument #%d 'a': a recursive filter has at most %d coefficients, got %d: divide it into " ..
            "second-order sections for rill.signal.sosfilt, which are also more accurate", where, (first or 1) + 1,
            MOST_ORDER + 1, #q)
    end
    return p, q
end

-- ---- the part with a finite impulse response

-- Returns the sums b[1] x[i] + b[2] x[i - 1] + ... of the rows of x. `steady`: samples before the first one are equal
-- to it.
local function finite(own, x, b, steady)
    if #b == 1 then
        return (x * b[1]):eval()
    end
    local n <const>, half_n <const> = x.shape[2], #b // 2
    own.weights = rill.from(b, x.type)
    own.padded = x:pad {before = {0, half_n}, boundary = steady and "clamp" or nil}
    local many <const> = x.shape[1] > 1
    local s <const> = many and own.padded or own.padded:reshape {own.padded.size}
    own.sums = rill.convolve(s, many and own.weights:reshape {1, #b} or own.weights, {boundary = steady and "clamp" or
        "zero"})
    return own.sums:reshape(own.padded.shape):domain({1, 1}, {x.shape[1], n})
end

-- ---- the recursive part

local BLOCK <const>, GROUP <const>, FEW <const> = 128, 32, 128

-- Returns the outputs that follow from each state with one 1, {n, size}, and the matrix from the state before a block
-- to that after it. Both are lists of rows.
local function responses(a, size)
    local n <const> = #a - 1
    local h, m = {}, {}
    for k = 1, n do
        local y = {}
        for j = 1, n do y[-j] = j == k and 1.0 or 0.0 end
        for i = 0, size - 1 do
            local sum = 0.0
            for j = 1, n do
                local v <const> = y[i - j]
                if v ~= 0 then sum = sum - a[j + 1] * v end
            end
            y[i] = sum
        end
        h[k] = table.move(y, 0, size - 1, 1, {})
    end
    for i = 1, n do
        m[i] = {}
        for k = 1, n do m[i][k] = h[k][size - i + 1] end
    end
    return h, m
end

-- Returns the product of two square matrices, in which 0 times infinity is 0.
local function product(p, q)
    local r = {}
    for i = 1, #p do
        r[i] = {}
        for j = 1, #p do
            local sum = 0.0
            for k = 1, #p do
                if p[i][k] ~= 0 and q[k][j] ~= 0 then sum = sum + p[i][k] * q[k][j] end
            end
            r[i][j] = sum
        end
    end
    return r
end

-- Returns the elements of rows in one list, and whether one is not finite.
local function flat(rows)
    local list, bad = {}, false
    for _, row in ipairs(rows) do
        for _, v in ipairs(row) do list[#list + 1], bad = v, bad or v - v ~= 0 end
    end
    return list, bad
end

-- Returns the values of templates for n coefficients.
local function values_of(n, more)
    local values = more or {}
    values.terms, values.moves = {}, {}
    for k = 1, n do
        values.terms[k] = {i = k, c = k - 1, row = n * (k - 1)}
        if k > 1 then values.moves[n + 1 - k] = {i = k, before = k - 1} end
    end
    for k = 1, n - 1 do values.moves[k] = {i = n + 1 - k, before = n - k} end
    return values
end

-- Returns the states before blocks, whose last outputs with the state 0 are e {signals, blocks, n}. m: the matrix of a
-- block. start: the state before the first block, {signals, 1, n}.
local function states(e, m, start)
    local signals <const>, count <const>, n <const> = table.unpack(e.shape)
    local list <const>, guarded <const> = flat(m)
    local carry <const> = kernels.carry:kernel(values_of(n, {guarded = guarded}))
    local own <close> = held {}
    own.m = rill.from(list, "double")
    local result <const> = rill.stream("double", {signals, count, n})
    local size = count
    if count > FEW then
        size = GROUP
        local groups <const>, power = (count + size - 1) // size, m
        for _ = 1, 5 do power = product(power, power) end -- 2^5 = GROUP
        own.zero, own.unused = rill.stream("double", {signals, groups, n}), rill.stream("double", {signals, groups, n})
        carry {e = e, m = own.m, start = own.zero, size = size, s = result, next = own.unused, shape = {signals,
            groups}}:close()
        own.start = states(own.unused, power, start)
        start = own.start
    end
    own.next = rill.stream("double", {signals, (count + size - 1) // size, n})
    carry {e = e, m = own.m, start = start, size = size, s = result, next = own.next,
        shape = {signals, (count + size - 1) // size}}:close()
    return result
end

--- filter.recursive(v, a, T, start) returns the outputs y of v, the rows of a matrix of doubles, as elements of type T.
-- start: the outputs before the first one, which are all equal for each signal, a stream {signals}; nil: 0.
function filter.recursive(v, a, T, start)
    local signals <const>, length <const> = table.unpack(v.shape)
    local n <const> = #a - 1
    local count <const> = (length + BLOCK - 1) // BLOCK
    local h <const>, m <const> = responses(a, BLOCK)
    local own <close> = held {}
    own.a, own.h = rill.from(a, "double"), rill.from((flat(h)), "double")
    own.y = rill.stream("double", {signals, length})
    kernels.alone:kernel(values_of(n)) {v = v, a = own.a, size = BLOCK, y = own.y, shape = {signals, count}}:close()
    own.ends = kernels.ends:kernel() {y = own.y, size = BLOCK, shape = {signals, count, n}}
    own.start = rill.stream("double", {signals, 1, n})
    if start then own.start:write(own.start + start:reshape {signals, 1, 1}) end
    own.states = states(own.ends, m, own.start)
    return (kernels.join:kernel(values_of(n, {T = T}))(own.y, own.states, own.h, BLOCK))
end

filter.recursive = recorder.wrap("rill.signal.lfilter outputs", filter.recursive)

-- Returns the rows of x, doubles, filtered, as elements of type T. `steady`: the signal and the outputs before the
-- first sample are constant.
local function run(where, x, b, a, T, steady)
    local own <close> = held {}
    local v <const> = finite(own, x, b, steady)
    if #a == 1 then
        return v:cast(T)
    end
    if steady then
        local gain, poles = 0, 0
        for _, c in ipairs(b) do gain = gain + c end
        for _, c in ipairs(a) do poles = poles + c end
        if poles == 0 then
            fail("%s: argument #2 'a': the filter has no steady state, since the sum of the coefficients is 0", where)
        end
        own.start = (x:domain({1, 1}, {x.shape[1], 1}):copy():reshape {x.shape[1]} * (gain / poles)):eval()
    end
    own.v = v
    return filter.recursive(v, a, T, own.start)
end

-- ---- functions

--- rill.signal.lfilter(b, a, x) returns the filtered signal.
function filter.lfilter(b, a, x, ...)
    local where <const> = "rill.signal.lfilter"
    errors.none(where, 4, 3, (...))
    local p <const>, q <const> = normalized(where, b, a)
    local s <const> = arguments.signal(where, 3, x, true)
    if s.size == 0 then
        return rill.stream(s.type, s.shape)
    end
    local rows <const> = arguments.rows(s)
    return run(where, rows:cast "double", p, q, s.type):reshape(s.shape)
end

--- rill.signal.sosfilt(sections, x) returns the signal filtered by sections.
function filter.sosfilt(sections, x, ...)
    local where <const> = "rill.signal.sosfilt"
    errors.none(where, 3, 2, (...))
    arguments.untracked(where, "x", x)
    if not option.table[1](sections) and not errors.not_open(sections) then
        sections = types.numbers(where .. ": argument #1 'sections'", sections):read()
    end
    local list = {}
    for k, row in ipairs(option.is_list(sections) and sections or {}) do
        if not option.is_vector(row, 6) or row[4] == 0 then
            fail("%s: argument #1 'sections': section %d: expected six numbers {b0, b1, b2, a0, a1, a2}, and a0 " ..
                "other than 0, got %s", where, k, errors.told(row))
        end
        list[k] = {normalized(where, {row[1], row[2], row[3]}, {row[4], row[5], row[6]})}
    end
    if #list == 0 then
        fail("%s: argument #1 'sections': expected a list of sections {b0, b1, b2, a0, a1, a2}, got %s", where,
            errors.told(sections))
    end
    local s <const> = arguments.signal(where, 2, x, true)
    if s.size == 0 then
        return rill.stream(s.type, s.shape)
    end
    local y = arguments.rows(s):cast "double"
    for k, section in ipairs(list) do
        local next_y <const> = run(where, y, section[1], section[2], k == #list and s.type or "double")
        y:close()
        y = next_y
    end
    return y:reshape(s.shape)
end

local FILTFILT <const> = {pad = {function(v) return math.type(v) == "integer" and v >= 0 end,
    "a number of samples, 0 or more"}}

--- rill.signal.filtfilt(b, a, x, options) returns the signal filtered forward and backward.
function filter.filtfilt(b, a, x, options, ...)
    local where <const> = "rill.signal.filtfilt"
    errors.none(where, 5, 4, (...))
    local o <const> = option.take(where, options, FILTFILT)
    local p <const>, q <const> = normalized(where, b, a)
    arguments.untracked(where, "x", x)
    local s <const> = arguments.signal(where, 3, x)
    local rows <const> = arguments.rows(s)
    local n <const>, pad <const> = rows.shape[2], o.pad or 3 * math.max(#p, #q)
    if pad >= n then
        fail("%s: argument #3 'x': the signal is extended by %d samples at both ends, and must be longer: it has " ..
            "%d: expected the option 'pad', at most %d", where, pad, n, n - 1)
    elseif s.size == 0 then
        return rill.stream(s.type, s.shape)
    end
    local signals <const>, own <close> = rows.shape[1], held {}
    own.x = kernels.odd:kernel {T = rows.type} {x = rows, before = pad, shape = {signals, n + 2 * pad}}
    own.forward = run(where, own.x, p, q, "double", true)
    own.reverse = own.forward:flip(2):copy()
    own.back = run(where, own.reverse, p, q, s.type, true)
    return own.back:flip(2):domain({1, pad + 1}, {signals, pad + n}):copy():reshape(s.shape)
end

for _, name in ipairs {"firwin", "lfilter", "sosfilt", "filtfilt"} do
    filter[name] = errors.guard(filter[name], "rill.signal." .. name)
end

return filter
