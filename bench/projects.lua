-- The functions of docs/guide_projects.md with large sizes, against the same programs in numpy, scipy and pandas, the network also against PyTorch, and
-- signed distances against Embree, whose distances have no sign. The least times of several rounds count. RILL_PROJECTS="flow offset" runs only these.
local rill = require "rill"
local pipe = require "bench.support.pipe"
local support = require "bench.support"
local cores <const> = require "bench.support.contest".cores

-- Runs the page without writing its images, and returns its functions.
local function page()
    local file <close> = assert(io.open(support.folder .. "/../docs/guide_projects.md"))
    local code = {}
    for block in file:read "a":gmatch "\n```lua\n(.-)\n```" do code[#code + 1] = block end
    code[#code + 1] = [[return {fluid = fluid, flow = flow, gray_scott = gray_scott, layer = layer, images = images, train = train, ising = ising,
        spectrogram = spectrogram, analyze = analyze, trips = trips, zones = zones, offset = offset, pagerank = pagerank,
        distances = distances, csr = csr, signed_distances = signed_distances}]]
    local image <const> = setmetatable({save = function() end}, {__index = rill.image})
    local module <const> = setmetatable({image = image}, {__index = rill})
    local environment <const> = {require = function() return module end, print = function() end}
    return load(table.concat(code, "\n"), "guide_projects.md", "t", setmetatable(environment, {__index = _G}))()
end

local make = {} -- by name: a function that gives data to the peer, and returns the case of pipe.rows without the name

function make.flow(p, peer)
    local x, y = rill.meshgrid(rill.iota(512), rill.iota(256))
    local inside <const> = ((x - 100) ^ 2 + (y - 128) ^ 2):lt(400)
    local kind <const> = rill.where(inside, 1, rill.where(x:eq(0), 2, 0)):eval():cast "int"
    local u <const> = rill.vec2(0.1, 0.01 * rill.sin(y / 10)):eval()
    peer:give("kind", kind)
    peer:give("u", u:as "float")
    return "lattice Boltzmann 256x512, 100 steps", function()
        return p.fluid.velocity(p.flow(p.fluid.start(u), kind, 100, 0.01, {0.1, 0})):as "float"
    end, 1e-4
end

function make.patterns(p, peer)
    local s <const> = rill.stream("vec2", {512, 512}, {1, 0})
    s:domain({200, 200}, {300, 300}):fill {0.5, 0.25}
    peer:give("s", s:as "float")
    return "Gray-Scott 512x512, 100 steps", function()
        return p.gray_scott(s:copy(), 100, 0.0367, 0.0649):as "float"
    end, 1e-4
end

function make.knn(_, peer)
    local points <const> = rill.random({200000, 3}, {seed = 1})
    peer:give("points", points)
    return "8 nearest of 200,000 points", function() return rill.neighbors(points, {k = 8}).distances end, 1e-6
end

