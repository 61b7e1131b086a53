-- rill.help: returns the documentation of a name or of a value as text. The content is in reference.lua.
local core = require "rill.core"
local rill = require "rill.core.public"
local suggest = require "rill.core.suggest"
local tables = require "rill.core.tables"
local reference = require "rill.shell.reference"
local topics = require "rill.shell.topics"

local overview = [[
Type Lua. The value of an expression is printed and stored in _ (the previous results are _2 and _3).
  x = rill.random(1000)          a stream of 1000 numbers on the device
  x:mean()                       its mean, a number
  y = 2.5 * x + 1                an expression: computed when it is used
  k = rill.kernel "kernel void twice(float x<>, out float r<>) { r = 2.0 * x; }"
  k(x)                           runs a kernel, once per element
  rill.show(rill.random({32, 64}))
  t = rill.frame.load "sales.csv"             a table: ?rill.frame, ?frame lists its methods
  rill.neighbors(rill.vec2(t.x, t.y), {k = 8})    nearest points: ?rill.neighbors, ?rill.points
?name or help(name) explains a name: ?rill.stream, ?s:scan, ?gather. help(x) lists the methods of a value.
?words searches the manual: ?nearest neighbor, ?group by.
?rill lists the names in the module, ?? all names.
Tab completes names, methods after ':', option names and, in strings, paths. Ctrl-C interrupts, Ctrl-D ends.]]

