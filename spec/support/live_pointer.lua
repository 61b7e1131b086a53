-- A person who moves the pointer over the image "image" of a view in Chromium, as a process for bench/live.lua:
-- live_pointer.lua URL COUNT COLUMNS. The pointer is pressed at random times at random columns of the image. At the end
-- prints the time (of rill.clock) and the column of each movement.
local chromium = require "spec.support.chromium"
local sockets = require "spec.support.sockets"

local url, count, columns = arg[1], tonumber(arg[2]), tonumber(arg[3])
local browser <close> = chromium.open()
local page = browser:page {width = 1000, height = 900}
page:navigate(url)
page:wait "session.open && panels.get('image')?.header && panels.get('image').note.hidden"
local box = page:rectangle "[data-panel='image'] canvas"
local column = 0
local function x_of(k) return box.x + (k - 0.5) / columns * box.width end
local y = box.y + box.height / 2
page:mouse("moved", x_of(1), y)
page:mouse("pressed", x_of(1), y, {buttons = 1})
local lines = {}
for _ = 1, count do
    column = column % columns + 1
    os.execute(("sleep %.4f"):format(0.02 + 0.06 * math.random()))
    lines[#lines + 1] = ("%.6f %d"):format(sockets.time(), column)
    page:mouse("moved", x_of(column), y, {button = "left", buttons = 1})
end
print(table.concat(lines, "\n"))
page:mouse("released", x_of(column), y)
