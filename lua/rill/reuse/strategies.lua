-- The strategies of M. Kenzel et al., On-the-fly vertex reuse for massively-parallel software geometry processing
-- (2018), as programs that are generated from a vertex kernel. In the gpu family a block is a work group, which uses
-- shared memory and does all steps in one launch. In the cpu family a block is one invocation, whose arrays are
-- private, and the steps are launches of their own: barriers, atomic operations and stores at random positions cost
-- more there than results that go through memory.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local lru = require "rill.core.lru"
local template = require "rill.glsl.template"
local texts <const> = template.sections "strategies"
local fail <const> = errors.fail

template.snippet("reuse_shade_one", [[{
    $for(result, results){$result.type reuse_r$result.n; }
    $if(rated){atomicAdd(reuse_rate[reuse_id], 1);}
    $if(returns){reuse_r1 = }$name($for(argument, arguments, ", "){$argument.inner});
    $for(result, results){reuse_v$result.n[$if(buffered){reuse_base + }reuse_to] = reuse_r$result.n; }
}]])
template.snippet("reuse_assemble_one",
    "$for(result, results){reuse_out$result.n[reuse_to] = reuse_v$result.n[$if(buffered){reuse_base + }reuse_from]; }")

local COUNTERS <const> = 6 -- of a batch: invocations, probes, worst probe, votes, passes, entries of the slow path
local TRIES <const> = 8 -- linear probes of parallel hashing before the slow path
local SORTERS <const> = 64 -- invocations of a group that count and move keys
local PRIVATE <const> = 800 -- elements of private arrays, for which compilers take milliseconds
local GROUPS <const> = 4096 -- the most work groups of a launch; each takes several batches if there are more
local MULTIPLIER <const> = 2654435761 -- of multiplicative hashing (D. Knuth): 2^32 over the golden ratio

local strategies = {}
local find, keep = lru(64)

