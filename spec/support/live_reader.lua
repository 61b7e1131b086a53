-- A browser of a view as a process, for bench/live.lua: live_reader.lua URL MODE SECONDS. MODE: "read" reads all messages;
-- "stuck" reads none; "keys" also sends keys at random times, whose names are the time in microseconds. When the view is
-- closed or the time is over, prints the number of messages and of bytes.
local browser = require "spec.support.browser"
local sockets = require "spec.support.sockets"

local url, mode, seconds = arg[1], arg[2], tonumber(arg[3])
local client = assert(browser.open({url = url}, nil, mode == "stuck" and 4096 or nil))
local stop, due, messages, bytes = sockets.time() + seconds, 0, 0, 0
client:send("size", "image", 1920, 1080)
while sockets.time() < stop do
    local header, reason = client:next(mode == "stuck" and 0 or 0.01)
    if not header and reason ~= "timeout" then -- the view was closed
        break
    elseif mode == "stuck" then
        os.execute("sleep " .. seconds)
    elseif header then
        messages, bytes = messages + 1, bytes + #header.payload
    end
    if mode == "keys" and sockets.time() > due then
        client:send("key", "image", ("%d"):format(sockets.time() * 1e6 // 1), "press")
        due = sockets.time() + 0.02 + 0.06 * math.random()
    end
end
print(messages, bytes)
