-- Subjects of fault injection. Each is called with a number that makes its texts new to every cache, and returns a
-- function that raises "wrong ..." if a result is incorrect.
local subjects = {}

local function expect(what, expected, got)
    got = type(got) == "userdata" and got:values() or got
    for i = 1, math.max(#expected, #got) do
        if expected[i] ~= got[i] then
            error(("wrong %s: value %d is %s, not %s"):format(what, i, tostring(got[i]), tostring(expected[i])), 0)
        end
    end
end

-- Returns whether the device still works.
function subjects.usable()
    local rill = require "rill"
    expect("afterwards", {4950}, {rill.iota(100):sum()})
    expect("afterwards", {2.0, 4.0}, rill.from {1, 2}:map "x * 2.0")
    expect("afterwards", {1, 2, 3}, rill.from({3, 1, 2}, "int"):sort())
end

-- Opens a device and uses it, and does nothing else.
function subjects.usable_once()
    return subjects.usable
end

function subjects.sort(salt)
    return function()
        local rill = require "rill"
        local list = {}
        for i = 1, 300 do
            list[i] = (i * 7919 + salt) % 1000
        end
        local s = rill.from(list, "int")
        table.sort(list)
        expect("sort", list, s:sort())
        local keys, indices = rill.sort_by_key(s, rill.iota(300))
        expect("keys", list, keys)
        expect("gather", list, rill.gather(s, indices))
        local high = {}
        for _, v in ipairs(list) do
            high[#high + 1] = v >= 500 and v or nil
        end
        expect("filter", high, s:sort():filter(("x >= 500 && i >= %d"):format(-salt)))
        local f = rill.kernel(("kernel void f%d(int x<>, out int r<>) { r = x + %d; }"):format(salt, salt))
        expect("kernel", {list[1] + salt}, {f(s):min()})
        local total = 0
        for _, v in ipairs(list) do
            total = total + v
        end
        expect("sum", {total, total}, {(s + 0):sum(), s:scan():values()[300]})
        local values, lengths = rill.from({5, 5, 6}, "int"):runs()
        expect("runs", {5, 6}, values)
        expect("lengths", {2, 1}, lengths)
    end
end

-- Asynchronous reads; with RILL_ASYNC each is followed by a fence.
function subjects.request(salt)
    return function()
        local rill = require "rill"
        local s = rill.iota(12) + salt
        local all, some, spaced = s:request(), s:request(3, 5), s:stride(6):request()
        all:ready() -- once, because the number of polls would vary
        expect("request", s:values(), all:values())
        expect("part of a request", {2 + salt, 3 + salt, 4 + salt}, some:values())
        expect("request of a view", {salt, 6 + salt}, spaced:values())
        expect("bytes of a request", {string.pack("<i4", salt)}, {s:request(1, 1):bytes()})
    end
end

-- Tables that grow, a user-defined text, and pages that are mapped all or none.
function subjects.translators(salt)
    return function()
        local rill = require "rill"
        local T = rill.translator
        local own = T.new {rank = 2, to = 2, shape = {16, 16}, glsl = ([[
            ivec2 turned%d(ivec2 v) { return v.yx; }
            ivec2 translate(ivec2 v) { return turned%d(v); }
            ivec2 inverse(ivec2 p) { return p.yx; }]]):format(salt, salt), cpu = function(x, y) return y, x end}
        local points = rill.from({{1, 2}, {15, 0}}, "ivec2")
        for _, t in ipairs {T.pages {shape = {16, 16}, page = {2, 2}, levels = 3}, T.hash {page = {2, 2}}} do
            for row = 0, 15, 4 do
                local mapped = t.mapped
                local good, message = pcall(t.map, t, {0, row}, {15, row + 3}, 4 * row)
                expect("pages", {mapped + (good and 16 or 0)}, {t.mapped})
                assert(good, message)
            end
            local both = T.compose(t, own)
            expect("translation", {6, 226}, both:translate(points))
            expect("inverse", {1, 2, 15, 0}, both:inverse(both:translate(points)))
            expect("point", {6, 226}, {both:translate {1, 2}, both:translate {15, 0}})
            expect("ranges", {256}, {#both:ranges({0, 0}, {15, 15})})
            expect("unmapped", {64}, {t:unmap({0, 0}, {15, 15})})
        end
        local lists = T.lists {counts = rill.from({2, 0, 3}, "int")}
        expect("lists", {1, 4}, lists:translate(rill.from({{1, 0}, {2, 2}}, "ivec2")))
    end
end

-- Pages that are mapped, copied and freed: after a failure, a container has its previous contents.
function subjects.containers(salt)
    return function()
        local rill = require "rill"
        local add = rill.kernel(("kernel void add%d(inout int x<>) { x += 1; }"):format(salt))
        for _, c in ipairs {rill.sparse("int", {16, 16}, {page = {4, 4}, default = -1, levels = 2}),
            rill.hashgrid("int", {page = {4, 4}, default = -1})} do
            local function tried(what, f, ...)
                local mapped, held = c.pages.mapped, c:values({1, 1}, {16, 16})
                local good, message = pcall(f, ...)
                if not good then
                    expect(what .. " that failed", {mapped}, {c.pages.mapped})
                    expect(what .. " that failed", held, c:values({1, 1}, {16, 16}))
                    error(message, 0)
                end
            end
            c:allocate({3, 3}, {10, 10})
            tried("write", c.write, c, rill.iota(64):reshape {8, 8}, {3, 3})
            local s <close> = c:snapshot()
            tried("release", c.release, c, {1, 1}, {4, 16})
            tried("points", c.allocate, c, rill.from({{15, 15}, {0, 0}, {15, 14}}, "ivec2"))
            tried("launch", function() add {x = c, over = c:active()} end)
            expect("element", {28, 0, -1}, {c:get(6, 6), c:get(16, 16), c:get(1, 16)})
            tried("undo", c.undo, c, s)
            expect("undone", {27, -1, 9}, {c:get(6, 6), c:get(16, 16), c.pages.mapped})
            local file = os.tmpname()
            local good, message = pcall(function()
                c:save(file .. ".rill")
                expect("file", c:values({1, 1}, {16, 16}), rill.load(file .. ".rill"):values({1, 1}, {16, 16}))
            end)
            os.remove(file)
            os.remove(file .. ".rill")
            assert(good, message)
            expect("copy", c:values({3, 3}, {10, 10}), c:copy():values({3, 3}, {10, 10}))
            c:close()
        end
        local stack = rill.stack("int")
        stack:push(rill.iota(70))
        expect("stack", {68, 69}, stack:pop(2))
        local l = rill.lists("int", {shape = 3, keys = rill.from({2, 0, 2}, "int")})
        expect("lists", {1, 0, 2}, l:stream())
    end
end

-- The same with pages that the device maps and frees.
function subjects.pages(salt)
    return function()
        local rill = require "rill"
        local list = {}
        for i = 0, 1099 do list[i + 1] = {4 * (i % 50) + 2, 4 * (i * 7 % 50) + i % 4} end
        local points = rill.from(list, "ivec2")
        for levels = 1, 3 do
            local c <close> = rill.sparse("int", {200, 200}, {page = {4, 4}, default = salt, levels = levels})
            local function tried(what, f, ...)
                local mapped, held = c.pages.mapped, c:values()
                local good, message = pcall(f, ...)
                if not good then
                    expect(what .. " that failed", {mapped}, {c.pages.mapped})
                    expect(what .. " that failed", held, c:values())
                    f(...)
                    error(message, 0)
                end
            end
            c:set(7, 1, 200):set(8, 200, 1)
            tried("allocate", c.allocate, c, points)
            expect("pages", {52, 7, salt}, {c.pages.mapped, c:get(1, 200), c:get(3, 3)})
            c:fill(3)
            tried("release", c.release, c, points)
            expect("pages", {2, 3, salt}, {c.pages.mapped, c:get(1, 200), c:get(3, 3)})
            local s <close> = c:snapshot()
            tried("allocate again", c.allocate, c, points)
            tried("undo", c.undo, c, s)
            expect("pages", {2, 3, salt}, {c.pages.mapped, c:get(1, 200), c:get(3, 3)})
        end
    end
end

-- Pages that are split and merged: after a failed split, pages have their previous values.
function subjects.trees(salt)
    return function()
        local rill = require "rill"
        local ramp = rill.kernel(("kernel void ramp%d(out float r<>) { r = float(indexof(r).x); }"):format(salt))
        local all = rill.kernel(("kernel void all%d(float x<>, out bool r<>) { r = x >= 0.0; }"):format(salt))
        local q = rill.quadtree("float", {size = 16, page = 4})
        ramp {r = q}
        local mapped, held = q.pages.mapped, q:values()
        local good, message = pcall(q.refine, q, rill.from({{3, 3}, {12, 9}}, "ivec2"), rill.from({0, 1}, "int"))
        expect("values", held, q:values())
        if not good then
            expect("refine that failed", {mapped}, {q.pages.mapped})
            error(message, 0)
        end
        expect("pages", {9}, {q.pages.mapped})
        q:set(5, 2, 2):mipmap()
        expect("element", {5, 2}, {q:get(2, 2), q:get(2, 3)})
        local c = q:copy():coarsen(all)
        expect("joined", {5, 6}, {c.pages.mapped, c:get(2, 2) + c:get(1, 6)})
        expect("sum", {q:sum()}, {q:copy():sum()})
    end
end

function subjects.picture(salt)
    return function()
        local rill = require "rill"
        local base = os.tmpname()
        local s = rill.stream("uint8", {9, 7}, function(i, j) return (i * 31 + j * 7 + salt) % 256 end)
        local right = s:values()
        local good, message = pcall(function()
            for _, extension in ipairs {".png", ".pgm"} do
                rill.image.save(s, base .. extension)
                expect(extension, right, rill.image.load(base .. extension, "uint8"))
            end
            for _, extension in ipairs {".npy", ".rill"} do
                s:save(base .. extension)
                expect(extension, right, rill.load(base .. extension))
            end
        end)
        for _, extension in ipairs {"", ".png", ".pgm", ".npy", ".rill"} do
            os.remove(base .. extension)
        end
        if not good then
            error(message, 0)
        end
    end
end

function subjects.structures(salt)
    return function()
        local rill = require "rill"
        local name = "Part" .. salt
        rill.struct("Inner" .. salt, "half2 at; int n;")
        local Part = rill.struct(name, ("Inner%d inner; float size;"):format(salt))
        local s = rill.stream(Part, 3, {inner = {at = {1, 2}, n = salt}, size = 0.5})
        expect("name", {name}, {rill.stream(name, 1).type})
        expect("structure", {1.0, 2.0, salt, 0.5}, s:domain(2, 2))
        expect("request", {1.0, 2.0, salt, 0.5}, s:request(3, 3):values())
        expect("filter", {1.0, 2.0, salt, 0.5}, s:filter(rill.iota(3):gt(1)))
        local made = rill.program(([[
            struct Inner%d { vec2 at; int n; };
            struct Own%d { Inner%d inner; float size; };
            kernel Own%d twice(Own%d x<>) { Own%d r = x; r.size += x.size; return r; }
            reduce void join(Own%d x<>, reduce Own%d r<>) { r.size += x.size; r.inner.n += x.inner.n; }
        ]]):format(salt, salt, salt, salt, salt, salt, salt, salt))
        local t = made.twice(s)
        expect("kernel", {1.0, 2.0, salt, 1.0}, t:domain(1, 1))
        expect("reduce", {3 * salt, 3.0}, {made.join(t).inner.n, made.join(t).size})
        expect("scan", {1.0, 2.0, 2 * salt, 2.0}, t:scan(made.join):domain(2, 2))
        local file = os.tmpname()
        local good, message = pcall(function()
            s:save(file .. ".rill")
            expect("file", {1.0, 2.0, salt, 0.5}, rill.load(file .. ".rill"):domain(3, 3))
        end)
        os.remove(file)
        os.remove(file .. ".rill")
        if not good then
            error(message, 0)
        end
    end
end

-- examples/tour.lua with fewer elements and without output.
function subjects.tour(salt)
    local file = assert(io.open "examples/tour.lua")
    local text = file:read "a":gsub("1 << 20", "1 << 10"):gsub("kernel void (%l+)", "kernel void %1" .. salt)
        :gsub("reduce void (%l+)", "reduce void %1" .. salt)
    file:close()
    local silent = setmetatable({print = function(...)
        for i = 1, select("#", ...) do
            tostring((select(i, ...)))
        end
    end}, {__index = _G})
    local directory = os.getenv "RILL_INJECT_FOLDER" or "."
    local tour = assert(load(text, "=tour", "t", silent))
    return function() tour(directory) end
end

return subjects
