-- Checks the functions of rill.signal with models in plain Lua: sums of Fourier transforms term by term, recurrences,
-- and the definitions of peaks. signals.random(int) returns the description of a random signal, and signals.check(s)
-- compares all functions for it.
local rill = require "rill"

local signals = {}

local pi, sin, cos <const> = math.pi, math.sin, math.cos

-- ---- models: lists of numbers, and of complex numbers {x, y}

-- Returns the coefficients 0 .. count - 1 of the transform of a list, with the sign of the exponent.
local function transform(x, count, sign)
    local n <const>, list = #x, {}
    for k = 0, count - 1 do
        local re, im = 0.0, 0.0
        for j = 0, n - 1 do
            local angle, v = sign * 2 * pi * (k * j % n) / n, x[j + 1]
            local a, b = v, 0.0
            if type(v) == "table" then a, b = v[1], v[2] end
            re, im = re + a * cos(angle) - b * sin(angle), im + a * sin(angle) + b * cos(angle)
        end
        list[k + 1] = {re, im}
    end
    return list
end

local function windowed(x, first, w)
    local list = {}
    for i = 1, #w do list[i] = (x[first + i] or 0.0) * w[i] end
    return list
end

function signals.stft(x, w, hop, center)
    local size <const>, list = #w, {}
    local before <const> = center and size // 2 or 0
    for first = 0, #x > 0 and #x + 2 * before - size or -1, hop do
        list[#list + 1] = transform(windowed(x, first - before, w), size // 2 + 1, -1)
    end
    return list
end

local function level(x, detrend)
    local n <const>, mean, moment, list = #x, 0, 0, {}
    for _, v in ipairs(x) do mean = mean + v / n end
    for i, v in ipairs(x) do moment = moment + (i - (n + 1) / 2) * (v - mean) end
    local slope <const> = detrend == "linear" and n > 1 and moment * 12 / (n * (n * n - 1.0)) or 0
    for i, v in ipairs(x) do list[i] = detrend and v - mean - slope * (i - (n + 1) / 2) or v end
    return list
end
signals.detrend = level

function signals.welch(x, w, hop, detrend, rate)
    local size <const>, power, count, squares = #w, {}, 0, 0
    for _, v in ipairs(w) do squares = squares + v * v end
    for first = 0, #x - size, hop do
        local part = level(table.move(x, first + 1, first + size, 1, {}), detrend)
        for i = 1, size do part[i] = part[i] * w[i] end
        for k, c in ipairs(transform(part, size // 2 + 1, -1)) do
            local twice = (k == 1 or 2 * (k - 1) == size) and 1 or 2
            power[k] = (power[k] or 0) + twice * (c[1] ^ 2 + c[2] ^ 2) / (rate * squares)
        end
        count = count + 1
    end
    for k = 1, #power do power[k] = power[k] / count end
    return power
end

function signals.lfilter(b, a, x, steady)
    local y, list, gain, order = {}, {}, 0, #a
    while a[order] == 0 do order = order - 1 end
    if steady then
        local p, q = 0, 0
        for _, v in ipairs(b) do p = p + v end
        for _, v in ipairs(a) do q = q + v end
        gain = p / q * x[1]
    end
    for i = 1, #x do
        local sum = 0.0
        for k, v in ipairs(b) do sum = sum + v * (x[i + 1 - k] or steady and x[1] or 0.0) end
        for k = 2, order do sum = sum - a[k] * (y[i + 1 - k] or gain) end
        y[i] = sum / a[1]
        list[i] = y[i]
    end
    return list
end

local function reversed(x)
    local list = {}
    for i = 1, #x do list[i] = x[#x + 1 - i] end
    return list
end

function signals.filtfilt(b, a, x, pad)
    local n <const>, list = #x, {}
    for i = -pad, n - 1 + pad do
        local j = i < 0 and -i or i >= n and 2 * (n - 1) - i or i
        list[#list + 1] = i < 0 and 2 * x[1] - x[j + 1] or i >= n and 2 * x[n] - x[j + 1] or x[j + 1]
    end
    local y = reversed(signals.lfilter(b, a, reversed(signals.lfilter(b, a, list, true)), true))
    return table.move(y, pad + 1, pad + n, 1, {})
end

-- Returns the values of the trigonometric polynomial through the samples, at m samples.
function signals.resample(x, m)
    local n <const>, f = #x, transform(x, #x // 2 + 1, -1)
    local least <const>, list = math.min(n, m), {}
    for j = 0, m - 1 do
        local sum = 0.0
        for k = 0, least // 2 do
            local c, angle = f[k + 1], 2 * pi * (k * j % m) / m
            local v = c[1] * cos(angle) - c[2] * sin(angle)
            sum = sum + (k == 0 and f[1][1] or 2 * k == least and m >= n and v or 2 * v)
        end
        list[j + 1] = sum / n
    end
    return list
end

function signals.hilbert(x)
    local n <const> = #x
    local f = transform(x, n, -1)
    for k = 0, n - 1 do
        local c, weight = f[k + 1], (k == 0 or 2 * k == n) and 1 or 2 * k < n and 2 or 0
        f[k + 1] = {c[1] * weight / n, c[2] * weight / n}
    end
    return transform(f, n, 1)
end

-- Returns the 1-based places of local maxima; of plateaus the middle.
local function maxima(x)
    local list, i = {}, 2
    while i < #x do
        local j = i
        if x[i - 1] < x[i] then
            while j < #x and x[j + 1] == x[i] do j = j + 1 end
            if j < #x and x[j + 1] < x[i] then list[#list + 1] = (i + j) // 2 end
        end
        i = j + 1
    end
    return list
end

function signals.prominence(x, at)
    local function side(d)
        local least, i = x[at], at + d
        while x[i] and x[i] <= x[at] do least, i = math.min(least, x[i]), i + d end
        return least
    end
    return x[at] - math.max(side(-1), side(1))
end

-- Returns the 0-based places of peaks, as lists of places and prominences.
function signals.find_peaks(x, o)
    local list = maxima(x)
    local function keep(holds)
        local kept = {}
        for _, at in ipairs(list) do kept[#kept + 1] = holds(at) and at or nil end
        list = kept
    end
    if o.height then keep(function(at) return x[at] >= o.height end) end
    if o.distance then
        local order = table.move(list, 1, #list, 1, {})
        table.sort(order, function(a, b) return x[a] > x[b] or x[a] == x[b] and a > b end)
        local left = {}
        for _, at in ipairs(order) do
            for _, other in ipairs(left[at] and {} or list) do
                left[other] = left[other] or other ~= at and math.abs(other - at) < o.distance
            end
        end
        keep(function(at) return not left[at] end)
    end
    if o.prominence then keep(function(at) return signals.prominence(x, at) >= o.prominence end) end
    local places, prominences = {}, {}
    for k, at in ipairs(list) do places[k], prominences[k] = at - 1, signals.prominence(x, at) end
    return places, prominences
end

-- ---- comparison

local function flat(list, out)
    out = out or {}
    for _, v in ipairs(list) do
        if type(v) == "table" then flat(v, out) else out[#out + 1] = v end
    end
    return out
end

-- Compares a stream with a nested list. The permitted error is relative to the largest number.
local function same(name, wanted, got, bound)
    wanted = flat(wanted)
    if got.type:find "vec" then got = got:as(got.type:find "^d" and "double" or "float") end
    local list = got:values()
    assert(#list == #wanted, ("%s: %d elements instead of %d"):format(name, #list, #wanted))
    local most = 0
    for _, v in ipairs(wanted) do most = v == v and math.max(most, math.abs(v)) or most end
    for i, v in ipairs(wanted) do
        assert(math.abs(list[i] - v) <= bound * most or v ~= v and list[i] ~= list[i],
            ("%s: element %d is %.17g instead of %.17g"):format(name, i, list[i], v))
    end
end

local NAMES <const> = {"hann", "hamming", "blackman", "boxcar", "nuttall", "cosine", "bartlett"}

-- Returns the product of two polynomials.
local function multiply(p, q)
    local r = {}
    for i = 1, #p + #q - 1 do r[i] = 0.0 end
    for i, a in ipairs(p) do
        for j, b in ipairs(q) do r[i + j - 1] = r[i + j - 1] + a * b end
    end
    return r
end

--- signals.random(int) returns a random signal with the parameters of all functions. int(low, high) draws a whole
-- number.
function signals.random(int)
    local length <const> = ({0, 1, 2, 3, 5, 8, 31, 64, 97, int(4, 70), int(4, 70), int(100, 400)})[int(1, 12)]
    local s = {
        n = length, batch = int(1, 3), T = int(0, 1) == 0 and "float" or "double", kind = int(1, 6), size = int(1, 24),
        hop = int(1, 30), window = NAMES[int(1, #NAMES)], center = int(0, 1) == 0, to = int(1, 90), x = {},
        detrend = ({false, "constant", "linear"})[int(1, 3)], distance = int(1, 9), height = int(-3, 3), b = {},
        a = {1.0},
        prominence = int(0, 4), rate = int(1, 100) / 4,
    }
    for _ = 1, int(1, 6) do s.b[#s.b + 1] = int(-20, 20) / 8 end
    for _ = 1, int(0, 3) do -- poles of a magnitude below 1
        local r, angle = int(0, 24) / 25, int(0, 100) / 100 * pi
        s.a = multiply(s.a, int(0, 2) == 0 and {1.0, int(0, 1) == 0 and r or -r} or {1.0, -2 * r * cos(angle), r * r})
    end
    local at = 0.0
    for i = 1, length * s.batch do
        at = at + int(-1, 1)
        s.x[i] = ({
            function() return int(-1000, 1000) / 256 end, function() return int(-2, 2) end, function() return 1.5 end,
            function() return at end, function() return sin(i * 0.4) * 4 + int(-10, 10) / 64 end,
            function() return int(0, 30) == 0 and 0 / 0 or int(-3, 3) end,
        })[s.kind]() + 0.0
    end
    return s
end

--- signals.check(s) compares all functions of rill.signal for a signal with the models. Raises an error if they differ.
function signals.check(s)
    local S <const>, n <const>, T <const> = rill.signal, s.n, s.T
    local bound <const> = T == "float" and 2e-5 or 1e-11
    local x = s.batch == 1 and rill.stream(T, n, s.x) or rill.stream(T, {s.batch, n}, s.x)
    local rows = {}
    for k = 1, s.batch do rows[k] = table.move(s.x, n * (k - 1) + 1, n * k, 1, {}) end
    local function each(f)
        local list = {}
        for k, row in ipairs(rows) do list[k] = f(row) end
        return list
    end
    local has_nan = s.kind == 6
    for _, row in ipairs(rows) do
        for _, o in ipairs {{}, {height = s.height}, {distance = s.distance}, {prominence = s.prominence},
            {height = s.height, distance = s.distance, prominence = s.prominence}} do
            local at, properties = S.find_peaks(n > 0 and rill.stream(T, n, row) or rill.stream(T, 0), o)
            local places, prominences = signals.find_peaks(row, o)
            same("find_peaks", places, at, 0)
            if o.prominence then same("prominences", prominences, properties.prominences, bound) end
        end
    end
    if n == 0 then
        assert(S.lfilter(s.b, s.a, x).size == 0 and S.stft(x).size == 0)
        for _, name in ipairs {"periodogram", "welch", "hilbert", "detrend"} do
            assert(select(2, pcall(S[name], x)):find "the signal has no samples")
        end
        return
    end
    same("lfilter", each(function(row) return signals.lfilter(s.b, s.a, row) end), S.lfilter(s.b, s.a, x), 20 * bound)
    if has_nan then return end
    local o <const> = {size = s.size, hop = s.hop, window = s.window, center = s.center}
    local w = S.window(s.window, s.size, {type = "double"}):values()
    local f = S.stft(x, o)
    same("stft", each(function(row) return signals.stft(row, w, s.hop, s.center) end), f, bound)
    local covered = s.hop <= s.size // 2 and s.size > 2 and s.window ~= "bartlett" and s.window ~= "hann" and
        s.window ~= "blackman" and s.window ~= "nuttall"
    if covered and f.shape[#f.shape - 1] > 0 and s.center then
        local y = S.istft(f, o)
        local m <const> = math.min(n, y.shape[#y.shape])
        same("istft", each(function(row) return table.move(row, 1, m, 1, {}) end), s.batch == 1 and y:domain(1, m) or
            y:domain({1, 1}, {s.batch, m}), 30 * bound)
    end
    local size <const> = math.min(s.size, n)
    local v = S.window(s.window, size, {type = "double"}):values()
    local total = 0
    for _, weight in ipairs(v) do total = total + weight end
    if total > 0.5 and s.detrend == false then
        same("welch", each(function(row) return signals.welch(row, v, s.hop, s.detrend, s.rate) end), (S.welch(x,
            {size = s.size,
            hop = s.hop, window = s.window, detrend = s.detrend, rate = s.rate})), bound)
    end
    same("detrend", each(function(row)
        local list = level(row, "linear")
        list[#list + 1] = math.max(table.unpack(row)) -- the error is relative to the signal
        return list
    end), rill.concat({S.detrend(x), x:max(-1):reshape(s.batch == 1 and {1} or {s.batch, 1})}, s.batch == 1 and 1 or 2),
        bound)
    same("hilbert", each(signals.hilbert), S.hilbert(x), bound)
    same("resample", each(function(row) return signals.resample(row, s.to) end), S.resample(x, s.to), bound)
    local pad <const> = math.min(n - 1, 3 * math.max(#s.a, #s.b))
    same("filtfilt", each(function(row) return signals.filtfilt(s.b, s.a, row, pad) end), S.filtfilt(s.b, s.a, x,
        {pad = pad}),
        100 * bound)
end

return signals
