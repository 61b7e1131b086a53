-- Taxi trips: two million generated rows with the boroughs of a city, grouped by hour, weekday and borough.
--
--     lua5.4 examples/trips.lua [rows [directory]]        2000000 out
--
-- The trips have a start time, a zone, a distance, a duration, a fare and a kind of payment. The script removes trips that cannot be
-- right, joins the boroughs of the zones, and prints the busiest boroughs and the tips. The image has a column for each hour of the
-- week from Monday to Sunday, and a row for each borough: traffic is slow in dark hours.
local rill = require "rill"

local BOROUGHS <const> = {"Harbor", "Hills", "Market", "North", "Old Town", "South"}
local ZONES <const> = 60

local rows, directory = ...
rows, directory = math.tointeger(tonumber(rows)) or 2000000, directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

-- Returns random numbers of a distribution.
local seed = 0
local function random(distribution, options)
    seed = seed + 1
    options.distribution, options.seed = distribution, seed
    return rill.random(rows, options)
end

-- Returns a table of generated trips.
local function generate()
    local day = (random("uniform", {}) * 7):eval():cast "int"
    local rush = random("normal", {mean = 17.5, sd = 3.5})
    local any = random("uniform", {low = 0, high = 24})
    local hour = rill.where(random("uniform", {}):lt(0.6), rush, any) % 24
    local zone = (random("uniform", {}) ^ 2 * ZONES):eval():cast "int"
    local distance = rill.exp(random("normal", {mean = 0.9, sd = 0.8}))
    local slow = 1 + 0.9 * rill.exp(-((hour - 17.5) / 2) ^ 2) + 0.6 * rill.exp(-((hour - 8.5) / 1.5) ^ 2)
    local minutes = distance * (2 + 0.02 * (ZONES - zone)) * rill.where(day:ge(5), 1, slow) + random("normal", {sd = 1})
    local card = random("uniform", {}):lt(0.7)
    local fare = 3 + 1.8 * distance + 0.4 * minutes
    local kinds = rill.frame.category((1 - card):eval():cast "uint", {"card", "cash"})
    return rill.frame({
        start = day * 24 + hour, zone = zone, distance = distance, minutes = minutes, fare = fare, payment = kinds,
        tip = rill.where(card, fare * random("uniform", {low = 0, high = 0.3}), 0 / 0), -- cash tips are not known
    }, {order = {"start", "zone", "payment"}})
end

local zones = rill.frame {
    {"number", rill.iota(ZONES)}, {"borough", rill.frame.category(rill.iota(ZONES) * #BOROUGHS // ZONES, BOROUGHS)},
}

local trips = generate()
rill.sync()
local start = rill.clock()
local valid = trips:filter "minutes > 1.0 and distance / minutes < 1.5"
local t = valid:with {
    hour = "int(start) % 24", weekday = "int(start) / 24", speed = "distance / minutes * 60.0", share = "tip / fare",
}:join(zones, {on = {left = "zone", right = "number"}})
print(t:select {"start", "borough", "payment", "distance", "minutes", "fare", "tip"})
print(("%d of %d trips cannot be right"):format(#trips - #valid, #trips))

local boroughs = t:group "borough":aggregate {
    {"trips", "count"}, {"fare", "mean fare"}, {"half", "median minutes"}, {"most", "quantile minutes 0.95"},
    {"zones", "nunique zone"},
}
print(boroughs:sort "-trips")
print(t:group {"payment"}:aggregate {{"trips", "count"}, {"known", "count tip"}, {"share", "mean share"}})
print(t:filter "weekday < 5":pivot {index = "borough", columns = "hour", values = "speed", with = "median"}:select {
    "borough", "3", "8", "12", "17", "21"})

-- The image: the mean speed in each hour of the week and borough.
local speed = t:with {week = "int(start)"}:pivot {index = "borough", columns = "week", values = "speed", with = "mean"}
local lines = {}
for i, name in ipairs(speed:drop "borough".names) do lines[i] = speed[name] end
local map = rill.stack(lines, 2)
local path = directory .. "/trips.png"
rill.image.save(rill.image.resize(map:cast "float", {map.shape[1] * 40, map.shape[2] * 6}, {filter = "nearest"}), path,
    {colormap = "magma", min = map:min() - 1, max = map:max()})
print(("%s: the speed in each hour of the week; %d trips in %.1f s"):format(path, #trips, rill.clock() - start))
