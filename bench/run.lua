-- Runs the benchmarks named on the command line, or all of them, and prints one row per comparison:
--     make bench                        make bench BENCH="saxpy sum"
-- A benchmark is a file in this directory that returns a function. The function returns rows and tables made by support.lua.
local folder = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = folder .. "/../?.lua;" .. package.path

local rill = require "rill"
local peer = require "peer"
local support = require "bench.support"

local cases = {
    "saxpy", "sum", "jacobi", "launch", "startup", "tuning", "bounds", "smoke_step", "numpy", "torch", "blas", "spmv",
    "cg", "elimination", "linalg", "fft", "signal", "multigrid", "particles", "motion", "fluid", "raymarch", "tbb",
    "pocl", "mv",
    "predication", "horn", "cost", "counts", "gpu", "gpu_settings",
    "image", "geometry", "neighbors", "reuse", "compile", "distance", "embree",
    "ray", "containers", "container_access", "mpi", "gradient", "live",
    "tables", "projects", "sparse_fluid", "shadow_map", "shadow_lookup", "paint", "brook", "big", "random",
}

local function first_match(path, pattern)
    local file = io.open(path)
    if not file then return nil end
    local found = file:read("a"):match(pattern)
    file:close()
    return found
end

local function core_count()
    local pipe = io.popen("nproc 2>/dev/null")
    local count = pipe and pipe:read("l")
    if pipe then pipe:close() end
    return count or "?"
end

local function machine()
    local renderer, version = peer.info()
    local cpu = first_match("/proc/cpuinfo", "model name%s*:%s*([^\n]+)") or "unknown processor"
    local load = first_match("/proc/loadavg", "^(%S+)") or "?"
    return string.format("%s, %s cores, load %s; rill on %s; peers on %s, OpenGL %s",
        cpu, core_count(), load, rill.device().name, renderer, version)
end

local layout = "%-34s %10s  %-36s %10s  %-16s %s\n"

-- Prints a separate table below the rows, with columns as wide as their widest cell, the first one left-aligned.
local function print_table(lines)
    local widths = {}
    for _, line in ipairs(lines) do
        for i, cell in ipairs(line) do widths[i] = math.max(widths[i] or 0, #cell) end
    end
    for _, line in ipairs(lines) do
        local cells = {}
        for i, cell in ipairs(line) do
            cells[i] = i == 1 and cell .. (" "):rep(widths[1] - #cell) or (" "):rep(widths[i] - #cell) .. cell
        end
        print("    " .. table.concat(cells, "  "))
    end
end

local function print_row(row)
    if row.table then
        print(row.title)
        print_table(row.table)
        return
    end
    io.write(layout:format(row.case, row.rill and support.duration(row.rill) or "", row.peer or "",
        row.peer_time and support.duration(row.peer_time) or "", row.result, row.goal))
    io.flush()
end

local chosen = #arg > 0 and table.move(arg, 1, #arg, 1, {}) or cases
print(machine())
io.write(layout:format("case", "rill", "peer", "peer", "ratio", "goal"))
local failed = false
for _, name in ipairs(chosen) do
    local chunk, missing = loadfile(folder .. "/" .. name .. ".lua")
    if not chunk then error(missing, 0) end
    local ran, rows = xpcall(chunk(), debug.traceback)
    if ran then
        for _, row in ipairs(rows) do print_row(row) end
    else
        failed = true
        print(name .. ": " .. rows)
    end
end
os.exit(not failed, true)
