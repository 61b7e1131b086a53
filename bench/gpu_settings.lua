-- On a GPU, in at most four minutes: settings of the environment against their defaults, in separate processes that take turns. Does nothing without a GPU,
-- unless RILL_BENCH_SMALL is set, which tries the script itself.
local rill = require "rill"
local pipe = require "bench.support.pipe"
local support = require "bench.support"

local ROUNDS <const>, SECONDS <const> = 9, 0.02

-- A setting, and the cases of bench/support/setting_cases.lua that depend on it.
local settings = {
    {"RILL_POLL=0", "waits sleep at once", {"scalar", "sort"}},
    {"RILL_POLL=2000", "waits poll for 2 ms", {"scalar", "sort"}},
    {"RILL_LARGE_PAGES=0", "no large pages", {"gather", "transpose", "sort"}},
    {"RILL_LARGE_PAGES=4", "large pages from 4 MiB", {"gather", "transpose", "sort", "fft20"}},
    {"RILL_TUNE=readonly=0", "storage blocks without readonly", {"map", "stencil", "gather", "spmv", "sgemm", "fft20"}},
    {"RILL_TUNE=look_back=0", "sorts do not look back", {"sort", "sort20"}},
    {"RILL_TUNE=fft_elements=512", "512 elements per group", {"fft16", "fft24"}},
    {"RILL_TUNE=fft_elements=1024", "1,024 elements per group", {"fft16", "fft20", "fft24"}},
    {"RILL_TUNE=fft_elements=2048", "2,048 elements per group", {"fft16", "fft20", "fft24"}},
    {"RILL_TUNE=fft_registers=8", "8 elements per lane", {"fft16", "fft24"}},
    {"GLIBC_TUNABLES=glibc.malloc.hugetlb=1", "large pages of the host", {"download", "upload"}},
}

local function timed(peer, case, runs)
    return function() return tonumber(peer:ask("time %s %d", case, runs)) / runs end
end

return function()
    if rill.device().software and not os.getenv "RILL_BENCH_SMALL" then return {support.note("on a GPU", "no GPU")} end
    local rows = {}
    local plain <close> = assert(pipe.rill("", "bench.support.setting_cases"))
    for _, setting in ipairs(settings) do
        local environment, meaning, cases = table.unpack(setting)
        local other <close> = assert(pipe.rill(environment, "bench.support.setting_cases"))
        for _, case in ipairs(cases) do
            timed(plain, case, 1)()
            local runs = math.max(1, SECONDS // timed(plain, case, 1)() | 0)
            local ours, theirs = support.race(ROUNDS, timed(plain, case, runs), timed(other, case, runs))
            rows[#rows + 1] = support.faster(case .. ": " .. meaning, ours, environment, theirs)
        end
    end
    return rows
end
