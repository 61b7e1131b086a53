-- Expressions over the columns of a table: "x > 2 and name == 'a'". A text is converted to an expression of the kernel
-- language, whose parameters are the columns and constants that it names.
local calls = require "rill.frame.calls"
local categories = require "rill.core.categories"
local columns = require "rill.frame.columns"
local core = require "rill.core"
local rill = require "rill.core.public"
local constants_of = require "rill.stream.constants"
local errors = require "rill.core.error"
local lru = require "rill.core.lru"
local oneline = require "rill.stream.expression_kernel"
local suggest = require "rill.core.lazy".module "rill.core.suggest"
local types = require "rill.core.types"
local fail <const> = errors.fail

local text = {}

-- ---- tokens

local ESCAPES <const> = {n = "\n", t = "\t", r = "\r", ["0"] = "\0"}
local OPERATORS <const> = {
    "<<=", ">>=", "&&", "||", "==", "!=", "~=", "<=", ">=", "<<", ">>", "++", "--", "//", "/*", "**",
}
local WORDS <const> = {["and"] = "&&", ["or"] = "||", ["~="] = "!="}
local COMPARISONS <const> = {["=="] = true, ["!="] = true, ["<"] = true, ["<="] = true, [">"] = true, [">="] = true}
local MIRRORED <const> = {["<"] = ">", ["<="] = ">=", [">"] = "<", [">="] = "<="}

