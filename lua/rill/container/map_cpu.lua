-- c:map_cpu: a box of a container as an indexable view on the host, page by page.
local core = require "rill.core"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local typename = require "rill.core.typename"

local EXPECTED <const> = {first = true, last = true, lazy = true}
local states = setmetatable({}, {__mode = "k"}) -- view -> its state

local function one(list)
    return #list == 1 and list[1] or list
end

-- Returns an index as a list. If the domain has bounds, negative indices count from the end.
local function index_of(value, rank, shape, default, name)
    local list = type(value) == "table" and not core.type(value) and value or value ~= nil and {value} or default
    local result = {}
    for d = 1, rank do
        local i = list and #list == rank and math.tointeger(list[d])
        i = i and shape and i < 0 and i + shape[d] + 1 or i
        if not i or shape and (i < 1 or i > shape[d]) then
            errors.fail("c:map_cpu: option '%s': expected an index of a container of %s", name,
                shape and "shape " .. tostring(shape) or rank .. " dimensions")
        end
        result[d] = i
    end
    return result
end

-- Returns the page of an element, and the element's index in it, both 1-based and row-major. Sets the
-- bounds of the page, at .. to, in the state.
local function locate(state, i)
    local rest, key, inside, below, pages = i - 1, 0, 0, 1, 1
    for d = #state.size, 1, -1 do
        local at = state.first[d] - 1 + rest % state.size[d]
        rest = rest // state.size[d]
        local page = at // state.page[d]
        local from = math.max(page * state.page[d], state.first[d] - 1)
        local to = math.min((page + 1) * state.page[d], state.last[d])
        state.at[d], state.to[d] = from + 1, to
        inside = inside + (at - from) * below
        below = below * (to - from)
        key = key + (page - state.low[d]) * pages
        pages = pages * (state.high[d] - state.low[d] + 1)
    end
    return key, inside + 1
end

local function fetch(state, key)
    local page = state.pages[key]
    if not page then
        local first, last = table.move(state.at, 1, #state.at, 1, {}), table.move(state.to, 1, #state.to, 1, {})
        local stream = core._dense_box(state.container, one(first), one(last))
        page = {first = first, last = last, stream = stream, view = stream:map_cpu()}
        state.pages[key] = page
    end
    return page
end

-- Fetches all mapped pages of the box.
local function fetch_mapped(state, range)
    local number = 1
    local first, last = core._box(range, number)
    while first do
        local i, inside = 0, true
        for d = 1, #first do
            local from = math.max(first[d], state.first[d])
            inside = inside and from <= math.min(last[d], state.last[d])
            i = i * state.size[d] + from - state.first[d]
        end
        if inside then
            fetch(state, (locate(state, i + 1)))
        end
        number = number + 1
        first, last = core._box(range, number)
    end
end

local function open_state(view, what)
    local state = states[view]
    if not state then
        errors.fail("%s: expected a mapped container", what)
    elseif not state.pages then
        errors.fail("%s: the container was unmapped", what)
    end
    return state
end

local function write_back(state, data_of)
    local pages = state.pages or {}
    state.pages = nil
    for _, page in pairs(pages) do
        local data = data_of(page)
        if page.written then
            state.container:write(data, one(page.first), one(page.last))
        end
    end
end

local function stream_of(page)
    page.view:unmap()
    return page.stream
end

local function unmap(view)
    local state = states[view]
    if not state then
        errors.fail("m:unmap: expected a mapped container")
    end
    write_back(state, stream_of)
end

local meta = {__name = "rill.map", __metatable = "rill.map"}

function meta.__index(view, i)
    if i == "unmap" then
        return unmap
    end
    local state = open_state(view, "m[i]")
    local number = math.tointeger(i)
    if not number then
        errors.fail("a mapped container has no field or method '%s' (it has m[i], #m and m:unmap())", tostring(i))
    elseif number < 1 then
        errors.fail("m[i]: argument #1 'i': expected an index from 1, got %d", number)
    elseif number > state.count then
        return nil
    end
    local key, inside = locate(state, number)
    local element = fetch(state, key).view[inside]
    return element
end

function meta.__newindex(view, i, value)
    local state, number = open_state(view, "m[i] = v"), math.tointeger(i)
    if not number or number < 1 or number > state.count then
        errors.fail("m[i] = v: index %s is out of range 1 .. %d", tostring(i), state.count)
    end
    local key, inside = locate(state, number)
    local page = fetch(state, key)
    if not page.written and state.pooled then
        errors.call(state.container.allocate, state.container, one(page.first), one(page.last))
    end
    page.view[inside] = value
    page.written = true
end

function meta.__len(view)
    return open_state(view, "#m").count
end

function meta.__tostring(view)
    local state = states[view]
    if not state or not state.pages then
        return "unmapped container"
    end
    return ("mapped container<%s> of %d"):format(state.container.type, state.count)
end

meta.__close = unmap

-- Copies the elements of a page to a table: in a finalizer the stream's own view may be finalized already.
local function elements_of(page)
    local list = {}
    for i = 1, page.written and #page.view or 0 do
        list[i] = page.view[i]
    end
    return list
end

function meta.__gc(view)
    if states[view] then
        pcall(write_back, states[view], elements_of)
    end
end

local function check_options(options)
    errors.options("c:map_cpu: argument #1 'options'", options)
    option.check("c:map_cpu", options, EXPECTED)
    options = options or {}
    if options.lazy ~= nil and type(options.lazy) ~= "boolean" then
        errors.fail("c:map_cpu: option 'lazy': expected true or false, got %s", type(options.lazy))
    end
    return options
end

--- c:map_cpu{first=, last=, lazy=} returns a view of a box with 1-based row-major indices: m[i], #m, and
--- m:unmap(), which writes back the pages that were assigned to. Defaults: the whole domain, lazy = false.
--- With lazy = true a page is read when one of its elements is first accessed; otherwise all mapped pages
--- are read immediately.
local function map_cpu(c, options, ...)
    if not core._is_open_container(c) then
        errors.fail("c:map_cpu: argument 'c': expected a container, got %s", typename.told(c))
    elseif select("#", ...) > 0 then
        errors.fail("c:map_cpu: expected at most 1 argument, got %d", 1 + select("#", ...))
    end
    options = check_options(options)
    local shape = c.shape
    local page, pooled = core._page_sizes(c)
    local rank, ones = shape and #shape or #page, shape and {}
    for d = 1, shape and rank or 0 do
        ones[d] = 1
    end
    local first = index_of(options.first, rank, shape, ones, "first")
    local last = index_of(options.last, rank, shape, shape, "last")
    local state = {
        container = core._leaf(c), first = first, last = last, size = {}, low = {}, high = {}, at = {}, to = {},
        pages = {}, count = 1, pooled = pooled, page = page or table.move(shape, 1, rank, 1, {}),
    }
    for d = 1, rank do
        if last[d] < first[d] then
            errors.fail("c:map_cpu: dimension %d: %d .. %d is not a box: expected first <= last", d, first[d], last[d])
        end
        state.size[d] = last[d] - first[d] + 1
        state.low[d], state.high[d] = (first[d] - 1) // state.page[d], (last[d] - 1) // state.page[d]
        state.count = state.count * state.size[d]
    end
    if not options.lazy then
        fetch_mapped(state, c:active())
    end
    local view = setmetatable({}, meta)
    states[view] = state
    return view
end

return {map_cpu = errors.guard(map_cpu)}
