-- What somebody may have meant by a name that is none: the nearest by edit distance, or what another library calls so.
local reference = require "rill.support.reference"

local nearest = {}

-- Names of NumPy and its kin, and what does the same here.
local elsewhere <const> = {
    arange = "rill.iota", linspace = "rill.iter", zeros = "rill.stream", ones = "rill.stream", full = "rill.stream",
    empty = "rill.stream", array = "rill.from", asarray = "rill.from", cumsum = "s:scan", cumprod = "s:scan",
    nonzero = "s:find", clip = "rill.clamp", minimum = "rill.min", maximum = "rill.max", power = "rill.pow",
    astype = "s:cast", dtype = "s.type", concatenate = "rill.concat", stack = "rill.concat", rand = "rill.random",
    randn = "rill.random", argwhere = "s:find", take = "rill.gather",
    compile = "rill.kernel", synchronize = "rill.sync", tolist = "s:values", len = "s.size", buffer = "rill.stream",
    linalg = "rill.solve", inv = "rill.solve.lu", gmres = "rill.solve.bicgstab", conv = "rill.convolve",
    sphere = "rill.mesh.icosphere", cube = "rill.mesh.box", plane = "rill.mesh.grid",
    imread = "rill.image.load", imwrite = "rill.image.save", imshow = "rill.show", digitize = "rill.searchsorted",
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

--- nearest.of(name, names): what the closest key of `names` stands for; nil where none is within a third of the name's letters. Of equally
-- close ones the first by the alphabet.
function nearest.of(name, names)
    local best, least = nil, math.max(1, #name // 3) + 1
    local lower = name:lower()
    for key in pairs(names) do
        if math.abs(#key - #name) < least + 1 then
            local far = distance(lower, key:lower())
            if far < least or far == least and best and key < best then
                best, least = key, far
            end
        end
    end
    return best and names[best]
end

-- The last parts of the names of reference.lua that `accept` takes, each with the whole name.
local function names_of(accept)
    local names = {}
    for _, entry in ipairs(reference.entries()) do
        local last = entry.name:match "[%w_]+$"
        if accept(entry.name) and (not names[last] or entry.name:find "^rill%.[%w_]+$") then
            names[last] = entry.name
        end
    end
    return names
end

--- nearest.parts(): the modules within the module, as keys: debug, horn, image.
function nearest.parts()
    local parts = {}
    for _, entry in ipairs(reference.entries()) do
        parts[entry.name:match "^rill%.([%w_]+)%." or false] = true
    end
    parts[false] = nil
    return parts
end

-- What a name with this owner can be: "" everything, "s" what streams have.
local function candidates(owner)
    local names = names_of(function(whole) return owner == "" or whole:match "^(.*)[.:]" == owner end)
    for name, own in pairs(elsewhere) do
        if owner == "" or own:match "^(.*)[.:]" == owner then
            names[name] = names[name] or own
        end
    end
    if owner == "" or owner == "rill" then
        for part in pairs(nearest.parts()) do
            names[part] = names[part] or "rill." .. part
        end
    end
    return names
end

--- nearest.name(name): the whole name of what is meant by a name with or without an owner; nil when nothing is near.
function nearest.name(name)
    local owner, last = name:match "^(.-)[.:]?([%w_]+)$"
    local anywhere = last and (owner == "" or owner:find "^rill")
    local found = anywhere and elsewhere[last] or last and nearest.of(last, candidates(owner))
    if not found and anywhere then
        return nearest.of(last, candidates "")
    end
    return found
end

--- nearest.hint(owner, key): "; did you mean ...?" for a key that an owner ("rill", "rill.image", "s", "k") has not, or "".
function nearest.hint(owner, key)
    if type(key) ~= "string" or #key < 2 or #key > 60 then
        return ""
    end
    local own = nearest.name(owner .. "." .. key)
    return own and ("; did you mean %s?"):format(own) or ""
end

return nearest
