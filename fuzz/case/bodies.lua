-- Compares random kernels with the same body compiled as C: control flow, private arrays, structures and matrices,
-- helper functions, views as arguments, resampled inputs, boundaries of gathers and neighbors, types, several
-- outputs, variable outputs, active elements.
local body = require "fuzz.support.body"
local compiled = require "fuzz.support.compiled"
local source = require "fuzz.support.source"

local bodies = {batch = 24}

-- Stream types for a parameter type.
local stored = {
    int = {"int", "int8", "int16"}, uint = {"uint", "uint8", "uint16"}, float = {"float", "half", "int"},
    double = {"double", "float"}, bool = {"bool"},
}

local function value_of(type, as)
    return function(d)
        if type == "bool" then
            return d:chance(1, 2)
        elseif type == "float" or type == "double" or type == "half" or as == "float" then
            local n = d:below(64)
            return type:find "int" and n or n + 0.0
        elseif type == "int" and d:chance(1, 6) then
            return d:pick {2147483647, -2147483648, 65536}
        elseif type == "uint" and d:chance(1, 6) then
            return d:pick {4294967295, 2147483648}
        end
        return type:sub(1, 1) == "u" and d:below(100) or d:weighted {{2, d:below(100)}, {1, -d:below(100)}}
    end
end

local function c_value(value)
    if value == true or value == false then
        return value and "1" or "0"
    end
    return math.type(value) == "float" and ("%a"):format(value) or ("(%d)"):format(value)
end

