--- rill.optimize: minimizes functions by their gradients: Adam (Kingma and Ba 2015), stochastic gradient descent, and
-- L-BFGS (Liu and Nocedal 1989). The defaults are those of PyTorch.
local core = require "rill.core"
local rill = require "rill"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local lbfgs = require "rill.optimize.lbfgs"
local optimizer = require "rill.optimize.optimizer"
local recorder = require "rill.core.recorder"
local tables = require "rill.core.tables"
local kernels <const> = require "rill.glsl.template".sections "optimize"

local optimize = {lbfgs = errors.guard(lbfgs, "rill.optimize.lbfgs")}

local function is_share(v)
    return option.is_finite(v) and v >= 0 and v < 1
end

-- ---- groups of parameters

-- The most elements and parameters of a launch that updates several parameters. Such a launch computes each parameter
-- for the elements of all, since both sides of branches are computed.
local MOST_ELEMENTS <const>, MOST_PARAMETERS <const> = 1 << 10, 6

-- Returns whether a stream has memory that is read or written in one dimension.
local function is_flat(s)
    return core._serial(s) and select(4, core._place(s))
end

-- Returns the parameters as a list of groups with one launch each: lists of their numbers, with `first` (the number of
-- elements before each, with the sum at the end) and `flat` (views of one dimension). Also returns the serials of the
-- memories of all parameters.
local function groups_of(parameters)
    local groups, open, memories = {}, {}, {}
    -- A parameter takes two storage blocks, and the state of a group three.
    local most <const> = math.min(MOST_PARAMETERS, (rill.device().limits.storage_blocks - 3) // 2)
    for i, p in ipairs(parameters) do
        local memory <const> = core._serial(p)
        local small <const> = p.size > 0 and p.size <= MOST_ELEMENTS and not memories[memory] and is_flat(p)
        local group = small and open[p.type]
        if not group or #group >= most or group.first[#group + 1] + p.size > MOST_ELEMENTS then
            group = {first = {0}, flat = {}}
            groups[#groups + 1] = group
            open[p.type] = small and group or open[p.type]
        end
        local k <const> = #group + 1
        group[k], group.first[k + 1] = i, group.first[k] + p.size
        group.flat[k] = small and p:reshape(p.size) or nil
        if memory then
            memories[memory] = true
        end
    end
    return groups, memories
end

-- Returns whether the parameters are updated one by one, in their order, because a gradient may depend on them: it is
-- an expression or shares memory with one of them.
local function is_sequential(self, gradients)
    for _, g in ipairs(gradients) do
        if rill.type(g) ~= "stream" or self.memories[core._serial(g)] then
            return true
        end
    end
    return recorder.on
end

-- Returns the gradients of a group as views of one dimension, which the caller closes; nil if a launch cannot update
-- all parameters of it.
local function flat_gradients(group, gradients)
    for _, i in ipairs(group) do
        if #group == 1 or not is_flat(gradients[i]) then
            return nil
        end
    end
    local list = {}
    for k, i in ipairs(group) do
        list[k] = gradients[i]:reshape(gradients[i].size)
    end
    return list
end

-- Returns the values of a template for one parameter or a group: how kernels declare, read and write the gradient g and
-- the parameter p of an element.
local function values_of(p, values, group)
    values.T, values.S = p.type, optimizer.scalar(p)
    values.streams, values.load, values.store = ("%s g<>, inout %s p<>"):format(p.type, p.type), "", ""
    if not group then
        return values
    end
    local streams, load, store = {"int i<>"}, {}, {}
    for k = 1, #group do -- parameter k has the elements i with n[k] <= i < n[k + 1]
        local test <const> = (k > 1 and "else " or "") .. (k < #group and ("if (i < n%d) "):format(k + 1) or "")
        local at <const> = ("i - n%d"):format(k)
        streams[k + 1] = ("int n%d, %s g%d[], inout %s p%d[]"):format(k, p.type, k, p.type, k)
        load[k] = ("%s{ g = g%d[%s]; p = p%d[%s]; }\n"):format(test, k, at, k, at)
        store[k] = ("%sp%d[%s] = p;\n"):format(test, k, at)
    end
    values.streams, values.store = table.concat(streams, ", "), table.concat(store)
    values.load = ("%s g, p;\n%s"):format(p.type, table.concat(load))
    return values
end

-- Returns a view of the elements from .. to with a shape, which close frees.
local function view_of(self, s, from, to, shape)
    local part <close> = s:domain(from, to)
    local view <const> = part:reshape(shape)
    self.state[#self.state + 1] = view
    return view
end

-- Creates the kernels of an optimizer, and `count` streams of state for each parameter. A group has its state in one
-- stream, of which each parameter has a view.
local function create_groups(self, template, values, count)
    self.moments, self.kernels = {}, {}
    self.groups, self.memories = groups_of(self.parameters)
    for _, group in ipairs(self.groups) do
        local first <const>, total <const> = self.parameters[group[1]], group.first[#group + 1]
        group.moments = {}
        for n = 1, count do
            group.moments[n] = optimizer.stream(self, first, #group > 1 and total or nil)
        end
        for k, i in ipairs(group) do
            local p <const> = self.parameters[i]
            self.kernels[i], self.moments[i] = template:kernel(values_of(p, tables.copy(values))), {}
            for n, s in ipairs(group.moments) do
                local from <const>, to <const> = group.first[k] + 1, group.first[k + 1]
                self.moments[i][n] = #group > 1 and view_of(self, s, from, to, p.shape) or s
            end
            self.state[#self.state + 1] = group.flat[k]
        end
        if #group > 1 then
            group.kernel = template:kernel(values_of(first, tables.copy(values), group))
            group.index = rill.iter("int", total, 0, total)
        end
    end
end

-- Launches the kernel of a group.
local function update_group(group, constants, gradients)
    local list <const> = table.move(constants, 1, #constants, 1, {})
    list[#list + 1] = group.index
    for k, g in ipairs(gradients) do
        local n <const> = #list
        list[n + 1], list[n + 2], list[n + 3] = group.first[k], g, group.flat[k]
    end
    group.kernel(table.unpack(table.move(group.moments, 1, #group.moments, #list + 1, list)))
    for _, g in ipairs(gradients) do
        g:close()
    end
end

-- Launches the kernel of parameter i.
local function update_one(self, i, constants, g)
    local list <const> = table.move(constants, 1, #constants, 1, {})
    list[#list + 1], list[#list + 2] = g, self.parameters[i]
    self.kernels[i](table.unpack(table.move(self.moments[i], 1, #self.moments[i], #list + 1, list)))
end

-- Returns a step function. constants(self) returns a list of the constants of the kernels.
local function stepper(constants)
    return function(self, object, ...)
        local gradients = table.pack(...)
        optimizer.check_gradients(self, gradients, "O:step: ")
        self.steps = self.steps + 1
        local given = constants(self)
        if is_sequential(self, gradients) then
            for i, g in ipairs(gradients) do
                update_one(self, i, given, g)
            end
            return object
        end
        for _, group in ipairs(self.groups) do
            local flat = flat_gradients(group, gradients)
            if flat then
                update_group(group, given, flat)
            end
            for _, i in ipairs(flat and {} or group) do
                update_one(self, i, given, gradients[i])
            end
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

local adam_step <const> = stepper(function(self)
    local given = self.options
    local first, second = given.betas[1], given.betas[2]
    local decay, keep = given.decay, 1
    if given.decoupled then
        decay, keep = 0, 1 - self.rate * given.decay
    end
    return {self.rate / (1 - first ^ self.steps), 1 / math.sqrt(1 - second ^ self.steps), given.epsilon, first, second,
        decay, keep}
end)

--- rill.optimize.adam(parameters [, options]) returns an optimizer by Adam, which divides the mean of the gradients by
-- the root of the mean of their squares. Its state is two streams for each parameter, three with amsgrad.
function optimize.adam(parameters, options)
    local self = optimizer.new("adam", parameters, options, ADAM)
    local amsgrad <const> = self.options.amsgrad
    self.step = adam_step
    create_groups(self, kernels.adam, {amsgrad = amsgrad}, amsgrad and 3 or 2)
    return optimizer.create(self)
end

-- ---- gradient descent

local SGD <const> = {
    rate = option.default(option.positive, 1e-3), decay = option.default(option.not_negative, 0),
    momentum = {is_share, "a number from 0 to below 1", 0}, dampening = {function(v)
        return option.is_finite(v) and v >= 0 and v <= 1
    end, "a number from 0 to 1", 0}, nesterov = option.default(option.flag, false),
}

local sgd_step <const> = stepper(function(self)
    local given = self.options
    if given.momentum == 0 then
        return {self.rate, given.decay}
    end
    return {self.rate, given.decay, given.momentum, self.steps == 1 and 1 or 1 - given.dampening}
end)

--- rill.optimize.sgd(parameters [, options]) returns an optimizer by gradient descent with momentum. Its state is one
-- stream for each parameter, or none without momentum.
function optimize.sgd(parameters, options)
    local self = optimizer.new("sgd", parameters, options, SGD)
    local given = self.options
    if given.nesterov and (given.momentum == 0 or given.dampening ~= 0) then
        errors.fail("rill.optimize.sgd: option 'nesterov': needs a momentum above 0 and a dampening of 0")
    end
    self.step = sgd_step
    create_groups(self, kernels.sgd, {momentum = given.momentum > 0, nesterov = given.nesterov},
        given.momentum > 0 and 1 or 0)
    return optimizer.create(self)
end

optimize.adam = errors.guard(optimize.adam, "rill.optimize.adam")
optimize.sgd = errors.guard(optimize.sgd, "rill.optimize.sgd")
return optimize
