-- Files as streams: a file is read tile by tile while the device computes the tile before, and results are written
-- while it computes the next. A thread of each file reads or writes; the device is used by the thread of the
-- script only.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local tables = require "rill.core.tables"
local types = require "rill.core.types"
local fail <const> = errors.fail

local tiles = {}

local SHARES <const> = 16 -- the memory of an operation in tiles, measured: four buffers, streams, copies in the driver
local MOST <const> = 1 << 30 -- elements of a tile

--- tiles.elements(state, bytes, shares) returns the number of elements of a tile. `bytes`: of an element of the
-- result. Default of `shares`: 8 tiles have the memory of an operation.
function tiles.elements(state, bytes, shares)
    local width = math.max(state.bytes, bytes or 0)
    return state.tile or math.max(1, math.min(MOST, state.memory // ((shares or SHARES) * width)))
end

-- Opens the file of a big stream for tiles of some elements.
local function open(where, state, elements)
    local head = state.head
    return core._tiles_open("read", state.path, {where = where, kind = head.kind, memory = state.kind,
        little = head.little, start = head.start, count = head.count, capacity = elements * state.components,
        buffers = 2, size = head.size, modified = head.modified})
end

-- Closes the streams of a list.
local function close_all(list)
    for i = #list, 1, -1 do
        list[i]:close()
        list[i] = nil
    end
end

-- Returns a stream of a tile's elements: scalars of the file, cast and joined to vectors. Streams that are made
-- are appended to a list.
local function elements_of(state, scalars, shape, made)
    local s = scalars
    local function keep(other)
        made[#made + 1] = other
        s = other
    end
    if state.own ~= state.scalar then
        keep(s:cast(state.scalar))
    end
    if state.components > 1 then
        keep(s:reshape {s.size // state.components, state.components})
        keep(s:as(state.type))
    end
    if #shape > 1 then
        keep(s:reshape(shape))
    end
    return s
end

--- tiles.each(where, state, elements, f) calls f(stream, first, count) for each tile in order: `first` counts
-- elements from 0. The stream has one dimension and is closed after the call. With `rows`, tiles are whole rows,
-- in their shape.
function tiles.each(where, state, elements, f, rows)
    local row = rows and tables.product(state.shape) // math.max(1, state.shape[1]) or 1
    local per <const> = math.max(1, math.min(elements, state.size) // row) * row
    local c <const>, n <const> = state.components, (state.size + per - 1) // per
    local source <close> = open(where, state, per)
    local input <close> = rill.stream(state.own, per * c)
    local bar <close> = rill.progress(state.size, where)
    local function post(i)
        if i <= n then
            local first = (i - 1) * per
            source:post((i - 1) % 2 + 1, false, first * c, math.min(per, state.size - first) * c)
        end
    end
    post(1)
    post(2)
    local made = {}
    for i = 1, n do
        local first, buffer = (i - 1) * per, (i - 1) % 2 + 1
        local count = math.min(per, state.size - first)
        local scalars = input
        if count < per then
            scalars = input:domain({1}, {count * c})
            made[1] = scalars
        end
        source:wait(buffer)
        core._upload(scalars, source:memory(buffer), 0, scalars.nbytes)
        post(i + 2)
        local shape = {count}
        if rows then
            shape = tables.copy(state.shape)
            shape[1] = count // row
        end
        f(elements_of(state, scalars, shape, made), first, count)
        close_all(made)
        bar:step(count)
    end
    source:finish()
end

--- tiles.empty(state, rows) returns a stream without elements, as tiles.each passes it.
function tiles.empty(state, rows)
    local shape = rows and tables.copy(state.shape) or {0}
    shape[1] = 0
    return rill.stream(state.type, shape)
end

-- ---- results

local Sink = {}
Sink.__index = Sink

--- tiles.check_path(where, n, state, path) raises unless a path can be that of a result of a big stream.
function tiles.check_path(where, n, state, path)
    if type(path) ~= "string" or path == "" then
        fail("%s: argument #%d 'path': expected the name of a .npy file, got %s", where, n, errors.told(path))
    elseif core._tiles_same(path, state.path) then
        fail("%s: argument #%d 'path': '%s' is the file of the stream: write to another file", where, n, path)
    end
end

-- Returns a shape followed by the components of a vector type.
local function file_shape(shape, components)
    local result = tables.copy(shape)
    result[#result + 1] = components > 1 and components or nil
    return result
end

--- tiles.sink(where, path, element, shape, elements) opens a file for results of a type. `shape`: of the whole, or
-- a larger one if it is not known yet. `elements`: the most elements of one result.
function tiles.sink(where, path, element, shape, elements)
    local info = types.list[element]
    local kind = info and core._tiles_kind(element)
    if not kind then
        fail("%s: a result of %s has no .npy type: cast it", where, tostring(element))
    end
    local self = setmetatable({at = 0, turn = 1, kind = kind, components = info.components}, Sink)
    self.file = core._tiles_open("write", path, {where = where, kind = kind, memory = kind, little = true,
        start = #core._tiles_start(kind, file_shape(shape, info.components)), buffers = 2,
        capacity = elements * info.components})
    return self
end

--- sink:put(s) appends the elements of a stream. They are written while the script goes on.
function Sink:put(s)
    if s.size > 0 then
        self.file:wait(self.turn)
        core._download(s, self.file:memory(self.turn), 0, s.nbytes)
        self.file:post(self.turn, true, self.at, s.size * self.components)
        self.at = self.at + s.size * self.components
        self.turn = 3 - self.turn
    end
end

--- sink:finish([shape]) completes the file and moves it to its path. Default of `shape`: the number of elements.
function Sink:finish(shape)
    self.file:finish(self.kind, file_shape(shape or {self.at // self.components}, self.components))
end

function Sink:__close()
    self.file:close()
end

return tiles
