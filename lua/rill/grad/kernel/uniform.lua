-- Contributions to elements whose indices depend only on the number of a loop's iteration, such as those of a sum
-- over all elements of a gather stream: each iteration contributes from all elements of the launch to the same
-- element. They are added up by a kernel that runs over the iterations, and computes the contributions again for
-- blocks of elements.
local contributions = require "rill.grad.kernel.contributions"
local ir = require "rill.grad.kernel.ir"
local subject = require "rill.grad.kernel.subject"
local tables = require "rill.core.tables"
local write = require "rill.grad.kernel.write"

local uniform = {}

local INVOCATIONS <const> = 1 << 18 -- that a launch should have
local LEAST <const>, MOST <const> = 64, 4096 -- elements of a block

-- ---- finding them

-- Returns whether an expression contains the index of the element, or a size that is not that of a gather stream.
local function has_index(e, kinds)
    for name in e.text:gmatch "sizeof_stream%((%w+)" do
        for node, kind in pairs(kinds) do
            if node.text == name and kind ~= "gather stream" then return true end
        end
    end
    return e.text:find "indexof" or e.text:find "spacingof" or e.text:find "sizeof_list" or e.text:find "rill_here"
end

local function is_constant(e, kinds)
    if has_index(e, kinds) then return false end
    for _, variable in ipairs(e.reads) do
        if not variable.source or kinds[variable.source] ~= "constant" then return false end
    end
    return true
end

