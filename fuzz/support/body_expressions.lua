-- Scopes of random kernel bodies, and random expressions of their names, for body.lua.
local MOST_TRIPS = 600

-- ---- scopes: names for expressions

local function scope_of(parent)
    return setmetatable({names = {}, parent = parent}, {__index = parent})
end

local function names_of(scope, kind)
    local found = {}
    while scope do
        for _, entry in ipairs(scope.names) do
            if entry.kind == kind then
                found[#found + 1] = entry
            end
        end
        scope = scope.parent
    end
    return found
end

local function add(scope, kind, name, extra)
    local entry = extra or {}
    entry.kind, entry.name = kind, name
    table.insert(scope.names, entry)
    return entry
end
local function new_scope()
    local scope = scope_of(nil)
    scope.count = {0}
    scope.trips = 1
    scope.depth = 0
    return scope
end

local function fresh(scope, letter)
    scope.count[1] = scope.count[1] + 1
    return letter .. scope.count[1]
end

-- ---- expressions

local expression

-- Returns an index below `length`: a loop's variable with an offset if that is in range, or else any value modulo
-- the length.
local function index(d, scope, length, depth)
    local fitting = {}
    for _, entry in ipairs(names_of(scope, "loop")) do
        for offset = 0, math.min(length - 1 - entry.most, 2) do
            table.insert(fitting, offset == 0 and entry.name or entry.name .. " + " .. offset)
        end
        if entry.most == length - 1 then
            table.insert(fitting, ("%d - %s"):format(length - 1, entry.name))
            table.insert(fitting, ("(%s + 1) %% %d"):format(entry.name, length))
        end
    end
    if #fitting > 0 and d:chance(3, 4) then
        return d:pick(fitting)
    elseif d:chance(2, 3) then
        return ("int(uint(%s) %% %du)"):format(expression(d, scope, "int", depth - 1), length)
    end
    return tostring(d:below(length))
end

local function element(d, scope, type, depth)
    local arrays = names_of(scope, "array " .. type)
    if #arrays == 0 then
        return nil
    end
    local array = d:pick(arrays)
    local text = array.name
    for _, length in ipairs(array.lengths) do
        text = text .. "[" .. index(d, scope, length, depth) .. "]"
    end
    return text .. (array.field and d:pick(array.field) or "")
end

local function gathered(d, scope, type, depth)
    local gathers = names_of(scope, "gather " .. type)
    if #gathers == 0 then
        return nil
    end
    local gather = d:pick(gathers)
    local indices = {}
    for k = 1, gather.rank do
        if gather.reach then
            indices[k] = tostring(d:int(-gather.reach, gather.reach))
        else
            local over, low = d:pick {5, 17, 64}, d:pick {0, 3}
            indices[k] = ("int(uint(%s) %% %du) - %d"):format(expression(d, scope, "int", depth - 1), over, low)
        end
    end
    return "\1" .. gather.name .. "\2" .. table.concat(indices, "\4") .. "\3"
end

local function variable(d, scope, type)
    local found = names_of(scope, type)
    if type == "int" then
        for _, entry in ipairs(names_of(scope, "loop")) do
            found[#found + 1] = entry
        end
    end
    return #found > 0 and d:pick(found).name or nil
end

local function called(d, scope, type, depth)
    local helpers = names_of(scope, "helper " .. type)
    if #helpers == 0 or scope.inside then
        return nil
    end
    local helper = d:pick(helpers)
    if scope.trips * helper.trips > MOST_TRIPS then
        return nil
    end
    local arguments = {}
    for k, of in ipairs(helper.types) do
        arguments[k] = expression(d, scope, of, depth - 1)
    end
    return ("%s(%s)"):format(helper.name, table.concat(arguments, ", "))
end

local function two(d, scope, type, depth, format)
    return format:format(expression(d, scope, type, depth - 1), expression(d, scope, type, depth - 1))
end

local leaves = {
    int = function(d) return tostring(d:weighted {{6, d:below(10)}, {2, -d:below(10)}, {1, 2147483647}, {1,
        65537}}) end,
    uint = function(d) return d:weighted {{6, d:below(10) .. "u"}, {1, "4294967295u"}, {1, "2147483648u"}} end,
    float = function(d) return ("%d.0"):format(d:below(64)) end,
    bool = function(d) return d:chance(1, 2) and "true" or "false" end,
    double = function(d) return ("%d.0"):format(d:below(64)) end,
}

local INT = {"%s + %s", "%s - %s", "%s * %s", "%s & %s", "%s | %s", "%s ^ %s", "min(%s, %s)", "max(%s, %s)"}

local function whole(unsigned)
    local type, u = unsigned and "uint" or "int", unsigned and "u" or ""
    return function(d, scope, depth)
        local kind = d:below(unsigned and 10 or 12)
        local function one(of) return expression(d, scope, of or type, depth - 1) end
        if kind < 5 then
            return "(" .. two(d, scope, type, depth, d:pick(INT)) .. ")"
        elseif kind == 5 then
            return ("(%s ? %s : %s)"):format(one "bool", one(), one())
        elseif kind == 6 then
            return ("(%s %s %d)"):format(one(), d:pick {"<<", ">>"}, d:below(32))
        elseif kind == 7 then
            return unsigned and ("(%s %s %du)"):format(one(), d:pick {"%", "/"}, d:int(1, 9))
                or ("((%s & 65535) %s %d)"):format(one(), d:pick {"%", "/"}, d:int(1, 9))
        elseif kind == 8 then
            return ("%s(%s)"):format(type, one(unsigned and "int" or "uint"))
        elseif kind == 9 then
            return ("%s(%s)"):format(type, one(d:pick {"bool", "float"}))
        elseif kind == 10 then
            return ("clamp(%s, -%d%s, %d%s)"):format(one(), d:below(9), u, d:below(99), u)
        end
        return ("abs(%s %% 1000)"):format(("(%s & 65535)"):format(one()))
    end
end

local function real(type)
    local wrap = type == "float" and "w" or "wd"
    return function(d, scope, depth)
        local kind = d:below(8)
        local function one(of) return expression(d, scope, of or type, depth - 1) end
        if kind < 3 then
            return ("%s(%s %s %s)"):format(wrap, one(), d:pick {"+", "-", "*"}, one())
        elseif kind == 3 then
            return ("(%s ? %s : %s)"):format(one "bool", one(), one())
        elseif kind == 4 then
            return ("%s(%s & 63)"):format(type, one "int")
        elseif kind == 5 then
            return ("%s(%s, %s)"):format(d:pick {"min", "max"}, one(), one())
        elseif kind == 6 then
            return ("%s(floor(%s * 0.5) + %s)"):format(wrap, one(), one())
        end
        return ("%s(%s)"):format(type, one(type == "double" and "float" or "bool"))
    end
end

local makers = {
    int = whole(false), uint = whole(true), float = real "float", double = real "double",
    bool = function(d, scope, depth)
        local kind = d:below(5)
        if kind < 3 then
            local type = d:pick {"int", "uint", "float"}
            return "(" .. two(d, scope, type, depth, "%s " .. d:pick {"<", "<=", ">", ">=", "==", "!="} .. " %s") .. ")"
        elseif kind == 3 then
            return "(" .. two(d, scope, "bool", depth, "%s " .. d:pick {"&&", "||"} .. " %s") .. ")"
        end
        return "!" .. expression(d, scope, "bool", depth - 1)
    end,
}

function expression(d, scope, type, depth)
    if depth > 0 and d:chance(1, 2) then
        return makers[type](d, scope, depth)
    end
    local found
    local kind = d:below(10)
    if kind < 5 or depth <= 0 then
        found = variable(d, scope, type)
    elseif kind < 8 then
        found = element(d, scope, type, depth)
    elseif kind == 8 then
        found = d:chance(1, 2) and called(d, scope, type, depth) or gathered(d, scope, type, depth)
    else
        return leaves[type](d)
    end
    found = found or variable(d, scope, type)
    if not found and type == "bool" then
        return "(" .. two(d, scope, "int", 0, "%s < %s") .. ")"
    end
    return found or leaves[type](d)
end

return {most_trips = MOST_TRIPS, scope = new_scope, scope_of = scope_of, names_of = names_of, add = add, fresh = fresh,
    index = index, element = element, expression = expression}
