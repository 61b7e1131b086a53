-- rill.mpi: messages, weak scaling from 1 to 2 ranks with one driver thread each, against two unconnected processes; mpi4py with numpy; and the model of
-- lua/rill/mpi/model.lua against the measurements. The programs are bench/support/mpi_program.lua and bench/peer/peer_mpi4py.py.
local support = require "bench.support"

-- More ranks than cores are permitted, and root may start them.
local SETTINGS <const> = "OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none " ..
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 LP_NUM_THREADS=1"

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

local function program(ranks, cases)
    local own = support.command("", support.folder .. "/support/mpi_program.lua", cases)
    return ("%s timeout -k 5 300 mpirun -n %d %s"):format(SETTINGS, ranks, own)
end

local WEAK <const> = {
    {"stencil", "stencil 1024^2 per rank", 0.9}, {"cg", "CG iteration, 1024^2 per rank", 0.9},
    {"smoke", "smoke step, 256 x 512 per rank", 0.9}, {"particles", "SPH step, 40,000 per rank", 0.9},
    {"sort", "sort of 2^21 per rank", 0.7},
}
local CASES <const> = "messages copies stencil halo sum cg smoke particles sort peer"

-- Runs one rank twice at the same time: what two processes without messages reach.
local function unconnected()
    local files = {os.tmpname(), os.tmpname()}
    local command = {}
    for i, file in ipairs(files) do
        command[i] = ("%s >'%s' 2>&1 &"):format(program(1, CASES), file)
    end
    os.execute(table.concat(command, " ") .. " wait")
    local slowest = {}
    for _, file in ipairs(files) do
        for name, seconds in pairs(read("cat '" .. file .. "'")) do
            slowest[name] = math.max(slowest[name] or 0, seconds)
        end
        os.remove(file)
    end
    return slowest
end

-- Predictions of the model: the time of one rank, and that of the messages. Sizes as in the program.
local function predictions(one, two)
    local found, model = pcall(require, "rill.mpi.model")
    if not found or not two.latency then return support.note("the model of rill.mpi", "not measured") end
    local p = {
        latency = two.latency, bandwidth = 4194304 / (two.large - two.latency),
        copy_latency = one.copy_row / 2, copy_bandwidth = 4194304 / (one.copy_large / 2),
    }
    local halo = model.halo({2 * 1024, 1024}, {2}, {1, 0}, 4)
    local reduce = model.reduce({2 * 1024, 1024}, 2)
    local rows = {{"operation on 2 ranks", "predicted", "measured", "difference"}}
    local function add(name, key, seconds)
        if not (one[key] and two[key]) then return end
        local predicted = one[key] + seconds
        rows[#rows + 1] = {name, support.duration(predicted), support.duration(two[key]),
            ("%+.0f %%"):format(100 * (predicted / two[key] - 1))}
    end
    add("stencil step", "stencil", model.seconds(halo, p))
    add("halo of 2048 floats", "halo", model.seconds(model.halo({16, 2048}, {2}, {1, 0}, 4), p))
    add("sum", "sum", model.seconds(reduce, p))
    add("CG iteration", "cg", model.seconds(halo, p) + 3 * model.seconds(reduce, p))
    add("sort", "sort", model.seconds(model.sort(2 << 21, 2, 4), p))
    return support.table("The model of rill.mpi, 2 ranks", rows)
end

return function()
    local one = read(program(1, CASES))
    if not one.stencil then
        return {support.note("rill.mpi", "no MPI: apt-get install libopenmpi-dev openmpi-bin, and build again")}
    end
    local two, apart = read(program(2, CASES)), unconnected()
    local rows = {}
    for _, case in ipairs(WEAK) do
        local name, words, goal = table.unpack(case)
        if one[name] and two[name] then
            rows[#rows + 1] = support.faster(words .. ", 2 ranks", two[name], "1 rank, the same work", one[name], goal)
            rows[#rows + 1] = support.faster(words .. ", 2 ranks", two[name], "two unconnected processes", apart[name])
        end
    end
    local peer = read(("%s timeout -k 5 300 mpirun -n 2 /usr/bin/python3 '%s/peer/peer_mpi4py.py'"):format(SETTINGS,
        support.folder))
    for name, words in pairs {peer_halo = "halo exchange, 2048^2 per rank",
        peer_sort = "sample sort of 2^22 per rank"} do
        rows[#rows + 1] = peer[name] and two[name] and support.faster(words, two[name], "mpi4py and numpy, 2 ranks",
            peer[name], 1) or
            support.note(words, "mpi4py and numpy are not installed")
    end
    for _, name in ipairs {"latency", "large", "copy_row", "copy_large"} do
        rows[#rows + 1] = support.note("rill.mpi: " .. name, two[name] and support.duration(two[name]) or
            "not measured")
    end
    rows[#rows + 1] = predictions(one, two)
    return rows
end
