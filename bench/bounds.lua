-- Bounds: for workloads of other benchmarks in which rill misses its goal, compares rill with minimal GLSL programs over raw OpenGL for the same sizes on the same
-- device. Such a program has its sizes as constants, checks nothing, and guarantees nothing about rounding. If it takes at least 1 / 1.1 (0.91) of
-- rill's time, the driver is the limit and not rill.
local rill = require "rill"
local peer = require "peer"
local support = require "bench.support"
local matrices = require "bench.support.matrices"

local ROUNDS <const>, RUNS <const> = 15, 3

-- The head of every program; `%d` is the size of a work group.
local HEAD <const> = [=[
layout(local_size_x = %d) in;
layout(std430, binding = 0) writeonly buffer R { uint r[]; };
layout(std430, binding = 0) writeonly buffer Q { uvec4 q[]; };
]=]

local function close_to(ours, bytes, tolerance)
    local theirs <close> = rill.stream("float", ours.shape, bytes)
    local apart <close> = rill.abs(ours - theirs):eval()
    local sizes <close> = rill.abs(ours):eval()
    return apart:max() <= tolerance * sizes:max()
end

-- Returns one row: rill's `run`, and hand-written variants, of which the fastest counts. Each variant: name, text, groups, inputs. They must compute
-- `expected`, or else the stream that `run` returns.
local function bound(title, run, bytes, variants, expected)
    local shaders, contenders = {}, {function()
        return support.timed(function()
            local s <close> = run() -- luacheck: ignore
        end, RUNS)
    end}
    local own <close> = run()
    local result = expected or own
    for i, variant in ipairs(variants) do
        local number = peer.shader(variant[2], variant[3], bytes, table.unpack(variant, 4))
        peer.shader_run(number)
        local same = close_to(result, peer.shader_read(number), 1e-3)
        assert(same, ("%s: '%s' computes another result"):format(title, variant[1]))
        shaders[i], contenders[i + 1] = number, function() return peer.shader_run(number, RUNS) end
    end
    local times = {support.race(ROUNDS, table.unpack(contenders))}
    local best = 2
    for i = 3, #times do best = times[i] < times[best] and i or best end
    for _, number in ipairs(shaders) do peer.shader_close(number) end
    return support.faster(title, times[1], "GLSL by hand: " .. variants[best - 1][1], times[best], 0.91)
end

-- ---- sparse matrix times vector

local SPMV <const> = [=[
layout(binding = 0) uniform usamplerBuffer values;
layout(binding = 1) uniform usamplerBuffer columns;
layout(binding = 2) uniform usamplerBuffer offsets;
layout(binding = 3) uniform usamplerBuffer x;
float X(uint i) { return uintBitsToFloat(texelFetch(x, int(i)).x); }
]=]

-- One row per invocation, one entry at a time.
local BY_ENTRY <const> = [=[
layout(binding = 4) uniform usamplerBuffer words;
layout(binding = 5) uniform usamplerBuffer column_words;
void main() {
    int row = int(gl_GlobalInvocationID.x);
    int begin = int(texelFetch(offsets, row).x), end = int(texelFetch(offsets, row + 1).x);
    float sum = 0.0;
    for (int k = begin; k < end; k++) {
        sum += uintBitsToFloat(texelFetch(words, k).x) * X(texelFetch(column_words, k).x);
    }
    if (row < ROWS) r[row] = floatBitsToUint(sum);
}
]=]

-- One row per invocation, four entries at a time.
local BY_TEXEL <const> = [=[
void main() {
    int row = int(gl_GlobalInvocationID.x);
    int begin = int(texelFetch(offsets, row).x), end = int(texelFetch(offsets, row + 1).x);
    float sum = 0.0;
    for (int t = begin >> 2; 4 * t < end; t++) {
        vec4 v = uintBitsToFloat(texelFetch(values, t));
        uvec4 c = texelFetch(columns, t);
        v.x = 4 * t >= begin ? v.x : 0.0;
        v.y = 4 * t + 1 >= begin && 4 * t + 1 < end ? v.y : 0.0;
        v.z = 4 * t + 2 >= begin && 4 * t + 2 < end ? v.z : 0.0;
        v.w = 4 * t + 3 < end ? v.w : 0.0;
        sum += v.x * X(c.x) + v.y * X(c.y) + v.z * X(c.z) + v.w * X(c.w);
    }
    if (row < ROWS) r[row] = floatBitsToUint(sum);
}
]=]

