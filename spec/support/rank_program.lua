-- What the programs of spec/mpi/programs share.
local mpi = require "rill.mpi"
local rill = require "rill"

local program = {}

--- program.whole: whether `make test-all` runs, and with it all cases.
program.whole = os.getenv "RILL_SUITE_LONG" ~= nil

--- program.check(what, holds) raises an error that names the rank, unless `holds`.
function program.check(what, holds)
    if not holds then
        error(("rank %d of %d: %s"):format(mpi.rank, mpi.size, what))
    end
end

--- program.say(...) prints on the first rank.
function program.say(...)
    if mpi.rank == 1 then print(...) end
end

--- program.all(s) returns a stream, or all elements of a distributed stream, which all ranks must ask for.
function program.all(s) return rill.type(s) == "mpi.stream" and s:collect "all" or s end

--- program.hash(s) returns a number that depends on all bits of a stream or a distributed stream.
function program.hash(s)
    local text, h = program.all(s):bytes(), 5381
    for i = 1, #text do
        h = (h * 33 + text:byte(i)) & 0xffffffffffff
    end
    return h
end

return program
