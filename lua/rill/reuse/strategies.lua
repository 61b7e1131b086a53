-- The strategies of M. Kenzel et al., On-the-fly vertex reuse for massively-parallel software geometry processing (2018), as programs that are generated from
-- a vertex kernel. In the gpu family a block is a work group, which uses shared memory and does all steps in one launch. In the cpu family a block is one
-- invocation, whose arrays are private, and the steps are launches of their own: barriers, atomic operations and stores at random positions cost more there
-- than results that go through memory.
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
template.snippet("reuse_finish", [[reuse_count[$counters * reuse_b] = reuse_all;
    int reuse_base = atomicAdd(reuse_length[0], reuse_all);
    for (int k = 0; k < reuse_all; k++) reuse_list[reuse_base + k] = reuse_unique[k];
    for (int k = 0; k < reuse_n; k++) reuse_slots[reuse_begin + k] = reuse_base + reuse_map[k];]])
template.snippet("reuse_assemble_one",
    "$for(result, results){reuse_out$result.n[reuse_to] = reuse_v$result.n[$if(buffered){reuse_base + }reuse_from]; }")

local COUNTERS <const> = 6 -- of a batch: invocations, probes, worst probe, votes, passes, entries of the slow path
local TRIES <const> = 8 -- linear probes of parallel hashing before the slow path
local SORTERS <const> = 64 -- invocations of a group that count and move keys
local GROUPS <const> = 4096 -- the most work groups of a launch; each takes several batches if there are more
local MULTIPLIER <const> = 2654435761 -- of multiplicative hashing (D. Knuth): 2^32 over the golden ratio

local strategies = {}
local find, keep = lru(64)

