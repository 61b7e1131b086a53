-- A script that calls every function that Lua can reach in rill, including metamethods and the contents of the
-- registry, with unexpected arguments. Errors are permitted. The name of the current function is written to the file
-- arg[1], so that a crash can be attributed. The last line of output has the numbers of functions and calls.
local core = require "rill.core"
local rill = require "rill"
local log = assert(io.open(arg[1], "w"))
log:setvbuf "no"

for entry in io.popen("ls '" .. arg[2] .. "'"):lines() do
    local name = entry:match "^(%l[%w_]*)%.lua$"
    if name and name ~= "init" then
        pcall(require, "rill." .. name)
    end
end

-- ---- collecting functions

local kernel = rill.kernel "kernel void f(float a, float x<>, out float r<>) { r = a * x; }"
local fold = rill.kernel "reduce void g(float x<>, reduce float r<>) { r += x; }"
local four = rill.from {1, 2, 3, 4}
local map, request = four:map_cpu(), four:request()
local ray = rill.struct("Ray", "vec3 o; vec3 d;")
local animation = rill.animate "a.png"
local pages = rill.sparse("float", {8, 8}, {page = {4, 4}}):set(1, 2, 3)
local tree = rill.quadtree("float", {size = 8, page = 2})

local function nothing() end

local function closed(value, close)
    close(value)
    return value
end

local values = {
    stream = four, ray_stream = rill.stream(ray, 2), kernel = kernel, fold = fold, map = map, request = request,
    struct = ray, device = rill.device(), expression = four + 1, animation = animation, progress = rill.progress(3),
    shape = four.shape, params = kernel.params, pages = pages, tree = tree, stack = rill.stack "int",
    part = pages:active(), snapshot = pages:snapshot(), translator = rill.translator.linear {shape = {4, 4}},
}

local functions, modules, seen = {}, {}, {}
local collect

