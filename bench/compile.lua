-- How long the programs of public functions take to compile, with an empty shader cache: the Lua of each page of the manual runs twice in processes of its own, the
-- second time with the cache of the first. The difference of the processor time of a call is its compilation. Rows have the greatest difference of a name, and
-- the number of programs that this call compiled. PAGES="mesh ray": only these pages.
local as_script = arg[1] == "--page"
local GOAL <const> = 1 -- seconds

if as_script then
    local rill = require "rill"
    local output, depth, clock = io.stderr, 0, os.clock
    local function timed(name, f)
        return function(...)
            if depth > 0 then return f(...) end
            depth = 1
            rill.sync()
            local arguments, results = table.pack(...), nil
            local function call() results = table.pack(pcall(f, table.unpack(arguments, 1, arguments.n))) end
            local start = clock()
            local profiled, report = pcall(rill.profile, call) -- not within another profile
            if not results then call() end
            rill.sync()
            local compiled = profiled and report.compiled or 0
            output:write(("\1%s\t%.6f\t%d\n"):format(name, clock() - start, compiled))
            depth = 0
            if not results[1] then error(results[2], 0) end
            return table.unpack(results, 2, results.n)
        end
    end
    local blocks = {}
    for block in io.open(arg[2]):read("a"):gmatch "\n```lua\n(.-)\n```" do blocks[#blocks + 1] = block end
    local text, seen = table.concat(blocks, "\n"), {}
    for name in text:gmatch "%f[%w_]rill([%w_.]+)%f[^%w_.]" do
        local at, last = rill, nil
        for part in name:gmatch "[%w_]+" do
            local found, value = pcall(function() return at[part] end)
            if last and type(at) ~= "table" or not found then break end
            if type(value) == "function" and not seen[name] and type(at) == "table" then
                seen[name] = true
                rawset(at, part, timed("rill" .. name, value))
            end
            at, last = value, part
            if type(at) ~= "table" then break end
        end
    end
    local meta = debug.getmetatable(rill.stream("float", 1))
    local index = meta.__index
    meta.__index = function(s, key)
        local value = index(s, key)
        return type(value) == "function" and timed("s:" .. key, value) or value
    end
    print = function() end -- luacheck: ignore
    local run = assert(load(text, "=" .. arg[2]))
    local ok, message = pcall(run)
    output:write(ok and "\1done\t0\t0\n" or "\1failed: " .. tostring(message):gsub("%s+", " ") .. "\t0\t0\n")
    return
end

local peer = require "peer"
local support = require "bench.support"
local here = support.folder:find "^/" and "" or assert(io.popen "pwd"):read() .. "/"

-- Returns the names and seconds of the calls of a page, with a shader cache in a folder.
local function calls_of(page, folder)
    local command = ("cd '%s' && MESA_SHADER_CACHE_DIR=$PWD timeout 300 %s 2>&1 >/dev/null"):format(folder,
        support.command("", here .. support.folder .. "/compile.lua", "--page", here .. page))
    local pipe <close> = assert(io.popen(command))
    local calls = {}
    for line in pipe:lines() do
        local name, seconds, programs = line:match "^\1(.-)\t([%d.]+)\t(%d+)$"
        if name then calls[#calls + 1] = {name, tonumber(seconds), tonumber(programs)} end
    end
    return calls
end

-- Programs by hand: a map of one element per invocation, and a sum in shared memory. %d makes each program new.
local MAP <const>, SUM <const> = [=[
layout(local_size_x = 8) in;
layout(binding = 0) uniform usamplerBuffer x;
layout(std430, binding = 0) writeonly buffer Result { float r[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    r[i] = uintBitsToFloat(texelFetch(x, int(i)).x) * 2.0 + %d.5;
}]=], [=[
layout(local_size_x = 64) in;
layout(binding = 0) uniform usamplerBuffer x;
layout(std430, binding = 0) writeonly buffer Result { float r[]; };
shared float part[64];
void main()
{
    uint i = gl_LocalInvocationID.x;
    part[i] = uintBitsToFloat(texelFetch(x, int(i)).x) * %d.5;
    barrier();
    for (uint n = 32u; n > 0u; n >>= 1) {
        if (i < n) part[i] += part[i + n];
        barrier();
    }
    if (i == 0u) r[0] = part[0];
}]=]

-- Returns the processor seconds in which a program by hand is compiled, linked and run for the first time.
local function by_hand(text)
    local programs <const>, begin = 25, nil
    for i = 0, programs do
        begin = begin or i == 1 and os.clock()
        local number = peer.shader(text:format(i + os.time() % 1000000 * 100), 1, 256, ("\0"):rep(256))
        peer.shader_run(number, 1)
        peer.shader_close(number)
    end
    return (os.clock() - begin) / programs
end

return function()
    local map <const>, sum <const> = by_hand(MAP), by_hand(SUM)
    local pages, most = {}, {}
    local pipe <close> = io.popen("ls '" .. support.folder .. "'/../docs/*.md")
    local wanted = os.getenv "PAGES"
    for page in pipe:lines() do
        local name = page:match "([^/]*)%.md$"
        if not wanted or (" " .. wanted .. " "):find(" " .. name .. " ", 1, true) then pages[#pages + 1] = page end
    end
    for _, page in ipairs(pages) do
        local folder = os.tmpname()
        os.remove(folder)
        os.execute("mkdir '" .. folder .. "'")
        local cold, warm = calls_of(page, folder), calls_of(page, folder)
        os.execute("rm -r '" .. folder .. "'")
        for n, call in ipairs(cold) do
            local name, seconds = call[1], warm[n] and call[2] - warm[n][2] or 0
            if warm[n] and warm[n][1] == name and seconds > (most[name] and most[name][2] or 0) then
                most[name] = {name, seconds, call[3], seconds / math.max(call[3], 1), page:match "([^/]*)$"}
            end
        end
    end
    local list, rows, lines = {}, {}, {{"function", "seconds", "programs", "each", "by hand", "page"}}
    for _, entry in pairs(most) do list[#list + 1] = entry end
    table.sort(list, function(a, b) return a[2] > b[2] end)
    for _, entry in ipairs(list) do
        table.insert(entry, 5, entry[3] * (map + sum) / 2)
        lines[#lines + 1] = entry
    end
    rows[1] = support.note("greatest compile time", ("%.2f s (%s)"):format(list[1][2], list[1][1]),
        ("<= %.2f s"):format(GOAL))
    rows[2] = support.note("a map by hand, a sum by hand", ("%.1f ms, %.1f ms"):format(map * 1e3, sum * 1e3))
    rows[3] = support.table("Compile time of public functions with an empty cache, seconds of all threads; " ..
        "as many programs, half of them the map and half of them the sum", lines)
    return rows
end
