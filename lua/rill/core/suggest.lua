-- What may have been meant by an unknown name: what is called so in numpy, Torch or CUDA, what has that name elsewhere in rill, or the name nearest
-- by edit distance. It never suggests a method that discards something.
local lazy = require "rill.core.lazy"
local synonyms = require "rill.core.synonyms"

local suggest = {}

-- Methods that free or discard something: a guess must not lead to them.
local destructive <const> = {
    close = "close", unmap = "unmap", pop = "pop", undo = "undo", release = "release", coarsen = "coarsen",
}

-- Letters to insert, drop, change or swap with their neighbour until a is b.
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

-- The key that a name abbreviates; nil where several keys or none begin with the name.
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

-- The letters of a word in order.
local function letters(word)
    local list = {word:byte(1, -1)}
    table.sort(list)
    return string.char(table.unpack(list))
end

-- Whether two words may be one, mistyped, or nil: of up to four letters the first is the same, and none is replaced (sqrt is not sort).
local function alike(a, b)
    return #a > 4 or a:byte(1) == b:byte(1) and (#a ~= #b or letters(a) == letters(b))
end

-- Of two equally near keys the longer, since letters are left out more often than added; then the first in alphabetical order.
local function before(a, b)
    return #a > #b or #a == #b and a < b
end

-- The value of the key nearest to a name by edit distance of at most `most`; nil without one.
local function near(name, names, most)
    local best, least = nil, most + 1
    for key in pairs(names) do
        local lower = key:lower()
        local far = math.abs(#key - #name) <= least and alike(name, lower) and distance(name, lower) or least + 1
        if far < least or far == least and best and before(key, best) then
            best, least = key, far
        end
    end
    return best and names[best]
end

--- suggest.of(name, names [, most]): the value of the only key of `names` that a name of three letters or more abbreviates, else of the nearest by
-- edit distance of at most `most` (default: a third of the letters, at least 1); nil without one.
function suggest.of(name, names, most)
    if #name < 3 then
        return nil
    end
    local lower = name:lower()
    local whole = completed(lower, names)
    return whole and names[whole] or near(lower, names, most or math.max(1, #name // 3))
end

local function owner_of(whole)
    return whole:match "^(.*)[.:]" or ""
end

--- suggest.parts(): the modules within the module, as keys: debug, horn, image.
function suggest.parts()
    local parts = {}
    for _, entry in ipairs(lazy.reference().entries()) do
        parts[entry.name:match "^rill%.([%w_]+)%." or false] = true
    end
    parts[false] = nil
    return parts
end

-- The owners whose synonyms hold for names of an owner, the first first.
local function owners(owner)
    return owner == "" and {"rill", "s", "c", "k", "A"} or {owner, owner:match "^(rill)%."}
end

-- What a name is called here that another library has; nil where no other name is so.
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

-- Whether a parameter takes a value of an owner: 1 as it is, 2 the elements of a container as a stream.
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

-- A function called with a value of an owner as its first argument: "rill.clamp(s, low, high)"; nil of one that does not take such a value.
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

-- A name of another owner for a value's method: a function that takes such a value, or a method of the container's elements as a stream.
local function as_function(owner, entry)
    if entry.name:find "^rill%." then
        return called_with(entry, owner)
    end
    return owner == "c" and entry.name:find "^s:" and "c:stream()" .. entry.name:sub(2) or nil
end

-- How good it is that the module's user finds a name at an owner: the module itself, streams, its parts, other values.
local function rank(whole)
    local owner = owner_of(whole)
    return owner == "rill" and 1 or owner == "s" and 2 or owner:find "^rill%." and 3 or 4
end

-- Where a name stands that an owner has not: the way to write it; nil where no owner has it.
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
            end
            if text and (not best or good < best_rank) then
                best, best_rank = text, good
            end
        end
    end
    return best
end

-- The last parts of the names that an owner ("": any) has, each with the whole name.
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

-- Returns the suggestion for a synonym that is misspelled by one letter. Returns nil for parts of the module, since their users
-- seldom mean methods of streams.
local function mistyped_synonym(owner, name)
    local names = {}
    if owner:find "^rill%." then
        return nil
    end
    for _, each in ipairs(owners(owner)) do
        for other, here in pairs(synonyms.of[each] or {}) do
            names[other] = names[other] or #other > 4 and here[1] or nil
        end
    end
    return near(name:lower(), names, 1)
end

-- What is meant by the last part of a name; "-" or nil: nothing.
local function meant(owner, last)
    local found = synonym(owner, last) or owner ~= "" and elsewhere(owner, last)
    local own = names_of(owner)
    local discards = near(last:lower(), destructive, 1)
    if found or discards and not own[discards] then
        return found or nil
    end
    local bare = last:match "^(.-)_*$" -- Torch's names of what works in place end so
    return own[bare] or suggest.of(last, own) or mistyped_synonym(owner, last) or owner:find "^rill" and
        suggest.of(last, names_of "", 1) or nil
end

--- suggest.name(name): what is meant by a name with or without an owner ("s:clone"), as it is written; nil when nothing is near.
function suggest.name(name)
    local owner, last = name:match "^(.-)[.:]?([%w_]+)$"
    local found = last and meant(owner, last)
    return found ~= "-" and found or nil
end

--- suggest.hint(owner, key): "; did you mean ...?" for a key that an owner ("rill", "rill.image", "s", "k") has not, or "".
function suggest.hint(owner, key)
    if type(key) ~= "string" or #key > 60 then
        return ""
    end
    local own = suggest.name(owner .. "." .. key)
    return own and ("; did you mean %s?"):format(own) or ""
end

-- An option that is meant by another name, of those in `names`; "-": none is.
local function option_synonym(key, names)
    for _, here in ipairs(synonyms.options[key] or synonyms.options[key:lower()] or {}) do
        if names[here] or here == "-" then
            return here
        end
    end
end

--- suggest.among(key, names): what an error says after an unknown key, where the keys of `names` are known, options for example: "axis, descending; did
-- you mean 'axis'?"
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
