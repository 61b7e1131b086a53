-- s:sort with a key computed from each element. Adds the method to streams.

-- What kernels see of types that are only stored.
local values = {
    half = "float", half2 = "vec2", half4 = "vec4", unorm8 = "float", unorm8x4 = "vec4",
    int8 = "int", int16 = "int", uint8 = "uint", uint16 = "uint",
}
-- The types a key can have, each before those it would be converted to without a word.
local key_types = {"bool", "int", "uint", "float", "double"}

local KERNELS = 256
local kernels, count = {}, 0

local function fail(level, format, ...)
    error("s:sort: " .. format:format(...), level + 1)
end

-- Whether every bracket is closed by its own kind: the expression is one, and stays inside the kernel's.
local function balanced(expression)
    local closing, open = {["("] = ")", ["["] = "]", ["{"] = "}"}, {}
    for mark in expression:gmatch "[%(%)%[%]{};]" do
        if closing[mark] then
            open[#open + 1] = closing[mark]
        elseif table.remove(open) ~= mark then
            return false
        end
    end
    return #open == 0
end

-- The compiler's message without the place in a text that the caller never wrote.
-- `before`: lines in front of it.
local function message_of(message, expression, before)
    local line, rest = message:match "kernel text:(%d+): (.*)$"
    if not line then
        return message
    elseif tonumber(line) > before then
        return rest
    end
    return rest:match "^[^\n]*" .. "\n    " .. expression -- about the expression as a whole
end

-- The kernel that computes the key of every element; its type is found by trying.
local function key_kernel(make, s, expression)
    local declared = make.declare(s)
    local element = declared == "" and (values[s.type] or s.type) or s.type
    local known = declared .. element .. "\n" .. expression
    if kernels[known] then
        return kernels[known]
    end
    local failure
    for _, key in ipairs(key_types) do
        local text = ("%skernel %s key(%s x<>) { return (\n%s\n); }"):format(declared, key, element, expression)
        local made, kernel = pcall(make.kernel, text)
        if made then
            if count == KERNELS then
                kernels, count = {}, 0
            end
            kernels[known], count = kernel, count + 1
            return kernel
        end
        if key == "float" then
            failure = message_of(tostring(kernel), expression, 1 + #declared:gsub("[^\n]", ""))
        end
    end
    fail(3, "option 'key': expected an expression in x with a scalar value\n%s", failure)
end

return function(rill)
    -- A chunk of its own, so that errors in the text are not looked for in this file.
    local make = {
        declare = rill._declare,
        kernel = assert(load("local kernel = ... return function(text) local k = kernel(text) return k end",
            "=s:sort"))(rill.kernel),
    }

    --- s:sort([{descending =, axis =, key =}]): a new stream of the elements in order, stable. `key` is a GLSL expression in x, the
    -- element, by whose scalar value they are ordered; vectors and structures need one.
    rill._method("sort", function(s, options, ...)
        local key = type(options) == "table" and options.key
        if key == nil or key == false then
            return rill._sort(s, options, ...)
        elseif type(key) ~= "string" or not key:find "%S" then
            fail(2, "option 'key': expected an expression in x (a string), got %s",
                type(key) == "string" and "an empty one" or rill.type(key) or type(key))
        elseif not balanced(key) then
            fail(2, "option 'key': its parentheses do not match: %s", key)
        end
        local others = {}
        for name, value in pairs(options) do
            if name ~= "key" then
                others[name] = value
            end
        end
        rill._sort_options(s, others)
        local keys <close> = key_kernel(make, s, key)(s)
        return rill._sort_keyed(keys, s, others)
    end)
end
