-- Draws a stream of numbers as one line of characters, by means of equal parts that are computed on the device.
local template = require "rill.glsl.template"

local CHUNK = 1024 -- elements that one invocation adds up
local BLOCKS = { "\u{2581}", "\u{2582}", "\u{2583}", "\u{2584}", "\u{2585}", "\u{2586}", "\u{2587}", "\u{2588}" }

-- Computes the sum and the number of the finite elements of chunk k. The first n % chunks chunks have one element more
-- than the others.
local ADD <const> = template.new [=[
kernel void add(float s[], int n, int chunks, out float sum<>, out float count<>) {
    ivec4 at = indexof(sum);
    int k = at.y * sizeof_stream(sum).x + at.x;
    int most = n / chunks, rest = n % chunks;
    int from = k * most + min(k, rest), to = from + most + (k < rest ? 1 : 0);
    for (int i = from; i < to; i++) {
        float v = s[i];
        if (abs(v) <= 3.4028235e38) { // finite: the largest float
            sum += v;
            count += 1.0;
        }
    }
}
]=]

local sparkline = {}

--- sparkline.means(s, columns) returns a table of the means of `columns` parts of a stream of one dimension; NaN if a
-- part has no finite element.
function sparkline.means(s, columns)
    local parts = math.max(math.ceil(s.size / (columns * CHUNK)), 1)
    local sums, counts = ADD:kernel() { s = s, n = s.size, chunks = columns * parts, shape = { columns, parts } }
    if parts > 1 then
        sums, counts = sums:sum(2), counts:sum(2)
    end
    local means, found = sums:values(), counts:values()
    for i, count in ipairs(found) do
        means[i] = means[i] / count -- 0 / 0 where there is none
    end
    return means
end

local function range(means)
    local low, high = math.huge, -math.huge
    for _, v in ipairs(means) do
        if v == v then
            low, high = math.min(low, v), math.max(high, v)
        end
    end
    return low, high
end

--- sparkline.draw(means, ramp [, low, high]) returns the line. `ramp`: characters of rising height or brightness; low
-- and high: the numbers of the first and the last character. Default: the least and the largest mean.
function sparkline.draw(means, ramp, low, high)
    local least, most = range(means)
    low, high = low or least, high or most
    local line = {}
    for i, v in ipairs(means) do
        local share = high > low and (v - low) / (high - low) or 0.5
        local level = v == v and math.min(math.max(math.floor(share * #ramp), 0), #ramp - 1)
        line[i] = level and ramp[level + 1] or " "
    end
    return table.concat(line)
end

sparkline.blocks = BLOCKS

return sparkline
