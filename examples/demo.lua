-- Runs most examples one after the other, without a display, and prints the time of each.
--
--     lua5.4 examples/demo.lua [directory]        out
local rill = require "rill"

local directory = ... or "out"
local folder = arg[0]:match("^(.*)/[^/]*$") or "."

local examples = {
    {"tour", "streams, kernels, reductions and views in sixty lines", directory},
    {"mandelbrot", "the Mandelbrot set, coloured by escape time", 512, directory},
    {"life", "Conway's game of life on a torus", 1000, directory},
    {"photo", "image filters (with an image of yours: examples/photo.lua PHOTO)", nil, directory},
    {"spectrum", "the spectrum of an image, and the removal of stripes from it", nil, directory},
    {"segment", "image segmentation by region growing, with noise", 384, directory},
    {"poisson", "the potential around electrodes, by multigrid and conjugate gradients", 512, directory},
    {"regulafalsi", "root finding for many parameters, with active lists", 512, directory},
    {"walk", "random walks of 10,000 walkers: charts here and in files, and an animation", 400, directory},
    {"translator", "memory orders of a square: row by row, boustrophedon, pages and Morton order", 16, directory},
    {"shadow", "an adaptive shadow map of 131,072 x 131,072 texels, of which only visible pages exist", 512, directory},
    {"paint3d", "a mesh painted with brushes, in an octree of 2048 x 2048 x 2048 texels", 512, directory},
    {"dam", "a dam break over a pillar, as particles and as a surface", 8, directory},
    {"insides", "volume rendering of a head and of smoke", 48, 90, directory},
    {"collide", "collision detection between two meshes", "-", 12, directory},
    {"subdivide", "adaptive subdivision of a mesh", "-", 6, directory},
    {"marching", "marching cubes: the surface of a head from a volume", 60, directory},
    {"reuse", "vertex reuse: how often a vertex kernel runs for each vertex of a mesh", "-", directory},
    {"envelopes", "an inner and an outer envelope of a mesh", "-", 2, directory},
    {"agents", "a random walk of agents, which share the likelihoods of their moves", 100000, 4, 256, directory},
    {"raytrace", "ray tracing: a figure, and a room with glass and a mirror", 256, 32, directory, 8},
    {"turntable", "an animation of a mesh on a turntable (with a mesh of yours: examples/turntable.lua FILE)", "-", 24,
        directory},
    {"heat_ranks", "heat flow in a plate that is divided among processes (with mpirun -n 4)", 256, 2000, directory},
    {"smoke", "smoke from a vent meets a moving ball, 256 x 256 cells, 200 steps", 256, 200, directory},
}

print(("rill %s on %s"):format(rill._VERSION, rill.device().name))
local start = rill.clock()
for _, example in ipairs(examples) do
    local name, text = table.unpack(example, 1, 2)
    print(("\n%s: %s"):format(name, text))
    local begin = rill.clock()
    assert(loadfile(("%s/%s.lua"):format(folder, name)))(table.unpack(example, 3, 6))
    rill.sync()
    print(("  took %.1f s"):format(rill.clock() - begin))
end
print(("\nThe images are in %s/. All examples took %.1f s."):format(directory, rill.clock() - start))
