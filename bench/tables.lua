-- Sorting, joining and grouping tables, sets and CSV files against pandas and numpy, which get the same columns; and rill's cost over the number of rows.
local rill = require "rill"
local pipe = require "bench.support.pipe"
local support = require "bench.support"

local count, small, file_rows = 10000000, 10000, 2000000

-- Returns the columns of a table of n rows: two keys, whole numbers in a large range, and a value.
local function columns(n)
    return {
        a = rill.random(n, {seed = 1, type = "int", low = 0, high = 999}), b = rill.random(n, {seed = 2}),
        k = rill.random(n, {seed = 3, type = "int", low = 0, high = small - 1}),
        w = rill.random(n, {seed = 4, type = "int", low = 0, high = small - 1}) * 214013,
        x = rill.random(n, {seed = 5, type = "double"}),
        j = rill.random(n, {seed = 11, type = "int", low = 0, high = 19}),
    }
end

-- Writes a file of trips: a text column of 250 names, and three columns of numbers.
local function write_trips(path)
    local zones <const>, lines = rill.random(file_rows, {seed = 6, type = "int", low = 0, high = 249}):values(), {}
    local distances <const>, fares <const> = rill.random(file_rows, {seed = 7}):values(),
        rill.random(file_rows, {seed = 8}):values()
    local file <close> = assert(io.open(path, "w"))
    file:write "zone,distance,fare,passengers\n"
    for i = 1, file_rows do
        lines[#lines + 1] = ("Zone number %d,%.3f,%.2f,%d\n"):format(zones[i], distances[i] * 20, fares[i] * 50,
            i % 5 + 1)
        if #lines == 10000 or i == file_rows then
            file:write(table.concat(lines))
            lines = {}
        end
    end
end

local function csv_rows()
    local path <const> = os.tmpname()
    write_trips(path)
    local pandas <close>, missing = pipe.python("peer_tables.py", path)
    local function load() return rill.csv.load(path, {frame = true}) end
    local rows = not pandas and {support.note("CSV with text", missing)} or pipe.rows(pandas, pandas.what, {
        {"CSV, 2x10^6 rows, one of text", "csv", 1.5, load, tolerance = 1e-6,
            as = function(t) return t.fare:cast "float" end},
        {"... texts as categories", "csv_category", nil, load, as = function(t) return t.zone:cast "int" end},
    })
    os.remove(path)
    return rows
end

-- Returns the seconds of a function over numbers of rows.
local function growth(title, make)
    local lines = {{title, "ms", "ns per row"}}
    for _, n in ipairs {10000, 100000, 1000000, 10000000} do
        local run <const> = make(n)
        local seconds = support.race(3, function() return support.timed(run, 1) end)
        lines[#lines + 1] = {n, ("%.3g"):format(seconds * 1e3), ("%.3g"):format(seconds / n * 1e9)}
    end
    return support.table("rill's cost over the number of rows", lines)
end

return function()
    local peer <close>, missing = pipe.python "peer_tables.py"
    if not peer then return {support.note("tables", missing)} end
    local given = columns(count)
    given.keys = rill.permutation(small, {seed = 9})
    given.spread = given.keys * 214013
    given.values = rill.random(small, {seed = 10})
    for name, s in pairs(given) do
        given[name] = s:eval()
        peer:give(name, given[name])
    end
    local t <const> = rill.frame {a = given.a, b = given.b, k = given.k, x = given.x, j = given.j}
    local u <const> = rill.frame {k = given.keys, v = given.values}
    local function lookup(keys, names) return rill.lookup(keys, names, given.values) end
    local function aggregate(names, list)
        return function() return t:group(names):aggregate(list) end
    end
    local rows = pipe.rows(peer, peer.what, {
        {"group 10^7 rows by two keys: mean, quantile", "group", 1.5,
            aggregate({"a", "j"}, {m = "mean x", q = "quantile x 0.9"}), rounds = 3, tolerance = 1e-6,
            as = function(r) return r.q:cast "float" end},
        {"... mean and std", "group_mean", 1, aggregate({"a", "j"}, {m = "mean x", s = "std x"}), rounds = 5,
            tolerance = 1e-6, as = function(r) return r.s:cast "float" end},
        {"... by 10^4 keys: max", "group_max", nil, aggregate("k", {m = "max x"}), rounds = 5, tolerance = 1e-6,
            as = function(r) return r.m:cast "float" end},
        {"filter 10^7 rows", "filter", nil, function() return t:filter "x > 0.5 and j == 3" end,
            as = function(r) return r.k end},
        {"sort 10^7 rows by int and float", "sort", 1.5, function() return t:sort {"a", "b"} end, rounds = 3,
            as = function(r) return r.x:cast "float" end},
        {"join 10^7 with 10^4 rows", "join", 1.5, function() return t:join(u, {on = "k"}) end, rounds = 5,
            tolerance = 1e-6, as = function(r) return rill.from {r.v:cast("double"):sum()} end},
        {"left join 10^7 with 10^4 rows", "join_left", 1.5, function() return t:join(u, {on = "k", how = "left"}) end,
            rounds = 5, as = function(r) return r.v end},
        {"lexsort {int, float} 10^7", "lexsort", 1.5, function() return rill.lexsort {given.a, given.b} end,
            rounds = 3},
        {"lookup 10^7 keys, 10^4 in a range", "lookup", 1.5, function() return lookup(given.k, given.keys) end},
        {"lookup 10^7 keys, 10^4 spread", "lookup_spread", nil, function() return lookup(given.w, given.spread) end},
        {"isin 10^7, 10^4", "isin", 1.5, function() return given.w:isin(given.spread) end,
            as = function(s) return s:cast "int" end},
        {"intersect 10^7, 10^4", "intersect", 1.5, function() return rill.intersect(given.w, given.spread) end,
            rounds = 3},
    })
    table.move(csv_rows(), 1, 2, #rows + 1, rows)
    rows[#rows + 1] = growth("lexsort {int, float}", function(n)
        local own <const> = columns(n)
        return function() return rill.lexsort {own.a, own.b} end
    end)
    rows[#rows + 1] = growth("group by two keys: mean, quantile", function(n)
        local own <const> = rill.frame(columns(n))
        return function() return own:group {"a", "j"}:aggregate {m = "mean x", q = "quantile x 0.9"} end
    end)
    rows[#rows + 1] = growth("lookup, as many keys in the table", function(n)
        local keys <const> = (rill.random(n, {seed = 1, type = "int", low = 0, high = n - 1}) * 77):eval()
        local names <const> = (rill.permutation(n, {seed = 2}) * 77):eval()
        local values <const> = rill.random(n, {seed = 3})
        return function() return rill.lookup(keys, names, values) end
    end)
    return rows
end
