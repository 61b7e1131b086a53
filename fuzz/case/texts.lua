-- Compiles kernel texts of the tree with random changes of tokens. Each text compiles, or has an error in rill's words:
-- no text may crash, take more than five seconds of the processor, or be rejected by the device's compiler.
local core = require "rill.core"

local texts = {batch = 40}

-- Returns the kernel texts in the files of the tree that are correct.
local function seeds()
    local list = {}
    local function add(text)
        local whole = #text < 4000 and text:find "kernel%f[%W]" and not text:find "%%[sd]"
        if whole and pcall(core._tree, text, "types") then
            list[#list + 1] = text
        end
    end
    local files <close> = assert(io.popen
        "ls lua/rill/*/kernels/*.glsl spec/kernel/*.lua spec/container/*.lua examples/*.lua")
    for path in files:lines() do
        local file <close> = assert(io.open(path, "rb"))
        local text = file:read "a"
        if path:find "%.glsl$" then
            add(text)
        end
        for _, quoted in text:gmatch "%[(=*)%[(.-)%]%1%]" do add(quoted) end
        for quoted in text:gmatch '"([^"\n\\]*kernel[^"\n\\]*)"' do add(quoted) end
    end
    return list
end

local types = {"int", "uint", "float", "vec2", "vec3", "vec4", "bool", "double", "ivec2", "mat2", "uvec3"}
local operators = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "&&", "||", "==", "!=", "<", ">", "<=", ">=",
    "=", "+=", "*=", "%=", ","}
local numbers = {"0", "1", "2.0", "0u", "1e9", "3.5lf", "-1", "true", "100", "0.0"}

local function set(list)
    local has = {}
    for _, word in ipairs(list) do has[word] = true end
    return has
end
local is_type, is_operator = set(types), set(operators)

local function tokens(text)
    local list, at = {}, 1
    while at <= #text do
        local token = text:match("^[%a_][%w_]*", at) or text:match("^[%d.][%w.]*", at) or
            text:match("^[%+%-%*/<>=!&|%^%%]+", at) or text:match("^.", at)
        local space = text:match("^%s*", at + #token)
        list[#list + 1] = token .. space
        at = at + #token + #space
    end
    return list
end

-- Changes a token: a type, an operator, a number, a name by another one, or removes or repeats one.
local function change(d, list)
    local function some(fits)
        for _ = 1, 60 do
            local i = d:below(#list) + 1
            if fits(list[i]:match "^%S*") then return i end
        end
    end
    local function named(word) return word:find "^%a" end
    local kind = d:below(6)
    if kind < 3 then
        local fits = kind == 0 and function(word) return is_type[word] end or
            kind == 1 and function(word) return is_operator[word] end or function(word) return word:find "^%d" end
        local i = some(fits)
        if i then list[i] = d:pick(kind == 0 and types or kind == 1 and operators or numbers) .. " " end
    elseif kind == 3 then
        local i, k = some(named), some(named)
        if i and k then list[i] = list[k] end
    elseif kind == 4 then
        table.remove(list, d:below(#list) + 1)
    else
        local i = d:below(#list) + 1
        table.insert(list, i, list[i])
    end
end

local SCRIPT <const> = [[
local text = %q
local start = os.clock()
local good, program = pcall(rill.program, text, {dialect = %q})
for _, k in pairs(good and program or {}) do
    if good and rill.type(k) == "kernel" then
        good, program = pcall(k.source, k)
    end
end
local message = tostring(program)
assert(good or not message:find "rejects", message)
assert(os.clock() - start < 5, "more than five seconds of the processor")
]]

local all
function texts.scripts(draws)
    all = all or seeds()
    local scripts = {}
    for i, d in ipairs(draws) do
        local list = tokens(d:pick(all))
        for _ = 1, d:int(1, 2) do
            if #list > 1 then change(d, list) end
        end
        scripts[i] = SCRIPT:format(table.concat(list), d:chance(1, 3) and "brook" or "rill")
    end
    return scripts
end

return texts