-- Returns the statements of a loop's body that an index needs, in order; nil if it depends on the element.
local function index_statements(index, body, turn, kinds)
    local definitions, needed, list = {}, {}, {}
    for _, s in ipairs(body) do
        if s.op == "set" then definitions[s.to] = definitions[s.to] == nil and s or false end
    end
    local function visit(e)
        if has_index(e, kinds) then return false end
        for _, variable in ipairs(e.reads) do
            local s = definitions[variable]
            if s and not needed[s] then
                needed[s] = true
                if s.gather or s.sample or s.draws or not visit(s.e) then return false end
            elseif not s and variable ~= turn and not (variable.source and kinds[variable.source] == "constant") then
                return false
            end
        end
        return true
    end
    if not visit(index) then return nil end
    for _, s in ipairs(body) do
        if needed[s] then list[#list + 1] = s end
    end
    return list
end

-- Executes statements with what is known of the values of variables: "zero", a variable that had the value before, or
-- "other". `values`: by variable. Variables without an entry have their own value before, or are zero if they are
-- adjoints of the iteration's frame.
local function execute(list, values, frame)
    local function value_of(e)
        if e.literal and tonumber(e.text:match "%(([^()]*)%)$" or e.text) == 0 then return "zero" end
        local variable = e.variable
        if not variable then return "other" end
        if values[variable] == nil then
            return variable.adjoint and ir.in_frame(variable.frame, frame) and "zero" or variable
        end
        return values[variable]
    end
    for _, s in ipairs(list) do
        if s.op == "set" or s.op == "add" and not s.path then
            local new = value_of(s.e)
            local old = s.op == "add" and value_of(ir.read(s.to)) or "zero"
            values[s.to] = old == "zero" and new or new == "zero" and old or "other"
        elseif s.op == "if" then
            local no = {}
            for variable, value in pairs(values) do no[variable] = value end
            execute(s.yes, values, frame)
            execute(s.no, no, frame)
            for variable in pairs(no) do
                if values[variable] == nil then values[variable] = value_of(ir.read(variable)) end
            end
            for variable, value in pairs(values) do
                local other = no[variable]
                if other == nil then
                    other = variable.adjoint and ir.in_frame(variable.frame, frame) and "zero" or variable
                end
                if other ~= value then values[variable] = "other" end
            end
        else
            if s.to then values[s.to] = "other" end
            ir.walk(s.body or {}, function(t)
                if t.to then values[t.to] = "other" end
            end)
        end
    end
end

-- Returns whether an iteration can be computed without the others: what it needs from outside is the same for all.
local function is_independent(loop, collects)
    local _, read = ir.needed(loop.body, function(s) return collects[s] end)
    local values = {}
    execute(loop.body, values, loop.body.frame)
    for variable, value in pairs(values) do
        local outer = not variable.frame or not ir.in_frame(variable.frame, loop.body.frame)
        if read[variable] and outer and value ~= variable then return false end
    end
    return true
end

-- Calls visit(list, i) for the contributions of a loop's body that are not in an inner loop.
local function each_contribution(list, visit)
    for i = #list, 1, -1 do
        local s = list[i]
        if s.op == "contribute" then visit(s) end
        if s.op == "if" then
            each_contribution(s.yes, visit)
            each_contribution(s.no, visit)
        end
    end
end

--- uniform.extract(about, lowered, made) takes such contributions out of the statements of an adjoint. Returns the
-- list of the loops with them: {loop, sites}, where a site is {name, type, statement, index}.
function uniform.extract(lowered, made)
    local loops = {}
    for _, loop in ipairs(made.list) do
        if loop.op == "repeat" and loop.body.frame and is_constant(loop.first, lowered.kinds) then
            local found = {loop = loop, sites = {}}
            each_contribution(loop.body, function(s)
                local list = index_statements(s.index, loop.body, loop.variable, lowered.kinds)
                if list then
                    table.insert(found.sites, {name = s.target, type = s.e.type, statement = s, index = list})
                end
            end)
            local collects = {}
            for _, site in ipairs(found.sites) do collects[site.statement] = true end
            if #found.sites > 0 and is_independent(loop, collects) then loops[#loops + 1] = found end
        end
    end
    for _, found in ipairs(loops) do
        for _, site in ipairs(found.sites) do
            local s = site.statement
            s.op, s.root = "collect", nil
            site.sum = {name = lowered:name(site.name .. "_sum"), type = site.type, given = true}
            s.to = site.sum
        end
    end
    return loops
end

-- ---- texts

local ELEMENTS <const> = {["input stream"] = true, ["in-place stream"] = true}

-- Returns the declarations of the parameters that a body mentions, and the names of those that are elements of the
-- launch, of constants, and of gathers. Returns nil if the body reads what is not known at another element.
local function parameters_of(about, lowered, made, body)
    local list, elements, constants, gathers = {}, {}, {}, {}
    for _, param in ipairs(about.params) do
        if not param.fixed and ir.mentions(body, param.name) then
            if param.kind == "constant" then
                list[#list + 1], constants[param.name] = param.declaration, true
            elseif param.kind == "gather stream" then
                list[#list + 1], gathers[param.name] = param.declaration, true
            elseif ELEMENTS[param.kind] then
                elements[param.name] = about.types[param.name]
            else
                return nil
            end
        end
    end
    for _, output in ipairs(lowered.outputs) do
        local bar = output.name .. "_bar"
        if ir.mentions(body, bar) then elements[bar] = output.type end
    end
    for name, words in pairs(made.places) do
        for _, word in ipairs {words.size, words.mode} do
            if ir.mentions(body, word) then
                list[#list + 1] = "ivec4 " .. word
                gathers[name] = gathers[name] or "size"
            end
        end
    end
    for name in pairs(made.pulled) do
        if ir.mentions(body, name .. "_first") then return nil end
    end
    return list, elements, constants, gathers
end

local SUM <const> = [[
$helpers
kernel void $name($params, $outs) {
  int $turn = indexof($first, 0), launch_from = indexof($first, 1) * launch_block;
  int launch_end = launch_from +
    min(launch_block, launch_size.x * launch_size.y * launch_size.z * launch_size.w - launch_from);
  for (int launch_j = launch_from; launch_j < launch_end; launch_j++) {
    int launch_y = launch_j / launch_size.x, launch_z = launch_y / launch_size.y;
    ivec4 launch_at = ivec4(launch_j % launch_size.x, launch_y % launch_size.y, launch_z % launch_size.z,
      launch_z / launch_size.z);
$body
  }
}]]

-- Replaces accesses to elements of the launch by those at launch_at.
local function at_element(body, elements, rank)
    body = body:gsub("indexof%(rill_here, (%d)%)", "launch_at[%1]"):gsub("indexof%(rill_here%)", "launch_at")
        :gsub("sizeof_stream%(rill_here, (%d)%)", "launch_size[%1]"):gsub("sizeof_stream%(rill_here%)", "launch_size")
    local index = {}
    for d = rank, 1, -1 do index[#index + 1] = "[launch_at." .. ("xyzw"):sub(d, d) .. "]" end
    for name in pairs(elements) do
        body = body:gsub("indexof%(" .. name .. ", (%d)%)", "launch_at[%1]")
            :gsub("indexof%(" .. name .. "%)", "launch_at")
            :gsub("sizeof_stream%(" .. name .. ", (%d)%)", "launch_size[%1]")
            :gsub("sizeof_stream%(" .. name .. "%)", "launch_size")
        body = ir.replace(body, name, function(brackets) return name .. table.concat(index) .. brackets end)
    end
    return body
end

--- uniform.specify(about, lowered, made, found, compose) returns what uniform.sum needs for a loop of
-- uniform.extract; nil if its contributions cannot be computed at another element. `compose`: subject.compose.
function uniform.specify(about, lowered, made, found, compose)
    local loop = found.loop
    local list, collects = {}, {}
    for _, site in ipairs(found.sites) do collects[site.statement] = true end
    for _, s in ipairs(made.list) do
        if s == loop then
            list[#list + 1] = {op = "if", condition = ir.join("$1 < $2", "bool", ir.read(loop.variable), loop.first),
                yes = loop.body, no = {}}
        else
            list[#list + 1] = s
        end
    end
    local function zero(type) return lowered:zero(type) end
    local live, loops = ir.needed(list, function(s) return collects[s] end), false
    ir.walk(list, function(s) loops = loops or live[s] and s.body ~= nil end)
    if loops then return nil end -- each iteration would run the other loop again
    local body = write.body(list, live, zero, lowered.types.info)
    if ir.mentions(body, "push") or ir.mentions(body, "sizeof_list") or ir.mentions(body,
        "spacingof") then return nil end
    local params, elements, constants, gathers = parameters_of(about, lowered, made, body)
    if not params then return nil end
    local spec = {
        params = params, elements = elements, constants = constants, gathers = gathers, body = body, kernels = {},
        places = contributions.store(), sites = found.sites, turn = loop.variable.name, helpers = about.helpers,
        name = about.name .. "_sums", fast = about.fast,
    }
    -- The numbers of iterations, and the destination of each one.
    local count = {op = "out", name = "turns", e = loop.first, root = true}
    spec.count, spec.count_taken = compose(about, lowered, about.name .. "_turns", {count},
        {{"out int turns<>", "turns", always = true}})
    for _, site in ipairs(found.sites) do
        local own = {{op = "set", to = loop.variable, e = ir.value("indexof(turn_at, 0)", "int")}}
        table.move(site.index, 1, #site.index, 2, own)
        own[#own + 1] = {op = "out", name = "turn_at", e = site.statement.index, root = true}
        loop.variable.given = nil
        local words = made.places[site.name]
        site.text, site.taken = compose(about, lowered, about.name .. "_places", own, {
            {"out int turn_at<>", "turn_at", always = true}, {"ivec4 " .. words.size, words.size},
            {"ivec4 " .. words.mode, words.mode},
        })
        loop.variable.given = true
    end
    return spec
end

-- ---- launches

-- Returns the arguments by the names in a set.
local function arguments_of(set, given, sizes)
    local arguments = {}
    for name in pairs(set) do arguments[name] = sizes[name] == nil and given[name] or sizes[name] end
    return arguments
end

-- Returns the number of iterations and the destinations of each site. They are kept as long as what they depend on is.
local function places_of(spec, given, sizes, shapes)
    local values = {}
    for _, name in ipairs(tables.keys(spec.constants)) do values[#values + 1] = given[name] end
    for _, name in ipairs(tables.keys(spec.gathers)) do values[#values + 1] = shapes[name] end
    for _, name in ipairs(tables.keys(sizes)) do values[#values + 1] = sizes[name] end
    return contributions.kept(spec.places, values, function()
        local arguments = arguments_of(spec.count_taken, given, sizes)
        arguments.turns, arguments.shape = nil, 1
        local places = {turns = subject.kernel(spec, spec.count)(arguments):get(1)}
        for i, site in ipairs(places.turns > 0 and spec.sites or {}) do
            arguments = arguments_of(site.taken, given, sizes)
            arguments.turn_at, arguments.shape = nil, places.turns
            places[i] = subject.kernel(spec, site.text)(arguments)
        end
        return places
    end)
end

--- uniform.sum(spec, given, sizes, shapes, launch) returns the sums for the sites of a loop: a list of {name, at,
-- add}. given: the arguments by name. sizes: the vectors of sizes and modes by name. shapes: those of the gathers.
-- launch: the sizes of the launch.
function uniform.sum(spec, given, sizes, shapes, launch)
    local total, rank = tables.product(launch), #launch
    local places = total > 0 and places_of(spec, given, sizes, shapes)
    if total == 0 or places.turns == 0 then return {} end
    local brackets, outs, first = ("[]"):rep(rank), {}, nil
    local params = {"ivec4 launch_size", "int launch_block", table.unpack(spec.params)}
    for _, name in ipairs(tables.keys(spec.elements)) do
        params[#params + 1] = ("%s %s%s"):format(spec.elements[name], name, brackets)
    end
    for i, site in ipairs(spec.sites) do
        first = first or site.sum.name
        outs[i] = ("out %s %s<>"):format(site.type, site.sum.name)
    end
    spec.texts = spec.texts or {}
    local text = spec.texts[rank]
    if not text then
        local values = {
            helpers = spec.helpers, name = spec.name, params = table.concat(params, ", "), outs = table.concat(outs,
                ", "),
            turn = spec.turn, first = first, body = at_element(spec.body, spec.elements, rank),
        }
        text = SUM:gsub("%$(%a+)", values)
        spec.texts[rank] = text
    end
    local block = math.max(LEAST, math.min(MOST, total * places.turns // INVOCATIONS))
    local size = {1, 1, 1, 1}
    for d = 1, rank do size[rank - d + 1] = launch[d] end
    local arguments = {launch_size = size, launch_block = block, shape = {(total + block - 1) // block, places.turns}}
    for name in pairs(spec.constants) do arguments[name] = given[name] end
    for name, kind in pairs(spec.gathers) do
        if kind ~= "size" then arguments[name] = given[name] end
    end
    for name in pairs(spec.elements) do arguments[name] = given[name] end
    for name, value in pairs(sizes) do
        if ir.mentions(spec.body, name) then arguments[name] = value end
    end
    local results, list = {subject.kernel(spec, text)(arguments)}, {}
    for i, site in ipairs(spec.sites) do
        list[i] = {name = site.name, at = places[i], add = results[i]:sum(1)}
    end
    return list
end

return uniform
