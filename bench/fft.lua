-- rill.fft against numpy, scipy, torch and FFTW, as far as they are installed, on the same complex floats.
local rill = require "rill"
local pipe = require "bench.support.pipe"
local support = require "bench.support"

local shapes = {
    {"2^10", {1 << 10}}, {"2^12", {1 << 12}}, {"2^14", {1 << 14}}, {"2^16", {1 << 16}}, {"2^18", {1 << 18}},
    {"2^20", {1 << 20}}, {"2^22", {1 << 22}}, {"1000", {1000}}, {"1009, a prime", {1009}},
    {"999983, a prime", {999983}}, {"1024 x 1024", {1024, 1024}}, {"rows of 256, 1000", {1000, 256}, rows = true},
    {"rows of 1024, 4096", {4096, 1024}, rows = true}, {"real 2^20", {1 << 20}, real = true},
}

-- The goals against FFTW; other libraries have no goal.
local goals = {["rows of 1024, 4096"] = 0.2}

local function make_cases()
    local cases = {}
    for i, row in ipairs(shapes) do
        local sizes = table.move(row[2], 1, #row[2], 1, {})
        if not row.real then sizes[#sizes + 1] = 2 end
        local name = (row.rows and "rows" or row.real and "real" or "all") .. i
        local data = rill.random(sizes, {seed = i, low = -1, high = 1})
        local x = row.real and data or support.complex(data)
        local options = {axes = row.rows and -1 or nil, real = row.real}
        cases[i] = {
            title = row[1], name = name, data = data, run = function() return rill.fft(x, options) end,
            rounds = data.size <= 1 << 17 and 41 or 7,
        }
    end
    return cases
end

local function against(library, cases)
    local peer <close>, missing = pipe.python("peer_fft.py", library)
    if not peer then return {support.note("fft against " .. library, missing)} end
    local rows = {}
    for i, case in ipairs(cases) do
        peer:give(case.name, case.data)
        rows[i] = {
            "fft " .. case.title, case.name, library == "fftw" and goals[case.title] or nil, case.run,
            as = support.floats, tolerance = 1e-5, rounds = case.rounds,
        }
    end
    return pipe.rows(peer, peer.what, rows)
end

local function growth(cases)
    local lines = {{"fft of n", "ms", "ns / (n log2 n)"}}
    for i = 1, 7 do
        local n = cases[i].data.size // 2
        local seconds = support.race(cases[i].rounds, function()
            return support.timed(function() cases[i].run():close() end, 1)
        end)
        lines[#lines + 1] = {cases[i].title, seconds * 1e3, seconds * 1e9 / n / math.log(n, 2)}
    end
    return support.table("rill's cost over size", lines)
end

return function()
    local cases, rows = make_cases(), {}
    for _, library in ipairs {"numpy", "scipy", "torch", "fftw"} do
        local more = against(library, cases)
        table.move(more, 1, #more, #rows + 1, rows)
    end
    rows[#rows + 1] = growth(cases)
    return rows
end