-- Each strategy: the section of its text in the gpu family, and its method in the cpu family; whether batches are static; default sizes; bytes of memory of a
-- block without results, and how many results it has.
local rows <const> = {
    naive = {}, multi = {},
    warp = {method = "warp", static = true, batch = 96,
        bytes = function(o) return 4 * (o.batch + 3 * o.warp + (o.warp + 31) // 32 + 1), o.warp end},
    hash = {method = "hash", batch = 1023, block = 256,
        bytes = function(o) return 4 * (2 * o.batch + 3 * (o.block + 8)), o.block end},
    parallel_hash = {method = "hash", parallel = true, batch = 1023, block = 256,
        bytes = function(o) return 4 * (3 * o.batch + 5 * (o.block + 3) + 6), o.block end},
    sort = {method = "sort", batch = 1023, block = 256,
        bytes = function(o) return 4 * (4 * o.batch + 16 * math.min(SORTERS, o.block) + 18), o.block end},
}
strategies.rows = rows

--- strategies.names(): the names, in the order of the paper.
function strategies.names()
    return {"naive", "warp", "sort", "hash", "parallel_hash", "multi"}
end

-- ---- the vertex kernel

local SPECIAL <const> = {["constant"] = true, ["gather stream"] = true}

-- The declaration of a parameter under another name.
local function renamed(param, name)
    return (param.declaration:gsub("%f[%w_]" .. param.name .. "%f[^%w_]", name))
end

--- strategies.shade(where, kernel): returns the values of a vertex kernel for the templates: {source, fast, name, others, arguments, results, returns}. `others` are the
-- parameters besides the index and the results, by their names.
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
    local shade = {source = source, fast = fast, name = name, others = {}, arguments = {}, results = {},
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

-- Whether results go to a buffer instead of memory of a block; raises if the rest does not fit either.
local function is_buffered(where, row, o)
    local limit = rill.device().limits.shared_bytes
    local fixed, slots = row.bytes(o)
    local results = 0
    for _, result in ipairs(o.shade.results) do
        results = results + slots * result.bytes + ALIGNMENT
    end
    if fixed > limit then
        local low, high = o.corners, o.batch
        while high - low > 1 do
            local middle = (low + high) // 2
            local size = row.bytes(setmetatable({batch = middle}, {__index = o}))
            low, high = size <= limit and middle or low, size <= limit and high or middle
        end
        fail("%s: option 'batch': %d indices take %d bytes of shared memory, the device has %d: the largest that " ..
            "fits is %d", where, o.batch, fixed, limit, low - low % o.corners)
    end
    return fixed + results > limit
end

local CORNERS <const> = {
    [1] = {{n = 0, field = ""}}, [3] = {{n = 0, field = ".x"}, {n = 1, field = ".y"}, {n = 2, field = ".z"}},
}
local NOTHING <const> = {}

-- The most invocations for a batch: those of "warp" may compute a vertex again in each round for an incomplete triangle.
local function most_invocations(o)
    if not o.warp then return math.min(o.batch, o.block) end
    return o.batch + (o.corners - 1) * -(-o.batch // (o.warp - o.corners + 1))
end

local EIGHT <const> = {0, 1, 2, 3, 4, 5, 6, 7}

-- The values of the texts, besides those of the kernel.
local function values_of(shade, row, o, buffered)
    local block, batch = o.block, o.batch
    -- A full table needs as many probes as it has slots, and llvmpipe limits the iterations of loops: in the cpu family it has slack.
    local slack = row.parallel and block or o.family == "cpu" and block and block // 2 or 0
    local table_size = block and -(-(block + slack) // 8) * 8
    local values = {
        shading = true, method = row.method, index = o.index, triangles = o.corners == 3, corners = o.corners,
        corner_list = CORNERS[o.corners], counters = COUNTERS, buffered = buffered, rated = o.rate ~= nil,
        width = o.warp, words = o.warp and (o.warp + 31) // 32, batch = batch, block = block,
        most = batch and (o.warp or o.block) and most_invocations(o), table = table_size,
        parallel = row.parallel == true, eight = EIGHT, sorters = math.min(SORTERS, block or 1),
        tries = row.parallel and math.min(TRIES, table_size) or table_size, digits = 16, bits = 4,
        sums = 16 * math.min(SORTERS, block or 1), lanes = row.static and o.warp or block,
        hash = table_size and ("int((((uint(id) * %du) >> 16u) * %du) >> 16u)"):format(MULTIPLIER, table_size),
    }
    return setmetatable(values, {__index = shade})
end

local function append(list, other)
    return table.move(other, 1, #other, #list + 1, list)
end

--- strategies.naive(o): runs the vertex kernel for each index. o: {shade, indices, index, corners, total, arguments, out}.
function strategies.naive(o)
    local p = program("naive", values_of(o.shade, rows.naive, o, false))
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

--- strategies.multi(o): runs the vertex kernel for each of o.vertices indices, 0, 1, ...; a second kernel assembles the results.
function strategies.multi(o)
    local p = program("multi", values_of(o.shade, rows.multi, o, false))
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
    local values = values_of(o.shade, row, o, buffered)
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

-- The same in three launches: distinct indices of the batches, their results, and the results for all indices. The number of distinct indices is read back.
local function run_launches(row, o, count)
    local finder = program("find", setmetatable({shading = false}, {__index = values_of(NOTHING, row, o, false)}))
    local slots <close> = rill.stream("int", o.total)
    local length <close> = rill.stream("int", 1)
    local list <close> = rill.stream("int", row.static and count.shape[1] * most_invocations(o) or o.total)
    local call = call_of(row, o, count)
    local numbers <close> = rill.iter("int", count.shape[1], 0, count.shape[1])
    call.reuse_b, call.reuse_slots, call.reuse_list, call.reuse_length = numbers, slots, list, length
    finder.reuse_find(call)
    call.reuse_count:close()
    local all, shaded = length:get(1), {}
    local p = program("shade", values_of(o.shade, row, o, false))
    for n, result in ipairs(o.shade.results) do
        shaded[n] = rill.stream(result.element, all)
    end
    local distinct <close> = list:domain({1}, {all})
    p.reuse_shade(table.unpack(append(append(append({distinct}, o.arguments), shaded), {o.rate})))
    assemble(p, {reuse_slot = slots}, shaded, o.out)
end

--- strategies.batched(where, name, o): the other strategies, of which o has `batch`, `block` or `warp`, and for dynamic batches `starts`. Returns a stream of the counters of each
-- batch.
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
