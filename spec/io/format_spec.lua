local rill = require "rill"
local check = require "spec.support.check"
local tempfiles = require "spec.support.tempfiles"

describe("rill.image.formats", function()
    local files
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    it("lists formats that are written by their extension and read by their content", function()
        local gray = rill.from { { 0, 1, 1 }, { 1, 0, 0 } }
        local formats = rill.image.formats()
        assert.is_true(#formats >= 5)
        for _, format in ipairs(formats) do
            local path = files:path("picture." .. format.extension)
            rill.image.save(gray, path)
            local content = files:write("content.dat", tempfiles.read(path))
            check.equal(gray:values(), rill.image.load(content, "float"):values(), format.lossy and 0.1 or 0)
        end
    end)

    it("is what errors list", function()
        local s = rill.stream("float", { 2, 2 })
        local _, extensions = pcall(rill.image.save, s, files:path "a.xyz")
        local _, names = pcall(rill.image.load, files:write("b.dat", "not a picture"))
        for _, format in ipairs(rill.image.formats()) do
            assert.matches("%." .. format.extension .. "%f[%W]", extensions)
            if format.name then
                assert.matches(format.name .. "%f[%W]", names)
            end
        end
    end)

    it("takes nothing, and gives a table of the caller's own", function()
        local ok, message = pcall(rill.image.formats, 1)
        assert.is_false(ok)
        assert.are.equal("rill.image.formats: expected at most 0 arguments, got 1", message)
        rill.image.formats()[1] = nil
        assert.are.equal("PNG", rill.image.formats()[1].name)
    end)
end)
