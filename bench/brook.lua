-- The evaluation of Buck et al., "Brook for GPUs" (2004): its applications as kernels of rill, as hand-written GLSL over raw OpenGL, and in C.
-- docs/brook.md explains each row. `make bench BENCH=brook/butterflies` runs one of them.
local contest = require "bench.support.contest"
local support = require "bench.support"

local applications <const> = {
    "saxpy_sgemv", "evolve", "butterflies", "ray", "float4", "outputs", "knee", "worth",
}

local function rate(record, seconds)
    return seconds and ("%.0f"):format(record.work / seconds / 1e6) or "-"
end

local function ratio(record, seconds)
    return seconds and ("%.2f"):format(seconds / record.rill) or "-"
end

-- Figure 3: millions per second of the unit that each application counts, and the speedup of rill over each version.
local function figure(records)
    local lines = {{"millions a second", "of", "rill", "by hand", "C, 1 thread", ("C, %d"):format(contest.cores),
        "rill / hand", "rill / C, 1", "Brook / C"}}
    for _, r in ipairs(records) do
        lines[#lines + 1] = {r.title, r.unit == "MFLOPS" and "operations" or r.unit, rate(r, r.rill), rate(r, r.gl),
            rate(r, r.one), rate(r, r.all), ratio(r, r.gl), ratio(r, r.one), r.paper}
    end
    return support.table("The paper's Figure 3, without transfers; Brook is the paper's", lines)
end

local function transfers(lines)
    table.insert(lines, 1, {"transfers", "MiB up", "ms", "GB/s", "MiB down", "ms", "GB/s", "kernels, ms"})
    return support.table("Transfers", lines, "%.2f")
end

return function()
    local rows, records, lines = {}, {}, {}
    for _, name in ipairs(applications) do
        local more, found, moved = assert(loadfile(("%s/brook/%s.lua"):format(support.folder, name)))()()
        table.move(more, 1, #more, #rows + 1, rows)
        table.move(found or {}, 1, #(found or {}), #records + 1, records)
        table.move(moved or {}, 1, #(moved or {}), #lines + 1, lines)
    end
    if #records > 0 then rows[#rows + 1] = figure(records) end
    if #lines > 0 then rows[#rows + 1] = transfers(lines) end
    return rows
end
