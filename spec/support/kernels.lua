-- What the specs of kernels share: texts for every type, plain-Lua views of flat lists.
local rill = require "rill"
local elements = require "spec.support.elements"

local kernels = {}

local seen = {
    half = "float", half2 = "vec2", half4 = "vec4", unorm8 = "float", unorm8x4 = "vec4",
    int8 = "int", int16 = "int", uint8 = "uint", uint16 = "uint",
}

-- The type a kernel sees where a stream has this one.
function kernels.seen(name)
    return seen[name] or name
end

function kernels.is_packed(name)
    return seen[name] ~= nil
end

-- Elements first .. last of a flat list of elements of n components, each step-th.
function kernels.slice(flat, n, first, last, step)
    local result = {}
    for i = first, last, step or 1 do
        for c = 1, n do
            result[#result + 1] = flat[(i - 1) * n + c]
        end
    end
    return result
end

-- The elements of a flat list in the order of a list of indices (from 1).
function kernels.pick(flat, n, order)
    local result = {}
    for _, i in ipairs(order) do
        for c = 1, n do
            result[#result + 1] = flat[(i - 1) * n + c]
        end
    end
    return result
end

function kernels.reversed(count)
    local order = {}
    for i = 1, count do
        order[i] = count + 1 - i
    end
    return order
end

-- A list of f(1) .. f(n).
function kernels.list(n, f)
    local result = {}
    for i = 1, n do
        result[i] = f(i)
    end
    return result
end

-- A kernel's launch and the wait behind it: devices that queue work report faults only there.
function kernels.finished(k)
    return function(...)
        local results = table.pack(k(...))
        rill.sync()
        return table.unpack(results, 1, results.n)
    end
end

kernels.elements = elements
return kernels
