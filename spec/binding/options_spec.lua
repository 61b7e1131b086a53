-- Unknown options of every function that has a table of options: the message lists what is known and names the nearest.
local rill = require "rill"
local check = require "spec.support.check"
local reference = require "rill.shell.reference"

local f = rill.from {{4, 1}, {1, 3}}
local line = rill.from {3, 1, 2, 5}
local gray = rill.random({8, 8}, {seed = 1})

local function sparse_array()
    return rill.sparse("float", {4}, {page = {2}}):write(line)
end

local function dense_array()
    return rill.array("float", {4}):write(line)
end

local function system(name)
    return function(o) return rill.solve[name](f, rill.from {1, 2}, o) end
end

local function with(given, call) -- what must be there beside the unknown option
    return function(o)
        for key, value in pairs(given) do
            o[key] = value
        end
        return call(o)
    end
end

-- Returns a call with a big stream.
local function big(call)
    return function(o)
        local path = os.tmpname()
        os.rename(path, path .. ".npy")
        line:save(path .. ".npy")
        local b = rill.big(path .. ".npy")
        local done, message = pcall(call, b, o)
        os.remove(path .. ".npy")
        error(done and "no error" or message, 0)
    end
end

local small = rill.frame {x = {1}}
local three = rill.from {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}
local points = rill.from({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, "vec3")
local shape = {shape = {8, 8}}
local plain = rill.kernel "kernel void plain(float x<>, out float r<>) { r = x; }"
-- Function name -> a call with the given options, or the function itself if the options are its first argument.
local calls = {
    ["rill.repl"] = rill.repl,
    ["rill.print_options"] = rill.print_options,
    ["rill.selftest"] = rill.selftest,
    ["s:map_cpu"] = function(o) return line:map_cpu(o) end,
    ["rill.kernel"] = function(o) return rill.kernel("kernel void f(out float r<>) { r = 1.0; }", o) end,
    ["rill.matmul"] = function(o) return rill.matmul(f, f, o) end,
    ["rill.program"] = function(o) return rill.program("kernel void f(out float r<>) { r = 1.0; }", o) end,
    ["rill.programfile"] = function(o) return rill.programfile("/nowhere", o) end,
    ["s:dot"] = function(o) return line:dot(line, 1, o) end,
    ["c:dot"] = function(o) local c = dense_array() return c:dot(c, 1, o) end,
    ["rill.gradient"] = function(o) return rill.gradient(line, o) end,
    ["rill.trapz"] = function(o) return rill.trapz(line, o) end,
    ["rill.cumtrapz"] = function(o) return rill.cumtrapz(line, o) end,
    ["rill.polyfit"] = function(o) return rill.polyfit(line, line, 1, o) end,
    ["rill.diagonal"] = function(o) return rill.diagonal(f, o) end,
    ["rill.isclose"] = function(o) return rill.isclose(line, line, o) end,
    ["s:ewm"] = function(o) return line:ewm(o) end,
    ["s:logsumexp"] = function(o) return line:logsumexp(1, o) end,
    ["s:nansum"] = function(o) return line:nansum(1, o) end,
    ["s:nanmean"] = function(o) return line:nanmean(1, o) end,
    ["s:nanquantile"] = function(o) return line:nanquantile(0.5, o) end,
    ["rill.logspace"] = function(o) return rill.logspace(0, 1, 2, o) end,
    ["rill.meshgrid"] = function(o) return rill.meshgrid({1}, {2}, o) end,
    ["s:pad"] = function(o) return line:pad(o) end,
    ["rill.random"] = function(o) return rill.random(3, o) end,
    ["rill.permutation"] = function(o) return rill.permutation(3, o) end,
    ["rill.choice"] = function(o) return rill.choice(3, 2, o) end,
    ["s:scan"] = function(o) return line:scan("add", o) end,
    ["s:sort"] = function(o) return line:sort(o) end,
    ["s:top_k"] = function(o) return line:top_k(1, o) end,
    ["rill.argsort"] = function(o) return rill.argsort(line, o) end,
    ["rill.sort_by_key"] = function(o) return rill.sort_by_key(line, line, o) end,
    ["rill.searchsorted"] = function(o) return rill.searchsorted(line, line, o) end,
    ["rill.merge"] = function(o) return rill.merge(line, line, o) end,
    ["s:quantile"] = function(o) return line:quantile(0.5, o) end,
    ["s:percentile"] = function(o) return line:percentile(50, o) end,
    ["s:median"] = function(o) return line:median(1, o) end,
    ["s:moving_mean"] = function(o) return line:moving_mean(1, o) end,
    ["s:unique"] = function(o) return line:unique(o) end,
    ["rill.cov"] = function(o) return rill.cov(line, line, o) end,
    ["rill.grad"] = function(o) return rill.grad(rill.value, o) end,
    ["rill.value_and_grad"] = function(o) return rill.value_and_grad(rill.value, o) end,
    ["rill.steps"] = function(o) return rill.steps(1, line, function(s) return s end, o) end,
    ["k:gradient"] = function(o) return plain:gradient(o) end,
    ["k:tangent"] = function(o) return plain:tangent(o) end,
    ["rill.solve.eigen"] = function(o) return rill.solve.eigen(f, o) end,
    ["rill.linalg.svd"] = function(o) return rill.linalg.svd(f, o) end,
    ["rill.linalg.eigh"] = function(o) return rill.linalg.eigh(f, o) end,
    ["rill.linalg.pinv"] = function(o) return rill.linalg.pinv(f, o) end,
    ["rill.linalg.rank"] = function(o) return rill.linalg.rank(f, o) end,
    ["rill.linalg.lstsq"] = function(o) return rill.linalg.lstsq(f, f, o) end,
    ["rill.optimize.adam"] = function(o) return rill.optimize.adam({line}, o) end,
    ["rill.optimize.sgd"] = function(o) return rill.optimize.sgd({line}, o) end,
    ["rill.optimize.lbfgs"] = function(o) return rill.optimize.lbfgs({line}, o) end,
    ["rill.interp"] = function(o) return rill.interp(line, line, line, o) end,
    ["rill.trace"] = function(o) return rill.trace(f, o) end,
    ["rill.histogram2d"] = function(o) return rill.histogram2d(line, line, o) end,
    ["s:histogram"] = function(o) return line:histogram(o) end,
    ["rill.bincount"] = function(o) return rill.bincount(rill.iota(3), o) end,
    ["rill.blas.gemv"] = function(o) return rill.blas.gemv(1, f, rill.from {1, 2}, 0, rill.from {1, 2}, o) end,
    ["rill.blas.gemm"] = function(o) return rill.blas.gemm(1, f, f, 0, f:copy(), o) end,
    ["rill.fft"] = function(o) return rill.fft(line, o) end,
    ["rill.convolve"] = function(o) return rill.convolve(line, line, o) end,
    ["rill.correlate"] = function(o) return rill.correlate(line, line, o) end,
    ["rill.sparse.csr"] = rill.sparse.csr, ["rill.sparse.coo"] = rill.sparse.coo, ["rill.sparse.ell"] = rill.sparse.ell,
    ["rill.solve.tridiagonal"] = function(o) return rill.solve.tridiagonal(line, line, line, line, o) end,
    ["F:solve"] = function(o) return rill.solve.lu(f):solve(rill.from {1, 2}, o) end,
    ["rill.solve.multigrid"] = function(o) return rill.solve.multigrid(gray, o) end,
    ["rill.solve.hierarchy"] = with(shape, rill.solve.hierarchy),
    ["h:solve"] = function(o) return rill.solve.hierarchy(shape):solve(gray, o) end,
    ["rill.fluid"] = with(shape, rill.fluid),
    ["f:carry"] = function(o) return rill.fluid(shape):carry("smoke", gray, o) end,
    ["rill.volume"] = function(o) return rill.volume(rill.random({4, 4, 4}), o) end,
    ["rill.sph"] = with({positions = points, radius = 1}, rill.sph),
    ["P:picture"] = function(o) return rill.sph {positions = points, radius = 1, sound = 1}:picture(o) end,
    ["rill.wave"] = with(shape, rill.wave),
    ["W:picture"] = function(o) return rill.wave(shape):picture(o) end,
    ["rill.heat"] = with(shape, rill.heat),
    ["H:picture"] = function(o) return rill.heat(shape):picture(o) end,
    ["rill.cloth"] = with(shape, rill.cloth),
    ["C:picture"] = function(o) return rill.cloth(shape):picture(o) end,
    ["rill.nbody"] = with({positions = points}, rill.nbody),
    ["N:picture"] = function(o) return rill.nbody {positions = points}:picture(o) end,
    ["rill.render"] = function(o) return rill.render(rill.mesh.box(), o) end,
    ["rill.collide.bvh"] = function(o) return rill.collide.bvh(rill.mesh.box(), o) end,
    ["rill.collide.obbtree"] = function(o) return rill.collide.obbtree(rill.mesh.box(), o) end,
    ["rill.collide.pairs"] = function(o)
        local tree = rill.collide.bvh(rill.mesh.box())
        return rill.collide.pairs(tree, tree, o)
    end,
    ["rill.mesh.new"] = with({positions = three, triangles = {{0, 1, 2}}}, rill.mesh.new),
    ["rill.mesh.torus"] = rill.mesh.torus, ["rill.mesh.box"] = rill.mesh.box, ["rill.mesh.grid"] = rill.mesh.grid,
    ["rill.mesh.load"] = function(o) return rill.mesh.load("/nowhere.obj", o) end,
    ["rill.mesh.marching_cubes"] = function(o) return rill.mesh.marching_cubes(rill.random({4, 4, 4}), 0.5, o) end,
    ["M:octree"] = function(o) return rill.mesh.box():octree(o) end,
    ["M:simplify"] = with({ratio = 1}, function(o) return rill.mesh.box():simplify(o) end),
    ["M:save"] = function(o) return rill.mesh.box():save("/nowhere.obj", o) end,
    ["rill.mesh.envelope"] = function(o) return rill.mesh.envelope(rill.mesh.box(), o) end,
    ["rill.subdivide.loop"] = with({levels = 1}, function(o) return rill.subdivide.loop(rill.mesh.box(), o) end),
    ["rill.ray.scene"] = function(o) return rill.ray.scene(rill.mesh.box(), o) end,
    ["rill.ray.trace"] = function(o) return rill.ray.trace(rill.ray.scene(rill.mesh.box()), o) end,
    ["rill.reuse.run"] = function(o)
        return rill.reuse.run("warp", rill.iota(3), rill.kernel "kernel int f(int i) { return i; }", {}, o)
    end,
    ["rill.reuse.starts"] = function(o) return rill.reuse.starts(rill.stream("ivec3", 1), o) end,
    ["rill.reuse.order"] = function(o) return rill.reuse.order(rill.stream("ivec3", 1), "hoppe", o) end,
    ["rill.reuse.cache"] = function(o) return rill.reuse.cache(rill.stream("ivec3", 1), o) end,
    ["rill.big"] = function(o) return rill.big("/nowhere.npy", o) end,
    ["b:map"] = big(function(b, o) return b:map("x", "/nowhere/a.npy", o) end),
    ["b:filter"] = big(function(b, o) return b:filter("x > 0.0", "/nowhere/a.npy", o) end),
    ["b:scan"] = big(function(b, o) return b:scan("/nowhere/a.npy", o) end),
    ["b:sort"] = big(function(b, o) return b:sort("/nowhere/a.npy", o) end),
    ["b:histogram"] = big(function(b, o) return b:histogram(o) end),
    ["b:top_k"] = big(function(b, o) return b:top_k(1, o) end),
    ["rill.load"] = function(o) return rill.load("/nowhere.npy", nil, o) end,
    ["rill.frame"] = function(o) return rill.frame({x = {1}}, o) end,
    ["frame:join"] = with({on = "x"}, function(o) return small:join(small, o) end),
    ["frame:pivot"] = with({index = "x", columns = "x", values = "x"}, function(o) return small:pivot(o) end),
    ["frame:melt"] = function(o) return small:melt(o) end,
    ["rill.neighbors"] = with({k = 1}, function(o) return rill.neighbors(points, o) end),
    ["rill.signal.window"] = function(o) return rill.signal.window("hann", 4, o) end,
    ["rill.signal.stft"] = function(o) return rill.signal.stft(line, o) end,
    ["rill.signal.istft"] = function(o) return rill.signal.istft(rill.zeros({2, 3}, "vec2"), o) end,
    ["rill.signal.periodogram"] = function(o) return rill.signal.periodogram(line, o) end,
    ["rill.signal.welch"] = function(o) return rill.signal.welch(line, o) end,
    ["rill.signal.find_peaks"] = function(o) return rill.signal.find_peaks(line, o) end,
    ["rill.signal.firwin"] = function(o) return rill.signal.firwin(3, 0.5, o) end,
    ["rill.signal.filtfilt"] = function(o) return rill.signal.filtfilt(1, 1, line, o) end,
    ["rill.signal.detrend"] = function(o) return rill.signal.detrend(line, o) end,
    ["rill.points.normals"] = function(o) return rill.points.normals(points, o) end,
    ["rill.points.voxel"] = function(o) return rill.points.voxel(points, 1, o) end,
    ["rill.points.outliers"] = function(o) return rill.points.outliers(points, o) end,
    ["rill.points.icp"] = function(o) return rill.points.icp(points, points, o) end,
    ["rill.points.evaluate"] = function(o) return rill.points.evaluate(points, points, o) end,
    ["rill.points.segment_plane"] = with({distance = 1}, function(o) return rill.points.segment_plane(points, o) end),
    ["rill.points.dbscan"] = with({radius = 1}, function(o) return rill.points.dbscan(points, o) end),
    ["rill.points.load"] = function(o) return rill.points.load("/missing/a.ply", o) end,
    ["rill.points.save"] = function(o) return rill.points.save("/missing/a.ply", points, o) end,
    ["neighbors:query"] = function(o) return rill.neighbors(points, {k = 1}):query(points, o) end,
    ["rill.lexsort"] = function(o) return rill.lexsort({line}, o) end,
    ["rill.npz.load"] = function(o) return rill.npz.load("/nowhere.npz", o) end,
    ["rill.npz.save"] = function(o) return rill.npz.save("/nowhere/a.npz", {line}, o) end,
    ["rill.sound.save"] = function(o) return rill.sound.save(line, "missing/a.wav", 8000, o) end,
    ["rill.wav.save"] = function(o) return rill.wav.save(line, "missing/a.wav", 8000, o) end,
    ["rill.csv.load"] = function(o) return rill.csv.load("/nowhere.csv", o) end,
    ["rill.csv.save"] = function(o) return rill.csv.save("/nowhere/a.csv", {x = line}, o) end,
    ["rill.image.save"] = function(o) return rill.image.save(gray, "/nowhere/a.png", o) end,
    ["rill.image.resize"] = function(o) return rill.image.resize(gray, {4, 4}, o) end,
    ["rill.image.label"] = function(o) return rill.image.label(gray, o) end,
    ["rill.image.convolve"] = function(o) return rill.image.convolve(gray, {{1}}, o) end,
    ["rill.image.correlate"] = function(o) return rill.image.correlate(gray, {{1}}, o) end,
    ["rill.show"] = function(o) return rill.show(gray, o) end,
    ["a:frame"] = function(o)
        local path = os.tmpname() .. ".png"
        local a = rill.animate(path)
        local done, message = pcall(a.frame, a, gray, o)
        a:frame(gray):close()
        os.remove(path)
        error(done and "no error" or message, 0)
    end,
    ["rill.plot"] = function(o) return rill.plot(line, o) end,
    ["rill.array"] = function(o) return rill.array("float", 4, o) end,
    ["rill.sparse"] = with({page = 2}, function(o) return rill.sparse("float", 4, o) end),
    ["rill.hashgrid"] = function(o) return rill.hashgrid("float", o) end,
    ["rill.quadtree"] = with({size = 4, page = 2}, function(o) return rill.quadtree("float", o) end),
    ["rill.octree"] = with({size = 4, page = 2}, function(o) return rill.octree("float", o) end),
    ["rill.stack"] = function(o) return rill.stack("float", o) end,
    ["rill.lists"] = function(o) return rill.lists("float", o) end,
    ["rill.physical"] = function(o) return rill.physical("float", 4, o) end,
    ["rill.virtual"] = function(o) return rill.virtual(rill.translator.linear {shape = 4}, line, o) end,
    ["c:map_cpu"] = function(o) return sparse_array():map_cpu(o) end,
    ["c:scan"] = function(o) return sparse_array():scan("add", o) end,
    ["c:sort"] = function(o) return sparse_array():sort(o) end,
    ["c:top_k"] = function(o) return sparse_array():top_k(1, o) end,
    ["c:median"] = function(o) return sparse_array():median(nil, o) end,
    ["c:quantile"] = function(o) return sparse_array():quantile(0.5, o) end,
    ["c:percentile"] = function(o) return sparse_array():percentile(50, o) end,
    ["c:unique"] = function(o) return sparse_array():unique(o) end,
    ["c:histogram"] = function(o) return sparse_array():histogram(o) end,
    ["rill.horn.filter"] = function(o) return rill.horn.filter(line, "x > 0", o) end,
    ["rill.horn.sort_filter"] = function(o) return rill.horn.sort_filter(line, "x > 0", o) end,
    ["rill.horn.search"] = function(o) return rill.horn.search(rill.iota(4), o) end,
    ["rill.horn.gather"] = function(o) return rill.horn.gather(line, rill.iota(4), o) end,
}
local has_live <const> = pcall(require, "rill.live.core")
if has_live then
    local view = rill.live {port = 0, quiet = true}
    calls["rill.live"] = rill.live
    calls["v:image"] = function(o) return view:image("image", gray, o) end
    calls["v:plot"] = function(o) return view:plot("plot", 1, 2, o) end
    calls["v:histogram"] = function(o) return view:histogram("histogram", line, o) end
    calls["v:table"] = function(o) return view:table("table", {}, o) end
    calls["v:slider"] = function(o) return view:slider("slider", o) end
    calls["v:number"] = function(o) return view:number("number", o) end
    calls["v:choice"] = function(o) return view:choice("choice", {"a"}, o) end
    calls["v:toggle"] = function(o) return view:toggle("toggle", o) end
    calls["v:record"] = function(o) return view:record("/missing/a.png", o) end
end

local has_mpi <const> = pcall(require, "rill.mpi.core")
if has_mpi then
    local mpi = require "rill.mpi"
    local d = mpi.stream("float", 4)
    local box, positions = {{0, 0}, {1, 1}}, rill.stream("vec2", 1)
    calls["rill.mpi.stream"] = function(o) return mpi.stream("float", 4, o) end
    calls["rill.mpi.distribute"] = function(o) return mpi.distribute(line, 1, o) end
    calls["rill.mpi.load"] = function(o) return mpi.load("/nowhere.npy", o) end
    calls["rill.mpi.restart"] = function(o) return mpi.restart("/nowhere.state", o) end
    calls["rill.mpi.cg"] = function(o) return mpi.cg(function(x, y) y:write(x) end, d, o) end
    calls["rill.mpi.multigrid"] = function(o) return mpi.multigrid(d, o) end
    calls["D:top_k"] = function(o) return d:top_k(1, o) end
    calls["D:histogram"] = function(o) return d:histogram(o) end
    calls["rill.mpi.particles"] = with({positions = positions, box = box}, mpi.particles)
    calls["rill.mpi.smoke"] = with({shape = {4, 4}}, mpi.smoke)
    calls["rill.mpi.sph"] = with({positions = positions, box = box, radius = 1, sound = 1}, mpi.sph)
    calls["D:sort"] = function(o) return d:sort(o) end
    calls["D:scan"] = function(o) return d:scan(o) end
    local smoke = mpi.smoke {shape = {4, 4}}
    calls["Y:source"] = with({center = {1, 1}, radius = 1}, function(o) return smoke:source(o) end)
end
for name in pairs {sum = 1, prod = 1, min = 1, max = 1, mean = 1, var = 1, std = 1, any = 1, all = 1, count = 1,
    argmin = 1, argmax = 1, norm = 1} do
    calls["s:" .. name] = function(o) return line[name](line, 1, o) end
    calls["c:" .. name] = function(o) local c = dense_array() return c[name](c, 1, o) end
end
for _, name in ipairs {"linear", "fold", "pages", "hash", "lists", "new"} do
    calls["rill.translator." .. name] = rill.translator[name]
end
-- Image filters and solvers of A x = b are added from their tables.
setmetatable(calls, {__index = function(_, name)
    local filter, solver = name:match "^rill%.image%.(%w+)$", name:match "^rill%.solve%.([%w_]+)$"
    return filter and function(o) return rill.image[filter](gray, o) end or solver and system(solver)
end})

-- The documented options of every function: name, then a list.
local function documented()
    local functions = {}
    for _, entry in ipairs(reference.entries()) do
        for _, parameter in ipairs(entry.params or {}) do
            if parameter.options then
                functions[entry.name] = parameter.options
            end
        end
    end
    return functions
end

-- The other options that only some calls of the function have.
local allowed_missing = {
    ["rill.plot"] = {label = true, color = true}, -- of a series
    ["P:picture"] = {low = true, high = true}, ["N:picture"] = {low = true, high = true}, -- in two dimensions
    ["rill.random"] = {shape = true, scale = true, a = true, b = true, n = true, p = true}, -- of other distributions
}

describe("an unknown option", function()
    for name, options in pairs(documented()) do
        it("of " .. name .. " is refused with a list of the options", function()
            if not has_mpi and (name:match "^rill%.mpi%." or name:match "^[DQYZ]:") then
                return pending "there is no MPI here: apt install libopenmpi-dev openmpi-bin, and build again"
            elseif not has_live and (name == "rill.live" or name:match "^v:") then
                return pending "there is no libwebsockets here: apt install libwebsockets-dev, and build again"
            end
            assert.truthy(calls[name], "no call of " .. name .. " in this spec")
            local message = check.raises("unknown option 'zzqxj': expected [%w_, ]+$", calls[name], {zzqxj = 1})
            local listed = {}
            for option in message:match "': expected (.*)$":gmatch "[%w_]+" do
                listed[option] = true
            end
            for _, option in ipairs(options) do
                local missing = (allowed_missing[name] or {})[option.name]
                assert.truthy(listed[option.name] or missing, option.name .. " is not listed: " .. message)
            end
            local wrong = options[1].name .. "_"
            check.raises("unknown option '" .. wrong .. "': expected .*" .. (#wrong > 2 and "; did you mean '" or "$"),
                calls[name], {[wrong] = 1})
        end)
    end

    it("is answered with the option that other libraries call so", function()
        for call, names in pairs {
            [function(o) return line:sort(o) end] = {desc = "descending", dim = "axis", reverse = "descending"},
            [function(o) return line:sum(1, o) end] = {keepdims = "keep", keepdim = "keep"},
            [function(o) return line:unique(o) end] = {return_inverse = "inverse"},
            [function(o) return rill.csv.load("x.csv", o) end] = {sep = "delimiter", usecols = "columns"},
            [function(o) return rill.random(3, o) end] = {dtype = "type", std = "sd", loc = "mean"},
            [function(o)
                o.distribution = "poisson"
                return rill.random(3, o)
            end] = {lam = "mean", random_state = "seed"},
            [function(o)
                o.distribution = "binomial"
                return rill.random(3, o)
            end] = {trials = "n", probs = "p"},
            [system "cg"] = {tol = "tolerance", maxiter = "iterations", M = "preconditioner"},
            [function(o) return rill.array("float", 4, o) end] = {mode = "boundary", interpolation = "filter"},
            [function(o) return rill.image.save(gray, "/nowhere/a.png", o) end] = {cmap = "colormap", vmin = "min"},
        } do
            for wrong, right in pairs(names) do
                check.raises("unknown option '" .. wrong .. "': .*; did you mean '" .. right .. "'%?$", call,
                    {[wrong] = 1})
            end
        end
    end)

    it("may be a key that is not a string", function()
        check.raises("s:sort: unknown option number 1: expected axis, descending, key$", line.sort, line, {true})
        check.raises("rill.cloth: unknown option number 1: expected ", rill.cloth, {1, shape = {2, 2}})
        check.raises("rill.random: unknown option stream<float>%[4%]: expected ", rill.random, 3, {[line] = 1})
    end)

    it("of a launch by name is refused with the parameters and options", function()
        local k = rill.kernel "kernel void scaled(float factor, float x<>, out float r<>) { r = factor * x; }"
        check.raises("scaled: unknown argument or option 'fcator': expected factor, over, part, r, shape, where, x; " ..
            "did you mean 'factor'%?$", k, {fcator = 1, x = line})
        check.raises("scaled: unknown argument or option 'size': .*; did you mean 'shape'%?$", k,
            {factor = 1, x = line, size = 4})
        local total = rill.kernel "reduce void total(float x<>, reduce float r<>) { r += x; }"
        check.raises("total: unknown argument or option 'y': expected r, shape, x$", total, {x = line, y = 1})
        check.raises("kernel:specialize: 'x' is not a constant of 'scaled': expected factor$", k.specialize, k, {x = 1})
        check.raises("'facto' is not a constant of 'scaled': expected factor; did you mean 'factor'%?$",
            k.specialize, k, {facto = 1})
    end)

    it("of a program is refused with the names it has", function()
        local p = rill.program [[
            kernel void first(out float r<>) { r = 1.0; }
            kernel void second(out float r<>) { r = 2.0; }
        ]]
        check.raises("the program has no field 'frist': expected first, second; did you mean 'first'%?$", function()
            return p.frist
        end)
    end)
end)

describe("options", function()
    it("that are lists have no other keys", function()
        local option = require "rill.core.options"
        assert.truthy(option.is_vector({1, 2, 3}, 3) and option.is_list {} and option.is_list {1, "a"})
        assert.falsy(option.is_vector({1, 2, 3, x = 4}, 3) or option.is_list {x = 1} or option.is_list(3))
        assert.falsy(option.is_list(rill.iota(3)) or option.is_list {[2] = 1})
        assert.falsy((option.is_matrix({{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}, y = 1}, 9)))
        check.raises("rill.cloth: option 'wind'", rill.cloth, {shape = {3, 3}, wind = {1, 0, 0, gust = 2}})
    end)

    it("of the field of view have the name 'fov', and the earlier name 'angle'", function()
        local c = rill.cloth {shape = {4, 4}}
        local n = rill.nbody {positions = rill.from({{0, 0, 0}, {1, 0.5, 0.25}}, "vec3")}
        local p = rill.sph {positions = rill.from({{0, 0, 0}, {1, 0.5, 0.25}}, "vec3"), radius = 1, sound = 1}
        for _, object in ipairs(os.getenv "RILL_SUITE_LONG" and {c, n, p} or {n}) do
            local function seen(name, degrees)
                return object:picture({size = {16, 16}, [name] = degrees}):values()
            end
            check.equal(seen("angle", 20), seen("fov", 20))
            assert.are_not.same(seen("fov", 60), seen("fov", 20))
            check.equal(seen("fov", 40), object:picture({size = {16, 16}}):values())
        end
    end)
end)
