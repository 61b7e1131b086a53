-- Kernels whose accesses are known, to test spec/support/probe.lua: probe_cases.lua has the fields.
local n <const> = 4096

local function shared_case(name, stride)
    return {name = name, n = n, least = 8 * n, prepare = function(rill)
        local k = rill.kernel(([[kernel(64) void exchange(float x<>, out float r<>) {
            shared float part[2048];
            part[localid() * %d] = x;
            barrier();
            r = part[(63 - localid()) * %d]; }]]):format(stride, stride))
        local x, r = rill.random(n), rill.stream("float", n)
        return function() k(x, r) end
    end}
end

return {
    shared_case("stride 1", 1), shared_case("stride 2", 2), shared_case("stride 32", 32),
    -- Each of 32 lanes reads another sector.
    {name = "gather", n = n, least = 8 * n, prepare = function(rill)
        local k = rill.kernel "kernel void every(float x[], out float r<>) { r = x[8 * indexof(r).x]; }"
        local x, r = rill.random(8 * n), rill.stream("float", n)
        return function() k(x, r) end
    end},
    -- A chain of `turns` loads, with a division for each.
    {name = "chain", n = n, least = 8 * n, prepare = function(rill)
        local k = rill.kernel [[kernel void chain(int x[], int turns, out int r<>) {
            int at = indexof(r).x;
            for (int i = 0; i < turns; i++) at = x[at / turns];
            r = at; }]]
        local x, r = rill.random(n, {type = "int", low = 0, high = n - 1}), rill.stream("int", n)
        return function() k(x, 10, r) end
    end},
    -- The text determines the number of turns, so that the loads do not wait for each other.
    {name = "unrolled", n = n, least = 8 * n, prepare = function(rill)
        local k = rill.kernel [[kernel void unrolled(float x[], out float r<>) {
            float sum = 0.0;
            for (int i = 0; i < 10; i++) sum += x[(indexof(r).x + i) & 1023];
            r = sum; }]]
        local x, r = rill.random(n), rill.stream("float", n)
        return function() k(x, r) end
    end},
}
