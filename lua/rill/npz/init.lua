--- rill.npz: numpy's archives of several arrays.
local core = require "rill.core"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local fail <const> = errors.fail

local npz = {}
local LOAD <const>, SAVE <const> = "rill.npz.load", "rill.npz.save"
local LONGEST <const> = 1000

local function is_name(v) return type(v) == "string" end
local LOADS <const> = {
    arrays = {option.some(is_name), "a name or a table of names"},
    type = {function(v) return is_name(v) or option.table[1](v) end, "a type, or a table of types by name"},
    round = option.default(option.flag, false),
}
local SAVES <const> = { compress = option.default(option.flag, false) }

-- Returns the index of the array that an option names.
local function find(key, name, places, names)
    if not places[name] then
        fail("%s: option '%s': the file has no array %s: its arrays are %s", LOAD, key, errors.told(name),
            table.concat(names, ", ", 1, math.min(#names, 12)))
    end
    return places[name]
end

--- rill.npz.load(path [, options]) returns the arrays of a .npz file as streams in a table, by name and by index;
-- `names` is the list of names. Options: arrays (the names of the arrays to read, in the order of the result), type
-- (for rill.load, or a table of types by name), round (see rill.load).
function npz.load(path, options)
    options = option.take(LOAD, options, LOADS)
    local file <close>, names = core._npz_open(path)
    local places, result = {}, {names = {}}
    for i, name in ipairs(names) do
        places[name] = i
    end
    local types <const> = type(options.type) == "table" and options.type or {}
    for name in pairs(types) do
        find("type", name, places, names)
    end
    local arrays = options.arrays or names
    for n, name in ipairs(type(arrays) == "table" and arrays or {arrays}) do
        local kind = types[name] or types ~= options.type and options.type or nil
        local s = core._npz_read(file, find("arrays", name, places, names), path, kind, options.round)
        result[n], result.names[n] = s, name
        result[name] = result[name] or s
    end
    return result
end

--- rill.npz.save(path, arrays [, options]) writes streams to a .npz file. `arrays` maps names to streams; its field
-- `names` lists the names in their order. Default of `names`: sorted. Streams without names get numpy's names arr_0,
-- arr_1 ... Option: compress (deflate the arrays. Default: false).
function npz.save(path, arrays, options)
    options = option.take(SAVE, options, SAVES)
    if not option.table[1](arrays) then
        fail("%s: argument #2 'arrays': expected a table of streams, got %s", SAVE, errors.told(arrays))
    end
    local names, list, seen = tables.order(arrays, "arr_%d", 0), {}, {}
    for i, name in ipairs(names) do
        local value = arrays[name]
        if value == nil or value == names then
            value = arrays[i]
        end
        if not is_name(name) or #name > LONGEST or name == "" or name:find("\0", 1, true) or seen[name] then
            fail("%s: argument #2 'arrays': expected different names of 1 to %d characters, got %s", SAVE, LONGEST,
                errors.told(name))
        end
        seen[name] = true
        list[i] = errors.open(SAVE, value, ("array \"%s\": expected an open stream, got %%s"):format(name))
    end
    core._npz_save(path, names, list, options.compress)
end

for name, f in pairs(npz) do
    npz[name] = errors.guard(f, "rill.npz." .. name)
end
return errors.strict(npz, "rill.npz")