-- Returns the text in lines of at most `width` characters, each with the indent.
local function wrapped(text, width, indent)
    local lines, line = {}, indent
    for word in text:gmatch "%S+" do
        if #line > #indent and #line + 1 + #word > width then
            lines[#lines + 1], line = line, indent
        end
        line = line .. (#line > #indent and " " or "") .. word
    end
    lines[#lines + 1] = line
    return table.concat(lines, "\n")
end

local function described(entry, width)
    local head = entry.language and ("in kernel text: %s"):format(entry.form) or entry.signature
    return ("%s\n%s\n  [docs/%s.md]"):format(wrapped(head, width, ""), wrapped(entry.summary, width, "  "), entry.page)
end

-- Returns a list of names in lines of at most `width` characters.
local function names_of(list, width)
    table.sort(list)
    return wrapped(table.concat(list, " "), width, "  ")
end

-- Returns the members of a type: fields, then methods.
local function members_of(letter, width)
    local fields, methods = {}, {}
    for name, entry in pairs(reference.members(letter)) do
        table.insert(entry.params and methods or fields, name)
    end
    local text = #fields > 0 and "fields\n" .. names_of(fields, width) .. "\n" or ""
    return #methods > 0 and text .. "methods\n" .. names_of(methods, width) or text:sub(1, -2)
end

-- Returns "a stream has", "an expression has" or "factors have", and a line break.
local function heading(kind)
    if kind:find "s$" then
        return kind .. " have\n"
    end
    return ("%s %s has\n"):format(kind:find "^[aeiou]" and "an" or "a", kind)
end

-- Returns the names directly below a prefix such as "rill."; for the prefix "rill." also the modules in it.
local function module_names(prefix, width)
    local list = {}
    for _, entry in ipairs(reference.entries()) do
        local name = entry.name:match("^" .. prefix:gsub("%.", "%%.") .. "([%a][%w_]*)$")
        list[#list + 1] = name
    end
    local parts = prefix == "rill." and "\nmodules in it\n" .. names_of(tables.keys(suggest.parts()), width) or ""
    return #list > 0 and prefix:sub(1, -2) .. " has\n" .. names_of(list, width) .. parts or nil
end

-- Returns all names, for `??`.
local function everything(width)
    local texts = { module_names("rill.", width) }
    for _, part in ipairs(tables.keys(suggest.parts())) do
        texts[#texts + 1] = module_names("rill." .. part .. ".", width)
    end
    for _, kind in ipairs { "stream", "expression", "kernel", "device", "translator", "container", "range",
        "snapshot", "matrix", "factors", "hierarchy", "fluid", "particles", "wave", "heat", "cloth", "nbody",
        "optimizer", "frame", "groups", "neighbors" } do
        -- Expressions also have the methods of streams.
        local letter = kind == "expression" and "e" or reference.letters[kind]
        texts[#texts + 1] = heading(kind) .. members_of(letter, width)
    end
    local language = {}
    for _, entry in ipairs(reference.entries()) do
        language[#language + 1] = entry.language and entry.name or nil
    end
    texts[#texts + 1] = "kernel text has\n" .. names_of(language, width)
    return table.concat(texts, "\n\n")
end

local function of_name(name, width)
    local part = module_names((name:match "^rill" and name or "rill." .. name) .. ".", width)
    local found = reference.find(name)
    if #found == 0 and not (part and name:find "^rill") then
        found = reference.find(name:match "[%w_]*$") -- rill.scan: s:scan is meant
    end
    local parts = {}
    for i, entry in ipairs(found) do
        parts[i] = described(entry, width)
    end
    parts[#parts + 1] = part
    if reference.letters[name] then
        parts[#parts + 1] = heading(name) .. members_of(reference.letters[name], width)
    end
    return #parts > 0 and table.concat(parts, "\n\n") or nil
end

-- Returns the public name of a function or table of the module; nil for other values.
local function name_of(value)
    for _, entry in ipairs(reference.entries()) do
        local at = rill
        local path = entry.name:match "^rill%.(.+)$"
        for key in (path or ""):gmatch "[^.]+" do
            at = type(at) == "table" and rawget(at, key) or nil
        end
        if path and at ~= nil and rawequal(at, value) then
            return entry.name
        end
        local letter, method = entry.name:match "^([se]):([%w_]+)$"
        if letter and rawequal(core._method(method), value) then
            return entry.name
        end
        local tables_of = package.loaded["rill.frame.table"] -- not loaded: there is no frame
        if tables_of and rawequal(tables_of.methods[entry.name:match "^frame:([%w_]+)$"], value) then
            return entry.name
        end
    end
end

-- Returns the text and the fields of a report, for example of a solver; nil for other tables.
local function of_report(value, width)
    local meta = type(value) == "table" and getmetatable(value)
    if type(meta) == "table" and type(meta.__name) == "string" and meta.__name:find "^rill%." then
        local fields = {}
        for key in next, value do
            fields[#fields + 1] = type(key) == "string" and key:find "^%a" and key or nil
        end
        return ("%s\nits fields\n%s"):format(value, names_of(fields, width))
    end
end

local function of_value(value, width)
    local meta = type(value) == "table" and getmetatable(value)
    local kind = rill.type(value) or type(meta) == "table" and meta.__name == "rill.groups" and "groups"
    if rawequal(value, rill) then
        return module_names("rill.", width)
    elseif kind == "kernel" then
        return tostring(value) .. "\n" .. members_of("k", width)
    elseif reference.letters[kind] then
        return heading(kind) .. members_of(reference.letters[kind], width)
    end
    local name = name_of(value)
    if name then
        return of_name(name, width)
    elseif type(value) == "table" then
        for _, entry in ipairs(reference.entries()) do -- a part of the module, as rill.image
            local part = entry.name:match "^rill%.([%w_]+)%."
            if part and rawequal(rawget(rill, part), value) then
                return of_name("rill." .. part, width)
            end
        end
    end
    return of_report(value, width)
end

-- Returns the `most` best answers to a search for words; nil if there is none.
local function found(text, width, most)
    local list = topics.search(text, most)
    for i, target in ipairs(list) do
        list[i] = type(target) == "table" and described(target, width) or
            ("a page of the manual\n  [%s]"):format(target)
    end
    return #list > 0 and table.concat(list, "\n\n") or nil
end

--- rill.help([what]) returns the documentation of a name ("rill.stream", "s:scan", "scan", "gather") or of a value (a
-- function of rill, a stream, a kernel) as text; of other words ("nearest neighbor") the names that fit them best.
-- Without an argument it returns an introduction. At the prompt, `?name` and help(name) print the text.
local function help(...)
    local _, width = core._terminal()
    width = math.max(math.min(width, 100) - 1, 20)
    if select("#", ...) == 0 then
        return overview
    end
    local what = ...
    if type(what) == "string" then
        local name = what:match "^%s*(.-)%s*$":gsub("%(.*$", "")
        if name == "" then
            return overview
        end
        local known = name:find "^%?%??$" and everything(width) or
            name:find "%s" and found(name, width, 6) or of_name(name, width)
        local near = not known and suggest.name(name)
        local others = not known and found(name, width, near and 3 or 6)
        if known or others and not near then
            return known or others
        end
        return ("there is no '%s' in rill%s ?rill lists its names, ?stream the methods of streams, "
            .. "?? all names%s"):format(name, near and ("; did you mean %s?"):format(near) or ":",
            others and "\n\n" .. others or "")
    end
    return of_value(what, width) or ("rill has no documentation for this %s"):format(rill.type(what) or type(what))
end

return {help = help}
