--- rill: streams, kernels and reductions on a graphics device. The module is rill.core and what is easier said in Lua.
local rill = require "rill.core"

local function kind(value)
    return rill.type(value) or type(value)
end

--- rill.concat(list [, axis]): the streams of a list one after the other along an axis (1 unless told; -1 is the last).
-- All have the same type, and the same shape but for that axis. Returns a new stream.
function rill.concat(list, axis)
    if type(list) ~= "table" or #list == 0 then
        error(("rill.concat: argument #1 'list': expected a table of streams, got %s"):format(
            type(list) == "table" and "an empty table" or kind(list)), 2)
    end
    local first = list[1]
    if rill.type(first) ~= "stream" then
        error(("rill.concat: argument #1 'list': item 1: expected a stream, got %s"):format(kind(first)), 2)
    end
    local shape = first.shape
    axis = axis or 1
    local along = math.type(axis) == "integer" and axis < 0 and axis + #shape + 1 or axis
    if math.type(axis) ~= "integer" or along < 1 or along > #shape then
        error(("rill.concat: argument #2 'axis': expected 1 .. %d, got %s"):format(#shape, tostring(axis)), 2)
    end
    local total = 0
    for i, s in ipairs(list) do
        if rill.type(s) ~= "stream" then
            error(("rill.concat: argument #1 'list': item %d: expected a stream, got %s"):format(i, kind(s)), 2)
        end
        local own = s.shape
        total = total + (own[along] or 0)
        own[along] = shape[along]
        if own ~= shape or s.type ~= first.type then
            local what = ("stream<%s>[%s] does not fit stream<%s>[%s] along axis %d"):format(
                s.type, s.shape, first.type, shape, along)
            error(("rill.concat: argument #1 'list': item %d: %s"):format(i, what), 2)
        end
    end
    shape[along] = total
    local result = rill._sized(first, shape)
    local from, to = {}, {}
    for d = 1, #shape do
        from[d], to[d] = 1, shape[d]
    end
    for _, s in ipairs(list) do
        to[along] = from[along] + s.shape[along] - 1
        if s.size > 0 then
            result:write(s, from, to)
        end
        from[along] = to[along] + 1
    end
    return result
end

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

--- p:step([n]): n (1 unless told) more of the total are done.
function Progress:step(n)
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

--- p:close(): ends the bar's line.
function Progress:close()
    if self.shown and not self.closed then
        draw(self)
        io.stdout:write("\n")
    end
    self.closed = true
end
Progress.__close = Progress.close

--- rill.progress(total [, label]): a progress bar, silent when the output is no terminal. `local p <close>` works.
function rill.progress(total, label)
    if type(total) ~= "number" then
        error(("rill.progress: argument #1 'total': expected a number, got %s"):format(type(total)), 2)
    end
    if label ~= nil and type(label) ~= "string" then
        error(("rill.progress: argument #2 'label': expected a string, got %s"):format(type(label)), 2)
    end
    local now = rill.clock()
    return setmetatable({
        total = total, done = 0, label = label and label .. " " or "",
        shown = rill._terminal(), start = now, drawn = now,
    }, Progress)
end

-- Where Lua finds rill.<name>, a module of its own; nil where there is none.
local function submodule(name)
    local full = "rill." .. name
    if package.loaded[full] ~= nil or package.preload[full] or package.searchpath(full, package.path) then
        return require(full)
    end
end

-- An algorithm module is loaded when it is first named; any other unknown name is an error.
return setmetatable(rill, {
    __name = "rill",
    __index = function(self, key)
        local found
        if type(key) == "string" and key:find("^%l[%w_]*$") and key ~= "init" and key ~= "core" then
            found = submodule(key)
        end
        if found == nil then
            error(("rill has no field or module '%s'"):format(tostring(key)), 2)
        end
        rawset(self, key, found)
        return found
    end,
})
