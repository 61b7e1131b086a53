-- A process on a pseudo-terminal, controlled like by a user: session.open{words, env = {}, columns = 80}.
local compile = require "spec.support.compile"

local session = {}
session.__index = session

local terminal, missing
local library, reason = compile("pseudoterminal", "-lutil")
if library then
    terminal = assert(package.loadlib(library, "luaopen_pseudoterminal"))()
    -- Machines without /dev/pts have no terminals.
    local opened, file, process = pcall(terminal.open, {"true"}, {}, 80, 24)
    if opened then
        terminal.close(file, process)
    else
        missing = "no pseudo-terminal here: " .. tostring(file)
    end
else
    missing = reason
end

--- Returns why sessions are not available, or nil if they are.
session.missing = missing

-- The directory of the records of rill and of the driver, for sessions with another HOME: without records the driver is
-- tested again, which takes longer than most sessions.
local records <const> = os.getenv "XDG_CACHE_HOME" or os.getenv "HOME" and os.getenv "HOME" .. "/.cache"

--- Starts the command `words`. `env`: variables to set, false: to unset; `columns` and `lines` of the terminal.
-- XDG_CACHE_HOME is that of this process unless `env` has it.
function session.open(options)
    local words = table.move(options, 1, #options, 1, {})
    local env = {XDG_CACHE_HOME = records}
    for name, value in pairs(options.env or {}) do
        env[name] = value
    end
    local file, process = terminal.open(words, env, options.columns or 80, options.lines or 24)
    return setmetatable({file = file, process = process, raw = "", heard = "", all = ""}, session)
end

-- Returns what a terminal would show, without escape sequences and carriage returns.
local function plain(text)
    return (text:gsub("\27%[[%d;?]*%a", ""):gsub("[\r\a]", ""))
end

--- Reads the output of some seconds. Returns false at the end.
function session:listen(seconds)
    local bytes = terminal.read(self.file, seconds)
    if not bytes then
        return false
    end
    self.raw = self.raw .. bytes
    local text = plain(bytes)
    self.heard, self.all = self.heard .. text, self.all .. text
    return true
end

-- A test that waits longer, in seconds, has failed. Another process may slow the program down.
local PATIENCE <const> = 120

--- Waits until a text appears after the text that was waited for before. Returns what came before it. Raises an
--- error after some seconds (default: PATIENCE).
-- Ignores messages of the prompt about slow statements unless they are waited for: the machine may be busy.
function session:expect(text, seconds)
    local deadline = os.time() + (seconds or PATIENCE)
    while true do
        if not text:find(" s\n", 1, true) then
            self.heard = self.heard:gsub("\n  %d[%d.]* s%f[\n]", "")
        end
        local from, to = self.heard:find(text, 1, true)
        if from then
            local before = self.heard:sub(1, from - 1)
            self.heard = self.heard:sub(to + 1)
            return before
        end
        local open = self:listen(0.1)
        if not open and not self.heard:find(text, 1, true) or os.time() > deadline then
            error(("'%s' did not come; the screen:\n%s"):format(text, self.all), 2)
        end
    end
end

function session:send(text)
    terminal.write(self.file, text)
end

--- Waits for a prompt: input before the line editor is ready is echoed twice, and Ctrl-D is lost.
function session:ready()
    local deadline = os.time() + PATIENCE
    while not self.all:find "\n>>? $" and os.time() <= deadline and self:listen(0.05) do
        self:listen(0)
    end
    self:listen(0.005)
end

--- Types a line at a prompt and waits for the text.
function session:line(text, expected)
    self:ready()
    self:send(text .. "\n")
    return expected and self:expect(expected)
end

--- Presses Ctrl-C after some seconds. Returns the seconds until the text appeared, or nil if a second text,
--- `otherwise`, appeared instead.
function session:interrupt(clock, seconds, expected, otherwise)
    local function came(text)
        return text and self.heard:find(text, 1, true)
    end
    local wait = clock() + seconds
    while clock() < wait do
        self:listen(0.01)
    end
    local start = clock()
    self:send "\3"
    while not came(expected) and not came(otherwise) and clock() - start < PATIENCE do
        self:listen(0.005)
    end
    local elapsed = clock() - start
    if not came(expected) and came(otherwise) then
        self:expect(otherwise)
        return nil
    end
    self:expect(expected)
    return elapsed
end

--- Returns the exit status (128 + the signal after a crash), or nil if the process still runs after PATIENCE.
function session:ending()
    local deadline = os.time() + PATIENCE
    while os.time() <= deadline and self:listen(0.02) do
        local status = terminal.wait(self.process, 0)
        if status then
            return status
        end
    end
    return terminal.wait(self.process, 1)
end

--- Presses Ctrl-D at a prompt. Returns the exit status.
function session:finish()
    self:ready()
    self:send "\4"
    return self:ending()
end

function session:close()
    terminal.close(self.file, self.process)
end

session.__close = session.close

return session
