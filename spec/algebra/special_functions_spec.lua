-- The special functions of kernels, expressions and plain numbers, compared with recorded values of mpmath 1.3 with 60
-- digits. The bounds are those of the manual, in units of the last place.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local inf, nan <const> = math.huge, 0 / 0

-- The largest errors: of floats, of doubles, of plain numbers.
local BOUNDS <const> = {
    cbrt = {1, 1, 2}, expm1 = {1.5, 1.5, 2}, log1p = {1, 1, 2}, sinc = {3, 3, 4}, erf = {2, 4, 2}, erfc = {4, 6, 4},
    erfinv = {3, 4, 8}, gamma = {1, 5, 10}, lgamma = {1, 5, 8}, digamma = {1, 8, 400}, trigamma = {1, 5, 8},
}

-- Arguments that are floats, and the results.
local VALUES <const> = {
    cbrt = {
        {0x1p-140, 8.9522774963404087e-15}, {0x1p-120, 9.0949470177292824e-13}, {0x1p-10, 0.099212565748012467},
        {0x1p-3, 0.5}, {0.75, 0.90856029641606983}, {3, 1.4422495703074084}, {27.5, 3.0184053683988429},
        {1000, 10.0}, {0x1p100, 10822639409.680929}, {0x1p127, 5541191377756.6356},
    },
    expm1 = {
        {0x1p-100, 7.8886090522101181e-31}, {-0x1p-30, -9.3132257418179765e-10}, {0x1p-12, 0.00024417042974785494},
        {-0x1p-2, -0.22119921692859513}, {0.34375, 0.41022603492571071}, {0.375, 0.45499141461820134},
        {-0.75, -0.52763344725898529}, {1.5, 3.4816890703380648}, {-10, -0.99995460007023752},
        {17.25, 31015572.274482231}, {24.5, 43673179096.646415}, {40, 2.3538526683701998e+17},
        {88.5, 2.7230878250681116e+38},
    },
    log1p = {
        {0x1p-100, 7.8886090522101181e-31}, {-0x1p-30, -9.3132257504915938e-10}, {0x1p-12, 0.00024411082752736271},
        {-0x1p-2, -0.28768207245178093}, {0.40625, 0.34092658697059321}, {0.4375, 0.36290549368936845},
        {-0.96875, -3.4657359027997265}, {1.5, 0.91629073187415507}, {10, 2.3978952727983705},
        {1000000.0, 13.815511557963774}, {0x1p60, 41.588830833596719}, {0x1p127, 88.029691931113054},
    },
    sinc = {
        {0x1p-70, 1.0}, {0x1p-6, 0.99959845314967908}, {0x1p-2, 0.90031631615710607}, {0x1p-1, 0.63661977236758134},
        {0.96875, 0.032206270743084463}, {1.03125, -0.03025437554653389}, {1.5, -0.21220659078919378},
        {2.5, 0.12732395447351627}, {-10.25, 0.021958934540417221}, {1000.125, 0.00012179669521365237},
        {65536.5, 4.856986353921718e-6},
    },
    erf = {
        {0x1p-100, 8.9013421118749739e-31}, {0x1p-12, 0.00027548318961831864}, {0x1p-2, 0.27632639016823693},
        {0.46875, 0.49261347321793799}, {0.75, 0.71115563365351513}, {0.78125, 0.73077729241084724},
        {1.5, 0.96610514647531073}, {2.5, 0.99959304798255504}, {3.75, 0.99999988627274343},
        {6, 0.99999999999999998},
    },
    erfc = {
        {0x1p-100, 1.0}, {0x1p-12, 0.99972451681038168}, {0x1p-2, 0.72367360983176307},
        {0.6875, 0.33091533711391872}, {0.75, 0.28884436634648487}, {1.5, 0.033894853524689273},
        {2.5, 0.00040695201744495894}, {4.25, 1.8505741373867425e-9}, {-0x1p-1, 1.5204998778130465},
        {-2.25, 1.9985372834133188}, {9, 4.1370317465138102e-37},
    },
    erfinv = {
        {0x1p-100, 6.9910977464389683e-31}, {0x1p-12, 0.00021636399884810807}, {0x1p-2, 0.2253120550121781},
        {0x1p-1, 0.47693627620446987}, {0.75, 0.81341984759761854}, {0.90625, 1.1850683428330047},
        {0.984375, 1.7094723742995115}, {0x1.ff80000000000p-1, 2.3314677736219477},
        {0x1.ffffe00000000p-1, 3.4655050258033307}, {0x1.fffffc0000000p-1, 3.7439211627767996},
    },
    gamma = {
        {0x1p-100, 1.2676506002282294e+30}, {-0x1p-40, -1099511627776.5772}, {0x1p-6, 63.438020469891311},
        {0x1p-1, 1.772453850905516}, {-0.46875, -3.5644815679107372}, {-0.53125, -3.5563915805478131},
        {1.25, 0.90640247705547708}, {1.5, 0.88622692545275801}, {2.5, 1.329340388179137},
        {3.625, 3.8244496633664258}, {7.9375, 4444.5971998032761}, {8.25, 8376.5123509199252},
        {20.5, 5.406242982335075e+17}, {33.5, 1.5058569756267019e+36}, {34.9375, 2.3663259154926465e+38},
        {-1.5, 2.3632718012073547}, {-2.25, -1.7428148657282527}, {-7.5, 0.0002238493288596895},
        {-12.125, -1.2490351068152568e-8}, {-30.5, -2.1357974436941746e-33},
    },
    lgamma = {
        {0x1p-100, 69.314718055994531}, {-0x1p-40, 27.725887222398337}, {0x1p-6, 4.1500633736539388},
        {0x1p-1, 0.57236494292470009}, {-0x1p-1, 1.2655121234846454}, {0.9375, 0.039390901734582301},
        {1.0625, -0.032957100293577819}, {1.25, -0.098271836421813161}, {1.5, -0.12078223763524522},
        {1.9375, -0.025147619402988871}, {2.0625, 0.027667521522857023}, {3.75, 1.4868155785934171},
        {7.9375, 8.3994445251249577}, {8.25, 9.0331869196051229}, {100.5, 361.43554046777762},
        {0x1p20, 13487767.947523311}, {0x1p115, 3.2695654790055042e+36}, {-1.5, 0.86004701537648101},
        {-2.25, 0.55550154502064747}, {-7.5, -8.4045373714515975}, {-30.5, -75.226467981933374},
    },
    digamma = {
        {0x1p-100, -1.2676506002282294e+30}, {-0x1p-40, 1099511627775.4228}, {0x1p-6, -64.551802973167857},
        {0x1p-1, -1.9635100260214235}, {-0x1p-1, 0.036489973978576521}, {1, -0.57721566490153286},
        {1.4375, -0.023613544005297899}, {1.46875, 0.0068654114707357767}, {2, 0.42278433509846714},
        {3.75, 1.1825373886117962}, {7.9375, 2.0072856526575243}, {8.25, 2.0483845613664946},
        {100.5, 4.6051743525818452}, {0x1p100, 69.314718055994531}, {-1.25, 3.7141391202135278},
        {-7.625, 0.79428494736138965}, {-30.25, 6.5675267051727474},
    },
    trigamma = {
        {0x1p-50, 1.2676506002282294e+30}, {-0x1p-40, 1.2089258196146292e+24}, {0x1p-6, 4097.6081469812325},
        {0x1p-1, 4.9348022005446793}, {-0x1p-1, 8.9348022005446793}, {1, 1.6449340668482264},
        {1.5, 0.93480220054467931}, {2, 0.64493406684822644}, {3.75, 0.30533985269025308},
        {7.9375, 0.13425249264731706}, {8.25, 0.12885426288544822}, {100.5, 0.0099999166695831027},
        {0x1p60, 8.6736173798840355e-19}, {-1.25, 19.181879647671606}, {-7.625, 11.440038432057676},
        {-30.25, 19.706691341963048},
    },
}

