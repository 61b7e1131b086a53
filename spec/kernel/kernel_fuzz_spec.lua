-- Mutated kernel texts: each compiles or raises an error. RILL_FUZZ is their number, RILL_FUZZ_SEED their seed.
local rill = require "rill"
local leaks = require "spec.support.leaks"

local texts = {
    [=[kernel void saxpy(float a, float x<>, float y<>, out float r<>) { r = a * x + y; }]=],
    [=[#define SQ(a) ((a) * (a))
#if defined(SQ) && 1
const float c[2] = {1.0, 2.0}, d = 3.0;
#endif
typedef struct { float3 o; float t; } Ray;
float h(float x, inout float y) { y += SQ(x); return c[1] * y + d; }
kernel void f(Ray ray<>, Ray all[], float2 w[][], neighbor float n<>, out Ray o<>, out float r<>) {
    float y = 0.0; Ray z = { ray.o, 1.0 };
    for (int i = 0; i < 4; i++) { y += h(n[int2(i, -1)], y); if (y > 3.0) break; }
    o = all[indexof(n).x]; o.t = z.t + (float)sizeof_stream(w).x; r = sample(w, float2(0.5, y)).x + w[1][0].y;
}]=],
    [=[kernel float g(float w[], int i) { return w[i]; }
kernel void f(int i<>, float w[], inout float3 d[], inout int t[], inout half h<>) {
    d[i].x += g(w, i); d[i] = float3(1, 2, 3); atomicAdd(t[0], 1); t[i]++;
    int n = 3; while (n > 0) { n--; h += lerp(0.0, 1.0, frac(h)); }
}]=],
    [=[kernel(16, 2) void g(float x<>, mat3 m, out float4 r<>) {
    shared float t[2][16]; int2 l = localid(); t[l.y][l.x] = x; barrier();
    r = float4(t[l.y][15 - l.x], groupid(), m[0][1]); }
reduce void sum(float x<>, reduce float r<>) { r += x; }]=],
}

local function tokens(text)
    local all = {}
    local at = 1
    while at <= #text do
        local word = text:match("^#?[%w_.]+%s*", at) or text:match("^[^%w_]%s*", at)
        all[#all + 1] = word
        at = at + #word
    end
    return all
end

local seed = tonumber(os.getenv "RILL_FUZZ_SEED" or 1)
local function random(n)
    seed = (seed * 6364136223846793005 + 1442695040888963407)
    return (seed >> 33) % n + 1
end

local extra = {"(", ")", "{", "}", "[", "]", "<", ">", ";", ",", "<>", "[]", "float ", "kernel ", "out ", "inout ",
    "struct ", "1", "0x", "#",
    "\n#define x y\n", "\n#if 0\n", "\n#endif\n", "indexof ", "sample(", "shared ", "for ", "else ", "return ", "\0",
    "\"", "/*", "//", "\\\n", "."}

local function mutate(list)
    local made = table.move(list, 1, #list, 1, {})
    for _ = 1, random(3) do
        local kind, i, j = random(6), random(#made), random(#made)
        if kind == 1 then
            table.remove(made, i)
        elseif kind == 2 then
            table.insert(made, i, made[j])
        elseif kind == 3 then
            made[i], made[j] = made[j], made[i]
        elseif kind == 4 then
            table.insert(made, i, extra[random(#extra)])
        elseif kind == 5 then
            made[i] = made[j]
        else
            made = table.move(made, 1, i, 1, {})
        end
        if #made == 0 then
            break
        end
    end
    return table.concat(made)
end

describe("mutated kernel texts", function()
    leaks.watch(setup, teardown)

    it("give an error or work", function()
        local count = tonumber(os.getenv "RILL_FUZZ" or 600)
        local lists, good = {}, 0
        for t, text in ipairs(texts) do
            lists[t] = tokens(text)
            assert.equal(text, table.concat(lists[t]))
            assert(pcall(rill.program, text))
        end
        for i = 1, count do
            local text = mutate(lists[i % #lists + 1])
            if os.getenv "RILL_FUZZ_LOG" then
                local file = assert(io.open(os.getenv "RILL_FUZZ_LOG", "w"))
                file:write(text)
                file:close()
            end
            local fine, message = pcall(rill.program, text)
            if fine then
                good = good + 1
            else
                assert.equal("string", type(message))
                assert(#message < 10000)
                assert.falsy(message:find("out of host memory", 1, true))
            end
        end
        assert(good > 0 and good < count)
        collectgarbage()
    end)

    it("run, where they compile", function()
        local list, x = tokens(texts[1]), rill.stream("float", 9)
        for _ = 1, 200 do
            local fine, k = pcall(rill.kernel, mutate(list))
            if fine then
                pcall(k, 2, x, x)
                pcall(k, x, x)
            end
        end
        x:close()
        collectgarbage()
    end)
end)
