-- Training in the browser: prints an address; open it, and watch how a small network learns an image. The learning rate is a slider.
--
--     lua5.4 examples/live_training.lua [steps [port]]        until it is stopped, 8377
--
-- The network is that of neural_field.lua: its inputs are sines and cosines of random frequencies of the position. rill.value_and_grad differentiates
-- the loss, and Adam changes the weights.
local rill = require "rill"
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or ""
local balloons = dofile(here .. "support/balloons.lua")

local steps, port = ...
steps = tonumber(steps or math.huge)

local ROWS <const>, COLUMNS <const>, WAVES <const>, WIDTH <const> = 60, 80, 48, 48
local target = rill.image.resize(balloons.scene {shape = {240, 320}}, {ROWS, COLUMNS}, {filter = "area"})
local wanted = target:as("float"):reshape {ROWS * COLUMNS, 3}

local at = rill.stream("float", {ROWS * COLUMNS, 2}, function(k, d)
    return (d == 1 and (k - 1) // COLUMNS + 0.5 or (k - 1) % COLUMNS + 0.5) / ROWS
end)
local phases = rill.matmul(at, rill.random({2, WAVES}, {distribution = "normal", sd = 18, seed = 1}))
local inputs = rill.concat({rill.sin(phases), rill.cos(phases)}, 2)

local function layer(from, to, seed)
    return rill.random({from, to}, {distribution = "normal", sd = math.sqrt(2 / from), seed = seed}), rill.zeros(to)
end

local function network()
    local w1, b1 = layer(2 * WAVES, WIDTH, 1)
    local w2, b2 = layer(WIDTH, 3, 2)
    return {w1, b1, w2, b2}
end

local function colors(w1, b1, w2, b2)
    local hidden = rill.max(rill.matmul(inputs, w1) + b1, 0)
    return 1 / (1 + rill.exp(-(rill.matmul(hidden, w2) + b2)))
end
local loss = rill.value_and_grad(function(...) return ((colors(...) - wanted) ^ 2):mean() end)

local view <close> = rill.live {title = "Training", port = port and math.tointeger(tonumber(port))}
local rate = view:slider("decimal logarithm of the rate", {min = -4, max = -1, value = -2})
local again = view:button "start again"

local parameters, optimizer, value
local function start()
    parameters = network()
    optimizer = rill.optimize.adam(parameters, {rate = 10 ^ rate.value})
end
start()
view:image("target", target)
while view:running() and view.frame <= steps do
    if again.changed then start() end
    local results = {loss(table.unpack(parameters))}
    value = results[1]
    optimizer:set_rate(10 ^ rate.value):step(table.unpack(results, 2))

    view:plot("loss", view.frame, {loss = value}, {xlabel = "step", log = "y"})
    view:plot("signal to noise", view.frame, {dB = -10 * math.log(value, 10)}, {xlabel = "step"})
    if view.frame % 5 == 1 then
        view:image("network", colors(table.unpack(parameters)):eval():as("vec3"):reshape {ROWS, COLUMNS})
        view:histogram("weights", parameters[1], {bins = 40, min = -1, max = 1})
    end
end
print(("  %d steps: a loss of %.5f"):format(view.frame - 1, value))
