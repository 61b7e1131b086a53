-- The adjoint of a neighbor stream: each element adds up what the elements that read it contribute. The contributions
-- are computed again for each offset, at the element that reads it, so that nothing is stored and no element is written
-- twice. What is read beyond the edge is added by a second kernel to the elements that the boundary modes put there.
local core = require "rill.core"
local ir = require "rill.grad.kernel.ir"
local recorder = require "rill.core.recorder"
local rill = require "rill.core.public"
local subject = require "rill.grad.kernel.subject"
local tables = require "rill.core.tables"
local write = require "rill.grad.kernel.write"

local neighbors = {}

local MODES <const> = {clamp = 0, wrap = 1, mirror = 2}
local MOST_LINES <const> = 400 -- of the text of a kernel that adds up contributions

-- ---- what a kernel adds up

local ELEMENTS <const> = {["input stream"] = true, ["in-place stream"] = true}
local ELSEWHERE <const> = {"rill_here", "indexof", "sizeof_stream", "sizeof_list", "spacingof", "sample"}

--- neighbors.specify(about, lowered, made, name) returns what neighbors.sum needs for the adjoint of the neighbor
-- stream `name`: {parts, constants, elements, neighbors, guarded, helpers}; nil if contributions cannot be computed
-- at another element. `made`: the result of adjoint.make.
function neighbors.specify(about, lowered, made, name)
    local spec = {parts = {}, constants = {}, elements = {}, neighbors = {}, helpers = about.helpers, guarded = false,
        kernels = {}, fast = about.fast}
    local all = {}
    for _, variable in ipairs(lowered.reads) do
        if variable.source.text == name then
            local total = {name = "total", type = variable.type, given = true}
            local root = {op = "add", to = total, e = ir.read(variable.bar)}
            local list = table.move(made.list, 1, #made.list, 1, {})
            list[#list + 1] = root
            local live = ir.needed(list, function(s) return s == root end)
            local body = write.body(list, live, function(type) return lowered:zero(type) end, lowered.types.info)
            table.insert(spec.parts, {offset = variable.offset, body = body})
            all[#all + 1] = body
        end
    end
    local text = table.concat(all, "\n")
    for _, word in ipairs(ELSEWHERE) do
        if ir.mentions(text, word) then return nil end
    end
    if select(2, text:gsub("\n", "")) > MOST_LINES then return nil end
    for _, param in ipairs(about.params) do
        if not param.fixed and ir.mentions(text, param.name) then
            if param.kind == "constant" then
                spec.constants[param.name] = param.declaration
            elseif ELEMENTS[param.kind] then
                spec.elements[param.name], spec.guarded = about.types[param.name], true
            elseif param.kind == "neighbor stream" then
                spec.neighbors[param.name], spec.guarded = param.declaration, true
            else
                return nil
            end
        end
    end
    for _, output in ipairs(lowered.outputs) do
        if ir.mentions(text, output.name .. "_bar") then
            spec.elements[output.name .. "_bar"] = output.type
        end
    end
    return spec
end

--- neighbors.combine(about, found) returns the specification of the linear combinations that
-- linear.find has found: the stored values are among the arguments by their names.
function neighbors.combine(about, found)
    local spec = {parts = {}, constants = {}, elements = {}, neighbors = {}, helpers = about.helpers, guarded = false,
        kernels = {}, fast = about.fast}
    for i, part in ipairs(found.parts) do
        local lines = {}
        for k, term in ipairs(part.terms) do
            local name = term.stored and term.stored.name or term.e.text
            spec.elements[name] = term.e.type
            lines[k] = ("  total += %s%s;"):format(term.coefficient and term.coefficient .. " * " or "", name)
            for _, param in ipairs(about.params) do
                if param.kind == "constant" and term.coefficient and ir.mentions(term.coefficient, param.name) then
                    spec.constants[param.name] = param.declaration
                end
            end
        end
        spec.parts[i] = {offset = part.offset, body = table.concat(lines, "\n")}
    end
    return spec
end

--- neighbors.contributions(list, type_name) returns the specification of a sum of streams: {offset, bar}, where `bar`
-- has for each element of the launch the adjoint of the element at `offset`. Also returns the arguments.
function neighbors.contributions(list, type_name)
    local spec = {parts = {}, constants = {}, elements = {}, neighbors = {}, helpers = "", guarded = false,
        kernels = {}}
    local arguments = {}
    for i, c in ipairs(list) do
        local name = "c" .. i
        spec.parts[i] = {offset = c.offset, body = "  total += " .. name .. ";"}
        spec.elements[name], arguments[name] = type_name, c.bar
    end
    return spec, arguments
end

-- ---- texts

-- Returns a body with index(name, offset) in the place of each access to a stream of a set. `rank`: of the streams.
local function with_indices(body, spec, rank, index)
    local zero = {}
    for d = 1, rank do zero[d] = 0 end
    for name in pairs(spec.elements) do
        body = ir.replace(body, name, function(brackets) return index(name, zero) .. brackets end)
    end
    for name in pairs(spec.neighbors) do
        body = ir.replace(body, name, function(brackets)
            local list, offset = {}, {}
            for number in brackets:gmatch "%-?%d+" do list[#list + 1] = math.tointeger(tonumber(number)) end
            for d = 1, rank do offset[d] = list[d - rank + #list] or 0 end
            return index(name, offset)
        end)
    end
    return body
end

local function number(n) return n == 0 and "" or n > 0 and " + " .. n or " - " .. -n end

-- Returns the declarations of what a kernel reads: constants, and streams by declare(name, type, is_neighbor).
local function parameters(spec, declare)
    local list = {}
    for _, name in ipairs(tables.keys(spec.constants)) do list[#list + 1] = spec.constants[name] end
    for _, name in ipairs(tables.keys(spec.elements)) do list[#list + 1] = declare(name, spec.elements[name], false) end
    for _, name in ipairs(tables.keys(spec.neighbors)) do list[#list + 1] = declare(name, spec.neighbors[name],
        true) end
    return table.concat(list, ", ")
end

-- Returns the text of the sum over what is read inside.
local function inner(spec, parts, modes, rank, type_name)
    local words, blocks = {}, {}
    -- Tests keep out what is beyond the edges, and "clamp" takes less time than "zero".
    for d = 1, rank do words[d] = modes[d] == "wrap" and "wrap" or spec.guarded and "clamp" or "zero" end
    for i, part in ipairs(parts) do
        local tests = {}
        for d = 1, rank do
            if spec.guarded and modes[d] ~= "wrap" and part.offset[d] ~= 0 then
                local at = ("indexof(total, %d)%s"):format(rank - d, number(-part.offset[d]))
                tests[#tests + 1] = part.offset[d] > 0 and at .. " >= 0" or
                    ("%s < sizeof_stream(total, %d)"):format(at, rank - d)
            end
        end
        local body = with_indices(part.body, spec, rank, function(name, offset)
            local index = {}
            for d = 1, rank do index[d] = "[" .. offset[d] - part.offset[d] .. "]" end
            return name .. table.concat(index)
        end)
        blocks[i] = ("  %s{\n%s\n  }"):format(#tests > 0 and "if (" .. table.concat(tests, " && ") .. ") " or "", body)
    end
    return ("%skernel void adjoint_of_neighbors(%s, out %s total<>) {\n%s\n}"):format(spec.helpers,
        parameters(spec, function(name, declaration, is_neighbor)
            return is_neighbor and declaration or
                ("neighbor(%s) %s %s<>"):format(table.concat(words, ", "), declaration, name)
        end), type_name, table.concat(blocks, "\n"))
end

-- Returns the text of the sum over what is read beyond the edges, for the elements of a number of boxes.
local function edges(spec, parts, modes, rank, type_name, low, high, boxes)
    local lines, depth, open, inside = {}, 1, 0, {}
    local brackets = ("[]"):rep(rank)
    local function line(format, ...) lines[#lines + 1] = ("  "):rep(depth) .. format:format(...) end
    line "int edge_e = indexof(total, 0), edge_count = 0;"
    line "ivec4 edge_first = ivec4(0), edge_box = ivec4(1);"
    for k = 1, boxes do
        line("edge_e -= edge_count;")
        line("edge_count = edge_box%d.x * edge_box%d.y * edge_box%d.z * edge_box%d.w;", k, k, k, k)
        line("if (edge_e >= 0) { edge_first = edge_first%d; edge_box = edge_box%d; edge_rest = edge_e; }", k, k)
    end
    lines[1] = lines[1]:gsub("edge_count = 0", "edge_count = 0, edge_rest = 0")
    for d = rank, 1, -1 do
        line("int edge_n%d = edge_size[%d], edge_p%d = edge_first[%d] + edge_rest %% edge_box[%d];", d, rank - d, d,
            rank - d,
            rank - d)
        line("edge_rest /= edge_box[%d];", rank - d)
    end
    local flat = "edge_p1"
    for d = 2, rank do flat = ("(%s) * edge_n%d + edge_p%d"):format(flat, d, d) end
    line("edge_at = %s;", flat)
    line "total = edge_total[edge_at];"
    for d = 1, rank do
        if modes[d] == "clamp" or modes[d] == "mirror" then
            line("for (int edge_t%d = 0; edge_t%d <= %d; edge_t%d++) {", d, d, low[d] + high[d], d)
            depth, open = depth + 1, open + 1
            line("int edge_g%d = edge_t%d == 0 ? edge_p%d : edge_t%d <= %d ? -edge_t%d : edge_n%d + edge_t%d - %d;",
                d, d,
                d, d, low[d], d, d, d, low[d] + 1)
            line(modes[d] == "clamp" and "if (edge_t%d == 0 || clamp(edge_g%d, 0, edge_n%d - 1) == edge_p%d) {" or
                "if (edge_t%d == 0 || adjoint_mirror(edge_g%d, edge_n%d) == edge_p%d) {", d, d, d, d)
            depth, open = depth + 1, open + 1
            inside[#inside + 1] = ("edge_t%d"):format(d)
        else
            line("int edge_g%d = edge_p%d;", d, d)
        end
    end
    for _, part in ipairs(parts) do
        local tests = {table.concat(inside, " + ") .. " > 0"}
        line "{"
        for d = 1, rank do
            local at = ("edge_g%d%s"):format(d, number(-part.offset[d]))
            if modes[d] == "wrap" then
                line("  int edge_i%d = ((%s) %% edge_n%d + edge_n%d) %% edge_n%d;", d, at, d, d, d)
            else
                line("  int edge_i%d = %s;", d, at)
                tests[#tests + 1] = ("edge_i%d >= 0 && edge_i%d < edge_n%d"):format(d, d, d)
            end
        end
        line("  if (%s) {", table.concat(tests, " && "))
        lines[#lines + 1] = with_indices(part.body, spec, rank, function(name, offset)
            local index = {}
            for d = 1, rank do index[d] = ("[edge_i%d%s]"):format(d, number(offset[d])) end
            return name .. table.concat(index)
        end)
        line "  }"
        line "}"
    end
    for _ = 1, open do
        depth = depth - 1
        line "}"
    end
    local mirrors = table.concat(lines):find "adjoint_mirror" and [[int adjoint_mirror(int i, int n) {
  uint size = uint(n), m = i >= 0 ? uint(i) % (2u * size) : 2u * size - 1u - uint(-1 - i) % (2u * size);
  return int(m < size ? m : 2u * size - 1u - m);
}
]] or ""
    local params = {}
    for k = 1, boxes do params[k] = ("ivec4 edge_first%d, ivec4 edge_box%d, "):format(k, k) end
    local format = "%s%skernel void adjoint_of_edges(%s, ivec4 edge_size, " .. table.concat(params) ..
        "%s edge_total[], out int edge_at<>, out %s total<>) {\n%s\n}"
    return format:format(spec.helpers, mirrors, parameters(spec, function(name, declaration, is_neighbor)
        local type = is_neighbor and
            declaration:gsub("^neighbor%s*%b()%s*", ""):gsub("^neighbor%s+", ""):match "^%S+"
        return ("%s %s%s"):format(type or declaration, name, brackets)
    end), type_name, type_name, table.concat(lines, "\n"))
end

-- ---- launches

--- neighbors.modes(declaration, s, plain) returns the boundary modes of a stream, slowest dimension first; numbers are
-- "zero", unless `plain` is true. The declaration of a neighbor stream can fix them.
function neighbors.modes(declaration, s, plain)
    local rank, modes = #s.shape, {}
    local words = declaration:match "^neighbor%s*(%b())"
    if words then
        for word in words:gmatch "[%w%.%-+]+" do modes[#modes + 1] = tonumber(word) or word end
        for d = 2, rank do modes[d] = modes[d] or modes[1] end
    else
        local own = core._boundary(s, true) or {}
        for d = 1, rank do modes[d] = own[d] or "clamp" end
    end
    for d = 1, plain and 0 or rank do modes[d] = MODES[modes[d]] and modes[d] or "zero" end
    return modes
end

-- Stores the elements of r at flat indices, which are different from each other.
local STORE <const> = "kernel void store(int at<>, $T r<>, inout $T total[]) { total[at] = r; }"

-- Returns boxes of the elements from which something beyond an edge is read: {first, size}, fastest dimension first.
local function edge_boxes(modes, shape, low, high)
    local rank, boxes = #shape, {}
    local from, to = {}, {} -- the elements that are in no box yet: of axis d from[d] .. to[d] - 1
    for d = 1, rank do from[d], to[d] = 0, shape[d] end
    local function add(axis, first, last)
        local box = {first = {0, 0, 0, 0}, size = {1, 1, 1, 1}}
        for d = 1, rank do
            local a, b = from[d], to[d]
            if d == axis then a, b = first, last end
            if b <= a then return end
            box.first[rank - d + 1], box.size[rank - d + 1] = a, b - a
        end
        boxes[#boxes + 1] = box
    end
    for d = 1, rank do
        local n, clamps = shape[d], modes[d] == "clamp"
        if clamps or modes[d] == "mirror" then
            local first = low[d] > 0 and (clamps and 1 or low[d]) or 0
            local last = high[d] > 0 and (clamps and 1 or high[d]) or 0
            -- An axis that is shorter than the distances is an edge as a whole.
            if first + last >= n or not clamps and low[d] + high[d] >= n then first, last = n, 0 end
            add(d, 0, first)
            add(d, n - last, n)
            from[d], to[d] = first, n - last
        end
    end
    return boxes
end

-- Adds what is read beyond the edges to the elements of `sum` from which it is read.
local function add_edges(sum, spec, parts, modes, shape, type_name, low, high, arguments)
    local rank, boxes = #shape, edge_boxes(modes, shape, low, high)
    local key = ("edge kernel %d %d %s"):format(rank, #boxes, table.concat(modes, " "))
    spec.kernels[key] = spec.kernels[key] or
        subject.kernel(spec, edges(spec, parts, modes, rank, type_name, low, high, #boxes))
    local size, count = {1, 1, 1, 1}, 0
    for d = 1, rank do size[rank - d + 1] = shape[d] end
    local flat = sum:reshape {-1}
    local call = {edge_size = size, edge_total = flat}
    for k, box in ipairs(boxes) do
        call["edge_first" .. k], call["edge_box" .. k] = box.first, box.size
        count = count + tables.product(box.size)
    end
    call.shape = count
    for name, value in pairs(arguments) do call[name] = value end
    for name, declaration in pairs(spec.neighbors) do
        call[name] = call[name]:boundary(table.unpack(neighbors.modes(declaration, call[name], true)))
    end
    local at, total = spec.kernels[key](call)
    if recorder.on then
        rill.scatter(flat, at, total) -- has derivatives of all orders
    else
        subject.kernel(spec, (STORE:gsub("%$T", type_name)))(at, total, flat)
    end
end

--- neighbors.sum(spec, type_name, s, declaration, arguments) returns the adjoint of a neighbor stream s, a new stream.
-- spec: see neighbors.specify and neighbors.contributions. declaration: that of the parameter. arguments: by name.
function neighbors.sum(spec, type_name, s, declaration, arguments)
    local shape, rank = {}, #s.shape
    for d = 1, rank do shape[d] = s.shape[d] end
    local modes = neighbors.modes(declaration, s)
    local low, high, parts = {}, {}, {}
    for d = 1, rank do low[d], high[d] = 0, 0 end
    for i, part in ipairs(spec.parts) do
        local offset = {}
        for d = 1, rank do
            local o = part.offset[d - rank + #part.offset] or 0
            offset[d] = o
            low[d], high[d] = math.max(low[d], -o), math.max(high[d], o)
        end
        parts[i] = {offset = offset, body = part.body}
    end
    if tables.product(shape) == 0 then return rill.stream(type_name, shape) end
    local call = {}
    for _, set in ipairs {spec.constants, spec.elements, spec.neighbors} do
        for name in pairs(set) do call[name] = arguments[name] end
    end
    if next(call) == nil then return rill.stream(type_name, shape) end
    local key = rank .. table.concat(modes, " ")
    spec.kernels[key] = spec.kernels[key] or subject.kernel(spec, inner(spec, parts, modes, rank, type_name))
    call.shape = next(spec.elements) == nil and shape or nil
    local sum = spec.kernels[key](call)
    call.shape = nil
    for d = 1, rank do
        if (modes[d] == "clamp" or modes[d] == "mirror") and low[d] + high[d] > 0 then
            add_edges(sum, spec, parts, modes, shape, type_name, low, high, call)
            break
        end
    end
    return sum
end

return neighbors
