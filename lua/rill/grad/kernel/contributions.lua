-- Sums of values that have the same destination. The order of the destinations is kept as long as the streams from
-- which
-- they follow are not written.
local core = require "rill.core"
local rill = require "rill.core.public"
local tables = require "rill.core.tables"

local contributions = {}

local LONGEST <const> = 512 -- of the runs of equal destinations that one invocation adds up
local KEPT <const> = 8 -- orders per table

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

--- contributions.order(at, n) returns the order of destinations in 0 .. n - 1; others are left out.
function contributions.order(at, n)
    at = at:reshape {-1}
    local sequence = rill.argsort(at)
    local first = rill.searchsorted(rill.gather(at, sequence), rill.iota(n + 1))
    local longest = n > 0 and (first:domain(2, n + 1) - first:domain(1, n)):max() or 0
    return {sequence = sequence, first = first, longest = longest, at = at}
end

--- contributions.kept(orders, key, make) returns the order with a key from a table of orders, or stores that of make().
-- make returns destinations and their number.
function contributions.kept(orders, key, make)
    local order = key and orders[key]
    if not order then
        order = contributions.order(make())
        if key then
            if orders[#orders] and #orders >= KEPT then orders[table.remove(orders, 1)] = nil end
            orders[#orders + 1], orders[key] = key, order
        end
    end
    return order
end

-- ---- sums

local SUM <const> = [=[
kernel void sum_of_contributions(int first[], int sequence[], %s add[], out %s total<>) {
  int i = indexof(total).x;
  for (int k = first[i]; k < first[i + 1]; k++) total += add[sequence[k]];
}]=]
local sums = {}

--- contributions.sum(order, shape, type_name, add) returns a new stream of a shape with the sums of the elements of
-- `add`
-- by destination.
function contributions.sum(order, shape, type_name, add)
    local n = tables.product(shape)
    add = add:reshape {-1}
    if n == 0 or #add == 0 then return rill.stream(type_name, shape) end
    if order.longest > LONGEST then return contributions.scatter(shape, type_name, order.at, add) end
    sums[type_name] = sums[type_name] or rill.kernel(SUM:format(type_name, type_name))
    return sums[type_name] {first = order.first, sequence = order.sequence, add = add, shape = n}:reshape(shape)
end

--- contributions.scatter(shape, type_name, at, add) returns a new stream of a shape with the sums of the elements of
-- `add`
-- by the destinations `at`; a destination of at least the number of elements is left out.
function contributions.scatter(shape, type_name, at, add)
    local n = tables.product(shape)
    local sum = rill.stream(type_name, n + 1)
    rill.scatter(sum, at, add, "add")
    return sum:domain(1, n):reshape(shape)
end

return contributions
