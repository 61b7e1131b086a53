local preload = require "spec.support.preload"
local process = require "spec.support.process"

-- Returns the number of OpenGL programs: linked minus deleted, counted by spec/support/glcount.c.
local library, missing = preload "glcount"

local HEAD <const> = [[
    local dump = assert(package.loadlib("%s", "rill_glcount_dump"))
    local function live()
        dump()
        local counts = {}
        for line in io.lines "%s" do
            local name, count = line:match "(%%S+) (%%d+)"
            counts[name] = tonumber(count)
        end
        return counts.glLinkProgram - counts.glDeleteProgram, counts.glLinkProgram
    end
    local rill = require "rill"
    local x = rill.iota(1000)
    -- The program is linked when the kernel is created. Its first dispatch with elements takes more time, so only every
    -- 35th kernel has elements.
    local function of(i)
        return i %% 35 == 0 and x or rill.iota(0)
    end
]]

local function run(script)
    if not library then
        pending(missing)
    end
    local file = os.tmpname()
    local result = process.run(HEAD:format(library, file) .. script, {LD_PRELOAD = library, RILL_GLCOUNT = file})
    os.remove(file)
    -- Some of these tests use texts that differ only in their numbers.
    local err = result.err:gsub("^rill: %d+ kernels were compiled that differ only in their numbers[^\n]*\n", "")
    assert(result.status == 0 and err == "", result.out .. result.err)
    return result.out
end

describe("programs", function()
    it("of kernels that are dropped are deleted, without a forced collection", function()
        local most, linked = run [[
            local most = 0
            for i = 1, 140 do
                local text = "kernel void f(int a<>, out int r<>) { r = a + %d; }"
                local r <close> = rill.kernel(text:format(i))(of(i))
                assert(r.size == 0 or r:get(1) == i)
                most = math.max(most, (live()))
            end
            print(most, select(2, live()))
        ]]:match "(%d+)\t(%d+)"
        assert.is_true(tonumber(linked) >= 140)
        assert.is_true(tonumber(most) <= 130, most .. " programs at a time")
    end)

    it("that reductions and scans made of dropped kernels are deleted #long", function()
        local before, after, linked = run [[
            local before = live()
            for i = 1, 26 do
                local k = rill.kernel(("reduce void f(int a<>, reduce int r<>) { r = max(r, a + %d - %d); }"):format(i, i))
                assert(k(x) == 999)
                local s <close> = x:scan(k)
                assert(s:get(1000) == 999)
            end
            collectgarbage()
            local last = rill.kernel "reduce void f(int a<>, reduce int r<>) { r = min(r, a); }"
            assert(last(x) == 0)
            local s <close> = x:scan(last)
            rill.stream("int", 1):close()
            print(before, live())
        ]]:match "(%d+)\t(%d+)\t(%d+)"
        assert.is_true(tonumber(linked) - before > 50)
        assert.is_true(after - before <= 50, after - before .. " programs more")
    end)

    it("of expressions and one-line texts are kept in hundreds, not more #slow #long", function()
        local most, again = run [[
            local function work(i)
                local r <close> = of(i):map(("x + %d"):format(i))
                assert(r.size == 0 or r:get(1) == i)
            end
            local most = 0
            for i = 1, 480 do
                work(i)
                most = math.max(most, (live()))
            end
            local _, linked = live()
            for i = 480, 200, -1 do
                work(i)
            end
            print(most, select(2, live()) - linked)
        ]]:match "(%d+)\t(%d+)"
        assert.is_true(tonumber(most) <= 450, most .. " programs at a time")
        assert.equal("0", again)
    end)

    it("of several hundred live kernels stay", function()
        local linked = run [[
            local kernels = {}
            for i = 1, 70 do
                kernels[i] = rill.kernel(("kernel void f(int a<>, out int r<>) { r = a + %d; }"):format(i))
            end
            local function all()
                for i, kernel in ipairs(kernels) do
                    local r <close> = kernel(of(i))
                    assert(r.size == 0 or r:get(1) == i)
                end
            end
            all()
            collectgarbage()
            local _, linked = live()
            all()
            print(select(2, live()) - linked)
        ]]
        assert.equal("0\n", linked)
    end)

    it("are compiled once for streams of all sizes #large", function()
        local out = process.output([[
            local rill = require "rill"
            rill.from({1, 2}):map("x + y", {y = 1}):values()
            local start, first = os.clock(), nil
            local k = rill.kernel "kernel void f(float x<>, float y<>, out float r<>) { r = x * 2.5 + y; }"
            for _, n in ipairs {8, 1, 4, 12, 28, 60, 64, 124, 252, 1000, 1020, 4092, 16384, 65536} do
                local x, y = rill.stream("float", n, 1), rill.stream("float", n, 2)
                rill.sync() -- devices that queue work fill the streams here
                if first then
                    start = os.clock()
                end
                assert(k(x, y):get(n) == 4.5)
                local took = os.clock() - start
                local message = "%d elements took %.1f ms, the first eight %.1f"
                assert(not first or took < first / 2, message:format(n, took * 1e3, (first or 0) * 1e3))
                first = first or took
            end
            print "once"
        ]], {MESA_SHADER_CACHE_DISABLE = "true"})
        assert.equal("once\n", out)
    end)
end)
