-- Particles that are divided among the ranks by their first coordinate, and sums over neighbors.
local rill = require "rill.core.public"
local class = require "rill.core.class"
local errors = require "rill.core.error"
local oneline = require "rill.stream.expression_kernel"
local option = require "rill.core.options"
local template = require "rill.glsl.template"
local types = require "rill.core.types"
local order = require "rill.mpi.order"
local wire = require "rill.mpi.wire"
local fail <const> = errors.fail

local particles = {}

-- A state has: dimensions; box = {low, high}; walls, the size + 1 ends of the ranks' slabs along the first axis; data,
-- the streams of this rank's particles by name, in ascending order of "id"; names, the names of the fields.
local kind <const> = class.define {
    type = "rill.mpi.particles", letter = "Q", one = "particles", plural = true, lenient = true,
    describe = function(state)
        return ("distributed particles<%s>[%d], rank %d of %d has %d"):format(state.data.position.type, state.total,
            wire.rank, wire.size, state.data.id.size)
    end,
    release = function(state)
        for _, stream in pairs(state.data) do
            stream:close()
        end
    end,
    closed = "closed particles",
}
local methods <const>, fields <const> = kind.methods, kind.fields

-- Fields are read and set as p.name.
do
    local index <const> = kind.metatable.__index
    function kind.metatable.__index(object, key)
        local state = rawget(object, "_state")
        return state and state.data[key] or index(object, key)
    end
    kind.metatable.__newindex = errors.guard(function(object, key, value)
        local stream = key ~= "id" and kind.check(object, key).data[key]
        if not stream then
            fail("Q has no field '%s' to be set: fields are given to rill.mpi.particles", tostring(key))
        end
        (rill.type(value) and stream.write or stream.fill)(stream, value)
    end)
