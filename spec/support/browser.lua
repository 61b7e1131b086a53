-- A browser for tests of rill.live: requests and WebSockets, without a page.
local json = require "spec.support.json"
local sockets = require "spec.support.sockets"

local browser = {}

-- ---- requests

--- browser.port_key(view) returns the port and the key in the address of a view.
function browser.port_key(view)
    local port, key = view.url:match ":(%d+)/%?key=(%x+)$"
    return tonumber(port), key
end

--- browser.request(port, text [, seconds]) sends a request and returns the whole response, "" if there is none.
function browser.request(port, text, seconds)
    local s <close> = assert(sockets.connect(port))
    s:send(text)
    local parts = {}
    while true do
        local bytes = s:receive(seconds or 1)
        if not bytes or bytes == "" then
            return table.concat(parts), bytes == ""
        end
        parts[#parts + 1] = bytes
        local head, body = table.concat(parts):match "^(.-)\r\n\r\n(.*)$"
        local length = head and head:lower():match "content%-length: (%d+)"
        if length and #body >= tonumber(length) then
            return table.concat(parts), false
        end
    end
end

--- browser.get(port, path [, host]) returns the status and the body of a GET request.
function browser.get(port, path, host)
    local text = browser.request(port, ("GET %s HTTP/1.1\r\nHost: %s\r\n\r\n"):format(path, host or "127.0.0.1:"
        .. port))
    return tonumber(text:match "^HTTP/1.1 (%d+)"), text:match "\r\n\r\n(.*)$", text
end

-- ---- WebSockets

--- browser.frame(opcode, payload [, final [, mask]]) returns the bytes of a frame of a client.
function browser.frame(opcode, payload, final, mask)
    mask = mask or "\x12\x34\x56\x78"
    local n = #payload
    local first = (final == false and 0 or 0x80) | opcode
    local head = n < 126 and ("BB"):pack(first, 0x80 | n) or n < 65536 and (">BBI2"):pack(first, 0x80 | 126, n) or
        (">BBI8"):pack(first, 0x80 | 127, n)
    local bytes = {}
    for i = 1, n do
        bytes[i] = string.char(payload:byte(i) ~ mask:byte((i - 1) % 4 + 1))
    end
    return head .. mask .. table.concat(bytes)
end

--- browser.handshake(port, key [, changes]) returns the request for a WebSocket. `changes`: headers by name, false to
-- leave one out; path.
function browser.handshake(port, key, changes)
    changes = changes or {}
    local host = changes.Host or "127.0.0.1:" .. port
    local headers = {Host = host, Origin = "http://" .. host, Upgrade = "websocket", Connection = "Upgrade",
        ["Sec-WebSocket-Key"] = "dGhlIHNhbXBsZSBub25jZQ==", ["Sec-WebSocket-Version"] = "13",
        ["Sec-WebSocket-Protocol"] = "rill-live"}
    local lines = {"GET " .. (changes.path or "/ws?key=" .. key) .. " HTTP/1.1"}
    for name, value in pairs(changes) do
        if name ~= "path" then headers[name] = value end
    end
    for name, value in pairs(headers) do
        lines[#lines + 1] = value and name .. ": " .. value or nil
    end
    return table.concat(lines, "\r\n") .. "\r\n\r\n"
end

local Client = {}
Client.__index = Client

--- browser.open(view [, changes [, receive_buffer]]) opens a WebSocket. Returns a client, or nil and the response.
function browser.open(view, changes, receive_buffer)
    local port, key = browser.port_key(view)
    local socket = assert(sockets.connect(port, receive_buffer))
    socket:send(browser.handshake(port, key, changes))
    local text = ""
    while not text:find("\r\n\r\n", 1, true) do
        local bytes = socket:receive(2)
        if not bytes or bytes == "" then
            socket:close()
            return nil, text
        end
        text = text .. bytes
    end
    if not text:find "^HTTP/1.1 101 " then
        socket:close()
        return nil, text
    end
    return setmetatable({socket = socket, bytes = text:match "\r\n\r\n(.*)$", parts = {}}, Client)
end

--- client:send(...) sends a text message of fields.
function Client:send(...)
    return self.socket:send(browser.frame(1, table.concat({...}, "\t")))
end

-- Receives until there are `count` bytes. Returns true, or nil and the reason.
function Client:need(count, seconds)
    local parts, have, reason = {self.bytes}, #self.bytes, nil
    while have < count and not reason do
        local bytes, why = self.socket:receive(seconds)
        if not bytes or bytes == "" then
            reason = bytes and "closed" or why
        else
            parts[#parts + 1] = bytes
            have = have + #bytes
        end
    end
    self.bytes = #parts > 1 and table.concat(parts) or self.bytes
    return not reason or nil, reason
end

--- client:read_frame(seconds) returns the opcode, the payload and whether it is the last of its message; or nil and the
-- reason.
function Client:read_frame(seconds)
    local good, reason = self:need(2, seconds)
    if not good then return nil, reason end
    local first, second = self.bytes:byte(1, 2)
    local head, length = 2, second & 127
    if length == 126 then
        head = 4
        good, reason = self:need(4, seconds)
        length = good and (">I2"):unpack(self.bytes, 3)
    elseif length == 127 then
        head = 10
        good, reason = self:need(10, seconds)
        length = good and (">I8"):unpack(self.bytes, 3)
    end
    if not good then return nil, reason end
    good, reason = self:need(head + length, seconds)
    if not good then return nil, reason end
    local payload = self.bytes:sub(head + 1, head + length)
    self.bytes = self.bytes:sub(head + length + 1)
    return first & 15, payload, first & 128 ~= 0
end

--- client:next([seconds]) returns the header and the payload of the next message, nil and "timeout", "closed" or the
-- status of a close frame. Default of seconds: 1.
function Client:next(seconds)
    local parts = self.parts
    while true do
        local opcode, payload, final = self:read_frame(seconds or 1)
        if not opcode then
            return nil, payload
        elseif opcode == 8 then
            return nil, #payload >= 2 and (">I2"):unpack(payload) or 1005
        elseif opcode == 9 then
            self.socket:send(browser.frame(10, payload))
        elseif opcode < 3 then
            parts[#parts + 1] = payload
            if final then
                local message = table.concat(parts)
                self.parts = {}
                local length = ("<I4"):unpack(message)
                local header = json.decode(message:sub(5, 4 + length))
                header.payload = message:sub(5 + length)
                return header
            end
        end
    end
end

--- client:wait(test [, seconds]) returns the first message for which test(header) holds, or whose type is `test`; nil
-- and the reason if there is none. Default of seconds: 5.
function Client:wait(test, seconds)
    local stop = os.time() + (seconds or 5)
    repeat
        local header, reason = self:next(1)
        if not header and reason ~= "timeout" then
            return nil, reason
        elseif header and (type(test) == "function" and test(header) or header.type == test) then
            return header
        end
    until os.time() > stop
    return nil, "timeout"
end

function Client:close()
    self.socket:close()
end
Client.__close = Client.close

return browser