-- Returns the string or the quoted name that begins at a byte of a text, and the byte after it; nil if it has no end.
local function quoted(source, at)
    local quote, parts = source:sub(at, at), {}
    at = at + 1
    while at <= #source do
        local c = source:sub(at, at)
        if c == quote then
            return table.concat(parts), at + 1
        elseif c == "\\" and quote ~= "`" then
            at = at + 1
            c = source:sub(at, at)
            c = ESCAPES[c] or c
        end
        parts[#parts + 1], at = c, at + 1
    end
end

-- Returns the number that begins at a byte of a text; nil if there is none.
local function number_at(source, at)
    local hex = source:match("^0[xX]%x+[uU]?", at)
    if hex then
        return hex
    end
    local digits = source:match("^%d+%.?%d*", at) or source:match("^%.%d+", at)
    if digits then
        local exponent = source:match("^[eE][+-]?%d+", at + #digits) or ""
        local after = at + #digits + #exponent
        return digits .. exponent .. (source:match("^[lL][fF]", after) or source:match("^[uUfF]", after) or "")
    end
end

-- Returns the list of the tokens of a text: {kind = "name", "column", "string", "number" or "operator", text =}; nil
-- and "name" or "string" if a quoted one has no end.
local function tokens_of(source)
    local list, at = {}, 1
    while true do
        at = source:find("%S", at)
        if not at then
            return list
        end
        local c, token = source:sub(at, at), nil
        if c == "'" or c == '"' or c == "`" then
            local value, after = quoted(source, at)
            if not value then
                return nil, c == "`" and "name" or "string"
            end
            token, at = {kind = c == "`" and "column" or "string", text = value}, after
        elseif c:find "[%a_]" then
            token = {kind = "name", text = source:match("^[%w_]+", at)}
        elseif number_at(source, at) then
            token = {kind = "number", text = number_at(source, at)}
        else
            for _, operator in ipairs(OPERATORS) do
                if source:sub(at, at + #operator - 1) == operator then
                    token = {kind = "operator", text = operator}
                    break
                end
            end
            token = token or {kind = "operator", text = c}
        end
        if token.kind ~= "column" and token.kind ~= "string" then
            at = at + #token.text
        end
        if WORDS[token.text] and token.kind ~= "string" and token.kind ~= "column" then
            token = {kind = "operator", text = WORDS[token.text]}
        end
        list[#list + 1] = token
    end
end

-- ---- conversion

local CLOSES <const> = {[")"] = true, ["]"] = true, ["}"] = true}
local OPENS <const> = {["("] = true, ["["] = true, ["{"] = true}
local ENDS_NOT <const> = {["&&"] = true, ["||"] = true, [","] = true, ["?"] = true, [":"] = true}

-- Names of the kernel language that an expression may contain without being called.
local PLAIN <const> = {["true"] = true, ["false"] = true}

-- Words of other languages for a value that is missing.
local NOTHING <const> = {["nil"] = true, null = true, NULL = true, None = true}

local function unknown(self, name)
    local known = {}
    for _, each in ipairs(self.frame.names) do
        known[each] = each
    end
    if self.others and self.others[name] ~= nil then
        fail("%s: there is no column '%s' yet: an expression uses a new column only in the form {{\"%s\", ...}, " ..
            "{\"other\", \"... %s ...\"}}: %s", self.where, name, name, name, self.source)
    elseif NOTHING[name] then
        fail("%s: there is no value '%s': write missing(x) or not missing(x): %s", self.where, name, self.source)
    end
    local near = suggest.of(name, known)
    fail("%s: there is no column '%s'%s: %s", self.where, name, near and ("; did you mean '%s'?"):format(near) or
        (#self.frame.names > 0 and ": the columns are " .. table.concat(self.frame.names, ", ", 1,
        math.min(#self.frame.names, 12)) .. (#self.frame.names > 12 and ", ..." or "") or ""), self.source)
end

-- Returns the name of the parameter for a column or a constant.
local function parameter(self, key, kind, value, name)
    local found = self.by_key[key]
    if not found then
        found = ("c%d_"):format(#self.values + 1)
        self.by_key[key], self.shown[found] = found, name
        self.values[#self.values + 1] = value
        self.declared[#self.declared + 1] = kind:format(found)
    end
    return found
end

local function column_parameter(self, s, name, key)
    local info = types.list[s.type]
    local declared = info and info.seen or s.type
    if not info then
        self.structures[s.type] = core._declare(s)
    end
    return parameter(self, key or "column " .. name, declared .. " %s<>", s, name)
end

-- Returns the code at which a name is in the order of a set of names, and whether it is one of them.
local function position(self, column, set, name)
    local code = categories.code(set, name)
    if code or not set.sorted then
        if not code then
            fail("%s: column '%s' has no name '%s', and its names have an order of their own: compare it with one of "
                .. "them: %s", self.where, column, name, self.source)
        end
        return code, true
    end
    local low, high = 1, #set.list + 1
    while low < high do
        local middle = (low + high) // 2
        if set.list[middle] < name then low = middle + 1 else high = middle end
    end
    return low - 1, false
end

-- Returns the text of the comparison of a category with a string.
local function compare_text(self, column, operator, name)
    local s = self.frame.columns[column]
    local set, c = categories.of(s), column_parameter(self, s, column)
    local code, exact
    if operator == "==" or operator == "!=" then
        code = categories.code(set, name) or categories.MISSING - 1
    else
        code, exact = position(self, column, set, name)
        if not exact and operator == "<=" then
            operator = "<"
        elseif not exact and operator == ">" then
            operator = ">="
        end
    end
    local k = parameter(self, ("code %d of %s"):format(code, column), "uint %s", code, name)
    local present = operator:find ">" and (" && %s != 4294967295u"):format(c) or ""
    return ("(%s %s %s%s)"):format(c, operator, k, present)
end

-- Returns whether the names of two categories have one order: both ascend, or both are the same list.
local function same_order(a, b)
    if a.sorted and b.sorted or #a.list ~= #b.list then
        return a.sorted and b.sorted
    end
    for i, name in ipairs(a.list) do
        if name ~= b.list[i] then
            return false
        end
    end
    return true
end

-- Returns the text of the comparison of two categories.
local function compare_categories(self, a, operator, b)
    local first, second = self.frame.columns[a], self.frame.columns[b]
    if operator ~= "==" and operator ~= "!=" and not same_order(categories.of(first), categories.of(second)) then
        fail("%s: the names of the columns '%s' and '%s' have different orders: give both the same list of names, with "
            .. "rill.frame.category: %s", self.where, a, b, self.source)
    end
    local same = columns.unified {first, second}
    local x = column_parameter(self, same[1], a, ("names of %s\0%s"):format(a, b))
    local y = column_parameter(self, same[2], b, ("names of %s\0%s"):format(b, a))
    if operator == "==" or operator == "!=" then
        local present = ("%s != 4294967295u"):format(x)
        return operator == "==" and ("(%s == %s && %s)"):format(x, y, present) or
            ("(%s != %s || !(%s))"):format(x, y, present)
    end
    return ("(%s %s %s && %s != 4294967295u && %s != 4294967295u)"):format(x, operator, y, x, y)
end

-- Returns what a token is: "category" and the name, "string" and its text, or nil.
local function operand(self, token, after)
    if not token then
        return nil
    elseif token.kind == "string" then
        return "string", token.text
    elseif token.kind == "column" or token.kind == "name" and not (after and after.text == "(") then
        local s = self.frame.columns[token.text]
        if s and categories.of(s) then
            return "category", token.text
        elseif not s and type(self.constants[token.text]) == "string" then
            return "string", self.constants[token.text]
        end
    end
end

local CONVERSIONS <const> = {int = true, uint = true, float = true, double = true}

-- Returns the end of the message that the category or the string at token i is not compared: what to write instead.
local function instead(list, i)
    local before, after = list[i - 1] and list[i - 1].text, list[i + 1] and list[i + 1].text
    if after == "=" then
        return "; write == for equal"
    elseif before == "?" or before == ":" then
        return "; rill.frame.category(codes, names) makes texts that depend on a condition"
    elseif before == "(" and list[i - 2] and CONVERSIONS[list[i - 2].text] then
        return "; rill.gather(numbers, codes) converts it, with a number for each of its names"
    end
    return ""
end

-- Converts a comparison with a category that begins at token i. Returns its text, or nil if there is none.
local function comparison(self, list, i)
    local left, a = operand(self, list[i], list[i + 1])
    local operator = list[i + 1] and list[i + 1].kind == "operator" and list[i + 1].text
    if not left then
        return nil
    elseif not COMPARISONS[operator] then
        fail(left == "string" and "%s: the string '%s' must be compared with a category%s: %s" or
            "%s: column '%s' is a category: compare it with a string, as in name == 'text'%s: %s", self.where, a,
            instead(list, i), self.source)
    end
    local right, b = operand(self, list[i + 2], list[i + 3])
    if left == "category" and right == "string" then
        return compare_text(self, a, operator, b)
    elseif left == "string" and right == "category" then
        return compare_text(self, b, MIRRORED[operator] or operator, a)
    elseif left == "category" and right == "category" then
        return compare_categories(self, a, operator, b)
    end
    local other = list[i + 2] and list[i + 2].text or "nothing"
    if left == "category" and (NOTHING[other] or other == "nan") then
        fail("%s: column '%s' is a category, and is compared with %s: write missing(%s) or not missing(%s): %s",
            self.where, a, other, a, a, self.source)
    end
    fail(left == "category" and "%s: column '%s' is a category, and is compared with %s: expected a string in quotes: "
        .. "%s" or "%s: the string '%s' is compared with %s, which is not a category: %s", self.where, a, other,
        self.source)
end

-- Returns the text of missing(name).
local function missing_text(self, list, i)
    local name = list[i + 2]
    if not (name and list[i + 1].text == "(" and list[i + 3] and list[i + 3].text == ")") then
        fail("%s: missing(...) expects the name of a column: %s", self.where, self.source)
    end
    local s = self.frame.columns[name.text] or unknown(self, name.text)
    local c = column_parameter(self, s, name.text)
    if categories.of(s) then
        return ("(%s == 4294967295u)"):format(c)
    end
    return columns.is_float(s) and ("isnan(%s)"):format(c) or "false"
end

-- Returns whether the number at token i has a sign.
local function is_negative(list, i)
    local sign, before = list[i - 1], list[i - 2]
    return sign ~= nil and sign.kind == "operator" and sign.text == "-" and
        (not before or before.kind == "operator" and not CLOSES[before.text])
end

-- Returns the type of a whole number of an expression whose columns are whole: double if a column of int or uint would
-- be converted to a type that does not have all its values.
local function whole_type(self, whole)
    if whole < -2 ^ 31 or whole >= 2 ^ 32 or whole < 0 and self.found.uint or whole >= 2 ^ 31 and self.found.int then
        return "double"
    end
    return whole < 2 ^ 31 and "int" or "uint"
end

-- Returns a number of an expression. Numbers with a point are doubles, unless the columns of real numbers are float.
local function number_text(self, list, i)
    local number = list[i].text
    if number:find "[xXuUfF]" then
        return number
    end
    local point = number:find "[%.eE]"
    local whole = not point and math.tointeger(tonumber(number))
    local kind = self.real
    if whole and self.whole then
        kind = whole_type(self, whole)
        kind = kind == "int" and is_negative(list, i) and whole_type(self, -whole) or kind
    elseif whole and whole < 2 ^ 31 then
        kind = "int"
    end
    return (point and number or kind == "int" and number or kind == "uint" and number .. "u" or number .. ".0") ..
        (kind == "double" and "lf" or "")
end

local function name_text(self, list, i)
    local token, after, before = list[i], list[i + 1], list[i - 1]
    local name, s = token.text, self.frame.columns[token.text]
    if token.kind == "name" and (before and before.text == "." or after and after.text == "(" or PLAIN[name]) then
        return name
    elseif s then
        return column_parameter(self, s, name)
    elseif token.kind == "name" and self.constants[name] ~= nil then
        local constant = self.constants[name]
        local scalar = self.real
        if self.whole and math.type(constant) == "integer" then
            scalar = whole_type(self, constant)
        end
        local value, declared = constants_of.declare(self.where, scalar, {[name] = constant}, {})
        return parameter(self, "constant " .. name, declared:match "^%S+" .. " %s", value[1], name)
    elseif name == "nan" or name == "inf" then
        return ("%s(uintBitsToFloat(%s))"):format(self.real,
            name == "nan" and "0x7fc00000u" or "0x7f800000u")
    end
    return unknown(self, name)
end

-- Returns the text of the structures and of the functions that an expression uses.
local function head_of(self)
    local texts = {}
    for _, list in ipairs {self.structures, self.helpers} do
        local own = {}
        for _, each in pairs(list) do
            own[#own + 1] = each
        end
        table.sort(own)
        texts[#texts + 1] = table.concat(own)
    end
    return table.concat(texts)
end

-- Operators and words of other languages, with what is written instead.
local FOREIGN <const> = {
    ["**"] = "write pow(x, y) for a power", ["^"] = "write pow(x, y) for a power",
    ["in"] = "write name == 'a' or name == 'b', or use t:join with how = \"semi\"",
    like = "there are no functions of texts in expressions: choose names of the category with Lua",
    between = "write low <= x and x <= high", is = "write missing(x) or not missing(x)",
}
local ORDERS <const> = {["<"] = true, ["<="] = true, [">"] = true, [">="] = true}

-- Raises if a list of tokens contains an operator of another language, a method, or a comparison of three values.
local function check_tokens(self, list)
    local compared, choices = {[0] = false}, 0
    local depth = 0
    for i, token in ipairs(list) do
        local mark = token.kind == "operator" and token.text
        local word = mark or token.kind == "name" and not self.frame.columns[token.text] and
            self.constants[token.text] == nil and i > 1 and token.text
        if word and FOREIGN[word] then
            fail("%s: '%s' is not an operator of expressions: %s: %s", self.where, word, FOREIGN[word], self.source)
        elseif mark == ":" and choices == 0 then
            fail("%s: ':' belongs to a choice, x > 0 ? x : y; there are no methods and no functions of texts in " ..
                "expressions: %s", self.where, self.source)
        elseif mark and ORDERS[mark] and compared[depth] then
            fail("%s: a comparison has two sides: write a < b and b < c: %s", self.where, self.source)
        end
        if mark and ORDERS[mark] then
            compared[depth] = true
        elseif mark and OPENS[mark] then
            depth = depth + 1
            compared[depth] = false
        elseif mark and CLOSES[mark] then
            depth = math.max(depth - 1, 0)
        elseif mark and ENDS_NOT[mark] then
            compared[depth] = false
            choices = choices + (mark == "?" and 1 or mark == ":" and -1 or 0)
        end
    end
end

local kernel_of -- defined below

-- Returns the type of an expression of the kernel language; nil if it is not correct. `list`: its tokens.
local function type_of(self, list, expression)
    if #list == 1 and list[1].kind == "number" then
        return list[1].text:find "[.eE]" and not list[1].text:find "^0[xX]" and self.real or
            expression:find "u$" and "uint" or expression:find "%.0" and self.real or "int"
    elseif #list == 1 then
        local s = self.frame.columns[list[1].text]
        local info = s and list[1].kind ~= "string" and types.list[s.type]
        if info then
            return info.seen
        end
    end
    local kernel, kind = kernel_of(table.concat(self.declared, ", "), expression, head_of(self))
    return kernel and kind or nil
end

local converted -- defined below

-- Returns the text of the call of a function at token i, and the number of its tokens.
local function call_text(self, list, i)
    local texts, kinds, own, depth, at = {}, {}, {}, 0, i + 1
    local function finish()
        if #own > 0 then
            local one = converted(self, own)
            texts[#texts + 1], kinds[#texts + 1] = one, type_of(self, own, one)
        end
        own = {}
    end
    while list[at] do
        local token = list[at]
        local mark = token.kind == "operator" and token.text
        if mark and CLOSES[mark] then
            depth = depth - 1
        end
        if depth == 0 and at > i + 1 then
            finish()
            return calls.write(list[i].text, texts, kinds, self.real, self.helpers), at - i + 1
        elseif depth == 1 and mark == "," then
            finish()
        elseif at > i + 1 then
            own[#own + 1] = token
        end
        if mark and OPENS[mark] then
            depth = depth + 1
        end
        at = at + 1
    end
    return list[i].text, 1 -- the bracket has no end
end

-- Returns the expression of the kernel language for a list of tokens. `not` reaches up to the next `and`, `or`, comma
-- or closing bracket.
converted = function(self, list)
    local parts, depth, open, i = {}, 0, {}, 1
    local function close(all)
        while open[#open] and (open[#open] == depth or all) do
            parts[#parts + 1], open[#open] = ")", nil
        end
    end
    while i <= #list do
        local token, done = list[i], 1
        if token.kind == "operator" then
            if CLOSES[token.text] or ENDS_NOT[token.text] then
                close(false)
            end
            depth = depth + (OPENS[token.text] and 1 or CLOSES[token.text] and -1 or 0)
            parts[#parts + 1] = token.text
        elseif token.kind == "name" and token.text == "not" then
            parts[#parts + 1], open[#open + 1] = "!(", depth
        elseif token.kind == "name" and token.text == "missing" and list[i + 1] and list[i + 1].text == "(" then
            parts[#parts + 1], done = missing_text(self, list, i), 4
        elseif token.kind == "name" and calls.has(token.text) and list[i + 1] and list[i + 1].text == "(" and
            not (list[i - 1] and list[i - 1].text == ".") then
            parts[#parts + 1], done = call_text(self, list, i)
        elseif token.kind == "number" then
            parts[#parts + 1] = number_text(self, list, i)
        else
            local compared = comparison(self, list, i)
            parts[#parts + 1], done = compared or name_text(self, list, i), compared and 3 or 1
        end
        i = i + done
    end
    close(true)
    return table.concat(parts, " ")
end

-- ---- kernels

-- The types of an expression, in an order in which the first type to which the kernel language converts the expression
-- is its type.
local RESULTS <const> = {
    "bool", "int", "uint", "float", "double", "ivec2", "uvec2", "vec2", "dvec2", "ivec3", "uvec3", "vec3", "dvec3",
    "ivec4", "uvec4", "vec4", "dvec4",
}
local find, keep = lru(128) -- declarations and expression -> {kernel, type}

-- Returns the kernel of an expression and its type; or nil and a message.
kernel_of = function(declared, expression, structures, condition)
    local key = table.concat({condition and "?" or "", structures, declared, expression}, "\n")
    local known = find(key)
    if known then
        return known[1], known[2]
    end
    local message
    for _, kind in ipairs(condition and {"bool", "double"} or RESULTS) do
        local head, tail = ("%skernel %s map(%s) { return ("):format(structures, kind, declared), "); }"
        if condition then
            head = ("%skernel uint keep(%s) { %s keep_x = ("):format(structures, declared, kind)
            tail = kind == "bool" and "); return keep_x ? 1u : 0u; }" or "); return keep_x != 0.0lf ? 1u : 0u; }"
        end
        local kernel, wrong = oneline.kernel(head, expression, tail)
        if kernel then
            keep(key, {kernel, kind})
            return kernel, kind
        end
        message = kind == "double" and wrong or message
    end
    return nil, message
end

-- Returns a message of the compiler with the names of columns, without the lines that show generated text.
local function readable(self, message)
    local first = message:match "^[^\n]*":gsub("c%d+_", self.shown)
    if first:find "'%%'" then
        first = first .. "; write mod(x, y)"
    end
    return (first:gsub("^error: ", ""))
end

-- Returns the kernel of a text, its values and its type.
local function prepare(where, frame, source, constants, condition, others)
    if type(source) ~= "string" or not source:find "%S" then
        fail("%s: expected an expression over the columns (a string), got %s", where, type(source) == "string" and
            "an empty one" or errors.told(source))
    elseif constants ~= nil and (type(constants) ~= "table" or rill.type(constants)) then
        fail("%s: argument #2 'constants': expected a table like {c = 2}, got %s", where, errors.told(constants))
    end
    local list, wrong = tokens_of(source)
    if not list then
        fail("%s: the %s has no end: %s", where, wrong, source)
    end
    local self = {
        where = where, frame = frame, source = source, constants = constants or {}, by_key = {}, shown = {},
        values = {}, declared = {}, structures = {}, helpers = {}, others = others,
    }
    for name in pairs(self.constants) do
        if frame.columns[name] then
            fail("%s: argument #2 'constants': '%s' is a column, too: choose another name: %s", where, tostring(name),
                source)
        end
    end
    check_tokens(self, list)
    local found = {}
    for _, token in ipairs(list) do
        local s = (token.kind == "name" or token.kind == "column") and frame.columns[token.text]
        found[s and not categories.of(s) and types.seen_scalar(s.type) or false] = true
    end
    self.real = found.float and not found.double and "float" or "double"
    self.whole, self.found = not found.float and not found.double, found
    local expression = converted(self, list)
    wrong = oneline.wrong(expression, condition)
    if wrong then
        fail("%s: %s: %s", where, wrong, source)
    end
    local has_column = false
    for _, value in ipairs(self.values) do
        has_column = has_column or rill.type(value) == "stream"
    end
    if not has_column then
        self.values[#self.values + 1] = rill.iota(frame.rows)
        self.declared[#self.declared + 1] = "int row_<>"
    end
    local kernel, kind = kernel_of(table.concat(self.declared, ", "), expression, head_of(self), condition)
    if not kernel then
        fail("%s: %s: %s", where, readable(self, kind), source)
    end
    return kernel, self.values, kind
end

--- text.evaluate(where, frame, source, constants [, others]) returns the column of an expression. `frame`: {names =,
-- columns = (by name), rows =}. `others`: new columns by name, which the expression cannot use.
function text.evaluate(where, frame, source, constants, others)
    local kernel, values, kind = prepare(where, frame, source, constants, false, others)
    if frame.rows == 0 then
        return rill.stream(kind, 0)
    end
    return (kernel(table.unpack(values)))
end

--- text.find(where, frame, source, constants) returns an int stream of the 0-based indices of the rows for which a
-- condition holds.
function text.find(where, frame, source, constants)
    local kernel, values = prepare(where, frame, source, constants, true)
    if frame.rows == 0 then
        return rill.stream("int", 0)
    end
    local rows <close> = rill.iota(frame.rows)
    local mask <close> = core._mask(rows)
    values[#values + 1] = mask
    kernel(table.unpack(values))
    return core._compact("find", rows, mask)
end

return text
