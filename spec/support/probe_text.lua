-- Rewrites the text of a compute shader so that each access to a buffer, a buffer texture or a shared array calls a
-- function that records it, together with barriers, turns of loops and divisions of whole numbers by variables. The
-- records are analyzed by glprobe.c. Works on text: gcc expands the macros before, names of arrays are found by their
-- declarations, and accesses by matching brackets.
local probe_text = {}

-- What a site does: the bits of glprobe.c.
local LOAD <const>, STORE <const>, SHARED <const>, ATOMIC <const>, BARRIER <const> = 1, 2, 4, 8, 16
local TURN <const>, DIVISION <const>, TEXTURE <const>, IMAGE <const> = 32, 64, 128, 256
probe_text.flags = {load = LOAD, store = STORE, shared = SHARED, texture = TEXTURE, image = IMAGE}

-- Loops with at most this number of turns, which the text determines, count as unrolled.
local UNROLLED <const> = 64

-- The records of each invocation are contiguous. The first record is their number.
local prelude <const> = [[
layout(std430, binding = %d) buffer Rill_probe {
    uint rill_probe_room, rill_probe_step, rill_probe_last, rill_probe_x, rill_probe_y, rill_probe_z;
    uvec2 rill_probe_records[];
};
uint rill_probe_group = min(gl_WorkGroupID.x * rill_probe_step, rill_probe_last);
uvec3 rill_probe_counts = uvec3(rill_probe_x, rill_probe_y, rill_probe_z);
uvec3 rill_probe_id = uvec3(rill_probe_group %% rill_probe_x, rill_probe_group / rill_probe_x %% rill_probe_y,
    rill_probe_group / rill_probe_x / rill_probe_y);
uint rill_probe_first = 0u, rill_probe_used = 0u;
bool rill_probe_more = rill_probe_room > 0u; // always true; loops are not unrolled, which makes compiling much faster
void rill_probe_note(uint site, uint index)
{
    rill_probe_records[rill_probe_first + min(rill_probe_used, rill_probe_room - 1u)] = uvec2(site, index);
    rill_probe_used++;
}
int rill_probe_at(uint site, int i) { rill_probe_note(site, uint(i)); return i; }
uint rill_probe_at(uint site, uint i) { rill_probe_note(site, i); return i; }
bool rill_probe_turn(uint site) { rill_probe_note(site, 0u); return true; }
%s
]]

local ending <const> = [[

void main()
{
    uint lanes = gl_WorkGroupSize.x * gl_WorkGroupSize.y * gl_WorkGroupSize.z, room = rill_probe_room + 1u;
    uint start = (gl_WorkGroupID.x * lanes + gl_LocalInvocationIndex) * room;
    rill_probe_first = start + 1u;
    rill_probe_main();
    rill_probe_records[start] = uvec2(rill_probe_used, 0u);
}
]]

