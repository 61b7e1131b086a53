-- Random walks of 10,000 walkers, drawn as charts in the terminal and in files, and as an animation.
--
--     lua5.4 examples/walk.lua [steps] [directory]        400 out
local rill = require "rill"

local steps, directory = ...
steps, directory = assert(math.tointeger(tonumber(steps or 400)), "steps: expected a whole number"), directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local WALKERS, FRAMES = 10000, 25

-- A walk is the running sum of its steps: row w of `walks` has the positions of walker w.
local walks = rill.random({WALKERS, steps}, {distribution = "normal", seed = 4}):scan("add", {axis = 2})
local last = walks:transpose():copy()[steps]
local spread = walks:std(1)

print(rill.plot {
    {walks[1], label = "a walk"}, {walks[2], label = "another"}, {spread, label = "deviation of all"},
    title = "Random walks", xlabel = "steps", ylabel = "place", text = true, -- returned, to be printed
})
print(("  after %d steps the deviation is %.2f, the square root of the steps is %.2f"):format(
    steps, spread[steps], math.sqrt(steps)))

local lines = {title = "Random walks", xlabel = "steps", ylabel = "place", path = directory .. "/walk.png"}
for w = 1, 6 do
    lines[w] = {walks[w], label = "walker " .. w}
end
rill.plot(lines)
rill.plot {
    {last, kind = "histogram", label = "walkers"}, title = ("Positions after %d steps"):format(steps),
    xlabel = "place", path = directory .. "/walk-ends.svg",
}

-- A second walk is the other coordinate of the plane. The animation shows the number of walkers per cell.
local others = rill.random({WALKERS, steps}, {distribution = "normal", seed = 5}):scan("add", {axis = 2})
do
    local across, reach = 120, 2.5 * math.sqrt(steps)
    local a <close> = rill.animate(directory .. "/walk-spread.png", 12)
    for k = 1, FRAMES do
        local now = k * steps // FRAMES
        local x, y = walks:domain({1, now}, {WALKERS, now}), others:domain({1, now}, {WALKERS, now})
        local counts = rill.vec2(x, y):eval():histogram {bins = across, min = -reach, max = reach}
        a:frame((counts:cast "float"):map "sqrt(x)", {max = 5, colormap = "magma"})
    end
end
print(("  %s/walk.png, %s/walk-ends.svg; animation: %s/walk-spread.png"):format(directory, directory, directory))
