-- rill.signal against scipy.signal, and rill.signal.stft also against torch on all cores: ten minutes of sound at 44.1 kHz.
-- The results that are compared are the sums of the magnitudes of each spectrum, which all sides compute.
local rill = require "rill"
local pipe = require "bench.support.pipe"
local support = require "bench.support"

local samples <const> = 44100 * 600

-- Returns the rows of a peer. `goal`: for the spectra.
local function against(goal, x, ...)
    local peer <close>, missing = pipe.python("peer_signal.py", ...)
    if not peer then return {support.note("signal", missing)} end
    peer:give("x", x)
    local rows = {}
    for _, size in ipairs {1024, 2048} do
        rows[#rows + 1] = {
            ("stft, windows of %d every %d"):format(size, size // 4), "stft_" .. size, goal, function()
                local f <close> = rill.signal.stft(x, {size = size})
                return (rill.cabs(f):sum(2))
            end, tolerance = 1e-4, rounds = 5,
        }
    end
    if select("#", ...) == 0 then
        local part <const> = x:domain(1, 1 << 20)
        local b <const>, a <const> = {0.02008337, 0.04016673, 0.02008337}, {1, -1.56101808, 0.64135154}
        table.move({
            {"welch, windows of 1024", "welch", nil, function() return (rill.signal.welch(x, {size = 1024})) end,
                tolerance = 1e-3, rounds = 3},
            {"lfilter, two poles", "lfilter", nil, function() return rill.signal.lfilter(b, a, x) end, tolerance = 1e-5,
                rounds = 3},
            {"find_peaks of 2^20 by prominence", "peaks", nil, function()
                return (rill.signal.find_peaks(part, {prominence = 0.9}))
            end, rounds = 3},
            {"resample 2^20 to 10^6", "resample", nil, function() return rill.signal.resample(part, 1000000) end,
                tolerance = 1e-3, rounds = 3},
        }, 1, 4, #rows + 1, rows)
    end
    return pipe.rows(peer, peer.what, rows)
end

return function()
    local x <const> = rill.random(samples, {seed = 1})
    local rows <const> = against(1.5, x)
    local more <const> = against(nil, x, "torch")
    return table.move(more, 1, #more, #rows + 1, rows)
end
