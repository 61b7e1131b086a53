-- Generates random kernel bodies. One text serves as GLSL and as C; these marks stand for the parts in which the
-- languages differ:
--   \1name\2index\3       a gather or a neighbor (\4 between two indices)
--   \5name\6              a parameter that is a pointer in C
--   \7variable\8          an argument for such a parameter
--   \14type               the type of such a parameter
--   \11                   the beginning of a loop's body, which C counts
-- All operations are defined in both languages: integers wrap (gcc -fwrapv), divisors are constants, shift counts
-- are 0 .. 31, and floats are whole numbers below 64 between statements, so that every operation on them is exact
-- even if it is contracted.
local expressions = require "fuzz.support.body_expressions"

local body = {scope = expressions.scope, add = expressions.add, names_of = expressions.names_of,
    expression = expressions.expression}

local MOST_TRIPS = expressions.most_trips
local scope_of, names_of, add, fresh = expressions.scope_of, expressions.names_of, expressions.add, expressions.fresh
local index, element, expression = expressions.index, expressions.element, expressions.expression

function body.glsl(text)
    return (text:gsub("[\1\7\8\3\2\4\5\6\14\11]", {["\11"] = "", ["\1"] = "", ["\2"] = "[", ["\3"] = "]",
        ["\4"] = "][", ["\5"] = "",
        ["\6"] = "", ["\7"] = "", ["\8"] = "", ["\14"] = "inout "}):gsub("@X", "indexof(r0).x"):gsub("@Y",
            "indexof(r0).y"))
end

function body.c(text)
    text = text:gsub("\14(%w+) ", "%1 *")
    return (text:gsub("[\1\7\8\3\2\4\5\6\11]", {["\11"] = "T++;\n", ["\1"] = "G_", ["\2"] = "(", ["\3"] = ")",
        ["\4"] = ",", ["\5"] = "(*",
        ["\6"] = ")", ["\7"] = "&(", ["\8"] = ")"}):gsub("@X", "ix"):gsub("@Y", "iy"))
end

-- ---- statements

local statements