-- Results of special arguments.
local SPECIAL <const> = {
    cbrt = {{0.0, 0.0}, {-0.0, -0.0}, {inf, inf}, {-inf, -inf}, {nan, nan}, {-8, -2}},
    expm1 = {{0.0, 0.0}, {-0.0, -0.0}, {inf, inf}, {-inf, -1}, {nan, nan}, {800, inf}, {-800, -1}},
    log1p = {{0.0, 0.0}, {-0.0, -0.0}, {inf, inf}, {-inf, nan}, {nan, nan}, {-1, -inf}, {-1.5, nan}},
    sinc = {{0.0, 1}, {-0.0, 1}, {inf, nan}, {-inf, nan}, {nan, nan}, {-3, 0}, {0x1p60, 0}},
    erf = {{0.0, 0.0}, {-0.0, -0.0}, {inf, 1}, {-inf, -1}, {nan, nan}, {30, 1}},
    erfc = {{0.0, 1}, {-0.0, 1}, {inf, 0}, {-inf, 2}, {nan, nan}, {30, 0}},
    erfinv = {{0.0, 0.0}, {-0.0, -0.0}, {1, inf}, {-1, -inf}, {1.5, nan}, {-inf, nan}, {inf, nan}, {nan, nan}},
    gamma = {{0.0, inf}, {-0.0, -inf}, {inf, inf}, {-inf, nan}, {nan, nan}, {-1, nan}, {-0x1p60, nan}, {1, 1}, {2, 1},
        {3, 2}, {6, 120}, {172, inf}, {-200.5, -0.0}, {-201.5, 0.0}},
    lgamma = {{0.0, inf}, {-0.0, inf}, {inf, inf}, {-inf, inf}, {nan, nan}, {-1, inf}, {-0x1p60, inf}, {1, 0}, {2, 0}},
    digamma = {{0.0, -inf}, {-0.0, inf}, {inf, inf}, {-inf, nan}, {nan, nan}, {-1, nan}, {-0x1p60, nan}},
    trigamma = {{0.0, inf}, {-0.0, inf}, {inf, 0}, {-inf, nan}, {nan, nan}, {-1, inf}, {-0x1p60, inf}},
}

