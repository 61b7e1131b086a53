-- Generates calls with unexpected values: wrong types, closed objects, extreme integers, views of views, callbacks
-- that raise, yield or close objects in use, coroutines, garbage collections at any time. Each call must raise an
-- error or succeed, and existing objects must not change.
local draw = require "fuzz.support.draw"
local reference = require "rill.shell.reference"

local abuse = {batch = 40}

-- Functions that would wait for a terminal, write files, or end the process.
local skipped = {
    command = true, repl = true, help = true, show = true, save = true, animate = true, plot = true, open = true,
        devices = true,
    memory_limit = true, progress = true, profile = true, watch = true, selftest = true, horn = true, gl = true,
    mod = not draw.divides,
}

local names = {functions = {}, methods = {}}
for _, entry in ipairs(reference.entries()) do
    local owner, name = entry.name:match "^(%l+)[.:]([%w_]+)$"
    if entry.params and name and not skipped[name] and not entry.name:find "%..*%." then
        table.insert(owner == "rill" and names.functions or names.methods, name)
    end
    table.insert(names.functions, (entry.name:match "^rill%.(translator%.%l+)$"))
end

local values = {
    "nil", "0", "1", "-1", "2", "3", "1.5", "0/0", "1/0", "-1/0", "true", "false", "math.maxinteger",
        "math.mininteger", "2^31|0", "2^31-1|0",
    "-2^31|0", "2^32|0", "2^53", "1e300", "''", "'float'", "'int'", "'vec3'", "'uint8'", "'bool'", "'x'", "'x > 1'",
        "'add'", "'wrap'",
    "('x'):rep(5000)", "'\\0'", "{}", "{1}", "{1, 2, 3}", "{3, 2}", "{-1, 5}", "{0, 0}", "{1, {2}}", "{{}}",
        "{1, 'a'}", "{[2] = 1}",
    "{axis = 9}", "{axis = 1}", "{keep = true}", "{type = 'int'}", "{seed = 0/0}", "{bins = 0}", "{bins = 1e9}",
        "{1, nil, 3}",
    "{shape = 3}", "{x = 1}",
        "setmetatable({}, {__index = function() error 'index' end, __len = function() return 1e9 end})",
    "function() error 'callback' end", "function() return end", "function() return 1, 2, 3 end",
        "function() a:close() return 1 end",
    "function() coroutine.yield(1) end", "function() collectgarbage() return 1 end", "print",
        "coroutine.create(print)", "io.stdout",
    "a", "b", "c", "v", "w", "e", "k", "r", "m", "closed", "P", "h", "big", "empty", "it", "t", "own", "points",
    "{shape = {30, 40}, page = {4, 3}}", "{shape = {30, 40}}", "{shape = 12, to = {3, 4}}", "{rank = 2}",
    "{counts = b}",
    "{rank = 1, to = 1, glsl = 'int translate(int v) { return v; }', cpu = function() own:close() return 1 end}",
}

local SETUP = [[
rill.memory_limit(1 << 23)
local kept = rill.from({5, 6, 7}, "int")
local a, b, c = rill.from {1, 2, 3}, rill.iota {3, 2}, rill.from({true, false, true})
local v, w = b:transpose():stride(2, 1), a:replicate(2):tile(2)
local e, it = a * 2 + 1, rill.iter("float", 3, 0, 1)
local k = rill.kernel "kernel void f(float x<>, out float r<>) { r = x + 1.0; }"
local h = rill.kernel "reduce void g(float x<>, reduce float r<>) { r += x; }"
local r, m = a:request(), a:map_cpu()
local closed = a:copy()
closed:close()
local P = rill.struct("P", "vec3 at; int n;")
local t = rill.translator.pages {shape = {30, 40}, page = {4, 3}}:map({3, 2}, {9, 9}, 1)
local points = rill.stream("ivec2", 5, {3, 7})
local own = rill.translator.new {rank = 2, to = 2, glsl = "ivec2 translate(ivec2 v) { return v.yx; }",
    cpu = function(x, y) a:close() return y, x end, ranges = function(...) return {...} end}
local big, empty = a:domain(1, 1):tile((1 << 20) - 1), rill.stream("float", 0)
local all = {}
local function keep(...)
    for _, got in ipairs {...} do
        local fine, size = pcall(function() return got.size end)
        if rill.type(got) and (not fine or math.type(size) ~= "integer" or size < 100000) then
            all[#all + 1] = got
        end
    end
end
local function try(f, ...)
    local results = table.pack(pcall(f, ...))
    if results[1] then
        keep(table.unpack(results, 2, results.n))
    elseif type(results[2]) == "string" then
        assert(not results[2]:find "fuzz bug")
        assert(#results[2] < 20000, "a message of more than 20,000 bytes")
    end
end
]]

local FINISH = [[
for _, value in ipairs(all) do
    pcall(tostring, value)
    pcall(function() return value:values() end)
end
rill.memory_limit(0)
pcall(m.unmap, m)
check.equal({5, 6, 7}, kept:values())
check.equal({2, 4}, rill.from({1, 2}):map("x * 2.0"):values())
assert(rill.iota(1000):sum() == 499500)
rill.check(false)
rill.seed(0)
]]

local function arguments(d)
    return table.concat(d:many(0, 5, 2, function() return d:pick(values) end), ", ")
end

local objects = {"t", "t", "own", "a", "b", "c", "v", "w", "e", "k", "h", "r", "m", "closed", "P", "big", "empty", "it",
    "(all[#all] or a)", "(all[1] or a)"}

local symbols = {"+", "-", "*", "/", "^", "&", "<<", "..", "<", "==", table.unpack(draw.divides and {"//", "%"} or {})}

local function step(d)
    local kind = d:below(12)
    if kind < 4 then
        return ("try(rill.%s, %s)"):format(d:pick(names.functions), arguments(d)):gsub(", %)$", ")")
    elseif kind < 8 then
        local object = d:pick(objects)
        local list = arguments(d)
        return ("try(function() return %s:%s(%s) end)"):format(object, d:pick(names.methods), list)
    elseif kind == 8 then
        return ("try(function() return %s %s %s end)"):format(d:pick(objects), d:pick(symbols),
            d:pick(values):gsub("^function.*", "nil"):gsub("^(%-)", " %1"))
    elseif kind == 9 then
        return ("try(function() %s[%s] = %s end)"):format(d:pick(objects), d:pick(values):gsub("^nil$",
            "1"):gsub("^0/0$", "2"), d:pick(values))
    elseif kind == 10 then
        return d:pick {"collectgarbage()", "a:close()", "pcall(r.close, r)", "pcall(m.unmap, m)", "b:close()",
            "a, b = b, a", "a = nil collectgarbage() a = rill.iota(4)",
            "try(function() local t <close> = a end)", "for i = 1, #all do try(function() all[i]:close() end) end",
            "try(getmetatable(a).__gc, a)",
            "try(debug.getmetatable(a).__gc, io.stdout)", "try(getmetatable(b).__index, io.stdout, 'size')"}
    end
    local call = ("try(rill.%s, %s)"):format(d:pick(names.functions), arguments(d)):gsub(", %)$", ")")
    return ("local co = coroutine.wrap(function() %s coroutine.yield() a:sum() end)\npcall(co)\npcall(co)"):format(call)
end

function abuse.scripts(draws)
    local scripts = {}
    for i, d in ipairs(draws) do
        local steps = d:many(1, 12, 4, function() return (step(d)) end)
        scripts[i] = SETUP .. table.concat(steps, "\n") .. "\n" .. FINISH
    end
    return scripts
end

return abuse
