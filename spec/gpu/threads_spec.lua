local shortened = require "spec.support.shortened"
local compile = require "spec.support.compile"
local process = require "spec.support.process"

-- All operations that combine, order or move elements, with one line of sums each. Sums of floats depend on the order of
-- additions, so that a difference in one bit is visible.
local SCRIPT <const> = [[
    local rill = require "rill"
    local n = 100003
    local x, u = rill.random(n, {seed = 1}), rill.random(n, {seed = 2, type = "uint"})
    local k = (u % 1000):cast "int"
    local function show(name, ...)
        local words = {}
        for i, s in ipairs {...} do
            local crc, bytes = 0, s:bytes()
            for at = 1, #bytes - 3, 4 do
                crc = (crc * 31 + string.unpack("<I4", bytes, at)) & 0xffffffffffff
            end
            words[i] = ("%x:%s"):format(crc, s.shape)
        end
        print(name, table.concat(words, " "))
    end
    show("int scan", k:scan(), k:scan("max", {exclusive = true}), k:scan("add", {reverse = true}))
    show("int segments", k:scan("add", {segments = (k % 50):eq(0):eval()}))
    show("filter", x:filter "x > 0.3", k:find "x % 7 == 0", k:partition "x < 500")
    show("sort", u:sort(), rill.argsort(k), x:sort{descending = true})
    show("merge", rill.merge(u:sort(), rill.iota(9):cast "uint"), u:top_k(100))
    show("runs", k:sort():runs())
    show("unique", k:unique())
    show("histogram", x:histogram{bins = 300, min = 0, max = 1}, rill.bincount(k))
    show("set", rill.scatter(rill.stream("float", 1000), k, x), rill.gather(x, k))
    show("transpose", u:domain(1, 100000):reshape {100, 1000}:transpose():copy())
    show("product", rill.matmul(k:domain(1, 99999):reshape {3, 33333}, k:domain(1, 66666):reshape {33333, 2}))
    show("float scan", x:scan())
    show("float sums", rill.reduce_by_key(k:sort(), x))
    show("float scatter", rill.scatter(rill.stream("float", 1000), k, x, "add"))
    show("float bins", x:histogram{bins = 64, min = 0, max = 1, weights = x})
    print("float sum", ("%a %a"):format(x:sum(), x:var()))
]]

local function results(threads, family, texels)
    return process.output(SCRIPT, {LP_NUM_THREADS = tostring(threads), RILL_FAMILY = family, RILL_MAX_TEXELS = texels})
end

describe("Lua states on separate threads", function()
    local host, missing = compile("host", "", true)

    -- `make tsan` runs the same longer, with a tool that also detects races without an effect on results.
    local title = "work at the same time, each with its own device, and compute what they would alone #tables"
    shortened(it, title, function(whole)
        if not host then
            pending(missing)
        end
        local pipe = assert(io.popen(("'%s' spec/support/threads.lua %s 2>&1"):format(host, whole and "4 2" or "2 1")))
        local text = pipe:read "a"
        local good = pipe:close()
        assert.is_true(good, text)
        assert.matches(whole and "^%d+\n%d+\n%d+\n%d+\n$" or "^%d+\n%d+\n$", text)
    end)
end)

describe("results #slow #long", function()
    local first = {}

    for _, family in ipairs {"cpu", "gpu"} do
        it("are the same bit for bit on any number of threads, family " .. family, function()
            first[family] = results(0, family)
            for _, threads in ipairs {1, 2, 4} do
                assert.are.equal(first[family], results(threads, family))
            end
        end)
    end

    -- Streams are then read through storage blocks, with the same groups and steps.
    it("are the same bit for bit where buffer textures end early", function()
        assert.are.equal(first.cpu or results(0, "cpu"), results(0, "cpu", "8192"))
    end)

    it("without rounding are the same in both families", function()
        local exact = {}
        for _, family in ipairs {"cpu", "gpu"} do
            exact[family] = (first[family] or results(0, family)):gsub("float%s[^\n]*\n", "")
        end
        assert.is_truthy(exact.cpu:find("histogram", 1, true))
        assert.are.equal(exact.cpu, exact.gpu)
    end)
end)
