local process = require "spec.support.process"

-- Runs loops in a process of their own, since they change the collector's mode. `heap` is the number of tables in the
-- Lua heap. Each loop runs once before it is counted. Returns a line per loop: the most streams in use, the most memory
-- in streams of 4 MiB, the page faults per call.
local function run(mode, heap, loops)
    return process.output(([[
        %s
        local rill = require "rill"
        local heap = {}
        for i = 1, %d do heap[i] = {i} end
        local function faults()
            local file <close> = assert(io.open "/proc/self/stat")
            return tonumber((file:read "a":match "^.*%%) %%S %%S+ %%S+ %%S+ %%S+ %%S+ %%S+ (%%d+)"))
        end
        local n, calls = 1 << 20, 60
        local k = rill.kernel "kernel void k(float a, float x<>, float y<>, out float r<>) { r = a * x + y; }"
        local x, y = rill.stream("float", n, 1), rill.stream("float", n, 2)
        for _, loop in ipairs {%s} do
            local most, bytes, before = 0, 0
            for run = 1, 2 do
                if run == 2 then most, bytes, before = 0, 0, faults() end
                loop(function(...)
                    local r = k(2, ...)
                    local memory = rill.memory()
                    most, bytes = math.max(most, memory.streams), math.max(bytes, memory.bytes)
                    return r
                end)
            end
            print(most, bytes >> 22, (faults() - before) // calls)
        end
    ]]):format(mode, heap, table.concat(loops, ", ")))
end

local function counts(mode, loops)
    local out, results = run(mode, 0, loops), {}
    for most, streams, faults in out:gmatch "(%d+)\t(%d+)\t(%-?%d+)\n" do
        results[#results + 1] = {most = tonumber(most), streams = tonumber(streams), faults = tonumber(faults)}
    end
    assert.equal(#loops, #results, out)
    return results
end

local modes <const> = {
    default = "",
    incremental = [[collectgarbage "incremental"]],
    generational = [[collectgarbage "generational"]],
    ["incremental, pause 10"] = [[collectgarbage("incremental", 1000, 100)]],
    ["generational, rare"] = [[collectgarbage("generational", 100, 1000)]],
}

-- A loop, and the number of streams that it references, with x and y.
local loops <const> = {
    {"function(k) for _ = 1, calls do local q = k(x, y) end end", 3},
    {"(function() local q return function(k) for _ = 1, calls do q = k(x, y) end q = nil end end)()", 3},
    {"function(k) local t = {} for _ = 1, calls do t.q = k(x, y) end end", 3},
    {"function(k) local u, v = k(x, y), y for _ = 2, calls do u, v = k(u, y), u end end", 4},
    {"function(k) local u = {} for i = 1, calls do u[i] = k(x, y) u[i - 6] = nil end end", 8},
    {[[function(k)
        local q
        for _ = 1, calls do q = coroutine.wrap(function() coroutine.yield(k(x, y)) end)() end
    end]], 3},
    {"function(k) local q for _ = 1, calls do q = setmetatable({k(x, y)}, {__gc = function() end}) end end", 3},
}

-- Counts collections: an object that is created again whenever it is finalized.
local counted <const> = [[
    local collections = 0
    local function watch() setmetatable({}, {__gc = function() collections = collections + 1; watch() end}) end
    watch()
]]

describe("loops that keep their last results", function()
    for name, mode in pairs(modes) do
        local short <const> = name == "default"
        it("reuse memory in the mode " .. name .. (short and "" or " #long"), function()
            local texts = {}
            for i, loop in ipairs(loops) do texts[i] = loop[1] end
            for i, result in ipairs(counts(mode, texts)) do
                local reachable = loops[i][2]
                local most = reachable == 3 and 6 or 2 * reachable
                assert.is_true(result.most <= most, ("loop %d: %d streams"):format(i, result.most))
                assert.is_true(result.streams <= most, ("loop %d: %d streams of 4 MiB"):format(i, result.streams))
                -- a new buffer of 4 MiB has 1024 pages
                assert.is_true(result.faults <= 100, ("loop %d: %d page faults"):format(i, result.faults))
            end
        end)
    end

    it("seldom collect a large Lua heap", function()
        local loop = "function(k) local u, v = k(x, y), y for _ = 2, calls do u, v = k(u, y), u end " ..
            "print(collections) end"
        local out = run([[collectgarbage "incremental"]] .. counted, 400000, {loop})
        local before, after = out:match "^(%d+)\n(%d+)\n"
        assert.is_true(after - before <= 10, out)
    end)
end)
