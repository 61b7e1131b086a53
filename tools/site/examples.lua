-- The scripts of `examples/` as the gallery and the site describe them.
local files = require "tools.site.files"

local examples = {}

--- Returns the head of an example: {sentence=, title= (the beginning of the sentence), command=}. The head is a
--- comment: a sentence, an empty line, then the indented command.
function examples.head(path)
    local comment = {}
    for line in (files.read(path) .. "\n"):gmatch "([^\n]*)\n" do
        if not line:match "^%-%-" then break end
        comment[#comment + 1] = line:gsub("^%-%- ?", "")
    end
    local text = table.concat(comment, "\n") .. "\n"
    local sentence, command = text:match "^(.-)\n%s*\n%s+([^\n]+)\n"
    assert(sentence, path .. ": its head is not a sentence, an empty line and an indented command")
    sentence = sentence:gsub("\n", " ")
    return {sentence = sentence, title = sentence:match "^[^:.]+", command = command:match "^(.-)%s%s" or command}
end

--- Returns the paths of all examples, without demo.lua, which runs the other examples.
function examples.list()
    local list = {}
    for _, path in ipairs(files.list("examples", "*.lua")) do
        if not path:match "/demo%.lua$" then list[#list + 1] = path end
    end
    return list
end

return examples
