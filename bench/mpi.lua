-- rill.mpi: messages; weak scaling from 1 to 2 ranks with one driver thread each, against two unconnected processes;
-- strong scaling; mpi4py with numpy; and the model of lua/rill/mpi/model.lua against the measurements on 1 to 4 ranks.
-- The programs are bench/support/mpi_program.lua and bench/peer/peer_mpi4py.py.
local support = require "bench.support"

-- Root may start ranks.
local SETTINGS <const> = "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 LP_NUM_THREADS=1"

local function number_of(command)
    local pipe = io.popen(command)
    local n = pipe:read "n"
    pipe:close()
    return n
end
local CORES <const> = number_of "nproc" or 1

-- Returns the lines "NAME SECONDS" that a command prints, by name.
local function read(command)
    local values = {}
    local pipe = assert(io.popen(command .. " 2>&1"))
    for line in pipe:lines() do
        local name, seconds = line:match "^([%w_]+) ([%d.e+-]+)$"
        if name then values[name] = tonumber(seconds) end
    end
    pipe:close()
    return values
end

-- Returns the command of some ranks. Each has a core, with its driver thread, unless there are more ranks than cores.
local function command(ranks, ...)
    return ("%s timeout -k 5 300 mpirun --oversubscribe --bind-to %s -n %d %s"):format(SETTINGS,
        ranks <= CORES and "core" or "none", ranks, table.concat({...}, " "))
end

local function program(cases, kind)
    return support.command("", support.folder .. "/support/mpi_program.lua", cases, kind)
end

local WEAK <const> = {
    {"stencil", "stencil 1024^2 per rank", 0.9}, {"cg", "CG iteration, 1024^2 per rank", 0.9},
    {"smoke", "smoke step, 256 x 512 per rank", 0.9}, {"particles", "SPH step, 40,000 per rank", 0.9},
    {"sort", "sort of 2^21 per rank", 0.7},
}
local CASES <const> = "messages copies stencil halo sum cg smoke particles merge sort peer"
local SCALED <const> = "stencil cg smoke particles sort"

-- Runs one rank on each of two cores at the same time: what two processes without messages reach.
local function unconnected()
    local files, commands = {os.tmpname(), os.tmpname()}, {}
    for i, file in ipairs(files) do
        commands[i] = ("%s timeout -k 5 300 taskset -c %d %s >'%s' 2>&1 &"):format(SETTINGS, (i - 1) % CORES,
            program(CASES), file)
    end
    os.execute(table.concat(commands, " ") .. " wait")
    local slowest = {}
    for _, file in ipairs(files) do
        for name, seconds in pairs(read("cat '" .. file .. "'")) do
            slowest[name] = math.max(slowest[name] or 0, seconds)
        end
        os.remove(file)
    end
    return slowest
end

-- Predictions of the model: the time of one rank, and that of the messages. Sizes as in the program. Ranks that share a
-- core compute in turn.
local function predictions(runs)
    local found, model = pcall(require, "rill.mpi.model")
    local one, two = runs[1], runs[2]
    if not found or not two.latency then return support.note("the model of rill.mpi", "not measured") end
    local p = {
        latency = two.latency, bandwidth = 4194304 / (two.large - two.latency),
        copy_latency = one.copy_row / 2, copy_bandwidth = 4194304 / (one.copy_large / 2),
    }
    local rows = {{"operation", "ranks", "predicted", "measured", "difference"}}
    for ranks = 1, #runs do
        local halo = model.halo({ranks * 1024, 1024}, {ranks}, {1, 0}, 4)
        local narrow = model.halo({ranks * 16, 2048}, {ranks}, {1, 0}, 4)
        local reduce = model.reduce(ranks)
        local levels = 0
        while 1 << levels < ranks do levels = levels + 1 end
        local function add(name, key, seconds)
            local measured = runs[ranks][key]
            if not (one[key] and measured) then return end
            local predicted = one[key] * math.max(1, ranks / CORES) + seconds
            rows[#rows + 1] = {name, ranks, support.duration(predicted), support.duration(measured),
                ("%+.0f %%"):format(100 * (predicted / measured - 1))}
        end
        add("stencil step", "stencil", model.seconds(halo, p))
        add("halo of 2048 floats", "halo", model.seconds(narrow, p))
        add("sum", "sum", model.seconds(reduce, p))
        add("CG iteration", "cg", model.seconds(halo, p) + 2 * model.seconds(reduce, p))
        add("sort", "sort", model.seconds(model.sort(ranks << 21, ranks, 4), p) + levels * one.merge *
            math.max(1, ranks / CORES))
    end
    return support.table("The model of rill.mpi", rows)
