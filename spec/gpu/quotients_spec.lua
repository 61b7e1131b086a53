-- OpenGL permits an error of 2.5 units in the last place for float quotients. Exact results of rill do not depend on it: all results except variances,
-- normal random numbers and the functions that are documented with an error.
local shortened = require "spec.support.shortened"
local preload = require "spec.support.preload"
local process = require "spec.support.process"
local tempfiles = require "spec.support.tempfiles"

-- Prints a line for each result: its name and the sum of its bytes. WHOLE is true or false.
local SCRIPT <const> = [=[
    local rill, whole = require "rill", WHOLE
    print("quotients", rill.kernel "kernel void f(float a<>, float b<>, out bool r<>) { r = a / b == 1.0; }"(
        rill.iter("float", 1000, 1, 1001), rill.iter("float", 1000, 1, 1001)):all())

    local function show(name, s)
        local bytes = s
        if type(s) ~= "string" then
            bytes = math.type(s) and string.pack(math.type(s) == "float" and "d" or "j", s) or (rill.type(s) == "expression" and s:eval() or s):bytes()
        end
        local sum = 0
        for i = 1, #bytes do
            sum = (sum * 31 + bytes:byte(i)) & 0xffffffffffff
        end
        print(name, #bytes, sum)
    end

    local N <const> = whole and 20000 or 4000
    local function pairs_of(type)
        local bits = rill.random(N, {seed = 3, type = "int", low = 1, high = 5000})
        local more = rill.random(N, {seed = 4, type = "int", low = 1, high = 99})
        return rill.where(bits:gt(2500), -1, 1):eval():cast(type) * bits:cast(type) * more:cast(type), more:cast(type)
    end

    for _, type in ipairs(whole and {"float", "double", "int", "uint"} or {"float"}) do
        local a, b = pairs_of(type)
        for _, unit in ipairs(type:find "int" and {1} or {1, 0.1, 0.125}) do
            show(type .. " % " .. unit, (a * unit) % (b * unit))
            show(type .. " // " .. unit, (a * unit) // (b * unit))
            show(type .. " // itself " .. unit, (b * unit) // (b * unit))
            show(type .. " of numbers " .. unit, (a * unit) % (41 * unit) + (a * unit) // (41 * unit))
        end
        show(type .. " widths", rill.mod(a, b))
    end
    for _, type in ipairs(whole and {"float", "double"} or {}) do
        for _, n in ipairs {3, 41, 49, 1000} do
            show(type .. " mean " .. n, rill.stream(type, n, 0.1):mean())
            show(type .. " var " .. n, rill.stream(type, n, 0.1):var())
            show(type .. " means " .. n, rill.stream(type, {n, 5}, 41):mean(1))
        end
    end
    local x = rill.random({77, 41}, {seed = 5})
    if whole then show("mean", x:mean()) end
    show("means", x:mean(1))

    for _, n in ipairs {3, 41, 49, 1000} do
        show("iter " .. n, rill.iter("float", n, 0, 1):copy())
        show("iter of ints " .. n, rill.iter("int", n, -n, n):copy())
        if whole then show("iter of vectors " .. n, rill.iter("vec2", {7, n}, {0, 0}, {1, 7}):copy()) end
        local low, high = rill.random(n, {seed = n, low = -41, high = 0.1}), rill.random(n, {seed = 6, low = 0, high = 49})
        show("random " .. n, low)
        show("random, scaled " .. n, high)
        show("random ints " .. n, rill.random(n, {seed = 7, type = "int", low = -3, high = n}))
    end

    local codes = rill.stream("unorm8", 256, rill.iota(256):cast "uint8":bytes())
    show("unorm8 read", codes:cast "float")
    show("unorm8 of fractions", rill.random(N, {seed = 1}):cast "unorm8")
    if whole then show("unorm8 written", codes:cast "float":cast "unorm8") end

    for _, bins in ipairs {3, 10, 41, 49, 256} do
        local edges = rill.iter("float", bins + 1, 0, bins + 1):copy()
        show("edges of bins " .. bins, edges:histogram {bins = bins, min = 0, max = bins})
        show("tenths in bins " .. bins, (edges * 0.1):eval():histogram {bins = bins, min = 0, max = bins * 0.1})
        show("bins " .. bins, x:histogram {bins = bins})
    end

    local stretch = rill.kernel "kernel void stretch(float u<>, out float r<>) { r = u; }"
    for _, shape in ipairs {{154, 123}, {11, 41}, {231, 205}} do
        show("stretched " .. shape[1], stretch(x, rill.stream("float", shape)))
    end
    if not whole then
        return
    end
    local places = rill.kernel "kernel void places(out vec4 p<>) { p = vec4(indexof(p)); }"
    show("places", places(rill.stream("vec4", {7, 3, 41, 5})))
    for _, n in ipairs {3, 41, 49, 1000} do
        show("permutation " .. n, rill.permutation(n, {seed = 8}))
        show("choice " .. n, rill.choice(x, n, {seed = 9}))
    end
    show("weighted", rill.choice(N, 500, {seed = 9, p = rill.random(N, {seed = 1})}))
    show("bins of two dimensions", rill.random(999, {seed = 4, type = "vec2"}):histogram {bins = {7, 11}})
    show("view", x:transpose():domain({3, 5}, {41, 77}):stride(3, 7):tile(2, 3):copy())
    show("wrapped", rill.kernel "kernel void w(neighbor float u<>, out float r<>) { r = u[-1][50] - u[0][-50]; }"(
        x:boundary "wrap"))
    local ints = rill.random({49, 41}, {seed = 1, type = "int", low = -9, high = 9})
    show("product", rill.matmul(ints, ints:transpose()))
    show("sums", ints:sum(1))
    show("scan", ints:scan())
    show("sort", x:sort())
    show("order", rill.argsort(x:reshape(77 * 41)))
]=]

describe("exact results stay exact", function()
    local files, right

    setup(function()
        files, right = tempfiles.open(), {}
    end)
    teardown(function() files:close() end)

    local function with(way, whole)
        local library = preload("wrongdriver", pending)
        local script = SCRIPT:gsub("WHOLE", tostring(whole))
        right[whole] = right[whole] or process.output(script)
        local lines = process.output(script, {LD_PRELOAD = library, RILL_WRONG = way, RILL_CACHE = files.directory})
        assert.equal("quotients\tfalse", lines:match "^[^\n]+")
        local changed, next_line = {}, lines:gmatch "[^\n]+"
        for line in right[whole]:gmatch "[^\n]+" do
            local other = next_line()
            changed[#changed + 1] = line ~= other and not line:find "^quotients" and line .. ", not " .. other or nil
        end
        assert.same({}, changed)
    end

    shortened(it, "where x / y is x * (1.0 / y) #large", function(whole) with("reciprocal", whole) end)

    it("where quotients are a unit too large #large #long", function() with("division", true) end)
end)
