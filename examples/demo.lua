-- The examples in turn, without a display, with the time each took.
--
--     lua5.4 examples/demo.lua [directory]        out
local rill = require "rill"

local directory = ... or "out"
local folder = arg[0]:match("^(.*)/[^/]*$") or "."

local examples = {
    {"tour", "streams, kernels, reductions and views in sixty lines", directory},
    {"mandelbrot", "the Mandelbrot set, coloured by how fast points escape", 512, directory},
    {"life", "Conway's game of life on a torus", 1000, directory},
    {"photo", "a darkroom: filters on a picture (give one of yours: examples/photo.lua PHOTO)", nil, directory},
    {"spectrum", "a picture's spectrum, and stripes that are put out there", nil, directory},
    {"segment", "regions that grow from seeds to the edges of what is there, through noise", 384, directory},
    {"poisson", "the potential around electrodes, by multigrid and conjugate gradients", 512, directory},
    {"regulafalsi", "one equation for many parameters, from which cells leave when they are done", 512, directory},
    {"walk", "random walks of 10,000 walkers: charts here and in files, and an animation", 400, directory},
    {"translator", "a square in memory, row by row, as the ox ploughs, by pages, and in Morton order", 16, directory},
    {"shadow", "a shadow map of 131,072 x 131,072 texels, of which those pages exist that are seen", 512, directory},
    {"paint3d", "a mesh painted with brushes, in an octree of 2048 x 2048 x 2048 texels", 512, directory},
    {"dam", "a column of water falls over a pillar, as particles and as its surface", 8, directory},
    {"insides", "a head and a plume of smoke, seen through", 48, 90, directory},
    {"collide", "two meshes that run into each other: the triangles that meet, in red", "-", 12, directory},
    {"subdivide", "a mesh made smooth where it is bent", "-", 6, directory},
    {"marching", "the surface of a head, out of a volume", 60, directory},
    {"turntable", "a mesh on a turntable, as an animation (or yours: examples/turntable.lua FILE)", "-", 24,
        directory},
    {"smoke", "smoke from a vent meets a moving ball, 256 x 256 cells, 200 steps", 256, 200, directory},
}

print(("rill %s on %s"):format(rill._VERSION, rill.device().name))
local start = rill.clock()
for _, example in ipairs(examples) do
    local name, text = table.unpack(example, 1, 2)
    print(("\n%s: %s"):format(name, text))
    local begin = rill.clock()
    assert(loadfile(("%s/%s.lua"):format(folder, name)))(table.unpack(example, 3, 5))
    rill.sync()
    print(("  took %.1f s"):format(rill.clock() - begin))
end
print(("\nThe pictures are in %s/. All of it took %.1f s."):format(directory, rill.clock() - start))
