-- Suggests a name for an unknown one: the equivalent of a name in numpy, Torch or CUDA, the same name elsewhere in
-- rill, or the nearest name by edit distance. It never suggests a method that discards something.
local lazy = require "rill.core.lazy"
local synonyms = require "rill.core.synonyms"

local suggest = {}

-- Methods that free or discard something: a guess must not lead to them.
local destructive <const> = {
    close = "close", unmap = "unmap", pop = "pop", undo = "undo", release = "release", coarsen = "coarsen",
}

-- Returns the edit distance: the number of letters to insert, delete, replace or swap with their neighbor to turn a
-- into b.
local function distance(a, b)
    local before, row = nil, {}
    for j = 0, #b do
        row[j] = j
    end
    for i = 1, #a do
        local next_row, x = { [0] = i }, a:byte(i)
        for j = 1, #b do
            local y = b:byte(j)
            local best = math.min(row[j] + 1, next_row[j - 1] + 1, row[j - 1] + (x == y and 0 or 1))
            if before and j > 1 and x == b:byte(j - 1) and a:byte(i - 1) == y then
                best = math.min(best, before[j - 2] + 1)
            end
            next_row[j] = best
        end
        before, row = row, next_row
    end
    return row[#b]
end

-- Returns the key that begins with a name; nil if several keys do, or none.
local function completed(name, names)
    local found
    for key in pairs(names) do
        if key:sub(1, #name) == name then
            if found then
                return nil
            end
            found = key
        end
    end
    return found
end

-- Returns the letters of a word, sorted.
local function letters(word)
    local list = {word:byte(1, -1)}
    table.sort(list)
    return string.char(table.unpack(list))
end

-- Returns whether b may be a with a typing error. Words of up to four letters must have the same first letter, and no
-- letter may be replaced (sqrt is not sort).
local function alike(a, b)
    return #a > 4 or a:byte(1) == b:byte(1) and (#a ~= #b or letters(a) == letters(b))
end

-- Orders two equally near keys: the longer one first, since letters are omitted more often than added; then
-- alphabetically.
local function before(a, b)
    return #a > #b or #a == #b and a < b
end

-- Returns the value of the key that is nearest to a name, with an edit distance of at most `most`; nil if there is
-- none. `strict`: keys with another first letter must have a distance of 1.
local function near(name, names, most, strict)
    local best, least = nil, most + 1
    for key in pairs(names) do
        local lower = key:lower()
        local far = math.abs(#key - #name) <= least and alike(name, lower) and distance(name, lower) or least + 1
        local same = not strict or far < 2 or name:byte(1) == lower:byte(1)
        if same and (far < least or far == least and best and before(key, best)) then
            best, least = key, far
        end
    end
    return best and names[best]
end

--- suggest.of(name, names [, most [, strict]]) returns the value of the key of `names` that a name of three letters or
-- more abbreviates, if there is only one, else of the nearest key by edit distance; nil if there is none. `most`: the
-- largest distance. Default: a third of the letters, at least 1. `strict`: keys with another first letter must have a
-- distance of 1.
function suggest.of(name, names, most, strict)
    if #name < 3 then
        return nil
    end
    local lower = name:lower()
    local whole = completed(lower, names)
    return whole and names[whole] or near(lower, names, most or math.max(1, #name // 3), strict)
end

local function owner_of(whole)
    return whole:match "^(.*)[.:]" or ""
end

--- suggest.parts() returns a set of the names of the modules in rill: debug, horn, image ...
function suggest.parts()
    local parts = {}
    for _, entry in ipairs(lazy.reference().entries()) do
        parts[entry.name:match "^rill%.([%w_]+)%." or false] = true
    end
    parts[false] = nil
    return parts
end

-- Returns the owners whose synonyms apply to names of an owner, most specific first.
local function owners(owner)
    return owner == "" and {"rill", "s", "c", "k", "A"} or {owner, owner:match "^(rill)%."}
end

-- Returns the equivalent of a name of another library; nil if the name is not known.
local function synonym(owner, name)
    for _, spelled in ipairs {name, name:lower()} do
        for _, each in ipairs(owners(owner)) do
            local found = synonyms.of[each] and synonyms.of[each][spelled]
            if found then
                return found[1]
            end
        end
    end
end

-- Returns 1 if a parameter accepts a value of an owner, 2 if it accepts the elements of a container as a stream, else
-- nil.
local function takes(parameter, owner)
    local kinds = "|" .. parameter.type .. "|"
    for kind, letter in pairs(lazy.reference().letters) do
        if letter == owner and kinds:find("|" .. kind .. "|", 1, true) then
            return 1
        end
    end
    if kinds:find("|operand|", 1, true) and (owner == "s" or owner == "c") then
        return 1
    end
    return kinds:find("|source|", 1, true) and (owner == "s" and 1 or owner == "c" and 2) or nil
end

-- Returns the call of a function with a value of an owner as its first argument: "rill.clamp(s, low, high)"; nil if it
-- does not accept such a value.
local function called_with(entry, owner)
    local how = entry.params and entry.params[1] and takes(entry.params[1], owner)
    if not how then
        return nil
    end
    local arguments = {how == 1 and owner or owner .. ":stream()"}
    for i = 2, #entry.params do
        arguments[#arguments + 1] = not entry.params[i].optional and entry.params[i].name or nil
    end
    return ("%s(%s)"):format(entry.name, table.concat(arguments, ", "))
end

-- Returns what to write instead of an unknown method: a function that accepts the value, or a method of the elements of
-- a container as a stream.
local function as_function(owner, entry)
    if entry.name:find "^rill%." then
        return called_with(entry, owner)
    end
    return owner == "c" and entry.name:find "^s:" and "c:stream()" .. entry.name:sub(2) or nil
end

-- Returns the rank of an owner, lowest is best: the module itself, streams, modules in it, other values.
local function rank(whole)
    local owner = owner_of(whole)
    return owner == "rill" and 1 or owner == "s" and 2 or owner:find "^rill%." and 3 or 4
end

-- Returns what to write for a name that only another owner has; nil if no owner has it.
local function elsewhere(owner, name)
    local best, best_rank
    if destructive[name] then
        return nil
    end
    for _, entry in ipairs(lazy.reference().entries()) do
        if not entry.language and entry.name:match "[%w_]+$" == name and owner_of(entry.name) ~= owner then
            local text, good = entry.name, rank(entry.name)
            if not owner:find "^rill" then
                text = as_function(owner, entry)
            elseif owner ~= "rill" and good > 3 then
                text = nil -- another part of the module has no methods of such values
            end
            if text and (not best or good < best_rank) then
                best, best_rank = text, good
            end
        end
    end
    return best
end

-- Returns a table from the last parts of the names of an owner ("": any) to the whole names.
local function names_of(owner)
    local names = {}
    for _, entry in ipairs(lazy.reference().entries()) do
        local last, own = entry.name:match "[%w_]+$", owner_of(entry.name)
        if (owner == "" or own == owner) and not (destructive[last] and (own ~= owner or not own:find "^rill")) and
            (not names[last] or own == "rill") then
            names[last] = entry.name
        end
    end
    for part in pairs((owner == "" or owner == "rill") and suggest.parts() or {}) do
        names[part] = names[part] or "rill." .. part
    end
    return names
end

-- Returns the suggestion for a synonym that is misspelled by one letter. For parts of the module only their own
-- synonyms count, since their users seldom mean methods of streams.
local function mistyped_synonym(owner, name)
    local names <const>, part <const> = {}, owner:find "^rill%." ~= nil
    for _, each in ipairs(part and {owner} or owners(owner)) do
        for other, here in pairs(synonyms.of[each] or {}) do
            names[other] = names[other] or #other > (part and 3 or 4) and here[1] or nil
        end
    end
    return near(name:lower(), names, 1)
end

-- Returns whether a name is the last part of a public name.
local function is_public(name)
    for _, entry in ipairs(lazy.reference().entries()) do
        if not entry.language and entry.name:match "[%w_]+$" == name then
            return true
        end
    end
    return false
end

-- Returns the suggestion for the last part of a name; "-" or nil if there is none. A name that only other values have
-- is not misspelled.
local function meant(owner, last)
    local found = synonym(owner, last) or owner ~= "" and elsewhere(owner, last) or
        owner == "rill" and synonym("s", last)
    local own = names_of(owner)
    local discards = near(last:lower(), destructive, 1)
    if found or discards and not own[discards] then
        return found or nil
    end
    local bare = last:match "^(.-)_*$" -- names of Torch's in-place operations end in an underscore
    if own[bare] or owner ~= "" and is_public(last) then
        return own[bare]
    end
    return suggest.of(last, own, nil, true) or mistyped_synonym(owner, last) or owner == "rill" and
        suggest.of(last, names_of "", 1) or nil
end

--- suggest.name(name) returns the suggestion for a name with or without an owner ("s:clone"); nil if there is none.
function suggest.name(name)
    local owner, last = name:match "^(.-)[.:]?([%w_]+)$"
    local found = last and meant(owner, last)
    return found ~= "-" and found or nil
end

--- suggest.hint(owner, key) returns "; did you mean ...?" or another remark for a key that an owner ("rill",
-- "rill.image", "s", "k") does not have, or "". For a module without a suggestion it names the help.
function suggest.hint(owner, key)
    if type(key) ~= "string" or #key > 60 then
        return ""
    end
    local remark = synonyms.remark(owner, key)
    local own = not remark and suggest.name(owner .. "." .. key)
    local lists <const> = not own and owner:find "^rill%." and next(names_of(owner))
    return remark or own and ("; did you mean %s?"):format(own) or
        lists and ('; rill.help "%s" lists its names'):format(owner) or ""
end

-- Returns the option in `names` that is the equivalent of a key; "-" if nothing may be suggested.
local function option_synonym(key, names)
    for _, here in ipairs(synonyms.options[key] or synonyms.options[key:lower()] or {}) do
        if names[here] or here == "-" then
            return here
        end
    end
end

--- suggest.among(key, names) returns the text of an error after an unknown key, where the keys of `names` are expected:
-- "axis, descending; did you mean 'axis'?"
function suggest.among(key, names)
    local own, list = {}, {}
    for name in pairs(names) do
        own[name] = not destructive[name] and name or nil
        list[#list + 1] = name
    end
    table.sort(list)
    list[1] = list[1] or "none"
    local found = type(key) == "string" and #key <= 60 and (option_synonym(key, own) or suggest.of(key, own))
    return table.concat(list, ", ") .. (found and found ~= "-" and ("; did you mean '%s'?"):format(found) or "")
end

return suggest
