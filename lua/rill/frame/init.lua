--- rill.frame: tables of named columns, which are streams or categories.
require "rill"
local categories = require "rill.core.categories"
local columns = require "rill.frame.columns"
local csv = require "rill.csv"
local errors = require "rill.core.error"
local lazy = require "rill.core.lazy"
local npz = require "rill.npz"
local option = require "rill.core.options"
local rill = require "rill.core.public"
local suggest = lazy.module "rill.core.suggest"
local table_of = require "rill.frame.table"
local tables = require "rill.core.tables"
local fail <const> = errors.fail

local frame = {}

-- ---- files

-- Names of the arrays in which a category is saved in addition to its codes: the bytes of the names, and their lengths.
local BYTES <const>, LENGTHS <const> = ".names", ".lengths"

-- Returns the list of the names of a category that a .npz file contains.
local function names_in(path, name, bytes, lengths)
    local text, list, at = bytes.size > 0 and bytes:bytes() or "", {}, 1
    for i, length in ipairs(lengths.size > 0 and lengths:values() or {}) do
        list[i], at = text:sub(at, at + length - 1), at + length
    end
    if at ~= #text + 1 then
        fail("rill.frame.load: \"%s\": the names of column \"%s\" are damaged: %d bytes for lengths of %d", path, name,
            #text, at - 1)
    end
    return list
end

local function load_npz(path, options)
    local arrays = npz.load(path, options)
    local hidden, list = {}, {}
    for i, name in ipairs(arrays.names) do
        if arrays[name .. BYTES] and arrays[name .. LENGTHS] then
            local names <const> = names_in(path, name, arrays[name .. BYTES], arrays[name .. LENGTHS])
            arrays[i] = frame.category(arrays[i], names)
            hidden[name .. BYTES], hidden[name .. LENGTHS] = true, true
        end
    end
    for i, name in ipairs(arrays.names) do
        if not hidden[name] then
            list[#list + 1] = {name, arrays[i]}
        end
    end
    return table_of.new("rill.frame.load", list)
end

local function save_npz(path, state, options)
    local arrays, names = {}, {}
    local function add(name, s)
        names[#names + 1] = name
        arrays[#names] = s -- by index, since a column may be called "names"
    end
    for _, name in ipairs(state.names) do
        local s = state.columns[name]
        local set = categories.of(s)
        if set and set.sorted then -- names in another order are possible values, which may be absent
            s = columns.compacted(s)
            set = categories.of(s)
        end
        add(name, s)
        if set then
            local lengths, bytes = {}, table.concat(set.list)
            for i, each in ipairs(set.list) do
                lengths[i] = #each
            end
            for _, own in ipairs {name .. BYTES, name .. LENGTHS} do
                if state.columns[own] then
                    fail("frame:save: column \"%s\": a .npz file has an array of this name for the category \"%s\": "
                        .. "rename the column", own, name)
                end
            end
            add(name .. BYTES, rill.stream("uint8", #bytes, #bytes > 0 and bytes or nil))
            add(name .. LENGTHS, rill.stream("int", #lengths, #lengths > 0 and lengths or nil))
        end
    end
    arrays.names = names
    npz.save(path, arrays, options)
end

-- Endings of files of other formats, which would be read or written as text.
local OTHER <const> = {}
for ending in ("parquet pq feather arrow orc h5 hdf5 hdf xls xlsx ods json jsonl pkl pickle sqlite db npy mat avro"):
        gmatch "%S+" do
    OTHER[ending] = true
end

local function is_npz(where, path)
    if type(path) ~= "string" then
        fail("%s: argument 'path': expected the path of a .csv, .tsv or .npz file, got %s", where, errors.told(path))
    end
    local ending = path:lower():match "%.(%w+)$"
    if OTHER[ending] then
        fail("%s: \"%s\": files of type %s are not supported: expected a .csv, .tsv or .npz file", where, path, ending)
    end
    return ending == "npz"
end

--- rill.frame.load(path [, options]) reads a table from a .npz file, or from a text file with rill.csv.load, whose
-- options it accepts. Text columns are categories.
function frame.load(path, options)
    if is_npz("rill.frame.load", path) then
        return load_npz(path, options)
    end
    errors.options("rill.frame.load", options)
    options = tables.copy(options)
    options.frame = true
    return csv.load(path, options)
end

--- rill.frame.save(t, path [, options]) writes a table to a .npz file, or to a text file with rill.csv.save, whose
-- options it accepts.
function frame.save(t, path, options)
    if not table_of.is(t) then
        fail("rill.frame.save: argument #1 't': expected a table of rill.frame, got %s", errors.told(t))
    end
    local state <const> = table_of.self_of("save", t)
    if is_npz("frame:save", path) then
        return save_npz(path, state, options)
    end
    local list = {names = state.names}
    for i, name in ipairs(state.names) do
        list[i] = state.columns[name]
    end
    csv.save(path, list, options)
end

for name, f in pairs(frame) do
    frame[name] = errors.guard(f, "rill.frame." .. name)
end

--- rill.frame.concat(list) returns a table of the rows of the tables in a list, which have the same columns: t:concat.
frame.concat = lazy.call("rill.frame.reshape", "all")

--- rill.frame.category(values [, names]) returns a category: a column of codes (uint) and names. `values` is a list of
-- strings, in which false is a missing value; a stream of codes, 0-based indices of `names`, in which 4294967295 is a
-- missing value; or a category, of which the names that do not occur are dropped. `names` is a list of different
-- strings in the order in which they are sorted. Default of `names`: the strings of the list, in ascending order.
function frame.category(values, names)
    local where <const> = "rill.frame.category"
    local seen = {}
    if names ~= nil and not option.is_list(names) then
        fail("%s: argument #2 'names': expected a list of strings, got %s", where, errors.told(names))
    end
    for i, name in ipairs(names or {}) do
        if type(name) ~= "string" or seen[name] then
            fail("%s: argument #2 'names': expected different strings, got %s at index %d", where, errors.told(name), i)
        end
        seen[name] = true
    end
    names = names and table.move(names, 1, #names, 1, {})
    if option.table[1](values) then
        for i, text in ipairs(values) do
            if type(text) ~= "string" and text ~= false then
                fail("%s: argument #1 'values': expected strings, got %s at index %d", where, errors.told(text), i)
            end
        end
        local s, unknown = columns.of_texts(values, names)
        return s or fail("%s: argument #1 'values': \"%s\" does not occur in the names", where, unknown)
    end
    local codes = errors.open(where, values, "argument #1 'values': expected a list of strings or a stream, got %s")
    if not names and categories.of(codes) then
        return columns.compacted(codes)
    elseif not names then
        fail("%s: argument #2 'names': a stream of codes needs the list of their names", where)
    elseif codes.type ~= "uint" and codes.type ~= "int" or #codes.shape ~= 1 then
        fail("%s: argument #1 'values': expected codes of uint in one dimension, got %s of shape %s", where, codes.type,
            codes.shape)
    end
    codes = codes:cast "uint"
    local outside = codes.size > 0 and (codes:ge(#names) & codes:ne(0xffffffff)):any()
    if outside then
        fail("%s: argument #1 'values': expected codes below %d, the number of names, or 4294967295", where, #names)
    end
    return columns.category(codes, categories.set(names))
end

frame.category = errors.guard(frame.category, "rill.frame.category")

local create = errors.guard(function(given, options)
    return table_of.new("rill.frame", given, options)
end, "rill.frame")

return setmetatable(frame, {
    __call = function(_, given, options) return create(given, options) end,
    __index = function(_, key)
        fail("rill.frame has no field '%s'%s", tostring(key), suggest.hint("rill.frame", key))
    end,
    __close = function() end,
})
