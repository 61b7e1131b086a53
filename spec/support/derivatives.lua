-- Checks of derivatives of kernels: the tangent against central differences, and the adjoint against the tangent.
local rill = require "rill"

local derivatives = {}

-- Added to a size: contributions of about 1 that cancel each other leave their rounding errors.
local FLOOR <const> = 1e-3

local function real(param)
    local t = param.type:gsub("%[.*", "")
    return t == "float" or t == "double" or t:find "^d?vec" ~= nil or t:find "^d?mat" ~= nil
end

-- Returns a copy of a value with all numbers replaced by f(number).
local function mapped(value, f)
    if type(value) == "number" then return f(value) end
    local copy = {}
    for i, v in ipairs(value) do copy[i] = mapped(v, f) end
    return copy
end

local function flatten(value, list)
    if type(value) == "number" then
        list[#list + 1] = value
    elseif type(value) == "table" then
        for _, v in ipairs(value) do flatten(v, list) end
    end
    return list
end

-- Returns the numbers of a stream.
local function numbers(s)
    return flatten(s:values(), {})
end

local function inner(a, b)
    local sum, size = 0.0, 0.0
    assert(#a == #b, #a .. " and " .. #b .. " numbers")
    for i = 1, #a do
        sum, size = sum + a[i] * b[i], size + math.abs(a[i] * b[i])
    end
    return sum, size
end

--- derivatives.check(k, arguments, options) checks the derivatives of a kernel with respect to all parameters of
-- floats.
-- `arguments`: by name, as Lua tables and numbers (streams are made of them), or {value, boundary modes...} with the
-- field
-- `modes`; options: shape, seed, step (of differences), random (a function), tolerance, alone (false: not
-- with respect to each parameter alone). Returns nil or a text
-- that says what is incorrect.
function derivatives.check(k, arguments, options)
    options = options or {}
    local random, tolerance = options.random, options.tolerance or 1e-11
    local wrt, types, kinds = options.wrt or {}, {}, {}
    for _, param in ipairs(k.params) do
        types[param.name], kinds[param.name] = param.type:gsub("%[.*", ""), param.kind
        if not options.wrt and real(param) and arguments[param.name] ~= nil and param.kind ~= "iterator stream" then
            wrt[#wrt + 1] = param.name
        end
    end
    local function stream(name, value)
        local modes = type(value) == "table" and value.modes
        if kinds[name] == "constant" then return value end
        local s = rill.from(value, types[name])
        return modes and s:boundary(table.unpack(modes)) or s
    end
    local function given(extra, changed)
        local list = {}
        for name, value in pairs(arguments) do list[name] = stream(name, changed and changed[name] or value) end
        for name, value in pairs(extra or {}) do list[name] = value end
        list.shape, list.seed = options.shape, options.seed
        return list
    end
    local function with_modes(value, like)
        if type(like) == "table" then value.modes = like.modes end
        return value
    end
    local directions, extra = {}, {}
    for _, name in ipairs(wrt) do
        directions[name] = with_modes(mapped(arguments[name], function() return random() end), arguments[name])
        extra[name .. "_dot"] = stream(name, directions[name])
    end
    local t = k:tangent {wrt = wrt}
    local results = {t(given(extra))}
    local plain = {k(given())}
    local outputs, dots = {}, {}
    for _, param in ipairs(k.params) do
        if param.kind == "output stream" or param.kind == "variable output" then outputs[#outputs + 1] = param end
    end
    for _, param in ipairs(k.params) do
        if param.kind == "in-place stream" then outputs[#outputs + 1] = param end
    end
    -- The results of t are in the order of the signature, those of k have in-place streams last.
    local order, at = {}, 0
    for _, param in ipairs(k.params) do
        if param.kind == "output stream" or param.kind == "variable output" or param.kind == "in-place stream" then
            at = at + 1
            order[param.name] = at
        end
    end
    local n = at
    local real_at = n
    local bars = {}
    local left, size = 0.0, 0.0
    local worst
    for _, param in ipairs(k.params) do
        if order[param.name] and real(param) then
            real_at = real_at + 1
            dots[param.name] = numbers(results[real_at])
        end
    end
    for i, param in ipairs(outputs) do
        local mine, theirs = numbers(results[order[param.name]]), numbers(plain[i])
        for j = 1, #theirs do
            local same = mine[j] == theirs[j] or mine[j] ~= mine[j] and theirs[j] ~= theirs[j] or
                options.near and math.abs(mine[j] - theirs[j]) < options.near * math.max(1, math.abs(theirs[j]))
            if not same then
                return ("output '%s' of the tangent: element %d is %.17g, not %.17g"):format(param.name, j, mine[j],
                    theirs[j])
            end
        end
        if real(param) then
            local w = {}
            local bar = mapped(plain[i]:read(), function()
                w[#w + 1] = random()
                return w[#w]
            end)
            bars[param.name .. "_bar"] = #w > 0 and rill.from(bar, plain[i].type) or plain[i]
            local sum, more = inner(dots[param.name], flatten(bar, {}))
            left, size = left + sum, size + more
        end
    end
    local g = k:gradient {wrt = wrt}
    local adjoints = {g(given(bars))}
    for i, name in ipairs(#wrt > 1 and options.alone ~= false and wrt or {}) do
        local own, all = numbers(k:gradient {wrt = {name}}(given(bars))), numbers(adjoints[i])
        for j = 1, #all do
            if math.abs(own[j] - all[j]) > tolerance * (FLOOR + math.abs(all[j])) * 100 then
                return ("adjoint of '%s' alone: element %d is %.17g, not %.17g"):format(name, j, own[j], all[j])
            end
        end
    end
    local right = 0.0
    for i, name in ipairs(wrt) do
        local shape = kinds[name] ~= "constant" and stream(name, arguments[name]).shape
        if shape and tostring(shape) ~= tostring(adjoints[i].shape) then
            return ("adjoint of '%s': its shape is %s, not %s"):format(name, adjoints[i].shape, shape)
        end
        local sum, more = inner(flatten(directions[name], {}), numbers(adjoints[i]))
        right, size = right + sum, size + more
    end
    local off = math.abs(left - right)
    if size < math.huge and (off > tolerance * (size + FLOOR) or off ~= off) then
        return ("<J v, w> = %.17g, <v, J^T w> = %.17g (%.3g)"):format(left, right, math.abs(left - right) / size)
    end
    if options.step == false then return nil end
    -- Central differences along the directions.
    local h = options.step or 1e-6
    local function moved(by)
        local changed = {}
        for _, name in ipairs(wrt) do
            local d, i = flatten(directions[name], {}), 0
            changed[name] = with_modes(mapped(arguments[name], function(x)
                i = i + 1
                return x + by * d[i]
            end), arguments[name])
        end
        return {k(given(nil, changed))}
    end
    local up, down = moved(h), moved(-h)
    local more = options.twice and moved(h / 4)
    local less = options.twice and moved(-h / 4)
    for i, param in ipairs(outputs) do
        if real(param) then
            local a, b, d = numbers(up[i]), numbers(down[i]), dots[param.name]
            local a2, b2, mid = more and numbers(more[i]), more and numbers(less[i]), numbers(plain[i])
            for j = 1, #d do
                local slope = (a[j] and b[j]) and (a[j] - b[j]) / (2 * h) or d[j]
                local scale = math.max(1.0, math.abs(slope))
                local difference <const> = options.difference or 1e-6
                local smooth = #a == #b
                if smooth and more then
                    -- Where two arguments of min are equal, both slopes are the mean of those of the two sides.
                    local bend = (a[j] - 2 * mid[j] + b[j]) / h
                    smooth = #a2 == #a and #b2 == #a and #mid == #a and math.abs(bend) < 2 * difference * scale and
                        math.abs((a2[j] - b2[j]) / (h / 2) - slope) < 0.1 * difference * scale
                end
                if smooth and math.abs(slope - d[j]) > difference * scale then
                    local words = "tangent of '%s': element %d is %.12g, differences give %.12g"
                    worst = worst or words:format(param.name, j, d[j], slope)
                end
            end
        end
    end
    return worst
end

--- derivatives.examine(k, arguments, options, single) checks a random kernel: central differences count where two steps
-- agree. `single`: the kernel computes with floats. Raises an error that says what is incorrect; returns the message
-- of a refusal.
function derivatives.examine(k, arguments, options, single)
    local state = 12345
    function options.random()
        state = (state * 1103515245 + 12345) & 0x7fffffff
        return (state >> 8) / (1 << 22) - 1.0
    end
    options.twice = true
    options.tolerance = single and 1e-4 or options.near and 1e-10 or 1e-11
    -- Mesa combines the constants of products that are used once, so that the tangent's result may round differently.
    options.near = options.near and (single and 1e-4 or 1e-10) or (single and 1e-5 or 1e-13)
    options.step, options.difference = single and 1 / 64 or 1e-5, single and 0.1 or 1e-4
    local good, message = pcall(derivatives.check, k, arguments, options)
    if not good and not tostring(message):find "cannot be differentiated" then error(message, 0) end
    if good and message then error(message, 0) end
    return message
end

return derivatives
