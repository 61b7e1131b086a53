-- Primitives over 2^24 elements against the parallel algorithms of C++17 on oneTBB, g++ -O3 -march=native.
local rill = require "rill"
local pipe = require "bench.support.pipe"
local support = require "bench.support"

local count = 1 << 24

return function()
    local tbb <close>, missing = pipe.program("peer_tbb", "libtbb-dev")
    if not tbb then return {support.note("primitives against oneTBB", missing)} end
    local x, u = rill.random(count, {seed = 1}), rill.random(count, {seed = 5, type = "uint"})
    tbb:give("x", x)
    tbb:give("u", u)
    return pipe.rows(tbb, "std::execution::par_unseq, oneTBB", {
        {"sum 2^24", "reduce", 0.25, function() return x:sum() end, tolerance = 1e-4},
        {"scan 2^24", "scan", 0.4, function() return x:scan() end, tolerance = 1e-5},
        {"filter 2^24, half stay", "copy_if", 1.5, function() return x:filter "x < 0.5" end},
        {"sort 2^24 uint", "sort", 3, function() return u:sort() end, rounds = 5},
    })
end
