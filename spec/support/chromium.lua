-- Headless Chromium, controlled through the DevTools protocol over its pipes (--remote-debugging-pipe): no network, no other program.
--
--     local browser = chromium.open()
--     local page = browser:page {width = 400, height = 800, dark = true}
--     page:navigate(url)
--     assert.equal("rill", page:eval "document.title")
local json = require "spec.support.json"
local tempfiles = require "spec.support.tempfiles"

local chromium, Page = {}, {}
chromium.__index, Page.__index = chromium, Page

--- Returns why there is no browser, or nil if there is one.
chromium.missing = os.execute "command -v chromium >/dev/null" ~= true
    and "there is no Chromium (apt-get install chromium)" or nil

-- A browser that runs longer, in seconds, is ended: a call that waits for it then raises an error.
local PATIENCE <const> = 300

function chromium.open()
    local files = tempfiles.open()
    local requests, errors = files:path "requests", files:path "errors"
    assert(os.execute("mkfifo '" .. requests .. "'"))
    local command = ("timeout -k 5 %d chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars "
        .. "--disable-background-networking --disable-dev-shm-usage --no-first-run --force-color-profile=srgb "
        .. "--user-data-dir='%s' --remote-debugging-pipe 3<'%s' 4>&1 >/dev/null 2>'%s' "
        .. "| stdbuf -oL tr '\\0' '\\n'"):format(PATIENCE, files:path "profile", requests, errors)
    -- The redirection of a pipeline applies to its first command only.
    local answers = assert(io.popen(command))
    local self = setmetatable({files = files, answers = answers, last = 0, pages = {}}, chromium)
    self.requests = assert(io.open(requests, "w"))
    return self
end

-- Reads one message: an event of a page, or the answer to a request.
function chromium:receive()
    local line = self.answers:read "l"
    if not line then
        error("Chromium has ended:\n" .. tempfiles.read(self.files:path "errors"):sub(-2000))
    end
    local message = json.decode(line)
    local page = self.pages[message.sessionId]
    if page and message.method then page:event(message.method, message.params) end
    return message
end

--- Calls a method of the protocol. Returns its result.
function chromium:call(method, params, session)
    self.last = self.last + 1
    local request = {id = self.last, method = method, params = params, sessionId = session}
    self.requests:write(json.encode(request), "\0")
    self.requests:flush()
    while true do
        local message = self:receive()
        if message.id == self.last then
            if message.error then error(method .. ": " .. message.error.message, 2) end
            return message.result
        end
    end
end

--- Opens a page. `width`, `height`: in CSS pixels. Default: 1280 x 800. `scale`: device pixels per CSS pixel. Default: 1.
--- `dark`: whether dark colors are preferred. `private`: whether the page shares no storage with other pages.
function chromium:page(options)
    options = options or {}
    local context = options.private and self:call("Target.createBrowserContext", nil).browserContextId
    local target = self:call("Target.createTarget", {url = "about:blank", browserContextId = context or nil}).targetId
    local session = self:call("Target.attachToTarget", {targetId = target, flatten = true}).sessionId
    local page = setmetatable({browser = self, session = session, target = target, messages = {}, loads = 0}, Page)
    self.pages[session] = page
    for _, domain in ipairs {"Page", "Runtime", "Log"} do page:call(domain .. ".enable") end
    page:emulate(options)
    return page
end

function chromium:close()
    pcall(function()
        self.requests:write(json.encode {id = 0, method = "Browser.close"}, "\0")
        self.requests:flush()
    end)
    self.requests:close()
    self.answers:read "a"
    self.answers:close()
    self.files:close()
end
chromium.__close = chromium.close

function Page:call(method, params)
    return self.browser:call(method, params, self.session)
end

