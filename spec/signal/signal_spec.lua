-- rill.signal, compared with recorded results of scipy and with models in plain Lua.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local recorded = require "spec.support.scipy_signals"
local signals = require "spec.support.signals"

local LONG <const> = os.getenv "RILL_SUITE_LONG"
local S <const> = rill.signal

local function signal(n, T)
    return rill.stream(T or "double", n, function(i)
        i = i - 1
        return math.sin(0.3 * i) + 0.5 * math.cos(1.7 * i + 0.2) + 0.02 * i
    end)
end

local function numbers(s)
    return (s.type:find "vec" and s:as(s.type:find "^d" and "double" or "float") or s):values()
end

describe("rill.signal", function()
    leaks.watch(setup, teardown)

    it("has the results of scipy #doubles", function()
        local environment = {signal = signal, prominences = function(x)
            return select(2, S.find_peaks(x, {prominence = 0})).prominences
        end}
        setmetatable(environment, {__index = S})
        assert.is_true(#recorded > 80)
        local rows, of_function = {}, {}
        for _, row in ipairs(recorded) do
            local name <const> = row[1]:match "^%w+"
            of_function[name] = (of_function[name] or 0) + 1
            rows[#rows + 1] = (LONG or of_function[name] == 1) and row or nil -- in the short run: one for each function
        end
        for _, row in ipairs(rows) do
            local call, wanted = row[1], row[2]
            local got = numbers((load("return " .. call, call, "t", environment)()))
            assert.equal(#wanted, #got, call)
            local most = 1e-3
            for _, v in ipairs(wanted) do most = math.max(most, math.abs(v)) end
            for i, v in ipairs(wanted) do
                assert.is_true(math.abs(got[i] - v) <= 1e-6 * most, ("%s: element %d is %g instead of %g"):format(call,
                    i,
                    got[i], v))
            end
        end
    end)

    it("has the results of models for random signals #doubles", function()
        math.randomseed(11)
        for _ = 1, LONG and 40 or 3 do signals.check(signals.random(math.random)) end
    end)

    it("returns frequencies, and shapes of batches", function()
        local x = rill.random({2, 3, 100}, {seed = 1})
        local p, f = S.welch(x, {size = 20, rate = 50})
        assert.same({2, 3, 11}, {table.unpack(p.shape)})
        assert.same(rill.rfftfreq(20, 0.02):values(), f:values())
        p, f = S.periodogram(x, {rate = 8})
        assert.same({2, 3, 51}, {table.unpack(p.shape)})
        assert.equal(4, f:get(51))
        local tiled = x:reshape(600):domain(1, 40):tile(3)
        assert.same((S.welch(tiled:copy(), {size = 30})):values(), (S.welch(tiled, {size = 30})):values())
        local z = S.stft(x, {size = 20, hop = 5})
        assert.same({2, 3, 21, 11}, {table.unpack(z.shape)})
        assert.equal("vec2", z.type)
        assert.near(0, rill.abs(S.istft(z, {hop = 5}) - x):max(), 2e-6)
        assert.same({2, 3, 7}, {table.unpack(S.resample(x, 7).shape)})
        assert.same({2, 3, 100}, {table.unpack(S.hilbert(x).shape)})
        assert.same(x:values(), numbers(S.hilbert(x).x:eval()) and x:values())
        for _, y in ipairs {S.detrend(x), S.lfilter({1, 2}, {1, -0.5}, x), S.filtfilt({1, 2}, {1, -0.5}, x),
            S.sosfilt({{1, 2, 0, 1, -0.5, 0}}, x)} do
            assert.same({2, 3, 100}, {table.unpack(y.shape)})
        end
        assert.same(S.lfilter({1, 2}, {1, -0.5}, x[2][3]):values(), S.lfilter({1, 2}, {1, -0.5}, x)[2][3]:values())
        assert.equal("dvec2", S.stft(x:cast "double").type)
        assert.equal("float", S.detrend(rill.iota(9)).type)
        local view = rill.random({100, 3}, {seed = 2}):transpose()
        assert.same(S.lfilter(1, {1, 0.9}, view:copy()):values(), S.lfilter(1, {1, 0.9}, view):values())
        for _, empty in ipairs {rill.zeros {0, 8}, rill.zeros {3, 0}} do
            assert.equal(0, S.lfilter(1, {1, 0.9}, empty).size)
            assert.equal(0, S.stft(empty).size)
        end
        assert.equal("0x5", tostring(S.periodogram(rill.zeros {0, 8}).shape))
    end)

    it("transforms the frames of long signals in parts", function()
        local x = rill.random(300000, {seed = 5})
        local w = S.window("hamming", 512)
        for _, hop in ipairs(os.getenv "RILL_SUITE_LONG" and {64, 65} or {65}) do
            local z = S.stft(x, {size = 512, hop = hop, window = "hamming"})
            for _, k in ipairs {1, 5, 2048, 2049, 2050, 4097, 300000 // hop + 1} do
                local first = (k - 1) * hop - 256
                local part = rill.stream("float", 512, function(i)
                    local at = first + i
                    return at >= 1 and at <= 300000 and x:get(at) or 0
                end)
                assert.near(0, rill.length(rill.fft(part * w, {real = true}) - z[k]):max(), 1e-4)
            end
            local back = S.istft(z, {hop = hop, window = "hamming", length = 299900})
            assert.near(0, rill.abs(back - x:domain(1, 299900)):max(), 5e-6)
        end
    end)

    it("transforms the frames of several long signals, as those of doubles", function()
        for _, size in ipairs(os.getenv "RILL_SUITE_LONG" and {256, 500, 1024} or {500}) do
            local x = rill.random({3, 40001}, {seed = size, low = -1})
            for _, o in ipairs {{size = size}, {size = size, hop = 100, center = false}} do
                local z, wide = S.stft(x, o), S.stft(x:cast "double", o)
                assert.same(tostring(wide.shape), tostring(z.shape))
                local far = rill.length(z:cast "dvec2" - wide):max() / rill.length(wide):max()
                assert.is_true(far < 4e-7, ("windows of %d: %g"):format(size, far))
            end
        end
    end)

    it("filters long signals in blocks of blocks", function()
        local n <const> = 600000
        local x = rill.random(n, {seed = 3})
        local a, b, list = {1, -2.88, 2.812, -0.931}, {0.5, 0, -0.5}, x:values()
        local wanted, got = signals.lfilter(b, a, list), S.lfilter(b, a, x):values()
        local most, far = 0, 0
        for i = 1, n do
            most, far = math.max(most, math.abs(wanted[i])), math.max(far, math.abs(wanted[i] - got[i]))
        end
        assert.is_true(far < 1e-7 * most, far / most)
        local sixteen = {1}
        for i = 2, 17 do sixteen[i] = i % 2 == 0 and 0.05 or -0.04 end
        local short = table.move(list, 1, 9000, 1, {})
        wanted, got = signals.lfilter({1}, sixteen, short), S.lfilter(1, sixteen, short):values()
        for i = 1, 9000, 7 do assert.near(wanted[i], got[i], 1e-5) end
    end)

    it("filters with poles outside of the unit circle stay 0 where they are 0", function()
        local x = rill.zeros(30000):set(1, 29000)
        local y = S.lfilter(1, {1, -3}, x)
        assert.equal(0, y:domain(1, 28999):as "float":max())
        assert.same({1, 3, 9, 27}, y:domain(29000, 29003):values())
        assert.equal(math.huge, y:get(30000))
    end)

    it("finds peaks of plateaus, short and constant signals, and with NaN", function()
        local at, p = S.find_peaks {1, 3, 3, 3, 2, 5, 1, 2, 2}
        assert.same({2, 5}, at:values())
        assert.same({3, 5}, p.heights:values())
        for _, x in ipairs {{}, {1}, {1, 2}, {2, 2, 2, 2}, {1, 2, 2}, {2, 2, 1}} do
            assert.equal(0, #(S.find_peaks(#x > 0 and x or rill.zeros(0), {prominence = 1})))
        end
        assert.same({1}, (S.find_peaks({0, 1, 0, 0 / 0, 2, 0})):values())
        at, p = S.find_peaks(rill.sin(rill.iota(100000) * 0.01), {prominence = 0.5, distance = 100})
        assert.equal(159, #at)
        assert.near(1, p.prominences:get(1), 1e-4)
        assert.near(2, p.prominences:get(100), 1e-4)
        assert.same({5}, (S.find_peaks({1, 3, 3, 3, 2, 5, 1, 2, 2}, {height = {4}})):values())
        assert.same({2}, (S.find_peaks({1, 3, 3, 3, 2, 5, 1, 2, 2}, {height = {nil, 4}})):values())
    end)

    it("refuses other arguments", function()
        local x = rill.ones(16)
        for message, call in pairs {
            ["window: argument #1 'name': expected the name of a window, .*\"hann\".*, got \"han\""] = function()
                S.window("han", 4)
            end,
            ["window: argument #2 'n': expected a whole number from 0"] = function() S.window("hann", -1) end,
            ["window: option 'beta' is missing"] = function() S.window("kaiser", 4) end,
            ["window: option 'beta': the window \"hann\" does not have it"] = function() S.window("hann", 4,
            {beta = 1}) end,
            ["periodogram: option 'window': the weights are zero, or their sum is"] = function()
                S.periodogram(x, {window = rill.from {1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1},
                    scaling = "spectrum"})
            end,
            ["welch: option 'window': the weights are zero, or their sum is"] = function()
                S.welch(x, {size = 4, window = rill.zeros(4)})
            end,
            ["stft: option 'window': expected a stream of 8 weights, the size of a window, got shape 16"] = function()
                S.stft(x, {size = 8, window = x})
            end,
            ["stft: argument #1 'x': expected a stream of numbers, got elements of vec2"] = function()
                S.stft(rill.zeros(4, "vec2"))
            end,
            ["stft: argument #1 'x': element %[2%]: expected a number for float, got string \"a\""] = function()
                S.stft({1, "a"})
            end,
            ["stft: argument #1 'x': a signal of 8 dimensions would get 9"] = function()
                S.stft(rill.zeros {1, 1, 1, 1, 1, 1, 1, 4})
            end,
            ["istft: argument #1 'f': expected spectra {..., frames, bins} .* got float of shape 16"] = function()
                S.istft(x)
            end,
            ["istft: option 'size': windows of 8 samples have 5 coefficients, but .* has 4: expected 6 or 7"] =
                function() S.istft(rill.zeros({3, 4}, "vec2"), {size = 8}) end,
            ["istft: option 'hop': with a hop of 7, sample 1 of each hop has the weight 0"] = function()
                S.istft(rill.zeros({3, 4}, "vec2"), {hop = 7})
            end,
            ["istft: option 'length': 3 frames have 5 samples, got 20"] = function()
                S.istft(rill.zeros({3, 4}, "vec2"), {length = 20})
            end,
            ["periodogram: argument #1 'x': the signal has no samples: its shape is 2x0"] = function()
                S.periodogram(rill.zeros {2, 0})
            end,
            ["resample: argument #2 'n': expected a number of samples, 1 or more, got number 0"] = function()
                S.resample(x, 0)
            end,
            ["find_peaks: argument #1 'x': expected a signal of one dimension, got shape 4x4"] = function()
                S.find_peaks(x:reshape {4, 4})
            end,
            ["find_peaks: option 'distance': expected a number of samples, 1 or more"] = function()
                S.find_peaks(x, {distance = 0.5})
            end,
            ["find_peaks: option 'height': expected the least value, or a table"] = function() S.find_peaks(x,
            {height = "a"}) end,
            ["firwin: argument #1 'n': expected a number of coefficients from 1"] = function() S.firwin(0, 0.5) end,
            ["firwin: argument #2 'cutoff': expected increasing frequencies above 0 and below 50"] = function()
                S.firwin(5, 50, {rate = 100})
            end,
            ["firwin: argument #2 'cutoff': expected a frequency, or a list"] = function() S.firwin(5, {}) end,
            ["firwin: option 'pass' is missing: with 2 frequencies"] = function() S.firwin(5, {0.1, 0.2}) end,
            ["firwin: option 'pass': \"lowpass\" has one frequency, got 2"] = function()
                S.firwin(5, {0.1, 0.2}, {pass = "lowpass"})
            end,
            ["firwin: argument #1 'n': a filter with an even number of coefficients"] = function()
                S.firwin(4, 0.5, {pass = "highpass"})
            end,
            ["lfilter: argument #2 'a': the first coefficient must not be 0"] = function() S.lfilter(1, {0, 1}, x) end,
            ["lfilter: argument #1 'b': expected finite numbers"] = function() S.lfilter("x", 1, x) end,
            ["lfilter: argument #2 'a': a recursive filter has at most 17 coefficients, got 18"] = function()
                local a = {}
                for i = 1, 18 do a[i] = 1 end
                S.lfilter(1, a, x)
            end,
            ["sosfilt: argument #1 'sections': section 1: expected six numbers"] = function() S.sosfilt({{1, 2}},
            x) end,
            ["sosfilt: argument #1 'sections': expected a list of sections"] = function() S.sosfilt({}, x) end,
            ["filtfilt: argument #3 'x': the signal is extended by 6 samples .*, and must be longer: it has 6"] =
                function() S.filtfilt({1, 2}, 1, rill.ones(6)) end,
            ["filtfilt: argument #2 'a': the filter has no steady state"] = function() S.filtfilt(1, {1, -1}, x) end,
        } do
            check.raises("rill.signal." .. message, call)
        end
    end)
end)

describe("rill.signal", function()
    it("has gradients where it consists of transforms and kernels #doubles", function()
        local x = rill.random({2, 13}, {seed = 1, type = "double"})
        local function iir(a) return (S.lfilter({2, 1}, {2, -1.8, 0.6}, a) ^ 3):sum() end
        for name, f in pairs(LONG and {
            stft = function(a) return rill.cabs(S.stft(a, {size = 4, hop = 3})):sum() end,
            istft = function(a) return (S.istft(S.stft(a, {size = 4, hop = 1}), {hop = 1}) ^ 2):sum() end,
            welch = function(a) return rill.log((S.welch(a, {size = 6}))):sum() end,
            linear = function(a) return rill.log((S.welch(a, {size = 6, detrend = "linear"}))):sum() end,
            resample = function(a) return (S.resample(a, 5) ^ 3):sum() end,
            hilbert = function(a) return rill.cangle(S.hilbert(a)):sum() end,
            detrend = function(a) return (S.detrend(a) ^ 3):sum() end,
            fir = function(a) return (S.lfilter({1, 2, 3}, 1, a) ^ 2):sum() end,
            iir = iir, second = function(a) return (rill.grad(iir)(a) ^ 2):sum() end,
        } or {
            istft = function(a) return (S.istft(S.stft(a, {size = 4, hop = 1}), {hop = 1}) ^ 2):sum() end, iir = iir,
        }) do
            local done, message = pcall(rill.grad_check, f, x)
            assert.is_true(done, name .. ": " .. tostring(message))
        end
        for _, f in ipairs {
            function(a) return S.filtfilt(1, {1, 0.5}, a):sum() end,
            function(a) return S.sosfilt({{1, 0, 0, 1, 0, 0}}, a):sum() end,
            function(a) return #(S.find_peaks(a)) + a:sum() end,
        } do
            check.raises("argument 'x' depends on the arguments of the function that is differentiated", rill.grad(f),
                rill.ones(20))
        end
        -- The derivatives of the sum of all outputs: the impulse response from each sample to the last one, added up.
        local long <const>, sums = rill.random(1000, {seed = 2}), {}
        for k = 1, 1000 do sums[1001 - k] = (1 - 0.9 ^ k) / 0.1 end
        check.equal(sums, rill.grad(function(a) return S.lfilter(1, {1, -0.9}, a):sum() end)(long):values(), 1e-5)
        check.raises("argument 'b' depends on", rill.grad(function(b) return S.lfilter(b, 1, rill.ones(3)):sum() end),
            rill.ones(2))
    end)
end)
