--- rill.mpi: many processes, each with a device, that compute together over MPI: mpirun -n 4 lua5.4 script.lua. A
-- script that requires rill.mpi runs unchanged as one process.
local rill = require "rill"
local errors = require "rill.core.error"
local tables = require "rill.core.tables"
local wire = require "rill.mpi.wire"
local constructor = require "rill.mpi.constructor"
local distributed = require "rill.mpi.distributed"
local order = require "rill.mpi.order"
local files = require "rill.mpi.files"
local particles = require "rill.mpi.particles"
local provider = require "rill.mpi.provider"
local aliases = require "rill.mpi.aliases"
local solve = require "rill.solve"
local providers = require "rill.stream.provider"
require "rill.mpi.algebra"
require "rill.mpi.fold"
require "rill.mpi.launch"
local fail <const> = errors.fail

local mpi = {rank = wire.rank, size = wire.size}

local function check_rank(where, n, name, rank)
    rank = tables.whole(rank)
    if math.type(rank) ~= "integer" or rank < 1 or rank > wire.size then
        fail("%s: argument #%d '%s': expected a rank from 1 to %d, got %s", where, n, name, wire.size,
            errors.told(rank))
    end
    return rank
end

local MOST_TAG <const> = 30000

local function check_tag(where, n, tag)
    tag = tables.whole(tag)
    if tag ~= nil and (math.type(tag) ~= "integer" or tag < 0 or tag > MOST_TAG) then
        fail("%s: argument #%d 'tag': expected a whole number from 0 to %d, got %s", where, n, MOST_TAG,
            errors.told(tag))
    end
    return 1000 + (tag or 0)
end

--- rill.mpi.barrier() waits until all ranks have called it.
function mpi.barrier()
    wire.mpi.barrier()
end

