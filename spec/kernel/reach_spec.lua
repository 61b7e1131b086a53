-- All reads and writes are inside the bound ranges, if the driver does not ensure that: steps of several elements extend beyond the last one.
local shortened = require "spec.support.shortened"
local preload = require "spec.support.preload"
local process = require "spec.support.process"
local tempfiles = require "spec.support.tempfiles"

-- Views that end where their buffer ends, of every type, in steps of 4 to 16 elements; rows that do not fill a stencil's strips.
local READS <const> = [[
    local rill = require "rill"
    assert(not rill.device().traits.robust_access)
    local seen = { unorm8 = "float", unorm8x4 = "vec4", int16 = "int", uint8 = "uint", half4 = "vec4" }
    local function same(what, got, value)
        for i, x in ipairs(got) do
            if x ~= value then
                error(("%s: element %d is %s"):format(what, i, x))
            end
        end
    end
    for type in ("TYPES"):gmatch "%w+" do
        local x = seen[type] or type
        local first = x:find "vec" and "x.x" or "x"
        local bytes = rill.kernel(("kernel void bytes(%s x<>, out uint r<>) { r = uint(%s); }"):format(x, first))
        local one = rill.kernel(("kernel void one(out %s x<>) { x = %s(1); }"):format(x, x))
        for _, n in ipairs { 1, 3, 9, 17 } do
            for _, offset in ipairs { 0, 1, 4 } do
                local whole, small = rill.stream(type, n + offset), rill.stream("uint8", n)
                one(whole)
                bytes(whole:domain(offset + 1, n + offset), small)
                same(("%s, %d from %d"):format(type, n, offset), small:values(), 1)
                same(type .. ", apart", bytes(whole:stride(3)):values(), 1)
            end
        end
    end
    local below = rill.kernel "kernel void below(neighbor float x<>, float y<>, half z<>, out float r<>) { r = x[1][0] + y + z; }"
    for _, rows in ipairs { 1, 7, 8, 9 } do
        local shape = { rows, 16 }
        local x, z = rill.stream("float", shape, 1), rill.stream("half", shape, 1)
        same("stencil", below(x, x, z):values(), 3)
    end
    print "done"
]]

-- Built-in shaders: keys of every width, with and without a payload, rows, tiles, counts, matrices.
local SHADERS <const> = [[
    local rill = require "rill"
    for _, n in ipairs {SIZES} do
        local s = rill.iota(n):map "x * 37 % 101"
        for type in ("TYPES"):gmatch "%w+" do
            local t = s:cast(type)
            t:sort()
            rill.sort_by_key(t, rill.iota(n))
            t:top_k(math.min(n, 3))
        end
        s:domain(1 + n // 2, n):sort()
        s:sort {key = "-x"}
        s:histogram {bins = 7, min = 0, max = 101}
        rill.bincount(s)
        rill.scatter(rill.stream("int", 101), s, s, "add")
        rill.searchsorted(s:sort(), s)
        if WHOLE then
            rill.choice(n, n, {replace = false})
            rill.permutation(n)
        end
    end
    for _, shape in ipairs(WHOLE and {{1, 1}, {33, 17}, {70, 130}} or {{33, 17}}) do
        local m = rill.random(shape, {seed = 1})
        for type in ("TYPES half"):gmatch "%w+" do
            m:cast(type):transpose():copy()
        end
        (m * 255):cast "uint8":transpose():copy()
        rill.matmul(m, m:transpose()):values()
        m:sort()
    end
    print "done"
]]

describe("accesses #refused", function()
    local files, environment
    teardown(function()
        if files then files:close() end
    end)

    local function done(script, whole, types, sizes)
        local library = preload("wrongdriver", pending)
        if not files then
            files = tempfiles.open()
            environment = { LD_PRELOAD = library, RILL_WRONG = "reach", RILL_CACHE = files.directory }
            -- The driver test comes first: it stores past a range, always inside the buffer.
            process.run("require 'rill'.device()", environment)
        end
        local text = script:gsub("TYPES", types):gsub("SIZES", sizes):gsub("WHOLE", tostring(whole))
        local result = process.run(text, environment)
        assert.equal("done\n", result.out .. result.err)
    end

    shortened(it, "of kernels stay within what is bound, where the context is not a robust one", function(whole)
        done(READS, whole, whole and "float vec3 dvec4 bool half half4 int16 uint8" or "vec3 uint8", "")
    end)

    shortened(it, "of fixed shaders, too", function(whole)
        done(SHADERS, whole, whole and "float double uint8" or "uint8", whole and "1, 13, 1000, 5000" or "13, 5000")
    end)
end)
