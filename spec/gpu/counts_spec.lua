local probe = require "spec.support.probe"
local probe_text = require "spec.support.probe_text"
local rill = require "rill"

-- The figures depend on the limits of the device.
local function needs(pending)
    if probe.missing then
        pending(probe.missing)
    elseif not rill.device().name:find "^llvmpipe" then
        pending "the figures are for llvmpipe"
    else
        return true
    end
end

-- Checks that no figure is worse than docs/cost.md says.
local function check(choose)
    local documented, failures = probe.documented(), {}
    for _, result in ipairs((probe.measure("spec.support.probe_cases", {choose = choose}))) do
        local row = documented[result.name]
        for _, column in ipairs(probe.columns) do
            local bound, value = row and row[column.figure], result.figures[column.figure]
            local sign = column.most == false and -1 or 1
            if not bound or sign * (value - bound) > 0.01 * bound + 0.01 then
                failures[#failures + 1] = ("%s: %s is %.4g, %s says %s. If this is intended: lua5.4 bench/counts.lua "
                    .. "--write '%s'"):format(result.name, column.title, value, probe.page, bound, result.name)
            end
        end
        assert(result.figures.lost == 0, result.name)
    end
    assert(#failures == 0, table.concat(failures, "\n"))
end

describe("counts of the family gpu", function()
    it("are not worse than docs/cost.md says", function()
        if needs(pending) then
            check(function(case) return case.short end)
        end
    end)

    it("of the other cases are not worse #long", function()
        if needs(pending) then
            check(function(case) return not case.short end)
        end
    end)

    it("are those of kernels whose accesses are known", function()
        if not needs(pending) then return end
        local known = {}
        for _, result in ipairs((probe.measure "spec.support.probe_known")) do
            known[result.name] = result.figures
        end
        for _, stride in ipairs {1, 2, 32} do
            local f = known["stride " .. stride]
            assert.same({stride, 1, 1, 2, 4, 4, 1, 1, 64}, {f.conflicts, f.barriers, f.chain, f.shared_chain, f.load,
                f.store, f.ratio, f.shared_loads, f.work_groups})
        end
        assert.same({32, 4}, {known.gather.load, known.gather.load_ideal})
        assert.same({10, 10, 0}, {known.chain.chain, known.chain.divisions, known.chain.barriers})
        assert.same({1, 0}, {known.unrolled.chain, known.unrolled.divisions})
    end)
end)

describe("texts of recorded programs", function()
    -- Returns what each site does, and the sources, of a function body.
    local function sites(body)
        local rewritten = probe_text.rewrite(([[#version 430
            #define COUNT 4
            layout(local_size_x = 32) in;
            layout(std430, binding = 1) buffer A { vec4 a[]; };
            layout(std430, binding = 3) buffer B { uint b[]; };
            layout(binding = 2) uniform usamplerBuffer t;
            shared float s[32];
            const int LENGTH = COUNT * 8;
            void main() { uint i = gl_LocalInvocationIndex; %s }]]):format(body))
        local flags = {}
        for k, site in ipairs(rewritten.sites) do
            flags[k] = site.flags
        end
        return flags, rewritten
    end
    local LOAD <const>, STORE <const>, SHARED <const>, ATOMIC <const>, BARRIER <const> = 1, 2, 4, 8, 16
    local TURN <const>, DIVISION <const>, TEXTURE <const> = 32, 64, 128

    it("record loads, stores and atomic operations", function()
        assert.same({STORE, LOAD}, (sites "a[i] = a[i + 1u];"))
        assert.same({LOAD | STORE}, (sites "b[i] += 2u;"))
        assert.same({LOAD | STORE}, (sites "b[i]++;"))
        assert.same({STORE}, (sites "a[i].x = 1.0;"))
        assert.same({LOAD}, (sites "if (b[i] == 1u) return;"))
        assert.same({LOAD | STORE | ATOMIC}, (sites "atomicAdd(b[i], 1u);"))
        assert.same({STORE | SHARED, LOAD | SHARED}, (sites "s[int(s[i])] = 0.0;"))
        assert.same({LOAD | TEXTURE}, (sites "uvec4 v = texelFetch(t, int(i));"))
        local _, rewritten = sites "a[i] = vec4(b[i]);"
        assert.same({2, 1, 16, 3, 4}, {rewritten.binding, rewritten.sites[1].binding, rewritten.sites[1].bytes,
            rewritten.sites[2].binding, rewritten.sites[2].bytes})
    end)

    it("record barriers, turns of loops and divisions by variables", function()
        assert.same({BARRIER}, (sites "barrier();"))
        assert.same({TURN}, (sites "for (uint k = 0u; k < i; k++) {}"))
        assert.same({}, (sites "for (int k = 0; k < LENGTH; k += 2) {}"))
        assert.same({TURN}, (sites "for (int k = 0; k < 65 * LENGTH; k++) {}"))
        assert.same({TURN}, (sites "while (i > 0u) i--;"))
        assert.same({DIVISION, DIVISION}, (sites "i = 7u / i; i %= (i + 1u);"))
        assert.same({}, (sites "i = i / 4u % uint(LENGTH);"))
    end)

    it("count private arrays, unless all loops are unrolled", function()
        local _, rewritten = sites "float v[4]; uint w[2];"
        assert.equal(2, rewritten.private_arrays)
        _, rewritten = sites "\n#pragma optionNV(unroll all)\nfloat v[4];"
        assert.equal(0, rewritten.private_arrays)
    end)
end)
