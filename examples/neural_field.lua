-- A neural field: a small network learns the colors of an image as a function of the position, and then draws it at any resolution.
--
--     lua5.4 examples/neural_field.lua [steps [image.png [directory]]]        400 (a synthetic image) out
--
-- The network has two hidden layers. Its inputs are sines and cosines of random frequencies of the position (Tancik and others 2020), without
-- which it would learn a blurred image. rill.value_and_grad differentiates the loss, and Adam changes the weights.
local rill = require "rill"

local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local matmul, pi = rill.matmul, math.pi
local WAVES <const>, WIDTH <const>, SCALE <const> = 64, 64, 3 -- inputs are 2 * WAVES; SCALE: of the frequencies, in waves per image height

local frequencies = rill.random({2, WAVES}, {distribution = "normal", sd = 2 * pi * SCALE, seed = 1})

--- Returns the inputs of the network for the centers of the pixels of an image, {pixels, 2 WAVES}.
local function features(rows, columns)
    local at = rill.stream("float", {rows * columns, 2}, function(k, d)
        return d == 1 and ((k - 1) // columns + 0.5) / rows or ((k - 1) % columns + 0.5) / rows
    end)
    local phases = matmul(at, frequencies)
    return rill.concat({rill.sin(phases), rill.cos(phases)}, 2)
end

--- Returns the weights and biases of the layers in one list: w1, b1, w2, b2, w3, b3. The weights are random.
local function network()
    local sizes, parameters = {2 * WAVES, WIDTH, WIDTH, 3}, {}
    for k = 1, 3 do
        local sd = math.sqrt(2 / sizes[k])
        local shape = {sizes[k], sizes[k + 1]}
        parameters[#parameters + 1] = rill.random(shape, {distribution = "normal", sd = sd, seed = k})
        parameters[#parameters + 1] = rill.zeros(sizes[k + 1])
    end
    return parameters
end

--- Returns the colors {pixels, 3} that the network computes for inputs.
local function colors(inputs, w1, b1, w2, b2, w3, b3)
    local a = rill.max(matmul(inputs, w1) + b1, 0)
    local b = rill.max(matmul(a, w2) + b2, 0)
    return 1 / (1 + rill.exp(-(matmul(b, w3) + b3)))
end

--- Returns colors as an image.
local function picture(c, rows, columns)
    return c:eval():as("vec3"):reshape {rows, columns}
end

local steps, path, directory = ...
steps, directory = assert(math.tointeger(tonumber(steps or 400)), "steps: expected a whole number"), directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local rows, columns = 84, 112
local balloons = dofile(here .. "support/balloons.lua")
local scene = path and rill.image.load(path, "vec3") or balloons.scene {shape = {384, 512}}
local target = rill.image.resize(scene, {rows, columns}, {filter = "area"})
local inputs, wanted = features(rows, columns), target:as("float"):reshape {rows * columns, 3}

local parameters = network()
local loss = rill.value_and_grad(function(...) return ((colors(inputs, ...) - wanted) ^ 2):mean() end)
local opt = rill.optimize.adam(parameters, {rate = 5e-3})
local progress <close> = rill.progress(steps, "neural field")
local start, value = rill.clock(), nil
for step = 1, steps do
    local results = {loss(table.unpack(parameters))}
    value = results[1]
    opt:set_rate(5e-3 * (1 - 0.9 * step / steps)):step(table.unpack(results, 2))
    progress:step()
end
progress:close()

local error = math.sqrt(value)
local fine = picture(colors(features(4 * rows, 4 * columns), table.unpack(parameters)), 4 * rows, 4 * columns)
local blocks = target:copy():replicate(4, 4)
rill.image.save(rill.concat({blocks, fine}, 2), directory .. "/neural_field.png")
print(("  %d steps in %.1f s: %d weights draw %d x %d pixels with an error of %.4f"):format(steps, rill.clock() - start,
    (2 * WAVES + WIDTH) * WIDTH + 3 * WIDTH + 2 * WIDTH + 3, rows, columns, error))
print(("  %s/neural_field.png: the image, and the network at four times its resolution"):format(directory))
