--- rill.optimize: minimizes functions by their gradients: Adam (Kingma and Ba 2015), stochastic gradient descent, and
-- L-BFGS (Liu and Nocedal 1989). The defaults are those of PyTorch.
require "rill"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local lbfgs = require "rill.optimize.lbfgs"
local optimizer = require "rill.optimize.optimizer"
local kernels <const> = require "rill.glsl.template".sections "optimize"

local optimize = {lbfgs = errors.guard(lbfgs, "rill.optimize.lbfgs")}

local function is_share(v)
    return option.is_finite(v) and v >= 0 and v < 1
end

-- Returns a step function that calls update(self, gradient, i) for each parameter.
local function each_parameter(update)
    return function(self, object, ...)
        local gradients = table.pack(...)
        optimizer.check_gradients(self, gradients, "O:step: ")
        self.steps = self.steps + 1
        for i = 1, #self.parameters do
            update(self, gradients[i], i)
        end
        return object
    end
end

-- ---- Adam

local ADAM <const> = {
    rate = option.default(option.positive, 1e-3), epsilon = option.default(option.not_negative, 1e-8),
    betas = {function(v) return option.is_vector(v, 2) and is_share(v[1]) and is_share(v[2]) end,
        "a table of two numbers from 0 to below 1", {0.9, 0.999}},
    decay = option.default(option.not_negative, 0), decoupled = option.default(option.flag, false),
    amsgrad = option.default(option.flag, false),
}

local adam_step <const> = each_parameter(function(self, g, i)
    local given, moments = self.options, self.moments[i]
    local first, second = given.betas[1], given.betas[2]
    local decay, keep = given.decay, 1
    if given.decoupled then
        decay, keep = 0, 1 - self.rate * given.decay
    end
    self.kernels[i](self.rate / (1 - first ^ self.steps), 1 / math.sqrt(1 - second ^ self.steps), given.epsilon, first,
        second, decay, keep, g, self.parameters[i], table.unpack(moments))
end)

--- rill.optimize.adam(parameters [, options]) returns an optimizer by Adam, which divides the mean of the gradients by
-- the root of the mean of their squares. Its state is two streams for each parameter, three with amsgrad.
function optimize.adam(parameters, options)
    local self = optimizer.new("adam", parameters, options, ADAM)
    self.step, self.kernels, self.moments = adam_step, {}, {}
    for i, p in ipairs(self.parameters) do
        self.kernels[i] = kernels.adam:kernel {T = p.type, S = optimizer.scalar(p), amsgrad = self.options.amsgrad}
        self.moments[i] = {optimizer.stream(self, p), optimizer.stream(self, p)}
        self.moments[i][3] = self.options.amsgrad and optimizer.stream(self, p) or nil
    end
    return optimizer.create(self)
end

-- ---- gradient descent

local SGD <const> = {
    rate = option.default(option.positive, 1e-3), decay = option.default(option.not_negative, 0),
    momentum = {is_share, "a number from 0 to below 1", 0}, dampening = {function(v)
        return option.is_finite(v) and v >= 0 and v <= 1
    end, "a number from 0 to 1", 0}, nesterov = option.default(option.flag, false),
}

local sgd_step <const> = each_parameter(function(self, g, i)
    local given, p = self.options, self.parameters[i]
    if given.momentum == 0 then
        self.kernels[i](self.rate, given.decay, g, p)
    else
        self.kernels[i](self.rate, given.decay, g, p, given.momentum, self.steps == 1 and 1 or 1 - given.dampening,
            self.moments[i])
    end
end)

--- rill.optimize.sgd(parameters [, options]) returns an optimizer by gradient descent with momentum. Its state is one
-- stream for each parameter, or none without momentum.
function optimize.sgd(parameters, options)
    local self = optimizer.new("sgd", parameters, options, SGD)
    local given = self.options
    if given.nesterov and (given.momentum == 0 or given.dampening ~= 0) then
        errors.fail("rill.optimize.sgd: option 'nesterov': needs a momentum above 0 and a dampening of 0")
    end
    self.step, self.kernels, self.moments = sgd_step, {}, {}
    for i, p in ipairs(self.parameters) do
        self.kernels[i] = kernels.sgd:kernel {
            T = p.type, S = optimizer.scalar(p), momentum = given.momentum > 0, nesterov = given.nesterov,
        }
        self.moments[i] = given.momentum > 0 and optimizer.stream(self, p) or nil
    end
    return optimizer.create(self)
end

optimize.adam = errors.guard(optimize.adam, "rill.optimize.adam")
optimize.sgd = errors.guard(optimize.sgd, "rill.optimize.sgd")
return optimize
