-- Clusters of points in the plane: k-means and DBSCAN, both by neighbor searches.
--
--     lua5.4 examples/clusters.lua [points [directory]]        20000 out
--
-- The points form two half moons, a ring, and a blob in its middle, with noise everywhere. k-means (Lloyd 1982) moves
-- each center to the mean of the points that are nearest to it, which cuts the moons and the ring. DBSCAN (Ester et al.
-- 1996) joins points that have at least LEAST neighbors within RADIUS: clusters of any form. Other points are noise.
local rill = require "rill"

local count, directory = ...
count = assert(math.tointeger(tonumber(count or 20000)), "points: expected a whole number")
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local CLUSTERS <const>, LEAST <const>, SIZE <const> = 4, 15, 480 -- SIZE: rows of an image
local RADIUS <const> = 8 / math.sqrt(count) -- about as many neighbors for any number of points

local run = rill.program [=[
    // Moons 0 and 1, ring 2, blob 3; one point in twenty is noise.
    kernel void place(int kind<>, out vec2 p<>) {
        float a = 3.14159265 * random();
        vec2 spread = 0.07 * vec2(random_normal(), random_normal()), arc = vec2(cos(a), sin(a));
        vec2 middle = vec2(3.6, 0.3);
        p = kind == 0 ? arc : kind == 1 ? vec2(1.0, 0.5) - arc : kind == 3 ? middle + 2.5 * spread
            : middle + (random() < 0.5 ? arc : -arc);
        p = random() < 0.05 ? vec2(-1.5, -1.2) + vec2(6.5, 3.0) * random2() : p + (kind == 3 ? vec2(0.0) : spread);
    }
    kernel void draw(vec2 p<>, int label<>, inout int image[][]) {
        int size = sizeof_stream(image).y;
        ivec2 at = ivec2((p - vec2(-1.5, -1.2)) * float(size) / 3.0);
        atomicMax(image[size - 1 - at.y][at.x], label + 2);
    }
    kernel void paint(int label<>, out vec3 color<>) {
        vec3 hue = 0.5 + 0.5 * cos(2.399963 * float(label) + vec3(0.0, 2.1, 4.2));
        color = label == 0 ? vec3(1.0) : label == 1 ? vec3(0.75) : 0.85 * hue;
    }
]=]

local function k_means(p)
    local centers = p:domain(1, CLUSTERS):copy()
    local labels
    for _ = 1, 30 do
        labels = rill.neighbors(centers, {k = 1, queries = p}).indices:reshape(p.size)
        local sizes = rill.bincount(labels, {minlength = CLUSTERS})
        centers = (rill.scatter(rill.zeros(CLUSTERS, "vec2"), labels, p, "add") / rill.max(sizes, 1)):eval()
    end
    return labels
end

local function picture(p, labels)
    local image = rill.stream("int", {SIZE, SIZE * 13 // 6 + 1})
    run.draw(p, labels, image)
    return run.paint(image)
end

rill.seed(4)
local p, start = run.place(rill.iota(count) % 4), rill.clock()
local means = k_means(p)
local middle = rill.clock()
local labels, clusters = rill.points.dbscan(p, {radius = RADIUS, minimum = LEAST})
local noise = labels:eq(-1):count()
print(("  k-means: %d clusters in %.2f s"):format(CLUSTERS, middle - start))
print(("  DBSCAN: %d clusters and %d points of noise in %.2f s"):format(clusters, noise,
    rill.clock() - middle))
rill.image.save(rill.concat {picture(p, means), picture(p, labels)}, directory .. "/clusters.png")
print(("  %s/clusters.png: k-means above, DBSCAN below"):format(directory))
