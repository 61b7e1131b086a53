-- Makes the tangent of a kernel (forward mode): each statement computes the derivative of its result, too.
local core = require "rill.core"
local builder = require "rill.grad.kernel.builder"
local errors = require "rill.core.error"
local ir = require "rill.grad.kernel.ir"
local run = require "rill.grad.kernel.run"
local subject = require "rill.grad.kernel.subject"
errors.own()

local fail <const> = errors.fail
local value, read, join = ir.value, ir.read, ir.join

local Tangent = builder.extend()

--- Returns the tangent of a value; nil if it is 0.
function Tangent:dot(e)
    local variable = e.variable
    if not variable then return nil end
    local dot = variable.dot
    if dot == nil and variable.source then
        local name = variable.source.text
        dot = self.wanted[name] and
            {name = name .. "_dot" .. variable.name:sub(#variable.base + 1), type = variable.type, base = name} or false
        variable.dot = dot
    end
    return dot and read(dot) or nil
end

--- Returns the variable of the tangent of a variable.
function Tangent:new_dot(variable)
    if not variable.dot then
        variable.dot = {name = self.lowered:name(variable.name:gsub("%W.*", "") .. "_dot"), type = variable.type,
            array = variable.array, adjoint = variable.array}
    end
    return variable.dot
end

--- The tangent of an element that is read by index.
function Tangent:again(s, y)
    local name = s.gather.target.text
    if not self.wanted[name] then return nil end
    local holes = {}
    for i = 1, #s.gather.indices do holes[i] = "[$" .. i .. "]" end
    local e = join(name .. "_dot" .. table.concat(holes), y.type, table.unpack(s.gather.indices))
    e.atom = true
    return e
end

--- The tangent of an interpolated value at position p, whose tangent is p_dot.
function Tangent:sample_again(s, y, p, p_dot)
    local name = s.sample.target.text
    local sum
    if self.wanted[name] then
        sum = join("sample(" .. name .. "_dot, $1)", y.type, p)
    end
    if p_dot then
        -- The slopes between the corners.
        local rank = select(2, s.sample.target.type:gsub("%[%]", ""))
        local size = self.types.info(p.type).rows
        local function component(e, d) return size == 1 and e.text or e.text .. "." .. ("xyzw"):sub(d, d) end
        local low = self:keep(join("floor($1)", p.type, p))
        local between = self:keep(join("$1 - $2", p.type, p, low))
        p_dot = self:keep(p_dot)
        local texts, reads = {}, {low.variable, between.variable, p_dot.variable}
        for corner = 0, (1 << rank) - 1 do
            local index, weight = {}, {}
            for d = rank, 1, -1 do
                index[#index + 1] = ("[int(%s)%s]"):format(component(low, d), corner >> (d - 1) & 1 == 1 and " + 1" or
                    "")
            end
            for d = 1, rank do
                weight[d] = corner >> (d - 1) & 1 == 1 and component(between, d) or "(1.0 - " .. component(between,
                    d) .. ")"
            end
            for d = 1, rank do
                local rest = {}
                for k = 1, rank do
                    if k ~= d then rest[#rest + 1] = " * " .. weight[k] end
                end
                texts[#texts + 1] = (corner >> (d - 1) & 1 == 1 and "+ " or "- ") .. name .. table.concat(index) ..
                    " * " ..
                    component(p_dot, d) .. table.concat(rest)
            end
        end
        local slope = value("(" .. table.concat(texts, " "):gsub("^%+ ", "") .. ")", y.type, reads, true)
        sum = sum and join("$1 + $2", y.type, sum, slope) or slope
    end
    return sum
end

local forward = {}

--- Adds the statements of a list, and those of their tangents.
function Tangent:statements(list)
    for _, s in ipairs(list) do forward[s.op](self, s) end
end

local function inner(self, list)
    local outer = self.list
    self.list = {}
    self:statements(list)
    local made = self.list
    self.list = outer
    return made
end

--- Returns the tangents of arguments.
function Tangent:dots(args)
    local dots = {}
    for i, arg in ipairs(args or {}) do dots[i] = self:dot(arg) end
    return dots
end

--- Sets the tangent of a variable that has one, or for variables that are set several times always.
function forward.set(self, s)
    self:emit(s)
    if not s.rule or not self.types.info(s.to.type).real then return end
    local outer = self.list
    local e = s.rule.tangent(self, read(s.to), s.args, self:dots(s.args), s)
    assert(outer == self.list)
    if e and self.types.info(e.type).size ~= self.types.info(s.to.type).size then
        e = join(s.to.type .. "($1)", s.to.type, e)
    end
    self:emit {op = "set", to = self:new_dot(s.to), e = e or self:zero(s.to.type)}
end

--- The tangent of a variable with a new part.
function forward.update(self, s)
    self:emit(s)
    if not self.types.info(s.to.type).real then return end
    local base, part = self:dot(s.args[1]), self:dot(s.args[2])
    self:emit {op = "update", to = self:new_dot(s.to), base = base or self:zero(s.to.type), path = s.path,
        e = part or self:zero(s.part), reads = {base}}
end

--- The tangent of an array with a new element.
function forward.put(self, s)
    self:emit(s)
    if self.types.info(s.to.type).real then
        self:emit {op = "put", to = self:new_dot(s.to), path = s.path, e = self:dot(s.args[1]) or self:zero(s.e.type)}
    end
end

--- An array without values.
function forward.declare(self, s) self:emit(s) end

--- Pushes a value and its tangent.
function forward.push(self, s)
    self:emit {op = "emit", name = s.output.text, e = s.e, root = true}
    if self.types.info(s.e.type).real then
        self:emit {op = "emit", name = s.output.text .. "_dot", e = self:dot(s.e) or self:zero(s.e.type), root = true}
    end
end

forward["if"] = function(self, s)
    self:emit {op = "if", condition = s.condition, yes = inner(self, s.yes), no = inner(self, s.no)}
end

--- A loop computes the tangents in the same iterations.
function forward.loop(self, s)
    s.body = inner(self, s.body)
    self:emit(s)
end

local tangent = {}

-- Returns a view of a tangent with the boundary modes of its stream. The derivative of a number outside is 0.
local function bounded(dot, s)
    local modes = core._boundary(s, true)
    if not modes then return dot end
    for d, mode in ipairs(modes) do
        modes[d] = type(mode) == "number" and "zero" or mode
    end
    return dot:boundary(table.unpack(modes))
end

local function make(about, names, lowered, where)
    local wanted = {}
    for _, name in ipairs(names) do wanted[name] = true end
    local self = setmetatable({wanted = wanted}, Tangent):prepare(lowered)
    subject.refusing(about, where, self.statements, self, lowered.list)
    local signature, results = {}, {}
    local by_name = {}
    for _, output in ipairs(lowered.outputs) do by_name[output.name] = output end
    for _, param in ipairs(about.params) do
        local name, type = param.name, about.types[param.name]
        if wanted[name] then
            local declaration = param.declaration:gsub("%f[%w_]" .. name .. "%f[^%w_]", name .. "_dot")
            -- The derivative of a number outside of a stream is 0.
            declaration = declaration:gsub("^neighbor%s*(%b())", function(modes)
                return "neighbor" .. modes:gsub("%-?%d[%w%.%-+]*", "zero")
            end)
            table.insert(signature, {(declaration:gsub("^inout ", "")), name .. "_dot"})
        end
        if param.kind == "variable output" then
            table.insert(signature, {("vout %s %s<>"):format(type, name), name, always = true})
            results[#results + 1] = {name = name, type = type}
            if lowered.types.info(type).real then
                table.insert(signature, {("vout %s %s_dot<>"):format(type, name), name .. "_dot", always = true})
                results[#results].dot = true
            end
        elseif by_name[name] then
            local output = by_name[name]
            local made = name .. (param.kind == "in-place stream" and "_new" or "")
            table.insert(signature, {("out %s %s<>"):format(output.type, made), made, always = true, along = true})
            self:emit {op = "out", name = made, e = output.e, root = true}
            results[#results + 1] = {name = name, type = output.type}
            if lowered.types.info(output.type).real then
                local dot = name .. (param.kind == "in-place stream" and "_new_dot" or "_dot")
                table.insert(signature, {("out %s %s<>"):format(output.type, dot), dot, always = true, along = true})
                self:emit {op = "out", name = dot, e = self:dot(output.e) or self:zero(output.type), root = true}
                results[#results].dot = true
            end
        end
    end
    local text, taken = subject.refusing(about, where, subject.compose, about, lowered, about.name .. "_tangent",
        self.list,
        signature)
    return {text = text, taken = taken, results = results, kernel = subject.compiled(about, where, text)}
end

local methods = {}

--- t:source() returns the text of the kernel of a tangent.
function methods.source(t) return t.made.text end

local function call(t, ...)
    local given = run.arguments(t, ...)
    local named = run.options(given)
    for name in pairs(t.made.taken) do
        if t.accepts[name] then named[name] = given[name] end
    end
    for _, name in ipairs(t.names) do
        local kind, dot = t.about.kinds[name], name .. "_dot"
        if (kind == "gather stream" or kind == "neighbor stream") and named[dot] then
            named[dot] = bounded(run.stream(named[dot], t.about.types[name], t.where, dot), given[name])
        end
    end
    local results = {t.made.kernel(named)}
    local values, dots, at = {}, {}, 1
    for _, result in ipairs(t.made.results) do
        values[#values + 1] = results[at]
        at = at + 1
        if result.dot then
            dots[#dots + 1] = results[at]
            at = at + 1
        end
    end
    table.move(dots, 1, #dots, #values + 1, values)
    return table.unpack(values)
end

local meta = {__name = "rill.tangent", __index = methods, __call = errors.guard(call)}
function meta.__tostring(t)
    return ("tangent of %s with respect to %s"):format(t.about.name, table.concat(t.names, ", "))
end

--- k:tangent([options]) returns the tangent of a kernel (forward mode): an object t that is called with the arguments
-- of the kernel without its outputs, then a tangent of the shape of the argument for each parameter in the option wrt,
-- or with a table of them by name; the tangent of x is named x_dot. It returns the outputs of the kernel, then the
-- tangents of those of floats. wrt: as for k:gradient.
function tangent.tangent(k, options)
    local where <const> = "k:tangent"
    local wrt <const> = subject.wrt(k, where, options)
    return subject.cached(k, "tangent", wrt, function()
        local about = subject.described(k)
        if about.reduces then fail("%s: '%s' is a reduce kernel", where, about.name) end
        local lowered = subject.refusing(about, where, subject.lowered_of, about)
        local names = subject.names_of(about, wrt,
            function(name) return lowered.types.info(about.types[name]).real end, where)
        local t = {about = about, names = names, arguments = subject.arguments(about), accepts = {},
            where = "tangent of " .. about.name}
        for _, name in ipairs(names) do table.insert(t.arguments, name .. "_dot") end
        for _, name in ipairs(t.arguments) do t.accepts[name] = true end
        t.made = make(about, names, lowered, where)
        return setmetatable(t, meta)
    end)
end

return tangent