end

-- Keeps the lesser of two times of each name.
local function keep(least, values)
    for name, seconds in pairs(values) do least[name] = math.min(least[name] or seconds, seconds) end
end

local TURNS <const> = 3 -- the contenders run in turn, so that disturbances affect all

-- The times of a problem of one size on 1 to 4 ranks.
local function strong()
    local rows = {{"strong scaling", "1 rank", "2 ranks", "3 ranks", "4 ranks"}}
    local runs = {{}, {}, {}, {}}
    for _ = 1, TURNS do
        for ranks, least in ipairs(runs) do keep(least, read(command(ranks, program(SCALED, "strong")))) end
    end
    for _, case in ipairs(WEAK) do
        local name, words = table.unpack(case)
        local row = {(words:gsub(" per rank", ""))}
        for ranks = 1, 4 do row[ranks + 1] = runs[ranks][name] and support.duration(runs[ranks][name]) or "-" end
        rows[#rows + 1] = row
    end
    return support.table(("A problem of one size, %d cores"):format(CORES), rows)
end

return function()
    local runs, apart, peer, raw = {{}, {}, {}, {}}, {}, {}, {}
    for _ = 1, TURNS do
        keep(runs[1], read(command(1, program(CASES))))
        if not runs[1].stencil then
            return {support.note("rill.mpi", "no MPI: apt-get install libopenmpi-dev openmpi-bin, and build again")}
        end
        keep(runs[2], read(command(2, program(CASES))))
        keep(apart, unconnected())
        keep(peer, read(command(2, "/usr/bin/python3", "'" .. support.folder .. "/peer/peer_mpi4py.py'")))
        keep(raw, read(command(2, program "raw")))
        for ranks = 3, 4 do keep(runs[ranks], read(command(ranks, program "stencil halo sum cg sort"))) end
    end
    local one, two = runs[1], runs[2]
    local rows = {}
    for _, case in ipairs(WEAK) do
        local name, words, goal = table.unpack(case)
        if one[name] and two[name] then
            rows[#rows + 1] = support.faster(words .. ", 2 ranks", two[name], "1 rank, the same work", one[name], goal)
            rows[#rows + 1] = support.faster(words .. ", 2 ranks", two[name], "two unconnected processes", apart[name])
        end
    end
    for _, case in ipairs {{"peer_halo", "halo exchange, 2048^2 per rank"},
        {"peer_sort", "sample sort of 2^22 per rank"}} do
        local name, words = table.unpack(case)
        rows[#rows + 1] = peer[name] and two[name] and support.faster(words, two[name], "mpi4py and numpy, 2 ranks",
            peer[name], 1) or
            support.note(words, "mpi4py and numpy are not installed")
    end
    if raw.raw and two.peer_sort then
        rows[#rows + 1] = support.faster("sample sort of 2^22 per rank", two.peer_sort,
            "a minimal program, sort and merge in raw OpenGL", raw.raw)
    end
    for _, name in ipairs {"latency", "large", "copy_row", "copy_large", "merge"} do
        rows[#rows + 1] = support.note("rill.mpi: " .. name, two[name] and support.duration(two[name]) or
            "not measured")
    end
    rows[#rows + 1] = strong()
    rows[#rows + 1] = predictions(runs) -- the last: it starts MPI in this process, from which mpirun starts no ranks
    return rows
end
