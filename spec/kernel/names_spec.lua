-- Names in kernel text do not collide with names of generated programs. The latter are read from generated programs of every kind, so that new
-- ones are tested automatically.
local rill = require "rill"
local shortened = require "spec.support.shortened"
local process = require "spec.support.process"
local tempfiles = require "spec.support.tempfiles"

-- At least one launch for every kind of program.
local PROGRAMS <const> = [=[
    local rill = require "rill"
    local kernel = rill.kernel
    for _, checked in ipairs {CHECKED} do
        rill.check(checked)
        local x, m = rill.from {1, 2, 3, 4}, rill.from {{1, 2}, {3, 4}}
        local r = rill.from {0, 0, 0, 0}
        local f = kernel [[kernel void f(float a, float b<>, neighbor float c<>, float d[], float e[][], iter float i<>, inout float p[],
            inout float s<>, out float t<>) {
                t = a + b + c[1] + d[int(b) & 3] + e[int(b) & 1][1] + i; s += 1.0;
                for (int k = 0; k < int(b); k++) p[k] = b + a;
            }]]
        f(1, x, x:boundary "wrap", x, m, rill.iter("float", 4, 0, 1), r, r:copy())
        local h = kernel "kernel void h(float x<>, out float r<>) { r = x; }"
        h {x = x, r = r, where = x:gt(1)}
        local v = kernel "kernel void v(float a, float x<>, float g[], vout float r<>, vout int s<>) { if (x > a) push(r, g[0]); push(s, 1); }"
        v(1, x, x)
        local sum = kernel "reduce void sum(float x<>, reduce float r<>) { r += x; }"
        local all = {sum(x), sum(m, 2), x:scan(sum), sum(x * 2 + 1), h(x * 2), (x * 2):sum(), (x * 2):argmax(), (x * 2):dot(x + 1),
            x:scan {segments = {2, 2}}, x:filter "x > 2", x:unique(), x:runs(), x:histogram {bins = 4, min = 0, max = 4},
            m:transpose() + 1, x:sort {key = "-x"}, x:var()}
        local g = kernel "kernel(4) void g(float x<>, out float r<>) { shared float t[4]; t[localid()] = x; barrier(); r = t[0]; }"
        g(x)
    end
]=]

