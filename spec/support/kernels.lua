-- Shared by specs of kernels: texts for every type, and views of flat lists in plain Lua.
local rill = require "rill"
local elements = require "spec.support.elements"

local kernels = {}

local seen = {
    half = "float", half2 = "vec2", half4 = "vec4", unorm8 = "float", unorm8x4 = "vec4",
    int8 = "int", int16 = "int", uint8 = "uint", uint16 = "uint",
}

-- Returns the type in kernels of a stream type.
function kernels.seen(name)
    return seen[name] or name
end

function kernels.is_packed(name)
    return seen[name] ~= nil
end

-- Returns every step-th element from first to last of a flat list of elements with n components.
function kernels.slice(flat, n, first, last, step)
    local result = {}
    for i = first, last, step or 1 do
        for c = 1, n do
            result[#result + 1] = flat[(i - 1) * n + c]
        end
    end
    return result
end

-- Returns the elements of a flat list at a list of 1-based indices.
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

-- Returns a list of f(1) .. f(n).
function kernels.list(n, f)
    local result = {}
    for i = 1, n do
        result[i] = f(i)
    end
    return result
end

-- Launches a kernel and waits for it, because devices that queue work report faults only then.
function kernels.finished(k)
    return function(...)
        local results = table.pack(k(...))
        rill.sync()
        return table.unpack(results, 1, results.n)
    end
end

kernels.elements = elements
return kernels
