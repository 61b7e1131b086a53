-- Mesh files: written files can be read, files of other programs are understood, and defects are named.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local process = require "spec.support.process"
local tempfiles = require "spec.support.tempfiles"
local mesh <const> = rill.mesh

describe("mesh files", function()
    local files
    leaks.watch(setup, teardown)
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    local function read(text, name, options)
        return mesh.load(files:write(name or "in.obj", text), options)
    end

    local function refused(names, text, name)
        table.insert(names, 1, "rill.mesh.load: cannot read")
        check.names(names, read, text, name)
    end

    -- Reads a text. Returns positions and corners.
    local function same(positions, triangles, m)
        check.equal(positions, m.positions:values())
        check.equal(triangles, m.triangles:values())
        return m
    end

    -- A mesh of numbers with many digits, with attributes of vertices, faces or corners.
    local function strange(normals, uv)
        local positions, triangles, state = {}, {}, 1
        local function number()
            state = (state * 1103515245 + 12345) % 2147483648
            return (state / 2147483648 - 0.5) * 2 ^ (state % 61 - 30)
        end
        for i = 1, 40 do positions[i] = {number(), number(), number()} end
        positions[7] = {-0.0, 3.4028234663852886e38, 1.401298464324817e-45}
        for i = 1, 23 do triangles[i] = {state % 40, (i * 7) % 40, (i * 11 + 3) % 40} number() end
        local given = {positions = positions, triangles = triangles}
        local function list(name, width, shape)
            local values = {}
            for i = 1, shape[1] * (shape[2] or 1) do
                values[i] = {number(), number(), width == 3 and number() or nil}
            end
            if shape[1] > 0 then given[name] = rill.from(values, "vec" .. width):reshape(shape) end
        end
        local shapes = {vertices = {40}, faces = {23}, corners = {23, 3}, none = {0}}
        list("normals", 3, shapes[normals])
        list("uv", 2, shapes[uv])
        return mesh.new(given)
    end

    -- Bit by bit: -0 is not 0.
    local function same_bits(expected, got)
        assert.equal(#expected, #got)
        for i, number in ipairs(expected) do
            if string.pack("n", number) ~= string.pack("n", got[i]) then
                error(("number %d: %.17g became %.17g"):format(i, number, got[i]))
            end
        end
    end

    local function survives(name, m, options, keeps)
        local path = files:path(name)
        m:save(path, options)
        local again = mesh.load(path)
        for _, key in ipairs {"positions", "triangles"} do
            same_bits(m[key]:values(), again[key]:values())
        end
        for _, key in ipairs(keeps or {}) do
            same_bits(m["_" .. key]:values(), again["_" .. key]:values())
            assert.same(m["_" .. key].shape[2], again["_" .. key].shape[2])
        end
        return again
    end

    it("that are written read the same", function()
        for _, normals in ipairs {"none", "vertices", "corners"} do
            for _, uv in ipairs {"none", "vertices", "corners"} do
                local m, keeps, vertices = strange(normals, uv), {}, {}
                if normals ~= "none" then keeps[#keeps + 1] = "normals" end
                if normals == "vertices" then vertices[#vertices + 1] = "normals" end
                local with_uv = {table.unpack(vertices)}
                if uv ~= "none" then keeps[#keeps + 1], with_uv[#with_uv + 1] = "uv", "uv" end
                survives("a.obj", m, nil, keeps)
                survives("a.OFF", m, {encoding = "ascii"}, vertices)
                for _, encoding in ipairs {"ascii", "little", "big"} do
                    survives("a.ply", m, {encoding = encoding}, with_uv)
                end
            end
        end
        local faces = strange("faces", "none")
        local again = survives("faces.obj", faces)
        check.equal(faces:normals():get(5), again:normals():get(5, 2))
    end)

    it("of empty meshes and of points", function()
        for _, name in ipairs {"a.obj", "a.ply", "a.off"} do
            for _, positions in ipairs {{}, {{1, 2, 3}, {4, 5, 6}}} do
                survives(name, mesh.new {positions = positions, triangles = {}})
            end
        end
        local path = files:path "a.stl"
        for _, encoding in ipairs {"ascii", "little"} do
            mesh.new({positions = {}, triangles = {}}):save(path, {encoding = encoding})
            assert.same({0, 0}, {mesh.load(path).vertices, mesh.load(path).faces})
        end
    end)

    it("STL: three vertices a triangle, joined by weld", function()
        local box, path = mesh.box {size = {1, 2, 3}}, files:path "box.stl"
        for _, encoding in ipairs {"ascii", "little"} do
            box:save(path, {encoding = encoding})
            local soup = mesh.load(path)
            assert.same({36, 12}, {soup.vertices, soup.faces})
            local joined = soup:weld()
            assert.same({8, 2, true}, {joined.vertices, joined:euler(), joined:is_closed()})
            assert.equal(6, joined:volume())
        end
        local bytes = tempfiles.read(path)
        local x, y, z = string.unpack("<fff", bytes, 85)
        assert.equal(1, math.abs(x) + math.abs(y) + math.abs(z))
    end)

    it("OBJ of other programs", function()
        same({0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, {0, 1, 2, 0, 2, 3},
            read("# a square\r\nmtllib x.mtl\r\no it\r\nv 0 0 0\r\nv\t1 0 0 1.0\r\nv 1 1 0\r\nv 0 1 0\r\n\r\n" ..
                "g a b\r\nusemtl m\r\ns off\r\nf -4 -3 -2 -1 # all\r\nl 1 2\r\n"))
        same({0, 0, 0, 1, 0, 0, 1, 1, 0}, {0, 1, 2}, read "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 1 1 0")
        same({0, 0, 0, 1, 0, 0, 1, 1, 0}, {0, 1, 2}, read "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 \\\n2 \\\r\n 3\n")
        local m = read("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 5 5 5\nvt 0.5\nvt 1 0.25 7\n" ..
            "vn 0 0 1\nf 1/1/1 2/2/1 3//1\nf 1 2 4\n")
        check.equal({0.5, 0, 1, 0.25, 0, 0, 0, 0, 0, 0, 0, 0}, m.uv:values())
        check.equal({0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}, m:normals():values())
        m = read "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\nvn 1 0 0\nf 1//1 2//-1 3//1"
        check.equal({0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0}, m:normals():values())
        m = read("6 2\nv 0 0 0\nv 1e0 0 0\nv 1 .1E+1 0\nhm 3\nf 1 2 3\n", nil, {skip = true})
        assert.same({3, 1}, {m.vertices, m.faces})
    end)

    it("with a byte order mark", function()
        local m = mesh.load(files:write("marked.obj", "\xEF\xBB\xBF# written\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"))
        assert.same({3, 1}, {m.vertices, m.faces})
        m = mesh.load(files:write("marked.off", "\xEF\xBB\xBFOFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"))
        assert.same({3, 1}, {m.vertices, m.faces})
    end)

    it("OFF of other programs", function()
        local m = read("# cube\nOFF\n# counts\n4 1 0\n\n0 0 0 255 0 0\n1 0 0 # no\n1 1 0\n0 1 0\n" ..
            "4 0 1 2 3 0.5 0.5 1\n\n", "a.off")
        same({0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, {0, 1, 2, 0, 2, 3}, m)
        m = read("CNOFF 3 1 3\n0 0 0 0 0 1 9 9 9\n1 0 0 0 0 1 9 9 9\n1 1 0 0 1 0 9 9 9\n3 2 1 0", "renamed.txt")
        same({0, 0, 0, 1, 0, 0, 1, 1, 0}, {2, 1, 0}, m)
        check.equal({0, 0, 1, 0, 0, 1, 0, 1, 0}, m:normals():values())
    end)

    it("PLY of other programs", function()
        local head = "ply\nformat ascii 1.0\ncomment a\nobj_info b\nelement vertex 4\nproperty double x\n" ..
            "property float32 y\nproperty int z\nproperty uchar red\n"
        local vertices = "0 0 0 255\n1 0 0 255\n1 1 0 255\n0 1 0 255\n"
        same({0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, {0, 1, 2, 0, 2, 3}, read(head ..
            "element face 1\nproperty list uchar int vertex_index\nproperty uchar flag\nend_header\n" .. vertices ..
            "4 0 1 2 3 7\n", "a.ply"))
        same({0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, {0, 1, 2, 2, 1, 3, 3, 2, 1}, read(head:gsub("\n", "\r\n") ..
            "element tristrips 1\r\nproperty list int int vertex_indices\r\nend_header\r\n" .. vertices ..
            "8 0 1 2 3 -1 3 2 1\r\n", "a.ply"))
        local big = "ply\nformat binary_big_endian 1.0\nelement camera 2\nproperty list ushort short w\n" ..
            "element vertex 3\nproperty float x\nproperty float y\nproperty float z\nproperty short s\n" ..
            "property uchar t\nelement face 1\nproperty list uchar ushort vertex_indices\n" ..
            "property list uchar float texcoord\nend_header\n" .. string.pack(">I2i2i2I2", 2, 1, 2, 0) ..
            string.pack(">fffi2Bfffi2Bfffi2B", 0, 0, 0, -1, 1, 1, 0, 0, -2, 2, 1, 1, 0, -3, 3) ..
            string.pack(">BI2I2I2B", 3, 0, 1, 2, 0)
        local m = same({0, 0, 0, 1, 0, 0, 1, 1, 0}, {0, 1, 2}, read(big, "a.ply"))
        check.equal({-1, 1, -2, 2, -3, 3}, m.uv:values())
    end)

    it("with defects in OBJ", function()
        local head <const> = "v 0 0 0\nv 1 0 0\nv 1 1 0\n"
        refused({"is empty"}, "")
        refused({'line 1: no line of OBJ begins with "6540"', "skip = true"}, "6540 2180\n" .. head)
        refused({"line 1", '"hello"'}, "hello\n")
        refused({"line 2: expected a coordinate", 'finite number, got "nan"'}, "v 0 0 0\nv 0 nan 0\n")
        refused({"line 1: expected a coordinate", '"1e39"'}, "v 0 1e39 0\n")
        refused({"line 1: expected a coordinate, a number, got the end of the line"}, "v 0 1\n")
        refused({"line 1: expected a normal", '"inf"'}, "vn inf 0 0\n")
        refused({'line 1: expected a coordinate, a number, got "foo"'}, "v 0 0 0 foo\n")
        refused({'line 1: expected a coordinate, a number, got "v"'}, "v 0 0 0\rv 1 0 0\r")
        refused({'line 1: unexpected "8" after a coordinate'}, "v 1 2 3 4 5 6 7 8\n")
        refused({'line 1: unexpected "1" after a normal'}, "vn 0 0 1 1\n")
        assert.equal(3, read("v 0 0 0 1 # a weight\nv 1 0 0 0.5 0.5 0.5\nv 0 1 0 1 1 0 0\nvt 0 0 0\nf 1 2 3\n",
            "a.obj").vertices)
        refused({"line 1: expected a texture coordinate", '"x"'}, "vt 0 x\n")
        refused({"line 4: the number of a vertex is 0"}, head .. "f 0 1 2\n")
        refused({"line 4: the number of a vertex is -4", "-1 to -3"}, head .. "f -4 1 2\n")
        refused({"line 5: a face has vertex 4, but there are only 3"}, head .. "f 1 2 3\nf 1 2 4\n")
        refused({"line 4: a face has normal 1, but there are only 0"}, head .. "f 1//1 2//1 3//1\n")
        refused({"line 4: a face has texture coordinate 9"}, head .. "f 1/9 2 3\n")
        refused({"line 4: the number of a vertex is 99999999999"}, head .. "f 1 2 99999999999\n")
        refused({"line 4: expected the number of a vertex, a whole number", '"99999999999999999999"'},
            head .. "f 1 2 99999999999999999999\n")
        refused({"line 4: a face of 2 corners"}, head .. "f 1 2\n")
        refused({"line 4: a corner", "more than three"}, head .. "f 1/1/1/1 2 3\n")
        refused({"line 4: expected the number of a vertex", '"1.5"'}, head .. "f 1.5 2 3\n")
        refused({"not one of OBJ, PLY, OFF, STL and XYZ"}, "\0\1\2\3binary", "x")
        check.names({"rill.mesh.load", "nowhere.obj"}, mesh.load, files:path "nowhere.obj")
        check.names({"rill.mesh.load", "'path'"}, mesh.load, 3)
        check.names({"rill.mesh.load", "skip", "true or false"}, mesh.load, "a", {skip = 1})
    end)

    it("with defects in OFF and STL", function()
        refused({"line 2", "the number of vertices is 1000000000", "0 .. 715827882"}, "OFF\n1000000000 1 0\n0 0 0\n")
        refused({"line 2", "the number of vertices is 700000000", "truncated"}, "OFF\n700000000 1 0\n0 0 0\n")
        refused({"line 2", "the number of faces is 99999"}, "OFF\n1 99999 0\n0 0 0\n")
        refused({"line 2", "-1"}, "OFF\n-1 1 0\n0 0 0\n")
        refused({"declares 3 vertices, but has only 1"}, "OFF\n3 0 0\n0 0 0\n    \n     \n")
        refused({"line 6: a face has vertex 3, but there are only 3"}, "OFF\n3 1 0\n0 0 0\n1 0 0\n1 1 0\n3 0 1 3\n")
        refused({"line 6: a face of 2 corners"}, "OFF\n3 1 0\n0 0 0\n1 0 0\n1 1 0\n2 0 1\n")
        refused({"line 7: more than the 1 faces"}, "OFF\n3 1 0\n0 0 0\n1 0 0\n1 1 0\n3 0 1 2\n3 0 1 2\n")
        refused({"line 2: expected the number of edges, a whole number"},
            "OFF\n3 1\n0 0 0\n1 0 0\n1 1 0\n3 0 1 2\n")
        refused({"line 1: expected the number of edges"}, "OFF 3 1 # edges\n0 0 0\n1 0 0\n1 1 0\n3 0 1 2\n")
        refused({"line 2: expected the number of faces"}, "OFF\n3\n0 0 0\n1 0 0\n1 1 0\n3 0 1 2\n")
        refused({"it is 4OFF"}, "4OFF\n1 0 0\n0 0 0 1\n")
        refused({"binary OFF"}, "OFF BINARY\n\0\0\0\1")
        local stl = string.rep("\0", 80) .. string.pack("<I4", 1000000000)
        refused({"declares 1000000000 triangles", "has 84"}, stl, "a.stl")
        refused({"truncated"}, "\0\0", "a.stl")
        refused({"byte 96: triangle 0", "not finite"},
            string.rep(" ", 80) .. string.pack("<I4", 1) .. string.rep("\0", 12) .. string.pack("<fffffffffI2", 0, 0, 0,
            0, 0 / 0, 0, 0, 0, 0, 0), "a.stl")
        local text = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nendloop\n" ..
            "endfacet\nendsolid a\n"
        assert.equal(1, read(text, "x").faces)
        refused({"line 8: it is truncated: expected endfacet"}, text:sub(1, text:find "endfacet" - 1), "x")
        refused({"line 9: it is truncated: expected endsolid"}, text:sub(1, text:find "endsolid" - 1), "x")
        refused({'line 7: expected endloop, got "vertex"'}, text:gsub("endloop", "vertex 1 2 3\nendloop"), "x")
        refused({"line 5: expected a coordinate", '"nan"'}, text:gsub("vertex 1 0", "vertex nan 0"), "x")
    end)

    it("with defects in PLY", function()
        local ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n" ..
            "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
        local rows = "0 0 0\n1 0 0\n1 1 0\n"
        assert.equal(1, read(ply .. rows .. "3 0 1 2\n", "a.ply").faces)
        refused({"line 13: a face has vertex 3"}, ply .. rows .. "3 0 1 3\n")
        refused({"a face has vertex -1"}, ply .. rows .. "3 0 1 -1\n")
        refused({"a face has vertex 0.5"}, ply .. rows .. "3 0 1 0.5\n")
        refused({"a face of 2 corners"}, ply .. rows .. "2 0 1\n")
        refused({"a list has 1e+09 values"}, ply .. rows .. "1000000000 0 1 2\n")
        refused({"line 13: more than"}, ply .. rows .. "3 0 1 2 3\n")
        refused({"truncated"}, ply .. rows .. "3 0 1")
        refused({"line 11: vertex 1 has a number that is not finite"}, ply .. "0 0 0\n1 nan 0\n1 1 0\n3 0 1 2\n")
        refused({"line 11: expected a value", '"x"'}, ply .. "0 0 0\n1 x 0\n1 1 0\n3 0 1 2\n")
        check.collect() -- meshes of the cases above
        collectgarbage()
        local before = rill.memory().bytes
        for _, format in ipairs {"ascii", "binary_little_endian"} do
            refused({"truncated", "declares 700000000 of element 'vertex'"},
                (ply:gsub("vertex 3", "vertex 700000000"):gsub("ascii", format)) .. rows)
            refused({"line 3: 1000000000 of element 'vertex'"}, (ply:gsub("vertex 3", "vertex 1000000000")))
        end
        assert.equal(before, rill.memory().bytes)
        refused({"no end_header"}, ply:sub(1, ply:find "property" - 1))
        refused({'no line "format"'}, (ply:gsub("format ascii 1.0\n", "")))
        refused({"line 2", '"middle"'}, (ply:gsub("ascii", "middle")))
        refused({"version 1.0"}, (ply:gsub("1%.0", "2.0")))
        refused({"line 4: expected a type", '"flaot"'}, (ply:gsub("float x", "flaot x")))
        refused({"no x, y and z"}, (ply:gsub("float x", "float a")) .. rows)
        refused({"line 5: a second property"}, (ply:gsub("float y", "float x")))
        refused({"no list vertex_indices"}, (ply:gsub("vertex_indices", "corners")) .. rows .. "3 0 1 2\n")
        refused({"a property before any element"}, "ply\nformat ascii 1.0\nproperty float x\nend_header\n")
        refused({'expected one'}, "ply\nformat ascii 1.0\nend_header\n")
        local binary = (ply:gsub("ascii", "binary_little_endian")) ..
            string.pack("<fffffffff", 0, 0, 0, 1, 0, 0, 1, 1, 0)
        refused({("byte %d: a list has 3 values"):format(#binary + 1), "bytes for 2"},
            binary .. string.pack("<Bi4i4", 3, 0, 1) .. "\0\0")
        refused({("byte %d: a face has vertex 3"):format(#binary + 13)}, binary .. string.pack("<Bi4i4i4", 3, 0, 1, 3))
        refused({"more than the elements"}, binary .. string.pack("<Bi4i4i4", 3, 0, 1, 2) .. "x")
    end)

    it("are read without a device", function()
        local box, paths = mesh.box(), {}
        for i, name in ipairs {"a.obj", "a.off", "a.ply", "a.stl"} do
            paths[i] = ("%q"):format(files:path(name))
            box:save(files:path(name))
        end
        paths[#paths + 1] = ("%q"):format(files:write("bad.obj", "v 1 2\n"))
        local said = process.output([[
            local core = require "rill.core"
            for _, path in ipairs {]] .. table.concat(paths, ", ") .. [[} do
                print(select(2, pcall(function()
                    local vertices, faces, positions, triangles = core._mesh_parse(path)
                    return vertices .. " " .. faces .. " " .. #positions .. " " .. #triangles
                end)))
            end
            print(pcall(require "rill".stream, "float", 1))
        ]], {__EGL_VENDOR_LIBRARY_FILENAMES = "/nonexistent"})
        assert.matches("^" .. ("8 12 96 144\n"):rep(3) .. "36 12 432 144\n[^\n]*line 1: expected a coordinate.*\nfalse",
            said)
    end)

    it("that cannot be written", function()
        local m = mesh.box()
        check.names({"M:save", ".pts", ".obj, .ply, .off, .stl or .xyz"}, m.save, m, files:path "a.pts")
        check.names({"M:save", "XYZ files have no triangles"}, m.save, m, files:path "a.xyz")
        check.names({"M:save", "OBJ files are text"}, m.save, m, files:path "a.obj", {encoding = "big"})
        check.names({"M:save", "little-endian"}, m.save, m, files:path "a.stl", {encoding = "big"})
        check.names({"M:save", "encoding", "ascii"}, m.save, m, files:path "a.ply", {encoding = "utf8"})
        check.names({"M:save", "a.ply"}, m.save, m, files:path "none/a.ply")
        m.positions:set({0, 0 / 0, 0}, 3)
        for _, name in ipairs {"nan.obj", "nan.ply", "nan.off", "nan.stl"} do
            check.names({"M:save", name, "vertex 2", "not finite"}, m.save, m, files:path(name))
        end
        local infinite = mesh.new {positions = {{0, 0, 0}}, triangles = {}, uv = {{1, 2}}}
        infinite.uv:set({0, 1 / 0}, 1)
        check.names({"M:save", "texture coordinate 0", "not finite"}, infinite.save, infinite, files:path "nan.obj")
        assert.is_nil(table.concat(files:list(), " "):find "nan")
        local wrong = mesh.box()
        for k, number in ipairs {8, -1, 1 << 30, -1 << 31} do
            wrong.triangles:set({0, 1, number}, 5)
            local name = ("wrong.%s"):format(({"obj", "ply", "off", "stl"})[k])
            check.names({"M:save", name, "triangle 4 has vertex " .. number, "there are only 8"}, wrong.save, wrong,
                files:path(name))
            check.names({"M:save", "triangle 4"}, wrong.save, wrong, files:path "wrong.stl")
        end
        assert.is_nil(table.concat(files:list(), " "):find "wrong")
        assert.is_nil(table.concat(files:list(), " "):find ".xyz")
    end)
end)
