-- Controls of a view: sliders, numbers, choices, toggles and buttons. A control is an object with the fields value and
-- changed.
local errors = require "rill.core.error"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local json = require "rill.live.json"
local fail <const> = errors.fail

local control = {}

local OPTIONS <const> = {min = option.finite, max = option.finite, value = option.finite, step = option.positive}
local TOGGLE <const> = {value = option.flag}
local NAMED <const> = {value = {function(v) return type(v) == "string" end, "an item of the list"}}

local Control <const> = {__name = "rill.control"}

-- Returns a number as an integer if the control only has integer values.
local function number_of(state, value)
    local step, least = state.step, state.min ~= -math.huge and state.min or 0
    if step then
        local count = math.min(math.floor((value - least) / step + 0.5), (state.max - least) / step * (1 + 1e-12) // 1)
        value = math.min(math.max(least + count * step, state.min), state.max)
        local whole = tables.whole(value)
        return math.type(tables.whole(step)) == "integer" and math.type(tables.whole(least)) == "integer" and whole
            or value
    end
    return value
end

-- Returns the checked value of a control; `where` begins messages.
local function checked(state, where, value)
    local kind = state.kind
    if kind == "toggle" then
        if type(value) ~= "boolean" then
            fail("%s: expected true or false, got %s", where, errors.told(value))
        end
        return value
    elseif kind == "choice" then
        for _, item in ipairs(state.choices) do
            if item == value then
                return value
            end
        end
        fail("%s: expected %s, got %s", where, '"' .. table.concat(state.choices, '", "') .. '"', errors.told(value))
    elseif kind == "button" then
        fail("%s: a button counts how often it was pressed, and cannot be set", where)
    end
    if not option.is_finite(value) or value < state.min or value > state.max then
        fail("%s: expected a number from %g to %g, got %s", where, state.min, state.max, errors.told(value))
    end
    return number_of(state, value)
end

-- Returns the value of a field.
Control.__index = function(object, key)
    local state = rawget(object, 1)
    if key == "value" or key == "changed" or key == "name" then
        return state[key]
    elseif key == "index" and state.kind == "choice" then
        return state.indices[state.value]
    end
    fail("a control has no field '%s' (it has value, changed and name)", tostring(key))
end

-- Sets the value.
Control.__newindex = function(object, key, value)
    local state = rawget(object, 1)
    if key ~= "value" then
        fail("a control has no field '%s' to be set", tostring(key))
    end
    value = checked(state, ("control '%s': value"):format(state.name), value)
    if value ~= state.value then
        state.value = value
        state.publish()
    end
end

Control.__tostring = function(object)
    local state = rawget(object, 1)
    return ("%s '%s': %s"):format(state.kind, state.name, tostring(state.value))
end

-- Functions that fill the state of a control from the arguments of its method.

local function fill_number(state, where, options)
    local taken = option.take(where, options, OPTIONS)
    local slides = state.kind == "slider"
    state.min, state.max = taken.min or slides and 0 or -math.huge, taken.max or slides and 1 or math.huge
    state.step = taken.step
    if state.min >= state.max then
        fail("%s: options 'min' and 'max': expected min below max, got %g and %g", where, state.min, state.max)
    end
    local value = taken.value or math.min(math.max(0, state.min), state.max)
    state.value = checked(state, where .. ": option 'value'", value)
end

local function fill_choice(state, where, list, options)
    local good = option.is_list(list) and #list > 0 and #list <= 256
    state.indices = {}
    for i = 1, good and #list or 0 do
        good = good and type(list[i]) == "string" and utf8.len(list[i]) ~= nil and not state.indices[list[i]]
        state.indices[list[i]] = i
    end
    if not good then
        fail("%s: argument #2 'list': expected a list of different texts, at most 256, got %s", where,
            errors.told(list))
    end
    state.choices = tables.copy(list)
    local taken = option.take(where, options, NAMED)
    state.value = checked(state, where .. ": option 'value'", taken.value or list[1])
    state.min, state.max = 1, #list
end

local function fill_toggle(state, where, options)
    state.value = option.take(where, options, TOGGLE).value or false
    state.min, state.max = 0, 1
end

local function fill_button(state, where, options)
    option.check(where, options, {})
    state.value, state.min, state.max = 0, 0, 0
end

local fill <const> = {
    slider = fill_number, number = fill_number, choice = fill_choice, toggle = fill_toggle, button = fill_button,
}

--- control.new(kind, name, publish, where, ...) returns a control and its state. `publish` is called when the script
-- sets its value. The other arguments are those of the method of views after the name.
function control.new(kind, name, publish, where, ...)
    local state = {kind = kind, name = name, changed = false, publish = publish}
    fill[kind](state, where, ...)
    return setmetatable({state}, Control), state
end

--- control.register(server, state) tells a server which values of a control browsers may send.
function control.register(server, state)
    server:control(state.name, state.kind == "slider" and "number" or state.kind, state.min, state.max)
end

--- control.receive(state, number, pressed) sets the value of a control from the message of a browser.
function control.receive(state, number, pressed)
    local value
    if state.kind == "button" then
        value = state.value + (pressed and 1 or 0)
    elseif state.kind == "toggle" then
        value = number == 1
    elseif state.kind == "choice" then
        value = state.choices[number // 1 | 0]
    else
        value = number_of(state, number)
    end
    state.changed = state.changed or value ~= state.value
    state.value = value
end

--- control.described(state) returns the JSON object of a control.
function control.described(state)
    local choices, value = {}, state.value
    for i, item in ipairs(state.choices or {}) do
        choices[i] = json.text(item)
    end
    return json.object("name", json.text(state.name), "type", json.text(state.kind),
        "min", json.exact(state.min), "max", json.exact(state.max), "step", state.step and json.exact(state.step),
        "value", json.value(state.indices and state.indices[value] or value),
        "choices", state.choices and json.list(choices))
end

return control
