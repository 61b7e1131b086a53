-- Archives of arrays that are assembled by hand, and round trips.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local pngwriter = require "spec.support.pngwriter"
local tempfiles = require "spec.support.tempfiles"

local function npy(dtype, shape, data)
    local header = ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n"):format(dtype, shape)
    return "\x93NUMPY\1\0" .. string.pack("<s2", header) .. data
end

-- numpy's file of the int16 numbers 1, 2, 3, deflated by zlib: 134 bytes, and their checksum.
local deflated = ("9bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9369a4aea3a09e965f54529498179f5f94920a12774bcc29" ..
    "4e058a17672416a402f91ac63a9a3a0ab50a14002e46062606660600"):gsub("%x%x", function(x)
        return string.char(tonumber(x, 16))
    end)
local DEFLATED <const> = {packed = deflated, size = 134, crc = 0x91008260, method = 8}

-- Returns the bytes of an archive. An entry: name, bytes; or packed, size, crc, method; flags; zip64: the sizes and the
-- offset are in the extra field.
local function zip(entries, o)
    o = o or {}
    local parts, directory, at = {}, {}, 0
    for _, e in ipairs(entries) do
        local data = e.packed or e.bytes
        local size, crc, method = e.size or #data, e.crc or pngwriter.crc32(data), e.method or 0
        local extra = e.zip64 and string.pack("<I2I2I8I8I8", 1, 24, size, #data, at) or e.extra or ""
        local function common(packed, whole, length)
            return string.pack("<I2I2I2I2I2I4I4I4I2I2", 20, e.flags or 0, method, 0, 33, crc, packed, whole, #e.name,
                length)
        end
        local most = 0xffffffff
        parts[#parts + 1] = "PK\3\4" .. common(#data, size, 4) .. e.name .. "xxxx" .. data
        directory[#directory + 1] = "PK\1\2\20\0" .. common(e.zip64 and most or e.length or #data,
            e.zip64 and most or size, #extra) .. string.pack("<I2I2I2I4I4", #(e.comment or ""), 0, 0, 0,
            e.zip64 and most or e.offset or at) .. e.name .. extra .. (e.comment or "")
        at = at + #parts[#parts]
    end
    local list = table.concat(directory)
    local many = o.zip64 and 0xffff or #entries
    local tail = o.zip64 and "PK\6\6" .. string.pack("<I8I2I2I4I4I8I8I8I8", 44, 45, 45, 0, 0, #entries, #entries,
        #list, at) .. "PK\6\7" .. string.pack("<I4I8I4", 0, at + #list, 1) or ""
    return table.concat(parts) .. list .. tail .. "PK\5\6" .. string.pack("<I2I2I2I2I4I4", 0, 0, many, many,
        o.zip64 and 0xffffffff or o.list or #list, o.zip64 and 0xffffffff or at) .. string.pack("<s2", o.comment or "")
end

describe("archives of arrays", function()
    local files
    leaks.watch(setup, teardown)
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    local function load_bytes(bytes, options)
        return rill.npz.load(files:write("in.npz", bytes), options)
    end

    local function refused(names, bytes, options)
        table.insert(names, 1, "rill.npz.load: ")
        check.names(names, load_bytes, bytes, options)
    end

    local floats <const> = npy("<f4", "(2, 2)", string.pack("<ffff", 1, 2, 3, 4.5))
    local wide <const> = npy("<i8", "(2,)", string.pack("<i8i8", 7, (1 << 53) + 1))

    it("stored, deflated, with comments and other files", function()
        local a <const> = {name = "a.npy", bytes = floats, comment = "note", extra = "ab\1\0x"}
        local b <const> = {name = "names.npy", packed = deflated, size = 134, crc = DEFLATED.crc, method = 8}
        for _, o in ipairs {{}, {comment = "PK\5\6 is not here"}, {zip64 = true}} do
            local t = load_bytes(zip({a, {name = "readme.txt", bytes = "hello"}, b}, o))
            assert.same({"a", "names"}, t.names)
            check.equal({1, 2, 3, 4.5}, t.a:values())
            assert.same({"float", "2x2"}, {t.a.type, tostring(t.a.shape)})
            check.equal({1, 2, 3}, t[2]:values())
            assert.equal("int16", t[2].type)
        end
        check.equal({1, 2, 3, 4.5}, load_bytes(zip {{name = "a.npy", bytes = floats, zip64 = true}}).a:values())
        assert.same({names = {}}, load_bytes(zip {}))
        assert.same({names = {}}, load_bytes(zip {{name = "npy", bytes = ""}}))
    end)

    it("of which arrays and types are chosen", function()
        local file <const> = zip {{name = "a.npy", bytes = floats}, {name = "b.npy", bytes = wide},
            {name = "c.npy", bytes = npy("<c8", "(1,)", string.pack("<ff", 1, -2))}}
        local t = load_bytes(file, {arrays = {"c", "a"}, type = {a = "vec2"}})
        assert.same({"c", "a"}, t.names)
        assert.same({"vec2", "vec2", "2"}, {t.c.type, t.a.type, tostring(t.a.shape)})
        assert.equal("double", load_bytes(file, {arrays = "a", type = "double"}).a.type)
        check.equal({7, 2.0 ^ 53}, load_bytes(file, {arrays = "b", type = {b = "double"}, round = true}).b:values())
        refused({"array 'b': doubles represent all integers up to 2^53"}, file, {type = {b = "double"}})
        refused({"cannot read", "array 'b': its int64 numbers are read as 32 bits"}, file)
        refused({"option 'arrays': the file has no array \"d\": its arrays are a, b, c"}, file, {arrays = {"d"}})
        refused({"option 'type': the file has no array \"d\""}, file, {type = {d = "int"}})
        refused({"flaot"}, file, {type = "flaot"})
        refused({"option 'arrays'"}, file, {arrays = {1}})
    end)

    it("that are truncated, or damaged anywhere", function()
        local file <const> = zip {{name = "a.npy", bytes = floats}, {name = "b.npy", packed = deflated, size = 134,
            crc = DEFLATED.crc, method = 8}}
        for length = 0, #file - 1, 3 do
            refused({"cannot read"}, file:sub(1, length))
        end
        for at = 1, #file do
            local damaged = file:sub(1, at - 1) .. string.char(file:byte(at) ~ 0x55) .. file:sub(at + 1)
            local path = files:write("in.npz", damaged)
            local good, t = pcall(rill.npz.load, path)
            if good and t.a then
                check.equal({1, 2, 3, 4.5}, t.a:values())
            elseif not good then
                assert.matches("rill%.npz%.load: ", t)
            end
        end
    end)

    it("that announce what is not there", function()
        collectgarbage()
        local before = rill.memory().bytes
        local function one(changes)
            local e = {name = "a.npy", packed = deflated, size = 134, crc = DEFLATED.crc, method = 8}
            for key, value in pairs(changes) do e[key] = value end
            return zip {e}
        end
        refused({"the archive is damaged: its directory"}, one {size = 0xfffffffe})
        refused({"array 'a' is damaged: it cannot be inflated"}, one {size = 50000})
        refused({"array 'a' is damaged: it cannot be inflated"}, one {size = 133})
        refused({"array 'a' is damaged: its checksum"}, one {crc = 1})
        refused({"array 'a' is encrypted"}, one {flags = 1})
        refused({"array 'a' is compressed by a method other than deflate"}, one {method = 14})
        refused({"the archive is damaged: its directory"}, one {offset = 5})
        refused({"the archive is damaged: its directory"}, one {offset = 0x7fffffff})
        refused({"the archive is damaged: its directory"}, one {length = 100000})
        refused({"the archive is damaged: its directory"}, zip({}, {list = 100}))
        refused({"array 'a': the .npy file is truncated"},
            zip {{name = "a.npy", bytes = npy("<f8", "(1000000000,)", "")}})
        refused({"the archive is damaged: its files overlap"}, zip {{name = "a.npy", bytes = floats .. ("\0"):rep(500)},
            {name = "b.npy", bytes = ("x"):rep(80), length = 500, size = 500, offset = 0}})
        refused({"the archive is damaged: its directory"}, zip {{name = "a.npy", bytes = floats, zip64 = true,
            offset = 1, extra = ""}, {name = "b.npy", bytes = "", length = 0xffffffff, extra = "\1\0\4\0abcd"}})
        refused({"the file is empty"}, "")
        refused({"it is not a .npz file"}, floats)
        refused({"truncated"}, "PK\3\4" .. ("\0"):rep(100))
        assert.equal(before, rill.memory().bytes)
        check.names({"rill.load: ", "use rill.npz.load"}, rill.load, files:write("x.npz", zip {}))
    end)

    it("that are read again after they were written", function()
        local path = files:path "out.npz"
        local s = {rill.iota {3, 5}, rill.random(1000, {seed = 1, type = "double"}), rill.stream("vec3", {2, 0}),
            rill.iota(40000):cast("float"):gt(7):eval(), rill.iota(6):reshape({2, 3}):transpose(),
            rill.stream("half", 1, 2)}
        for _, compress in ipairs {false, true} do
            rill.npz.save(path, s, {compress = compress})
            local t = rill.npz.load(path, {type = {arr_2 = "vec3"}})
            assert.same({"arr_0", "arr_1", "arr_2", "arr_3", "arr_4", "arr_5"}, t.names)
            for i, array in ipairs(s) do
                assert.same({array.type, tostring(array.shape)}, {t[i].type, tostring(t[i].shape)})
                assert.equal(array:bytes(), t[i]:bytes())
            end
            rill.npz.save(path, {names = {"z", "names"}, z = s[1] + 1, s[1], s[2]})
            t = rill.npz.load(path)
            assert.same({"z", "names"}, t.names)
            check.equal((s[1] + 1):eval():values(), t.z:values())
            check.equal(s[2]:values(), t[2]:values())
        end
        rill.npz.save(path, {b = s[1], a = s[2]})
        assert.same({"a", "b"}, rill.npz.load(path).names)
        local size <const> = #tempfiles.read(path)
        rill.npz.save(path, {b = s[1], a = rill.stream("double", 1000)}, {compress = true})
        assert.is_true(#tempfiles.read(path) < size / 8)
        rill.npz.save(path, {})
        assert.same({names = {}}, rill.npz.load(path))
    end)

    it("that cannot be written", function()
        local function wrong(names, arrays, options)
            table.insert(names, 1, "rill.npz.save: ")
            check.names(names, rill.npz.save, files:path "bad.npz", arrays, options)
        end
        wrong({'array "x": expected an open stream, got number'}, {x = 3})
        wrong({'array "x": expected an open stream'}, {names = {"x"}})
        wrong({"expected different names of 1 to 1000 characters"}, {names = {""}, rill.iota(2)})
        wrong({"expected different names of 1 to 1000 characters"}, {names = {("x"):rep(1001)}, rill.iota(2)})
        wrong({"expected different names of 1 to 1000 characters", "got \"a\""}, {names = {"a", "a"}, a = rill.iota(2)})
        wrong({"expected a table of streams, got number 3"}, 3)
        local P = rill.struct("NpzP", "float a; vec2 b;")
        wrong({'array "p": .npz holds numbers, structures like'}, {p = rill.stream(P, 2)})
        check.names({"rill.npz.save: cannot write"}, rill.npz.save, files:path "none/x.npz", {rill.iota(2)})
        for _, name in ipairs(files:list()) do
            assert.is_nil(name:find "tmp" or name:find "bad")
        end
    end)
end)
