-- Spectra of windows of a signal: short-time Fourier transforms and their inverse, periodograms and Welch's method.
local core = require "rill.core"
local rill = require "rill.core.public"
local arguments = require "rill.signal.arguments"
local detrend = require "rill.signal.resample"
local errors = require "rill.core.error"
local held = require "rill.core.scope"
local option = require "rill.core.options"
local recorder = require "rill.core.recorder"
local template = require "rill.glsl.template"
local types = require "rill.core.types"
local window = require "rill.signal.window"
local fail <const> = errors.fail
local kernels <const> = template.sections "spectrum"

local spectrum = {}

local MOST <const> = 1 << 24 -- samples of a window
local MOST_RANK <const> = 8
local COMPLEX <const> = {float = "vec2", double = "dvec2"}

local SIZE <const>, HOP <const> = option.number(1, MOST, 1024), option.count

-- ---- short-time spectra

local STFT <const> = {
    size = SIZE, hop = HOP, window = option.default(window.row, "hann"), center = option.default(option.flag, true),
}

-- Frames are transformed in parts of about so many bytes: on processors, they stay in a cache.
local PART <const> = {cpu = 1 << 20, gpu = 1 << 26}

-- Returns `count` windows of the rows of x, after `from` others, times the weights.
local function frames_of(x, weights, o, before, from, count)
    local frames <const> = rill.stream(x.type, {x.shape[1], count, o.size})
    kernels.frames:kernel {T = x.type}(x, weights, o.hop, from, before, frames)
    return frames
end

-- Returns the spectra of `count` windows of the rows of x, which are not copied, or nil if their size, hop or device
-- require copies. The rows get zeros before and after their samples.
local function direct(x, weights, o, before, count)
    if not core._windows(x, weights, o.hop, count, true) then
        return nil
    end
    local after <const> = before + -(x.shape[2] + 2 * before) % 4
    local rows <close> = x:pad {before = {0, before}, after = {0, after}}
    return core._windows(rows, weights, o.hop, count)
end

-- Returns the roots of unity exp(-2 pi i k / size) for k = 0 .. size / 2.
local function roots_of(size, C)
    local list = {}
    for k = 0, size // 2 do list[k + 1] = {math.cos(2 * math.pi * k / size), -math.sin(2 * math.pi * k / size)} end
    return rill.from(list, C)
end

-- Writes the spectra of frames with an even size to a stream. Two samples are one complex number for the transform.
local function write_spectra(frames, roots, result)
    local shape <const>, C <const> = frames.shape, COMPLEX[frames.type]
    local half <const> = shape[3] // 2
    local z <close> = rill.fft(frames:reshape({shape[1], shape[2], half, 2}):as(C), {axes = 3})
    kernels.split:kernel {C = C}(z, roots, half, result)
end

