-- Sums of values that have the same destination. The order of the destinations is kept as long as the streams from
-- which they follow are not written.
local core = require "rill.core"
local rill = require "rill.core.public"
local tables = require "rill.core.tables"

local contributions = {}

local LONGEST <const> = 512 -- of the runs of equal destinations that one invocation adds up
local UNROLLED <const> = 6 -- numbers of contributions for which there is a kernel without a loop
local KEPT <const> = 8 -- tables per store

-- ---- orders

--- contributions.key(values) returns a text that is equal as long as none of the values changes: streams with the same
-- elements at the same place of the same memory, numbers and tables of them.
function contributions.key(values)
    local parts = {}
    for i, value in ipairs(values) do
        if rill.type(value) == "stream" then
            local serial = core._serial(value)
            if not serial then return nil end
            local view, version = core._leaf(value)
            local _, key = core._place(view)
            parts[i] = ("%d/%d/%s/%s"):format(serial, version, key, table.concat(core._boundary(value, true) or {},
                ","))
        elseif type(value) == "table" then
            parts[i] = contributions.key(value)
            if not parts[i] then return nil end
        elseif rill.type(value) ~= nil then
            return nil
        else
            parts[i] = tostring(value)
        end
    end
    return table.concat(parts, ";")
end

-- Returns {from, to, count, places}: the destinations of an order with `count` contributions each, and for each of
-- these contributions the stream of its indices. Those with more than UNROLLED contributions are {from, to, begin,
-- ends}.
local function classes_of(order, begin, count)
    local classes, to = {}, 0
    for n = UNROLLED + 1, 1, -1 do
        local from = to + 1
        to = count:ge(n):sum()
        if to >= from then
            local class = {from = from, to = to}
            local first = begin:domain(from, to)
            if n > UNROLLED then
                class.begin, class.ends = first:copy(), (first + count:domain(from, to)):eval()
            else
                class.count, class.places = n, {}
                for k = 1, n do class.places[k] = rill.gather(order.sequence, (first + (k - 1)):eval()) end
            end
            classes[#classes + 1] = class
        end
    end
    order.used = to
    return classes
end

--- contributions.order(at, n) returns the order of destinations in 0 .. n - 1; others are left out.
function contributions.order(at, n)
    at = at:reshape {-1}
    local order = {at = at, longest = 0, uses = 0}
    if n == 0 or #at == 0 then return order end
    order.sequence = rill.argsort(at)
    local first = rill.searchsorted(rill.gather(at, order.sequence), rill.iota(n + 1))
    order.begin, order.ends = first:domain(1, n), first:domain(2, n + 1)
    order.longest = (order.ends - order.begin):max()
    return order
end

-- Sorts the destinations of an order that is used again by their numbers of contributions, so that all invocations of a
-- launch add up as many.
local function sort_by_count(order)
    local count = (order.ends - order.begin):eval()
    local row = rill.argsort(count, {descending = true})
    order.classes = classes_of(order, rill.gather(order.begin, row), rill.gather(count, row))
    -- The position of the sum of each destination; the last one is 0.
    order.position = rill.stream("int", #count, order.used)
    rill.scatter(order.position, row:domain(1, order.used), rill.iota(order.used))
    order.begin, order.ends = nil, nil
end

local owners <const> = setmetatable({}, {__mode = "kv"}) -- of views

--- contributions.view(s) returns a view of a stream, which stays the same if the stream is closed or gets other
-- boundary modes, and the version of its memory. What follows from the view is kept as long as the stream.
function contributions.view(s)
    local view, version = core._leaf(s)
    owners[view] = owners[s] or s
    return view, version
end

local WEAK_KEYS <const>, WEAK_VALUES <const> = {__mode = "k"}, {__mode = "v"}

--- contributions.store() returns an empty store for `contributions.kept`: the list of its entries {key, holder}, oldest
-- first, `of` (what is kept, by key) and `held` (nested tables whose keys are the streams from which it follows).
function contributions.store()
    return {of = setmetatable({}, WEAK_VALUES), held = setmetatable({}, WEAK_KEYS)}
end

--- contributions.kept(store, values, make) returns the table that a store has for the values, or stores that of make().
-- A table is kept until one of the streams among the values is collected or written, or KEPT others are stored.
function contributions.kept(store, values, make)
    local key = contributions.key(values)
    local kept = key and store.of[key] or make()
    if not key then return kept end
    local holder = store.held
    for _, value in ipairs(values) do
        if rill.type(value) == "stream" then
            local owner = owners[value] or value
            holder[owner] = holder[owner] or setmetatable({}, WEAK_KEYS)
            holder = holder[owner]
        end
    end
    if holder[key] then return kept end
    holder[key], store.of[key] = kept, kept
    store[#store + 1] = setmetatable({key = key, holder = holder}, WEAK_VALUES)
    if #store > KEPT then
        local oldest = table.remove(store, 1)
        if oldest.holder then oldest.holder[oldest.key] = nil end
    end
    return kept
end

-- ---- sums

local LOOP <const> = [=[
kernel void sum_of_contributions(int begin<>, int ends<>, int sequence[], %s add[], out %s sum<>) {
  for (int k = begin; k < ends; k++) sum += add[sequence[k]];
}]=]
local kernels = {}

-- Returns the kernel that adds up `count` contributions, or any number of them if it is nil.
local function kernel_of(type_name, count)
    local key = type_name .. (count or "")
    if not kernels[key] then
        local params, terms = {}, {}
        for k = 1, count or 0 do
            params[k], terms[k] = ("int i%d<>"):format(k), ("add[i%d]"):format(k)
        end
        kernels[key] = rill.kernel(count and
            ("kernel void sum_of_contributions(%s, %s add[], out %s sum<>) { sum = %s; }"):
            format(table.concat(params, ", "), type_name, type_name, table.concat(terms, " + ")) or
            LOOP:format(type_name, type_name))
    end
    return kernels[key]
end

--- contributions.sum(order, shape, type_name, add) returns a new stream of a shape with the sums of the elements of
-- `add` by destination.
function contributions.sum(order, shape, type_name, add)
    add = add:reshape {-1}
    if order.longest > LONGEST then return contributions.scatter(shape, type_name, order.at, add) end
    if order.longest == 0 then return rill.stream(type_name, shape) end
    order.uses = order.uses + 1
    if order.uses == 1 then -- an order that is used once does not pay for the other way, which has the same bits
        return kernel_of(type_name)(order.begin, order.ends, order.sequence, add):reshape(shape)
    elseif order.uses == 2 then
        sort_by_count(order)
    end
    local sums = rill.stream(type_name, order.used + 1)
    for _, class in ipairs(order.classes) do
        local own, kernel = sums:domain(class.from, class.to), kernel_of(type_name, class.count)
        if class.count then
            local arguments = table.move(class.places, 1, class.count, 1, {})
            arguments[class.count + 1], arguments[class.count + 2] = add, own
            kernel(table.unpack(arguments))
        else
            kernel(class.begin, class.ends, order.sequence, add, own)
        end
    end
    return rill.gather(sums, order.position):reshape(shape)
end

--- contributions.scatter(shape, type_name, at, add) returns a new stream of a shape with the sums of the elements of
-- `add` by the destinations `at`; a destination of at least the number of elements is left out.
function contributions.scatter(shape, type_name, at, add)
    local n = tables.product(shape)
    local sum = rill.stream(type_name, n + 1)
    rill.scatter(sum, at, add, "add")
    return sum:domain(1, n):reshape(shape)
end

return contributions