-- Collects from the items of a table in the order of their names, so that a function has the same name in every run.
local function walk(prefix, list, depth)
    local rows = {}
    for key, item in next, list do
        rows[#rows + 1] = {name = tostring(key):gsub("0x%x+", ""), item = item}
    end
    table.sort(rows, function(x, y) return x.name < y.name end)
    for _, row in ipairs(rows) do
        collect(prefix .. row.name, row.item, depth)
    end
end

-- Collects functions and tables reachable from a value, under the first name by which each is found.
function collect(name, value, depth)
    if value == nil or seen[value] or depth > 8 then
        return
    end
    local kind = type(value)
    if kind == "function" then
        seen[value] = true
        functions[#functions + 1] = {name = name, call = value}
        for i = 1, 255 do
            local inner, held = debug.getupvalue(value, i)
            if not inner then
                break
            elseif debug.getinfo(value, "S").what == "C" then
                collect(name .. "^" .. i, held, depth + 1)
            end
        end
    elseif kind == "table" then
        seen[value] = true
        walk(name .. ".", value, depth + 1)
    end
    if kind == "table" or kind == "userdata" then
        collect("meta(" .. name .. ")", debug.getmetatable(value), depth + 1)
    end
end

for _, loaded in ipairs {_G, package.loaded._G, package.loaded.package} do
    seen[loaded] = true
end
for _, name in ipairs {"string", "table", "math", "io", "os", "debug", "coroutine", "utf8"} do
    seen[_G[name]] = true
    for _, f in next, _G[name] do
        seen[f] = true
    end
end
for _, f in next, _G do
    seen[f] = true
end
seen[debug.getmetatable(io.stdout)], seen[debug.getmetatable ""] = true, true
for _, f in next, debug.getmetatable(io.stdout) do
    seen[f] = true
end

walk("", values, 0)
collect("each", four:each(), 0)
for name, module in pairs(package.loaded) do
    modules[name] = name:find "^rill" and module or nil
end
walk("", modules, 0)
local keys = {} -- addresses within the module: their order is that of the module
for key in pairs(debug.getregistry()) do
    keys[#keys + 1] = type(key) == "userdata" and key or nil
end
table.sort(keys, function(x, y) return tostring(x) < tostring(y) end)
for _, key in ipairs(keys) do
    collect("registry", debug.getregistry()[key], 1)
end

-- Sorts the names: private names of the module come last, and after them the functions that close it.
local function rank(name)
    return name:find "%._expression$" and 4 or name:find "%._m[%w]*ethod$" and 3 or name:find "%._" and 2 or 1
end
table.sort(functions, function(a, b)
    local x, y = rank(a.name), rank(b.name)
    if x ~= y then
        return x < y
    end
    return a.name < b.name
end)

-- ---- arguments

local close, unmap = core._method "close", map.unmap

-- Creates new arguments for every function, because some functions close their arguments.
local function hostile_values()
    local own = rill.from {1, 2, 3, 4}
    local still = rill.stream("float", {2, 2})
    local paged = rill.sparse("float", {4, 4}, {page = {2, 2}}):set(1, 2, 3)
    local list = {
        false, true, 0, -1, 1, 0.5, -0.0, 0 / 0, 1 / 0, math.maxinteger, math.mininteger, 2 ^ 53, "", "x", "float",
        {}, {1, 2}, {math.maxinteger, math.maxinteger}, {x = math.mininteger, shape = {-1}}, nothing,
        coroutine.create(nothing), io.stdout, debug.upvalueid(collect, 1), -- light userdata
        closed(rill.iota(3), close), closed(own:map_cpu(), unmap),
        closed(own:request(), function(r) r:close() end),
        closed(rill.animate "b.png":frame(still), function(a) a:close() end),
        paged, paged:active(), paged:snapshot(), rill.stack "int", rill.quadtree("float", {size = 4, page = 2}),
        rill.translator.linear {shape = {4, 4}}, closed(paged:copy(), function(c) c:close() end),
        own, rill.iota({2, 3}), rill.stream("float", 0), rill.iter("float", 5, 0, 1), rill.stream(ray, 2),
        own:boundary "wrap", own * 2, own:map_cpu(), own:request(), rill.animate "a.png", kernel, fold,
        ray, rill.device(),
    }
    return list, own, rill.stream("float", 0)
end

local calls = 0

local function try(f, ...)
    calls = calls + 1
    local _, result = pcall(f, ...)
    if type(result) == "userdata" then -- its result is a value like the others
        pcall(tostring, result)
    end
end

local spared = { -- would end the traversal, or wait for input
    [os.exit] = true, [os.execute] = true, [io.popen] = true, [io.read] = true,
}

local MOST <const> = 1 << 19 -- pages of memory: 2 GB

-- Ends the process at a collection of garbage that finds more memory in use: before a loop whose count is an argument
-- fills the memory of the machine.
local function watch()
    local file <close> = assert(io.open "/proc/self/statm")
    local _, resident = file:read("n", "n")
    if resident > MOST then
        io.stderr:write(debug.traceback(("a call takes more than %d pages of memory"):format(MOST)), "\n")
        os.exit(false)
    end
    setmetatable({}, {__gc = watch})
end

watch()
print, io.write = nothing, nothing -- luacheck: ignore 121 122
local made = {hostile_values()}
local limit_memory, limit = rill.memory_limit, rill.memory().limit
local function make()
    pcall(limit_memory, limit) -- a call may have lowered the limit
    local list = {pcall(hostile_values)}
    if list[1] then -- otherwise the module was closed
        made = {table.unpack(list, 2)}
    end
    return table.unpack(made)
end

local many = tonumber(arg[3]) or 1
for number, entry in ipairs(functions) do
    local tests = entry.name:find "driver_test" or entry.name:find "selftest" or entry.name:find "_tune" -- take seconds
    if not spared[entry.call] and not tests and number % many == tonumber(arg[4] or 0) then
        log:write(entry.name, "\n")
        local f = entry.call
        local hostile, own, empty = make()
        try(f)
        for _, v in ipairs(hostile) do
            try(f, v)
            try(f, nil, v)
            try(f, own, v)
            try(f, v, v, v)
            try(f, own, v, v)
            try(f, own, own, v)
            try(f, empty, v)
            try(f, kernel, v)
            try(f, v, v, v, v, v, v)
        end
        math.randomseed(number, tonumber(arg[5]) or 0) -- the same arguments in every run
        for _ = 1, 30 do
            local list = {}
            for i = 1, math.random(2, 8) do list[i] = hostile[math.random(#hostile)] end
            try(f, table.unpack(list, 1, 8))
        end
    end
end
collectgarbage()
collectgarbage()
log:write "the end\n"
io.stdout:write(#functions, " functions, ", calls, " calls\n")