-- The words of generated programs that begin with rill_, and what is defined in them.
local function words(checked)
    local files = tempfiles.open()
    local result = process.run(PROGRAMS:gsub("CHECKED", checked),
        {RILL_DUMP = files.directory, RILL_FAMILY = os.getenv "RILL_FAMILY" or false})
    local seen, list = {T = true}, {"T"}
    for _, name in ipairs(files:list()) do
        for word in tempfiles.read(files:path(name)):gmatch "%f[%w_]rill_[%w_]+" do
            if not seen[word] then
                seen[word] = true
                list[#list + 1] = word
            end
        end
    end
    files:close()
    assert.equal("", result.err)
    assert(#list > 60, "hardly any words")
    table.sort(list)
    return list
end

-- format of every name, by `between`.
local function each(names, format, between)
    local texts = {}
    for i, name in ipairs(names) do
        texts[i] = format:gsub("@", name)
    end
    return table.concat(texts, between)
end

describe("names that generated programs use", function()
    local list, x

    setup(function()
        list = words "true" -- these contain all words of other programs at present
        x = rill.from {1, 2, 3, 4}
    end)

    it("have no others where nothing is checked #long", function()
        assert.same(list, words "false, true")
    end)

    -- Calls try(names) with 14 or 58 names of the list at a time. With fewer names, more of them are not numbers.
    local function in_parts(whole, try)
        local size = whole and 14 or 58
        for first = 1, #list, size do
            local names = {}
            for i = 1, size do
                names[i] = list[(first + i - 2) % #list + 1]
            end
            try(names)
        end
    end

    -- A kernel of all names: streams, a neighbor, a gather, two outputs that are `declared` and given values by `set`, the others numbers.
    local function kernel_of(names, declared, set)
        local numbers = table.move(names, 1, #names - 6, 1, {})
        local n = table.move(names, #names - 5, #names, 9, {})
        local sum = ("%s + %s + %s[0] + %s[1] + %s"):format(each(numbers, "@", " + "), n[9], n[10], n[11], n[12])
        local text = "kernel void f(%s, float %s<>, neighbor float %s<>, float %s[], float %s<>, %s, %s) { %s %s }"
        return rill.kernel(text:format(each(numbers, "float @", ", "), n[9], n[10], n[11], n[12],
            each({n[13]}, declared), each({n[14]}, declared), each({n[13]}, set):gsub("VALUE", sum), each({n[14]}, set)
            :gsub("VALUE", "1.0")))
    end

    -- Numbers whose sum is 8, also as floats, and the streams.
    local function arguments(n, ...)
        local all, numbers = {}, #n - 6
        for i = 1, numbers do
            all[i] = i < numbers and 0.125 or 8 - 0.125 * (numbers - 1)
        end
        return table.unpack(table.move({...}, 1, 4, numbers + 1, all))
    end

    shortened(it, "are free for parameters of maps", function(whole)
        in_parts(whole, function(n)
            local f = kernel_of(n, "out float @<>", "@ = VALUE;")
            local a, b = f(arguments(n, x, x, x, x))
            assert.same({{13, 16, 19, 22}, {1, 1, 1, 1}}, {a:values(), b:values()}, each(n, "@", " "))
            a = f(arguments(n, x * 2, x, x, x + 1))
            assert.same({15, 19, 23, 27}, a:values(), each(n, "@", " "))
            local named, given = {where = x:gt(2)}, {arguments(n, x, x, x, x)}
            for i = 1, #n do
                named[n[i]] = given[i] or rill.from {0, 0, 0, 0}
            end
            f(named)
            local outputs = {named[n[#n - 1]]:values(), named[n[#n]]:values()}
            assert.same({{0, 0, 19, 22}, {0, 0, 1, 1}}, outputs, each(n, "@", " "))
        end)
    end)

    shortened(it, "are free for parameters of kernels with variable outputs", function(whole)
        in_parts(whole, function(n)
            local a, b = kernel_of(n, "vout float @<>", "push(@, VALUE);")(arguments(n, x, x, x, x))
            assert.same({{13, 16, 19, 22}, {1, 1, 1, 1}}, {a:values(), b:values()}, each(n, "@", " "))
        end)
    end)

    shortened(it, "are free for parameters of reduce kernels", function(whole)
        in_parts(whole, function(n)
            local text = "reduce void f(float %s<>, reduce float %s<>) { %s += %s; }"
            local f = rill.kernel(text:format(n[1], n[8], n[8], n[1]))
            assert.equal(10, f(x))
            assert.equal(24, f(x * 2 + 1))
            assert.same({1, 3, 6, 10}, x:scan(f):values())
        end)
    end)

    -- Functions that call each other, structures of ten fields, local variables, arrays and loops.
    local function helpers()
        local text = {}
        for first = 1, #list, 10 do
            local some = table.move(list, first, math.min(first + 9, #list), 1, {})
            text[#text + 1] = ("struct S%d { %s };"):format(first, each(some, "float @;", " "))
            text[#text + 1] = ("float s%d(float x) { S%d s; %s return %s; }"):format(first, first,
                each(some, "s.@ = x;", " "), each(some, "s.@", " + "))
        end
        text[#text + 1] = each(list, "float @(float x) { return x + 1.0; }", "\n")
        text[#text + 1] = ("float calls(float x) { return %s; }"):format(each(list, "@(x) - x", " + "))
        text[#text + 1] = ("float locals(float x) { %s return %s; }"):format(each(list, "float @ = x;", " "),
            each(list, "@", " + "))
        text[#text + 1] = ("float arrays(float x) { float r = 0.0; int n = int(x); %s return r; }"):format(each(
            table.move(list, 1, 6, 1, {}), "{ float @[2]; @[n & 1] = x; r += @[n & 1]; }", " "))
        text[#text + 1] = ("float loops(float x) { float r = 0.0; int n = int(x); %s return r; }"):format(each(
            table.move(list, 1, 6, 1, {}), "for (int @ = 0; @ < n; @++) r += 1.0;", " "))
        local sum = {}
        for first = 1, #list, 10 do
            sum[#sum + 1] = ("s%d(x)"):format(first)
        end
        text[#text + 1] = ("float all(float x) { return %s + calls(x) + locals(x) + arrays(x) + loops(x); }"):format(
            table.concat(sum, " + "))
        return table.concat(text, "\n") .. "\n"
    end

    it("are free for fields, functions and variables", function()
        local text, expected = helpers(), {}
        for i = 1, 4 do
            expected[i] = #list + 2 * #list * i + 12 * i + 0.0
        end
        local map = rill.kernel(text .. "kernel void f(float x<>, out float r<>) { r = all(x); }")
        assert.same(expected, map(x):values())
        local total = rill.kernel(text .. "reduce void f(float x<>, reduce float r<>) { r += x + 0.0 * all(1.0); }")
        assert.same({10, 20}, {total(x), total(x * 2)})
    end)

    shortened(it, "are free for kernels", function(whole)
        for i = 1, #list, whole and 10 or 80 do
            local map = "kernel void %s(float x<>, out float r<>) { r = x + 1.0; }"
            local vout = "kernel void %s(float x<>, vout float r<>) { push(r, x + 1.0); }"
            map, vout = rill.kernel(map:format(list[i])), rill.kernel(vout:format(list[i]))
            assert.same({{2, 3, 4, 5}, {2, 3, 4, 5}}, {map(x):values(), vout(x):values()}, list[i])
        end
    end)

    -- The same stream twice is bound once, and what is read of the second is read of the first, by a macro.
    it("are free for fields where a stream is given twice", function()
        for _, read in ipairs {"tex", "in"} do
            local f = rill.kernel((([[
                struct P { float #_a; float #_b; };
                kernel void f(float a[], float b[], float x<>, out float r<>) {
                    P p; p.#_a = a[0]; p.#_b = 10.0 * b[1]; r = p.#_a + p.#_b + x;
                }]]):gsub("#", read)))
            assert.same({22, 23, 24, 25}, f(x, x, x):values())
        end
    end)

    -- The words of an output and the function that writes elements of a stream have the same name.
    it("are free for numbered names", function()
        local f = rill.kernel [[
            kernel void f(float r_1<>, inout float r_0[], out float r<>) { r_0[int(r_1) - 1] = r_1; r = r_1; }]]
        local s = rill.from {0, 0, 0, 0}
        assert.same({1, 2, 3, 4}, f(x, s):values())
        assert.same({1, 2, 3, 4}, s:values())
    end)
end)
