local rill = require "rill"
local tempfiles = require "spec.support.tempfiles"

describe("colormaps", function()
    local files
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    -- The colors drawn for a list of numbers, as "rrggbb".
    local function colors(numbers, options, type)
        local s = rill.stream(type or "float", { 1, #numbers }, numbers)
        local path = files:path "map.png"
        rill.image.save(s, path, options)
        local bytes, list = rill.image.load(path, "unorm8x4"):bytes(), {}
        for i = 1, #numbers do
            list[i] = ("%02x%02x%02x"):format(bytes:byte(4 * i - 3, 4 * i - 1))
        end
        return list
    end

    it("have the colors that matplotlib gives", function()
        assert.are.same({ "440154", "3b528b", "21918c", "5ec962", "fde725" },
            colors({ 0, 0.25, 0.5, 0.75, 1 }, { colormap = "viridis" }))
        assert.are.same({ "000004", "51127c", "b73779", "fc8961", "fcfdbf" },
            colors({ 0, 0.25, 0.5, 0.75, 1 }, { colormap = "magma" }))
    end)

    it("have the ends and the middle of Moreland's coolwarm", function()
        assert.are.same({ "3b4cc0", "dddddd", "b40426" }, colors({ 0, 0.5, 1 }, { colormap = "coolwarm" }))
    end)

    it("draw gray as no colormap does", function()
        local numbers = {}
        for i = 0, 100 do
            numbers[i + 1] = i / 100
        end
        local gray = colors(numbers, { colormap = "gray" })
        rill.image.save(rill.stream("float", { 1, 101 }, numbers), files:path "gray.png")
        for i, level in ipairs(rill.image.load(files:path "gray.png", "uint8"):values()) do
            assert.are.equal(("%02x"):format(level):rep(3), gray[i])
        end
    end)

    it("grow lighter all the way, viridis and magma", function()
        local numbers = {}
        for i = 0, 255 do
            numbers[i + 1] = i / 255
        end
        for _, name in ipairs { "viridis", "magma" } do
            local last = -1
            for _, color in ipairs(colors(numbers, { colormap = name })) do
                local r, g, b = color:match "(..)(..)(..)"
                local luminance = 0
                for weight, digits in pairs { [0.2126] = r, [0.7152] = g, [0.0722] = b } do
                    luminance = luminance + weight * (tonumber(digits, 16) / 255) ^ 2.2
                end
                assert.is_true(luminance > last - 1e-3, name .. " at " .. color)
                last = luminance
            end
        end
    end)

    it("clamp, draw NaN as the lowest, and follow min and max", function()
        local low, high = "440154", "fde725"
        assert.are.same({ low, high, low, low, high },
            colors({ -5, 7, 0 / 0, -1 / 0, 1 / 0 }, { colormap = "viridis" }))
        assert.are.same({ low, "21918c", high }, colors({ 10, 15, 20 }, { colormap = "viridis", min = 10, max = 20 }))
        assert.are.same({ high, low }, colors({ 10, 20 }, { colormap = "viridis", min = 20, max = 10 }))
    end)

    it("draw integers and bools by min and max", function()
        local low, middle, high = "440154", "21918c", "fde725"
        for _, type in ipairs { "int", "uint", "int8", "int16", "uint8", "uint16", "double" } do
            assert.are.same({ low, middle, high, high },
                colors({ 10, 15, 20, 25 }, { colormap = "viridis", min = 10, max = 20 }, type), type)
        end
        assert.are.same({ low, high, low }, colors({ false, true, false }, { colormap = "viridis" }, "bool"))
        assert.are.same({ low, high }, colors({ 0, 255 }, { colormap = "viridis" }, "uint8"))
        local path = files:path "wrong.png"
        local done, said = pcall(rill.image.save, rill.stream("int", { 2, 2 }), path, { colormap = "viridis" })
        assert(not done and said:find("requires the options min and max", 1, true), said)
        done, said = pcall(rill.image.save, rill.stream("vec3", { 2, 2 }), path, { colormap = "viridis" })
        assert(not done and said:find("option 'colormap': expected a stream of numbers, got", 1, true), said)
    end)

    it("draw halves too, in 16 bits too", function()
        assert.are.same({ "000004", "fcfdbf" }, colors({ 0, 1 }, { colormap = "magma", depth = 16 }, "half"))
    end)
end)
