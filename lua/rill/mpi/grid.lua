-- The streams of a grid with one halo element at each side (rill.simulation.fluid.grid), divided among the ranks along
-- its first dimension. A kernel gets the elements around the part of its rank, its window.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local cut = require "rill.mpi.cut"
local distributed = require "rill.mpi.distributed"
local halo = require "rill.mpi.halo"
local order = require "rill.mpi.order"
local wire = require "rill.mpi.wire"
local fail <const> = errors.fail

local methods <const> = {}

-- Returns the cut of a shape in which the ranks have `more` rows more at the ends than in the cut c.
local function with_rows(c, shape, more)
    local counts = {}
    for rank = 1, wire.size do
        counts[rank] = c.ends[1][rank + 1] - c.ends[1][rank]
    end
    counts[1] = counts[1] + more
    counts[wire.size] = counts[wire.size] + more
    return cut.rows(shape, counts)
end

-- The boundary modes of the first dimension, by which windows are filled, and of the others.
local function modes_of(self, is_padded)
    local modes = {self.periodic and (is_padded and "inner wrap" or "wrap") or "clamp"}
    for d = 2, self.rank do modes[d] = "clamp" end
    return modes
end

-- ---- methods: see rill.simulation.fluid.grid

--- self:field(type) returns a distributed stream with halo.
function methods:field(type)
    return distributed.create(type or "float", self.padded_cut, modes_of(self, true))
end

--- self:stream(type) returns a distributed stream of the cells.
function methods:stream(type)
    return distributed.create(type, self.cell_cut, modes_of(self))
end

--- self:room(shape) returns a distributed stream of floats of a grid with as many rows.
function methods:room(shape)
    return distributed.create("float", shape == self.shape and self.cell_cut or with_rows(self.cell_cut, shape, 0),
        modes_of(self))
end

--- self:take(s) returns a distributed stream of the cells with the elements of a distributed stream, or of a stream of
-- the whole grid.
function methods:take(s)
    local own = self:stream(s.type)
    if rill.type(s) == "stream" then
        self:part(own):write(self:rows(s))
        return own
    end
    return own:write(cut.same(s._state.data.cut, self.cell_cut) and s or order.recut(s, self.cell_cut))
end

--- self:sampled(is_padded, shift, sample) calls sample(shape, shift) for this rank's part.
function methods:sampled(is_padded, shift, sample)
    local c = is_padded and self.padded_cut or self.cell_cut
    shift = {table.unpack(shift)}
    shift[self.rank] = shift[self.rank] - c.first[1]
    return distributed.wrap(sample(c.own, shift), c, modes_of(self, is_padded))
end

--- self:own_cells(s) returns a view of this rank's cells of a stream with halo.
function methods:own_cells(s)
    local part, first, last = self:part(s), {}, {}
    for d = 1, self.rank do
        first[d], last[d] = 2, part.shape[d] - 1
    end
    first[1] = self.cell_cut.first[1] + 2 - self.padded_cut.first[1]
    last[1] = first[1] + self.cell_cut.own[1] - 1
    return part:domain(first, last)
end

--- self:cells(s) returns the cells of a stream with halo, a new distributed stream.
function methods:cells(s)
    return distributed.wrap(self:own_cells(s), self.cell_cut, modes_of(self))
end

--- self:all_cells(s) returns the cells of all ranks of a stream with halo, a new stream.
function methods:all_cells(s)
    local cells <close> = self:cells(s)
    return cells:collect "all"
end

--- self:part(s) returns this rank's elements of a distributed stream.
function methods.part(_, s)
    return distributed.part(s._state)
end

--- self:rows(s) returns a view of this rank's rows of a stream of the whole grid.
function methods:rows(s)
    local first, last = cut.box(self.cell_cut, wire.rank)
    return s:domain(first, last)
end

--- self:changed(s) declares that self:part(s) was written.
function methods.changed(_, s)
    s:changed()
end

--- self:largest(s) sets s, a stream of one number, to the largest value of all ranks.
function methods.largest(_, s)
    local values = wire.gather(s:get(1))
    local most = values[1]
    for _, value in ipairs(values) do
        most = value > most and value or value ~= value and value or most
    end
    s:fill(most)
end

--- self:sum(s) sets s, a stream of one number, to the sum of the values of all ranks.
function methods.sum(_, s)
    local total = 0
    for _, value in ipairs(wire.gather(s:get(1))) do total = total + value end
    s:fill(total)
end