-- Divisors of whole numbers are recorded, others are not.
local function divisors()
    local lines = {}
    for type in ("int uint ivec2 ivec3 ivec4 uvec2 uvec3 uvec4"):gmatch "%S+" do
        lines[#lines + 1] = ("%s rill_probe_by(uint site, %s d) { rill_probe_note(site, 0u); return d; }"):format(
            type, type)
    end
    for type in ("float vec2 vec3 vec4 double dvec2 dvec3 dvec4"):gmatch "%S+" do
        lines[#lines + 1] = ("%s rill_probe_by(uint site, %s d) { return d; }"):format(type, type)
    end
    return table.concat(lines, "\n")
end

-- ---- preprocessing

local kept <const> = "#pragma RILL_KEPT "

-- Expands macros and removes comments with gcc, except for directives that only GLSL has.
local function preprocessed(text)
    local name = os.tmpname()
    local file = assert(io.open(name, "w"))
    file:write((("\n" .. text):gsub("\n[ \t]*#[ \t]*(version)", "\n" .. kept .. "%1")
        :gsub("\n[ \t]*#[ \t]*(extension)", "\n" .. kept .. "%1")))
    file:close()
    local command = "env -u LD_PRELOAD gcc -E -P -x c -undef -nostdinc -w -D__VERSION__=430 '%s'"
    local pipe = assert(io.popen(command:format(name)))
    local result = pipe:read "a"
    local done = pipe:close()
    os.remove(name)
    assert(done, "gcc does not preprocess a shader")
    return (result:gsub("#pragma RILL_KEPT ", "#"))
end

-- ---- brackets and operands

local closing <const> = {["("] = ")", ["["] = "]", ["{"] = "}"}

-- Returns the index of the bracket that closes the one at `at`.
local function closer(text, at)
    local depth, open = 0, text:sub(at, at)
    local close = closing[open]
    for i = at, #text do
        local c = text:sub(i, i)
        if c == open then
            depth = depth + 1
        elseif c == close then
            depth = depth - 1
            if depth == 0 then return i end
        end
    end
    error("a bracket is not closed: " .. text:sub(at, at + 60))
end

-- Splits a text at a character outside of brackets.
local function split(text, separator)
    local parts, start, i = {}, 1, 1
    while i <= #text do
        local c = text:sub(i, i)
        if closing[c] then
            i = closer(text, i)
        elseif c == separator then
            parts[#parts + 1], start = text:sub(start, i - 1), i + 1
        end
        i = i + 1
    end
    parts[#parts + 1] = text:sub(start)
    return parts
end

-- Returns the index after an operand: an expression without binary operators.
local function operand_end(text, at)
    at = text:match("^[%s%-+!~]*()", at)
    local first = text:sub(at, at)
    at = first == "(" and closer(text, at) + 1 or text:match("^[%w_.]+()", at)
    while true do
        local next = text:match("^%s*()[%[(]", at)
        local member = text:match("^%.[%a_][%w_]*()", at)
        if next then
            at = closer(text, next) + 1
        elseif member then
            at = member
        else
            return at
        end
    end
end

-- Returns the index of the end of an assigned expression.
local function assigned_end(text, at)
    for i = at, #text do
        local c = text:sub(i, i)
        if c == ";" or c == "," or c == ")" then return i end
        if closing[c] then return assigned_end(text, closer(text, i) + 1) end
    end
    return #text + 1
end

-- ---- declarations

local sizes <const> = {float = 4, int = 4, uint = 4, bool = 4, double = 8}
for n = 2, 4 do
    for prefix, size in pairs {vec = 4, ivec = 4, uvec = 4, bvec = 4, dvec = 8} do
        sizes[prefix .. n] = size * n
    end
end

-- Returns the bytes of each structure of the text.
local function structures(text)
    local found = setmetatable({}, {__index = sizes})
    for name, body in text:gmatch "struct%s+([%a_][%w_]*)%s*(%b{})" do
        local total, align = 0, 4
        for type, rest in body:gmatch "([%a_][%w_]*)%s+([^;{}]-);" do
            for _, member in ipairs(split(rest, ",")) do
                local bytes = (found[type] or 4) * (tonumber(member:match "%[%s*(%d+)") or 1)
                local own = found[type] == 8 and 8 or (found[type] or 4) > 8 and 16 or 4
                total, align = (total + own - 1) // own * own + bytes, math.max(align, own)
            end
        end
        found[name] = (total + align - 1) // align * align
    end
    return found
end

local function add_block(arrays, bytes, layout, body)
    local binding = tonumber(layout:match "binding%s*=%s*(%d+)") or 0
    for type, name in body:gmatch "([%a_][%w_]*)%s+([%a_][%w_]*)%s*%[" do
        arrays[name] = {flags = 0, bytes = bytes[type] == 12 and 16 or bytes[type] or 4, binding = binding}
    end
end

-- Finds the arrays of the text. Returns them by name, and the text with the declarations replaced by placeholders,
-- which `restored` reverses.
local function declarations(text)
    local arrays, hidden, bytes = {}, {}, structures(text)
    local function hide(declaration)
        hidden[#hidden + 1] = declaration
        return ("\1%d\1"):format(#hidden)
    end
    text = text:gsub("(layout%s*(%b())[%l%s]-%f[%w_]buffer%s+[%a_][%w_]*%s*(%b{})[^;]*;)", function(all, layout, body)
        add_block(arrays, bytes, layout, body)
        return hide(all)
    end)
    text = text:gsub("(%f[%w_]shared%s+([%a_][%w_]*)%s+([^;]*);)", function(all, type, names)
        for _, name in ipairs(split(names, ",")) do
            if name:find "%[" then
                arrays[name:match "[%a_][%w_]*"] = {flags = SHARED, bytes = bytes[type] or 4, binding = 0}
            end
        end
        return hide(all)
    end)
    text = text:gsub("(layout%s*(%b())[%l%s]-%f[%w_]([iu]?[%l]+Buffer)%s+([%a_][%w_]*)%s*;)",
        function(all, layout, type, name)
            arrays[name] = {flags = type:find "image" and IMAGE or TEXTURE, bytes = 4,
                binding = tonumber(layout:match "binding%s*=%s*(%d+)") or 0}
            return hide(all)
        end)
    local function restored(rewritten)
        return (rewritten:gsub("\1(%d+)\1", function(n) return hidden[tonumber(n)] end))
    end
    return arrays, text, restored
end

-- ---- constants

-- Returns the value of a constant expression, or nil.
local function constant(text, values)
    local lua = text:gsub("(%f[%w_][%d][%w]*)[uU]%f[^%w_]", "%1"):gsub("%f[%w_]u?int%s*%(", "(")
    if not lua:find "%S" or lua:find "[=;?]" then return nil end
    for name in lua:gmatch "[%a_][%w_]*" do
        if not values[name] and not lua:find "^%s*0x" then return nil end
    end
    local chunk = load("return " .. lua:gsub("/", "//"), "constant", "t", values)
    local done, value = pcall(chunk or error)
    return done and tonumber(value) or nil
end

local function constants(text)
    local values = {}
    for rest in text:gmatch "%f[%w_]const%s+[%a_][%w_]*%s+([^;]*);" do
        for _, one in ipairs(split(rest, ",")) do
            local name, value = one:match "^%s*([%a_][%w_]*)%s*=(.*)$"
            if name then values[name] = constant(value, values) end
        end
    end
    return values
end

-- Returns whether a loop counts as unrolled: the text determines its number of turns, which is small.
local function unrolled(head, values)
    local name, first = head[1]:match "^[%l%s]*%f[%w_]u?int%s+([%a_][%w_]*)%s*=%s*([^,]*)$"
    local from = name and constant(first, values)
    if not from then return false end
    local own = setmetatable({[name] = from}, {__index = values})
    local step = head[3]:gsub("%s", "")
    local op, by = step:match "^[%a_][%w_]*([+%-*/<>]+)=(.*)$"
    op, by = op or step:match "[+%-]", by or "1"
    local relation, bound = head[2]:match "^%s*[%a_][%w_]*%s*([<>!=]+)%s*(.*)$"
    local to, change = bound and constant(bound, values), constant(by, values)
    if not (op and to and change) or head[2]:match "[%a_][%w_]*" ~= name then return false end
    relation = relation == "!=" and "~=" or relation
    local turn = load(("local i, to, by = ... return i %s to, i %s by"):format(relation, op == "/" and "//" or op))
    for _ = 0, UNROLLED do
        local again, next = turn(own[name], to, change)
        if not again then return true end
        own[name] = next
    end
    return false
end

-- ---- rewriting

-- Returns what an access does, given the text before it and the index after its brackets.
local function access(text, before, after)
    if text:sub(1, before):find "atomic%u%a*%s*%(%s*$" then return LOAD | STORE | ATOMIC end
    while true do
        local next = text:match("^%s*()%[", after)
        local member = text:match("^%.[%a_][%w_]*()", after)
        if next then
            after = closer(text, next) + 1
        elseif member then
            after = member
        else
            break
        end
    end
    if text:match("^%s*=[^=]", after) then return STORE end
    local both = text:match("^%s*[-+*/%%&|^]=", after) or text:match("^%s*<<=", after) or text:match("^%s*>>=", after)
        or text:match("^%s*%+%+", after) or text:match("^%s*%-%-", after)
    return both and LOAD | STORE or LOAD
end

local calls <const> = {
    texelFetch = LOAD, imageLoad = LOAD, imageStore = STORE, imageAtomicAdd = LOAD | STORE | ATOMIC,
    imageAtomicMin = LOAD | STORE | ATOMIC, imageAtomicMax = LOAD | STORE | ATOMIC,
    imageAtomicOr = LOAD | STORE | ATOMIC,
}

local Rewriter = {}
Rewriter.__index = Rewriter

-- Adds a site. Returns its number, 0-based, as a literal.
function Rewriter:site(flags, array, source)
    self.sites[#self.sites + 1] = {flags = flags | (array and array.flags or 0), bytes = array and array.bytes or 0,
        binding = array and array.binding or 0, source = source and source:gsub("%s+", " ") or ""}
    return #self.sites - 1 .. "u"
end

-- Rewrites a call with a texture or image as its first argument. Returns the index after the arguments.
function Rewriter:call(name, text, at)
    local open = text:find("(", at, true)
    local close = closer(text, open)
    local parts = split(text:sub(open + 1, close - 1), ",")
    local array = self.arrays[parts[1]:match "^%s*(.-)%s*$"]
    for i, part in ipairs(parts) do
        parts[i] = self:rewrite(part)
    end
    if array and parts[2] then
        parts[2] = ("rill_probe_at(%s, %s)"):format(self:site(calls[name], array, text:sub(at, close)), parts[2])
    end
    self:add(name .. "(" .. table.concat(parts, ",") .. ")")
    return close + 1
end

function Rewriter:element(name, text, at, open)
    local close = closer(text, open)
    local site = self:site(access(text, at - 1, close + 1), self.arrays[name], text:sub(at, close))
    self:add(("%s[rill_probe_at(%s, %s)]"):format(name, site, self:rewrite(text:sub(open + 1, close - 1))))
    return close + 1
end

function Rewriter:loop(name, text, at)
    local open = text:find("(", at, true)
    local close = closer(text, open)
    local head = split(text:sub(open + 1, close - 1), ";")
    local k = #head == 3 and 2 or 1
    local turn = not (name == "for" and unrolled(head, self.constants))
    for i, part in ipairs(head) do
        head[i] = self:rewrite(part)
    end
    local condition = turn and ("rill_probe_turn(%s)"):format(self:site(TURN, nil, text:sub(at, close)))
        or "rill_probe_more"
    head[k] = " " .. condition .. (head[k]:find "%S" and (" && (%s)"):format(head[k]) or "")
    self:add(name .. " (" .. table.concat(head, ";") .. ")")
    return close + 1
end

-- Rewrites a division at the operator.
function Rewriter:division(text, at)
    local assigns = text:sub(at + 1, at + 1) == "="
    local first = at + (assigns and 2 or 1)
    local last = assigns and assigned_end(text, first) or operand_end(text, first)
    local divisor = text:sub(first, last - 1)
    self:add(text:sub(at, first - 1))
    if constant(divisor, self.constants) or divisor:find "^%s*%d*%.%d*%s*$" then
        self:add(divisor)
    else
        local site = self:site(DIVISION, nil, text:sub(at - 20, last - 1))
        self:add((" rill_probe_by(%s, %s)"):format(site, self:rewrite(divisor)))
    end
    return last
end

-- The groups that run are not numbered consecutively.
local builtin <const> = {
    gl_WorkGroupID = "rill_probe_id", gl_NumWorkGroups = "rill_probe_counts",
    gl_GlobalInvocationID = "(rill_probe_id * gl_WorkGroupSize + gl_LocalInvocationID)",
}

function Rewriter:word(text, at)
    local name, after = text:match("^([%a_][%w_]*)()", at)
    local open = text:match("^%s*()%[", after)
    local called = text:match("^%s*%(", after)
    if self.arrays[name] and open and text:sub(at - 1, at - 1) ~= "." then
        return self:element(name, text, at, open)
    end
    if called and calls[name] then return self:call(name, text, at) end
    if called and (name == "for" or name == "while") then return self:loop(name, text, at) end
    local barrier_end = name == "barrier" and text:match("^%s*%(%s*%)()", after)
    if barrier_end then
        self:add(("{ rill_probe_note(%s, 0u); barrier(); }"):format(self:site(BARRIER)))
        return barrier_end
    end
    self:add(builtin[name] or name)
    return after
end

function Rewriter:add(piece)
    self.out[#self.out + 1] = piece
end

-- Returns a rewritten text.
function Rewriter:rewrite(text)
    local outer = self.out
    self.out = {}
    local at = 1
    while at <= #text do
        local c = text:sub(at, at)
        if c:find "[%a_]" then
            at = self:word(text, at)
        elseif c:find "%d" then
            local number, after = text:match("^([%w_.]+)()", at)
            self:add(number)
            at = after
        elseif c == "#" then
            local line, after = text:match("^([^\n]*)()", at)
            self:add(line)
            at = after
        elseif c == "\1" then
            local mark, after = text:match("^(\1%d+\1)()", at)
            self:add(mark)
            at = after
        elseif c == "/" or c == "%" then
            at = self:division(text, at)
        else
            local run, after = text:match("^([^%w_#/%%\1]+)()", at)
            self:add(run)
            at = after
        end
    end
    local result = table.concat(self.out)
    self.out = outer
    return result
end

local function free_binding(text)
    local used = {}
    for binding in text:gmatch "binding%s*=%s*(%d+)[^;{]*%f[%w_]buffer%f[^%w_]" do
        used[tonumber(binding)] = true
    end
    local free = 1
    while used[free] do
        free = free + 1
    end
    return free
end

-- Returns the number of private arrays: declarations of arrays in functions.
local function private_arrays(text)
    local count = 0
    for body in text:gmatch "%)%s*(%b{})" do
        for type in body:gmatch "%f[%w_]([%a_][%w_]*)%s+[%a_][%w_]*%s*%[[^%]]*%]%s*[=;,]" do
            count = count + (type ~= "return" and type ~= "else" and 1 or 0)
        end
    end
    return count
end

--- probe_text.rewrite(text): returns nil if the text is not a compute shader, or a table: text (the rewritten text),
--- binding (of the buffer of records), sites (what each site does), private_arrays (their number if the text does not
--- request that all loops are unrolled).
function probe_text.rewrite(text)
    if not text:find "local_size_x" then return nil end
    local expanded = preprocessed(text)
    local arrays, hidden, restored = declarations(expanded)
    local self = setmetatable({arrays = arrays, constants = constants(hidden), sites = {}, out = {}}, Rewriter)
    local first = 1
    for _, directive in ipairs {"#version[^\n]*\n()", "#extension[^\n]*\n()"} do
        for after in hidden:gmatch(directive) do
            first = math.max(first, after)
        end
    end
    local binding = free_binding(expanded)
    local body = restored(self:rewrite(hidden:sub(first))):gsub("%f[%w_]void%s+main%s*%(", "void rill_probe_main(")
    return {
        text = hidden:sub(1, first - 1) .. prelude:format(binding, divisors()) .. body .. ending,
        binding = binding, sites = self.sites,
        private_arrays = expanded:find("optionNV%(unroll all%)") and 0 or private_arrays(hidden),
    }
end

return probe_text
