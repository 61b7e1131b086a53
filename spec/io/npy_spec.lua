local rill = require "rill"
local check = require "spec.support.check"
local tempfiles = require "spec.support.tempfiles"

-- dtype -> the type of the stream, the format of string.pack, numbers that fit exactly.
local dtypes = {
    f2 = { "half", "I2", { 0x0000, 0x3C00, 0xC100 }, { 0, 1, -2.5 } },
    f4 = { "float", "f", { 0, 1.5, -2.25 } },
    f8 = { "double", "d", { 0, 0.1, -1e300 } },
    i1 = { "int8", "i1", { -128, 0, 127 } },
    i2 = { "int16", "i2", { -32768, 258, 32767 } },
    i4 = { "int", "i4", { -2147483648, 16909060, 2147483647 } },
    i8 = { "int", "i8", { -2147483648, 16909060, 2147483647 } },
    u1 = { "uint8", "I1", { 0, 7, 255 } },
    u2 = { "uint16", "I2", { 0, 258, 65535 } },
    u4 = { "uint", "I4", { 0, 16909060, 4294967295 } },
    u8 = { "uint", "I8", { 0, 16909060, 4294967295 } },
    b1 = { "bool", "I1", { 0, 1, 1 }, { false, true, true } },
}

-- A .npy file's bytes. `order`: "<" or ">"; `shape`: the tuple's text.
local function npy(dtype, order, shape, data, o)
    o = o or {}
    local header = o.header
        or ("{'descr': '%s%s', 'fortran_order': %s, 'shape': %s, }"):format(
            order, dtype, o.fortran and "True" or "False", shape)
    header = header .. "\n"
    local version = o.version or 1
    return "\x93NUMPY" .. string.char(version, 0) .. string.pack(version == 1 and "<s2" or "<s4", header) .. data
end

local function packed(format, order, numbers)
    local parts = {}
    for i, v in ipairs(numbers) do
        parts[i] = string.pack(order .. format, v)
    end
    return table.concat(parts)
end

