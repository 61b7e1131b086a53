local rill = require "rill"
local example = require "spec.support.example"
local leaks = require "spec.support.leaks"
local sparsefluid = assert(loadfile "examples/sparsefluid.lua")("module")

local size <const>, page <const> = 32, 4
local pages <const> = size // page

-- The dense solver, restricted to the cells where the sparse one has pages. Elsewhere air is at rest and the pressure is 0.
local Masked = {}
Masked.__index = Masked

local inside = rill.kernel [[
    kernel void inside(int page, int existing[][][], out bool r<>) {
        ivec3 p = indexof(r).xyz / page;
        r = existing[p.z][p.y][p.x] != 0;
    } ]]

function Masked.field(_, _, type)
    return rill.stream(type, {size, size, size}):fill(0)
end

function Masked:change(fluid)
    local mask = inside(page, fluid.existing, rill.stream("bool", {size, size, size}))
    for _, field in pairs(fluid.fields) do
        field:write(rill.where(mask, field, field.type == "vec4" and {0, 0, 0, 0} or 0))
    end
    self.limit = {where = mask}
end

-- Returns the numbers of the pages with smoke and of the adjacent ones, from a dense field of density, in plain Lua.
local function wanted(density)
    local found = {}
    for z = 0, size - 1 do
        for y = 0, size - 1 do
            for x = 0, size - 1 do
                if density[(z * size + y) * size + x + 1] > sparsefluid.enough then
                    found[(z // page * pages + y // page) * pages + x // page] = true
                end
            end
        end
    end
    local all = {}
    for number in pairs(found) do
        local x, y, z = number % pages, number // pages % pages, number // pages ^ 2 | 0
        for k = math.max(z - 1, 0), math.min(z + 1, pages - 1) do
            for j = math.max(y - 1, 0), math.min(y + 1, pages - 1) do
                for i = math.max(x - 1, 0), math.min(x + 1, pages - 1) do all[(k * pages + j) * pages + i] = true end
            end
        end
    end
    return all
end

local function dense(field)
    return rill.type(field) == "container" and field:stream() or field
end

-- Returns the largest difference of a field between two fluids.
local function difference(a, b, name)
    return rill.abs(dense(a.fields[name]) - dense(b.fields[name])):eval():values()
end

local function largest(values)
    local most = 0
    for _, value in ipairs(values) do
        for _, component in ipairs(type(value) == "table" and value or {value}) do most = math.max(most, component) end
    end
    return most
end

describe("the sparse fluid example", function()
    leaks.watch(setup, teardown)
    local function agree(steps)
        local fluid = sparsefluid.create(size, page, sparsefluid.sparse())
        local other = sparsefluid.create(size, page, setmetatable({}, Masked))
        local most, occupancy = 0, {}
        for step = 1, steps do
            fluid:step()
            other:step()
            if step % 50 == 0 then
                for name in pairs(fluid.fields) do
                    if not name:find "next" then most = math.max(most, largest(difference(fluid, other, name))) end
                end
                occupancy[#occupancy + 1] = fluid:occupancy()
            end
        end
        assert.is_true(most <= 1e-5, most)
        assert.is_true(occupancy[1] > 0.05 and occupancy[1] < 0.9, occupancy[1])
        assert.is_true(other.fields.state:sum()[4] > 10)
    end

    it("agrees with the dense solver after 200 steps #long", function() agree(200) end)

    -- Without a vessel the air moves everywhere, while it is at rest in unmapped pages, so all pages would be needed for the results to agree.
    local function agree_in_vessel(steps)
        local vessel = {15.5, 7.5, 15.5, 7.9} -- in the pages of the vent and those around
        local fluid = sparsefluid.create(size, page, sparsefluid.sparse(), vessel)
        local other = sparsefluid.create(size, page, sparsefluid.dense(), vessel)
        local least, greatest = 1, 0
        for step = 1, steps do
            fluid:step()
            other:step()
            if step % 10 == 0 then
                least, greatest = math.min(least, fluid:occupancy()), math.max(greatest, fluid:occupancy())
            end
        end
        for name, field in pairs(fluid.fields) do
            if not name:find "next" then
                assert.are.equal("container", rill.type(field))
                assert.are.equal("stream", rill.type(other.fields[name]))
                local most = largest(difference(fluid, other, name))
                assert.is_true(most <= 1e-5, most)
            end
        end
        assert.is_true(least > 0.1 and greatest < 0.5 and least < greatest, least)
        local moves = rill.abs(other.fields.state):max()
        assert.is_true(moves[1] > 0.1 and moves[2] > 0.1 and moves[3] > 0.1 and moves[4] > 0.5)
    end

    it("agrees with the dense solver after 60 steps with a vessel around the smoke #long", function()
        agree_in_vessel(60)
    end)

    it("does so after 200 steps #long", function() agree_in_vessel(200) end)

    it("has pages where there is smoke, and adjacent ones", function()
        local fluid = sparsefluid.create(size, page, sparsefluid.sparse())
        for _ = 1, 12 do fluid:step() end
        local density = rill.kernel "kernel float density(vec4 s<>) { return s.w; }"(fluid.fields.state:stream())
        local all = wanted(density:values())
        local existing = fluid.existing:values()
        for number = 0, pages ^ 3 - 1 do
            assert.are.equal(all[number] and 1 or 0, existing[number + 1], number)
        end
        for name, field in pairs(fluid.fields) do
            assert.are.equal(fluid.existing:sum(), field.pages.mapped, name)
        end
    end)

    describe("as a script #slow #long", function()
        local script
        setup(function() script = example.open() end)
        teardown(function() script:close() end)

        it("draws the smoke and its pages", function()
            script:run("sparsefluid", 32, 5, script.directory)
            local first = script:picture("sparsefluid-001.png", 512, 1024)
            assert.are_not.equal(script:picture("sparsefluid.png", 512, 1024), first)
            script:names "sparsefluid.png"
            script:says "step   5: +%d+%.%d %% of the pages exist, "
        end)
    end)
end)
