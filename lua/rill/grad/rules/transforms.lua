-- Gradients of rill.fft. The transform is linear: its adjoint is a transform with the conjugate roots of unity.
local rill = require "rill.core.public"
local places = require "rill.grad.places"
local tables = require "rill.core.tables"
local tape = require "rill.grad.tape"

-- Returns the axes of a transform, in the order of the option.
local function axes_of(options, rank)
    local list, given = {}, options.axes
    if given == nil then
        for d = 1, rank do
            list[d] = d
        end
        return list
    end
    for k, axis in ipairs(type(given) == "table" and given or {given}) do
        list[k] = axis < 0 and axis + rank + 1 or axis
    end
    return list
end

-- Returns half a spectrum whose coefficients are multiplied by `inner`, except those along axis d that have no
-- conjugate among the coefficients that are left out: 0, and n / 2 for an even n.
local function weighted(spectrum, d, n, inner)
    local shape <const>, weights = {}, {}
    for k = 1, #spectrum.shape do
        shape[k] = k == d and spectrum.shape[d] or 1
    end
    for k = 1, shape[d] do
        weights[k] = (k == 1 or 2 * (k - 1) == n) and 1 or inner
    end
    return spectrum * rill.stream("float", shape, weights)
end

tape.rule("rill.fft", function(call, s, given, ...)
    s = places.stream(s)
    local options <const> = tables.copy(given)
    local result <const> = call:run(s, given, ...)
    local list <const>, real <const>, inverse <const> = axes_of(options, #s.shape), options.real, options.inverse
    local last <const>, is_number <const> = list[#list], not s.type:find "vec"
    local long <const> = real and inverse and result or s -- has the lengths that are transformed
    local n <const>, count = long.shape[last], 1
    for _, d in ipairs(list) do
        count = count * long.shape[d]
    end
    call:record({s}, {result}, {}, function(_, g)
        if count == 0 or #g == 0 then
            return nil
        elseif real and inverse then
            return weighted(rill.fft(g, {real = true, axes = list}), last, n, 2) / count
        elseif real then
            return rill.fft(weighted(g, last, n, 0.5), {real = true, inverse = true, axes = list, length = n}) * count
        end
        local back <const> = rill.fft(g, {inverse = not inverse, axes = list})
        local scaled <const> = inverse and back / count or back * count
        return is_number and scaled.x or scaled
    end)
    return result
end)
