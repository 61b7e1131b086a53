-- Files that all ranks read and write together: .npy files of one distributed stream, and checkpoints.
local core = require "rill.core"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local types = require "rill.core.types"
local cut = require "rill.mpi.cut"
local constructor = require "rill.mpi.constructor"
local distributed = require "rill.mpi.distributed"
local wire = require "rill.mpi.wire"
local fail <const> = errors.fail

local files = {}

-- Raises on all ranks if a step has failed on one of them. `problem`: nil, or a message.
local function agree(where, path, problem)
    for rank, text in ipairs(wire.mpi.gather(problem or "")) do
        if text ~= "" then
            fail("%s: '%s': %s (rank %d)", where, path, text, rank)
        end
    end
end

local function check_path(where, path)
    if type(path) ~= "string" or path == "" then
        fail("%s: argument #1 'path': expected the name of a file, got %s", where, errors.told(path))
    end
end

-- Opens a file on all ranks; raises on all of them.
local function open(where, path, writes)
    local file, problem = wire.mpi.file(path, writes)
    local done, message = pcall(agree, where, path, not file and "cannot be opened: " .. problem or nil)
    if not done then
        if file then pcall(file.close, file) end
        error(message, 0)
    end
    return file
end

-- Writes a text at the beginning of a file, on rank 1. Returns nil, or a message.
local function begin(file, text)
    local memory = wire.borrow(#text)
    local own = wire.rank == 1 and #text or 0
    memory:put(text, 0)
    local moved, problem = file:write(0, 1, {#text}, {0}, {own}, memory, 0, own)
    wire.give(memory)
    return moved ~= own and (problem or "the disk is full") or nil
end

-- Writes or reads the part of a distributed stream. Returns nil, or a message; and the checksum of the part if
-- `sum_at`, the place of the stream among the bytes that the checksum is of, is given.
local function move(file, at, state, writes, sum_at)
    local c, part = state.data.cut, distributed.part(state)
    local bytes = c.size > 0 and part.nbytes or 0
    local memory = wire.borrow(bytes)
    if writes and bytes > 0 then
        wire.download(part, memory, 0)
    end
    local moved, problem = (writes and file.write or file.read)(file, at, types.list[state.data.type].bytes, c.shape,
        c.first, c.own, memory, 0, bytes)
    if moved == bytes and not writes and bytes > 0 then
        wire.upload(part, memory, 0)
    end
    local sum = sum_at and moved == bytes and wire.mpi.checksum(nil, sum_at, types.list[state.data.type].bytes, c.shape,
        c.first, c.own, memory, 0, bytes) or 0
    wire.give(memory)
    if moved ~= bytes then
        return problem or (writes and "the disk is full" or "the file ends too early"), sum
    end
    return nil, sum
end

-- Writes a file by a function of the opened file, under another name that is then replaced, so that a crash leaves the
-- earlier file.
local function write_whole(where, path, write)
    local own = path .. ".part"
    local file = open(where, own, true)
    local problem = write(file)
    local done, message = pcall(file.sync, file)
    problem = problem or not done and message or nil
    done, message = pcall(file.close, file)
    problem = problem or not done and message or nil
    local good, why = pcall(agree, where, path, problem and "cannot be written: " .. problem)
    problem = nil
    if wire.rank == 1 then
        if good then
            good, problem = os.rename(own, path)
        end
        if not good then
            os.remove(own)
        end
    end
    agree(where, path, problem)
    if why then
        error(why, 0)
    end
end

-- ---- .npy

-- Returns the kind of a type whose elements have the same bytes in a .npy file as in a stream; nil if there is none.
local function kind_of(element)
    local kind, bytes = core._tiles_kind(element)
    local info = types.list[element]
    return info and bytes == info.bytes and kind or nil
end

--- D:save(path) writes a distributed stream of numbers to one .npy file, which all ranks write together (MPI-IO). The
-- file is written under another name that is then replaced. All ranks must see the same directory. Returns D.
function distributed.methods.save(d, path)
    local where <const> = "D:save"
    local state = distributed.check(where, "d", d)
    check_path(where, path)
    if not path:lower():find "%.npy$" then
        fail("%s: argument #1 'path': expected a path that ends in .npy, got %s (D:collect returns a stream, which " ..
            "other functions write)", where, errors.told(path))
    end
    local npy = kind_of(state.data.type)
    if not npy then
        fail("%s: a stream of %s has no .npy type: D:cast converts one", where, state.data.type)
    end
    local header = core._tiles_start(npy, state.data.cut.shape)
    write_whole(where, path, function(file)
        local problem = begin(file, header)
        local other = move(file, #header, state, true)
        return problem or other
    end)
    return d
end

-- Reads the header of a .npy file. Returns {element =, shape =, at = the first byte of the elements}, or nil and a
-- message.
local function read_header(path)
    local head, problem = core._tiles_head(path)
    if not head then
        return nil, problem
    elseif not head.kind then
        return nil, "not a .npy file"
    elseif head.fortran then
        return nil, "the array is in Fortran's order: numpy.ascontiguousarray converts it"
    end
    local element = core._tiles_type(head.kind)
    if head.complex or not element or kind_of(element) ~= head.kind or not head.little then
        return nil, ("elements of %s%s are not supported: rill.load reads such files on one rank"):format(
            head.little and "" or "big-endian ", head.complex and "complex" or head.name)
    end
    return {element = element, shape = #head.shape > 0 and head.shape or {1}, at = head.start}
end

local LOAD_OPTIONS <const> = {halo = constructor.options.halo, boundary = constructor.options.boundary,
    ranks = constructor.options.ranks}

--- rill.mpi.load(path [, options]) reads a .npy file on all ranks together, and returns a distributed stream. Options:
-- boundary, halo, ranks, as for rill.mpi.stream. Raises on all ranks if the file does not exist, is damaged or ends too
-- early.
function files.load(path, options)
    local where <const> = "rill.mpi.load"
    check_path(where, path)
    local o = option.take(where, options, LOAD_OPTIONS)
    local head, problem
    if wire.rank == 1 then
        head, problem = read_header(path)
    end
    agree(where, path, wire.rank == 1 and not head and problem or nil)
    head = wire.broadcast(head, 1)
    local d = constructor.stream(head.element, head.shape, o)
    local file = open(where, path, false)
    problem = move(file, head.at, d._state, false)
    pcall(file.close, file)
    agree(where, path, problem)
    return d
end

-- ---- checkpoints

-- Returns the first line of a checkpoint. Version 1 had no checksums.
local function magic(version)
    return ("rill checkpoint %d\n"):format(version)
end

local VERSION <const> = 2

-- Returns the checksum of a text.
local function sum_of_text(text)
    local memory = wire.borrow(#text)
    memory:put(text, 0)
    local sum = wire.mpi.checksum(nil, 0, 1, {#text}, {0}, {#text}, memory, 0, #text)
    wire.give(memory)
    return sum
end

-- Returns the sum of a number of all ranks, modulo 2^64, on all of them.
local function sum_of_ranks(own)
    local sum = 0
    for _, text in ipairs(wire.mpi.gather(string.pack("<i8", own))) do
        sum = sum + string.unpack("<i8", text)
    end
    return sum
end

-- Returns the bytes of a checkpoint before its elements: the first line, a text that describes the contents, the
-- checksum of the elements, and the checksum of the header up to there.
local function header_of(text, sum)
    local header = magic(VERSION) .. string.pack("<s8i8", text, sum)
    return header .. string.pack("<i8", sum_of_text(header))
end

--- rill.mpi.checkpoint(path, state) writes a table to a file: distributed streams by name, and numbers, strings,
-- booleans and plain tables of them, of which rank 1 gives the values. The file is written under another name that is
-- then replaced, so that a crash at any time leaves the last complete one. rill.mpi.restart reads it, with any number
-- of ranks.
function files.checkpoint(path, state)
    local where <const> = "rill.mpi.checkpoint"
    check_path(where, path)
    if not option.table[1](state) then
        fail("%s: argument #2 'state': expected a table, got %s", where, errors.told(state))
    end
    local names, values, streams = {}, {}, {}
    for name, value in pairs(state) do
        if type(name) ~= "string" then
            names[#names + 1] = "[" .. errors.told(name) .. "]"
        elseif distributed.is(value) then
            names[#names + 1] = name
        else
            values[name] = value
        end
    end
    table.sort(names)
    wire.agree(where, "the names of the streams", table.concat(names, " "))
    local at = 0
    for i, name in ipairs(names) do
        if not state[name] then
            fail("%s: argument #2 'state': expected names as keys, got %s", where, name)
        end
        local own = distributed.check(where, name, state[name])
        if not types.list[own.data.type] then
            fail("%s: stream '%s': a stream of structures cannot be written: save its fields", where, name)
        end
        local bytes = types.list[own.data.type].bytes * tables.product(own.data.cut.shape)
        streams[i] = {name = name, element = own.data.type, shape = own.data.cut.shape, at = at,
            modes = distributed.modes(own), plain = not own.modes or nil, widths = own.widths, bytes = bytes}
        at = at + bytes
    end
    local done, text = true, ""
    if wire.rank == 1 then
        done, text = pcall(wire.encode, {values = values, streams = streams})
    end
    agree(where, path, not done and text:gsub("^.-: rill%.mpi: ", "") or nil)
    text = wire.broadcast(text, 1)
    local begins <const> = #header_of(text, 0)
    write_whole(where, path, function(file)
        local problem, sum = nil, 0
        for i, name in ipairs(names) do
            local other, own = move(file, begins + streams[i].at, state[name]._state, true, streams[i].at)
            problem, sum = problem or other, sum + own
        end
        local header = header_of(text, sum_of_ranks(sum))
        local other = begin(file, header)
        return problem or other
    end)
end

-- Returns the content that a checkpoint's text describes. Raises if it is damaged.
local function check_content(text)
    local content = wire.decode(text)
    content.bytes = 0
    for name in pairs(content.values) do
        assert(type(name) == "string")
    end
    for _, stream in ipairs(content.streams) do
        assert(type(stream.name) == "string" and types.list[stream.element] and #stream.shape >= 1 and
            #stream.modes == #stream.shape)
        distributed.check_modes("", stream.modes)
        local bytes = types.list[stream.element].bytes
        for _, n in ipairs(stream.shape) do
            assert(math.type(n) == "integer" and n >= 0)
            bytes = bytes * n
        end
        assert(stream.bytes == bytes and stream.at == content.bytes)
        content.bytes = content.bytes + bytes
    end
    return content
end

-- Reads the header of a checkpoint. Returns its content, or nil, a message, and whether the file does not exist.
local function read_checkpoint(path)
    local file, problem = io.open(path, "rb")
    if not file then
        return nil, problem, true
    end
    local head <close> = file
    local version = head:read(#magic(1))
    local sums = version == magic(VERSION) and 16 or 0
    if sums == 0 and version ~= magic(1) then
        return nil, "not a checkpoint of rill.mpi"
    end
    local size = head:read(8)
    local bytes = size and #size == 8 and string.unpack("<I8", size)
    local text = bytes and bytes > 0 and bytes < 1 << 30 and head:read(bytes)
    local tail = sums > 0 and head:read(sums) or ""
    if not text or #text < bytes or #tail < sums then
        return nil, "the checkpoint is damaged"
    end
    local sum = sums > 0 and string.unpack("<i8", tail) or nil
    local done, content = pcall(check_content, text)
    if not done or sum and header_of(text, sum) ~= version .. size .. text .. tail then
        return nil, "the checkpoint is damaged"
    end
    content.sum, content.at = sum, #version + 8 + bytes + sums
    local rest = head:seek "end" - content.at - content.bytes
    if rest ~= 0 then
        return nil, rest < 0 and "the checkpoint ends too early" or "the checkpoint is damaged"
    end
    return content
end

local RESTART_OPTIONS <const> = {ranks = LOAD_OPTIONS.ranks}

--- rill.mpi.restart(path [, options]) returns the table that rill.mpi.checkpoint has written, with distributed streams
-- in their standard cut; nil if the file does not exist. Raises on all ranks if it is damaged. Option: ranks, as for
-- rill.mpi.stream, for the streams with at least as many dimensions.
function files.restart(path, options)
    local where <const> = "rill.mpi.restart"
    check_path(where, path)
    local o = option.take(where, options, RESTART_OPTIONS)
    local content, problem, absent
    if wire.rank == 1 then
        content, problem, absent = read_checkpoint(path)
    end
    agree(where, path, wire.rank == 1 and not content and not absent and problem or nil)
    content = wire.broadcast(content, 1)
    if not content then
        return nil
    end
    local state, sum = content.values, 0
    local file = open(where, path, false)
    for _, stream in ipairs(content.streams) do
        local ranks = o.ranks and #o.ranks <= #stream.shape and o.ranks or nil
        local modes = not stream.plain and stream.modes or nil
        local d = distributed.create(stream.element, cut.new(where, stream.shape, ranks), modes, stream.widths)
        local other, own = move(file, content.at + stream.at, d._state, false, stream.at)
        problem, sum = problem or other, sum + own
        state[stream.name] = d
    end
    pcall(file.close, file)
    agree(where, path, problem)
    if content.sum and sum_of_ranks(sum) ~= content.sum then
        fail("%s: '%s': the checkpoint is damaged", where, path)
    end
    return state
end

return files