--- rill.mpi.send(value, rank [, tag]) sends a value to another rank: nil, a boolean, a number, a string, a stream or a
-- plain table of them. Returns when the value may be changed again, which may be before it is received. tag: a whole
-- number from 0 to 30000, default 0.
function mpi.send(value, rank, tag)
    check_rank("rill.mpi.send", 2, "rank", rank)
    tag = check_tag("rill.mpi.send", 3, tag)
    local text = wire.text(value)
    local memory, requests = wire.borrow(#text), {}
    memory:put(text, 0)
    wire.post(requests, true, memory, 0, #text, rank, tag)
    wire.wait(requests)
    wire.give(memory)
    wire.check(text, wire.rank)
end

--- rill.mpi.receive(rank [, tag]) waits for a value that a rank has sent with the same tag, and returns it.
function mpi.receive(rank, tag)
    check_rank("rill.mpi.receive", 1, "rank", rank)
    tag = check_tag("rill.mpi.receive", 2, tag)
    local bytes = wire.mpi.message_size(rank, tag)
    local memory, requests = wire.borrow(bytes), {}
    wire.post(requests, false, memory, 0, bytes, rank, tag)
    wire.wait(requests)
    local text = memory:text(0, bytes)
    wire.give(memory)
    wire.check(text, rank)
    return wire.decode(text)
end

--- rill.mpi.broadcast(value [, root]) returns on every rank the value of rank root. Default of root: 1.
function mpi.broadcast(value, root)
    root = check_rank("rill.mpi.broadcast", 2, "root", root or 1)
    return wire.broadcast(value, root)
end

--- rill.mpi.gather(value [, root]) returns a table of the values of all ranks, by rank, on rank root, and nil on the
-- others. Default of root: every rank.
function mpi.gather(value, root)
    if root ~= nil then check_rank("rill.mpi.gather", 2, "root", root) end
    local values = wire.gather(value, root)
    return (root or wire.rank) == wire.rank and values or nil
end

local OPERATIONS <const> = {
    sum = function(a, b) return a + b end, prod = function(a, b) return a * b end,
    min = function(a, b) return type(a) == "number" and math.min(a, b) or rill.min(a, b) end,
    max = function(a, b) return type(a) == "number" and math.max(a, b) or rill.max(a, b) end,
}

-- Returns a description of a value that mpi.reduce combines, or nil.
local function described(value)
    if rill.type(value) == "stream" then
        return ("stream<%s>[%s]"):format(value.type, table.concat(value.shape, "x"))
    end
    return type(value) == "number" and "a number" or nil
end

--- rill.mpi.reduce(value, operation) returns on every rank the combination of the values of all ranks, in the order of
-- the ranks: numbers, or streams of one shape and type, element by element. operation: "sum", "prod", "min", "max", or
-- a function of two values.
function mpi.reduce(value, operation)
    local f = type(operation) == "function" and operation or OPERATIONS[operation]
    if not f then
        fail('rill.mpi.reduce: argument #2 \'operation\': expected "sum", "prod", "min", "max" or a function, got %s',
            errors.told(operation))
    end
    local values = wire.gather(value)
    for rank = 1, type(operation) == "string" and wire.size or 0 do
        local other, first = described(values[rank]), described(values[1])
        if not other then
            fail("rill.mpi.reduce: argument #1 'value': expected a number or a stream, got %s (rank %d)",
                errors.told(values[rank]), rank)
        elseif other ~= first then
            fail("rill.mpi.reduce: the ranks disagree on argument #1 'value': rank 1 has %s, rank %d has %s", first,
                rank, other)
        end
    end
    local result = values[1]
    for rank = 2, wire.size do
        result = f(result, values[rank])
    end
    return rill.type(result) == "expression" and result:eval() or result
end

-- Opens the device of this rank, if there are several ranks and several devices in this machine.
if wire.near_size > 1 and (os.getenv "RILL_DEVICE" or "") == "" then
    local index = wire.device_of(rill.devices(), wire.near_rank)
    if index then rill.open(index) end
end

--- rill.mpi.device() returns the device of this rank: that of the environment variable RILL_DEVICE, or the devices of a
-- machine in turn, by the numbers of its ranks. If there are several, it is opened when rill.mpi is loaded.
function mpi.device()
    return rill.device()
end

--- rill.mpi.profile(f, ...) calls f on all ranks, and returns a table by rank of {total, computing, waiting = seconds,
-- sent, received = bytes, messages, collectives}; tostring prints it. Waiting is the time in functions of MPI, for
-- messages and for other ranks.
function mpi.profile(f, ...)
    if type(f) ~= "function" then
        fail("rill.mpi.profile: argument #1 'f': expected a function, got %s", errors.told(f))
    end
    rill.sync()
    wire.mpi.barrier()
    local before, begin = {wire.mpi.traffic()}, wire.mpi.time()
    f(...)
    rill.sync()
    local total, after = wire.mpi.time() - begin, {wire.mpi.traffic()}
    local row = {total = total, waiting = after[1] - before[1], sent = after[2] - before[2],
        received = after[3] - before[3],
        messages = after[4] - before[4], collectives = after[5] - before[5]}
    row.computing = total - row.waiting
    return setmetatable(wire.gather(row), {__name = "rill.mpi.profile", __tostring = function(rows)
        local lines = {("%4s %10s %10s %10s %12s %12s %9s %11s"):format("rank", "total/ms", "computing", "waiting",
            "sent/bytes", "received", "messages", "collectives")}
        for rank, r in ipairs(rows) do
            lines[rank + 1] = ("%4d %10.2f %10.2f %10.2f %12d %12d %9d %11d"):format(rank, r.total * 1e3,
                r.computing * 1e3,
                r.waiting * 1e3, r.sent, r.received, r.messages, r.collectives)
        end
        return table.concat(lines, "\n")
    end})
end

mpi.stream, mpi.distribute = constructor.stream, order.distribute
mpi.particles = particles.new
for _, name in ipairs {"smoke", "sph"} do
    local make <const> = aliases[name]
    mpi[name] = function(options) return make(mpi, options) end
end
mpi.load, mpi.checkpoint, mpi.restart = files.load, files.checkpoint, files.restart

-- Errors are raised at lines of the script, with the name of the function that it called.
local CALLS_BACK <const> = {reduce = true, profile = true}
for name, f in pairs(mpi) do
    if type(f) == "function" then
        mpi[name] = errors.guard(f, "rill.mpi." .. name, not CALLS_BACK[name] and "^rill%.[%w_.]+" or nil)
    end
end
for name, method in pairs(distributed.methods) do
    distributed.methods[name] = errors.guard(method, "D:" .. name, "^s:[%w_]+")
end

--- rill.mpi.cg and rill.mpi.multigrid are other names of rill.solve.cg and rill.solve.multigrid, which take distributed
-- streams.
mpi.cg, mpi.multigrid = solve.cg, solve.multigrid

providers.modules[mpi] = provider
return errors.strict(mpi, "rill.mpi")
