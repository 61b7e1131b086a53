-- Templates of GLSL texts. A template is parsed once into a list of parts, and expanded once for each set of values.
-- Its constructs begin with "$", a character that neither GLSL nor the kernel language uses:
--
--   $name, ${name}                  the value of a name, a string or a number
--   $row.field, ${row.field}        a field of a row, within $for
--   $for(row, rows){...}            the body once for each element of an array;
--                                   $for(row, rows, ", "){...} with a separator
--   $if(name){...}$else{...}        depends on a boolean; $if(name == word) compares a string or a number.
--                                   $else is optional
--   $use(snippet)                   puts the text of a snippet, and of the snippets that it uses, before the expanded
--                                   text, once (template.snippet defines snippets; each file in
--                                   lua/rill/glsl/snippets is one, too)
--   $use(snippet, type)             uses a snippet for a type; expands to the name of its function, e.g.
--                                   "rill_log1p_double"
--   $call(snippet), $call(snippet){...}   inserts the text of a snippet, in which $body is the text in the braces
--   $section(name)                  on a separate line of a file: begins another template, see template.sections
--
-- The names of a snippet, a type and a word may be "$name". The braces of a body must be balanced.
local program_cache = require "rill.glsl.program_cache"

local template = {}

local Template = {}
Template.__index = Template

local snippets = {} -- name -> template, or type -> template; false if there is no such snippet

local getinfo <const> = debug.getinfo

local function newlines(text)
    return select(2, text:gsub("\n", ""))
end

-- Raises an error about a part of a template.
local function stop(part, format, ...)
    local file, first = part.template:place()
    error(("template %s:%d: %s"):format(file, first + part.line - 1, format:format(...)), 0)
end

-- ---- parsing

-- The syntax of the constructs: patterns for the text in parentheses, and the fields of a part for their captures.
-- `body`: braces follow.
local constructs <const> = {
    ["for"] = {
        '^([%a_][%w_]*), *([%w_.]+)$', '^([%a_][%w_]*), *([%w_.]+), *"(.*)"$', fields = {"row", "rows", "between"},
        form = '$for(row, rows){...} or $for(row, rows, "separator"){...}', body = true,
    },
    ["if"] = {
        "^([%w_.]+)$", "^([%w_.]+) *== *([%w_.$]+)$", fields = {"name", "word"},
        form = "$if(name){...} or $if(name == word){...}", body = true,
    },
    use = {
        "^([%w_$]+)$", "^([%w_$]+), *([%w_.$]+)$", fields = {"snippet", "type"},
        form = "$use(snippet) or $use(snippet, type)",
    },
    call = {"^([%w_$]+)$", fields = {"snippet"}, form = "$call(snippet) or $call(snippet){...}"},
}

local parse, snippet_named
-- Whether files must be loaded before the script changes the directory.
local moves <const> = require "rill.core.lazy".moves

-- Parses the braces at byte `at` of a text, which belong to `part`. Returns the list of parts, and the byte after the
-- braces.
local function parse_body(part, text, at, line)
    local space, body, after = text:match("^(%s*)(%b{})()", at)
    if not body then
        stop(part, "'$%s' is not followed by balanced braces", part.kind)
    end
    return parse(part.template, body:sub(2, -2), line + newlines(space)), after
end

