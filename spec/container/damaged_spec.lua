-- .rill files of containers whose descriptions were changed, with valid checksums: each load gives a
-- container or an error. `make sanitize SPEC=damaged` checks memory, too.
local rill = require "rill"
local leaks = require "spec.support.leaks"
local pngwriter = require "spec.support.pngwriter"
local tempfiles = require "spec.support.tempfiles"

local CASES <const> = 400
local WORDS <const> = {0, 1, 2, 3, 255, 256, 65535, 65536, 1 << 20, 1 << 30, 0x7fffffff, 0x80000000, 0xfffffffe,
    0xffffffff}
local HEADER <const> = 16 -- before the description

describe("damaged files of containers", function()
    local files, kinds
    leaks.watch(setup, teardown)
    setup(function()
        files = tempfiles.open()
        math.randomseed(2028)
        local box = rill.stream("float", {3, 4}, function(i, j) return i * j end)
        local sparse = rill.sparse("float", {64, 64}, {page = {4, 4}})
        local overlap = rill.sparse("float", {64, 64}, {page = {4, 4}, overlap = 1})
        local hash, array = rill.hashgrid("float", {page = {4, 4}}), rill.array("float", {3, 4})
        local stack, tree = rill.stack("int", {capacity = 8}), rill.quadtree("float", {size = 8, page = 2})
        local lists = rill.lists("float", {shape = 3, keys = rill.from({0, 0, 2}, "int"), values = rill.from {1, 2, 3}})
        sparse:write(box, {9, 9})
        overlap:write(box, {9, 9})
        hash:write(box, {-2, -2})
        array:write(box)
        stack:push(rill.from({1, 2, 3}, "int"))
        tree:refine(rill.from({{1, 1}}, "vec2"), 0)
        kinds = {{"sparse", sparse}, {"overlap", overlap}, {"hash", hash}, {"stack", stack}, {"array", array},
            {"lists", lists}, {"tree", tree}}
        for _, kind in ipairs(kinds) do
            local path = files:path(kind[1] .. ".rill")
            kind[2]:save(path)
            kind.bytes = tempfiles.read(path)
            kind[2]:close()
        end
    end)
    teardown(function() files:close() end)

    -- Loads a file. A loaded container is inspected and closed.
    local function load_bytes(bytes)
        local checksum = ("<I4"):pack(pngwriter.crc32(bytes:sub(1, -5)))
        local path = files:write("damaged.rill", bytes:sub(1, -5) .. checksum)
        local good, result = pcall(rill.load, path)
        if not good then
            assert.matches("^rill.load: cannot read", result)
            return nil, result
        end
        assert(#tostring(result) > 0)
        result:close()
        return true
    end

    it("are errors or containers, whatever is changed", function()
        local loaded, refused = 0, 0
        for _ = 1, CASES do
            local bytes = kinds[math.random(#kinds)].bytes
            for _ = 1, math.random(3) do
                local at = HEADER + math.random(math.min(#bytes - HEADER, 180))
                local new = math.random(2) == 1 and ("<I4"):pack(WORDS[math.random(#WORDS)])
                    or string.char(math.random(0, 255))
                bytes = bytes:sub(1, at) .. new .. bytes:sub(at + 1 + #new)
            end
            if load_bytes(bytes) then
                loaded = loaded + 1
            else
                refused = refused + 1
            end
        end
        assert.is_true(loaded > CASES // 10 and refused > CASES // 10)
    end)

    it("are refused without the element that is their default", function()
        for _, kind in ipairs(kinds) do
            local description = ("<I4"):unpack(kind.bytes, 13)
            local type = kind[1] == "stack" and "int" or "float"
            local count = HEADER + 2 + 2 + #type + 2 + 4 + 2 -- before the number of elements
            local bytes = kind.bytes:sub(1, count) .. ("<I8"):pack(0) .. kind.bytes:sub(count + 9, HEADER + description)
            local good, message = load_bytes(bytes .. "\0\0\0\0")
            if kind[1] ~= "stack" then -- an empty stack is valid
                assert.is_nil(good)
                assert.matches("is damaged", message)
            end
        end
    end)

    it("are refused where sizes of a page multiply beyond their type", function()
        for _, kind in ipairs(kinds) do
            if kind[1] == "sparse" or kind[1] == "overlap" or kind[1] == "tree" then
                -- After the kind: a rank of 2, two sizes, then the sizes of a page.
                local at = kind.bytes:find("\2\0" .. ("<I8"):pack(kind[1] == "tree" and 8 or 64), HEADER + 20, true)
                local sizes = ("<I8I8"):pack(3, math.maxinteger)
                local bytes = kind.bytes:sub(1, at + 17) .. sizes .. kind.bytes:sub(at + 34)
                assert.is_nil(load_bytes(bytes))
            end
        end
    end)
end)
