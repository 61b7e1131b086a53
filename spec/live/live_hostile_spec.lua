-- Tests of the web server of rill.live with clients that send what no browser sends. Tests tagged #long send more.
local found = pcall(require, "rill.live.core")
local rill = require "rill"
local browser = found and require "spec.support.browser"
local sockets = found and require "spec.support.sockets"

local ROWS <const>, COLUMNS <const> = 30, 40
local HIGH <const>, LOW <const> = 2, -1 -- the range of the slider

describe("the web server of rill.live", function()
    local view, port, key, slider, choice

    local function test(name, f)
        it(name, function()
            if not found then
                return pending "there is no libwebsockets here: apt install libwebsockets-dev, and build again"
            end
            view = rill.live {port = 0, quiet = true, steer = "all"}
            port, key = browser.port_key(view)
            slider, choice = view:slider("s", {min = LOW, max = HIGH, value = 0}), view:choice("c", {"a", "b"})
            view:image("i", rill.stream("float", {ROWS, COLUMNS}))
            local done, message = pcall(f)
            view:close()
            if not done then error(message, 0) end
        end)
    end

    -- Fails unless each event is one that a browser can send, and the script goes on or was stopped.
    local function check_events()
        for _ = 1, 3 do
            if not view:running() then return false end
            for e in view:events() do
                assert.equal("i", e.panel)
                assert.is_true(e.type ~= nil)
                assert.is_true(not e.row or e.row >= 0.5 and e.row <= ROWS + 0.5 and e.column >= 0.5 and
                    e.column <= COLUMNS + 0.5)
                assert.is_true(e.drow - e.drow == 0 and e.dcolumn - e.dcolumn == 0)
                assert.is_true(not e.key or utf8.len(e.key) ~= nil and #e.key <= 32)
            end
            assert.is_true(slider.value >= LOW and slider.value <= HIGH)
            assert.is_true(choice.value == "a" or choice.value == "b")
        end
        return true
    end

    -- Fails unless a browser can use the view.
    local function check_service()
        assert.equal(200, (browser.get(port, "/?key=" .. key)))
        local client <close> = assert(browser.open(view))
        assert.equal("hello", client:next(5).type)
    end

    local random = math.random

    -- Returns a text with a few random changes.
    local function mutated(text, words)
        for _ = 1, random(1, 4) do
            local at, kind = random(1, #text + 1), random(7)
            if kind == 1 then
                text = text:sub(1, at - 1) .. string.char(random(0, 255)) .. text:sub(at + 1)
            elseif kind == 2 then
                text = text:sub(1, at - 1) .. text:sub(at + random(1, 20))
            elseif kind == 3 then
                text = text:sub(1, at - 1) .. text:sub(at, at + 30):rep(random(1, 30)) .. text:sub(at)
            elseif kind == 4 then
                text = text:sub(1, at)
            elseif kind == 5 then
                text = text:sub(1, at - 1) .. string.char(random(0, 255)):rep(random(1, 3000)) .. text:sub(at)
            else
                text = text:sub(1, at - 1) .. words[random(#words)] .. text:sub(at)
            end
        end
        return text
    end

    local WORDS <const> = {"\r\n", "\n", "\0", "%00", "%", "/", "..", "//", "?", "&", "=", "key=", ":", "GET ", "POST ",
        "HTTP/1.0", "HTTP/1.1", "HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "Upgrade: h2c\r\n",
            "Connection: keep-alive\r\n",
        "Content-Length: 999999999999\r\n", "Content-Length: -1\r\n", "Transfer-Encoding: chunked\r\n",
        "Expect: 100-continue\r\n", "Range: bytes=0-1\r\n", "Sec-WebSocket-Extensions: permessage-deflate\r\n",
        "Sec-WebSocket-Version: 99\r\n", "http://", "Host: x\r\n", "\xff\xfe", "Authorization: Basic x\r\n",
        "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n"}

    local function requests(count)
        local seeds = {
            ("GET /?key=%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAccept: text/html\r\n\r\n"):format(key, port),
            ("GET /live.js?key=%s HTTP/1.1\r\nHost: localhost:%d\r\n\r\n"):format(key, port),
            ("POST /?key=%s HTTP/1.1\r\nHost: localhost:%d\r\nContent-Length: 5\r\n\r\nhello"):format(key, port),
            browser.handshake(port, key), browser.handshake(port, key, {Connection = "Upgrade, HTTP2-Settings",
                Upgrade = "h2c"}),
        }
        local waiting = {}
        for i = 1, count do
            local s = assert(sockets.connect(port))
            s:send(mutated(seeds[random(#seeds)], WORDS), 0.2)
            if random(8) == 1 then
                s:receive(0.02)
            end
            if random(4) == 1 then -- stays open for a while
                local slot = random(20)
                if waiting[slot] then waiting[slot]:close() end
                waiting[slot] = s
            else
                s:close()
            end
            if i % 100 == 0 then assert.is_true(check_events()) end
        end
        for _, s in pairs(waiting) do s:close() end
        check_service()
    end

    -- Without "pause" and "step": a paused script waits until a browser resumes it.
    local FIELDS <const> = {"set", "pointer", "key", "view", "size", "orbit", "probe", "run", "record", "steer", "i",
        "s",
        "c", "press", "drag", "release", "move", "1", "2.5", "-1", "1e308", "-1e308", "1e309", "nan", "inf", "0x10", "",
        "\t", "resume", "take", "start", "a", "é", "\xff", "\0", " ", "1 ", "../../x", "\1state",
        "9999999999999999999999999999999999999999", "Enter"}

    local function message()
        local list = {}
        for k = 1, random(0, 8) do list[k] = FIELDS[random(#FIELDS)] end
        local text = table.concat(list, "\t")
        return random(4) == 1 and text ~= "" and mutated(text, FIELDS) or text
    end

    -- Returns a frame, which is valid or not.
    local function frame()
        local kind = random(12)
        if kind <= 6 then
            return browser.frame(1, message())
        elseif kind == 7 then
            return browser.frame(random(0, 15), ("x"):rep(random(0, 300)), random(2) == 1)
        elseif kind == 8 then
            return browser.frame(1, ("x"):rep(random(900, 70000)))
        elseif kind == 9 then
            return string.char(random(0, 255), random(0, 255)) .. message()
        elseif kind == 10 then
            return (">BBI8"):pack(0x81, 0xff, 1 << random(0, 62)) .. "abcdefgh"
        elseif kind == 11 then
            return browser.frame(1, "set\ts", false) .. browser.frame(9, "ping") .. browser.frame(0, "\t1", true)
        end
        return mutated(browser.frame(1, message()), FIELDS)
    end

    local function frames(count)
        local sent = 0
        while sent < count do
            local client = assert(browser.open(view))
            for _ = 1, random(1, 12) do
                sent = sent + 1
                if not client.socket:send(frame(), 0.2) then break end
            end
            if random(3) == 1 then client.socket:receive(0.02) end
            client:close()
            -- A browser may stop the script: it goes on in a new view.
            if not check_events() then error "the script was stopped without the message to stop" end
        end
        check_service()
    end

    test("survives mutated requests", function() requests(300) end)
    test("survives mutated frames", function() frames(300) end)
    test("survives many mutated requests #long", function() requests(10000) end)
    test("survives many mutated frames #long", function() frames(10000) end)

    test("refuses wrong keys, hosts and origins", function()
        local wrong = {"", key .. "0", key:sub(2), key:upper():lower():reverse(), "%00" .. key, key:sub(1, -2) .. "g"}
        for _, other in ipairs(wrong) do
            if other ~= key then
                assert.not_equal(200, (browser.get(port, "/?key=" .. other)), other)
                assert.is_nil(browser.open(view, {path = "/ws?key=" .. other}))
            end
        end
        assert.is_nil(browser.open(view, {path = "/ws"}))
        assert.is_nil(browser.open(view, {path = "/other?key=" .. key}))
        for _, host in ipairs {"evil.example", "evil.example:" .. port, "127.0.0.1.evil.example",
            "localhost.evil.example",
            "127.0.0.2", "[::1", "", ":" .. port, "127.0.0.1:x", "127.0.0.1:" .. port .. "/", "user@127.0.0.1"} do
            assert.not_equal(200, (browser.get(port, "/?key=" .. key, host)), host)
            assert.is_nil(browser.open(view, {Host = host}), host)
        end
        for _, host in ipairs {"localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:" .. port, "localhost:" .. port} do
            assert.equal(200, (browser.get(port, "/?key=" .. key, host)), host)
            local client <close> = assert(browser.open(view, {Host = host}))
            assert.equal("hello", client:next().type)
        end
        for _, origin in ipairs {false, "null", "http://evil.example", "https://127.0.0.1:" .. port, "http://127.0.0.1",
            "http://127.0.0.1:" .. port .. ".evil.example", "http://localhost:" .. port, "file://", ""} do
            assert.is_nil(browser.open(view, {Origin = origin}), tostring(origin))
        end
        for name, value in pairs {["Sec-WebSocket-Protocol"] = "chat", ["Sec-WebSocket-Version"] = "8",
            Upgrade = "h2c", ["Sec-WebSocket-Key"] = false} do
            assert.is_nil(browser.open(view, {[name] = value}), name)
        end
        assert.is_nil(browser.open(view, {["Sec-WebSocket-Protocol"] = false}))
        check_service()
    end)

    test("disconnects browsers that send messages which are too long, too many or invalid", function()
        -- Returns the status with which the server closes the connection, or "open" if it answers a ping afterwards.
        local function status(...)
            local client <close> = assert(browser.open(view))
            for _, bytes in ipairs {...} do
                if not client.socket:send(bytes) then break end
            end
            local asked
            while true do
                local opcode, payload = client:read_frame(0.2)
                if opcode == 10 then
                    return "open"
                elseif not opcode and (asked or payload ~= "timeout") then
                    return payload
                elseif not opcode then
                    asked = client.socket:send(browser.frame(9, "ping"))
                elseif opcode == 8 then
                    return (">I2"):unpack(payload)
                end
            end
        end
        local valid = browser.frame(1, "set\ts\t1")
        assert.equal(1009, status(browser.frame(1, ("x"):rep(1025))))
        assert.equal(1009, status(browser.frame(1, ("x"):rep(1000), false), browser.frame(0, ("x"):rep(100))))
        assert.equal(1003, status(browser.frame(2, "set\ts\t1")))
        assert.equal(1008, status(browser.frame(1, "x"), browser.frame(1, "x"), browser.frame(1, "x")))
        assert.equal(1008, status(valid:rep(700)))
        assert.equal("open", status(browser.frame(1, "x"), browser.frame(1, "x"), valid:rep(300)))
        local huge = status((">BBI8"):pack(0x81, 0xff, 1 << 40) .. ("x"):rep(5000))
        assert.is_true(huge == 1009 or huge == 1002 or huge == "closed", tostring(huge))
        assert.is_true(check_events())
        check_service()
    end)

    test("closes requests whose header is too long", function()
        local text, closed = browser.request(port, "GET /?key=" .. key .. " HTTP/1.1\r\nHost: localhost\r\nX: " ..
            ("x"):rep(20000) .. "\r\n\r\n", 2)
        assert.is_true(closed or text == "" or not text:find "^HTTP/1.1 200")
        check_service()
    end)

    test("has places for browsers among 1,000 connections that send nothing", function()
        local list = {}
        for i = 1, 1000 do
            list[i] = assert(sockets.connect(port))
            if i % 3 == 0 then list[i]:send "GET /?key=" end
        end
        check_service()
        local client <close> = assert(browser.open(view))
        client:send("set", "s", 1)
        client.socket:send(browser.frame(9, ""))
        repeat local opcode = client:read_frame(1) until opcode == 10 or not opcode
        for _, s in ipairs(list) do s:close() end
        assert.is_true(check_events())
        check_service()
    end)

    test("lets at most 16 browsers connect", function()
        local list = {}
        for i = 1, 16 do list[i] = assert(browser.open(view)) end
        assert.is_nil(browser.open(view))
        list[1]:close()
        local stop, client = rill.clock() + 5, nil -- luacheck: ignore 311
        repeat client = browser.open(view) until client or rill.clock() > stop
        assert(client):close()
        for _, one in ipairs(list) do one:close() end
    end)

    test("closes connections whose request does not arrive in time #long", function()
        local silent, slow = assert(sockets.connect(port)), assert(sockets.connect(port))
        local start, text, at = rill.clock(), browser.handshake(port, key), 0
        local closed
        repeat
            at = at + 1
            slow:send(text:sub(at, at))
            closed = slow:receive(0.2) == ""
        until closed or rill.clock() > start + 15
        assert.is_true(closed)
        assert.is_true(rill.clock() - start < 10)
        assert.equal("", silent:receive(5))
        check_service()
    end)

    local function kilobytes()
        for line in io.lines "/proc/self/status" do
            local value = line:match "^VmRSS:%s+(%d+)"
            if value then return tonumber(value) end
        end
    end

    -- Shows images of size x size elements to a browser that reads `bytes` bytes per image, or nothing. Each image is
    -- published. Ten minutes at 60 frames per second are 36,000 images.
    local function check_slow(size, images, bytes)
        local s, plot = rill.random({size, size}), {}
        for i = 1, 500 do plot[i] = i end
        view:close()
        view = rill.live {port = 0, quiet = true}
        local client <close> = assert(browser.open(view, nil, 4096))
        client:send("size", "i", size, size)
        require "rill.live.view".show_always(view)
        local server = view._state.server
        local function steps(n)
            for _ = 1, n do
                assert.is_true(view:running())
                view:image("i", s)
                view:plot("p", plot)
                if bytes then client.socket:receive(0, bytes) end
            end
        end
        steps(200)
        collectgarbage()
        local memory, allocated = kilobytes(), sockets.allocated()
        steps(images)
        collectgarbage()
        local counts = server:counts()
        -- Of each of the five panels the newest frame, six for the next ones, one that is sent, one that is filled.
        assert.truthy(counts.frames <= 13, counts.frames)
        assert.equal(200 + images, view.frame)
        assert.truthy(counts.sent < images, counts.sent)
        -- A sanitizer keeps what was freed.
        if not os.getenv "RILL_SANITIZE" then
            local one = size * size // 1024 -- kilobytes of an image
            local more, used = kilobytes() - memory, (sockets.allocated() - allocated) // 1024
            assert.truthy(used < 500 + 10 * one, ("%d KiB more are allocated"):format(used))
            assert.truthy(more < 3000 + 20 * one, ("%d KiB more"):format(more))
        end
    end

    test("makes four images per second while no browser takes them, and all again afterwards", function()
        local s = rill.random({256, 256})
        view:close()
        view = rill.live {port = 0, quiet = true}
        view:image("i", s)
        local client <close> = assert(browser.open(view, nil, 4096))
        local panel, server = view._state.panels.i, view._state.server
        local function step()
            assert.is_true(view:running())
            view:image("i", s)
            os.execute "sleep 0.01"
        end
        local stop, sent, since = rill.clock() + 60, -1, 0
        repeat -- until the buffers of the connection are full
            step()
            if server:counts().sent ~= sent then
                sent, since = server:counts().sent, rill.clock()
            end
        until rill.clock() > since + 1 or rill.clock() > stop
        assert.truthy(server:untaken "i" > 8, server:untaken "i")
        local version, start = panel.version, rill.clock()
        repeat step() until rill.clock() > start + 0.9
        assert.truthy(panel.version - version <= 4, panel.version - version)
        stop = rill.clock() + 30
        repeat
            step()
            client.socket:receive(0, 65536)
        until server:counts().sent > sent + 20 or rill.clock() > stop
        assert.truthy(server:counts().sent > sent + 20)
    end)

    test("does not fill its memory for a browser that does not read", function()
        check_slow(800, 60)
    end)
    test("does not fill its memory for a browser that reads slowly", function() check_slow(64, 1500, 100) end)
    test("does not fill its memory in ten minutes of a browser that does not read #long", function()
        check_slow(64, 1500)
        check_slow(64, 36000)
        check_slow(800, 18000)
    end)
end)
