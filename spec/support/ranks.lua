-- Runs programs of spec/mpi/programs on several ranks.
local preload = require "spec.support.preload"

local ranks = {}

local lua <const> = os.getenv "RILL_LUA" or "lua5.4"

-- Returns settings by which one rank compiles a program of the device and the others find it in the driver's cache. A
-- single rank has them too: the record of a driver test is that of a process with the same libraries.
local function turns()
    local library <const> = preload "turns"
    local others <const> = os.getenv "LD_PRELOAD"
    return library and (" RILL_TURNS='%s.locks' LD_PRELOAD='%s%s'"):format(library, library,
        others and ":" .. others or "") or ""
end

--- ranks.settings: the command that permits more ranks than cores, and root to start them.
ranks.settings = "env OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none " ..
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 LP_NUM_THREADS=1" ..
    turns()

--- ranks.run(count, program, ...) runs a program with arguments. Returns what it prints, and whether it ended without
-- an error.
function ranks.run(count, program, ...)
    local command = ("%s timeout -k 5 300 mpirun -n %d %s spec/mpi/programs/%s.lua %s 2>&1"):format(ranks.settings,
        count, lua, program, table.concat({...}, " "))
    local pipe = assert(io.popen(command))
    local text = pipe:read("a"):gsub("mpirun: Forwarding signal %d+ to job\n", "") -- it was stopped, and goes on
    return text, pipe:close() == true
end

--- ranks.missing() returns the reason why no programs can be run, or false.
function ranks.missing()
    local pipe = io.popen("command -v mpirun && " .. lua .. " -e 'require \"rill.mpi.core\"' 2>&1 && echo good")
    local text = pipe:read "a"
    pipe:close()
    return not text:find "good" and "there is no MPI here: apt install libopenmpi-dev openmpi-bin, and build again"
end

--- ranks.same(some, program, ...) runs a program on the given numbers of ranks, and in `make test-all` on 1 to 4. Raises
-- unless it prints the same each time. Returns what it prints.
function ranks.same(some, program, ...)
    local first
    for _, count in ipairs(os.getenv "RILL_SUITE_LONG" and {1, 2, 3, 4} or some) do
        local text, good = ranks.run(count, program, ...)
        assert(good, ("%d ranks:\n%s"):format(count, text))
        first = first or text
        if text ~= first then
            error(("%d ranks print\n%sinstead of\n%s"):format(count, text, first), 0)
        end
    end
    return first
end

return ranks
