-- Suggestions of errors for an unknown name: the equivalent of a name of another library, the same name elsewhere in rill, else the nearest name; never a method that discards something.
local rill = require "rill"
local suggest = require "rill.core.suggest"
local reference = require "rill.shell.reference"
local synonyms = require "rill.core.synonyms"

local function suggested(owner, key)
    return suggest.hint(owner, key):match "^; did you mean (.*)%?$"
end

-- The names there are, with and without their owners: "rill.sqrt", "s:copy".
local names = {}
for _, entry in ipairs(reference.entries()) do
    names[(entry.name:gsub(":", "."))] = true
end
for part in pairs(suggest.parts()) do
    names["rill." .. part] = true
end

describe("a suggestion", function()
    it("is the equivalent of a name in numpy, Torch or CUDA", function()
        for owner, expected in pairs {
            s = {
                clone = "s:copy()", T = "s:transpose()", view = "s:reshape(shape)", astype = "s:cast(type)",
                item = "s:get(1)", numpy = "s:read()", zeros_like = "s:like()", clip = "rill.clamp(s, low, high)",
                abs = "rill.abs(s)", round = "rill.round(s)", sqrt = "rill.sqrt(s)", prefix_sum = "s:scan()",
                print = "print(s)", table = "s:values()", concat = "rill.concat {s, t}",
                length = "s.size", dtype = "s.type", numel = "s.size", matmul = "rill.matmul(s, b, options)",
                gaussian = "rill.image.gaussian(s, sigma)", bitwise_xor = "s ~ t",
                normal = 'rill.random(s.shape, {distribution = "normal"})',
                groupby = "rill.reduce_by_key(rill.sort_by_key(keys, s))", argsort = "rill.argsort(s)",
                topk = "s:top_k(k)",
                real = "s.x", imag = "s.y", conj = "rill.conj(s)", describe = "s:stats()",
            },
            c = {sqrt = "rill.sqrt(c)", clone = "c:copy()", reshape = "c:stream():reshape"},
            k = {launch = "k(...)", ptx = "k:source()", bind = "k:specialize(constants)"},
            A = {T = "A:transpose()", todense = "A:dense()"},
            M = {render = "rill.render(M)", bvh = "rill.collide.bvh(M)"},
            P = {step_ = "P:step"},
            ["rill.image"] = {
                write = "rill.image.save", read = "rill.image.load", blur = "rill.image.gaussian",
                gaussian_filter = "rill.image.gaussian", rgb2gray = 'rill.image.convert(s, "srgb", "gray")',
                regionprops = "rill.image.regions",
            },
            ["rill.csv"] = {read = "rill.csv.load", write = "rill.csv.save"},
            ["rill.mpi"] = {bcast = "rill.mpi.broadcast"},
            ["rill.mesh"] = {save = "M:save(path)", read = "rill.mesh.load"},
            ["rill.sparse"] = {save = "A:save(path)"},
            rill = {
                save = "s:save", sort = "s:sort", tensor = "rill.from",
                malloc = "rill.stream", cudaMalloc = "rill.stream", transpose = "s:transpose", Mesh = "rill.mesh.new",
                explain = "k:explain", gaussian = "rill.image.gaussian", threadIdx = "localid() in a kernel", -- as docs/guide_from_cuda.md has it
                nanmedian = "s:nanquantile(0.5)", groupby = "rill.reduce_by_key(rill.sort_by_key(keys, s))",
                tid = "indexof(r).x in a kernel",
                new = "rill.from", version = "rill._VERSION", inf = "math.huge", rank = "#s.shape",
            },
        } do
            for key, text in pairs(expected) do
                assert.equal(text, suggested(owner, key), owner .. "." .. key)
            end
        end
    end)

    it("computes what the other name does", function()
        local s <close> = rill.from {-7, 0 / 0, 5, 2.5}
        local function value(name)
            return load("local rill, s, t = ... return " .. suggested("s", name))(rill, s, 3)
        end
        for name, expected in pairs {nanmax = 5, nanmin = -7} do
            assert.equal(expected, value(name), name)
        end
        local rests <close> = value "fmod"
        assert.same({-1.0, 2.0, 2.5}, {rests:get(1), rests:get(3), rests:get(4)})
        local nan <const> = 0 / 0
        local t <const> = rill.from {1, 4, nan, nan}
        for name, expected in pairs {fmax = {2, 4, 3}, fmin = {1, 4, 3}} do -- the number if one of both is NaN
            local found = load("local rill, s, t = ... return " .. suggested("s", name))(rill,
                rill.from {2, nan, 3, nan}, t):copy():values()
            assert.same(expected, {found[1], found[2], found[3]}, name)
            assert.truthy(found[4] ~= found[4], name)
        end
        local keys <const> = rill.from({2, 1, 2}, "int")
        local found, sums = load("local rill, s, keys = ... return " .. suggested("s", "groupby"))(rill,
            rill.from {1, 2, 4}, keys)
        assert.same({{1, 2}, {2, 5}}, {found:values(), sums:values()})
        local A <close> = rill.from {{2, 1}, {1, 3}}
        local det = load("local rill, s = ... return " .. suggested("s", "det"))(rill, A)
        assert.near(5, det, 1e-5)
        for _, name in ipairs {"zeros", "ones", "full"} do -- which make a new array elsewhere
            assert.truthy(suggested("s", name):find("s:like()", 1, true), name)
        end
    end)

    it("computes what the function of the other name computes", function()
        local nan <const>, inf <const>, most <const> = 0 / 0, math.huge, 0xffffff * 2.0 ^ 104
        local m <const> = {{1, 2, 3}, {4, 5, 6}}
        local cases <const> = { -- owner, name, s, result of numpy, t
            {"s", "fliplr", m, {3, 2, 1, 6, 5, 4}}, {"s", "flipud", m, {4, 5, 6, 1, 2, 3}},
            {"rill.image", "fliplr", m, {3, 2, 1, 6, 5, 4}}, {"rill.image", "flipud", m, {4, 5, 6, 1, 2, 3}},
            {"s", "hstack", m, {1, 2, 3, 7, 4, 5, 6, 8}, {{7}, {8}}}, {"rill", "hstack", {1}, {1, 2}, {2}},
            {"rill", "dstack", m, {1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6}, m},
            {"s", "head", {1, 2, 3}, {1, 2}}, {"s", "tail", {1, 2, 3}, {2, 3}},
            {"s", "hsplit", m, {1, 4}, nil, 3}, {"s", "vsplit", m, {1, 2, 3}},
            {"s", "nan_to_num", {nan, inf, -inf, 2}, {0, most, -most, 2}},
            {"s", "log1p", {1e-10}, {1e-10}}, {"s", "gammaln", {4}, {math.log(6)}}, {"s", "factorial", {4}, {24}},
            {"rill", "ndtr", {-1.959964}, {0.025}},
            {"s", "logical_and", {1, 2, 0}, {true, true, false}, {2, 1, 1}},
            {"s", "logical_or", {1, 0, 0}, {true, true, false}, {0, 2, 0}},
            {"s", "logical_xor", {1, 2, 0}, {false, true, true}, {2, 0, 3}},
            {"s", "logical_not", {1, 2, 0}, {false, false, true}},
            {"s", "variance", {1, 2, 3}, 1}, {"s", "stdev", {2, 4, 6}, 2}, {"s", "itemsize", {1, 2}, 4},
            {"s", "nonzero", {0, 2, 0, -3}, {1, 3}}, {"rill", "digitize", {1, 2, 3}, {2}, {2}},
            {"s", "nunique", {3, 1, 3}, 2}, {"s", "unique_consecutive", {3, 3, 1, 3}, {3, 1, 3}},
            {"s", "relu6", {-1, 3, 8}, {0, 3, 6}}, {"s", "frac", {-1.25, 1.25}, {-0.25, 0.25}},
            {"s", "msort", {{3, 1}, {2, 5}}, {2, 1, 3, 5}}, {"s", "arctan2", {1}, {math.pi / 4}, {1}},
            {"s", "inv", {{2, 1}, {1, 3}}, {0.6, -0.2, -0.2, 0.4}},
            {"rill", "inv", {{2, 0}, {0, 4}}, {0.5, 0, 0, 0.25}},
            {"rill", "exclusive_scan", {1, 2, 3}, {0, 1, 3}},
        }
        for _, case in ipairs(cases) do
            local owner <const>, name <const>, expected <const> = case[1], case[2], case[4]
            local compute = load("local rill, s, t, n, sorted, values = ... return " .. suggested(owner, name))
            local s <const>, t <const> = rill.from(case[3]), case[5] and rill.from(case[5])
            local found = compute(rill, s, t, case[6] or 2, s, t)
            found = type(found) == "table" and not rill.type(found) and found[1] or found -- a list of streams
            if type(expected) == "table" then
                local list <const> = found:copy():values()
                assert.equal(#expected, found.size, name)
                for i, value in ipairs(expected) do
                    local same = list[i] == value or type(value) == "number" and
                        math.abs(list[i] - value) <= 1e-6 * math.abs(value)
                    assert.truthy(same, ("%s %s: %s, expected %s"):format(name, i, list[i], value))
                end
            else
                assert.near(expected, found, 1e-6, name)
            end
        end
    end)

    it("transforms as the other name does", function()
        local function call(name, s)
            return load("local rill, s = ... return " .. suggested("rill", name))(rill, s)
        end
        local m <const> = rill.from {{1, 2}, {3, 5}}
        local LONG <const> = os.getenv "RILL_SUITE_LONG"
        for there, back in pairs {rfft = "irfft", fft2 = LONG and "ifft2", fftn = LONG and "ifftn"} do
            local s <const> = there == "fftn" and rill.fft(m) or call(there, m)
            local again = call(back, s)
            again = again.type == "vec2" and again.x or again
            assert.near(0, rill.abs(again - m):max(), 1e-5, there)
        end
        local rows <const> = call("ifft", rill.from {{1, 3}, {2, 6}}) -- each row by itself, as numpy does
        assert.same({2, -1, 4, -2}, rows.x:copy():values())
        assert.same({1, 2, 3}, call("shuffle", rill.from {3, 1, 2}):sort():values())
        local numbers <const> = load("local rill, shape, low, high = ... return " .. suggested("rill", "randint"))(rill,
            200, 3, 5)
        assert.same({3, 4}, {numbers:min(), numbers:max()})
        local normal <const> = load("local rill, shape = ... return " .. suggested("rill", "randn"))(rill, 4000)
        assert.near(1, normal:std(), 0.2)
        for name, mean in pairs {
            exponential = 1, poisson = 8, binomial = 2, bernoulli = 0.25, standard_gamma = 3, chisquare = 4, beta = 0.6,
            multinomial = 8,
        } do
            local drawn <const> = load("local rill, shape, mean, n, p, a, b, k = ... return " ..
                suggested("rill", name))(rill, 4000, 8, 8, name == "multinomial" and {1} or 0.25, 3, 2, 4)
            assert.near(mean, drawn:cast "double":mean(), 0.2, name)
        end
        local chances <const> = rill.full(4000, 0.25)
        for name, mean in pairs {exponential_ = 1, poisson = 0.25, bernoulli = 0.25} do
            local drawn <const> = load("local rill, s = ... return " .. suggested("s", name))(rill, chances)
            assert.near(mean, drawn:cast "double":mean(), 0.2, name)
        end
        local keys, counts = load("local rill, s = ... return " .. suggested("s", "value_counts"))(rill,
            rill.from {3, 1, 3})
        assert.same({{1, 3}, {1, 2}}, {keys:values(), counts:values()})
    end)

    it("is not given if only the letters are similar", function()
        for owner, words in pairs {
            rill = {"mgrid", "gridDim", "vander",
                "mode", "insert", "block"},
            s = {"mode", "insert", "block", "ffill", "bfill", "duplicated", "expanding", "glu",
                "quantize", "spline", "masked_scatter", "lower", "modf", "spacing", "sqrtm"},
            ["rill.solve"] = {"eig"},
            c = {"resize"}, A = {"tocsc"}, ["rill.mesh"] = {"cone"},
            ["rill.sparse"] = {"csc_matrix"},
        } do
            for _, word in ipairs(words) do
                assert.is_nil(suggested(owner, word), owner .. "." .. word)
            end
        end
    end)

    it("is raised by streams, expressions, containers, kernels, matrices and the module", function()
        local s = rill.from {1, 2}
        for text, access in pairs {
            ["a stream has no field or method 'clone'; did you mean s:copy()?"] = function() return s:clone() end,
            ["an expression has no field or method 'clip'; did you mean rill.clamp(s, low, high)?"] =
                function() return (s + 1):clip(0, 1) end,
            ["a container has no field or method 'abs'; did you mean rill.abs(c)?"] =
                function() return rill.array("float", 2):abs() end,
            ["a kernel has no field or method 'launch'; did you mean k(...)?"] =
                function() return rill.kernel "kernel void f(out float r<>) { r = 1.0; }":launch() end,
            ["a matrix has no field or method 'T'; did you mean A:transpose()?"] = function()
                return rill.sparse.coo {shape = {1, 1}, rows = {0}, columns = {0}, values = {1}}.T
            end,
            ["rill has no field or module 'save'; did you mean s:save?"] = function() return rill.save end,
            ["rill.image has no field 'imread'; did you mean rill.image.load?"] =
                function() return rill.image.imread end,
            ["rill.image has no field 'blurr'; did you mean rill.image.gaussian?"] =
                function() return rill.image.blurr end,
            ["rill.random has no field 'normal'; did you mean rill.random(shape, {distribution = \"normal\"})?"] =
                function() return rill.random.normal(3) end,
            ["rill.random has no field 'seed'; did you mean rill.seed?"] = function() return rill.random.seed end,
            ["rill.fft has no field 'fftfreq'; did you mean rill.fftfreq?"] = function() return rill.fft.fftfreq(3) end,
            ["rill.optimize has no field 'Adam'; did you mean rill.optimize.adam?"] =
                function() return rill.optimize.Adam end,
            ["rill.linalg has no field 'nosuch'; rill.help \"rill.linalg\" lists its names"] =
                function() return rill.linalg.nosuch end,
        } do
            local _, message = pcall(access)
            assert.truthy(message:find(text, 1, true), message)
        end
    end)

    it("is never a method that discards something", function()
        local discards <const> = {close = 1, unmap = 1, pop = 1, undo = 1, release = 1, coarsen = 1, clear = 1}
        for _, owner in ipairs {"s", "c", "m", "t", "rill", ""} do
            for word in pairs(discards) do
                for at = 1, #word do -- a letter left out, doubled or changed
                    for _, wrong in ipairs {word:sub(1, at - 1) .. word:sub(at + 1), word:sub(1, at) .. word:sub(at),
                        word:sub(1, at - 1) .. "z" .. word:sub(at + 1)} do
                        local hint = suggested(owner, wrong) or ""
                        assert.falsy(discards[hint:match ":(%w+)" or ""], owner .. "." .. wrong .. " -> " .. hint)
                    end
                end
            end
            for _, word in ipairs {"free", "delete", "destroy", "drop", "clear", "reset", "clone_", "cls"} do
                local hint = suggested(owner, word) or ""
                assert.falsy(hint:find ":close" or hint:find ":unmap" or hint:find ":release", owner .. "." .. word)
            end
        end
        assert.is_nil(suggested("rill", "close"))
    end)

    it("begins with an existing name, or is an expression", function()
        for owner, words in pairs(synonyms.of) do
            for other, here in pairs(words) do
                local name = here[1]:match "^%(?[%-~#]?%(?([%a_]+[.:][%a_][%w_]*)"
                local luas <const> = math[name and name:match "^math%.(%w+)$" or false]
                local known <const> = not name or luas or names[(name:gsub(":", "."))] or name:match "^s%.[xyzw]$"
                assert.truthy(known, owner .. "." .. other .. " -> " .. here[1])
                assert.equal(1, #here, owner .. "." .. other .. " stands in two lines")
                assert.falsy(names[owner .. "." .. other], owner .. "." .. other .. " is a name of rill's own")
            end
        end
    end)

    it("is not an option with the opposite meaning", function()
        local message = select(2, pcall(rill.argsort, rill.from {2, 1}, {ascending = true}))
        assert.truthy(message:find("unknown option 'ascending': expected ", 1, true), message)
        assert.falsy(message:find("did you mean", 1, true), message)
    end)

    it("is an option that a function has", function()
        local options = {}
        for _, entry in ipairs(reference.entries()) do
            for _, parameter in ipairs(entry.params or {}) do
                for _, option in ipairs(parameter.options or {}) do
                    options[option.name] = true
                end
            end
        end
        for other, here in pairs(synonyms.options) do
            for _, name in ipairs(here) do
                assert.truthy(options[name] or name == "-", other .. " -> " .. name)
            end
        end
    end)

    it("is a table for constructors of constant vectors", function()
        for name, n in pairs {
            ivec3 = 3, uvec2 = 2, dvec4 = 4, float3 = 3, int2 = 2, make_float4 = 4, vec3f = 3, Vec3 = 3,
        } do
            local text = ("{%s}, which is a constant vector (rill.vec%d joins streams)"):format(
                ("x, y, z, w"):sub(1, 3 * n - 2), n)
            assert.equal(name == "Vec3" and "rill.vec3" or text, suggested("rill", name), name)
        end
        local p = rill.from {{1, 2, 3}}
        local done, message = pcall(function() return p - rill.vec3(1, 2, 3) end)
        assert.is_false(done)
        assert.truthy(message:find("rill.vec3: expected a stream or an expression among its arguments: the constant " ..
            "vector is the table {1, 2, 3}", 1, true), message)
        local same = rill.from({{1, 2, 3}}, "vec3") - {1, 2, 3}
        assert.same({0, 0, 0}, same:as "float":reshape(3):values())
    end)

    it("of a method that frees is the explanation of how memory is freed", function()
        for _, owner in ipairs {"s", "c"} do
            for _, word in ipairs {"free", "delete", "destroy", "dispose"} do
                assert.equal(("; the collector frees its memory, and %s:close() does at once"):format(owner),
                    suggest.hint(owner, word))
            end
        end
        assert.equal("", suggest.hint("k", "free"))
    end)

    it("is not a short word with another letter", function()
        for owner, words in pairs {s = {"sars", "sirt", "tap", "file"}, rill = {"five", "wade", "rink"}} do
            for _, word in ipairs(words) do
                assert.is_nil(suggested(owner, word), owner .. "." .. word)
            end
        end
    end)
end)