-- Each strategy: the section of its text in the gpu family, and its method in the cpu family; whether batches are
-- static; default sizes; bytes of memory of a block without results, and how many results it has; iterations of all
-- loops for a batch in the cpu family, if a launch does not limit them.
local rows <const> = {
    naive = {}, multi = {},
    warp = {method = "warp", static = true, batch = 96,
        bytes = function(o) return 4 * (o.batch + 3 * o.warp + (o.warp + 31) // 32 + 1), o.warp end},
    hash = {method = "hash", batch = 1023, block = 256,
        bytes = function(o) return 4 * (2 * o.batch + 3 * (o.block + 8)), o.block end},
    parallel_hash = {method = "hash", parallel = true, batch = 1023, block = 256,
        bytes = function(o) return 4 * (3 * o.batch + 5 * (o.block + 3) + 6), o.block end},
    sort = {method = "sort", batch = 1023, block = 256,
        bytes = function(o) return 4 * (4 * o.batch + 16 * math.min(SORTERS, o.block) + 18), o.block end,
        trips = function(o) return 18 * o.batch + 300 end},
}
strategies.rows = rows

--- strategies.names() returns the names, in the order of the paper.
function strategies.names()
    return {"naive", "warp", "sort", "hash", "parallel_hash", "multi"}
end

-- ---- the vertex kernel

local SPECIAL <const> = {["constant"] = true, ["gather stream"] = true}

-- The declaration of a parameter under another name.
local function renamed(param, name)
    return (param.declaration:gsub("%f[%w_]" .. param.name .. "%f[^%w_]", name))
end

-- Returns a text whose macros end with it, so that they do not replace names in the text after it.
local function closed(source)
    local names = {}
    for name in source:gmatch "#%s*define%s+([%w_]+)" do
        names[#names + 1] = "#undef " .. name
    end
    return #names > 0 and source .. "\n" .. table.concat(names, "\n") or source
end

--- strategies.shade(where, kernel) returns the values of a vertex kernel for the templates: {source, fast, name,
-- others, arguments, results, returns}. `others` are the parameters besides the index and the results, by their names.
function strategies.shade(where, kernel)
    local source, fast, params, is_group, is_reduce, returns = core._kernel_text(kernel)
    local name = kernel.name
    local function refuse(format, ...)
        fail("%s: argument #3 'kernel': %s", where, format:format(...))
    end
    if is_group or is_reduce then
        refuse("'%s' is a %s kernel: expected a plain one", name, is_group and "group" or "reduce")
    end
    local index = params[1]
    local plain = index and (index.kind == "constant" or index.kind == "input stream") and not index.fixed
    if not plain or index.type ~= "int" then
        refuse("the first parameter of '%s' must be the index: int i or int i<>", name)
    end
    local shade = {source = closed(source), fast = fast, name = name, others = {}, arguments = {}, results = {},
        returns = returns}
    shade.arguments[1] = {inner = "reuse_id", direct = "reuse_id"}
    for i = 2, #params do
        local param = params[i]
        local argument
        if param.kind == "output stream" then
            local n = #shade.results + 1
            shade.results[n] = {type = param.type, element = param.struct or param.type, n = n,
                bytes = param.bytes}
            argument = {inner = "reuse_r" .. n, direct = "reuse_out" .. n}
        elseif param.fixed then
            argument = {inner = param.fixed, direct = param.fixed}
        elseif SPECIAL[param.kind] then
            local n = #shade.others + 1
            shade.others[n] = {declaration = renamed(param, "reuse_arg" .. n), name = param.name, n = n}
            argument = {inner = "reuse_arg" .. n, direct = "reuse_arg" .. n}
        else
            refuse("parameter '%s' of '%s' is %s: besides the index and outputs only constants (float a) and " ..
                "gathers (float x[]) are possible", param.name, name, param.declaration)
        end
        if not (returns and i == #params) then
            shade.arguments[#shade.arguments + 1] = argument
        end
    end
    if #shade.results == 0 then
        refuse("'%s' has no output: write out T r<>", name)
    end
    return shade
end

-- ---- programs

local function program(section, values)
    local text = texts[section]:text(values)
    local key = (values.fast and "fast\n" or "") .. text
    local made = find(key)
    if not made then
        made = rill.program(text, {fast = values.fast})
        keep(key, made)
    end
    return made
end

local ALIGNMENT <const> = 32 -- the greatest of a type in shared memory, that of dvec3 and dvec4

-- Raises if a batch needs more than the device has: needs(o) > limit.
local function check_batch(where, o, needs, limit, what)
    if needs(o) <= limit then return end
    local low, high = o.corners, o.batch
    while high - low > 1 do
        local middle = (low + high) // 2
        local fits = needs(setmetatable({batch = middle}, {__index = o})) <= limit
        low, high = fits and middle or low, fits and high or middle
    end
    fail("%s: option 'batch': %d indices take %d %s, the device has %d: the largest that fits is %d", where, o.batch,
        needs(o), what, limit, low - low % o.corners)
end

-- Whether results go to a buffer instead of memory of a block; raises if the rest does not fit either.
local function is_buffered(where, row, o)
    local device = rill.device()
    local shared, loops = device.limits.shared_bytes, device.traits.loop_limit
    check_batch(where, o, row.bytes, shared, "bytes of shared memory")
    if row.trips and o.family == "cpu" and loops > 0 then
        check_batch(where, o, row.trips, loops, "iterations of loops")
    end
    local bytes, slots = row.bytes(o)
    for _, result in ipairs(o.shade.results) do
        bytes = bytes + slots * result.bytes + ALIGNMENT
    end
    return bytes > shared
end

-- The most invocations for a batch: those of "warp" may compute a vertex again in each round for an incomplete
-- triangle.
local function most_invocations(o)
    if not o.warp then return math.min(o.batch, o.block) end
    return o.batch + (o.corners - 1) * -(-o.batch // (o.warp - o.corners + 1))
end

-- The slots of the hash table of a strategy. In the cpu family a table has a free slot, where a search ends.
local function slots_of(row, o)
    local slack = row.parallel and o.block or o.family == "cpu" and o.block // 2 or 0
    return -(-(o.block + slack) // 8) * 8
end

-- GLSL for the first slot of an index in a table.
local function hash_of(slots)
    return ("int((((uint(id) * %du) >> 16u) * uint(%s)) >> 16u)"):format(MULTIPLIER, slots)
end

-- The values of the texts, besides those of the kernel.
local function values_of(o, row, buffered)
    local block, slots = o.block, o.block and slots_of(row, o)
    local values = {
        shading = true, corners = o.corners, counters = COUNTERS, buffered = buffered, rated = o.rate ~= nil,
        width = o.warp, words = o.warp and (o.warp + 31) // 32, batch = o.batch, block = block, table = slots,
        parallel = row.parallel == true, sorters = math.min(SORTERS, block or 1),
        tries = row.parallel and math.min(TRIES, slots) or slots, digits = 16, bits = 4,
        sums = 16 * math.min(SORTERS, block or 1), lanes = row.static and o.warp or block,
        hash = slots and hash_of(slots),
    }
    return setmetatable(values, {__index = o.shade})
end

local function append(list, other)
    return table.move(other, 1, #other, #list + 1, list)
end

--- strategies.naive(o) runs the vertex kernel for each index. o: {shade, indices, index, corners, total, arguments,
-- out}.
function strategies.naive(o)
    local p = program("naive", values_of(o, rows.naive, false))
    p.reuse_naive(table.unpack(append(append(append({o.indices}, o.arguments), o.out), {o.rate})))
end

-- Launches the kernel that assembles the results `out` of all indices from those of distinct ones, which are closed.
local function assemble(p, call, shaded, out)
    for n, s in ipairs(out) do
        call["reuse_v" .. n], call["reuse_out" .. n] = shaded[n], s
    end
    p.reuse_assemble(call)
    for _, s in ipairs(shaded) do s:close() end
end

--- strategies.multi(o) runs the vertex kernel for each of o.vertices indices, 0, 1, ...; a second kernel assembles the
-- results.
function strategies.multi(o)
    local p = program("multi", values_of(o, rows.multi, false))
    local shaded = {}
    for n = 1, #o.out do
        shaded[n] = rill.stream(o.shade.results[n].element, o.vertices)
    end
    p.reuse_shade(table.unpack(append(append(append({}, o.arguments), shaded), {o.rate})))
    assemble(p, {reuse_index = o.indices}, shaded, o.out)
end

-- The arguments of the kernels that find or process batches.
local function call_of(row, o, count)
    return {reuse_index = o.indices, reuse_total = row.static and o.total or nil,
        reuse_batch = row.static and o.batch or nil, reuse_starts = o.starts, reuse_count = count:reshape(count.size)}
end

-- A launch of work groups, each of which computes and assembles its batches.
local function run_groups(row, o, count, buffered)
    local values = values_of(o, row, buffered)
    local p = program(row.method, values)
    local batches = count.shape[1]
    local groups = math.min(batches, GROUPS)
    local call = call_of(row, o, count)
    call.reuse_batches, call.reuse_groups, call.shape = batches, groups, groups * values.lanes
    call.reuse_rate = o.rate
    local held = {}
    for n, s in ipairs(o.out) do
        call["reuse_out" .. n] = s
        if buffered then
            held[n] = rill.stream(o.shade.results[n].element, groups * (row.static and o.warp or o.block))
            call["reuse_v" .. n] = held[n]
        end
    end
    for n, value in ipairs(o.arguments) do
        call["reuse_arg" .. n] = value
    end
    p["reuse_" .. row.method](call)
    for _, s in ipairs(held) do s:close() end
    call.reuse_count:close()
end

-- How many iterations for a batch a launch of the cpu family may do: lanes of a vector may share the device's limit, of
-- which loops with a known bound use a half.
local function budget_of(traits)
    return traits.loop_limit == 0 and 1 << 30 or traits.loop_limit // (2 * math.max(traits.subgroup_size, 1))
end

-- The arguments of the kernel of a method besides those of call_of, and how many elements its tables have for a batch.
local finders <const> = {
    warp = function(_, o)
        local most, slots = most_invocations(o), -(-o.warp // 4) * 8
        return {reuse_width = o.warp, reuse_table = slots, reuse_room = slots + most}, slots + most, most
    end,
    hash = function(row, o)
        local slots = slots_of(row, o)
        return {reuse_batch = o.batch, reuse_block = o.block, reuse_table = slots,
            reuse_tries = row.parallel and TRIES or slots}, slots, o.block
    end,
    sort = function(_, o)
        return {reuse_batch = o.batch}, 2 * o.batch
    end,
}

-- Launches the kernel that finds distinct indices, with private tables or with tables in memory. Returns whether it
-- must be launched again.
local function launch_finder(method, call, o, private)
    local values = {shading = false, method = method, counters = COUNTERS, corners = o.corners, private = private,
        slots = call.reuse_table, most = o.most, hash = hash_of "reuse_table"}
    values.table, values.unique = "reuse_work[room + slot]",
        method == "warp" and "reuse_work[list + there]" or "reuse_list[begin.y + there]"
    if private then values.table, values.unique = "table[slot]", "unique[there]" end
    program("find", values).reuse_find(call)
    local more = call.reuse_more and call.reuse_more:get(1) ~= 0
    if more then call.reuse_more:set(0, 1) end
    return more
end

local TEMPORARY <const> = {"reuse_state", "reuse_work", "reuse_length", "reuse_more", "reuse_count"}

-- Finds the distinct indices of the batches. Returns the stream of the position of each index in the list of distinct
-- ones, this list, and its length.
local function find_distinct(row, o, count)
    local method, batches, call = row.method, count.shape[1], call_of(row, o, count)
    local more, room, most = finders[method](row, o)
    for name, value in pairs(more) do call[name] = value end
    o.most = most
    call.reuse_state = rill.stream(method == "warp" and "ivec4" or "int", batches)
    call.reuse_slots = rill.stream("int", o.total)
    call.reuse_list = rill.stream("int", o.distinct or batches * most)
    call.reuse_length = method == "warp" and rill.stream("int", 1) or nil
    if method ~= "sort" then
        call.reuse_budget, call.reuse_more = budget_of(rill.device().traits), rill.stream("int", 1)
    end
    local private = method ~= "sort" and room + most <= PRIVATE
    if not private or launch_finder(method, call, o, true) then
        call.reuse_work = rill.stream("int", batches * room, -1)
        repeat until not launch_finder(method, call, o, false)
    end
    local all = o.distinct or call.reuse_length:get(1)
    for _, name in ipairs(TEMPORARY) do
        if call[name] then call[name]:close() end
    end
    return call.reuse_slots, call.reuse_list, all
end

-- The same in launches of their own: distinct indices of the batches, their results, and the results for all indices.
local function run_launches(row, o, count)
    local slots, list, all = find_distinct(row, o, count)
    local p = program("shade", values_of(o, row, false))
    local shaded = {}
    for n, result in ipairs(o.shade.results) do
        shaded[n] = rill.stream(result.element, all)
    end
    local distinct <close> = list:domain({1}, {all})
    p.reuse_shade(table.unpack(append(append(append({distinct}, o.arguments), shaded), {o.rate})))
    assemble(p, {reuse_slot = slots}, shaded, o.out)
    slots:close()
    list:close()
end

--- strategies.batched(where, name, o) runs one of the other strategies, of which o has `batch`, `block` or `warp`, and
-- for dynamic batches `starts` and the number of distinct indices of all, `distinct`. Returns a stream of the counters
-- of each batch. If a batch does not have as many distinct indices as `starts` says, its first counter is 2^31 - 1.
function strategies.batched(where, name, o)
    local row = rows[name]
    local batches = row.static and -(-o.total // o.batch) or o.starts.size - 1
    local count = rill.stream("int", {batches, COUNTERS})
    local buffered = is_buffered(where, row, o)
    if o.family == "cpu" then
        run_launches(row, o, count)
    else
        run_groups(row, o, count, buffered)
    end
    return count
end

return strategies