describe(".npy", function()
    local files
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    local function load_bytes(bytes, type)
        return rill.load(files:write("in.npy", bytes), type)
    end

    local function failure(f, ...)
        local ok, message = pcall(f, ...)
        assert.is_false(ok)
        return message
    end

    local function refused(bytes, pattern, type)
        local message = failure(load_bytes, bytes, type)
        assert.matches("rill%.load: cannot read '.*in%.npy'", message)
        assert.matches(pattern or ".", message)
    end

    describe("reading", function()
        for dtype, case in pairs(dtypes) do
            it("gives " .. dtype .. " in either byte order", function()
                for _, order in ipairs { "<", ">" } do
                    local s = load_bytes(npy(dtype, order, "(3,)", packed(case[2], order, case[3])))
                    assert.are.equal(case[1], s.type)
                    assert.are.equal("3", tostring(s.shape))
                    assert.are.same(case[4] or case[3], s:values())
                end
            end)
        end

        it("takes the shape, 0 and 1 dimensions and empty ones too", function()
            local data = packed("i4", "<", { 1, 2, 3, 4, 5, 6, 7, 8 })
            for tuple, text in pairs { ["(8,)"] = "8", ["(2, 4)"] = "2x4", ["(2,2,2)"] = "2x2x2", ["(8, 1)"] = "8x1",
                    ["(1, 1, 1, 1, 1, 1, 1, 8)"] = "1x1x1x1x1x1x1x8", ["(8L,)"] = "8" } do
                local s = load_bytes(npy("i4", "<", tuple, data))
                assert.are.equal(text, tostring(s.shape))
                assert.are.same({ 1, 2, 3, 4, 5, 6, 7, 8 }, s:values())
            end
            assert.are.equal("1", tostring(load_bytes(npy("i4", "<", "()", "\1\0\0\0")).shape))
            assert.are.equal("0", tostring(load_bytes(npy("i4", "<", "(0,)", "")).shape))
            assert.are.equal("3x0", tostring(load_bytes(npy("f4", "<", "(3, 0)", "")).shape))
        end)

        it("transposes Fortran order", function()
            local s = load_bytes(npy("i4", "<", "(2, 3)", packed("i4", "<", { 1, 4, 2, 5, 3, 6 }), { fortran = true }))
            assert.are.same({ { 1, 2, 3 }, { 4, 5, 6 } }, s:read())
            local cube = {}
            for k = 0, 3 do
                for j = 0, 2 do
                    for i = 0, 1 do
                        cube[#cube + 1] = i * 12 + j * 4 + k
                    end
                end
            end
            local c = load_bytes(npy("u1", "|", "(2, 3, 4)", packed("I1", "<", cube), { fortran = true }))
            for i, v in ipairs(c:values()) do
                assert.are.equal(i - 1, v)
            end
        end)

        it("takes versions 1 to 3, and headers spelled otherwise", function()
            for version = 1, 3 do
                local bytes = npy("f4", "<", "(1,)", string.pack("<f", 1.5), { version = version })
                assert.are.same({ 1.5 }, load_bytes(bytes):values())
            end
            local header = '{"shape":(1,),"fortran_order":False,"descr":"<f4"}      '
            local bytes = npy("f4", "<", "", string.pack("<f", 1.5), { header = header })
            assert.are.same({ 1.5 }, load_bytes(bytes):values())
        end)

        it("gives vectors where a type asks for them", function()
            local data = packed("f", "<", { 1, 2, 3, 4, 5, 6 })
            local s = load_bytes(npy("f4", "<", "(2, 3)", data), "vec3")
            assert.are.equal("vec3", s.type)
            assert.are.equal("2", tostring(s.shape))
            assert.are.same({ { 1, 2, 3 }, { 4, 5, 6 } }, s:read())
            assert.are.same({ 1, 2, 3 }, load_bytes(npy("f4", "<", "(3,)", data:sub(1, 12)), "vec3"):get(1))
            refused(npy("f4", "<", "(2, 3)", data), "vec4 needs a last dimension of 4, and the array's is 3", "vec4")
            refused(npy("f4", "<", "()", data:sub(1, 4)), "last dimension", "vec2")
        end)

        it("converts to the type asked for", function()
            local bytes = npy("u1", "|", "(2, 3)", "\0\1\2\3\4\255")
            assert.are.same({ 0, 1, 2, 3, 4, 255 }, load_bytes(bytes, "float"):values())
            assert.are.same({ { 0, 1, 2 }, { 3, 4, 255 } }, load_bytes(bytes, "vec3"):read())
            local doubles = npy("f8", "<", "(2,)", string.pack("<dd", 1.75, -2.75))
            assert.are.same({ 1, -2 }, load_bytes(doubles, "int"):values())
            assert.are.same({ 4294967295 },
                load_bytes(npy("i8", "<", "(1,)", string.pack("<i8", 4294967295)), "uint"):values())
        end)
    end)

    describe("bad input", function()
        local good = npy("f4", "<", "(2, 3)", ("\0"):rep(24))

        it("is refused at every length short of the whole", function()
            load_bytes(good)
            for length = 0, #good - 1 do
                refused(good:sub(1, length))
            end
            refused(good .. "\0", "1 bytes follow")
        end)

        it("with a false shape is refused", function()
            for _, shape in ipairs { "(2, 4)", "(1, 3)", "(4611686018427387904, 4)", "(9223372036854775807,)",
                    "(99999999999999999999,)", "(-1, 3)",
                    "(2.5,)", "(2 3)", "2", "[2, 3]", "(,)", "(" .. ("1,"):rep(40) .. ")" } do
                refused(npy("f4", "<", shape, ("\0"):rep(24)))
            end
            refused(npy("f4", "<", "(1, 1, 1, 1, 1, 1, 1, 1, 1)", ("\0"):rep(4)), "9 dimensions")
        end)

        it("of another dtype is refused by name", function()
            refused(npy("M8[ns]", "<", "(1,)", ("\0"):rep(8)), "dtype '<M8%[ns%]' is not supported: expected f2 f4 f8")
            refused(npy("c32", "<", "(1,)", ("\0"):rep(32)), "dtype '<c32'")
            refused(npy("O", "|", "(1,)", ("\0"):rep(8)), "dtype '|O'")
            local header = "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}"
            refused(npy("", "", "", "", { header = header }), "records")
        end)

        it("with a broken header is refused", function()
            for _, header in ipairs { "", "{", "{}", "nonsense", "{'descr': '<f4'}",
                    "{'descr': '<f4', 'fortran_order': 1, 'shape': (1,)}",
                    "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
                    "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
                    "{'descr': '<f4', 'other': False, 'fortran_order': False, 'shape': (1,)}", ("{"):rep(1000) } do
                refused(npy("", "", "", "\0\0\0\0", { header = header }))
            end
            refused(npy("f4", "<", "(1,)", "\0\0\0\0", { version = 4 }), "version 4.0")
        end)

        it("with 64-bit integers that do not fit is refused", function()
            refused(npy("i8", "<", "(2,)", string.pack("<i8i8", 0, 2147483648)), "element 1, 2147483648, does not fit")
            refused(npy("i8", "<", "(1,)", string.pack("<i8", -2147483649)), "%-2147483649, does not fit int")
            refused(npy("u8", "<", "(1,)", string.pack("<I8", -1)), "18446744073709551615, does not fit uint")
            refused(npy("i8", "<", "(1,)", string.pack("<i8", -1)), "%-1, does not fit uint", "uint")
            refused(npy("i8", "<", "(1,)", string.pack("<i8", 5000000000)),
                'type "double" reads all up to 2%^53')
        end)

        it("with 64-bit integers is read as floats where those are asked for", function()
            local path = files:write("wide.npy", npy("i8", "<", "(3,)", ("<i8i8i8"):pack(5000000000, -1, -(1 << 53))))
            check.equal({5e9, -1, -2.0 ^ 53}, rill.load(path, "double"):values())
            check.equal({5e9, -1, -2.0 ^ 53}, rill.load(path, "float"):values())
            path = files:write("wide.npy", npy("u8", ">", "(2,)", (">I8I8"):pack(1 << 40, -1)))
            check.equal({2.0 ^ 40, 2.0 ^ 64}, rill.load(path, "float"):values())
            check.equal({2.0 ^ 40, 2.0 ^ 64}, rill.load(path, "double", {round = true}):values())
        end)

        it("with 64-bit integers that double does not represent is refused, or rounded on request", function()
            local exact <const> = {1 << 53, -(1 << 53), (1 << 53) + 2, math.mininteger, (1 << 62) + (1 << 20)}
            local path = files:write("wide.npy", npy("i8", "<", "(5,)", ("<i8i8i8i8i8"):pack(table.unpack(exact))))
            local values = rill.load(path, "double"):values()
            for i, value in ipairs(exact) do
                assert.equal(value, math.tointeger(values[i]))
            end
            for _, value in ipairs {(1 << 53) + 1, -(1 << 53) - 1, math.maxinteger, (1 << 62) + 1} do
                path = files:write("wide.npy", npy("i8", "<", "(2,)", ("<i8i8"):pack(5, value)))
                check.names({"rill.load: cannot read", "the option {round = true} rounds larger ones: element 1, " ..
                    value .. ", does not fit double"}, rill.load, path, "double")
                check.equal({5.0, value + 0.0}, rill.load(path, "double", {round = true}):values())
            end
            path = files:write("wide.npy", npy("u8", "<", "(1,)", ("<I8"):pack(-1)))
            check.names({"element 0, 18446744073709551615, does not fit double"}, rill.load, path, "double")
            check.raises("unknown option 'rounded': expected round", rill.load, path, "double", {rounded = true})
        end)

        it("with complex numbers is read as vectors", function()
            local file = npy("c8", "<", "(2,)", packed("f", "<", {1, -2, 0.5, 4}))
            local s = load_bytes(file)
            assert.same({"vec2", "2"}, {s.type, tostring(s.shape)})
            check.equal({1, -2, 0.5, 4}, s:values())
            assert.equal("dvec2", load_bytes(file, "dvec2").type)
            s = load_bytes(npy("c16", ">", "(1, 2, 1)", packed("d", ">", {1, 2, 3, 0.1})))
            assert.same({"dvec2", "1x2x1"}, {s.type, tostring(s.shape)})
            check.equal({1, 2, 3, 0.1}, s:values())
            file = npy("c8", "<", "(2, 2)", packed("f", "<", {1, 2, 3, 4, 5, 6, 7, 8}), {fortran = true})
            s = load_bytes(file, "vec2")
            check.equal({1, 2, 5, 6, 3, 4, 7, 8}, s:values())
            assert.equal("1", tostring(load_bytes(npy("c8", "<", "()", packed("f", "<", {1, 2}))).shape))
            assert.equal("0x3", tostring(load_bytes(npy("c16", "<", "(0, 3)", "")).shape))
            refused(file, "it holds complex numbers: expected the type vec2 or dvec2, got float", "float")
            refused(file, "complex numbers: expected the type vec2 or dvec2, got vec4", "vec4")
            refused(file:sub(1, -2))
        end)

        it("with 64-bit integers is cut to smaller ones as 32-bit integers are", function()
            local values <const> = {-64, 5, 300, -32769, 70000, 2147483647}
            local narrow <const> = npy("i4", "<", "(6,)", ("<i4i4i4i4i4i4"):pack(table.unpack(values)))
            local wide <const> = npy("i8", "<", "(6,)", ("<i8i8i8i8i8i8"):pack(table.unpack(values)))
            local types = {"int8", "uint8", "int16", "uint16", "int", "float", "double", "half", "unorm8", "bool"}
            for _, type in ipairs(types) do
                check.equal(load_bytes(narrow, type):values(), load_bytes(wide, type):values())
            end
            local far <const> = ("<i8i8i8"):pack(1 << 32, (1 << 40) + 200, -(1 << 33) - 3)
            check.equal({0, 200, 253}, load_bytes(npy("i8", "<", "(3,)", far), "uint8"):values())
            check.equal({0, -56, -3}, load_bytes(npy("i8", "<", "(3,)", far), "int8"):values())
            assert.are.same({true, true, true}, load_bytes(npy("i8", "<", "(3,)", far), "bool"):read())
            refused(npy("i8", "<", "(3,)", far), "element 0, 4294967296, does not fit int")
            -- The middle between two floats plus 1: a conversion by way of double would give the middle, which rounds to even.
            local near <const> = (1 << 60) + (1 << 36) + 1
            check.equal({2.0 ^ 60 + 2.0 ^ 37}, load_bytes(npy("i8", "<", "(1,)", ("<i8"):pack(near)), "float"):values())
        end)

        it("that is something else is refused", function()
            refused("", "empty")
            refused("hello", "neither .npy nor .rill")
            refused("\x89PNG\r\n\x1a\n", "rill.image.load")
            assert.matches("rill%.load: cannot read '/proc/missing': No such file", failure(rill.load, "/proc/missing"))
            assert.matches("argument #1 'path'", failure(rill.load))
            assert.matches("argument #2 'type'", failure(rill.load, files:write("in.npy", good), "flaot"))
            local Pair = rill.struct("Pair", "float a; float b;")
            refused(good, "numbers, not structures", Pair)
        end)
    end)

    describe("writing", function()
        local function saved(s)
            local path = files:path "out.npy"
            s:save(path)
            return tempfiles.read(path), path
        end

        it("gives numpy's own bytes", function()
            local bytes = saved(rill.stream("float", { 2, 3 }, { 1, 2, 3, 4, 5, 6 }))
            local header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
            header = header .. (" "):rep(118 - #header - 1) .. "\n"
            assert.are.equal("\x93NUMPY\1\0\118\0" .. header .. packed("f", "<", { 1, 2, 3, 4, 5, 6 }), bytes)
            assert.matches("'shape': %(5,%), }", saved(rill.stream("int", 5)))
            assert.matches("'|b1'", saved(rill.stream("bool", 5)))
            assert.matches("'|u1'", saved(rill.stream("uint8", 5)))
            assert.are.equal(0, #saved(rill.stream("int", { 3, 0 })) % 64)
        end)

        it("is read back bit by bit, every type and rank", function()
            local names = { "float", "double", "int", "uint", "half", "int8", "int16", "uint8", "uint16", "bool",
                "vec2", "vec3", "vec4", "dvec3", "ivec2", "uvec4", "half2", "half4" }
            for _, name in ipairs(names) do
                for _, shape in ipairs { { 0 }, { 1 }, { 7 }, { 2, 3 }, { 3, 1, 2 }, { 1, 2, 1, 2, 1, 2, 1, 2 } } do
                    local n = tonumber(name:match "[a-z]([234])$") or 1
                    local s = rill.stream(name, shape)
                    local values = {}
                    for i = 1, s.size * n do
                        values[i] = name == "bool" and i % 3 == 0 or name ~= "bool" and i % 100 or false
                    end
                    s:write(values)
                    local _, path = saved(s)
                    local again = rill.load(path, name)
                    assert.are.equal(name, again.type)
                    assert.are.equal(tostring(s.shape), tostring(again.shape))
                    assert.are.equal(s:bytes(), again:bytes())
                    if n == 1 then
                        assert.are.equal(name, rill.load(path).type)
                    elseif #shape < 8 then
                        assert.are.equal(tostring(s.shape) .. "x" .. n, tostring(rill.load(path).shape))
                    end
                end
            end
        end)

        -- Large files are read into the memory of the stream.
        it("is read back bit by bit, also from files of more than 1 MiB", function()
            local n <const> = (1 << 20) + 3
            for _, name in ipairs {"float", "double", "half", "int8", "uint16", "bool", "vec2", "vec4"} do
                local vector = name:find "vec"
                local s = vector and rill.random(n, {seed = 1, type = name})
                    or rill.iter("float", n, 0, n):cast("int"):map("x % 120"):cast("float"):cast(name)
                local bytes, path = saved(s)
                local again = rill.load(path, name)
                assert.are.equal(name, again.type)
                assert.are.equal(n, again.size)
                assert.is_true(s:bytes() == again:bytes(), name)
                if not vector then
                    assert.is_true(s:cast "double":bytes() == rill.load(path, "double"):bytes(), name)
                end
                again:fill(again:get(2)) -- the file does not change
                assert.is_true(bytes == tempfiles.read(path))
                assert.matches("truncated", failure(rill.load, files:write("out.npy", bytes:sub(1, -2)), name))
            end
        end)

        it("keeps NaN, infinities and the smallest numbers", function()
            local bytes = string.pack("<ffff", 0 / 0, 1 / 0, -0.0, 1e-42)
            local _, path = saved(rill.stream("float", 4, bytes))
            assert.are.equal(bytes, rill.load(path):bytes())
            local halves = string.pack("<I2I2I2", 0x7C00, 0x0001, 0x8000)
            _, path = saved(rill.stream("half", 3, halves))
            assert.are.equal(halves, rill.load(path):bytes())
        end)

        it("writes unorm8 as floats", function()
            for _, name in ipairs { "unorm8", "unorm8x4" } do
                local s = rill.stream(name, { 2, 2 }, string.char(0, 1, 127, 255):rep(name == "unorm8" and 1 or 4))
                local bytes, path = saved(s)
                assert.matches("'<f4'", bytes)
                assert.are.equal(s:bytes(), rill.load(path, name):bytes())
            end
        end)

        it("writes views in their own order", function()
            local s = rill.stream("int", { 2, 3 }, { 1, 2, 3, 4, 5, 6 })
            local _, path = saved(s:transpose())
            assert.are.same({ { 1, 4 }, { 2, 5 }, { 3, 6 } }, rill.load(path):read())
            _, path = saved(s:domain({ 1, 2 }, { 2, 3 }))
            assert.are.same({ { 2, 3 }, { 5, 6 } }, rill.load(path):read())
            _, path = saved(rill.iter("float", 4, 0, 4))
            assert.are.same({ 0, 1, 2, 3 }, rill.load(path):values())
            assert.are.same({ 1, 2, 3, 4, 5, 6 }, s:values())
        end)

        it("names the path and the reason when it cannot write", function()
            local s = rill.stream("float", 3)
            assert.matches("cannot write '/proc/missing/a%.npy': No such file",
                failure(s.save, s, "/proc/missing/a.npy"))
            assert.matches("%.npy or %.rill", failure(s.save, s, files:path "a.txt"))
            assert.matches("argument #1 'path'", failure(s.save, s))
            local Pair = rill.struct("Pair", "float a; float b;")
            assert.matches("like Pair go into %.rill", failure(s.save, rill.stream(Pair, 2), files:path "a.npy"))
            s:close()
            assert.matches("closed stream", failure(function() s:save(files:path "a.npy") end))
        end)
    end)
end)
