-- Writes the gallery: gallery.lua OUT, run in the root of the tree with the module on the path. Runs each example in
-- a separate directory and writes OUT/gallery.md with a thumbnail of the example's image (or its output, if it makes
-- no image), the first sentence of its first comment, the command, and its time on this device.
--
-- The head of an example is a comment: a sentence, an empty line, then the indented command. The image is the PNG
-- file named after the example, or the last PNG file that the example names in its output. demo.lua, which runs the
-- other examples, is left out.
local files = require "tools.site.files"
local rill = require "rill"

local out = arg[1] or "docs/gallery"
local WIDTH = 320 -- the maximum size of a thumbnail in pixels

-- Returns the sentence and the command in the head of an example.
local function head(path)
    local comment = {}
    for line in (files.read(path) .. "\n"):gmatch "([^\n]*)\n" do
        if not line:match "^%-%-" then break end
        comment[#comment + 1] = line:gsub("^%-%- ?", "")
    end
    local text = table.concat(comment, "\n") .. "\n"
    local sentence, command = text:match "^(.-)\n%s*\n%s+([^\n]+)\n"
    assert(sentence, path .. ": its head is no sentence, an empty line and an indented command")
    return sentence:gsub("\n", " "), command:match "^(.-)%s%s" or command
end

-- Runs an example as a separate script in a directory. Returns its output and its time in seconds, with loading and
-- compiling.
local function run(path, folder)
    local start = rill.clock()
    local lines = files.lines("cd '%s' && lua5.4 '%s/%s' 2>&1; echo \"status $?\"", folder, files.here(), path)
    local status = table.remove(lines)
    assert(status == "status 0", path .. ": " .. table.concat(lines, "\n"))
    return lines, rill.clock() - start
end

local function thumbnail(from, to)
    local s = rill.image.load(from, "vec3")
    local rows, columns = s.shape[1], s.shape[2]
    local k = math.max(1, math.ceil(columns / WIDTH))
    local h, w = rows // k, columns // k
    if k > 1 then s = s:domain({1, 1}, {h * k, w * k}):group(k, k):mean(-1):mean(-1) end
    rill.image.save(s, to)
end

-- Returns the path of the example's image, or nil. Examples write to `out` in the current directory.
local function picture(name, folder, lines)
    local own, last = ("%s/out/%s.png"):format(folder, name), nil
    if files.read(own, true) then return own end
    for _, line in ipairs(lines) do
        last = line:match "(%S+%.png)" or last
    end
    return last and folder .. "/" .. last
end

local function entry(path)
    local name = path:match "([^/]+)%.lua$"
    local sentence, command = head(path)
    local folder = "build/gallery/" .. name
    files.make_folder(folder)
    local lines, seconds = run(path, folder)
    local shot = picture(name, folder, lines)
    local shown
    if shot then
        thumbnail(shot, ("%s/%s.png"):format(out, name))
        shown = ("![%s](%s.png)"):format(sentence:match "^[^:.]+", name)
    else
        shown = "````text\n" .. table.concat(lines, "\n", 1, math.min(#lines, 12)) .. "\n````"
    end
    print(("gallery: %-12s %5.1f s"):format(name, seconds))
    local text = "## %s\n\n%s\n\n%s\n\n    %s\n\n%.1f seconds here. [Its source](../../%s)\n"
    return text:format(name, sentence, shown, command, seconds, path)
end

files.make_folder(out)
local parts = {("# Gallery\n\nThe scripts of `examples/`, run by `make gallery` on %s.\n"):format(rill.device().name)}
for _, path in ipairs(files.list("examples", "*.lua")) do
    if not path:match "/demo%.lua$" then parts[#parts + 1] = entry(path) end
end
files.write(out .. "/gallery.md", table.concat(parts, "\n"))
