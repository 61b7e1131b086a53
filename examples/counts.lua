-- Poisson regression: how the number of bicycles on a bridge in each hour depends on hour, temperature and rain, from a CSV file.
--
--     lua5.4 examples/counts.lua [counts.csv [directory]]        (synthetic counts) out
--
-- The logarithm of the expected count is linear in the features. Newton's method minimizes the negative log-likelihood. Each step solves H d = g
-- by conjugate gradients, where H v is a product of the Hessian by rill.hvp, so the Hessian itself is never computed. The standard errors of the
-- weights follow from columns of its inverse, in the same way. The file needs the columns hour, temperature, rain and count.
local rill = require "rill"

local HARMONICS <const> = 6 -- daily waves: sines and cosines of 1 to 6 periods per day

-- Writes a file of synthetic counts for 150 days.
local function synthesize(path)
    local n <const> = 150 * 24
    local hour = rill.iota(n) % 24
    local day = (rill.iota(n) // 24):cast "float"
    local warmth = rill.random(n, {distribution = "normal", sd = 2, seed = 1})
    local temperature = 12 + 9 * rill.sin(day / 58) + 4 * rill.sin((hour - 9) * (math.pi / 12)) + warmth
    local rain = rill.max(rill.random(n, {distribution = "normal", mean = -1.6, sd = 1.4, seed = 2}), 0)
    local rush = rill.exp(-((hour - 8) / 1.6) ^ 2) + 0.8 * rill.exp(-((hour - 17.5) / 2.2) ^ 2)
    local mean = rill.exp(2.2 + 2.1 * rush + 0.06 * temperature - 0.45 * rain - 1.5 * rill.exp(-((hour - 3) / 3) ^ 2))
    local count = rill.random({n}, {distribution = "poisson", mean = mean:eval(), seed = 3})
    rill.csv.save(path, {names = {"hour", "temperature", "rain", "count"}, hour = hour:eval(),
        temperature = temperature:eval(), rain = rain, count = count})
end

--- Returns the features {rows, weights} of a table, and their names. Temperature and rain are standardized.
local function features(t)
    local list, names = {rill.ones(t.hour.size, "double")}, {"constant"}
    local function add(name, s) list[#list + 1], names[#names + 1] = s:eval(), name end
    for _, name in ipairs {"temperature", "rain"} do
        add(name, (t[name] - t[name]:mean()) / t[name]:std())
    end
    for k = 1, HARMONICS do
        local angle = t.hour * (k * math.pi / 12)
        add("sine " .. k, rill.sin(angle))
        add("cosine " .. k, rill.cos(angle))
    end
    return rill.stack(list, 2), names
end

local path, directory = ...
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))
if not path then
    path = directory .. "/counts.csv"
    synthesize(path)
end

local t = rill.csv.load(path)
local x, names = features(t)
local weights <const> = #names
local start = rill.clock()

-- The negative log-likelihood per row, without the term that depends on the counts only.
local function loss(w)
    local z = rill.matmul(x, w)
    return (rill.exp(z) - t.count * z):mean()
end

local w = rill.zeros(weights, "double")
w:set(math.log(t.count:mean()), 1)
local function hessian(v, product) product:write(rill.hvp(loss, w, v)) end

local gradient, steps, products = rill.grad(loss), 0, 0
repeat
    local g = gradient(w)
    local d, report = rill.solve.cg(hessian, g, {tolerance = 1e-6})
    w:write(w - d)
    steps, products = steps + 1, products + report.iterations
until d:norm() < 1e-8 or steps == 30
assert(steps < 30, "Newton's method did not converge")

print(("  %d rows, %d weights: %d Newton steps with %d products of the Hessian in %.2f s"):format(x.shape[1], weights,
    steps, products, rill.clock() - start))
for i = 1, weights do
    local unit = rill.zeros(weights, "double")
    unit:set(1, i)
    local column = rill.solve.cg(hessian, unit, {tolerance = 1e-6})
    print(("  %-12s %7.3f +- %.3f"):format(names[i], w:get(i), math.sqrt(column:get(i) / x.shape[1])))
end

-- The chart: mean counts of each hour, in the file and by the model.
local hour = t.hour:cast "int"
local rows = rill.scatter(rill.zeros(24, "double"), hour, 1, "add")
local function by_hour(s) return (rill.scatter(rill.zeros(24, "double"), hour, s, "add") / rows):eval() end
local at = rill.arange(24):cast "double"
rill.plot {
    {at, by_hour(t.count), label = "counted", kind = "scatter"},
    {at, by_hour(rill.exp(rill.matmul(x, w)):eval()), label = "expected"},
    title = "Bicycles per hour", xlabel = "hour of the day", path = directory .. "/counts.png",
}
print(("  %s/counts.png: mean counts of each hour of the day, in the file and by the model"):format(directory))
