-- The types of values in kernel text, by their GLSL names: "float", "dvec3", "mat2x3", "float[4]", or a structure.
local types = {}

local SCALARS <const> = {float = "", double = "d", int = "i", uint = "u", bool = "b"}
local known = {}

for base, letter in pairs(SCALARS) do
    known[base] = {base = base, rows = 1, columns = 1, size = 1}
    for n = 2, 4 do
        known[letter .. "vec" .. n] = {base = base, rows = n, columns = 1, size = n}
        for m = 2, 4 do
            local info = {base = base, rows = m, columns = n, size = n * m}
            if base == "float" or base == "double" then
                known[letter .. "mat" .. n .. "x" .. m] = info
                known[letter .. "mat" .. n] = n == m and info or known[letter .. "mat" .. n]
            end
        end
    end
end

known.void = {base = "void", rows = 0, columns = 0, size = 0, real = false}

--- types.table() returns {info =, add =}: info(name) describes a type; structures are added with add(node), the node
-- of their declaration. The fields: base ("float", "double", "int", "uint", "bool", "structure", "array" or "void"),
-- rows and columns of vectors and matrices, size (components); `fields` of a structure, each {name, type}; `element`
-- and `length` of an array; `real`: whether the type has components that can be differentiated.
function types.table()
    local found = {}
    local self = {}

    function self.info(name)
        local info = known[name] or found[name]
        if not info then
            local element, length, rest = name:match "^(.-)%[(%d+)%](.*)$"
            assert(element, name)
            element = element .. rest
            info = {base = "array", element = element, length = math.tointeger(tonumber(length)),
                real = self.info(element).real}
            found[name] = info
        end
        return info
    end

    function self.add(node)
        local name = node.text
        if found[name] then return end
        local fields, real = {}, false
        for _, declaration in ipairs(node) do
            for i = 2, #declaration do
                local variable = declaration[i]
                if declaration[1].structure then self.add(declaration[1].structure) end
                fields[#fields + 1] = {variable.text, variable.type}
                real = real or self.info(variable.type).real
            end
        end
        found[name] = {base = "structure", fields = fields, real = real, name = name}
    end

    return self
end

for _, info in pairs(known) do
    info.real = info.base == "float" or info.base == "double"
end

--- types.of(base, rows [, columns]) returns the name of a type of scalars.
function types.of(base, rows, columns)
    local letter = SCALARS[base]
    if (columns or 1) > 1 then
        return letter .. "mat" .. columns .. (rows ~= columns and "x" .. rows or "")
    end
    return rows == 1 and base or letter .. "vec" .. rows
end

return types
