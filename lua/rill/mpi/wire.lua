-- Messages of streams and Lua values. Bytes go through host memory that is used again for later messages, so that
-- nothing is allocated in a loop.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local tables = require "rill.core.tables"
local fail <const> = errors.fail

local found, mpi = pcall(require, "rill.mpi.core")
if not found then
    fail("rill.mpi: this build of rill has no MPI: install it (Debian: apt install libopenmpi-dev openmpi-bin) and " ..
        "build rill again with 'make' (%s)", (tostring(mpi):match "[^\n]*"))
end

local wire = {}

--- wire.mpi: the functions of rill.mpi.core. wire.rank, wire.size: this rank, from 1, and the number of ranks.
--- wire.near_rank, wire.near_size: the same among the ranks of this machine.
wire.mpi = mpi
wire.rank, wire.size, wire.near_rank, wire.near_size = mpi.start()

--- wire.device_of(list, rank) returns the index of the device for a rank of this machine: the ranks use the devices of
-- a list (of rill.devices()) that are of the same type as the first one, hardware or software, in turn. nil if there is
-- only one.
function wire.device_of(list, rank)
    local usable = {}
    for _, d in ipairs(list) do
        if d.software == list[1].software then
            usable[#usable + 1] = d.index
        end
    end
    return #usable > 1 and usable[(rank - 1) % #usable + 1] or nil
end

local free = {} -- memories that no message uses

--- wire.borrow(bytes) returns a memory with room for a number of bytes, to be given back with wire.give.
function wire.borrow(bytes)
    local memory = table.remove(free) or mpi.memory()
    memory:hold(bytes)
    return memory
end

--- wire.give(memory) makes a memory available for other messages.
function wire.give(memory)
    free[#free + 1] = memory
end

--- wire.download(s, memory, offset) copies the elements of a stream to a memory. Returns the offset after them.
function wire.download(s, memory, offset)
    local bytes = s.nbytes
    core._download(s, memory:hold(offset + bytes), offset, bytes)
    return offset + bytes
end

--- wire.upload(s, memory, offset) sets the elements of a stream from a memory. Returns the offset after them.
function wire.upload(s, memory, offset)
    local bytes = s.nbytes
    core._upload(s, memory:hold(offset + bytes), offset, bytes)
    return offset + bytes
end

-- ---- Lua values

local encode

--- wire.plain: the metatables of tables that are sent as plain tables: shapes, and positions.
local plain <const> = {[getmetatable(core._shape {1})] = true}
wire.plain = plain

local encoders = {
    ["nil"] = function() return "n" end,
    boolean = function(value) return value and "t" or "f" end,
    number = function(value)
        return math.type(value) == "integer" and string.pack("<c1i8", "i", value) or string.pack("<c1d", "d", value)
    end,
    string = function(value) return string.pack("<c1s8", "s", value) end,
    table = function(value, seen)
        local meta = getmetatable(value)
        if meta and not plain[meta] then
            fail("rill.mpi: %s cannot be sent: send plain tables, numbers, strings, booleans and streams",
                type(meta) == "table" and meta.__name or "a table with a metatable")
        elseif seen[value] then
            fail("rill.mpi: a table that contains itself cannot be sent")
        end
        seen[value] = true
        local parts, count = {}, 0
        for key, item in pairs(value) do
            count = count + 1
            parts[#parts + 1] = encode(key, seen)
            parts[#parts + 1] = encode(item, seen)
        end
        seen[value] = nil
        return string.pack("<c1i8", "T", count) .. table.concat(parts)
    end,
}

-- Returns a value as a string: see wire.encode.
encode = function(value, seen)
    local given = rill.type(value)
    if given == "stream" or given == "expression" then
        value = errors.open("rill.mpi: a value to be sent", value)
        return string.pack("<c1s8", "S", value.type) .. encode(tables.copy(value.shape), seen) ..
            string.pack("<s8", value:bytes())
    end
    local encoder = encoders[type(value)]
    if not encoder then
        fail("rill.mpi: %s cannot be sent: send plain tables, numbers, strings, booleans and streams",
            errors.told(value))
    end
    return encoder(value, seen)
end

--- wire.encode(value) returns a value as a string: nil, a boolean, a number, a string, a stream, or a table of them.
function wire.encode(value)
    return encode(value, {})
end

local function decode(text, at)
    local kind = text:sub(at, at)
    at = at + 1
    if kind == "n" then
        return nil, at
    elseif kind == "t" or kind == "f" then
        return kind == "t", at
    elseif kind == "i" or kind == "d" then
        return string.unpack(kind == "i" and "<i8" or "<d", text, at)
    elseif kind == "s" then
        return string.unpack("<s8", text, at)
    elseif kind == "S" then
        local name, shape, bytes
        name, at = string.unpack("<s8", text, at)
        shape, at = decode(text, at)
        bytes, at = string.unpack("<s8", text, at)
        local s = rill.stream(name, shape)
        local flat = s:reshape(s.size)
        if s.size > 0 then
            flat:write(bytes)
        end
        return s, at
    end
    assert(kind == "T", "an unknown type")
    local count
    count, at = string.unpack("<i8", text, at)
    assert(count >= 0, "a count below 0")
    local result = {}
    for _ = 1, count do
        local key, item
        key, at = decode(text, at)
        item, at = decode(text, at)
        result[key] = item
    end
    return result, at
end

--- wire.decode(text) returns the value that wire.encode made the text of. Raises if it is damaged.
function wire.decode(text)
    local value, after = decode(text, 1)
    assert(after == #text + 1, "a rest of text")
    return value
end

local PROBLEM <const> = "!"

--- wire.text(value) returns the text of a value, or PROBLEM and a message if it cannot be sent: ranks that wait for it
-- are told.
function wire.text(value)
    local done, text = pcall(wire.encode, value)
    return done and text or PROBLEM .. text
end

--- wire.check(text, rank) raises if a text of wire.text, which rank has made, is a message.
function wire.check(text, rank)
    if text:sub(1, 1) == PROBLEM then
        error(("%s (rank %d)"):format(text:sub(2), rank), 0)
    end
end

--- wire.gather(value [, root]) returns a table of the values of all ranks, on every rank or on rank root alone. A value
-- that cannot be sent raises on all ranks.
function wire.gather(value, root)
    local texts, values = mpi.gather(wire.text(value)), {}
    for rank, text in ipairs(texts) do
        wire.check(text, rank)
    end
    for rank = 1, (root or wire.rank) == wire.rank and wire.size or 0 do
        values[rank] = wire.decode(texts[rank])
    end
    return values
end

--- wire.broadcast(value, root) returns the value of rank root on all ranks. A value that cannot be sent raises on all
-- ranks.
function wire.broadcast(value, root)
    local text = wire.rank == root and wire.text(value) or ""
    local memory = wire.borrow(8)
    memory:put(string.pack("<i8", #text), 0)
    mpi.broadcast(memory, 0, 8, root)
    local bytes = string.unpack("<i8", memory:text(0, 8))
    memory:hold(bytes)
    memory:put(text, 0)
    mpi.broadcast(memory, 0, bytes, root)
    text = memory:text(0, bytes)
    wire.give(memory)
    wire.check(text, root)
    return wire.decode(text)
end

--- wire.steps(where, n) returns a number of steps: n, or 1 for nil. Raises unless it is a whole number from 0.
function wire.steps(where, n)
    n = tables.whole(n)
    if n ~= nil and (math.type(n) ~= "integer" or n < 0) then
        fail("%s: argument #1 'n': expected a whole number from 0, got %s", where, errors.told(n))
    end
    return n or 1
end

--- wire.agree(where, what, text) raises on all ranks if a text, which describes an argument, differs between the ranks.
function wire.agree(where, what, text)
    local all = wire.size > 1 and mpi.gather(text) or {text}
    for rank = 2, #all do
        if all[rank] ~= all[1] then
            fail("%s: the ranks disagree on %s: rank 1 has %s, rank %d has %s", where, what, all[1], rank, all[rank])
        end
    end
end

--- wire.post(list, sends, memory, offset, bytes, rank, tag) begins a message, whose request is appended to a list.
function wire.post(list, sends, memory, offset, bytes, rank, tag)
    list[#list + 1] = (sends and mpi.send or mpi.receive)(memory, offset, bytes, rank, tag)
end

--- wire.wait(list) waits for the messages of a list.
function wire.wait(list)
    mpi.wait(table.unpack(list))
end

return wire