local function unit(x, digits, least)
    local e = least
    while 2.0 ^ (e + digits) <= math.abs(x) do e = e + 1 end
    return 2.0 ^ e
end

-- Fails if a result has a larger error than `bound` units. Numbers below the normal ones may be zero.
local function compare(name, x, expected, got, bound, type)
    local float <const> = type == "float"
    local least <const> = float and 0x1p-126 or 0x1p-1022
    local most <const> = float and 0x1.ffffffp127 or inf
    local good
    if expected ~= expected then
        good = got ~= got
    elseif math.abs(expected) >= most then
        good = got == (expected > 0 and inf or -inf)
    elseif math.abs(expected) < least then
        good = math.abs(got) <= least
    else
        good = math.abs(got - expected) <= bound * unit(expected, float and 24 or 53, float and -149 or -1074)
    end
    if not good then
        error(("%s(%.17g): expected %.17g, got %.17g (%s)"):format(name, x, expected, got, type))
    end
end

local function column(list, k)
    local out = {}
    for i, row in ipairs(list) do out[i] = row[k] end
    return out
end

describe("the special functions", function()
    leaks.watch(setup, teardown)

    local names = {}
    for name in pairs(VALUES) do names[#names + 1] = name end
    table.sort(names)

    for place, type in ipairs {"float", "double"} do
        for number, name in ipairs(names) do
            -- In the short mode each function is tested with one type.
            it(("%s of %ss%s"):format(name, type, (number + place) % 2 == 0 and "" or " #long"), function()
                local list = table.move(SPECIAL[name], 1, #SPECIAL[name], #VALUES[name] + 1,
                    table.move(VALUES[name], 1, #VALUES[name], 1, {}))
                local x = rill.from(column(list, 1), type)
                local k = rill.kernel(("kernel void f(%s x<>, out %s r<>) { r = %s(x); }"):format(type, type, name))
                local got = k(x):values()
                local expression = type == "float" and rill[name](x):values() or got
                for i, row in ipairs(list) do
                    compare(name, row[1], row[2], got[i], BOUNDS[name][place], type)
                    if row[2] == 0 and got[i] == 0 and name ~= "sinc" and name ~= "lgamma" then
                        assert.equal(1 / row[2], 1 / got[i])
                    end
                    assert.is_true(check.same_number(got[i], expression[i]), name)
                end
                assert.equal(0, rill[name](x:domain(1, 0)):eval().size)
            end)
        end
    end

    for _, name in ipairs(names) do
        it(name .. " of plain numbers", function()
            for _, list in ipairs {VALUES[name], SPECIAL[name]} do
                for _, row in ipairs(list) do
                    compare(name, row[1], row[2], rill[name](row[1]), BOUNDS[name][3], "number")
                end
            end
        end)
    end

    it("are functions of vectors, too, also of doubles", function()
        local k = rill.kernel [[
            kernel void f(vec3 x<>, dvec2 y<>, out vec3 r<>, out dvec2 s<>) {
                r = gamma(x) + erfinv(vec3(0.5, x.yz * 0.125));
                s = lgamma(y) - log1p(y);
            }
        ]]
        local r, s = k(rill.from({{1, 2.5, 4}}, "vec3"), rill.from({{2.5, 9}}, "dvec2"))
        check.equal({1 + rill.erfinv(0.5), rill.gamma(2.5) + rill.erfinv(0.3125), 6 + rill.erfinv(0.5)}, r:read()[1],
            3e-6)
        check.equal({rill.lgamma(2.5) - rill.log1p(2.5), rill.lgamma(9) - rill.log1p(9)}, s:read()[1], 1e-14)
    end)

    it("may be hidden by names of a text", function()
        local k = rill.kernel [[
            float erf(float x) { return 2.0 * x; }
            kernel void f(float gamma, float x<>, out float sinc<>) { sinc = pow(x, gamma) + erf(x); }
        ]]
        check.equal({15}, k(2, rill.from {3}):values())
    end)

    it("cannot be used in constants", function()
        check.raises("a constant can't be computed by 'gamma'", rill.kernel,
            "const float c = gamma(5.0); kernel void f(out float r<>) { r = c; }")
    end)

    it("convert integers in expressions, and refuse bools and texts", function()
        check.equal({1, 1, 2, 6}, rill.gamma(rill.from({1, 2, 3, 4}, "int")):values(), 1e-6)
        check.raises("rill.erf: argument #1 'x'", rill.erf, "x")
    end)
end)

describe("the derivatives of the special functions", function()
    leaks.watch(setup, teardown)

    local names <const> = {"cbrt", "expm1", "log1p", "sinc", "erf", "erfc", "erfinv", "gamma", "lgamma", "digamma"}

    it("in expressions", function()
        local x = rill.from({0.3, 0.0625, 0.7, 0.26}, "double")
        -- In the short mode one function: the kernels below have all.
        for _, name in ipairs(os.getenv "RILL_SUITE_LONG" and names or {"erfinv"}) do
            rill.grad_check(function(s) return rill[name](s):sum() end, x)
        end
    end)

    it("in kernels, also of vectors", function()
        local outputs, lines = {}, {}
        for i, name in ipairs(names) do
            outputs[i], lines[i] = ("out double r%d<>"):format(i), ("r%d = %s(x);"):format(i, name)
        end
        local k = rill.kernel(("kernel void f(double x<>, %s) { %s }"):format(table.concat(outputs, ", "),
            table.concat(lines, " ")))
        local x = rill.from({0.3, 0.7}, "double")
        for i in ipairs(names) do
            rill.grad_check(function(s) return (select(i, k(s))):sum() end, x)
        end
        local v = rill.kernel "kernel void f(dvec2 x<>, out dvec2 r<>) { r = sinc(x) + expm1(x); }"
        rill.grad_check(function(s) local r = v(s) return (r.x + 2 * r.y):sum() end,
            rill.from({{0.3, -0.125}, {0.7, 0.24}}, "dvec2"))
    end)

    it("of sinc everywhere, also the second one", function()
        local x = rill.from({0.0, 0.2, -0.24, 0.26, 1, -1.5, 10.25}, "double")
        local function first(s) return rill.grad(function(t) return rill.sinc(t):sum() end)(s) end
        rill.grad_check(function(s) return rill.sinc(s):sum() end, x)
        if os.getenv "RILL_SUITE_LONG" then rill.grad_check(function(s) return first(s):sum() end, x) end
        local second <const> = rill.grad(function(s) return first(s):sum() end)(x:domain(1, 1))
        check.equal({-1 / 3 * math.pi ^ 2}, second:values(), 1e-12)
    end)

    it("of trigamma is refused", function()
        check.raises("'trigamma' has no derivative", function()
            return rill.grad(function(s) return rill.trigamma(s):sum() end)(rill.ones(3))
        end)
        local k = rill.kernel "kernel void f(float x<>, out float r<>) { r = trigamma(x); }"
        check.raises("'trigamma' has no derivative", function()
            return rill.grad(function(s) return k(s):sum() end)(rill.ones(3))
        end)
    end)
end)