-- Returns the spectra of `count` frames of the rows of x.
local function transform(x, weights, o, before, count)
    local signals <const>, C <const> = x.shape[1], COMPLEX[x.type]
    local bytes <const> = o.size * types.list[x.type].bytes * signals
    local tracked <const> = recorder.on and recorder.tracks(x)
    local found <const> = not tracked and direct(x, weights, o, before, count)
    if found then
        return found
    end
    local part <const> = math.max(1, PART[rill.device().traits.family] // bytes)
    if part >= count or o.size % 2 == 1 or tracked then
        local frames <close> = frames_of(x, weights, o, before, 0, count)
        return (rill.fft(frames, {axes = 3, real = true}))
    end
    local result <const> = rill.stream(C, {signals, count, o.size // 2 + 1})
    local roots <close> = roots_of(o.size, C)
    for from = 0, count - 1, part do
        local last <const> = math.min(count, from + part)
        local frames <close> = frames_of(x, weights, o, before, from, last - from)
        write_spectra(frames, roots, result:domain({1, from + 1, 1}, {signals, last, o.size // 2 + 1}))
    end
    return result
end

--- rill.signal.stft(x, options) returns the spectra of windows, complex numbers {..., frames, bins}.
function spectrum.stft(x, options, ...)
    local where <const> = "rill.signal.stft"
    errors.none(where, 3, 2, (...))
    local o <const> = option.take(where, options, STFT)
    o.hop = o.hop or math.max(1, o.size // 4)
    local s = arguments.signal(where, 1, x, true)
    local rows <const>, batch = arguments.rows(s)
    local n <const>, before = rows.shape[2], o.center and o.size // 2 or 0
    local count <const> = (n == 0 or n + 2 * before < o.size) and 0 or (n + 2 * before - o.size) // o.hop + 1
    local bins <const>, C <const> = o.size // 2 + 1, COMPLEX[s.type]
    if #batch + 2 > MOST_RANK then
        fail("%s: argument #1 'x': a signal of %d dimensions would get %d, but the limit is %d", where, #s.shape,
            #batch + 2,
            MOST_RANK)
    end
    errors.fits(where, arguments.sizes(batch, count, bins))
    local weights <const> = rill.from(window.of(where, o.window, o.size), s.type)
    local signals <const> = rows.shape[1]
    if signals * count == 0 then
        return rill.stream(C, arguments.sizes(batch, count, bins))
    end
    return arguments.shaped(transform(rows, weights, o, before, count), batch, count, bins)
end

-- Raises unless every sample is in a window with a weight other than 0. Returns the largest sum of squared weights.
local function check_overlap(where, list, hop)
    local most, sums = 0, {}
    for k, w in ipairs(list) do
        local i <const> = (k - 1) % hop + 1
        sums[i] = (sums[i] or 0) + w * w
    end
    for i = 1, hop do most = math.max(most, sums[i] or 0) end
    for i = 1, hop do
        if not (sums[i] and sums[i] > 1e-10 * most) then
            fail("%s: option 'hop': with a hop of %d, sample %d of each hop has the weight 0 in all windows of " ..
                "%d samples and cannot be restored: choose a smaller hop or another window", where, hop, i, #list)
        end
    end
    return most
end

local ISTFT <const> = {
    size = {option.count[1], option.count[2]}, hop = HOP, window = STFT.window, center = STFT.center,
    length = {function(v) return math.type(v) == "integer" and v >= 0 end, "a number of samples, 0 or more"},
}

-- Returns the open stream of spectra, and the size of the windows.
local function spectra(where, f, size)
    local s <const> = errors.open(where .. ": argument #1 'f'", f)
    local info <const>, shape <const> = types.list[s.type], s.shape
    local scalar <const> = info and types.seen_scalar(s.type)
    if not info or info.components ~= 2 or not COMPLEX[scalar] or #shape < 2 or shape[#shape] == 0 then
        fail("%s: argument #1 'f': expected spectra {..., frames, bins} of vec2 or dvec2, got %s of shape %s", where,
            s.type,
            shape)
    end
    local bins <const> = shape[#shape]
    size = size or math.max(1, 2 * (bins - 1))
    if size // 2 + 1 ~= bins then
        fail("%s: option 'size': windows of %d samples have %d coefficients, but argument #1 'f' has %d: " ..
            "expected %d or %d", where, size, size // 2 + 1, bins, 2 * (bins - 1), 2 * bins - 1)
    end
    return s.type == COMPLEX[scalar] and s or s:cast(COMPLEX[scalar]), size, scalar
end

--- rill.signal.istft(f, options) returns the signal of short-time spectra.
function spectrum.istft(f, options, ...)
    local where <const> = "rill.signal.istft"
    errors.none(where, 3, 2, (...))
    local o <const> = option.take(where, options, ISTFT)
    local s, size <const>, T <const> = spectra(where, f, o.size)
    local hop <const> = o.hop or math.max(1, size // 4)
    local list <const> = window.of(where, o.window, size)
    local most <const> = check_overlap(where, list, hop)
    local batch = s.shape
    local bins <const>, count <const> = table.remove(batch), table.remove(batch)
    local whole <const>, before <const> = count > 0 and (count - 1) * hop + size or 0, o.center and size // 2 or 0
    local length <const> = o.length or math.max(0, o.center and count > 0 and (count - 1) * hop + size % 2 or whole)
    if before + length > whole and length > 0 then
        fail("%s: option 'length': %d frames have %d samples, got %d", where, count, math.max(0, whole - before),
            length)
    end
    local signals <const> = count > 0 and s.size // (count * bins) or 0
    if signals * length == 0 then
        return rill.stream(T, arguments.sizes(batch, length))
    end
    local own <close> = held {}
    own.frames = rill.fft(s:reshape {signals, count, bins}, {axes = 3, real = true, inverse = true, length = size})
    own.weights = rill.from(list, T)
    local result <const> = rill.stream(T, {signals, length})
    kernels.overlap:kernel {T = T}(own.frames, own.weights, hop, before, 1e-10 * most, result)
    return arguments.shaped(result, batch, length)
end

-- ---- power spectra

local KINDS <const> = {
    rate = option.default(option.positive, 1), window = window.row,
    detrend = {function(v) return v == false or v == "constant" or v == "linear" end, '"constant", "linear" or false',
        "constant"},
    scaling = option.choice({"density", "spectrum"}, "density"),
}
local PERIODOGRAM <const> = {window = option.default(window.row, "boxcar")}
local WELCH <const> = {
    size = option.number(1, MOST, 256), hop = HOP, window = option.default(window.row, "hann"),
}
for key, row in pairs(KINDS) do
    PERIODOGRAM[key], WELCH[key] = PERIODOGRAM[key] or row, WELCH[key] or row
end

-- Returns the power of frames {rows, size} of windows with the weights in `list`.
local function powers(where, own, frames, list, o)
    local T <const>, size <const> = frames.type, #list
    local sum, squares = window.sums(list)
    local scale <const> = o.scaling == "density" and o.rate * squares or sum ^ 2
    if scale == 0 then
        errors.fail("%s: option 'window': the weights are zero, or their sum is, by which the power is divided", where)
    end
    local factor <const> = 1 / scale
    own.level = o.detrend and detrend.flatten(frames, o.detrend) or nil
    own.weights = rill.from(list, T)
    own.weighted = ((own.level or frames) * own.weights):eval()
    own.spectra = rill.fft(own.weighted, {axes = 2, real = true})
    return kernels.power:kernel {T = T, C = COMPLEX[T]}(own.spectra, factor, size)
end

-- Returns the frequencies of half a spectrum of `size` samples.
local function frequencies(size, rate, type)
    return rill.rfftfreq(size, 1 / rate, type)
end

--- rill.signal.periodogram(x, options) returns the power spectrum of a signal, and its frequencies.
function spectrum.periodogram(x, options, ...)
    local where <const> = "rill.signal.periodogram"
    errors.none(where, 3, 2, (...))
    local o <const> = option.take(where, options, PERIODOGRAM)
    local rows <const>, batch <const> = arguments.rows(arguments.signal(where, 1, x))
    local n <const> = rows.shape[2]
    local list <const> = window.of(where, o.window, n)
    if rows.size == 0 then
        return rill.stream(rows.type, arguments.sizes(batch, n // 2 + 1)), frequencies(n, o.rate, rows.type)
    end
    local own <close> = held {}
    return arguments.shaped(powers(where, own, rows, list, o), batch, n // 2 + 1), frequencies(n, o.rate, rows.type)
end

--- rill.signal.welch(x, options) returns the mean of the power spectra of windows, and the frequencies.
function spectrum.welch(x, options, ...)
    local where <const> = "rill.signal.welch"
    errors.none(where, 3, 2, (...))
    local o <const> = option.take(where, options, WELCH)
    local rows <const>, batch <const> = arguments.rows(arguments.signal(where, 1, x))
    local signals <const>, n <const> = rows.shape[1], rows.shape[2]
    local size <const> = math.min(o.size, n)
    local hop <const> = o.hop or math.max(1, size - size // 2)
    local list <const>, bins <const> = window.of(where, o.window, size), size // 2 + 1
    if rows.size == 0 then
        return rill.stream(rows.type, arguments.sizes(batch, bins)), frequencies(size, o.rate, rows.type)
    end
    local own <close> = held {}
    local done, windows = pcall(rows.windows, rows, size, hop)
    if not done then -- the elements of the view are not regularly spaced
        own.rows = rows:copy()
        windows = own.rows:windows(size, hop)
    end
    own.copy = windows:copy()
    local count <const> = own.copy.shape[2]
    own.power = powers(where, own, own.copy:reshape {signals * count, size}, list, o)
    local mean <const> = own.power:reshape({signals, count, bins}):mean(2)
    return arguments.shaped(mean, batch, bins), frequencies(size, o.rate, rows.type)
end

for _, name in ipairs {"stft", "istft", "periodogram", "welch"} do
    spectrum[name] = errors.guard(spectrum[name], "rill.signal." .. name)
end

return spectrum
