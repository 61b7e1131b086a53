-- c:each, c:update and c:generate, compared with plain Lua, for any size. The random programs
-- (programs.lua) use them, too.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local equal <const>, raises <const> = check.equal, check.raises

describe("elements of containers one by one", function()
    leaks.watch(setup, teardown)

    it("are read in ranges, in their order", function()
        local s = rill.sparse("int", {40, 30}, {page = {8, 4}, default = -2}):write(rill.iota {5, 6}, {7, 3})
        for _, range in ipairs {s:active(), s:range(), s:range({5, 2}, {9, 20}), s:range({3, 3}, {2, 3})} do
            local step, n = range:each(), 0
            for i, j, v in s:each(range) do
                local y, x = step()
                assert.same({y, x, s:get(y, x)}, {i, j, v})
                n = n + 1
            end
            assert.is_nil(step())
            assert.equal(range.size, n)
        end
        local seen = {}
        for i, j in s:each {s:range({1, 1}, {2, 2}), {first = {1, 1}, last = {2, 2}}} do -- points have x first
            seen[#seen + 1] = 10 * i + j
        end
        equal({11, 12, 21, 22, 23, 32, 33}, seen)
    end)

    it("are written by a function, in as many parts as there are", function()
        for _, page in ipairs {{64, 64}, {8, 8}, {300, 500}} do
            local s = rill.sparse("float", {600, 500}, {page = page}):allocate({1, 1}, {600, 500})
            local again = rill.array("float", {600, 500})
            s:generate(function(i, j) return i * 1000 + j end)
            assert.is_same(s, s:update(function(v, i, j) if (i + j) % 2 == 0 then return v + 0.5 end end))
            again:generate(function(i, j) return i * 1000 + j + ((i + j) % 2 == 0 and 0.5 or 0) end)
            assert.equal(0, s:stream():ne(again:stream()):count())
            assert.equal(600500.5, s:get(600, 500))
        end
    end)

    it("of rows that are longer than parts are taken", function()
        local long = rill.array("int", {2, 200000}):generate(function(i, j) return i * j end)
        local sum = 0
        for _, _, v in long:each() do sum = sum + v end
        assert.equal(3 * 200000 * 200001 // 2, sum)
        assert.equal(400000, long:get(2, 200000))
    end)

    it("are vectors and structures, too", function()
        local points = rill.sparse("vec3", 9, {page = 4, default = {1, 2, 3}}):allocate(2)
        points:update(function(v, i) return {v[1] + i, v[2], -v[3]} end)
        equal({2, 2, -3, 3, 2, -3, 4, 2, -3, 5, 2, -3, 1, 2, 3}, points:values(1, 5))
        local Ball = rill.struct("UpdateBall", "vec2 p; int n;")
        local balls = rill.array(Ball, {3}):generate(function(i) return {p = {i, 0.5}, n = 7 * i} end)
        balls:update(function(ball, i)
            if i > 1 then
                ball.n = -ball.n
                return ball
            end
        end)
        for i, ball in balls:each() do assert.same({i, 0.5, i > 1 and -7 * i or 7}, {ball.p[1], ball.p[2], ball.n}) end
        local flags = rill.array("bool", 5):generate(function(i) return i % 2 == 0 end)
        assert.equal(2, flags:count())
        local bytes = rill.array("uint8", 5):generate(function(i) return i * 50 end)
        equal({50, 100, 150, 200, 250}, bytes:values())
    end)

    it("map only pages that get elements", function()
        local s = rill.sparse("int", {64, 64}, {page = {8, 8}, default = 4})
        s:update(function() end, s:range())
        assert.equal(0, s.pages.mapped)
        s:update(function(v, i, j) if i == 20 and j > 30 and j < 34 then return v + j end end, s:range())
        assert.equal(2, s.pages.mapped)
        equal({4, 35, 36, 37, 4}, s:values({20, 30}, {20, 34}))
        local h = rill.hashgrid("int", {page = {4, 4}})
        h:generate(function(i, j) return i * j end, h:range({-3, -5}, {0, 2}))
        equal({15, 12, 9, 6, 3, 0, -3, -6}, h:values({-3, -5}, {-3, 2}))
        local t = rill.translator.pages {shape = {16, 16}, page = {4, 4}}
        t:map({0, 0}, {3, 3}, 0)
        local c = rill.virtual(t, rill.physical("int", 16))
        c:update(function(v, i, j) if i < 5 and j < 5 then return v + 1 end end, c:range())
        assert.equal(16, c:sum())
        raises("c:update: 240 of the 256 elements to be written are not mapped.*\nc:update: nothing was written",
            c.update, c, function(v) return v + 1 end, c:range())
        assert.equal(16, c:sum())
    end)

    it("of textures are seen by the device's filter", function()
        local image = rill.array("float", {2, 2}, {storage = "texture"})
        local look = rill.kernel "kernel void look(vec2 p<>, float c[][], out float r<>) { r = sample(c, p); }"
        local at = rill.from({{0.5, 0.5}}, "vec2")
        image:generate(function(i, j) return i * 10 + j end)
        assert.equal(16.5, look(at, image):get(1))
        image:update(function(v) return v + 1 end)
        assert.equal(17.5, look(at, image):get(1))
    end)

    it("of containers that share with snapshots are their own", function()
        for _, c in ipairs {rill.sparse("int", 64, {page = 8}):fill(0):allocate(1, 64), rill.array("int", 64),
            rill.lists("int", {counts = rill.from({4, 60}, "int")})} do
            local before <close> = c:snapshot()
            c:update(function(_, i) if i == 11 then return 5 end end)
            assert.equal(5, c:sum())
            assert.equal(c.pages and c.pages.mapped and 8 or 64, c:diff(before).size)
            c:update(function(_, i) -- elements that the function writes elsewhere keep their values, and so do snapshots
                if i == 17 then
                    c:set(9, 18)
                    local between <close> = c:snapshot()
                    assert.same({14, 0}, {c:sum(), c:diff(between).size})
                    return 1
                end
            end)
            assert.equal(15, c:sum())
            c:undo(before)
            assert.equal(0, c:sum())
        end
    end)

    it("report how much was written when the function fails", function()
        local s = rill.sparse("int", {512, 512}, {page = {128, 128}}):allocate({1, 1}, {512, 512})
        local calls = 0
        local said <const> = "it is enough\nc:update: the first 65536 of 262144 elements are written, the others are "
        local message = raises(said, s.update, s, function(v)
                calls = calls + 1
                if calls == 70000 then error "it is enough" end
                return v + 1
            end)
        assert.matches("update_spec.lua:%d+: it is enough", message)
        assert.equal(65536, s:sum())
        local number = 0
        for _, _, v in s:each() do
            number = number + 1
            assert(v == (number <= 65536 and 1 or 0))
        end
        local thrown = {}
        local done, got = pcall(s.update, s, function() error(thrown) end)
        assert.is_true(not done and rawequal(got, thrown))
        assert.same({false, "interrupted!"}, {pcall(s.update, s, function() error("interrupted!", 0) end)}) -- Ctrl-C
        local element <const> = "argument #1 'f': the function called for element %(1, 1%): "
        raises("c:update: " .. element .. "expected .* got table of 0\nc:update: nothing was written", s.update, s,
            function() return {} end)
        raises("c:generate: " .. element .. "it returned nothing; c:update", s.generate, s, function() end)
        local full = rill.sparse("int", {64, 64}, {page = {8, 8}, capacity = 4}):allocate({1, 1})
        raises("'capacity' is 4.*\nc:generate: nothing was written", full.generate, full, function() return 1 end,
            full:range())
        assert.same({1, 0}, {full.pages.mapped, full:sum()})
        raises("c:update: argument 'c': the container was closed", full.update, full, function()
            full:close()
            return 1
        end)
        local stack = rill.stack "int"
        stack:push(rill.iota(9))
        raises("c:update: the shape of the container has changed to 8", stack.update, stack, function(v, i)
            if i == 1 then stack:pop(1) end
            return v
        end)
    end)

    it("name wrong arguments", function()
        local s = rill.sparse("int", {64, 64}, {page = {8, 8}})
        raises("c:each: expected at most 1 argument, got 2", s.each, s, nil, 1)
        raises("c:each: argument #1 'range': expected a range or a list of ranges, got number 3", s.each, s, 3)
        raises("c:each: argument #1 'range': a range of shape 9 does not fit a container of shape 64x64", s.each, s,
            rill.array("int", 9):range())
        raises("c:update: argument #1 'f': expected a function, got nil", s.update, s)
        local closed = s:range()
        closed:close()
        raises("c:update: argument #2 'range': the range was closed", s.update, s, print, closed)
        raises("c:generate: option 'range': item 1: expected a range or a table", s.generate, s, print, {1})
        raises("c:generate: expected at most 2 arguments, got 3", s.generate, s, print, nil, 1)
        local step = s:allocate({1, 1}):each()
        step()
        s:close()
        raises("c:each: argument 'c': the container was closed", step)
    end)

    it("need little memory", function()
        local s = rill.sparse("float", {4096, 4096}, {page = {32, 32}}):allocate({1, 1}, {2048, 1024})
        collectgarbage()
        local before = rill.memory().bytes
        collectgarbage "collect"
        local host, most = collectgarbage "count", 0
        local n = 0
        for _ in s:each() do
            n = n + 1
            if n % 60000 == 0 then most = math.max(most, rill.memory().bytes) end
            if n > 400000 then break end
        end
        s:update(function(v, i, j)
            if i % 500 == 0 and j == 1 then most = math.max(most, rill.memory().bytes) end
            return v + 1
        end, s:range({1, 1}, {1024, 512}))
        assert.equal(1024 * 512, s:sum())
        assert.is_true(most - before < 1 << 20, most - before)
        assert.is_true(collectgarbage "count" - host < 4096)
    end)

    it("are of a container that a finalizer may close at any time", function()
        local was <const> = collectgarbage "incremental"
        for early = 0, 20 do
            local s, left = rill.array("float", 1000), 1000 - early
            collectgarbage()
            collectgarbage "stop"
            local done, message = pcall(s.update, s, function(v)
                left = left - 1
                if left == 0 then
                    setmetatable({}, {__gc = function() s:close() end})
                    collectgarbage "restart"
                    collectgarbage("incremental", 0, 1000, 8)
                end
                return v
            end)
            collectgarbage "restart"
            assert.is_true(done or message:find("the container was closed", 1, true) ~= nil, message)
            s:close()
        end
        collectgarbage("incremental", 200, 100, 13)
        collectgarbage(was)
    end)

    it("are written to a container that a finalizer may close when it is made ready", function()
        local was <const> = collectgarbage "incremental"
        for before = 1, 40 do
            local c = rill.sparse("float", {64, 64}, {page = {8, 8}}):set(1, 1, 1)
            local _ <close> = c:snapshot()
            local range <close> = c:range({1, 1}, {9, 9})
            for _, arguments in ipairs {{"set", 1, 2, 3}, {"write", range}} do
                collectgarbage()
                collectgarbage "stop"
                for k = 1, before do
                    setmetatable({}, {__gc = function() if k == before // 2 + 1 then c:close() end end})
                end
                collectgarbage "restart"
                collectgarbage("incremental", 0, 1000, 4)
                local done, message = pcall(c[arguments[1]], c, table.unpack(arguments, 2))
                assert.is_true(done or message:find("closed", 1, true) ~= nil, message)
            end
            c:close()
        end
        collectgarbage("incremental", 200, 100, 13)
        collectgarbage(was)
    end)

    it("are counted where the function closes the range", function()
        local s = rill.sparse("float", {600, 500}, {page = {16, 16}}):allocate({1, 1}, {600, 500})
        local range, left = s:range({1, 1}, {600, 400}), 100000
        local done, message = pcall(s.update, s, function(v)
            left = left - 1
            if left > 0 then return v end
            range:close()
            for i = 1, 200 do s:range({1, 1}, {i, i}):close() end -- memory is taken again
            error "enough"
        end, range)
        assert.is_false(done)
        assert.matches("the first %d+ of 240000 elements are written", message)
    end)
end)
