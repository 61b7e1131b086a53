-- Files as streams: a file is read tile by tile while the device computes the tile before, and results are written
-- while it computes the next. A thread of each file reads or writes; the device is used by the thread of the
-- script only.
local core = require "rill.core"
local rill = require "rill.core.public"
local boundary = require "rill.core.boundary"
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

--- tiles.close_all(list) closes the objects of a list, the last one first, and removes them.
function tiles.close_all(list)
    for i = #list, 1, -1 do
        list[i]:close()
        list[i] = nil
    end
end

local close_all <const> = tiles.close_all

-- ---- sources

-- The rows that are read for rows outside of the file, by the boundary mode. With other modes the kernel itself handles
-- them at the ends of the file.
local SOURCE <const> = boundary.source

-- Returns the rows that a tile of rows low .. high - 1 of a file of n rows needs: a list of {from = the first row in
-- the file, count =, at = the index of the first row in the tile's stream}, and the numbers of rows before and after
-- the tile.
local function needed(n, low, high, reach, mode)
    local source = SOURCE[mode]
    local first, last = math.max(0, low - reach), math.min(n, high + reach)
    if not source then
        return {{from = first, count = last - first, at = 0}}, low - first, last - high
    end
    local list, at = {}, 0
    local function add(from, count)
        local before = list[#list]
        if before and before.from + before.count == from then
            before.count = before.count + count
        else
            list[#list + 1] = {from = from, count = count, at = at}
        end
        at = at + count
    end
    for i = low - reach, first - 1 do
        add(source(i, n), 1)
    end
    add(first, last - first)
    for i = last, high + reach - 1 do
        add(source(i, n), 1)
    end
    return list, reach, reach
end

-- A file that is read in tiles: the input, the numbers of a row, the rows of the file and of a tile, the file's buffers
-- and the stream of the numbers of a tile.
local Source = {}
Source.__index = Source

-- Returns the rows before and after a tile that an input needs, and whether they are needed at the ends of the file.
local function reach_of(input, rows)
    local reach = input.reach or 0
    local beyond = reach > 0 and SOURCE[input.modes[1]] ~= nil
    return beyond and reach or math.min(reach, rows), beyond
end

local function new_source(where, input, row, per)
    local state, head = input.state, input.state.head
    local rows = state.size // row
    local reach, beyond = reach_of(input, rows)
    local most = beyond and per + 2 * reach or math.min(per + 2 * reach, math.max(1, rows))
    local capacity = most * row * state.components
    return setmetatable({
        input = input, row = row, rows = rows, reach = reach, plans = {},
        file = core._tiles_open("read", state.path, {where = where, kind = head.kind, memory = state.kind,
            little = head.little, start = head.start, count = head.count, capacity = capacity, buffers = 2,
            size = head.size, modified = head.modified}),
        numbers = rill.stream(state.own, capacity),
    }, Source)
end

--- source:close() closes the file and the stream of its numbers.
function Source:close()
    self.file:close()
    self.numbers:close()
end

--- source:post(buffer, low, high) begins to read the rows of a tile into a buffer.
function Source:post(buffer, low, high)
    local input, width = self.input, self.row * self.input.state.components
    local list, before, after = needed(self.rows, low, high, self.reach, input.modes and input.modes[1])
    for _, run in ipairs(list) do
        self.file:post(buffer, false, run.from * width, run.count * width, run.at * width)
    end
    self.plans[buffer] = {before = before, rows = high - low, after = after}
end

-- Returns a stream of a tile's elements: numbers of the file, cast and joined to vectors. Streams that are made
-- are appended to a list.
local function elements_of(state, numbers, shape, made)
    local s = numbers
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

--- source:take(buffer, by_rows, made) uploads the tile in a buffer, and returns it as a stream; as a view with the rows
-- around it if the kernel reads neighbors. `by_rows`: the stream has the dimensions of the whole. Streams that are made
-- are appended to a list.
function Source:take(buffer, by_rows, made)
    local state, modes, plan = self.input.state, self.input.modes, self.plans[buffer]
    local rows, numbers = plan.before + plan.rows + plan.after, self.numbers
    local count = rows * self.row * state.components
    if count < numbers.size then
        numbers = numbers:domain({1}, {count})
        made[#made + 1] = numbers
    end
    self.file:wait(buffer)
    core._upload(numbers, self.file:memory(buffer), 0, numbers.nbytes)
    local shape = by_rows and tables.copy(state.shape) or {rows}
    shape[1] = rows
    local s = elements_of(state, numbers, shape, made)
    if not modes then
        return s
    end
    local first, last, around = {}, tables.copy(shape), {}
    for d = 1, #shape do
        first[d], around[2 * d - 1], around[2 * d] = 1, 0, 0
    end
    first[1], last[1], around[1], around[2] = plan.before + 1, plan.before + plan.rows, plan.before, plan.after
    local inside = s:domain(first, last)
    made[#made + 1] = inside
    local bounded = inside:boundary(table.unpack(modes))
    made[#made + 1] = bounded
    local view = core._halo(bounded, around)
    made[#made + 1] = view
    return view
end

-- Returns the number of rows of a tile. `room`: the number of rows, together with those around the tile, that the
-- memory is for.
local function rows_of_tile(where, inputs, room, row, total)
    local state, reach, beyond = inputs[1].state, 0, false
    for _, input in ipairs(inputs) do
        local own, ends = reach_of(input, total)
        reach, beyond = math.max(reach, own), beyond or ends
    end
    if state.tile or reach == 0 then
        return room
    end
    local around = beyond and 2 * reach or 0
    local least = math.min(2 * reach + 1, total + around)
    if room < least then
        fail("%s: the kernel reads %d rows for each row of results, and the memory is for %d: give rill.big the " ..
            "option memory = %d or more", where, least, room, math.ceil(least / math.max(room, 1 / row) * state.memory))
    end
    return room >= total + around and total or math.max(1, room - 2 * reach)
end

--- tiles.each_of(where, inputs, elements, f, rows) calls f(streams, first, count) for each tile in order, with a list
-- of the tiles of several big streams: `first` counts elements from 0. The streams have one dimension and are closed
-- after the call. With `rows`, tiles are whole rows, in the shape of the big streams. `inputs`: a list of {state = of a
-- big stream, modes = the boundary modes of a stream whose neighbors a kernel reads, reach = of neighbors in rows}.
function tiles.each_of(where, inputs, elements, f, rows)
    local state, made = inputs[1].state, {}
    local row <const> = rows and tiles.row(state) or 1
    local total <const> = state.size // row
    local per <const> = math.max(1, math.min(total, rows_of_tile(where, inputs, elements // row, row, total)))
    local sources <close> = setmetatable({}, {__close = close_all})
    for i, input in ipairs(inputs) do
        sources[i] = new_source(where, input, row, per)
    end
    local bar <close> = rill.progress(state.size, where)
    local function post(low, buffer)
        for _, source in ipairs(low < total and sources or {}) do
            source:post(buffer, low, math.min(low + per, total))
        end
    end
    post(0, 1)
    post(per, 2)
    local buffer = 1
    for low = 0, total - 1, per do
        local streams, count = {}, (math.min(low + per, total) - low) * row
        for i, source in ipairs(sources) do
            streams[i] = source:take(buffer, rows, made)
        end
        post(low + 2 * per, buffer)
        f(streams, low * row, count)
        close_all(made)
        bar:step(count)
        buffer = 3 - buffer
    end
    for _, source in ipairs(sources) do
        source.file:finish()
    end
end

--- tiles.each(where, state, elements, f) calls f(stream, first, count) for each tile of a big stream, as tiles.each_of.
function tiles.each(where, state, elements, f)
    tiles.each_of(where, {{state = state}}, elements, function(streams, first, count)
        f(streams[1], first, count)
    end)
end

--- tiles.row(state) returns the number of elements of a row: with the same first index.
function tiles.row(state)
    return math.max(1, tables.product(state.shape) // math.max(1, state.shape[1]))
end

--- tiles.read(where, state, first, count) returns a stream of `count` rows from row `first`, which counts from 0.
function tiles.read(where, state, first, count)
    if count * state.size == 0 then
        local shape = tables.copy(state.shape)
        shape[1] = count
        return rill.stream(state.type, shape)
    end
    local source = new_source(where, {state = state}, tiles.row(state), count)
    local file <close> = source.file
    source:post(1, first, first + count)
    local s = source:take(1, true, {})
    file:finish()
    return s
end

--- tiles.empty(state, rows) returns a stream without elements, as tiles.each_of passes it.
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
    elseif not path:lower():find "%.npy$" then
        fail("%s: argument #%d 'path': expected a path that ends in .npy, got %s (rill.load reads the result; " ..
            "rill.csv.save and rill.image.save write other files)", where, n, errors.told(path))
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
-- a larger one if it is not known yet. `elements`: the elements that are written at once.
function tiles.sink(where, path, element, shape, elements)
    local info = types.list[element]
    local kind = info and core._tiles_kind(element)
    if not kind then
        fail("%s: a result of %s has no .npy type: cast it", where, tostring(element))
    end
    local self = setmetatable({at = 0, turn = 1, kind = kind, components = info.components, most = elements}, Sink)
    self.file = core._tiles_open("write", path, {where = where, kind = kind, memory = kind, little = true,
        start = #core._tiles_start(kind, file_shape(shape, info.components)), buffers = 2,
        capacity = elements * info.components})
    return self
end

--- sink:put(s) appends the elements of a stream. They are written while the script goes on.
function Sink:put(s)
    for first = 1, s.size, self.most do
        local part = s
        if s.size > self.most then -- a variable output
            local flat <close> = core._flat(s)
            part = flat:domain({first}, {math.min(first + self.most - 1, s.size)})
        end
        self.file:wait(self.turn)
        core._download(part, self.file:memory(self.turn), 0, part.nbytes)
        self.file:post(self.turn, true, self.at, part.size * self.components)
        self.at = self.at + part.size * self.components
        self.turn = 3 - self.turn
    end
end

--- sink:wait() waits until all elements are written.
function Sink:wait()
    self.file:wait(1)
    self.file:wait(2)
end

--- sink:finish([shape]) completes the file and moves it to its path. Default of `shape`: the number of elements.
function Sink:finish(shape)
    self.file:finish(self.kind, file_shape(shape or {self.at // self.components}, self.components))
end

--- sink:close() closes the file, and removes it unless it is complete.
function Sink:close()
    self.file:close()
end

Sink.__close = Sink.close

return tiles