-- Parses the construct at byte `mark`. Returns its part, and the byte after it.
local function parse_construct(part, text, mark, line)
    local arguments, after = text:match("^(%b())()", mark + 1 + #part.kind)
    local row, found = constructs[part.kind], false
    for _, pattern in ipairs(row) do
        for i, capture in ipairs {arguments:sub(2, -2):match(pattern)} do
            part[row.fields[i]], found = capture, true
        end
    end
    if not found then
        stop(part, "expected %s, got '$%s%s'", row.form, part.kind, arguments)
    elseif row.body or part.kind == "call" and text:sub(after, after) == "{" then
        part.body, after = parse_body(part, text, after, line)
    end
    local otherwise = part.kind == "if" and text:match("^%s*%$else()%s*{", after)
    if otherwise then
        part.otherwise, after = parse_body(part, text, otherwise, line + newlines(text:sub(mark, otherwise - 1)))
    end
    return part, after
end

-- Parses the construct or name after the "$" at byte `mark`. Returns its part, and the byte after it.
local function parse_mark(self, text, mark, line)
    local part = {template = self, line = line, kind = text:match("^%$(%l+)%(", mark)}
    if constructs[part.kind] then
        return parse_construct(part, text, mark, line)
    end
    local name, after = text:match("^%$([%a_][%w_]*%.?[%w_]*)()", mark)
    if not name then
        name, after = text:match("^%${([%a_][%w_]*%.?[%w_]*)}()", mark)
    end
    part.kind, part.name = "name", name or stop(part, "a name must follow '$'")
    return part, after
end

-- Records the names and snippets on which the text depends. The names include those that constructs define.
local function note(self, part)
    for _, field in ipairs {"name", "rows", "word", "type", "snippet"} do
        local name, own = part[field], field == "name" or field == "rows"
        local word = name and name:match(own and "^[^.]+" or "^%$([^.]+)")
        self.names[#self.names + 1] = word
        if field == "snippet" and name then
            self.uses[#self.uses + 1] = name
            if moves then
                snippet_named(name)
            end
        end
    end
end

parse = function(self, text, line)
    local parts, at = {}, 1
    while at <= #text do
        local mark, part, after = text:find("$", at, true) or #text + 1
        if mark > at then
            part, after = {kind = "plain", template = self, line = line, text = text:sub(at, mark - 1)}, mark
        else
            part, after = parse_mark(self, text, mark, line)
            note(self, part)
        end
        parts[#parts + 1] = part
        at, line = after, line + newlines(text:sub(at, after - 1))
    end
    return parts
end

-- ---- position of a template

-- Creates a template without parts. `first`: the line of the file on which its text begins; in a Lua file a line near
-- it.
local function create(source, first, content)
    return setmetatable({source = source, first = first, content = content, names = {}, uses = {}, keys = {}}, Template)
end

-- Returns the source ("@file") of a module whose main chunk is at a level. If it was compiled without file names, the
-- file is the second argument that `require` passes to the chunk.
local function source_of(level)
    local source = getinfo(level + 1, "S").source
    local _, path = debug.getlocal(level + 1, -2)
    return source:sub(1, 1) ~= "@" and type(path) == "string" and "@" .. path or source
end

local DIRECTORY <const> = (source_of(1):match "^.*/" or "@") .. "snippets/"

-- Returns the template of a text in the Lua file of `info`.
local function inline(text, info)
    local self = create(info.source, info.currentline, text)
    self.parts = parse(self, text, 1)
    return self
end

-- Returns the text of a file; nil if it cannot be opened.
local function read(source)
    local file = source:sub(1, 1) == "@" and io.open(source:sub(2), "rb")
    local text = file and file:read "a" or nil
    if file then
        file:close()
    end
    return text
end

--- t:place() returns the file that contains the template's text, and the line on which it begins.
function Template:place()
    local text = self.content and self.content ~= "" and read(self.source)
    local at = text and text:find(self.content, 1, true)
    if at then
        self.first, self.content = newlines(text:sub(1, at - 1)) + 1, nil
    end
    return self.source:sub(2), self.first
end

-- Returns the snippet of a name: a defined one, or the file of that name in the directory "snippets" next to this file.
snippet_named = function(name)
    if snippets[name] == nil then
        local source = DIRECTORY .. name .. ".glsl"
        local text, self = read(source), create(source, 1)
        self.parts = text and parse(self, text, 1)
        snippets[name] = text and self or false
    end
    return snippets[name]
end

-- ---- expanding

-- Returns the value of a name "a" or "a.b", and the rest of the text: if a is not a table, ".b" is text.
local function value_of(scope, part, name)
    local value = scope[name]
    if value == nil then
        local base, field = name:match "^(.-)%.(.*)$"
        value = scope[base]
        if value ~= nil and type(value) ~= "table" then
            return value, "." .. field
        end
        value = value and value[field]
    end
    if value == nil then
        stop(part, "'$%s' is not a name of this template's values", name)
    end
    return value, ""
end

-- Returns an argument of a construct: a word, or the value of "$name".
local function word_of(scope, part, word)
    local name = word:match "^%$(.*)$"
    return name and tostring(value_of(scope, part, name)) or word
end

local function emit(state, text, part)
    state.out[#state.out + 1] = state.tracing and {text, part} or text
end

local expanders = {}

local function expand(state, parts, scope)
    for i = 1, #parts do
        expanders[parts[i].kind](state, parts[i], scope)
    end
end

expanders["plain"] = function(state, part)
    emit(state, part.text, part)
end

expanders["name"] = function(state, part, scope)
    local value, rest = value_of(scope, part, part.name)
    if type(value) == "string" or type(value) == "number" then
        emit(state, value .. rest, part)
    elseif type(value) == "table" and value.body then
        expand(state, value.body, value.scope)
    else
        stop(part, "'$%s' is a %s, not a string or a number", part.name, type(value))
    end
end

expanders["for"] = function(state, part, scope)
    local rows = value_of(scope, part, part.rows)
    if type(rows) ~= "table" then
        stop(part, "'%s' is a %s, not an array", part.rows, type(rows))
    end
    local inner = setmetatable({}, {__index = scope})
    for i, row in ipairs(rows) do
        inner[part.row] = row
        if i > 1 and part.between then
            emit(state, part.between, part)
        end
        expand(state, part.body, inner)
    end
end

expanders["if"] = function(state, part, scope)
    local value = value_of(scope, part, part.name)
    if part.word then
        value = tostring(value) == word_of(scope, part, part.word)
    elseif type(value) ~= "boolean" then
        stop(part, "'%s' is a %s, not a boolean", part.name, type(value))
    end
    if value then
        expand(state, part.body, scope)
    elseif part.otherwise then
        expand(state, part.otherwise, scope)
    end
end

local function snippet_of(part, name, type)
    local found = snippet_named(name)
    if found and not found.parts then
        found = found[type] or found.any
    end
    return found or stop(part, "there is no snippet '%s'%s", name, type and " of " .. type or "")
end

-- Appends the text of a snippet to the texts before the expanded text, after the snippets that it uses.
expanders["use"] = function(state, part, scope)
    local name, type = word_of(scope, part, part.snippet), part.type and word_of(scope, part, part.type)
    local full = type and ("rill_%s_%s"):format(name, type) or name
    if not state.used[full] then
        state.used[full] = true
        local out, values = state.out, state.values
        state.out = {}
        expand(state, snippet_of(part, name, type).parts,
            type and setmetatable({T = type, name = full}, {__index = values}) or values)
        table.move(state.out, 1, #state.out, #state.head + 1, state.head)
        state.out = out
    end
    if type then
        emit(state, full, part)
    end
end

expanders["call"] = function(state, part, scope)
    local found = snippet_of(part, word_of(scope, part, part.snippet))
    local body = {body = part.body or {}, scope = scope}
    expand(state, found.parts, setmetatable({body = body}, {__index = scope}))
end

-- Returns the pieces of an expanded text: strings, or with `tracing` {string, part}.
local function pieces_of(self, values, tracing)
    local state = {values = values, out = {}, head = {}, used = {}, tracing = tracing}
    expand(state, self.parts, values)
    return table.move(state.out, 1, #state.out, #state.head + 1, state.head)
end

-- ---- keys

local digests = setmetatable({}, {__mode = "k"})
local MOST_CONTENTS <const> = 1024
local contents, count, serial = {}, 0, 0

-- Returns what represents a value in a key: the value itself, or for an array a number that is the same for the same
-- content. The number is cached, so arrays must not change after they were passed.
local function digest(value)
    if type(value) == "table" and not digests[value] then
        local list = {}
        for key, inner in pairs(value) do
            list[#list + 1] = ("%s=%s"):format(key, digest(inner))
        end
        table.sort(list)
        local content = table.concat(list, "\1")
        if not contents[content] then
            contents = count < MOST_CONTENTS and contents or {}
            count, serial = count < MOST_CONTENTS and count + 1 or 1, serial + 1
            contents[content] = "\2" .. serial
        end
        digests[value] = contents[content]
    end
    return digests[value] or value
end

-- Adds the names on which a template and its snippets depend to a set. Returns false if a snippet is known only after
-- expansion.
local function add_names(self, names)
    local known = true
    for _, name in ipairs(self.names) do
        names[name] = true
    end
    for _, name in ipairs(self.uses) do
        local found = snippet_named(name)
        known = known and found ~= false
        for _, one in pairs(found and (found.parts and {found} or found) or {}) do
            if not names[one] then
                names[one] = true
                known = add_names(one, names) and known
            end
        end
    end
    return known
end

-- Returns the function that computes the key of a template's values. `how`: "kernel" or "program".
local function key_maker(self, how)
    local names, list = {}, {}
    if not add_names(self, names) then
        return function(values) return how .. self:text(values) end
    end
    for name in pairs(names) do
        list[#list + 1] = type(name) == "string" and ("digest(v.%s)"):format(name) or nil
    end
    serial = serial + 1
    local format = ("%q"):format(how .. serial .. ("\1%s"):rep(#list))
    return load(("local format, digest = ... return function(v) return format(%s) end"):format(
        table.concat({format, table.unpack(list)}, ", ")), "=key")(string.format, digest)
end

local NOTHING <const> = {}

local function made(self, how, values)
    values = values or NOTHING
    self.keys[how] = self.keys[how] or key_maker(self, how)
    return program_cache.get(self.keys[how](values), how, self, values)
end

-- ---- functions for modules

--- t:text(values) returns the expanded text. Values are strings, numbers, booleans, and arrays of such values or of
-- tables with such fields.
function Template:text(values)
    return table.concat(pieces_of(self, values or NOTHING))
end

--- t:kernel(values) returns the kernel of the expanded text, as rill.kernel does, from the cache of all templates.
function Template:kernel(values)
    return made(self, "kernel", values)
end

--- t:program(values) returns the kernels and structures of the expanded text, as rill.program does, from the cache of
-- all templates.
function Template:program(values)
    return made(self, "program", values)
end

--- t:origin(values, line) returns the name of the file from which a line of t:text(values) comes, and the line there,
-- of its first piece that is not blank. For a line of a value with several lines the name is "kernel text", and lines
-- count from the beginning of the value.
function Template:origin(values, wanted)
    local line, best = 1, nil
    for _, piece in ipairs(pieces_of(self, values, true)) do
        local text, part = piece[1], piece[2]
        local below = wanted - line
        line = line + newlines(text)
        if below >= 0 and line >= wanted then
            local there = (text .. "\n"):gsub("[^\n]*\n", "", below):match "^[^\n]*"
            local file, first = part.template:place()
            best = {"kernel text of " .. file, first + part.line - 1 + below}
            if part.kind == "name" and text:find "\n" then
                best = {"kernel text", below + 1}
            end
            if there:find "%S" then
                break
            end
        end
    end
    return table.unpack(best)
end

--- template.new(text) returns the template of a text. Raises if a construct is incomplete.
function template.new(text)
    local t = inline(text, getinfo(2, "Sl")) -- without a tail call, which would change the levels
    return t
end

-- Returns the templates of a file in the directory "kernels" next to a Lua file, by section. The text before the first
-- section is a part of each, and is the template [""].
local function sections(name, module)
    local source = module:gsub("[^/]*$", "kernels/" .. name .. ".glsl")
    local text = assert(read(source), source)
    local list, shared, line, section = {}, nil, 0, ""
    for part, following in ("\n" .. text .. "\n$section()"):gmatch "(.-\n)%$section%(([%w_]*)%)" do
        local one = create(source, 1)
        one.parts = parse(one, shared or "", 0)
        local own = parse(one, part, line)
        table.move(own, 1, #own, #one.parts + 1, one.parts)
        list[section], shared, section, line = one, shared or part, following, line + newlines(part)
    end
    return list
end

--- template.file(name) returns the template of the file kernels/name.glsl in the directory of the calling module.
function template.file(name)
    return sections(name, source_of(2))[""]
end

--- template.sections(name) returns the templates of the sections of the file kernels/name.glsl in the directory of the
-- calling module, by name. The text before the first section is a part of each.
function template.sections(name)
    local list = sections(name, source_of(2))
    list[""] = nil
    return list
end

--- template.snippet(name, text) defines a snippet for $use(name) and $call(name). `text` is a string, a template, or
-- for $use(name, type) a table of these by type, with the key `any` for all other types. In a snippet of a type, $T is
-- the type and $name the name of the function. A snippet of the same name is replaced, since a module that failed to
-- load may be loaded again.
function template.snippet(name, text)
    local info = getinfo(2, "Sl")
    local function made_of(one)
        return type(one) == "string" and inline(one, info) or one
    end
    if type(text) == "table" and not text.parts then
        for type, one in pairs(text) do
            text[type] = made_of(one)
        end
    end
    snippets[name] = made_of(text)
end

return template
