-- What the makers of adjoints and of tangents share: copies of statements, and new variables.
local ir = require "rill.grad.kernel.ir"

local Builder = {}
Builder.__index = Builder

local builder = {}

--- builder.extend() returns a class that inherits the methods of a builder.
function builder.extend()
    local class = setmetatable({}, {__index = Builder})
    class.__index = class
    return class
end

--- Prepares a builder for a kernel that lower.run has lowered.
function Builder:prepare(lowered)
    self.lowered, self.types, self.list, self.bits = lowered, lowered.types, {}, lowered.bits
    self.frame = lowered.top
    return self
end

--- Returns the value 0 of a type.
function Builder:zero(type) return self.lowered:zero(type) end

--- Returns a new variable in the current frame.
function Builder:variable(base, type)
    return {name = self.lowered:name(base), type = type, frame = self.frame}
end

--- Appends a statement, and returns it.
function Builder:emit(statement)
    self.list[#self.list + 1] = statement
    return statement
end

--- Stores an expression in a new variable, unless it is one already.
function Builder:keep(e)
    if e.atom and (e.variable or e.literal) then return e end
    local to = self:variable("t", e.type)
    self:emit {op = "set", to = to, e = e}
    return ir.read(to)
end

-- ---- copies

-- Returns an expression with other variables. `map`: new variables by old ones.
local function replaced(e, map)
    if not e or #e.reads == 0 then return e end
    local reads, names, any = {}, {}, false
    for i, variable in ipairs(e.reads) do
        reads[i] = map[variable] or variable
        if reads[i] ~= variable then
            any = true
            names[variable.name] = reads[i].name
        end
    end
    if not any then return e end
    if e.variable then return ir.read(map[e.variable]) end
    local text = (" " .. e.text):gsub("([^%.%w_])([%a_][%w_]*)", function(before, name)
        return before .. (names[name] or name)
    end):sub(2)
    return {text = text, type = e.type, reads = reads, atom = e.atom, literal = e.literal, swizzle = e.swizzle}
end
builder.replaced = replaced

--- Copies a list of statements. Variables of the frame `frame`, and of frames in it, become new ones, which are added
-- to `map`. Further frames become new ones, too.
function Builder:copy(list, map, frame)
    local frames = map.frames or {[frame] = self.frame}
    map.frames = frames
    local function place(old)
        if frames[old] == nil then
            local up = old.up and place(old.up)
            frames[old] = up and {up = up} or false
        end
        return frames[old]
    end
    local function renamed(variable)
        if not variable or variable.base then return variable end
        local new = map[variable]
        if not new and variable.frame and place(variable.frame) then
            new = {name = self.lowered:name(variable.name:gsub("_%d+$", "")), type = variable.type,
                frame = place(variable.frame), array = variable.array, given = variable.given}
            map[variable] = new
        end
        return new or variable
    end
    local function expression(e)
        if not e then return e end
        for _, variable in ipairs(e.reads) do renamed(variable) end
        return replaced(e, map)
    end
    local function expressions(es)
        local new = {}
        for i, e in ipairs(es or {}) do new[i] = expression(e) end
        return new
    end
    local function statements(all)
        local new = {}
        for i, s in ipairs(all) do
            local t = {}
            for key, v in pairs(s) do t[key] = v end
            t.to, t.variable = renamed(s.to), renamed(s.variable)
            t.old = renamed(s.old)
            for _, key in ipairs {"e", "path", "condition", "stop", "base", "first", "at", "trips"} do
                t[key] = expression(s[key])
            end
            t.args, t.reads = expressions(s.args), expressions(s.reads)
            if s.gather then
                t.gather = {target = s.gather.target, indices = expressions(s.gather.indices),
                    neighbor = s.gather.neighbor}
            end
            if s.sample then
                t.sample = {target = s.sample.target, position = expression(s.sample.position)}
            end
            if s.counter then
                t.counter = {variable = renamed(s.counter.variable), from = expression(s.counter.from),
                    step = s.counter.step}
            end
            if s.carried then
                t.carried = {}
                for j, c in ipairs(s.carried) do
                    t.carried[j] = {variable = renamed(c.variable), first = expression(c.first),
                        last = expression(c.last),
                        array = renamed(c.array)}
                end
                t.frame = place(s.frame) or s.frame
            end
            if s.yes then t.yes, t.no = statements(s.yes), statements(s.no) end
            if s.body then t.body = statements(s.body) end
            if s.count then t.count = renamed(s.count) end
            new[i] = t
        end
        return new
    end
    return statements(list)
end

return setmetatable(builder, {__index = Builder})
