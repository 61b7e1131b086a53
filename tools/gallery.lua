-- Writes the gallery: gallery.lua OUT, run in the root of the tree with the module on the path. Runs each example in
-- a separate directory and writes OUT/gallery.md with a thumbnail of the example's image (or its output, if it makes
-- no image), the first sentence of its first comment, the command, and its time on this device.
--
-- The image is the PNG file named after the example, or the last PNG file that the example names in its output.
local examples = require "tools.site.examples"
local files = require "tools.site.files"
local rill = require "rill"

local out = arg[1] or "docs/gallery"
local WIDTH = 640 -- the maximum width of a thumbnail in pixels

-- Runs an example as a separate script in a directory. Returns its output and its time in seconds, with loading and
-- compiling.
local function run(path, folder)
    local start = rill.clock()
    -- Examples of rill.live run until they are stopped.
    local limit = path:match "/live_" and "timeout --foreground --preserve-status --signal=INT 10 " or ""
    local lines = files.lines("cd '%s' && %slua5.4 '%s/%s' 2>&1; echo \"status $?\"", folder, limit, files.here(), path)
    local status = table.remove(lines)
    assert(status == "status 0", path .. ": " .. table.concat(lines, "\n"))
    return lines, rill.clock() - start
end

local function thumbnail(from, to)
    local s = rill.image.load(from, "vec3")
    local rows, columns = s.shape[1], s.shape[2]
    if columns > WIDTH then s = rill.image.resize(s, {rows * WIDTH // columns, WIDTH}, {filter = "area"}) end
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
    local head = examples.head(path)
    local folder = "build/gallery/" .. name
    files.make_folder(folder)
    local lines, seconds = run(path, folder)
    local shot = picture(name, folder, lines)
    local shown
    if shot then
        thumbnail(shot, ("%s/%s.png"):format(out, name))
        shown = ("![%s](%s.png)"):format(head.title, name)
    else
        shown = "````text\n" .. table.concat(lines, "\n", 1, math.min(#lines, 12)) .. "\n````"
    end
    print(("gallery: %-12s %5.1f s"):format(name, seconds))
    local text = "## %s\n\n%s\n\n%s\n\n    %s\n\nIt took %.1f seconds. The source is `%s`.\n"
    return text:format(head.title, head.sentence, shown, head.command, seconds, path)
end

files.make_folder(out)
local parts = {("# Gallery\n\nThe scripts of `examples/`, run by `make gallery` on %s.\n"):format(rill.device().name)}
print(("gallery: runs the %d examples; this takes some minutes"):format(#examples.list()))
io.stdout:setvbuf "line"
for _, path in ipairs(examples.list()) do
    parts[#parts + 1] = entry(path)
end
files.write(out .. "/gallery.md", table.concat(parts, "\n"))
