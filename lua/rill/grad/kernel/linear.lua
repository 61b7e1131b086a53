-- Finds out whether the contributions to a neighbor stream are linear combinations, with constant coefficients, of few
-- values that each element can compute without its neighbors: then these are stored, and the neighbors add them up.
local ir = require "rill.grad.kernel.ir"

local linear = {}

local MOST_STORED <const> = 2
local MOST_TERMS <const> = 200

local Search = {}
Search.__index = Search

local function is_constant(search, e)
    if e.text:find "indexof" then return false end
    if e.literal then return true end
    for _, variable in ipairs(e.reads) do
        local source = variable.source
        if not source or search.kinds[source] ~= "constant" then return false end
    end
    return #e.reads > 0
end

local function product(coefficient, e, negative)
    local text = e and (e.atom and e.text or "(" .. e.text .. ")")
    local whole = coefficient and text and coefficient .. " * " .. text or coefficient or text
    if not negative then return whole end
    return whole and (whole:match "^%-(.*)$" or "-" .. whole) or "-1.0"
end

--- Adds the terms of coefficient * e. Returns false if there are too many.
function Search:expand(e, coefficient, terms)
    self.steps = self.steps + 1
    if self.steps > MOST_TERMS then return false end
    local variable = e.variable
    local definitions = variable and self.definitions[variable]
    if e.literal and tonumber(e.text) == 0 then
        return true
    elseif definitions then
        for _, s in ipairs(definitions) do
            if s.op ~= "add" and s.op ~= "set" or s.path or (s.op == "set" and #definitions > 1) or
                not self:expand(s.e, coefficient, terms) then
                return false
            end
        end
        return true
    end
    local plain = self.info(e.type).columns == 1
    for _, part in ipairs(e.parts or {}) do
        plain = plain and self.info(part.type).columns == 1
    end
    if plain and e.format == "$1 * $2" then
        for k = 1, 2 do
            if is_constant(self, e.parts[k]) then
                return self:expand(e.parts[3 - k], product(coefficient, e.parts[k]), terms)
            end
        end
    elseif plain and e.format == "-$1" then
        return self:expand(e.parts[1], product(coefficient, nil, true), terms)
    elseif plain and (e.format == "$1 + $2" or e.format == "$1 - $2") then
        return self:expand(e.parts[1], coefficient, terms) and
            self:expand(e.parts[2], e.format == "$1 - $2" and product(coefficient, nil, true) or coefficient, terms)
    end
    terms[#terms + 1] = {e = e, coefficient = coefficient}
    return true
end

--- linear.find(lowered, made, name) returns {parts, stored}: for each offset {offset, terms}, each term {e,
-- coefficient} with the text of the coefficient or nil for 1; and the list of the values to store, {e, name}. A term
-- has the field `stored` unless its value is the adjoint of an output. Returns nil if contributions are not of this
-- form.
function linear.find(lowered, made, name)
    local list, roots = table.move(made.list, 1, #made.list, 1, {}), {}
    for _, variable in ipairs(lowered.reads) do
        if variable.source.text == name then
            local root = {op = "out", e = ir.read(variable.bar), variable_of = variable}
            list[#list + 1], roots[root] = root, true
            roots[#roots + 1] = root
        end
    end
    local live = ir.needed(list, function(s) return roots[s] end)
    local definitions, flat = {}, true
    ir.walk(list, function(s)
        if live[s] and s.to then
            definitions[s.to] = definitions[s.to] or {}
            table.insert(definitions[s.to], s)
        end
        flat = flat and not (live[s] and s.body)
    end)
    for _, s in ipairs(list) do
        if live[s] and s.yes then flat = false end
    end
    if not flat then return nil end
    local search = setmetatable({definitions = definitions, info = lowered.types.info, kinds = lowered.kinds,
        steps = 0},
        Search)
    local parts, stored, by_text = {}, {}, {}
    for i, root in ipairs(roots) do
        local terms = {}
        if not search:expand(root.e, nil, terms) then return nil end
        for _, term in ipairs(terms) do
            local seed = term.e.variable and term.e.variable.given and term.e.variable.base
            if not seed then
                local value = by_text[term.e.text]
                if not value then
                    value = {e = term.e, name = lowered:name "stored"}
                    by_text[term.e.text] = value
                    stored[#stored + 1] = value
                end
                term.stored = value
            end
        end
        parts[i] = {offset = root.variable_of.offset, terms = terms}
    end
    return #stored <= MOST_STORED and #stored < #parts and {parts = parts, stored = stored} or nil
end

return linear
