-- rill.progress: a progress bar in the terminal.
local rill = require "rill.core.public"
local core = require "rill.core"
local typename = require "rill.core.typename"

local progress = {}
local Progress = {}
Progress.__index = Progress

local BAR, PERIOD = 30, 0.05

local function draw(self)
    local share = self.total > 0 and math.min(self.done / self.total, 1) or 1
    local full = math.floor(share * BAR)
    io.stdout:write(("\r%s[%s%s] %3d%% %.1f s "):format(
        self.label, ("#"):rep(full), ("."):rep(BAR - full), math.floor(share * 100), rill.clock() - self.start))
    io.stdout:flush()
end

local function check(self, name)
    if getmetatable(self) ~= Progress then
        error(("p:%s: expected a progress bar before the colon, got %s"):format(name, typename.of(self)), 3)
    end
end

--- p:step([n]) adds n to the completed work. Default: 1.
function Progress:step(n)
    check(self, "step")
    n = n or 1
    if type(n) ~= "number" then
        error(("p:step: argument #1 'n': expected a number, got %s"):format(type(n)), 2)
    end
    self.done = self.done + n
    local now = rill.clock()
    if self.shown and not self.closed and (now - self.drawn >= PERIOD or self.done >= self.total) then
        self.drawn = now
        draw(self)
    end
end

--- p:close() draws the bar a last time and ends its line.
function Progress:close()
    check(self, "close")
    if self.shown and not self.closed then
        draw(self)
        io.stdout:write("\n")
    end
    self.closed = true
end
Progress.__close = Progress.close

--- rill.progress(total [, label]) returns a progress bar. Nothing is drawn if standard output is not a terminal. `local
-- p <close>` closes it.
function progress.progress(total, label)
    if type(total) ~= "number" then
        error(("rill.progress: argument #1 'total': expected a number, got %s"):format(type(total)), 2)
    end
    if label ~= nil and type(label) ~= "string" then
        error(("rill.progress: argument #2 'label': expected a string, got %s"):format(type(label)), 2)
    end
    local now = rill.clock()
    return setmetatable({
        total = total, done = 0, label = label and label .. " " or "",
        shown = core._terminal(), start = now, drawn = now,
    }, Progress)
end

return progress