-- `depth` 1 excludes array elements from the indices.
local function target(d, scope, type, depth)
    local writable = {}
    for _, entry in ipairs(names_of(scope, type)) do
        if not entry.fixed then
            writable[#writable + 1] = entry.name
        end
    end
    if d:chance(1, 2) then
        local found = element(d, scope, type, depth or 2)
        if found then
            return found
        end
    end
    return #writable > 0 and d:pick(writable) or nil
end

local function assignment(d, scope)
    local type = d:pick(scope.types)
    local to = target(d, scope, type)
    if not to then
        return ""
    end
    local value = expression(d, scope, type, 3)
    if (type == "int" or type == "uint") and d:chance(1, 3) then
        return ("%s %s= %s;\n"):format(to, d:pick {"+", "-", "*", "^", "|"}, value)
    elseif type == "int" and d:chance(1, 4) then
        return ("%s%s;\n"):format(to, d:pick {"++", "--"})
    end
    return ("%s = %s;\n"):format(to, value)
end

local function declaration(d, scope)
    local type = d:pick(scope.types)
    local value = expression(d, scope, type, 2)
    local name = fresh(scope, "v")
    add(scope, type, name)
    return ("%s %s = %s;\n"):format(type, name, value)
end

-- A loop over 0 .. trips - 1 with statements inside. `bound`: the upper bound in the condition, if it is not the
-- number itself.
local function for_loop(d, scope, trips, bound, make)
    local inner = scope_of(scope)
    local name = fresh(scope, "i")
    inner.trips, inner.depth, inner.looped = scope.trips * math.max(trips, 1), scope.depth + 1, true
    inner.counter = name
    add(inner, "loop", name, {most = trips - 1})
    local text = make(inner, name)
    if d:chance(1, 6) then
        local least = d:chance(1, 2) and "0"
            or ("min(int(uint(%s) %% 9u), %d)"):format(expression(d, scope, "int", 1), d:below(9))
        return ("for (int %s = %d; %s >= %s; %s--) {\n\11%s}\n"):format(name, trips - 1, name, least, name, text)
    end
    return ("for (int %s = 0; %s < %s; %s++) {\n\11%s}\n"):format(name, name, bound or trips, name, text)
end

local function fill(d, scope, type, array)
    local function nest(inner, text, k)
        if k > #array.lengths then
            -- Gives every element a different value, so that moves to an incorrect index are visible.
            local value, set, loops = expression(d, inner, type, 1), "", names_of(inner, "loop")
            local step = type == "int" and "%s + %s * %d" or type == "uint" and "%s + uint(%s * %d)"
                or (type == "float" and "w" or "wd") .. "(%s + " .. type .. "(%s * %d))"
            for f, field in ipairs(array.field or {""}) do
                for by = 1, #array.lengths do
                    value = step:format(value, loops[by].name, by * 7 + f)
                end
                set = set .. ("%s%s = %s;\n"):format(text, field, value)
            end
            return set
        end
        return for_loop({chance = function() return false end}, inner, array.lengths[k], nil, function(within, name)
            return nest(within, ("%s[%s]"):format(text, name), k + 1)
        end)
    end
    return nest(scope, array.name, 1)
end

local function array(d, scope)
    local kind = d:below(6)
    local name = fresh(scope, "a")
    local made, text
    if kind < 3 then
        local type, length = d:pick {"int", "float", "uint", "double"}, d:pick {8, 2, 3, 5, 16, 33}
        if type == "double" and not scope.doubles then
            type = "int"
        end
        made, text = {lengths = {length}, type = type}, ("%s %s[%d];\n"):format(type, name, length)
    elseif kind == 3 then
        local rows, columns = d:pick {4, 2, 3}, d:pick {4, 2, 3}
        made, text = {lengths = {rows, columns}, type = "int"}, ("int %s[%d][%d];\n"):format(name, rows, columns)
    elseif kind == 4 then
        local n = d:pick {4, 3, 2}
        made, text = {lengths = {n, n}, type = "float"}, ("mat%d %s;\n"):format(n, name)
    else
        local n = d:pick {4, 2, 7}
        made, text = {lengths = {n}, type = "int", field = {".p", ".q"}}, ("S %s[%d];\n"):format(name, n)
    end
    made.name = name
    text = text .. fill(d, scope, made.type, made)
    add(scope, "array " .. made.type, name, made)
    return text
end

local function nested(d, scope, most)
    local inner = scope_of(scope)
    inner.depth = scope.depth + 1
    return statements(d, inner, 1, most)
end

local function condition(d, scope)
    local text = ("if (%s) {\n%s}"):format(expression(d, scope, "bool", 2), nested(d, scope, 3))
    return text .. (d:chance(1, 3) and (" else {\n%s}\n"):format(nested(d, scope, 3)) or "\n")
end

-- Compares the loop's counter, or a copy, with a value limited by a constant, from which compilers infer the number
-- of iterations. Returns the preceding declarations and the condition.
local function compared(d, inner)
    local name, before, kind = inner.counter, "", d:below(6)
    if kind < 2 then
        name = fresh(inner, "v")
        before = ("int %s = %s;\n"):format(name, inner.counter)
    end
    local bound = ("%s(%s, %d)"):format(d:pick {"min", "max"}, expression(d, inner, "int", 1), d:below(9))
    local text = ("(%s %s %s)"):format(name, d:pick {"<", "<=", ">", ">=", "==", "!="}, bound)
    if d:chance(1, 4) then
        text = ("(%s %s %s)"):format(text, d:pick {"&&", "||"}, expression(d, inner, "bool", 1))
    elseif d:chance(1, 4) then
        text = ("(%s ? %s : %s)"):format(expression(d, inner, "bool", 1), text, expression(d, inner, "bool", 1))
    end
    if kind == 1 or kind == 2 then
        local flag = fresh(inner, "v")
        return before .. ("bool %s = %s;\n"):format(flag, text), flag
    end
    return before, text
end

-- A conditional break or continue somewhere in a loop's body.
local function leaving(d, inner)
    if d:chance(1, 3) then
        local before, text = "", nil
        if d:chance(1, 2) then
            before, text = compared(d, inner)
        end
        return before .. ("if (%s) %s;\n"):format(text or expression(d, inner, "bool", 2), d:pick {"break", "continue"})
    end
    return ""
end

local function loop_body(d, inner)
    return statements(d, inner, 1, 3) .. leaving(d, inner) .. statements(d, inner, 0, 2)
end

-- Moves neighboring elements of an array one after the other, with another statement between them.
local function shift_elements(d, scope)
    local arrays = {}
    for _, type in ipairs {"int", "float", "uint"} do
        for _, entry in ipairs(names_of(scope, "array " .. type)) do
            if entry.lengths[1] > 2 and scope.trips * entry.lengths[1] <= MOST_TRIPS then
                arrays[#arrays + 1] = entry
            end
        end
    end
    if #arrays == 0 then
        return ""
    end
    local entry = d:pick(arrays)
    return for_loop(d, scope, entry.lengths[1] - 1, nil, function(inner, name)
        local rest = ""
        if #entry.lengths == 2 then
            rest = "[" .. index(d, inner, entry.lengths[2], 1) .. "]"
        end
        rest = rest .. (entry.field and d:pick(entry.field) or "")
        local to, from = ("%s[%s]%s"):format(entry.name, name, rest), ("%s[%s + 1]%s"):format(entry.name, name, rest)
        local before = d:chance(2, 3) and statements(d, inner, 1, 3) or ""
        local move = ("%s = %s;\n"):format(to, from)
        local kind = d:below(4)
        if kind == 1 and entry.type ~= "uint" then
            move = ("swap_%s(\7%s\8, \7%s\8);\n"):format(entry.type, to, from)
        elseif kind >= 2 then
            move = ("%s = %s(%s + %s);\n"):format(to, entry.type == "float" and "w" or "", from,
                expression(d, inner, entry.type, 1))
        end
        return before .. move .. (d:chance(1, 3) and statements(d, inner, 1, 2) or "")
    end)
end

local function trips_that_fit(d, scope, list)
    local fitting = {}
    for _, n in ipairs(list) do
        if scope.trips * n <= MOST_TRIPS then
            fitting[#fitting + 1] = n
        end
    end
    return #fitting > 0 and d:pick(fitting) or 1
end

local function loop(d, scope)
    local lengths = {7, 8, 3, 2, 5, 15, 32, 40}
    local kind = d:below(6)
    if kind < 3 then
        return for_loop(d, scope, trips_that_fit(d, scope, lengths), nil, function(inner) return loop_body(d,
            inner) end)
    elseif kind == 3 then
        local most = trips_that_fit(d, scope, {8, 4, 16})
        local bound = ("int(uint(%s) %% %du)"):format(expression(d, scope, "int", 1), most)
        local name = fresh(scope, "n")
        add(scope, "int", name, {fixed = true})
        return ("int %s = %s;\n"):format(name, bound)
            .. for_loop({chance = function() return false end, below = function() return 0 end}, scope, most, name,
                function(inner) return loop_body(d, inner) end)
    end
    local trips, name = trips_that_fit(d, scope, {4, 8, 20}), fresh(scope, "c")
    local inner = scope_of(scope)
    inner.trips, inner.depth, inner.looped, inner.counter = scope.trips * trips, scope.depth + 1, true, name
    local text = loop_body(d, inner)
    if kind == 4 then
        return ("int %s = 0;\nwhile (%s++ < %d) {\n\11%s}\n"):format(name, name, trips, text)
    end
    return ("int %s = 0;\ndo {\n\11%s} while (++%s < %d);\n"):format(name, text, name, trips)
end

-- A loop between two bounds over elements of gathers, which GPUs load before use (src/kernel/emit/emit_ahead.c).
local function over_elements(d, scope)
    local gathers, trips = {}, 28
    for _, type in ipairs {"int", "float"} do
        for _, entry in ipairs(names_of(scope, "gather " .. type)) do
            gathers[#gathers + 1] = not entry.reach and {entry = entry, type = type} or nil
        end
    end
    if #gathers == 0 or scope.trips * trips > MOST_TRIPS then
        return ""
    end
    local bounds = {expression(d, scope, "int", 1), expression(d, scope, "int", 1)}
    local from, to, name, inner = fresh(scope, "n"), fresh(scope, "n"), fresh(scope, "i"), scope_of(scope)
    inner.trips, inner.depth, inner.looped, inner.counter = scope.trips * trips, scope.depth + 1, true, name
    add(inner, "int", name, {fixed = true})
    local text = table.concat(d:many(1, 3, 2, function()
        local gather, indices = d:pick(gathers), {}
        for k = 1, gather.entry.rank do
            indices[k] = d:chance(2, 3) and ("%s + %d"):format(name, d:int(-3, 3))
                or ("int(uint(%s) %% 17u) - 3"):format(expression(d, inner, "int", 1))
        end
        local sum = target(d, inner, gather.type, 1)
        return sum and ("%s = %s(%s%s + \1%s\2%s\3);\n"):format(sum, gather.type == "float" and "w" or "", sum,
            gather.type == "float" and "" or " * 3", gather.entry.name, table.concat(indices, "\4")) or ""
    end)) .. statements(d, inner, 0, 1)
    add(scope, "int", from, {fixed = true})
    add(scope, "int", to, {fixed = true})
    return ("int %s = int(uint(%s) %% 12u) - 5, %s = int(uint(%s) %% 26u) - 5;\n"):format(from, bounds[1], to,
        bounds[2]) .. ("for (int %s = %s; %s %s %s; %s) {\n\11%s}\n"):format(name, from, name, d:pick {"<", "<="}, to,
            d:pick {name .. "++", "++" .. name, name .. " += 1", name .. " += 2"}, text)
end

local function switch(d, scope)
    local text = ("switch (%s & %d) {\n"):format(expression(d, scope, "int", 2), d:pick {3, 1, 7})
    for k, case in ipairs(d:many(1, 4, 2, function()
        return nested(d, scope, 2) .. (d:chance(1, 4) and "" or "break;\n")
    end)) do
        text = text .. ("case %d:\n%s"):format(k - 1, case)
    end
    return text .. ("default:\n%s}\n"):format(nested(d, scope, 1) .. "break;\n")
end

-- The call may change the variables of its indices, which are evaluated once, before the call.
local function exchange(d, scope)
    local type = d:pick {"int", "float"}
    local a, b = element(d, scope, type, 3), element(d, scope, type, 3)
    return a and b and ("swap_%s(\7%s\8, \7%s\8);\n"):format(type, a, b) or ""
end

local function columns(d, scope)
    local matrices = {}
    for _, entry in ipairs(names_of(scope, "array float")) do
        if #entry.lengths == 2 then
            matrices[#matrices + 1] = entry
        end
    end
    if #matrices == 0 then
        return ""
    end
    local m = d:pick(matrices)
    return ("%s[%s] = %s[%s];\n"):format(m.name, index(d, scope, m.lengths[1], 2), m.name, index(d, scope,
        m.lengths[1], 2))
end

local function early_return(d, scope)
    return ("if (%s) return%s;\n"):format(expression(d, scope, "bool", 2),
        scope.inside and " " .. expression(d, scope, scope.inside, 1) or "")
end

local function update(d, scope)
    local helpers = names_of(scope, "updater")
    local to = target(d, scope, "int", 1)
    if #helpers == 0 or not to or scope.inside then
        return ""
    end
    local helper = d:pick(helpers)
    if scope.trips * helper.trips > MOST_TRIPS then
        return ""
    end
    return ("%s(\7%s\8, %s);\n"):format(helper.name, to, expression(d, scope, "int", 2))
end

local function pushed(d, scope)
    local outputs = names_of(scope, "vout")
    if #outputs == 0 or scope.trips > 40 then
        return ""
    end
    local output = d:pick(outputs)
    return ("push(%s, %s);\n"):format(output.name, expression(d, scope, output.type, 2))
end

local rows = {
    {8, assignment}, {2, declaration}, {2, array}, {2, condition}, {5, loop}, {1, switch}, {3, exchange}, {2,
        columns}, {4, shift_elements},
    {1, early_return}, {2, update}, {1, pushed}, {3, over_elements},
}

function statements(d, scope, least, most)
    return table.concat(d:many(least, most, 2, function()
        local make = d:weighted(rows)
        local loops = make == loop or make == shift_elements or make == over_elements
        if loops and scope.depth > 3 or make == array and scope.trips > 8 then
            make = assignment
        end
        return make(d, scope)
    end))
end
body.statements = statements

-- The beginning of a kernel: variables to work on.
function body.beginning(d, scope)
    local text = ""
    for _, type in ipairs {"int", "float"} do
        local value = expression(d, scope, type, 2)
        local name = fresh(scope, "v")
        add(scope, type, name)
        text = text .. ("%s %s = %s;\n"):format(type, name, value)
    end
    return text .. (d:chance(3, 4) and array(d, scope) or "") .. (d:chance(1, 3) and array(d, scope) or "")
end

-- Sums all variables and arrays of the scope into variable `sum`, so that every incorrect value has an effect.
function body.fold(d, scope, sum)
    local parts = {("int %s = 0;\n"):format(sum)}
    for _, entry in ipairs(scope.names) do
        local type = entry.kind
        if (type == "int" or type == "float" or type == "uint") and not entry.fixed then
            table.insert(parts, ("%s = %s * 31 + int(%s);\n"):format(sum, sum, entry.name))
        elseif type:find "^array" then
            local total, last = 1, #entry.lengths
            for _, length in ipairs(entry.lengths) do
                total = total * length
            end
            local plainly = total <= 9 and d:chance(1, 2)
            for k = 0, plainly and total - 1 or 0 do
                local at = plainly and tostring(k) or "k_"
                local place = last == 1 and ("[%s]"):format(at)
                    or ("[%s / %d][%s %% %d]"):format(at, entry.lengths[2], at, entry.lengths[2])
                for _, field in ipairs(entry.field or {""}) do
                    table.insert(parts, (plainly and "" or ("for (int k_ = 0; k_ < %d; k_++) "):format(total))
                        .. ("%s = %s * 31 + int(%s%s%s);\n"):format(sum, sum, entry.name, place, field))
                end
            end
        end
    end
    return table.concat(parts)
end

-- ---- helpers before the kernel

-- The beginning of every text, for GLSL and C.
body.prelude = [[
struct S { int p; int q; };
float w(float x) { return x - 64.0 * floor(x / 64.0); }
void swap_int(%sint a, %sint b) { int t = #a; #a = #b; #b = t; }
void swap_float(%sfloat a, %sfloat b) { float t = #a; #a = #b; #b = t; }
]]
body.prelude = body.prelude:gsub("%%s", "\14"):gsub("#(%w)", "\5%1\6")

-- Functions that the kernel may call: returns their text and adds their names to the scope.
function body.helpers(d, scope)
    return table.concat(d:many(0, 3, 1, function(k)
        local name, inner = "h" .. k, scope_of(nil)
        inner.count, inner.trips, inner.depth, inner.types = scope.count, 4, 1, {"int", "float"}
        local kind = d:below(3)
        if kind == 2 then
            add(inner, "int", "\5p\6")
            add(inner, "int", "q")
            local text = statements(d, inner, 1, 4)
            add(scope, "updater", name, {trips = 20})
            return ("void %s(\14int p, int q) {\n%s}\n"):format(name, text)
        end
        local type = kind == 0 and "int" or "float"
        inner.inside = type
        add(inner, "int", "p")
        add(inner, "float", "q")
        local text = statements(d, inner, 1, 4)
        add(scope, "helper " .. type, name, {types = {"int", "float"}, trips = 20})
        return ("%s %s(int p, float q) {\n%sreturn %s;\n}\n"):format(type, name, text, expression(d, inner, type, 2))
    end))
end

return body
