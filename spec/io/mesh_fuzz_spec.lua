-- Random, mutated and truncated mesh files: each gives a mesh or an error that names the file. `make sanitize SPEC=mesh_fuzz` checks memory, too.
local rill = require "rill"
local leaks = require "spec.support.leaks"
local tempfiles = require "spec.support.tempfiles"
local mesh <const> = rill.mesh

local KINDS <const> = {
    {"a.obj"}, {"a.off"}, {"ascii.ply", "ascii"}, {"little.ply", "little"}, {"big.ply", "big"}, {"ascii.stl", "ascii"},
    {"little.stl", "little"},
}

local WORDS <const> = {
    "v", "f", "vn", "-1", "0", "1", "2147483647", "-2147483648", "99999999999999999999", "1e999", "nan", "inf", "-0",
    "vt",
    "\n", "\r\n", "\\\n", "#", "//", "1/1/1", "ply\n", "OFF\n", "solid", "endsolid", "facet", "vertex", "end_header\n",
    "element vertex 1000000000\n", "property list uchar int vertex_indices\n", "element tristrips 3\n", "\0", "\255",
    "format binary_big_endian 1.0\n", "property float x\n", "0x1p3", "1.", ".", "+", "e5", " ", "\t",
}

describe("mesh files at random", function()
    local files, seeds, meshes, errors
    leaks.watch(setup, teardown)
    setup(function()
        files = tempfiles.open()
        math.randomseed(2029)
        meshes, errors, seeds = 0, 0, {}
        local corners = mesh.new {positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1.5}}, triangles = {{0, 1, 2},
            {3, 2, 1}}, uv = {{{0, 0}, {1, 0}, {0, 1}}, {{1, 1}, {0, 1}, {1, 0}}}, normals = {{0, 0, 1}, {0, 0, 1},
            {1, 0, 0}, {0, 1, 0}}}
        for _, m in ipairs {mesh.box(), mesh.grid {segments = {2, 1}}, corners} do
            for _, kind in ipairs(KINDS) do
                local path = files:path(kind[1])
                m:save(path, {encoding = kind[2]})
                seeds[#seeds + 1] = {kind[1], tempfiles.read(path)}
            end
        end
        seeds[#seeds + 1] = {"strip.ply", "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\n" ..
            "property float y\nproperty float z\nelement tristrips 1\n" ..
            "property list int int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n8 0 1 2 3 -1 2 1 0\n"}
    end)
    teardown(function() files:close() end)

    local function byte() return string.char(math.random(0, 255)) end

    local changes = {
        function(text) return text:sub(1, math.random(0, #text)) end,
        function(text) return text:sub(math.random(1, #text + 1)) end,
        function(text, at) return text:sub(1, at - 1) .. byte() .. text:sub(at + 1) end,
        function(text, at) return text:sub(1, at - 1) .. WORDS[math.random(#WORDS)] .. text:sub(at) end,
        function(text, at) return text:sub(1, at) .. text:sub(at + math.random(1, 20)) end,
        function(text, at) return text:sub(1, at) .. text:sub(math.random(1, #text + 1)) end,
        function(text) return (text:gsub("%d+", function(n)
            return math.random(8) == 1 and WORDS[math.random(4, 14)] or n
        end)) end,
        function(text)
            local bytes = {}
            for i = 1, #text do bytes[i] = byte() end
            return table.concat(bytes)
        end,
    }

    -- One file: a seed, changed a few times.
    local function one()
        local seed = seeds[math.random(#seeds)]
        local text = seed[2]
        for _ = 1, math.random(1, 3) do
            text = changes[math.random(#changes)](text, math.random(1, #text + 1))
        end
        local path = files:write(seed[1], text)
        local good, m = pcall(mesh.load, path, {skip = math.random(2) == 1})
        if good then
            local n, high = m.vertices, m.faces > 0 and m.triangles:max() or {0, 0, 0}
            assert(m.faces == 0 or math.max(high[1], high[2], high[3]) < n, "a vertex that is not there")
            m:close()
            meshes = meshes + 1
        else
            assert.matches("rill.mesh.load: cannot read", m, 1, true)
            errors = errors + 1
        end
    end

    -- All files with the sanitizers, fewer otherwise, since only errors and crashes are detected.
    it("of seven kinds", function()
        local count = os.getenv "RILL_SANITIZE" and 10000 or 1000
        for _ = 1, count do one() end
        assert(meshes > count / 10 and errors > count / 3, ("%d meshes, %d errors"):format(meshes, errors))
    end)
end)
