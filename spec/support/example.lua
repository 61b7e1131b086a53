-- Runs an example as a script, and gives access to its output and images. `local script = example.open()` in a
-- setup, `script:close()` in a teardown.
local assert = require "luassert"
local rill = require "rill"
local tempfiles = require "spec.support.tempfiles"

local example = {}
example.__index = example

function example.open()
    local files = tempfiles.open()
    return setmetatable({files = files, directory = files.directory}, example)
end

function example:close()
    self.files:close()
end

function example:path(name)
    return self.files:path(name)
end

--- Runs examples/NAME.lua with these arguments. Its output is stored in `said`.
function example:run(name, ...)
    local lines = {}
    local function say(...)
        local words = table.pack(...)
        for i = 1, words.n do words[i] = tostring(words[i]) end
        lines[#lines + 1] = table.concat(words, "\t", 1, words.n)
    end
    local world = setmetatable({print = say}, {__index = _G})
    assert(loadfile("examples/" .. name .. ".lua", "t", world))(...)
    self.said = table.concat(lines, "\n")
end

--- Returns the bytes of an image. It must have the shape and more than one color.
function example:picture(name, rows, columns)
    local s <close> = rill.image.load(self:path(name), "vec3")
    assert.are.same({rows, columns}, {table.unpack(s.shape)})
    local first, bytes = s:bytes({1, 1}, {1, 1}), s:bytes()
    assert.are_not.equal(first:rep(rows * columns), bytes)
    return bytes
end

--- Checks that the output matches a pattern.
function example:says(pattern)
    assert.is_truthy(self.said:find(pattern), self.said)
end

--- Checks that the output names the file.
function example:names(name)
    local path = self:path(name)
    assert.is_truthy(self.said:find(path, 1, true), "says where " .. path .. " is: " .. self.said)
end

return example