local function c_array(type, name, values)
    local words = {}
    for i, value in ipairs(values) do
        words[i] = c_value(value)
    end
    return ("static %s %s[] = {%s};\n"):format(type, name, #words > 0 and table.concat(words, ", ") or "0")
end

local printed = {int = "%d", uint = "%u", bool = "%d", float = "%a", double = "%a"}

-- ---- parts of a case

local function add_constants(d, case)
    for k = 1, #d:many(0, 2, 1, function() return true end) do
        local type = d:pick {"int", "float", "uint"}
        local name, value = "k" .. k, value_of(type, type)(d)
        body.add(case.scope, type, name, {fixed = true})
        table.insert(case.parameters, ("%s %s"):format(type, name))
        table.insert(case.arguments, ("%s = %s"):format(name, source.literal(value)))
        table.insert(case.formal, ("%s %s"):format(type, name))
        table.insert(case.actual, c_value(value))
    end
end

-- Returns a size that broadcasts to n: equal, a divisor, or a multiple.
local function resampled(d, n)
    local kind = d:below(6)
    if n > 0 and kind == 4 then
        return n * d:int(2, 3)
    elseif n > 0 and kind == 5 then
        return n % 2 == 0 and n // 2 or n % 3 == 0 and n // 3 or 1
    end
    return n
end

local function add_input(d, case, k)
    local type = d:pick(case.scope.doubles and {"int", "float", "uint", "bool", "double"} or {"int", "float", "uint",
        "bool"})
    local in_place = not case.where and d:chance(1, 6) and type ~= "bool"
    local name = "x" .. k
    local shape, written = {}, in_place
    for axis, n in ipairs(case.shape) do
        shape[axis] = (in_place or case.stencil) and n or resampled(d, n)
    end
    local of = (in_place or case.stencil) and type or d:pick(stored[type])
    local stream = source.stream(d, name, of, shape, value_of(of, type), {written = written,
        rounds = case.stencil and 0})
    local map = source.places(case.shape, shape, function(index)
        local at = {}
        for axis, i in ipairs(index) do
            local n, m = case.shape[axis], shape[axis]
            at[axis] = m >= n and i * (m // n) or i // (n // m)
        end
        return at
    end)
    local values = {}
    for e, place in ipairs(map) do
        values[e] = stream.of[place]
    end
    table.insert(case.lines, stream.lines)
    table.insert(case.parameters, ("%s%s %s<>"):format(in_place and "inout " or "", type, name))
    table.insert(case.arguments, ("%s = %s"):format(name, name))
    table.insert(case.arrays, c_array(type, "A_" .. name, values))
    if in_place then
        body.add(case.scope, type, "\5" .. name .. "\6")
        table.insert(case.formal, ("%s *%s"):format(type, name))
        table.insert(case.actual, ("&A_%s[e]"):format(name))
        table.insert(case.outputs, {name = name, type = type, view = stream, array = "A_" .. name, in_place = true})
    else
        body.add(case.scope, type, name, {fixed = true})
        table.insert(case.formal, ("%s %s"):format(type, name))
        table.insert(case.actual, ("A_%s[e]"):format(name))
    end
end

local boundaries = {{"", "c"}, {":boundary 'wrap'", "w"}, {":boundary 'mirror'", "m"}, {":boundary 'zero'", "z"},
    {":boundary(7)", "7"}}

local modes = {c = "(clamp)", w = "(wrap)", m = "(mirror)", z = "(zero)", ["7"] = "(7)"}

local function reader(type, name, shape, mode, center)
    local rows, columns = #shape == 2 and shape[1] or 1, shape[#shape]
    local outside = mode == "7" and "7" or "0"
    local two = #shape == 2
    return ("static %s G_%s(%sint x) { int i = reach(%s, %d, '%s'), j = reach(%s, %d, '%s'); "
        .. "return i < 0 || j < 0 ? %s : A_%s[i * %d + j]; }\n"):format(type, name, two and "int y, " or "",
        (two and "y" or "0") .. (center and two and " + cy" or ""), rows, mode, "x" .. (center and " + cx" or ""),
            columns, mode,
        outside, name, columns)
end

local function add_gather(d, case, k, neighbor)
    local type, name = d:pick {"int", "float", "uint"}, (neighbor and "u" or "g") .. k
    local shape = neighbor and case.shape or d:chance(1, 3) and {d:int(1, 5), d:int(1, 6)} or {d:int(1, 20)}
    if source.size(shape) == 0 then
        return
    end
    local of = case.stencil and neighbor and type or d:pick(stored[type])
    local stream = source.stream(d, name, of, shape, value_of(of, type), {rounds = case.stencil and neighbor and 0})
    local boundary = d:pick(boundaries)
    table.insert(case.lines, stream.lines)
    local own = neighbor and d:chance(1, 3) and d:pick(boundaries) -- modes in the signature replace those of the stream
    table.insert(case.parameters, neighbor and ("neighbor%s %s %s<>"):format(own and modes[own[2]] or "", type, name)
        or ("%s %s%s"):format(type, name, ("[]"):rep(#shape)))
    table.insert(case.arguments, ("%s = %s%s"):format(name, name, boundary[1]))
    table.insert(case.arrays, c_array(type, "A_" .. name, stream.of))
    table.insert(case.arrays, reader(type, name, shape, (own or boundary)[2], neighbor))
    body.add(case.scope, "gather " .. type, name, {rank = #shape, reach = neighbor and 2})
end

local function add_output(d, case, k)
    local type, name = d:pick(case.scope.doubles and {"int", "float", "uint", "double"} or {"int", "float", "uint"}),
        "r" .. k
    local output = {name = name, type = type, array = "A_" .. name}
    table.insert(case.parameters, ("out %s %s<>"):format(type, name))
    if not case.stencil and d:chance(1, 3) then
        output.view = source.stream(d, name, type, case.shape, value_of(type, type), {written = true})
        table.insert(case.lines, output.view.lines)
        table.insert(case.arguments, ("%s = %s"):format(name, name))
        output.kept = case.where and output.view.of
    end
    table.insert(case.outputs, output)
    local initial = {}
    for e = 1, source.size(case.shape) do
        initial[e] = output.kept and output.kept[e] or 0
    end
    table.insert(case.arrays, c_array(type, output.array, initial))
    table.insert(case.formal, ("%s *%s"):format(type, name))
    table.insert(case.actual, ("&A_%s[e]"):format(name))
    return output
end

local function add_vout(d, case)
    local type, size = d:pick {"int", "uint"}, source.size(case.shape)
    table.insert(case.parameters, ("vout %s v0<>"):format(type))
    table.insert(case.arrays, ("static %s v0[%d]; static int v0_count;\n"):format(type, 4096 * (size + 1)))
    table.insert(case.outputs, {name = "v0", type = type, array = "v0", count = "v0_count"})
    body.add(case.scope, "vout", "v0", {type = type})
end

local function add_where(d, case)
    case.where = {}
    for e = 1, source.size(case.shape) do
        case.where[e] = d:chance(1, 2)
    end
    table.insert(case.lines, ("local mask = rill.stream('bool', %s, %s)\n"):format(source.list(case.shape),
        source.list(case.where)))
    table.insert(case.arguments, "where = mask")
    table.insert(case.arrays, c_array("bool", "mask", case.where))
end

-- More inputs than a program has separate bindings for.
local function add_crowd(d, case)
    local n = d:int(8, 48) -- together with the others less than 64, the maximum number of parameters
    local values, sum = {}, {}
    for k = 1, n do
        local name = "y" .. k
        for e = 1, source.size(case.shape) do
            values[e] = d:below(9)
        end
        table.insert(case.lines, ("local %s = rill.stream('float', %s, %s)\n"):format(name, source.list(case.shape),
            source.list(values)))
        table.insert(case.parameters, "float " .. name .. "<>")
        table.insert(case.arguments, ("%s = %s"):format(name, name))
        table.insert(case.arrays, c_array("float", "A_" .. name, values))
        table.insert(case.formal, "float " .. name)
        table.insert(case.actual, ("A_%s[e]"):format(name))
        sum[k] = name
    end
    case.crowd = ("float crowd = %s;\n"):format(table.concat(sum, " + "))
    body.add(case.scope, "float", "crowd")
end

local function signature(d, case)
    add_constants(d, case)
    local variable = not case.stencil and d:chance(1, 8)
    if not variable and not case.stencil and d:chance(1, 6) then
        add_where(d, case)
    end
    for k = 0, #d:many(1, 3, 1, function() return true end) - 1 do
        add_input(d, case, k)
    end
    if not case.stencil and d:chance(1, 16) then
        add_crowd(d, case)
    end
    for k = 1, #d:many(0, 2, 1, function() return true end) do
        add_gather(d, case, k, false)
    end
    if case.stencil or d:chance(1, 4) then
        for k = 0, case.stencil and d:int(0, 1) or 0 do
            add_gather(d, case, k, true)
        end
    end
    local finish = {}
    for k = 0, #d:many(1, 3, 1, function() return true end) - 1 do
        finish[#finish + 1] = add_output(d, case, k)
    end
    if variable then
        add_vout(d, case)
    end
    return finish
end

-- ---- texts of a case

local function glsl(case)
    local double = case.scope.doubles and "double wd(double x) { return x - 64.0 * floor(x / 64.0); }\n" or ""
    local text = ("%skernel void f(%s) {\n%s}\n"):format(case.helpers, table.concat(case.parameters, ", "), case.body)
    if case.renamed then
        text = text:gsub("%f[%w_]v1%f[^%w_]", case.renamed)
    end
    local before = {}
    for line, name in (body.prelude .. double):gmatch "(%w+ ([%w_]+)[^\n]*\n)" do
        if text:find("%f[%w_]" .. name .. "%f[^%w_]") then
            before[#before + 1] = line
        end
    end
    return case.disguise(body.glsl(table.concat(before) .. text))
end

-- Returns the same text in another form: carriage returns, comments, continued lines, macros.
local disguises = {
    function(text) return text end,
    function(text) return (text:gsub("\n", "\r\n")) end,
    function(text) return (text:gsub(";\n", "; // so it is \\\nr0 = 1;\n")) end,
    function(text) return (text:gsub(" = ", " \\\n= ")) end,
    function(text) return (text:gsub(" = ", " \\\r\n= ")) end,
    function(text) return (text:gsub(" ([%+%-]) ", " /* %1 \n */ %1 ")) end,
    function(text) return "#define SET(a, b) a = b\n#if __VERSION__ >= 430 && !defined(SOMETHING)\n"
        .. text:gsub("%f[%w_]([%a][%w]*) = ([%w%.]+);", "SET(%1, %2);") .. "#else\nnonsense\n#endif\n" end,
}

-- Names that have a meaning in GLSL, C or rill.
local odd_names = {"input", "output", "filter", "sample", "half", "rill_length", "rill_active", "rill_index", "equal",
    "texture", "main"}

local function c_text(case, name)
    local parts = {}
    for word in (case.helpers .. table.concat(case.arrays)):gmatch "[%w_]+" do
        if word:find "^h%d$" or word:find "^A_" or word:find "^G_" or word:find "^v0" or word == "mask" then
            parts[word] = true
        end
    end
    local before, after = {"static int cx, cy;\n"}, {}
    for word in pairs(parts) do
        table.insert(before, ("#define %s %s_%s\n"):format(word, name, word))
        table.insert(after, ("#undef %s\n"):format(word))
    end
    local rows, columns = #case.shape == 2 and case.shape[1] or 1, case.shape[#case.shape]
    local text = {table.concat(before), table.concat(case.arrays), body.c(case.helpers)}
    table.insert(text, ("static void %s_body(int ix, int iy, %s) {\n%s}\n"):format(name, table.concat(case.formal,
        ", "),
        body.c(case.body)))
    table.insert(text,
        ("static void %s(void) {\n  for (int e = 0; e < %d; e++) {\n    cx = e %% %d; cy = e / %d; T = 0;\n")
        :format(name, rows * columns, math.max(columns, 1), math.max(columns, 1)))
    if case.where then
        table.insert(text, "    if (!mask[e]) continue;\n")
    end
    for _, output in ipairs(case.outputs) do
        if output.name:find "^r" then
            table.insert(text, ("    A_%s[e] = 0;\n"):format(output.name))
        end
    end
    table.insert(text, ("    %s_body(cx, cy, %s);\n    if (T > most) most = T;\n  }\n"):format(name,
        table.concat(case.actual, ", ")))
    for _, output in ipairs(case.outputs) do
        table.insert(text,
            ("  printf(\"%s\"); for (int e = 0; e < %s; e++) printf(\" %s\", %s[e]); printf(\"\\n\");\n"):format(
            output.name, output.count or rows * columns, printed[output.type], output.array))
    end
    table.insert(text, "}\n" .. table.concat(after))
    return table.concat(text)
end

-- Neighboring invocations share the loop limit of llvmpipe: discards cases that could come near it.
local MOST_TRIPS = 4000

local function script(case, results)
    if results.trips[1] > MOST_TRIPS then
        return "return 'too many trips'"
    end
    local names, checks = {}, {}
    for _, output in ipairs(case.outputs) do
        local expected = results[output.name] or {}
        local got = output.name
        if not output.in_place then
            got = "got_" .. got
            names[#names + 1] = got
        end
        checks[#checks + 1] = ("same(%q, %s, %s)\n"):format(output.name, source.list(expected), got)
        if output.view and output.view.text ~= "" then
            checks[#checks + 1] = ("same(%q, %s, %s)\n"):format(output.name .. "_base",
                source.list(source.written(output.view, expected)), output.view.base_name)
        end
    end
    table.insert(case.arguments, "shape = " .. source.list(case.shape))
    return ("local f = rill.kernel [==[\n%s]==]\n%slocal %s = f {%s}\n%s"):format(glsl(case), table.concat(case.lines),
        table.concat(names, ", "), table.concat(case.arguments, ", "), table.concat(checks))
end

local shapes = {
    function(d) return {d:pick {4, 1, 2, 3, 5, 8, 9, 17, 33, 64, 0}} end,
    function(d) return {d:pick {2, 1, 3, 5}, d:pick {4, 1, 3, 6, 8, 13}} end,
}

-- Rows that consist of whole steps.
local stencil_shapes = {
    function(d) return {d:int(1, 9), 4 * d:int(1, 17)} end,
    function(d) return {4 * d:int(1, 17)} end,
}

-- Adds neighbors at known offsets to `sum`.
local function neighbors(d, case)
    local text = ""
    for _, type in ipairs {"int", "float", "uint"} do
        for _, entry in ipairs(case.scope.names) do
            for _ = 1, entry.kind == "gather " .. type and entry.reach and d:int(1, 6) or 0 do
                local offsets = {}
                for k = 1, entry.rank do
                    offsets[k] = tostring(d:int(-3, 3))
                end
                text = text .. ("sum = sum * 31 + int(\1%s\2%s\3);\n"):format(entry.name,
                    table.concat(offsets, "\4"))
            end
        end
    end
    return text
end

local function make(d)
    local stencil = d:chance(1, 6) -- streams that are packed, and a body without loops: steps of several rows
    local case = {
        stencil = stencil,
        shape = stencil and d:weighted {{2, stencil_shapes[1]}, {1, stencil_shapes[2]}}(d)
            or d:weighted {{2, shapes[1]}, {1, shapes[2]}}(d), scope = body.scope(), lines = {}, parameters = {},
            arguments = {},
        formal = {}, actual = {}, arrays = {}, outputs = {},
    }
    local scope = case.scope
    scope.doubles = d:chance(1, 8)
    scope.types = scope.doubles and {"int", "float", "uint", "double"} or {"int", "float", "uint"}
    local finish = signature(d, case)
    case.disguise = d:chance(1, 4) and d:pick(disguises) or disguises[1]
    if d:chance(1, 8) then
        case.renamed = d:pick(odd_names)
    end
    body.add(scope, "int", "@X", {fixed = true})
    if #case.shape == 2 then
        body.add(scope, "int", "@Y", {fixed = true})
    end
    case.helpers = stencil and "" or body.helpers(d, scope)
    local text = (case.crowd or "") .. (stencil and "" or body.beginning(d, scope) .. body.statements(d, scope, 2, 8))
        .. body.fold(d, scope, "sum") .. (stencil and neighbors(d, case) or "")
    for k, output in ipairs(finish) do
        local exact = output.type == "float" and "float(sum & 65535)" or output.type .. "(sum)"
        text = text .. ("\5%s\6 = %s;\n"):format(output.name, k == 1 and exact or body.expression(d, scope,
            output.type, 3))
    end
    case.body = text
    return case
end

-- Returns a script for a source of choices.
function bodies.scripts(draws)
    local cases, texts, names, scripts = {}, {}, {}, {}
    for i, d in ipairs(draws) do
        cases[i], names[i] = make(d), "k" .. i .. "_"
        texts[i] = c_text(cases[i], names[i])
    end
    local prelude = body.c(body.prelude) .. "static double wd(double x) { return x - 64.0 * floor(x / 64.0); }\n"
    local results = compiled.run(prelude, texts, names)
    for i, case in ipairs(cases) do
        scripts[i] = script(case, results[names[i]])
    end
    return scripts
end

return bodies
