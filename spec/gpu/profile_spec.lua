local rill = require "rill"
local check = require "spec.support.check"
local process = require "spec.support.process"
local shortened = require "spec.support.shortened"

local saxpy = rill.kernel "kernel void saxpy(float a, float x<>, float y<>, out float r<>) { r = a * x + y; }"
local double = rill.kernel "kernel void double_it(float x<>, out float r<>) { r = 2.0 * x; }"

local function row_of(report, name)
    for _, row in ipairs(report) do
        if row.name == name then
            return row
        end
    end
end

describe("rill.profile", function()
    it("counts calls, bytes and programs, and hands results on", function()
        local n = 100000
        local x, y, r = rill.stream("float", n, 1), rill.stream("float", n, 2), rill.stream("float", n)
        saxpy(1, x, y, r)
        local report, value, more = rill.profile(function()
            for _ = 1, 7 do
                saxpy(3, x, y, r)
            end
            double(x, r)
            return r:get(5), "more"
        end)
        assert.are.equal(2, value)
        assert.are.equal("more", more)
        local row = row_of(report, "saxpy")
        assert.are.equal(7, row.calls)
        assert.are.equal(7 * 12 * n, row.bytes)
        assert.is_true(row.device_time > 0 and row.host_time >= 0)
        assert.is_true(math.abs(row.rate - row.bytes / row.device_time) <= 1e-6 * row.rate)
        assert.is_true(math.abs(row.share - row.rate / report.copy_rate) <= 1e-9)
        assert.are.equal(1, row_of(report, "double_it").calls)
        assert.are.equal(8, report.launches)
        assert.is_true(report.time >= report.device_time)
        assert.is_true(report.peak >= 12 * n)
        for i = 2, #report do
            assert.is_true(report[i - 1].device_time >= report[i].device_time)
        end
    end)

    shortened(it, "names the launch and the argument that need a copy", function(whole)
        local function reasons(f)
            local list = {}
            for _, row in ipairs((rill.profile(f))) do list[#list + 1] = row.reason end
            table.sort(list)
            return list
        end
        local x, y = rill.random(1000, {seed = 1}), rill.random(1000, {seed = 2})
        assert.same({}, reasons(function() saxpy(1, x, y) x:sum() x:copy() end))
        assert.same({"saxpy: argument 'x' overlaps output 'r' in memory"},
            reasons(function() saxpy(1, x:domain(1, 900), y:domain(1, 900), x:domain(2, 901)) end))
        -- An input of another shape is read through a view.
        assert.same({}, reasons(function() double(x:domain(1, 500), y) end))
        local a, b = rill.random({128, 128}, {seed = 3}), rill.random({128, 128}, {seed = 4})
        if not whole then
            assert.same({}, reasons(function() rill.matmul(a, b) end))
            assert.same({"rill.gather: argument 's' is a view, and its elements are not contiguous"},
                reasons(function() rill.gather(a:transpose(), rill.iota(500)) end))
            return
        end
        assert.same({}, reasons(function() rill.matmul(a, b) end))
        assert.same({}, reasons(function() rill.matmul(a:transpose(), b:domain({1, 5}, {128, 8})) end))
        assert.same({}, reasons(function() rill.matmul(a:domain({3, 1}, {7, 128}), b:transpose()) end))
        local needs <const> = " needs rows or columns of contiguous elements, in multiples of four"
        assert.same({"rill.matmul: argument 'b'" .. needs},
            reasons(function() rill.matmul(a, rill.random({128, 67}, {seed = 5})) end))
        -- Small factors are read element by element.
        assert.same({}, reasons(function() rill.matmul(a:domain({1, 2}, {8, 128}), b:domain({1, 2}, {127, 10})) end))
        assert.same({"rill.matmul: argument 'a'" .. needs, "rill.matmul: argument 'b'" .. needs},
            reasons(function() rill.matmul(a:flip(2), b:domain({1, 2}, {128, 128})) end))
        -- Copies inside of other operations
        local view <const> = " is a view, and its elements are not contiguous"
        local index = rill.iota(500)
        local halves = x:stride(2)
        local function copies_for(reason, f)
            local all = "\n" .. table.concat(reasons(f), "\n") .. "\n"
            assert.is_truthy(all:find("\n" .. reason .. "\n", 1, true), all)
        end
        copies_for("the transform's argument 's'" .. view,
            function() rill.fft(rill.zeros({1000}, "vec2"):stride(2)) end)
        copies_for("the transform: an axis that is not the last is exchanged with it",
            function() rill.fft(rill.zeros {16, 16}, {axes = {1}, real = true}) end)
        copies_for("the sort: a stream of keys or values" .. view, function() halves:sort() end)
        copies_for("rill.gather: argument 's'" .. view, function() rill.gather(a:transpose(), index) end)
        copies_for("rill.scatter: argument 'index'" .. view, function()
            rill.scatter(rill.zeros(1000), rill.stream("int", {128, 128}, 1):transpose(), a, "add")
        end)
        copies_for("the histogram: option 'weights'" .. view,
            function() rill.bincount(index, {weights = halves}) end)
        copies_for("the read-back: the stream" .. view, function() return a:transpose():values() end)
        copies_for("s:each: argument 's'" .. view, function() return a:transpose():each() end)
        local text = tostring((rill.profile(function()
            rill.matmul(a:domain({1, 2}, {128, 128}), b:domain({2, 1}, {128, 128}))
        end)))
        assert.is_truthy(text:find("1 calls: rill.matmul: argument 'a' needs rows or columns", 1, true))
    end)

    it("prints a table", function()
        local x = rill.stream("float", 1000, 1)
        local text = tostring((rill.profile(function() double(x) end)))
        assert.is_truthy(text:find "^kernel +calls +device +per call +host +bytes +GB/s +of copy\n")
        assert.is_truthy(text:find "\ndouble_it +1 ")
        assert.is_truthy(text:find "\n1 launches: ")
        assert.are.equal(0, rill.profile(function() end).launches)
    end)

    it("passes errors on and can be used again", function()
        check.raises("oh no", rill.profile, function() error "oh no" end)
        check.raises("taken already", rill.profile, function() rill.profile(function() end) end)
        check.raises("rill.profile: argument #1 'f': expected a function, got number", rill.profile, 3)
        assert.are.equal(0, rill.profile(function() end).launches)
    end)

    it("measures copies where a texture has the fewest texels that OpenGL allows", function()
        local script = [[
            local rill = require "rill"
            local report = rill.profile(function() end)
            print(report.copy_rate > 0 and report.copy_rate < math.huge)]]
        assert.are.equal("true", (process.output(script, {RILL_MAX_TEXELS = "65536"}):gsub("%s+$", "")))
    end)
end)
