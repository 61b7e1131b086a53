-- The class of optimizers, and the checks of parameters and gradients.
local rill = require "rill.core.public"
local class = require "rill.core.class"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local typename = require "rill.core.typename"
local fail <const> = errors.fail

local SCALARS <const> = {}
for i, type in ipairs {"float", "vec2", "vec3", "vec4", "double", "dvec2", "dvec3", "dvec4"} do
    SCALARS[type] = i <= 4 and "float" or "double"
end

--- O.rate: the rate of the next steps. O.steps: the number of steps. O.parameters: a list of the parameters.
local optimizer <const> = class.define {
    type = "rill.optimizer", letter = "O", one = "an optimizer", closed = "closed optimizer",
    fields = {rate = "rate", steps = "steps", parameters = function(self) return {table.unpack(self.parameters)} end},
    release = function(self)
        for _, s in ipairs(self.state) do s:close() end
        if self.release then self:release() end
    end,
    describe = function(self)
        return ("%s of %d parameter%s after %d step%s"):format(self.name, #self.parameters,
            #self.parameters == 1 and "" or "s", self.steps, self.steps == 1 and "" or "s")
    end,
}

-- Raises unless the parameters are a list of different open streams of floats or doubles.
local function check_parameters(where, parameters)
    if not option.is_list(parameters) or #parameters == 0 then
        fail("%s: argument #1 'parameters': expected a table of streams, such as {w, b}, got %s", where,
            type(parameters) == "table" and not rill.type(parameters) and "a table without streams"
            or errors.told(parameters))
    end
    local seen = {}
    for i, s in ipairs(parameters) do
        local told = rill.type(s) ~= "stream" and typename.of(s) or errors.not_open(s)
        if told then
            fail("%s: argument #1 'parameters': item %d: expected an open stream, got %s", where, i, told)
        elseif not SCALARS[s.type] then
            fail("%s: argument #1 'parameters': item %d: expected elements of float, double or a vector of them, "
                .. "got %s: use s:cast", where, i, s.type)
        elseif seen[s] then
            fail("%s: argument #1 'parameters': items %d and %d are the same stream: list each one once", where,
                seen[s], i)
        end
        seen[s] = i
    end
end

--- optimizer.new(name, parameters, options, rows) returns the state of an optimizer: its name, its parameters, its
-- options, and a list for the streams of its state, which close frees.
function optimizer.new(name, parameters, options, rows)
    local where <const> = "rill.optimize." .. name
    check_parameters(where, parameters)
    local taken = option.take(where, options, rows)
    return {
        name = name, parameters = {table.unpack(parameters)}, options = taken, rate = taken.rate, steps = 0, state = {},
    }
end

--- optimizer.stream(self, parameter [, size]) returns a stream of zeros like a parameter, or with so many elements,
-- which close frees.
function optimizer.stream(self, parameter, size)
    local s = size and rill.stream(parameter.type, size) or parameter:like()
    self.state[#self.state + 1] = s
    return s
end

--- optimizer.scalar(parameter) returns the type of the components of a parameter: "float" or "double".
function optimizer.scalar(parameter)
    return SCALARS[parameter.type]
end

--- optimizer.check_gradients(self, gradients, origin) raises unless there is one gradient for each parameter, a stream
-- or an expression of its type and shape. `gradients`: a table with the count n. `origin`: the beginning of messages.
function optimizer.check_gradients(self, gradients, origin)
    if gradients.n ~= #self.parameters then
        fail("%s%d gradient%s for %d parameter%s: expected one for each parameter, in their order", origin, gradients.n,
            gradients.n == 1 and "" or "s", #self.parameters, #self.parameters == 1 and "" or "s")
    end
    for i, p in ipairs(self.parameters) do
        local g = gradients[i]
        local told = errors.not_open(p)
        if told then
            fail("%sparameter %d: expected an open stream, got %s", origin, i, told)
        end
        told = errors.not_open(g)
        if told then
            fail("%sgradient %d: expected an open stream, got %s", origin, i, told)
        elseif g.type ~= p.type or g.shape ~= p.shape then
            fail("%sgradient %d: expected the type and the shape of parameter %d, %s[%s], got %s[%s]", origin, i, i,
                p.type, tostring(p.shape), g.type, tostring(g.shape))
        end
    end
end

--- O:set_rate(rate) sets the rate of the next steps, a number above 0. Returns the optimizer.
function optimizer.methods:set_rate(rate)
    local state = optimizer.check(self, "set_rate")
    if not option.is_positive(rate) then
        fail("O:set_rate: argument #1 'rate': expected a number above 0, got %s", errors.told(rate))
    end
    state.rate = rate
    return self
end

--- O:step(...) makes one step. adam and sgd take the gradients of the parameters, in their order, and return the
-- optimizer. lbfgs takes a function that returns value and gradients; see rill.optimize.lbfgs.
function optimizer.methods:step(...)
    local state = optimizer.check(self, "step")
    return state.step(state, self, ...)
end

class.guard(optimizer.methods, "O")
return optimizer
