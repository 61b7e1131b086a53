-- Shows images of distributed streams to a browser, and compares them with images of all elements.
local mpi = require "rill.mpi"
local rill = require "rill"
local picture = require "rill.live.picture"
local program = require "spec.support.rank_program"
local browser = mpi.rank == 1 and require "spec.support.browser"

local view = rill.live {port = 0, quiet = true, fps = 1000, steer = "all"}
local client = browser and assert(browser.open(view))
local path = os.tmpname()

-- Runs steps until the browser has the image of a panel for which test(header) holds. Returns its message on rank 1.
local function await(name, test, show)
    local header, start = nil, rill.clock()
    local found = false
    while not found do
        program.check("the image arrives", rill.clock() - start < 30)
        program.check("the view runs", view:running())
        if show then show() end
        if client then
            repeat
                header = client:next(0.02)
                found = header and header.type == "image" and header.name == name and test(header)
            until found or not header
        end
        found = mpi.broadcast(found or false)
    end
    return header
end

-- Returns the pixels of a message.
local function pixels(header)
    local file <close> = io.open(path, "wb")
    file:write(header.payload)
    file:flush()
    return rill.image.load(path, "vec3")
end

-- A distributed stream and all its elements as a stream are shown in the same part and size.
local function compare(d, options, size, part)
    local whole = program.all(d)
    local function show()
        view:image("parts", d, options)
        view:image("whole", whole, options)
    end
    show()
    if client then
        for _, name in ipairs {"parts", "whole"} do
            client:send("size", name, size[1], size[2])
            client:send("view", name, table.unpack(part))
        end
    end
    local view_part, shown = picture.visible(whole.shape, part, {size[2], size[1]})
    -- The first image of this part and size may be of older elements.
    local function right(name)
        local count = 0
        return await(name, function(header)
            local good = header.width == whole.shape[2] and header.shown[1] == shown[2] and header.shown[2] == shown[1]
            for k = 1, 4 do good = good and math.abs(header.view[k] - view_part[k]) < 1e-6 end
            count = good and count + 1 or 0
            return count == 2
        end, show)
    end
    local a, b = right "parts", right "whole"
    if client then
        program.check("range", math.abs(a.min - b.min) < 1e-6 and math.abs(a.max - b.max) < 1e-6)
        local x, y, most = pixels(a):bytes(), pixels(b):bytes(), 0
        program.check("sizes", #x == #y)
        for i = 1, #x - 3, 4 do
            most = math.max(most, math.abs(("<f"):unpack(x, i) - ("<f"):unpack(y, i)))
        end
        program.check(("pixels differ by %g"):format(most), most <= 1.01 / 255)
    end
end

local function values(kind, rows, columns)
    local u = rill.random({rows, columns}, {seed = rows + 7 * columns})
    if kind == "vec3" then
        return rill.kernel("kernel void c(float x<>, out vec3 r<>) { r = vec3(x, x * x, fract(9.0 * x)); }")(u)
    end
    return kind == "float" and u or kind == "double" and u:cast "double" or (200 * u - 0):eval():cast(kind)
end

for _, kind in ipairs(program.whole and {"float", "int", "uint8", "vec3", "double"} or {"float", "vec3"}) do
    for _, shape in ipairs {{70, 90}, table.unpack(kind == "float" and {{3, 200}, {260, 5}, {1, 1}} or {}, 1,
        program.whole and 3 or 1)} do
        local rows, columns = shape[1], shape[2]
        local d = mpi.distribute(mpi.rank == 1 and values(kind, rows, columns) or nil, 1)
        local options = kind ~= "vec3" and {colormap = "magma"} or nil
        compare(d, options, {500, 400}, {1, 1, rows, columns})
        compare(d, options, {20, 16}, {1, 1, rows, columns})
        if rows > 60 then
            compare(d, options, {20, 16}, {30.25, 2, 20.5, 4})
        end
    end
end

-- The value under the pointer, also of an expression, and while the view is paused.
local d = mpi.distribute(mpi.rank == 1 and rill.iota(600):reshape {30, 20}:copy() or nil, 1)
local e = 2 * d
view:image("e", e)
await("e", function() return true end)
if client then client:send("probe", "e", 29, 7) end
local header = await("e", function(h) return h.value ~= nil end, function() view:image("e", e) end)
if client then program.check("value", header.value.text == tostring(2 * (28 * 20 + 6))) end

-- A zoom while the view is paused: the other ranks wait in v:running(), and draw. Another browser sees it, and lets the
-- script go on.
local RESUME <const> = [[
    local client = require "spec.support.browser".open {url = arg[1]}
    local paused, zoomed = false, false
    repeat
        local header = assert(client:next(20))
        paused = paused or header.type == "state" and header.paused
        zoomed = zoomed or header.name == "e" and header.view and header.view[1] == 5 and header.view[3] == 6
    until paused and zoomed
    client:send("run", "resume")
    client:next(1)
]]
if client then
    client:send("run", "pause")
    client:send("view", "e", 5, 5, 6, 6)
    local file <close> = io.open(path, "w")
    file:write(RESUME)
    file:flush()
    os.execute(("lua5.4 '%s' '%s' &"):format(path, view.url))
end
await("e", function(h) return h.view[1] == 5 end, function() view:image("e", e) end)

-- A recording contains all elements; a closed stream is not drawn.
view:record(path .. ".png")
for _ = 1, 3 do
    view:image("e", e)
    view:running()
end
view:record()
view:image("e", e)
d:close()
e:close()
view:running()
for name, f in pairs {
    plot = function() view:plot("p", mpi.stream("float", {4})) end,
    image = function() view:image("three", mpi.stream("float", {4, 4, 4})) end,
    closed = function() view:image("e", e) end,
} do
    program.check(name, not pcall(f))
end
if client then
    local image = rill.image.load(path .. ".png", "vec3")
    program.check("recording", image.shape[1] == 30 and image.shape[2] == 20)
    os.remove(path .. ".png")
end
os.remove(path)
view:close()
program.say "done"