function make.icp(_, peer)
    local model <const> = rill.mesh.torus {segments = {250, 200}}.positions
    local noise <const> = rill.random(#model, {type = "vec3", distribution = "normal", sd = 0.002, seed = 1})
    local motion <const> = rill.translation {0.02, -0.01, 0.02} * rill.rotation("x", 0.05)
    local scan <const> = rill.points.transform((model + noise):eval(), motion)
    peer:give("model", model:as "float")
    peer:give("scan", scan:as "float")
    return "ICP of 50,000 points, 20 iterations", function()
        local T <const> = rill.points.icp(scan, model, {iterations = 20, tolerance = 0})
        return rill.from {T[1], T[2], T[3], T[4]}
    end, 1e-5
end

function make.network(p, peer)
    local image <const>, label <const> = p.images(6000, 4)
    local W1, b1 = p.layer(784, 128, 2)
    local W2, b2 = p.layer(128, 10, 3)
    for name, s in pairs {W1 = W1, b1 = b1, W2 = W2, b2 = b2, image = image, label = label} do peer:give(name, s) end
    return "network 784-128-10, 60 steps of 100", function()
        local weights <const> = {W1:copy(), b1:copy(), W2:copy(), b2:copy()}
        p.train(image, label, weights, rill.optimize.adam(weights, {rate = 1e-3}))
        return weights[3]
    end, 1e-2
end

function make.ising(p)
    return "Ising 1024x1024, 50 sweeps", function()
        local black <const>, white <const> = rill.ones({1024, 512}, "int"), rill.ones({1024, 512}, "int")
        p.ising(black, white, 2, 50)
        return (black:mean() + white:mean()) / 2
    end, 0.01
end

function make.spectrogram(p, peer)
    local sound <const> = rill.random(44100 * 600, {low = -1, seed = 1})
    peer:give("sound", sound)
    return "spectrogram of 10 minutes", function() return p.spectrogram(sound, 1024, 256):transpose() end, 1e-3
end

function make.analyze(p, peer)
    local trips <const>, zones <const> = p.trips(2000000), p.zones
    for name, s in pairs(trips) do peer:give(name, s) end
    peer:give("zones", zones.zone)
    peer:give("rates", zones.rate)
    return "analytics of 2,000,000 rows", function() return p.analyze(trips, zones).high:cast "float" end, 1e-6
end

function make.offset(p, peer)
    local scene <const> = rill.image.gaussian(rill.random({2148, 2148}, {seed = 1}), 1)
    local first <const> = scene:domain({1, 21}, {2048, 2068}):copy()
    local second <const> = scene:domain({38, 1}, {2085, 2048}):copy()
    peer:give("first", first)
    peer:give("second", second)
    return "phase correlation 2048x2048", function() return rill.from({p.offset(first, second)}, "int") end
end

local NODES <const>, EDGES <const> = 1000000, 10000000

local function edges(peer)
    local from <const> = rill.random(EDGES, {type = "int", low = 0, high = NODES - 1, seed = 1})
    local to <const> = rill.random(EDGES, {type = "int", low = 0, high = NODES - 1, seed = 2})
    peer:give("from", from)
    peer:give("to", to)
    return from, to
end

function make.pagerank(p, peer)
    local from <const>, to <const> = edges(peer)
    return "PageRank, 10^6 nodes, 10^7 edges", function() return p.pagerank(NODES, from, to, 0.85) end, 1e-4
end

function make.distances(p, peer)
    local from <const>, to <const> = edges(peer)
    local offsets, ends = p.csr(NODES, from, to)
    return "breadth-first search, 10^7 edges", function() return p.distances(offsets, ends, 0) end
end

-- Runs cases against one peer.
local function against(p, list, ...)
    local peer <close>, missing = pipe.python("peer_projects.py", ...)
    if not peer then return {support.note("projects", missing)} end
    local rows = {}
    for _, name in ipairs(list) do
        local title, run, tolerance = make[name](p, peer)
        local case = {title, name, 1.0, run, tolerance = tolerance, rounds = 3, least = true}
        table.move(pipe.rows(peer, peer.what, {case}), 1, 1, #rows + 1, rows)
    end
    return rows
end

-- Signed distances with the construction of the tree, against distances by Embree on one thread, divided by the number of cores.
local function signed(p)
    local embree <close>, missing = pipe.program("peer_embree", "libembree-dev")
    if not embree then return {support.note("signed distances", missing)} end
    local mesh <close> = rill.mesh.torus {radius = 1, tube = 0.3, segments = {256, 160}}
    local axis <const> = rill.linspace(-1.5, 1.5, 128)
    local z, y, x = rill.meshgrid(axis, axis, axis, {indexing = "ij"})
    embree:give("positions", mesh.positions)
    embree:give("triangles", mesh.triangles)
    embree:contender "build"()
    embree:give("origins", rill.vec3(x, y, z):eval():reshape {-1})
    local ours <const>, theirs <const> = rill.abs(p.signed_distances(mesh, 128)):reshape {-1}, embree:result "points"
    assert(rill.abs(ours - theirs):max() < 1e-5, "distances differ")
    local one <const> = embree:contender "points_one"
    local least <const> = support.least(2, function()
        return support.timed(function() p.signed_distances(mesh, 128):close() end, 1)
    end, function() return one() / cores end)
    return {support.faster("signed distances, 81,920 triangles, 128^3", least[1], embree.what, least[2], 1.0)}
end

return function()
    local p <const> = page()
    local wanted <const> = os.getenv "RILL_PROJECTS"
    local function chosen(names)
        local list <const> = {}
        for name in names:gmatch "%a+" do
            list[#list + 1] = (not wanted or wanted:find(name, 1, true)) and name or nil
        end
        return list
    end
    local names <const> = "flow patterns knn icp network ising spectrogram analyze offset pagerank distances"
    local rows <const> = against(p, chosen(names))
    if #chosen "network" > 0 then
        local more <const> = against(p, {"network"}, "torch")
        table.move(more, 1, #more, #rows + 1, rows)
    end
    if #chosen "signed" > 0 then
        local more <const> = signed(p)
        table.move(more, 1, #more, #rows + 1, rows)
    end
    return rows
end