-- Records what the console of the browser shows, and exceptions.
function Page:event(method, params)
    if method == "Runtime.consoleAPICalled" then
        local words = {}
        for i, argument in ipairs(params.args) do words[i] = tostring(argument.value or argument.description) end
        self.messages[#self.messages + 1] = table.concat(words, " ")
    elseif method == "Runtime.exceptionThrown" then
        local details = params.exceptionDetails
        self.messages[#self.messages + 1] = details.exception and details.exception.description or details.text
    elseif method == "Log.entryAdded" then
        self.messages[#self.messages + 1] = params.entry.text .. " " .. (params.entry.url or "")
    elseif method == "Page.loadEventFired" then
        self.loads = self.loads + 1
    end
end

--- Changes the size, the density and the preferred color scheme.
function Page:emulate(options)
    self:call("Emulation.setDeviceMetricsOverride", {
        width = options.width or 1280, height = options.height or 800, deviceScaleFactor = options.scale or 1,
        mobile = false,
    })
    self:call("Emulation.setEmulatedMedia", {
        features = {{name = "prefers-color-scheme", value = options.dark and "dark" or "light"}},
    })
end

function Page:navigate(url)
    local loads = self.loads
    self:call("Page.navigate", {url = url})
    while self.loads == loads do self.browser:receive() end
end

--- Returns the value of a JavaScript expression, or of the promise that it returns.
function Page:eval(expression)
    local result = self:call("Runtime.evaluate", {
        expression = expression, awaitPromise = true, returnByValue = true, userGesture = true,
    })
    if result.exceptionDetails then
        local details = result.exceptionDetails
        error(expression .. ": " .. (details.exception and details.exception.description or details.text), 2)
    end
    return result.result.value
end

--- Waits until an expression is true; calls `work` between the attempts. Returns its value.
function Page:wait(expression, work, seconds)
    local deadline = os.time() + (seconds or 30)
    while true do
        local value = self:eval(expression)
        if value then return value end
        if os.time() > deadline then
            error(("'%s' did not become true; messages: %s"):format(expression, table.concat(self.messages, "\n")), 2)
        end
        if work then work() end
        self:eval "new Promise((done) => setTimeout(done, 10))"
    end
end

--- Returns the rectangle of the first element of a CSS selector: {x =, y =, width =, height =} in CSS pixels of the window.
function Page:rectangle(selector)
    return self:eval(([[(() => {
        const node = document.querySelector(%s);
        node.scrollIntoView({block: "nearest"});
        const {x, y, width, height} = node.getBoundingClientRect();
        return {x, y, width, height};
    })()]]):format(json.encode(selector)))
end

--- Sends an event of the mouse: "pressed", "released" or "moved".
function Page:mouse(type, x, y, options)
    options = options or {}
    self:call("Input.dispatchMouseEvent", {
        type = "mouse" .. type:gsub("^%l", string.upper), x = x, y = y, pointerType = "mouse",
        button = options.button or (type == "moved" and "none" or "left"), buttons = options.buttons or 0,
        clickCount = type == "moved" and 0 or 1,
    })
end

--- Clicks at the center of an element.
function Page:click(selector)
    local box = self:rectangle(selector)
    local x, y = box.x + box.width / 2, box.y + box.height / 2
    self:mouse("moved", x, y)
    self:mouse("pressed", x, y, {buttons = 1})
    self:mouse("released", x, y)
end

function Page:wheel(x, y, delta)
    self:call("Input.dispatchMouseEvent", {
        type = "mouseWheel", x = x, y = y, deltaX = 0, deltaY = delta, pointerType = "mouse",
    })
end

-- Names of keys -> their codes (of Windows), and the text that they write.
local keys <const> = {
    Tab = {9}, Enter = {13, "\r"}, [" "] = {32, " "}, ArrowLeft = {37}, ArrowUp = {38}, ArrowRight = {39},
    ArrowDown = {40}, ["+"] = {187, "+"}, ["-"] = {189, "-"},
}

--- Presses and releases a key, named as KeyboardEvent.key. `modifiers`: 1 Alt, 2 Ctrl, 4 Meta, 8 Shift. `phase`: "press" or
--- "release" for one of both.
function Page:key(name, modifiers, phase)
    local code, text = table.unpack(keys[name] or {name:upper():byte(), name})
    local event = {key = name, windowsVirtualKeyCode = code, modifiers = modifiers or 0}
    if phase ~= "release" then
        event.type, event.text = text and "keyDown" or "rawKeyDown", text
        self:call("Input.dispatchKeyEvent", event)
    end
    if phase ~= "press" then
        event.type, event.text = "keyUp", nil
        self:call("Input.dispatchKeyEvent", event)
    end
end

--- Writes a screenshot (PNG) of the window, or of a rectangle (in CSS pixels), to a file.
function Page:screenshot(path, clip)
    if clip then clip.scale = 1 end
    local data = self:call("Page.captureScreenshot", {format = "png", clip = clip, captureBeyondViewport = false}).data
    local pipe = assert(io.popen("base64 -d >'" .. path .. "'", "w"))
    pipe:write(data)
    assert(pipe:close())
end

function Page:close()
    self.browser:call("Target.closeTarget", {targetId = self.target})
end

return chromium