-- Four rows per invocation. The k-th entries of four rows are one texel, and every row has the same number of entries.
local ELL <const> = [=[
void main() {
    int n = int(gl_GlobalInvocationID.x);
    vec4 sum = vec4(0.0);
    for (int k = 0; k < PLACES; k++) {
        vec4 v = uintBitsToFloat(texelFetch(values, k * PITCH + n));
        uvec4 c = texelFetch(columns, k * PITCH + n);
        sum += v * vec4(X(c.x), X(c.y), X(c.z), X(c.w));
    }
    if (4 * n < ROWS) q[n] = floatBitsToUint(sum);
}
]=]

local function rounded(n, unit) return (n + unit - 1) // unit end

local function sparse_rows(rows, title, A)
    local x = rill.random(A.shape[2], {seed = 7})
    local m, values, columns = A.shape[1], A.values:bytes(), A.columns:bytes()
    local offsets = A.offsets:bytes()
    local variants = {}
    for _, group in ipairs {16, 64} do -- one of 8 would be more groups than a dispatch takes
        local head = HEAD:format(group) .. SPMV:gsub("ROWS", m)
        variants[#variants + 1] = {"a row an invocation, by entries, groups of " .. group,
            head .. BY_ENTRY:gsub("ROWS", m), rounded(m, group), values, {columns}, offsets, x:bytes(), values, columns}
        variants[#variants + 1] = {"a row an invocation, by texels, groups of " .. group,
            head .. BY_TEXEL:gsub("ROWS", m), rounded(m, group), values, {columns}, offsets, x:bytes()}
    end
    rows[#rows + 1] = bound("A x, " .. title, function() return A:multiply(x) end, 4 * m, variants)
end

local function ell_row(rows, title, A)
    local x = rill.random(A.shape[2], {seed = 7})
    local m, E <close> = A.shape[1], A:to "ell"
    local places = E.columns.shape[2]
    -- Entry k of each row is stored together; a missing entry has the value 0 and the column 0.
    local columns = rill.where(E.columns:ge(0), E.columns, 0):eval():transpose():copy()
    local values = E.values:transpose():copy()
    local variants = {}
    for _, group in ipairs {16, 64} do -- one of 8 would be more groups than a dispatch takes
        local text = ELL:gsub("ROWS", m):gsub("PLACES", places):gsub("PITCH", m // 4)
        variants[#variants + 1] = {"four rows an invocation, groups of " .. group, HEAD:format(group) .. SPMV .. text,
            rounded(m // 4, group), values:bytes(), {columns:bytes()}, A.offsets:bytes(), x:bytes()}
    end
    rows[#rows + 1] = bound("A x, " .. title, function() return E:multiply(x) end, 4 * m, variants)
end

-- ---- transposing a sparse matrix

-- Four programs: rows are expanded to entries, entries are counted by column, placed by atomic additions, and each column is sorted by insertion. The prefix sums
-- of the counts are not included, nor the check for duplicate entries, and the last program finds its entries already sorted, so it moves nothing. This is
-- less work than rill does.
local EXPAND <const> = [=[
void main() {
    int i = int(gl_GlobalInvocationID.x);
    int begin = int(texelFetch(offsets, i).x), end = int(texelFetch(offsets, i + 1).x);
    if (i >= COLUMNS) return;
    for (int k = begin; k < end; k++) r[k] = uint(i);
}
]=]
local COUNT <const> = [=[
void main() {
    int i = int(gl_WorkGroupID.x) * 512 + int(gl_LocalInvocationID.x);
    for (int k = 0; k < 64; k++, i += 8) if (i < ENTRIES) atomicAdd(r[texelFetch(columns, i).x], 1u);
}
]=]
local PLACE <const> = [=[
void main() {
    int i = int(gl_WorkGroupID.x) * 512 + int(gl_LocalInvocationID.x);
    for (int k = 0; k < 64; k++, i += 8) {
        if (i < ENTRIES) {
            uint c = texelFetch(columns, i).x, begin = texelFetch(offsets, int(c)).x;
            uint at = begin + atomicAdd(r[c], 1u) % (texelFetch(offsets, int(c) + 1).x - begin);
            r[COLUMNS + int(at)] = texelFetch(rows, i).x;
            r[COLUMNS + ENTRIES + int(at)] = texelFetch(values, i).x;
        }
    }
}
]=]
local ARRANGE <const> = [=[
void main() {
    int i = int(gl_GlobalInvocationID.x);
    int begin = int(texelFetch(offsets, i).x), end = int(texelFetch(offsets, i + 1).x);
    if (i >= COLUMNS) return;
    for (int k = begin + 1; k < end; k++) {
        uint row = r[k], value = r[ENTRIES + k];
        int j = k;
        for (; j > begin && r[j - 1] > row; j--) {
            r[j] = r[j - 1];
            r[ENTRIES + j] = r[ENTRIES + j - 1];
        }
        r[j] = row;
        r[ENTRIES + j] = value;
    }
}
]=]

local function transpose_row(rows, A)
    local entries, columns = A.nnz, A.shape[2]
    local offsets = A.offsets:bytes() -- the pattern is symmetric
    local inputs = {A.columns:bytes(), A.columns:bytes(), A.rows:bytes(), A.values:bytes(), offsets}
    local function program(text, group)
        return (([=[
layout(local_size_x = %d) in;
layout(std430, binding = 0) buffer R { uint r[]; };
layout(binding = 1) uniform usamplerBuffer columns;
layout(binding = 2) uniform usamplerBuffer rows;
layout(binding = 3) uniform usamplerBuffer values;
layout(binding = 4) uniform usamplerBuffer offsets;
]=]):format(group) .. text):gsub("ENTRIES", entries):gsub("COLUMNS", columns)
    end
    local function made(text, group, groups, words)
        return peer.shader((program(text, group)), groups, 4 * words, table.unpack(inputs))
    end
    local shaders = {
        made(COUNT, 8, rounded(entries, 512), columns), made(PLACE, 8, rounded(entries, 512), columns + 2 * entries),
        made(ARRANGE, 64, rounded(columns, 64), 2 * entries), made(EXPAND, 64, rounded(columns, 64), entries),
    }
    local ours, theirs = support.race(7, function()
        return support.timed(function() A:transpose():close() end, 1)
    end, function()
        local sum = 0
        for _, number in ipairs(shaders) do sum = sum + peer.shader_run(number, 1) end
        return sum
    end)
    for _, number in ipairs(shaders) do peer.shader_close(number) end
    rows[#rows + 1] = support.faster("A', 10^6 rows of 7", ours, "GLSL by hand: atomic additions, insertions", theirs,
        0.91)
end

-- ---- dense matrix times vector

local N <const> = 4096

-- Four rows per invocation.
local GEMV <const> = [=[
layout(binding = 0) uniform usamplerBuffer a;
layout(binding = 1) uniform usamplerBuffer x;
void main() {
    int n = int(gl_GlobalInvocationID.x), at = n * 4 * PITCH;
    vec4 sum = vec4(0.0);
    for (int k = 0; k < PITCH; k++) {
        vec4 f = uintBitsToFloat(texelFetch(x, k));
        sum += vec4(dot(uintBitsToFloat(texelFetch(a, at + k)), f), dot(uintBitsToFloat(texelFetch(a, at + PITCH + k)), f),
            dot(uintBitsToFloat(texelFetch(a, at + 2 * PITCH + k)), f), dot(uintBitsToFloat(texelFetch(a, at + 3 * PITCH + k)), f));
    }
    q[n] = floatBitsToUint(sum);
}
]=]

-- The transpose: WIDE texels of every row per invocation, eight texels apart.
local GEMV_T <const> = [=[
layout(binding = 0) uniform usamplerBuffer a;
layout(binding = 1) uniform usamplerBuffer x;
void main() {
    int n = int(gl_GlobalInvocationID.x), first = n / 8 * 8 * WIDE + n % 8;
    vec4 sum[WIDE];
    for (int j = 0; j < WIDE; j++) sum[j] = vec4(0.0);
    for (int k = 0; k < 4 * PITCH; k += 4) {
        vec4 f = uintBitsToFloat(texelFetch(x, k >> 2));
        for (int j = 0; j < WIDE; j++) {
            int at = k * PITCH + first + 8 * j;
            sum[j] += f.x * uintBitsToFloat(texelFetch(a, at)) + f.y * uintBitsToFloat(texelFetch(a, at + PITCH))
                + f.z * uintBitsToFloat(texelFetch(a, at + 2 * PITCH)) + f.w * uintBitsToFloat(texelFetch(a, at + 3 * PITCH));
        }
    }
    for (int j = 0; j < WIDE; j++) q[first + 8 * j] = floatBitsToUint(sum[j]);
}
]=]

local function dense_rows(rows)
    local a, x = rill.random({N, N}, {seed = 1}), rill.random(N, {seed = 2})
    local bytes, xs = a:bytes(), x:bytes()
    local straight, turned = {}, {}
    for _, group in ipairs {8, 16} do
        straight[#straight + 1] = {"groups of " .. group, HEAD:format(group) .. GEMV:gsub("PITCH", N // 4),
            N // 4 // group, bytes, {xs}}
    end
    for _, wide in ipairs {2, 4, 8} do
        turned[#turned + 1] = {wide .. " texels a lane", HEAD:format(8) ..
            GEMV_T:gsub("PITCH", N // 4):gsub("WIDE", wide), N // 4 // (8 * wide), bytes, {xs}}
    end
    local function gemv(options)
        return function()
            local y = rill.stream("float", N)
            rill.blas.gemv(1, a, x, 0, y, options)
            return y
        end
    end
    rows[#rows + 1] = bound("sgemv 4096", gemv(), 4 * N, straight)
    rows[#rows + 1] = bound("sgemv 4096, transposed", gemv {transpose = true}, 4 * N, turned)
end

-- ---- neighborhoods over pages

-- Returns a program that sums the neighborhood of every element of a cube whose pages of SIZE^3 are stored in any order. `pages` has the first texels
-- of the 27 pages around each page and of the page itself, x fastest; the boundary is "wrap". An invocation processes SLABS planes of a page. All addresses
-- within a page are constants.
local function neighborhood(size, taps, whole)
    local lines, texels = {}, size // 4
    local function add(format, ...) lines[#lines + 1] = format:format(...) end
    local function page(dz, dy, dx) return ("b%d"):format((dz + 1) * 9 + (dy + 1) * 3 + dx + 1) end
    -- The row at the offset dy, dz: its texels, and with `ends` the words before and after it.
    local function row(name, z, dz, y, dy, ends)
        local at_y, at_z = y + dy, whole and z + dz
        local py = at_y < 0 and -1 or at_y >= size and 1 or 0
        local pz = whole and (at_z < 0 and -1 or at_z >= size and 1 or 0)
        local function base(dx)
            if whole then return page(pz, py, dx) end
            if dz == 0 then return page(0, py, dx) end
            return dz < 0 and ("(z == 0 ? %s : %s)"):format(page(-1, py, dx), page(0, py, dx)) or
                ("(z == %d ? %s : %s)"):format(size - 1, page(1, py, dx), page(0, py, dx))
        end
        local plane = whole and ("%d"):format(at_z % size * size * texels) or
            ("((z + %d) %% %d) * %d"):format(dz + size, size, size * texels)
        local offset = ("%s + %d"):format(plane, at_y % size * texels)
        add("int %s_at = %s + %s;", name, base(0), offset)
        for t = 0, texels - 1 do add("vec4 %s%d = T(%s_at + %d);", name, t, name, t) end
        if ends then
            add("float %s_l = W(4 * (%s + %s) + %d), %s_r = W(4 * (%s + %s));", name, base(-1), offset, size - 1, name,
                base(1), offset)
        end
    end
    -- A row shifted to the left and to the right.
    local function sides(name, t)
        local left = t == 0 and name .. "_l" or ("%s%d.w"):format(name, t - 1)
        local right = t == texels - 1 and name .. "_r" or ("%s%d.x"):format(name, t + 1)
        local own = name .. t
        return ("vec4(%s, %s.xyz) + vec4(%s.yzw, %s)"):format(left, own, own, right)
    end
    for z = 0, whole and size - 1 or 0 do
        for y = 0, size - 1 do
            local id, terms = ("r%d_%d_"):format(z, y), {}
            for t = 0, texels - 1 do terms[t] = {} end
            for dz = -1, 1 do
                for dy = -1, 1 do
                    if taps == 27 or math.abs(dz) + math.abs(dy) <= 1 then
                        local name, ends = id .. (dz + 1) .. (dy + 1) .. "_", taps == 27 or dz == 0 and dy == 0
                        row(name, z, dz, y, dy, ends)
                        for t = 0, texels - 1 do
                            local center = taps == 6 and dz == 0 and dy == 0
                            terms[t][#terms[t] + 1] = (center and "-6.0 * " or "") .. name .. t
                            terms[t][#terms[t] + 1] = ends and sides(name, t) or nil
                        end
                    end
                end
            end
            for t = 0, texels - 1 do
                add("q[b13 + %s + %d] = floatBitsToUint(%s);", whole and ("%d"):format(z * size * texels) or
                    ("z * %d"):format(size * texels), y * texels + t, table.concat(terms[t], " + "))
            end
        end
    end
    local bases = {}
    for i = 0, 26 do bases[#bases + 1] = ("int b%d = int(texelFetch(pages, 27 * page + %d).x);"):format(i, i) end
    return HEAD:format(8) .. [=[
layout(binding = 0) uniform usamplerBuffer x;
layout(binding = 1) uniform usamplerBuffer pages;
layout(binding = 2) uniform usamplerBuffer words;
vec4 T(int i) { return uintBitsToFloat(texelFetch(x, i)); }
float W(int i) { return uintBitsToFloat(texelFetch(words, i).x); }
void main() {
    int n = int(gl_GlobalInvocationID.x);
]=] .. (whole and "int page = n;" or ("int page = n / %d, z = n %% %d;"):format(size, size)) ..
        table.concat(bases, "\n") .. table.concat(lines, "\n") .. "}"
end

-- The neighborhoods as users write them, without loops.
local function around_text(taps)
    local terms = taps == 6 and {"-6.0 * x"} or {}
    for z = -1, 1 do
        for y = -1, 1 do
            for x = -1, 1 do
                if taps == 27 or math.abs(x) + math.abs(y) + math.abs(z) == 1 then
                    terms[#terms + 1] = ("x[%d][%d][%d]"):format(z, y, x)
                end
            end
        end
    end
    return ("kernel void around(neighbor float x<>, out float r<>) { r = %s; }"):format(table.concat(terms, " + "))
end

local function page_row(rows, size, taps)
    local SIDE <const> = 128
    local n, cube <const> = SIDE // size, {SIDE, SIDE, SIDE}
    local order = rill.permutation(n * n * n, {seed = 1}):values()
    local c <close> = rill.sparse("float", cube, {page = {size, size, size}})
    for _, p in ipairs(order) do c:allocate {p // (n * n) * size + 1, p // n % n * size + 1, p % n * size + 1} end
    local d <close> = c:copy()
    local from <close> = rill.random(cube, {seed = 2})
    c:write(from)
    local around = rill.kernel(around_text(taps))
    local wrapped <close> = around(from:boundary "wrap")
    -- By hand: the pages in the same order, with the first texels of each page and of its neighbors.
    local place, words = {}, {}
    for k, p in ipairs(order) do place[p] = k - 1 end
    local gather = rill.kernel [[
        kernel float gather(int p<>, float x[][][], int order[], int size, int n) {
            int e = p % (size * size * size), page = order[p / (size * size * size)];
            int z = page / (n * n) * size + e / (size * size), y = page / n % n * size + e / size % size;
            return x[z][y][page % n * size + e % size];
        }
    ]]
    local numbers <close> = rill.iota(from.size):cast "int"
    local in_pages <close> = gather(numbers, from, rill.from(order, "int"), size, n)
    local expected <close> = gather(numbers, wrapped, rill.from(order, "int"), size, n)
    for _, p in ipairs(order) do
        for dz = -1, 1 do
            for dy = -1, 1 do
                for dx = -1, 1 do
                    local other = (p // (n * n) + dz) % n * n * n + (p // n % n + dy) % n * n + (p % n + dx) % n
                    words[#words + 1] = place[other] * size * size * size // 4
                end
            end
        end
    end
    local around_pages <close> = rill.from(words, "int")
    local range <close> = c:active()
    around {x = c, r = d, over = range}
    local variants, bytes = {}, in_pages:bytes()
    for _, whole in ipairs {true, false} do
        if size == 4 or not whole then
            variants[#variants + 1] = {whole and "a page an invocation" or "a plane of a page an invocation",
                neighborhood(size, taps, whole), n * n * n * (whole and 1 or size) // 8, bytes,
                around_pages:bytes(), bytes}
        end
    end
    rows[#rows + 1] = bound(("%d neighbors, pages of %d^3"):format(taps, size), function()
        around {x = c, r = d, over = range}
    end, 4 * from.size, variants, expected)
end

-- ---- transposes, sums of columns, sums by index

-- Adjacent lanes read adjacent texels, and each lane moves blocks of 4 x 4 elements down ROWS rows.
local MOVE <const> = [=[
layout(binding = 0) uniform usamplerBuffer x;
void main() {
    int column = int(gl_WorkGroupID.x) % (SIDE / 32) * 8 + int(gl_LocalInvocationID.x);
    int first = int(gl_WorkGroupID.x) / (SIDE / 32) * ROWS;
    for (int row = first; row < first + ROWS; row += 4) {
        int i = row * (SIDE / 4) + column, k = column * SIDE + row / 4;
        uvec4 a = texelFetch(x, i), b = texelFetch(x, i + SIDE / 4);
        uvec4 c = texelFetch(x, i + SIDE / 2), d = texelFetch(x, i + SIDE / 4 * 3);
        q[k] = uvec4(a.x, b.x, c.x, d.x);
        q[k + SIDE / 4] = uvec4(a.y, b.y, c.y, d.y);
        q[k + SIDE / 2] = uvec4(a.z, b.z, c.z, d.z);
        q[k + SIDE / 4 * 3] = uvec4(a.w, b.w, c.w, d.w);
    }
}
]=]

local function move_row(rows, side)
    local a = rill.random({side, side}, {seed = 1})
    local variants, bytes = {}, a:bytes()
    for _, height in ipairs {64, 256, 1024} do
        variants[#variants + 1] = {("4 x 4 per lane, tiles of 32 x %d"):format(height),
            HEAD:format(8) .. MOVE:gsub("SIDE", side):gsub("ROWS", height), side // 32 * (side // height), bytes}
    end
    rows[#rows + 1] = bound(("transpose %d^2"):format(side), function() return a:transpose():copy() end,
        4 * side * side, variants)
end

-- Races rill's `run` with works of raw OpenGL, whose buffer `result` is compared with rill's result. Each work: name, description, result.
local function bound_works(title, run, tolerance, works)
    local contenders, numbers = {function()
        return support.timed(function()
            local s <close> = run() -- luacheck: ignore
        end, 1)
    end}, {}
    local own <close> = run()
    for i, work in ipairs(works) do
        local number = peer.gl_work(work[2])
        peer.gl_run(number)
        local same = close_to(own, peer.gl_read(number, work[3]), tolerance)
        assert(same, ("%s: '%s' computes another result"):format(title, work[1]))
        numbers[i], contenders[i + 1] = number, function() return peer.gl_run(number) end
    end
    local times = {support.race(ROUNDS, table.unpack(contenders))}
    local best = {}
    for i, work in ipairs(works) do
        peer.gl_close(numbers[i])
        local name = work.exact and "exact" or "any"
        if not best[name] or times[i + 1] < times[best[name]] then best[name] = i + 1 end
    end
    local found = {}
    for _, name in ipairs {"any", "exact"} do
        local i = best[name]
        found[#found + 1] = i and support.faster(title, times[1], "GLSL by hand: " .. works[i - 1][1], times[i], 0.91)
    end
    return found
end

-- A lane adds TEXELS texels of each row of its part, and a second program adds the parts.
local function columns_by_hand(side, texels, parts)
    local lines = {{}, {}, {}}
    for k = 0, texels - 1 do
        lines[1][k + 1] = ("vec4 a%d = vec4(0.0);"):format(k)
        lines[2][k + 1] = ("a%d += uintBitsToFloat(texelFetch(x, i + %d));"):format(k, 8 * k)
        lines[3][k + 1] = ("q[o + %d] = floatBitsToUint(a%d);"):format(8 * k, k)
    end
    local across = side // 4 // 8 // texels
    local head = HEAD:format(8) .. "layout(binding = 0) uniform usamplerBuffer x;\nvoid main() {\n"
    local add = head .. ([=[
    int column = int(gl_WorkGroupID.x) %% %d * %d + int(gl_LocalInvocationID.x), part = int(gl_WorkGroupID.x) / %d;
    %s
    for (int y = part * %d; y < (part + 1) * %d; y++) { int i = y * %d + column; %s }
    int o = part * %d + column;
    %s
}]=]):format(across, 8 * texels, across, table.concat(lines[1]), side // parts, side // parts, side // 4,
        table.concat(lines[2]), side // 4, table.concat(lines[3]))
    local finish = head .. ([=[
    int i = int(gl_GlobalInvocationID.x);
    vec4 sum = vec4(0.0);
    for (int k = 0; k < %d; k++) sum += uintBitsToFloat(texelFetch(x, i + k * %d));
    q[i] = floatBitsToUint(sum);
}]=]):format(parts, side // 4)
    return {programs = {add, finish}, passes = {
        {program = 1, groups = {across * parts, 1}, textures = {{1, 4}}, blocks = {2}},
        {program = 2, groups = {side // 32, 1}, textures = {{2, 4}}, blocks = {3}},
    }}
end

local function column_row(rows, side)
    local a = rill.random({side, side}, {seed = 1})
    local works, bytes = {}, a:bytes()
    for _, texels in ipairs {1, 4, 16} do
        local work = columns_by_hand(side, texels, 16)
        for _, program in ipairs {1, 2} do work.programs[program] = work.programs[program]:gsub("usampler", "sampler")
            :gsub("uintBitsToFloat(%b())", "%1") end
        work.buffers = {bytes, 4 * side * 16, 4 * side}
        works[#works + 1] = {("%d texels per lane, 16 parts"):format(texels), work, 3}
    end
    table.move(bound_works(("sum of %d^2 along axis 1"):format(side), function() return a:sum(1) end, 1e-5, works),
        1, 2, #rows + 1, rows)
end

-- A row of bins for each group, to which its lanes add atomically. `pairs`: two floats per bin, the second for what the first one has lost.
local function add_by_hand(count, bins, groups, pairs)
    local run, width, trips = count // groups // 4, (bins + 16) * (pairs and 2 or 1), 30000
    local head = "#extension GL_NV_shader_atomic_float : require\n" .. [=[
layout(local_size_x = 8) in;
layout(location = 0) uniform int from;
layout(location = 1) uniform int to;
layout(binding = 0) uniform samplerBuffer index;
layout(binding = 1) uniform samplerBuffer weight;
layout(std430, binding = 0) buffer R { float r[]; };
]=]
    local one = pairs and [=[
    float old = atomicAdd(r[row + 2 * b], w), sum = old + w, part = sum - old;
    atomicAdd(r[row + 2 * b + 1], (old - (sum - part)) + (w - part));]=] or "atomicAdd(r[row + b], w);"
    local add = head .. ([=[
void put(int row, int b, float w) { precise float x = w; %s }
void main() {
    int row = int(gl_WorkGroupID.x) * %d, o = int(gl_WorkGroupID.x) * %d + int(gl_LocalInvocationID.x);
    for (int t = from; t < to; t++) {
        ivec4 b = floatBitsToInt(texelFetch(index, o + t * 8));
        vec4 w = texelFetch(weight, o + t * 8);
        put(row, b.x, w.x); put(row, b.y, w.y); put(row, b.z, w.z); put(row, b.w, w.w);
    }
}]=]):format(one, width, run)
    if pairs then add = add:gsub("float old", "precise float old") end
    local clear = head .. ("void main() { for (int i = int(gl_GlobalInvocationID.x); i < %d; i += 8192) r[i] = 0.0; }")
        :format(groups * width)
    local finish = head:gsub("weight;", "%0\nlayout(std430, binding = 1) writeonly buffer S { float s[]; };") .. ([=[
void main() {
    for (int b = int(gl_GlobalInvocationID.x); b < %d; b += 8192) {
        double sum = 0.0lf;
        for (int k = 0; k < %d; k++)
            for (int j = 0; j < EACH; j++) sum += double(r[k * %d + EACH * b + j]);
        s[b] = float(sum);
    }
}]=]):format(bins, groups, width):gsub("EACH", pairs and 2 or 1)
    local passes = {{program = 1, groups = {1024, 1}, blocks = {3}}}
    for t = 0, run // 8 - 1, trips do
        passes[#passes + 1] = {program = 2, groups = {groups, 1}, textures = {{1, 4}, {2, 4}}, blocks = {3},
            numbers = {t, math.min(t + trips, run // 8)}}
    end
    passes[#passes + 1] = {program = 3, groups = {1024, 1}, blocks = {3, 4}}
    return {programs = {clear, add, finish}, passes = passes}, 4 * groups * width
end

local function add_rows(rows)
    local count <const> = 1 << 24
    local weights = rill.random(count, {seed = 2})
    for _, bins in ipairs {256, 4096, 65536, 1 << 20} do
        local index = rill.random(count, {type = "int", low = 0, high = bins - 1, seed = 3})
        local works = {}
        for _, pairs in ipairs {false, true} do
            for _, groups in ipairs {4, 16} do
                local work, bytes = add_by_hand(count, bins, groups, pairs)
                work.buffers = {index:bytes(), weights:bytes(), bytes, 4 * bins}
                works[#works + 1] = {("atomic additions of %s, %d rows"):format(pairs and "pairs of floats" or "floats",
                    groups), work, 4, exact = pairs}
            end
        end
        table.move(bound_works(("sums of 2^24 weights, %d bins"):format(bins), function()
            return rill.bincount(index, {weights = weights, minlength = bins})
        end, 1e-4, works), 1, 2, #rows + 1, rows)
        index:close()
    end
end

-- ---- small transforms

local COPY <const> = [=[
layout(binding = 0) uniform usamplerBuffer x;
void main() { int n = int(gl_GlobalInvocationID.x); q[n] = texelFetch(x, n); }
]=]

-- A transform needs as many launches as it has passes, so it is compared with the same number of copies of its elements.
local function fft_rows(rows)
    for _, case in ipairs {{10, 3}, {12, 3}, {13, 4}} do
        local n <const>, passes <const> = 1 << case[1], case[2]
        local x = rill.random(n, {type = "vec2", seed = 1})
        local copy = peer.shader(HEAD:format(8) .. COPY, n // 16, 8 * n, x:bytes())
        local ours, theirs = support.race(ROUNDS * 5, function()
            return support.timed(function() rill.fft(x):close() end, RUNS)
        end, function() return passes * peer.shader_run(copy, RUNS * passes) end)
        peer.shader_close(copy)
        rows[#rows + 1] = support.faster("fft 2^" .. case[1], ours,
            ("%d launches by hand that copy"):format(passes), theirs, 0.91)
    end
end

-- ---- gradient of a gather

-- The gradients of sum((a[i] v)^2) with respect to a and v. The first program computes that of v and the contributions to
-- that of a, the second one adds up the contributions of an element in a given order. No program computes the order, nor the sum itself.
local CONTRIBUTIONS <const> = [=[
void main() {
    int n = int(gl_GlobalInvocationID.x);
    if (n >= COUNT) return;
    float x = F(a, int(texelFetch(index, n).x)), y = F(v, n), bar = 2.0 * x * y;
    r[n] = floatBitsToUint(bar * x);
    r[COUNT + n] = floatBitsToUint(bar * y);
}
]=]
local IN_ORDER <const> = [=[
void main() {
    int n = int(gl_GlobalInvocationID.x);
    if (n >= COUNT) return;
    int begin = int(texelFetch(starts, n).x), end = int(texelFetch(starts, n + 1).x);
    float sum = 0.0;
    for (int k = begin; k < end; k++) sum += F(add, int(texelFetch(sequence, k).x));
    r[n] = floatBitsToUint(sum);
}
]=]

local UNUSED <const> = ("\0"):rep(16) -- the first input, which has texels of four words

local function gather_gradient_row(rows)
    local n <const> = 1000000
    local a, v = rill.random(n, {seed = 9}), rill.random(n, {seed = 10})
    local index = rill.random(n, {seed = 11, type = "int", low = 0, high = n - 1})
    local gather = rill.kernel "kernel void f(float a[], int i<>, float v<>, out float r<>) { r = a[i] * v; }"
    local gradients = rill.grad(function(p, q) return (gather(p, index, q) ^ 2):sum() end)
    local sequence = rill.argsort(index)
    local starts = rill.searchsorted(rill.gather(index, sequence), rill.iota(n + 1))
    local bar = 2 * rill.gather(a, index) * v
    local function program(text, group, words, names)
        local lines = {HEAD:format(group), "#define F(s, i) uintBitsToFloat(texelFetch(s, i).x)"}
        for i, name in ipairs(names) do
            lines[#lines + 1] = ("layout(binding = %d) uniform usamplerBuffer %s;"):format(i, name)
        end
        lines[#lines + 1] = (text:gsub("COUNT", n))
        return table.concat(lines, "\n"), rounded(n, group), 4 * words
    end
    local stages, expected = {{}, {}}, {gradients(a, v)}
    for _, group in ipairs {16, 64} do
        local text, groups, bytes = program(CONTRIBUTIONS, group, 2 * n, {"a", "index", "v"})
        table.insert(stages[1], peer.shader(text, groups, bytes, UNUSED, a:bytes(), index:bytes(), v:bytes()))
        text, groups, bytes = program(IN_ORDER, group, n, {"starts", "sequence", "add"})
        table.insert(stages[2], peer.shader(text, groups, bytes, UNUSED, starts:bytes(), sequence:bytes(),
            (bar * v):eval():bytes()))
    end
    for i = 1, 2 do peer.shader_run(stages[i][1]) end
    for i, got in ipairs {peer.shader_read(stages[2][1]), peer.shader_read(stages[1][1]):sub(1, 4 * n)} do
        assert(close_to(expected[i], got, 1e-4), "the gradient of a gather by hand is another result")
    end
    local ours, first, other, sum, more = support.race(ROUNDS, function()
        return support.timed(function() gradients(a, v) end, 1)
    end, function() return peer.shader_run(stages[1][1], 1) end, function() return peer.shader_run(stages[1][2], 1) end,
        function() return peer.shader_run(stages[2][1], 1) end, function() return peer.shader_run(stages[2][2], 1) end)
    for _, list in ipairs(stages) do
        for _, number in ipairs(list) do peer.shader_close(number) end
    end
    rows[#rows + 1] = support.faster("gradients of a gather of 10^6", ours, "GLSL by hand: two programs",
        math.min(first, other) + math.min(sum, more), 0.91)
end

local function banded(n, width)
    local column = rill.kernel [[
        kernel int column(int k<>, int n, int width) {
            int row = k / width;
            return clamp(row - width / 2, 0, n - width) + k % width;
        }
    ]]
    return rill.sparse.csr {
        shape = {n, n}, offsets = (rill.iota(n + 1) * width):eval(), columns = column(rill.iota(n * width), n, width),
        values = rill.random(n * width, {seed = 3}),
    }
end

return function()
    local rows, stencil = {}, matrices.stencil(100)
    move_row(rows, 4096)
    column_row(rows, 4096)
    add_rows(rows)
    sparse_rows(rows, "4,884 rows of 59, band", banded(4884, 59))
    sparse_rows(rows, "10^6 rows of 7, stencil", stencil)
    ell_row(rows, "the same as ELL", stencil)
    transpose_row(rows, stencil)
    dense_rows(rows)
    for _, size in ipairs {4, 8} do
        for _, taps in ipairs {6, 27} do page_row(rows, size, taps) end
    end
    fft_rows(rows)
    gather_gradient_row(rows)
    return rows
end