end
--- Q.count: the number of this rank's particles.
fields.count = function(state) return state.data.id.size end
--- Q.total: the number of particles of all ranks.
fields.total = function(state) return state.total end
--- Q.names: the names of the fields.
fields.names = function(state) return table.move(state.names, 1, #state.names, 1, {}) end

-- ---- moving

local OWNER <const> = template.new [[
    kernel void owner($V x<>, float wall[], int ranks, out int r<>) {
        int low = 0, high = ranks - 1;
        while (low < high) {
            int middle = (low + high + 1) / 2;
            if (wall[middle] <= x.x) low = middle; else high = middle - 1;
        }
        r = low;
    }
]]

-- Iterates over the streams of the particles by name, in the same order on all ranks.
local function each(state)
    local names = {"id", "position", table.unpack(state.names)}
    local i = 0
    return function()
        i = i + 1
        return names[i], state.data[names[i]]
    end
end

-- Sends each particle to the rank with its number in `owners` (from 0). Afterwards particles are sorted by id.
local function move(state, owners)
    local counts = wire.size > 1 and owners:histogram {bins = wire.size, min = 0, max = wire.size}:values() or
        {owners.size}
    local sends, first = {}, 0
    for rank = 1, wire.size do
        sends[rank] = {first, counts[rank]}
        first = first + counts[rank]
    end
    local taken, arrive = wire.mpi.counts(counts), 0
    for rank, n in ipairs(taken) do
        arrive = rank ~= wire.rank and arrive + n or arrive
    end
    if arrive == 0 and counts[wire.rank] == owners.size then
        return
    end
    local sorted = rill.argsort(owners)
    for name, stream in each(state) do
        local ordered = stream.size > 0 and rill.gather(stream, sorted) or stream
        state.data[name] = order.exchange(ordered, stream.type, {0}, sends, taken)
        stream:close()
    end
    local data = state.data
    if data.id.size > 0 then
        local by_id = rill.argsort(data.id)
        for name, stream in each(state) do
            data[name] = rill.gather(stream, by_id)
            stream:close()
        end
    end
end

local function owners_of(state)
    local x = state.data.position
    if x.size == 0 then
        return rill.stream("int", 0)
    end
    return OWNER:kernel {V = x.type} {x = x, wall = state.walls, ranks = wire.size}
end

local SAMPLES <const> = 256

-- Places the ends of the slabs so that all ranks have about as many particles.
local function place_walls(state)
    local x, places, own, all = state.data.position, {}, {}, {}
    local n = math.min(SAMPLES, x.size)
    for i = 1, n do
        places[i] = (2 * i - 1) * x.size // (2 * n)
    end
    local coordinates = n > 0 and rill.gather(x, rill.from(places, "int")):values() or {}
    for i = 1, #coordinates, state.dimensions do
        local first = coordinates[i]
        own[#own + 1] = first == first and first or nil -- NaN has no place in an order
    end
    for _, sample in ipairs(wire.gather {own, x.size}) do
        for _, value in ipairs(sample[1]) do -- each stands for as many particles
            all[#all + 1] = {value, sample[2] / #sample[1]}
        end
    end
    table.sort(all, function(a, b) return a[1] < b[1] end)
    local sum, walls = 0, {-math.huge}
    for _, item in ipairs(all) do
        sum = sum + item[2]
        while #walls < wire.size and sum > state.total * #walls / wire.size do
            walls[#walls + 1] = item[1]
        end
    end
    while #walls < wire.size do
        walls[#walls + 1] = math.huge
    end
    state.walls = rill.from(walls, "float")
end

--- Q:migrate() moves particles that have left the slab of their rank to the rank in whose slab they are. Call it, on
-- all ranks, after positions have changed. Particles outside of the box belong to the nearest slab. Returns Q.
function methods.migrate(p)
    local state = kind.check(p, "migrate")
    move(state, owners_of(state))
    return p
end

--- Q:rebalance() makes new slabs, in which all ranks have about as many particles, and moves the particles. Returns Q.
function methods.rebalance(p)
    local state = kind.check(p, "rebalance")
    place_walls(state)
    move(state, owners_of(state))
    return p
end

--- Q:collect([root]) returns on rank root a table of streams by name, with all particles in the order of their ids, and
-- nil on the others. Default of root: 1.
function methods.collect(p, root)
    local state = kind.check(p, "collect")
    local result = {}
    local function whole(name)
        return order.from_rows(state.data[name]):collect(root)
    end
    local id = whole "id"
    local by_id = id and id.size > 0 and rill.argsort(id)
    for name in each(state) do
        local s = whole(name)
        result[name] = s and (by_id and rill.gather(s, by_id) or s)
    end
    return id and result or nil
end

-- ---- ghosts

local INSIDE <const> = template.new
    "kernel void inside($V x<>, float low, float high, out bool r<>) { r = x.x >= low && x.x <= high; }"

-- Particles without a finite first coordinate are nobody's neighbors.
local EXTENT <const> = template.new [[
    kernel void extent($V x<>, out float low<>, out float high<>) {
        bool finite = abs(x.x) <= 3e38;
        low = finite ? x.x : 3.4e38;
        high = finite ? x.x : -3.4e38;
    }
]]

-- Returns the end of a range moved by a distance, and by more than floats round: a particle whose distance is rounded
-- to the radius is a neighbor.
local function beyond(place, distance)
    local more = 1e-5 * (math.abs(distance) + math.abs(place))
    return place + distance + (distance < 0 and -more or more)
end

-- Returns the range of the first coordinates of each rank's particles, {low, high}. It is empty, low > high, for a rank
-- without particles. Particles may have left the slab of their rank.
local function ranges(state)
    local x, low, high = state.data.position, 3.4e38, -3.4e38
    if x.size > 0 then
        local lows, highs = EXTENT:kernel {V = x.type}(x)
        low, high = lows:min(), highs:max()
        lows:close()
        highs:close()
    end
    local list = {}
    for rank, text in ipairs(wire.mpi.gather(string.pack("<dd", low, high))) do
        list[rank] = {string.unpack("<dd", text)}
    end
    return list
end

-- Finds the particles of this rank that are within a radius of the other ranks' ranges. Returns a table: `chosen`,
-- their indices in order of the ranks, nil if there are none, and `sends` and `taken` for order.exchange.
local function near_others(state, radius)
    local near, pieces, first = {sends = {}, taken = {0}}, {}, 0
    if wire.size == 1 then
        return near
    end
    local data, counts, all = state.data, {}, ranges(state)
    local inside, own = INSIDE:kernel {V = data.position.type}, all[wire.rank]
    for rank, other in ipairs(all) do
        local low, high = beyond(other[1], -radius), beyond(other[2], radius)
        counts[rank] = 0
        if rank ~= wire.rank and other[1] <= other[2] and low <= own[2] and high >= own[1] then
            local mask <close> = inside(data.position, low, high)
            local found = data.id:find(mask)
            counts[rank] = found.size
            pieces[#pieces + 1] = found.size > 0 and found or nil
        end
        near.sends[rank] = {first, counts[rank]}
        first = first + counts[rank]
    end
    near.taken = wire.mpi.counts(counts)
    near.chosen = #pieces > 1 and rill.concat(pieces) or pieces[1]
    return near
end

-- Returns a field of this rank's particles and, after them, of the particles of other ranks near its own.
local function with_others(state, near, name)
    local stream = state.data[name]
    if wire.size == 1 then
        return stream
    end
    local sent = near.chosen and rill.gather(stream, near.chosen) or rill.stream(stream.type, 0)
    local ghosts = order.exchange(sent, stream.type, {0}, near.sends, near.taken)
    return ghosts.size == 0 and stream or stream.size == 0 and ghosts or rill.concat {stream, ghosts}
end

local function radius_of(where, radius)
    if not option.is_positive(radius) then
        fail("%s: argument 'radius': expected a number above 0, got %s", where, errors.told(radius))
    end
end

-- Marks the places, in the merged list, of the ids of others, of which `before` of this rank's are smaller.
local MARK <const> = template.new [[
    kernel void mark(int before<>, inout int marks[], out int done<>) {
        int i = indexof(before).x;
        marks[before + i] = 1;
        done = 0;
    }
]]
-- The index of the id at each place. others: the number of ids of others up to the place.
local PLACE <const> = template.new [[
    kernel void place(int mark<>, int others<>, int sorted[], int own, out int r<>) {
        r = mark != 0 ? own + sorted[others - 1] : indexof(r).x - others;
    }
]]

-- Returns the indices that sort ids, of which the first `own` are in ascending order, and the others are from other
-- ranks; nil if they are sorted.
local function order_by_id(id, own)
    local n = id.size
    if own == n or own == 0 then
        return n > own and rill.argsort(id) or nil
    end
    local rest = id:domain({own + 1}, {n})
    local sorted <close> = rill.argsort(rest)
    local ids <close> = rill.gather(rest, sorted)
    local before <close> = rill.searchsorted(id:domain({1}, {own}), ids)
    local marks <close> = rill.stream("int", n)
    MARK:kernel {} {before = before, marks = marks}
    local others <close> = marks:scan()
    return PLACE:kernel {} {mark = marks, others = others, sorted = sorted, own = own}
end

-- Returns the fields of a list by name, with ghosts, in the order of ids.
local function with_ghosts(state, radius, names)
    local near, all = near_others(state, radius), {}
    for _, name in ipairs(names) do
        all[name] = with_others(state, near, name)
    end
    local by_id = order_by_id(all.id, state.data.id.size)
    for name in pairs(by_id and all or {}) do
        all[name] = rill.gather(all[name], by_id)
    end
    return all
end

--- particles.ghosts(where, p, radius, names) returns what Q:ghosts does for some fields. names: a list that contains
-- "id".
function particles.ghosts(where, p, radius, names)
    return with_ghosts(kind.check(p, where), radius, names)
end

--- Q:ghosts(radius) returns a table of streams by name: this rank's particles, and those of other ranks whose first
-- coordinates are within a radius of the range of its own, in the order of their ids.
function methods.ghosts(p, radius)
    local state = kind.check(p, "ghosts")
    radius_of("Q:ghosts", radius)
    local names = {}
    for name in each(state) do names[#names + 1] = name end
    return with_ghosts(state, radius, names)
end

-- ---- sums over neighbors

local CELL <const> = template.new [[
    kernel void cell($V x<>, $V low, float width, ivec3 n, out int r<>) {
        ivec3 c = ivec3(0);
        for (int d = 0; d < $dimensions; d++)
            c[d] = clamp(int(floor((x[d] - low[d]) / width)), 0, n[d] - 1);
        r = (c.x * n.y + c.y) * n.z + c.z;
    }
]]

-- The particles within the radius are in the cells around a particle's. Cells with the same first coordinates follow
-- one another in the order of the cells, so that each row of them is one range. Within a cell the order is that of the
-- ids: the order of the sum does not depend on the ranks.
local SUM <const> = template.new [[
    kernel void neighbor_sum($V position<>, $for(f, own){$f.type own_$f.name<>, }$V all_position[],
        $for(f, other){$f.type all_$f.name[], }int cell_start[], int cell_least, int cell_count, $V box_low,
        float radius, float cell_width, ivec3 box_cells, $for(c, constants){$c.type $c.name, }
        out $type neighbor_total<>) {
        ivec3 own_cell = ivec3(0);
        for (int axis = 0; axis < $dimensions; axis++)
            own_cell[axis] = clamp(int(floor((position[axis] - box_low[axis]) / cell_width)), 0,
                box_cells[axis] - 1);
        $type total = $type(0);
        int own_last = $last, own_middle = $middle;
        for (int cell_x = max(own_cell.x - 1, 0); cell_x <= min(own_cell.x + 1, box_cells.x - 1); cell_x++)
            for (int cell_y = max(own_middle - 1, 0); cell_y <= min(own_middle + 1, $middle_size - 1); cell_y++) {
                int cell_row = (cell_x * box_cells.y + $row) * box_cells.z - cell_least;
                int row_from = clamp(cell_row + max(own_last - 1, 0), 0, cell_count);
                int row_to = clamp(cell_row + min(own_last + 1, $last_size - 1) + 1, 0, cell_count);
                for (int neighbor_index = cell_start[row_from]; neighbor_index < cell_start[row_to]; neighbor_index++) {
                    $V d = position - all_position[neighbor_index];
                    float squared_distance = dot(d, d);
                    if (squared_distance <= radius * radius) {
                        float distance = sqrt(squared_distance);
                        total += $value;
                    }
                }
            }
        neighbor_total = total;
    }
]]

local MOST_CELLS <const> = 1 << 26

-- The names of the kernel above, which constants cannot have.
local TAKEN <const> = {}
for name in ("position radius d distance total axis squared_distance neighbor_index neighbor_total cell_start " ..
    "cell_least cell_count cell_width cell_x cell_y cell_row box_low box_cells own_cell own_last own_middle " ..
    "row_from row_to")
    :gmatch "%S+" do
    TAKEN[name] = true
end

-- Returns the fields that an expression names as name_i or name_j, and the expression with the names of the kernel.
local function parse(state, text)
    local own, other, known = {}, {}, {}
    for name in pairs(state.data) do known[name] = true end
    local seen = {}
    local value = text:gsub("([%a_][%w_]*)_([ij])%f[^%w_]", function(name, which)
        if not known[name] then
            return nil
        elseif name == "position" then
            return which == "i" and "position" or "all_position[neighbor_index]"
        end
        local list = which == "i" and own or other
        if not seen[name .. which] then
            seen[name .. which] = true
            list[#list + 1] = {name = name, type = types.list[state.data[name].type].seen}
        end
        return which == "i" and "own_" .. name or "all_" .. name .. "[neighbor_index]"
    end)
    return own, other, value
end

-- Returns the width of a cell: more than the radius, by as much as floats round, so that particles within the radius
-- are in the same or in adjacent cells.
local function cell_width(box, radius)
    local largest = 0
    for d, low in ipairs(box[1]) do
        largest = math.max(largest, math.abs(low), math.abs(box[2][d]))
    end
    return radius * (1 + 1e-5) + 2e-6 * largest
end

--- particles.neighborhood(where, p, radius) finds the neighbors of particles at their present positions, for
-- particles.sum. All ranks call it. The neighborhood has the particles of near_others and this rank's in the order of
-- their cells and ids: `order` are their indices in the streams of with_others.
function particles.neighborhood(where, p, radius)
    local state = kind.check(p, where)
    radius_of(where, radius)
    local dimensions, n, low, width = state.dimensions, {1, 1, 1}, {}, cell_width(state.box, radius)
    for d = 1, dimensions do
        low[d] = state.box[1][d]
        n[d] = math.max(1, math.min(1 << 20, math.ceil((state.box[2][d] - low[d]) / width)))
    end
    if n[1] * n[2] * n[3] > MOST_CELLS * 32 - 1 then -- on all ranks, also those without particles
        fail("%s: argument 'radius': %g is too small for the box: there would be %d cells", where, radius,
            n[1] * n[2] * n[3])
    end
    local near = near_others(state, radius)
    local id, position = with_others(state, near, "id"), with_others(state, near, "position")
    if state.data.id.size == 0 then
        return near
    end
    local cells = CELL:kernel {V = position.type, dimensions = dimensions} {x = position, low = low, width = width,
        n = n}
    local by_id = order_by_id(id, state.data.id.size)
    cells = by_id and rill.gather(cells, by_id) or cells
    local by_cell = rill.argsort(cells)
    local keys = rill.gather(cells, by_cell)
    local least, most = keys:get(1), keys:get(keys.size)
    local span = most - least + 1
    if span > MOST_CELLS then
        fail("%s: argument 'radius': %g is too small for the box: a rank would have %d cells", where, radius, span)
    end
    near.order = by_id and rill.gather(by_id, by_cell) or by_cell
    near.position = rill.gather(position, near.order)
    near.given = {
        cell_start = rill.searchsorted(keys, (rill.iota(span + 1) + least):eval():cast "int"), cell_least = least,
        cell_count = span, box_low = low, box_cells = n, cell_width = width, radius = radius,
    }
    return near
end

--- particles.sum(where, p, near, type, expression, constants) computes Q:sum for a neighborhood that was found at the
-- same positions.
function particles.sum(where, p, near, element, text, constants)
    local state = kind.check(p, where)
    local own, other, value = parse(state, text)
    local listed, given = {}, {position = state.data.position, all_position = near.position}
    for name, number in pairs(constants or {}) do
        if type(name) ~= "string" or type(number) ~= "number" then
            fail("%s: argument #4 'constants': expected a table of numbers by name, got %s", where,
                errors.told(constants))
        elseif TAKEN[name] or state.data[name:match "^own_(.*)$" or name:match "^all_(.*)$" or ""] then
            fail("%s: argument #4 'constants': '%s' is a name of Q:sum: use another one", where, name)
        end
        listed[#listed + 1], given[name] = {name = name, type = "float"}, number
    end
    table.sort(listed, function(a, b) return a.name < b.name end)
    for _, f in ipairs(other) do
        local all = with_others(state, near, f.name)
        given["all_" .. f.name] = near.order and rill.gather(all, near.order)
    end
    if state.data.id.size == 0 then
        return rill.stream(element, 0)
    end
    for _, f in ipairs(own) do
        given["own_" .. f.name] = state.data[f.name]
    end
    for name, item in pairs(near.given) do
        given[name] = item
    end
    local flat = state.dimensions == 2
    local done, kernel = pcall(SUM.kernel, SUM, {V = state.data.position.type, type = element, own = own,
        other = other, constants = listed, value = "(" .. value .. ")",
        dimensions = state.dimensions, last = flat and "own_cell.y" or "own_cell.z",
        middle = flat and "0" or "own_cell.y", middle_size = flat and "1" or "box_cells.y",
        row = flat and "0" or "cell_y", last_size = flat and "box_cells.y" or "box_cells.z"})
    if not done then -- without the text around the expression
        fail("%s: argument #3 'expression': %s: %s", where, tostring(kernel):match "error: ([^\n]*)" or kernel, text)
    end
    return kernel(given)
end

--- Q:sum(type, radius, expression [, constants]) returns a stream with the sum, for each particle of this rank, of a
-- GLSL expression over all particles within the radius, itself included. The order of the sum follows from positions
-- and ids alone, so its bits do not depend on the number of ranks. All ranks call it.
-- type: of the sum, a type of floats or ints. The expression may use `d`, the vector from the neighbor to the particle,
-- `distance`, its length, the fields of the particle as name_i and those of the neighbor as name_j, as in "mass_j *
-- (velocity_j - velocity_i)", and the names of `constants`, a table of numbers.
function methods.sum(p, element, radius, text, constants)
    local where <const> = "Q:sum"
    kind.check(p, "sum")
    radius_of(where, radius)
    local info = types.list[element]
    if not info or info.seen ~= element or info.scalar == "bool" then
        fail("%s: argument #1 'type': expected a type of numbers in kernels, such as float, int or vec2, got %s", where,
            errors.told(element))
    elseif type(text) ~= "string" then
        fail("%s: argument #3 'expression': expected GLSL text, got %s", where, errors.told(text))
    elseif oneline.wrong(text) then
        fail("%s: argument #3 'expression': %s: %s", where, oneline.wrong(text), text)
    end
    return particles.sum(where, p, particles.neighborhood(where, p, radius), element, text, constants)
end

class.guard(methods, "Q")

-- ---- making

local VECTORS <const> = {vec2 = 2, vec3 = 3}
--- particles.box: the row of the option `box`.
particles.box = {function(v)
    local good = option.table[1](v) and #v == 2 and option.is_vector(v[1]) and option.is_vector(v[2], #v[1])
    for d = 1, good and #v[1] or 0 do
        good = good and v[1][d] < v[2][d]
    end
    return good
end, "{low, high}, two points, with each coordinate of low below that of high", nil, true}
local OPTIONS <const> = {
    positions = {option.stream[1], "a stream of vec2 or vec3, the same on all ranks", nil, true},
    fields = option.table,
    box = particles.box,
}

--- rill.mpi.particles(options) returns particles that are divided among the ranks by their first coordinate. All ranks
-- call it with the same particles. The fields are streams of this rank's particles: Q.position, Q.id (int, from 0) and
-- the fields given, which Q.name = stream or expression sets. Q.count is the number of this rank's particles, Q.total
-- that of all.
-- Options: positions: a stream of vec2 or vec3; box: {low, high}, the domain (particles outside belong to the nearest
-- cell); fields (default none): a table of streams by name, with an element for each particle.
function particles.new(options)
    local where <const> = "rill.mpi.particles"
    local o = option.take(where, options, OPTIONS)
    local x = errors.open(where .. ": option 'positions'", o.positions)
    local dimensions = VECTORS[x.type]
    if not dimensions or #x.shape ~= 1 or #o.box[1] ~= dimensions then
        fail("%s: option 'positions': expected a stream of vec2 or vec3 in one dimension, and a box of as many " ..
            "coordinates, got %s", where, x.type)
    end
    wire.agree(where, "the number of particles", tostring(x.size))
    local state = {dimensions = dimensions, box = o.box, total = x.size, names = {}, data = {}}
    local first, last = x.size * (wire.rank - 1) // wire.size, x.size * wire.rank // wire.size
    local function own(s)
        return last > first and s:domain({first + 1}, {last}):copy() or rill.stream(s.type, 0)
    end
    state.data.position, state.data.id = own(x), (rill.iota(math.max(0, last - first)) + first):eval():cast "int"
    for name, given in pairs(o.fields or {}) do
        local s = errors.open(where .. ": option 'fields'", given)
        if type(name) ~= "string" or not name:match "^[%a][%w_]*$" or name == "id" or name == "position" or
            methods[name] or fields[name] then
            fail("%s: option 'fields': %s cannot be the name of a field", where, errors.told(name))
        elseif s.size ~= x.size or #s.shape ~= 1 or not types.list[s.type] then
            fail("%s: option 'fields': '%s' must be a stream of %d elements", where, name, x.size)
        end
        state.names[#state.names + 1], state.data[name] = name, own(s)
    end
    table.sort(state.names)
    place_walls(state)
    move(state, owners_of(state))
    return kind.create(state)
end

return particles
