-- Tests whether the choices that rill measured on this machine are the fastest. For each choice and each other value, two processes run the kernels of
-- bench.support.tuning_kernels.lua in turns, one with the measured choices and one with that value forced. The ratio is the forced value's time divided by the
-- chosen value's time; below 1 the forced value is faster. The interval is the 95 % confidence interval of the mean of the logarithms of 25 paired
-- ratios.
local rill = require "rill"
local pipe = require "bench.support.pipe"
local support = require "bench.support"
local kernels = require "bench.support.tuning_kernels"

local ROUNDS <const>, T_24 <const> = 25, 2.064 -- the quantile of Student's t for 24 degrees of freedom

-- Which of the kernels a choice can change.
local concerned <const> = {
    buffer_textures = kernels.names,
    paired_stores = {"copy", "saxpy", "exp", "half", "int", "vec4", "stencil"},
    step = {"copy", "saxpy", "exp", "int"},
    gather_step = {"gather"},
    strip_rows = {"stencil"},
}

local function interval(ratios)
    local sum, squares, n = 0, 0, #ratios
    for _, r in ipairs(ratios) do sum = sum + math.log(r) end
    local mean = sum / n
    for _, r in ipairs(ratios) do squares = squares + (math.log(r) - mean) ^ 2 end
    local half = T_24 * (squares / (n - 1) / n) ^ 0.5
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half)
end

local function compare(chosen, forced, case)
    local ours, theirs, ratios = chosen:contender(case .. " 4"), forced:contender(case .. " 4"), {}
    ours()
    theirs()
    for i = 1, ROUNDS do
        -- Who begins alternates, so that what one run leaves in the caches helps both alike.
        if i % 2 == 0 then
            local a = ours()
            ratios[i] = theirs() / a
        else
            local b = theirs()
            ratios[i] = b / ours()
        end
    end
    return interval(ratios)
end

return function()
    local tuning = rill.device().tuning
    local names, lines = {}, {{"choice", "chosen", "forced", "kernel", "ratio", "from", "to", ""}}
    for name in pairs(tuning) do names[#names + 1] = name end
    table.sort(names)
    local chosen <close> = assert(pipe.rill("", "bench.support.tuning_kernels"))
    for _, name in ipairs(names) do
        for value in pairs(tuning[name].seconds) do
            if value ~= tuning[name].value then
                local forced <close> = assert(
                    pipe.rill(("RILL_TUNE=%s=%d"):format(name, value), "bench.support.tuning_kernels"))
                for _, case in ipairs(concerned[name]) do
                    local mean, low, high = compare(chosen, forced, case)
                    lines[#lines + 1] = {name, tuning[name].value, value, case, mean, low, high,
                        high < 1 and "forced is faster" or ""}
                end
            end
        end
    end
    if #lines == 1 then return {support.note("choices of rill.device().tuning", "none measured on this device")} end
    return {support.table("Forced values against measured choices, time of forced / time of chosen", lines)}
end