--- self:add(totals, places) adds up the 64-bit integers of all ranks in elements of uvec2 (low, high), at the 0-based
-- indices `places`.
function methods.add(_, totals, places)
    local own <close> = rill.gather(totals, places)
    local texts, sums = wire.mpi.gather(own:bytes()), {}
    for k = 1, places.size do
        local sum = 0
        for rank = 1, wire.size do
            sum = sum + string.unpack("<i8", texts[rank], 8 * k - 7)
        end
        sums[k] = string.pack("<i8", sum)
    end
    own:write(table.concat(sums))
    rill.scatter(totals, places, own)
end

-- ---- launches

-- Returns the parameters of a kernel that gather.
local gathers <const> = setmetatable({}, {__mode = "k", __index = function(known, kernel)
    local names = {}
    for _, param in ipairs(kernel.params) do
        names[#names + 1] = param.kind == "gather stream" and param.name or nil
    end
    known[kernel] = names
    return names
end})

-- Begins to fill the windows of a stream, up to `reach` rows around its part, unless they are up to date.
local function begin(self, s, reach, tag)
    local reaches = {reach, 0, self.rank == 3 and 0 or nil}
    local data = distributed.widen(s._state, reaches)
    if data.cut.grid[1] == 1 or data.fresh == data.window and data.window and data.window_rows >= reach then
        return nil
    end
    local modes = modes_of(self, data.cut == self.padded_cut)
    local exchange = halo.begin(data, reaches, modes, 1, tag)
    data.window, data.window_rows = halo.key(reaches, modes), reach
    data.fresh = data.window
    return exchange
end

-- Returns the window of a stream, and the index of its first row in the whole, from 0.
local function window(self, s, reach)
    local data, c = s._state.data, s._state.data.cut
    local mode = modes_of(self, c == self.padded_cut)[1]
    local before, after = halo.widths(data, {reach}, {mode}, 1)
    local low, high = {data.halo[1] + 1 - before}, {data.halo[1] + c.own[1] + after}
    for d = 2, self.rank do
        low[d], high[d] = 1, c.own[d]
    end
    local modes = distributed.modes(s._state)
    modes[1] = c.grid[1] == 1 and self.periodic and c ~= self.padded_cut and modes[1] or "clamp"
    return data.store:domain(low, high):boundary(table.unpack(modes)), c.first[1] - before
end

--- self:call(kernel, arguments, reach): gather streams are read up to `reach` rows around the part of a rank.
-- arguments.s: the sides of the grid, which get the positions of the windows.
function methods:call(kernel, arguments, reach)
    local exchanges, names = {}, {}
    for i, name in ipairs(gathers[kernel]) do
        local s = arguments[name]
        if distributed.is(s) then
            names[#names + 1] = name
            exchanges[#exchanges + 1] = begin(self, s, reach, 512 + i)
        end
    end
    for _, exchange in ipairs(exchanges) do
        halo.finish(exchange)
    end
    for _, name in ipairs(names) do
        local s = arguments[name]
        local view, first = window(self, s, reach)
        arguments[name] = view
        arguments.s[s._state.data.cut == self.padded_cut and "first" or "corner"] = first
    end
    return kernel(arguments)
end

--- self:reach(cells) returns the rows around a part that a path of `cells` cells may reach.
function methods:reach(cells)
    if cells - cells ~= 0 then
        fail("f:step: a velocity is infinite or NaN: use a smaller dt or force")
    elseif self.periodic and cells > self.shape[1] then
        fail("f:step: the fluid crosses %.3g cells in a step, and the periodic grid has %d rows: use a smaller dt, " ..
            "or substeps", cells, self.shape[1])
    end
    return math.ceil(math.min(cells, self.shape[1])) + 4
end

--- divide(self, where, periodic) divides a grid of rill.simulation.fluid.grid among the ranks. periodic: whether its
-- first dimension is.
return function(self, where, periodic)
    local shape = self.shape
    if shape[1] < wire.size then
        fail("%s: option 'shape': %d rows (the first dimension) cannot be divided among %d ranks: use at most %d ranks",
            where, shape[1], wire.size, shape[1])
    end
    for name, method in pairs(methods) do
        self[name] = method
    end
    self.parts, self.periodic = true, periodic
    self.cell_cut = cut.new(where, shape)
    self.padded_cut = with_rows(self.cell_cut, self.padded, 1)
    self.free = periodic and self.cell_cut.grid[1] > 1 and 1 or 0
end
