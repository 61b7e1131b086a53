-- Heat flow in a plate whose cells are divided among processes: one script for one process and for a cluster.
--
--     lua5.4 examples/heat_ranks.lua [size [steps [directory]]] [--checkpoint FILE]        256 2000 out
--     mpirun -n 4 lua5.4 examples/heat_ranks.lua
--
-- Heat flows from hot discs through a plate with insulating walls (explicit steps of finite volumes). rill.mpi gives each rank a part of the plate and
-- exchanges the rows at the borders before each step. Rank 1 draws the temperature and, in white, the borders of the parts. The script checks that the
-- heat stays the same. With --checkpoint it writes the state to FILE every 500 steps and at the end. If FILE exists, the script continues from there,
-- with any number of ranks.
local rill = require "rill"

local found, mpi = pcall(require, "rill.mpi")
if not found then
    print("  " .. tostring(mpi))
    assert(tostring(mpi):find("has no MPI", 1, true), "rill.mpi does not load")
    return
end

local EVERY <const> = 500 -- steps between two checkpoints

local kernels = rill.program [=[
    // The conductivity: 1, or 0 in the walls, each of which has a gap.
    kernel void plate(int size, out float c<>) {
        vec2 p = (vec2(indexof(c).xy) + 0.5) / float(size);
        c = 1.0;
        for (int k = 1; k <= 3; k++) {
            float gap = k == 2 ? 0.75 : 0.25;
            bool slanted = abs(p.x + 0.3 * (p.y - 0.5) - 0.25 * float(k)) < 0.008;
            if (slanted && abs(p.y - gap) > 0.06) c = 0.0;
        }
    }

    kernel void discs(int size, float c<>, out float u<>) {
        vec2 p = (vec2(indexof(u).xy) + 0.5) / float(size);
        u = 0.0;
        const vec4 list[4] = vec4[](vec4(0.15, 0.20, 0.08, 1.0), vec4(0.45, 0.75, 0.09, 0.9),
            vec4(0.82, 0.20, 0.07, 1.0), vec4(0.85, 0.80, 0.05, 0.6)); // x, y, radius, temperature
        for (int k = 0; k < 4; k++)
            if (distance(p, list[k].xy) < list[k].z) u = c * list[k].w;
    }

    // The flow through each side of a cell is proportional to the difference, and 0 if one of the two cells is a wall.
    kernel void flow(neighbor float u<>, neighbor float c<>, out float r<>) {
        float side = c[-1][0] * (u[-1][0] - u[0][0]) + c[1][0] * (u[1][0] - u[0][0])
                   + c[0][-1] * (u[0][-1] - u[0][0]) + c[0][1] * (u[0][1] - u[0][0]);
        r = u[0][0] + 0.24 * c[0][0] * side;
    }

    // The color of a temperature; owner: the rank of the cell.
    kernel void paint(float u<>, float c<>, neighbor int owner<>, out vec3 color<>) {
        const vec3 colors[5] = vec3[](vec3(0.02, 0.02, 0.08), vec3(0.30, 0.05, 0.42), vec3(0.80, 0.20, 0.30),
            vec3(0.98, 0.60, 0.15), vec3(1.0, 0.98, 0.80));
        float t = 4.0 * sqrt(clamp(1.8 * u, 0.0, 1.0));
        int k = min(int(t), 3);
        color = mix(colors[k], colors[k + 1], t - float(k));
        if (c == 0.0) color = vec3(0.45);
        if (owner[0][0] != owner[0][-1] || owner[0][0] != owner[-1][0]) color = vec3(1.0);
    }
]=]

-- Returns the numbers of ranks along the rows and the columns, as equal as possible: 4 ranks are 2 x 2, 6 are 3 x 2.
local function grid(ranks, size)
    local columns = size < 64 and 1 or math.floor(math.sqrt(ranks)) -- parts of less than 64 columns are not worth it
    while ranks % columns > 0 do
        columns = columns - 1
    end
    return {ranks // columns, columns}
end

local words, checkpoint = {}, nil
local args = {...}
while #args > 0 do
    local word = table.remove(args, 1)
    if word == "--checkpoint" then
        checkpoint = assert(table.remove(args, 1), "--checkpoint: expected the name of a file")
    else
        words[#words + 1] = word
    end
end
local size = assert(math.tointeger(tonumber(words[1] or 256)), "size: expected a whole number")
local steps = assert(math.tointeger(tonumber(words[2] or 2000)), "steps: expected a whole number")
local directory = words[3] or "out"

local ranks = grid(mpi.size, size)
local shape = {size, size}
local function stream(element) return mpi.stream(element, shape, {ranks = ranks}) end

local c = stream "float"
kernels.plate {size = size, c = c}
local state = checkpoint and mpi.restart(checkpoint, {ranks = ranks})
if state then
    assert(state.u.shape[1] == size, "the checkpoint is of another size")
else
    state = {step = 0, u = stream "float"}
    kernels.discs {size = size, c = c, u = state.u}
    state.heat = state.u:sum()
end

local spare, first = stream "float", state.step
local function advance()
    while state.step < steps do
        kernels.flow(state.u, c, spare)
        state.u, spare, state.step = spare, state.u, state.step + 1
        if checkpoint and (state.step % EVERY == 0 or state.step == steps) then
            mpi.checkpoint(checkpoint, state)
        end
    end
end
local profile = mpi.profile(advance)

local heat = state.u:sum()
local owner = stream "int"
owner:fill(mpi.rank)
local image = kernels.paint(state.u, c, owner):collect(1)
if mpi.rank == 1 then
    os.execute(("mkdir -p '%s'"):format(directory))
    rill.image.save(image:replicate(2, 2), directory .. "/heat_ranks.png")
    print(("  %d steps of %d x %d cells from step %d on %d x %d ranks"):format(state.step - first, size, size, first,
        ranks[1], ranks[2]))
    print("  " .. tostring(profile):gsub("\n", "\n  "))
    print(("  heat %.6g at the start, %.6g now"):format(state.heat, heat))
    print(("  %s/heat_ranks.png: the temperature, and the borders of the parts"):format(directory))
end
assert(math.abs(heat / state.heat - 1) < 1e-4, "heat was lost")
