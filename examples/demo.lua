-- Runs examples one after the other, without a display, and writes a page that shows their images next to their programs.
--
--     lua5.4 examples/demo.lua [directory [all]]        out
--
-- Without `all`, it runs those with the most striking images, at small sizes: about a minute on two cores, most of which compiles kernels.
local rill = require "rill"

local directory, all = ...
directory = directory or "out"
local folder = arg[0]:match "^(.*)/[^/]*$" or "."

local first = {
    {"smoke", "smoke from a vent meets a moving ball", 128, 160, directory},
    {"raytrace", "ray tracing: a figure, and a room with glass and a mirror", 256, 32, directory, 8},
    {"mandelbrot", "the Mandelbrot set, colored by escape time", 512, directory},
    {"dam", "a dam break over a pillar, as particles and as a surface", 8, directory},
    {"insides", "volume rendering of a head and of smoke", 32, 75, directory},
    {"turntable", "an animation of a mesh on a turntable (with a mesh of yours: examples/turntable.lua FILE)", "-", 24,
        directory},
    {"marching", "marching cubes: the surface of a head from a volume", 60, directory},
    {"photo", "image filters (with an image of yours: examples/photo.lua PHOTO)", nil, directory},
    {"poisson", "the potential around electrodes, by multigrid and conjugate gradients", 512, directory},
    {"life", "Conway's game of life on a torus", 1000, directory},
    {"walk", "random walks of 10,000 walkers: charts here and in files, and an animation", 400, directory},
}

local more = {
    {"path_tracer", "a path tracer of one page: a room with balls of plaster, metal and glass", 384, 64, directory},
    {"dla", "diffusion-limited aggregation: particles walk until they touch an aggregate", 5000, 1, directory},
    {"plate", "the conductivity of a plate from temperatures, by gradients of a simulation", 48, 20, directory},
    {"neural_field", "a small network that learns an image, and draws it at a higher resolution", 400, nil, directory},
    {"splats", "Gaussian splats that are fitted to an image", 600, 200, nil, directory},
    {"seismic", "the velocity of waves in the ground, from the waves that receivers record", 10, directory},
    {"basket", "a cloth that is thrown into a basket: gradients of a simulation with contacts", 40, directory},
    {"bridge", "topology optimization: gradients of a linear solver", 32, 40, directory},
    {"counts", "Poisson regression of counts in a CSV file, by Newton's method", nil, directory},
    {"letter", "smoke that forms a letter, by gradients of a simulation", 20, directory},
    {"ising", "the Ising model below, at and above its critical temperature", 256, 400, directory},
    {"tour", "streams, kernels, reductions and views in sixty lines", directory},
    {"paint3d", "a mesh painted with brushes, in an octree of 2048 x 2048 x 2048 texels", 512, directory},
    {"shadow", "an adaptive shadow map of 131,072 x 131,072 texels, of which only visible pages exist", 512, directory},
    {"envelopes", "an inner and an outer envelope of a mesh", "-", 2, directory},
    {"agents", "a random walk of agents, which share the likelihoods of their moves", 100000, 4, 256, directory},
    {"reuse", "vertex reuse: how often a vertex kernel runs for each vertex of a mesh", "-", directory},
    {"subdivide", "adaptive subdivision of a mesh", "-", 6, directory},
    {"collide", "collision detection between two meshes", "-", 12, directory},
    {"segment", "image segmentation by region growing, with noise", 384, directory},
    {"spectrum", "the spectrum of an image, and the removal of stripes from it", nil, directory},
    {"heat_ranks", "heat flow in a plate that is divided among processes (with mpirun -n 4)", 256, 2000, directory},
    {"fluid_ranks", "a cavity, a dam break and a plate, divided among processes (mpirun -n 4)", 64, 100, directory},
    {"regulafalsi", "root finding for many parameters, with active lists", 512, directory},
    {"translator", "memory orders of a square: row by row, boustrophedon, pages and Morton order", 16, directory},
}

-- Runs an example. Returns the lines that it prints, and its time in seconds.
local function run(name, ...)
    local lines, begin = {}, rill.clock()
    local function say(...)
        local words = table.pack(...)
        for i = 1, words.n do words[i] = tostring(words[i]) end
        lines[#lines + 1] = table.concat(words, "\t")
        print(lines[#lines])
    end
    local world = setmetatable({print = say}, {__index = _G})
    assert(loadfile(("%s/%s.lua"):format(folder, name), "t", world))(...)
    rill.sync()
    return lines, rill.clock() - begin
end

-- ---- the page

local function escape(text)
    return (text:gsub("[&<>\"]", {["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;"}))
end

local function read(path)
    local file <close> = assert(io.open(path, "rb"))
    return file:read "a"
end

-- Returns the HTML of the images that an example names in its output.
local function images(lines)
    local parts = {}
    for _, line in ipairs(lines) do
        for path in line:gmatch "[^%s:;,()]+%.%l+g" do
            local name = path:sub(1, #directory) == directory and path:match "/([^/*]+)$"
            parts[#parts + 1] = name and ([[<figure><img src="%s" alt=""><figcaption>%s</figcaption></figure>]]):format(
                escape(name), escape(name))
        end
    end
    return table.concat(parts, "\n")
end

local function section(example, lines, seconds)
    local name, text = table.unpack(example)
    return ([[
<section id="$name"><h2>$name</h2><p>$text</p>
<div>$images</div>
<details><summary>Its output, in $seconds s</summary><pre>$output</pre></details>
<details><summary>The program, examples/$name.lua</summary><pre>$program</pre></details>
</section>
]]):gsub("%$(%l+)", {name = name, text = escape(text), images = images(lines), seconds = ("%.1f"):format(seconds),
        output = escape(table.concat(lines, "\n")), program = escape(read(("%s/%s.lua"):format(folder, name)))})
end

local HEAD <const> = [[
<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Examples of rill</title>
<style>
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff }
section { margin: 2rem 0; border-top: 1px solid #ccc } h2 { margin: .8rem 0 0 } p { margin: .2rem 0 .8rem }
div { display: flex; flex-wrap: wrap; gap: 1rem } figure { margin: 0; max-width: 100%% } img { max-width: 100%%; height: auto }
figcaption, summary { font-size: 85%%; color: #555 } pre { overflow-x: auto; padding: .8rem; background: #f4f4f4; font-size: 13px; line-height: 1.35 }
</style>
<h1>Examples of rill</h1>
<p>%d programs, which ran in %.0f seconds on %s.</p>
]]

local examples = table.move(all == "all" and more or {}, 1, #more, #first + 1, table.move(first, 1, #first, 1, {}))
print(("rill %s on %s"):format(rill._VERSION, rill.device().name))
local start, sections = rill.clock(), {}
for _, example in ipairs(examples) do
    local name, text = table.unpack(example, 1, 2)
    print(("\n%s: %s"):format(name, text))
    local lines, seconds = run(name, table.unpack(example, 3, 6))
    print(("  took %.1f s"):format(seconds))
    sections[#sections + 1] = section(example, lines, seconds)
end
local total, page = rill.clock() - start, directory .. "/index.html"
local file <close> = assert(io.open(page, "wb"))
file:write(HEAD:format(#examples, total, escape(rill.device().name)), table.concat(sections), "</html>\n")
print(("\n%d examples took %.1f s. Open %s: it shows their images and programs."):format(#examples, total, page))
if #examples == #first then
    print(("`make demo ALL=1` runs %d more examples."):format(#more))
end
