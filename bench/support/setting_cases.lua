-- The work that bench/gpu_settings.lua times in processes with different environments.
local rill = require "rill"

local module = {}

function module.cases()
    local small = os.getenv "RILL_BENCH_SMALL"
    local function size(exponent) return 1 << (small and exponent // 2 or exponent) end
    local tiny, x = rill.random(1024), rill.random(size(24))
    local index = rill.random(size(24), {type = "int", low = 0, high = size(22) - 1})
    local side = size(11)
    local square = rill.random {side, side}
    local keys = rill.random(size(26), {type = "uint"})
    local signals = {}
    for _, exponent in ipairs {16, 20, 24} do
        signals[exponent] = rill.stream("vec2", size(exponent), rill.random(2 * size(exponent)):bytes())
    end
    local cases = {
        scalar = function() tiny:sum() end,
        download = function() x:bytes() end,
        gather = function() rill.gather(x:domain(1, size(22)), index):close() end,
        transpose = function() square:transpose():copy():close() end,
        sort = function() keys:sort():close() end,
    }
    local text = x:bytes()
    function cases.upload() x:write(text) end
    for exponent, s in pairs(signals) do
        cases["fft" .. exponent] = function() rill.fft(s):close() end
    end
    for name, run in pairs(cases) do cases[name] = {run = run} end
    return cases
end

return module
