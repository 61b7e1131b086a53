local rill = require "rill"
local check = require "spec.support.check"
local shortened = require "spec.support.shortened"
local leaks = require "spec.support.leaks"
local process = require "spec.support.process"

-- The number of names that stay known without a reference: at least the most recently used half of them.
local NAMES <const> = 512

local function live()
    check.collect()
    return rill.memory().structs
end

-- Uses so many other names that no earlier name is among the most recently used ones. Keeps references to their types, so that the count is constant.
local others = {}
for i = 1, NAMES do
    others[i] = rill.struct("Forget" .. i, "int forgotten;")
end
local function forget()
    for i = 1, NAMES do
        rill.struct(others[i].name, "int forgotten;")
    end
    check.collect()
end

describe("structure types", function()
    leaks.watch(setup, teardown)

    it("are freed with the last reference", function()
        forget()
        local before = live()
        local most = 0
        for i = 1, 10000 do
            local P = rill.struct("Many" .. i, ("int a%d; float b;"):format(i))
            local s <close> = rill.stream(P, 2, {["a" .. i] = i, b = 0.5})
            most = math.max(most, rill.memory().structs)
            if i % 1000 == 0 then
                assert.same({["a" .. i] = i, b = 0.5}, s:get(2))
            end
        end
        assert.is_true(most > before)
        forget()
        assert.is_true(live() - before <= 10, ("%d live, %d before"):format(rill.memory().structs, before))
    end)

    -- Caches hold the types of their programs: of hundreds of programs, not of all programs so far.
    shortened(it, "of kernels and primitives are gone but for those that caches hold", function(whole)
        local before, count = live(), whole and 30 or 2
        for i = 1, count do
            local text = ("struct Work%d { int at; float k%d; };"):format(i, i)
            local kernels = rill.program(([[
                %s
                kernel Work%d make(int x<>) { Work%d w; w.at = x; w.k%d = 1.0; return w; }
                reduce void join(Work%d w<>, reduce Work%d r<>) { r.at += w.at; r.k%d += w.k%d; }
            ]]):format(text, i, i, i, i, i, i, i))
            local s = kernels.make(rill.iota(10))
            assert.equal(9, s:sort {key = "-x.at"}:get(1).at)
            assert.equal(45, kernels.join(s).at)
            assert.equal(10.0, kernels.join(s)["k" .. i])
            assert.equal(3, s:scan(kernels.join):get(3).at)
            assert.equal(3, rill.gather(s, rill.from({3, 4}, "int")):get(1).at)
            assert.equal(7, rill.scatter(s:like(), rill.from({1}, "int"), s:domain(8, 8)):get(2).at)
            assert.equal(5, s:filter(rill.iota(10):gt(4)).size)
        end
        -- One type per round; after 30 rounds the caches have dropped the first ones.
        local most = whole and count - 1 or count
        assert.is_true(live() - before <= most, ("%d live, %d before"):format(rill.memory().structs, before))
    end)

    it("are held by what is made of them", function()
        forget()
        local before = live()
        local streams = {stream = rill.stream(rill.struct("Held", "int a; float b;"), 3, {a = 1, b = 2})}
        streams.view = streams.stream:domain(2, 3)
        streams.copy = streams.stream:copy()
        streams.request = streams.stream:request()
        streams.map = streams.stream:map_cpu()
        streams.each = streams.stream:each()
        forget()
        for name in pairs(streams) do
            assert.is_true(live() > before, name)
        end
        assert.same({a = 1, b = 2.0}, streams.view:get(1))
        streams.stream = streams.stream:close()
        streams.view = nil
        forget()
        assert.same({a = 1, b = 2.0}, streams.copy:get(3))
        assert.same({1, 2.0, 1, 2.0, 1, 2.0}, streams.request:values())
        assert.same({a = 1, b = 2.0}, streams.map[1])
        assert.same({a = 1, b = 2.0}, select(2, streams.each()))
        streams.map = streams.map:unmap()
        for name in pairs(streams) do
            assert.is_true(live() > before, name)
            streams[name] = nil
            check.collect()
        end
        assert.equal(before, live())
    end)

    it("hold those of their fields, and what kernels see", function()
        forget()
        local before = live()
        local Outer
        do
            rill.struct("Inner", "half2 at; vec2 size;")
            Outer = rill.struct("Outer", "Inner one; Inner two; int n;")
        end
        forget()
        assert.equal(before + 4, live()) -- both as stored and as kernels see them
        local s = rill.stream(Outer, 1, {one = {at = {1, 2}, size = {3, 4}}, two = {at = {5, 6}, size = {7, 8}}, n = 9})
        Outer = nil -- luacheck: ignore
        check.collect()
        local sizes = rill.kernel [[
            struct Box { vec2 at; vec2 size; };
            struct Pair { Box one; Box two; int n; };
            kernel float f(Pair p<>) { return p.one.at.x + p.two.at.y + p.two.size.x + float(p.n); }
        ]](s)
        assert.equal(23.0, sizes:get(1))
        assert.equal(4.0, s:get(1).one.size[2])
        s:close()
        forget()
    end)

    it("that are nested deeply are freed without recursion", function()
        forget()
        local before = live()
        local P = rill.struct("Deep", "int a;") -- luacheck: ignore
        for _ = 1, 20000 do
            P = rill.struct("Deep", "Deep a;")
        end
        assert.is_true(live() >= before + 20000)
        P = nil -- luacheck: ignore
        forget()
        assert.equal(before, live())
    end)

    it("with the same name and fields are one as long as somebody holds it, and one key", function()
        local text = "int a; float b;"
        local P = rill.struct("One", text)
        assert.equal(P, rill.struct("One", text))
        assert.is_true(rawequal(P, rill.struct("One", text)))
        assert.equal("here", ({[P] = "here"})[rill.struct("One", text)])
        local s = rill.stream(P, 1)
        P = nil -- luacheck: ignore
        forget()
        local again = rill.struct("One", text)
        assert.equal(again, rill.struct("One", text))
        local t = rill.stream(again, 1, {a = 1, b = 2})
        s:write(t)
        assert.same({a = 1, b = 2.0}, s:get(1))
        assert.equal(2, rill.concat({s, t}).size)
    end)

    it("are known by name as long as they are held, or their name is among those used last", function()
        local P = rill.struct("Known", "int a;")
        rill.struct("Unheld", "int a;")
        rill.struct("Used", "int a;")
        for i = 1, NAMES do
            rill.struct("Other" .. i, "int b;")
            assert(rill.stream("Used", 0))
        end
        check.collect()
        assert.equal("Known", rill.stream("Known", 1).type)
        assert.equal("Used", rill.stream("Used", 1).type)
        assert.equal(P, rill.struct("Known", "int a;"))
        check.raises("unknown type 'Unheld'", function() rill.stream("Unheld", 1) end)
        check.raises("unknown type 'Unheld'", function() rill.struct("Holder", "Unheld a;") end)
        for i = NAMES - 200, NAMES do
            assert(rill.stream("Other" .. i, 0))
        end
    end)

    -- A kernel finds its programs by types: a new type may have the address of a freed one.
    it("that come and go are never taken for each other", function()
        local f = rill.kernel "struct K { vec2 p; }; kernel vec2 f(K k<>) { return k.p; }"
        local join = rill.kernel [[
            struct K { vec2 p; };
            reduce void join(K k<>, reduce K r<>) { r.p += k.p; }
        ]]
        for i = 1, 40 do
            local P = rill.struct("Comes", i % 2 == 1 and "vec2 p;" or "half2 p;")
            local s = rill.stream(P, 5, {p = {i, 1}})
            assert.same({i, 1}, f(s):get(5))
            assert.same({5 * i, 5}, join(s).p)
            s:close()
            P = nil -- luacheck: ignore
            if i % 4 == 0 then
                forget()
            end
        end
    end)

    it("are freed by states that close, in any order", function()
        assert.equal("right\n", process.output [[
            local rill = require "rill"
            local P = rill.struct("P", "int a; half2 b;")
            local Q = rill.struct("Q", "P p; int c;")
            s, k = rill.stream(Q, 4), rill.kernel "struct Q { int c; }; kernel Q f(int x<>) { Q q; q.c = x; return q; }"
            r = s:request()
            m = rill.stream(P, 3):map_cpu()
            e = k(rill.iota(10))
            for _ in s:each() do break end
            print "right"
        ]])
    end)
end)
