-- A program for mpi_spec: one rank fails in the way that the first argument names, and the others wait for it.
local mpi = require "rill.mpi"
local rill = require "rill"
local way, path = arg[1], arg[2]

local function refused(f, ...)
    local done, message = pcall(f, ...)
    if done then
        error "the call was accepted"
    end
    print(message)
end

if way == "error" then
    if mpi.rank == mpi.size then
        error "this rank fails"
    end
    mpi.barrier()
elseif way == "kernel" then -- while the others exchange halos
    local u = mpi.stream("float", {64, 64}, {init = 1})
    local scale = rill.kernel "kernel void scale(neighbor float u<>, float k, out float r<>) { r = k * u[1][0]; }"
    for step = 1, 100 do
        u = scale(u, step == 50 and mpi.rank == 2 and "a" or 1)
    end
    u:sum()
elseif way == "killed" then
    if mpi.rank == mpi.size then
        os.execute(("kill -9 %d"):format(tonumber(io.open("/proc/self/stat"):read "n")))
    end
    mpi.barrier()
elseif way == "shape" then
    mpi.stream("float", 10 + mpi.rank)
elseif way == "columns" then
    refused(mpi.stream, "float", {64, 4096, 512}, {ranks = {1, 1, mpi.size}})
elseif way == "messages" then
    local d = mpi.stream("float", {30, 20})
    refused(mpi.stream, "float", {3, -1})
    refused(mpi.stream, "float", {30, 20}, {ranks = {7, 3}})
    refused(mpi.stream, "float", 10, {boundary = "open"})
    refused(mpi.load, path .. "/none.npy")
    refused(d.save, d, path .. "/none/x.npy")
    refused(mpi.send, print, 1)
    refused(mpi.send, 1, mpi.size + 1)
    refused(function() return d + rill.stream("float", {30, 20}) end)
    refused(function() return d:sort() end)
    local gather = rill.kernel "kernel void take(float s[][], out float r<>) { r = s[0][0]; }"
    refused(function() return gather {s = d, r = mpi.stream("float", {30, 20})} end)
    local far = rill.kernel "kernel void far(neighbor float u<>, int k, out float r<>) { r = u[k]; }"
    if mpi.size > 1 then
        refused(function() return far(mpi.stream("float", 100), 2) end)
    else
        print "the width of the halo is unknown: only of interest to several ranks"
    end
elseif way == "full" then
    local small, big = mpi.stream("float", 1000, {init = 3}), mpi.stream("float", 8000000, {init = 3})
    small:save(path .. "/full.npy")
    mpi.checkpoint(path .. "/full", {u = small, step = 1})
    refused(big.save, big, path .. "/full.npy")
    refused(mpi.checkpoint, path .. "/full", {u = big})
    assert(mpi.load(path .. "/full.npy"):sum() == 3000 and mpi.restart(path .. "/full").u:sum() == 3000)
    assert(not io.open(path .. "/full.npy.part") and not io.open(path .. "/full.part"))
elseif way == "values" then
    local u = mpi.stream("float", {40, 70}, {init = 3, halo = 12, boundary = {"zero", "wrap"}})
    mpi.checkpoint(path .. "/values", {u = u, lazy = u * 2, none = mpi.stream("int", {0, 4}), limit = {0 / 0, {1 / 0}},
        other = mpi.rank > 1 and print or nil})
    refused(mpi.checkpoint, path .. "/values", {u = u, f = mpi.rank == 1 and print or 1})
    refused(mpi.checkpoint, path .. "/values", {[mpi.rank == 2 and "u" or 3] = u})
    local state = mpi.restart(path .. "/values")
    local far = rill.kernel "kernel void far(neighbor float u<>, int k, out float r<>) { r = u[k][0]; }"
    assert(far(state.u, 12):sum() == 28 * 70 * 3 and state.lazy:sum() == 40 * 70 * 6 and state.none.shape[2] == 4)
    assert(state.limit[1] ~= state.limit[1] and state.limit[2][1] == 1 / 0 and state.other == nil)
elseif way == "options" then
    mpi.stream("float", {10, 10}, {boundary = mpi.rank == 1 and {"wrap", "zero"} or "zero"})
elseif way == "truncated" then
    local file = io.open(path .. "/short.npy", "rb")
    if file then
        file:close()
    end
    refused(mpi.load, path .. "/short.npy")
    refused(mpi.restart, path .. "/damaged")
    refused(mpi.restart, path .. "/altered")
elseif way == "changed" then -- checkpoints with a changed, missing or additional byte, and of version 1
    local file = path .. "/changed"
    local u = mpi.stream("vec3", {5, 7}, {init = 3})
    local v = mpi.stream("uint8", {9}, {init = 200})
    mpi.checkpoint(file, {u = u, v = v, step = 3, names = {"a", "b"}, x = 0.5})
    local function write(text)
        if mpi.rank == 1 then
            local out <close> = assert(io.open(file, "wb"))
            out:write(text)
        end
        mpi.barrier()
    end
    local whole = assert(io.open(file, "rb"):read "a")
    local kept = 0
    mpi.barrier()
    for at = 1, #whole, mpi.size == 1 and 1 or 50 do
        write(whole:sub(1, at - 1) .. string.char(whole:byte(at) ~ (1 << at % 8)) .. whole:sub(at + 1))
        kept = kept + (pcall(mpi.restart, file) and 1 or 0)
    end
    for _, text in ipairs {whole .. "\0", whole:sub(1, -2), whole:sub(1, 100)} do
        write(text)
        kept = kept + (pcall(mpi.restart, file) and 1 or 0)
    end
    assert(kept == 0, kept .. " damaged checkpoints were read")
    local description, at = string.unpack("<s8", whole, #"rill checkpoint 2\n" + 1)
    local old = "rill checkpoint 1\n" .. string.pack("<s8", description) .. whole:sub(at + 16)
    write(old)
    local state = mpi.restart(file)
    assert(state.step == 3 and state.v:sum() == 1800 and state.names[2] == "b" and
        state.u:collect "all":bytes() == u:collect "all":bytes())
    write(old .. "\0")
    refused(mpi.restart, file)
    write("rill checkpoint 1\n" .. string.pack("<s8", description .. "n") .. whole:sub(at + 16))
    refused(mpi.restart, file)
elseif way == "work" then -- a run with checkpoints that ends at a random time, and is started again
    local state = mpi.restart(path) or {step = 0, u = mpi.stream("float", {64, 64}, {init = 1})}
    local k = rill.kernel [=[
        kernel void turn(neighbor float u<>, float t, out float r<>) { r = 0.5 * u[0][0] + 0.2 * (u[-1][1] + u[1][0]) + t; }
    ]=]
    if arg[3] and mpi.rank == mpi.size then
        os.execute(("(sleep %s; kill -9 %d) >/dev/null 2>&1 &"):format(arg[3],
            tonumber(io.open("/proc/self/stat"):read "n")))
    end
    for step = state.step + 1, 30 do
        state.u, state.step = k(state.u, 0.01 * step), step
        mpi.checkpoint(path, state)
    end
    local all = state.u:collect()
    if all then
        print(("result %a"):format(all:sum()))
    end
end
