-- Words of numpy, scipy and pandas: softmax, logsumexp, nansum, nanmean, nanquantile, isclose, gradient, trapz,
-- cumtrapz, polyfit, polyval, roots, tril, triu, diagonal, kron, rot90, unravel_index, geomspace, ewm, tensordot,
-- inner, vdot, the mode "reflect" of s:pad and the methods of s:quantile.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local inf, nan <const> = math.huge, 0 / 0

local STREAMS <const> = [[
    local rill = ...
    local nan, inf = 0 / 0, math.huge
    local x, y, u = rill.from {3, 1, 4, 1, 5, 9}, rill.from {2, 7, 1, 8, 2, 8}, rill.from {0, 0.5, 2, 2.5, 4, 7}
    local m, c = rill.from {{1, 2, 3}, {4, 5, 6}}, rill.iota {2, 3, 4}:cast "float"
    local n = rill.from {{1, nan, 3, 2}, {nan, 5, nan, 1}, {nan, nan, nan, nan}}
    local e, q = rill.from {-inf, 0, 1000, 1000.5}, rill.from {3, 1, 4, 1, 5, 9, 2, 6, 5, 3}
    local z, w = rill.from({{1, 2}, {3, -4}}, "vec2"), rill.from({{5, 6}, {-7, 8}}, "vec2")
    return ]]

-- Code, and the shape and the elements of the result of numpy 1.24, scipy 1.10 or pandas 1.5. The shape is nil for
-- numbers.
local CASES <const> = {
    {"e:softmax()", "4", {0, 0, 0.3775406688, 0.6224593312}},
    {"m:softmax(1)", "2x3", {0.04742587318, 0.04742587318, 0.04742587318, 0.9525741268, 0.9525741268, 0.9525741268}},
    {"c:softmax {1, 3}", "2x3x4", {1.969736561e-07, 5.354299099e-07, 1.455449395e-06, 3.956321642e-06,
        1.969736561e-07, 5.354299099e-07, 1.455449395e-06, 3.956321642e-06, 1.969736561e-07, 5.354299099e-07,
        1.455449395e-06, 3.956321642e-06, 0.03205840631, 0.08714378331, 0.2368813626, 0.6439103036, 0.03205840631,
        0.08714378331, 0.2368813626, 0.6439103036, 0.03205840631, 0.08714378331, 0.2368813626, 0.6439103036}},
    {"(m * 1000):softmax(-1)", "2x3", {0, 0, 1, 0, 0, 1}},
    {"n:softmax(2)", "3x4", {nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan}},
    {"e:logsumexp()", nil, {1000.974077}},
    {"m:logsumexp(2)", "2", {3.407605964, 6.407605964}},
    {"c:logsumexp({1, 2}, {keep = true})", "1x1x4", {20.01848545, 21.01848545, 22.01848545, 23.01848545}},
    {"(m * 0 - math.huge):logsumexp(1)", "3", {-inf, -inf, -inf}},
    {"rill.from {1, math.huge}:logsumexp()", nil, {inf}},
    {"n:logsumexp(1)", "4", {nan, nan, nan, nan}},
    {"n:nansum()", nil, {12}},
    {"n:nansum(2)", "3", {6, 6, 0}},
    {"n:nansum(1, {keep = true})", "1x4", {1, 5, 3, 3}},
    {"n:nanmean()", nil, {2.4}},
    {"n:nanmean(2)", "3", {2, 3, nan}},
    {"n:nanmean({1, 2}, {keep = true})", "1x1", {2.4}},
    {"(n * 0 / 0):nanmean()", nil, {nan}},
    {"n:nanquantile(0.3)", nil, {1.2}},
    {"n:nanquantile(0.3, {axis = 2})", "3", {1.6, 2.2, nan}},
    {"n:nanquantile({0, 0.5, 1}, {axis = 1})", "3x4", {1, 5, 3, 1, 1, 5, 3, 1.5, 1, 5, 3, 2}},
    {[[n:nanquantile(0.6, {axis = 2, method = "hazen"})]], "3", {2.3, 3.8, nan}},
    {"n[3]:nanquantile(0.5)", nil, {nan}},
    {"rill.isclose(x, x + 2e-5)", "6", {true, false, true, false, true, true}},
    {"rill.isclose(x, y, {rtol = 0, atol = 3})", "6", {true, false, true, false, true, true}},
    {"rill.isclose(e, e)", "4", {true, true, true, true}},
    {"rill.isclose(e, -e)", "4", {false, true, false, false}},
    {"rill.isclose(x, math.huge)", "6", {false, false, false, false, false, false}},
    {"rill.isclose(-math.huge, e)", "4", {true, false, false, false}},
    {"rill.isclose(n, n)", "3x4", {true, false, true, true, false, true, false, true, false, false, false, false}},
    {"rill.isclose(n, n, {equal_nan = true})", "3x4", {true, true, true, true, true, true, true, true, true, true,
        true, true}},
    {"rill.isclose(n, 0 / 0, {equal_nan = true})", "3x4", {false, true, false, false, true, false, true, false,
        true, true, true, true}},
    {"rill.gradient(x)", "6", {-2, 0.5, 0, 0.5, 4, 4}},
    {"rill.gradient(x, {spacing = 0.5, edge_order = 2})", "6", {-9, 1, 0, 1, 8, 8}},
    {"rill.gradient(x, {spacing = u})", "6", {-4, -2.5, -4, -3.833333333, 2.222222222, 1.333333333}},
    {"rill.gradient(x, {spacing = u, edge_order = 2})", "6", {-5.5, -2.5, -4, -3.833333333, 2.222222222, 0.4444444444}},
    {"(rill.gradient(m))", "2x3", {3, 3, 3, 3, 3, 3}},
    {"(select(2, rill.gradient(m)))", "2x3", {1, 1, 1, 1, 1, 1}},
    {"(select(2, rill.gradient(c, {axis = {3, 1}, spacing = {2, {0, 3}}})))", "2x3x4", {4, 4, 4, 4, 4, 4, 4, 4, 4,
        4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4}},
    {"rill.gradient(c, {axis = 2, edge_order = 2})", "2x3x4", {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
        4, 4, 4, 4, 4, 4}},
    {"rill.gradient(rill.from {2, 5}, {spacing = {{1, 3}}})", "2", {1.5, 1.5}},
    {[[rill.gradient(rill.from({1, 4, 9}, "int"))]], "3", {3, 4, 5}},
    {"rill.trapz(x)", nil, {17}},
    {"rill.trapz(x, {x = u})", nil, {31.5}},
    {"rill.trapz(m, {axis = 1, spacing = 0.5})", "3", {1.25, 1.75, 2.25}},
    {"rill.trapz(m, {x = m * m})", "2", {17, 101}},
    {"rill.trapz(c, {axis = 2, x = {0, 1, 4}})", "2x4", {20, 24, 28, 32, 68, 72, 76, 80}},
    {"rill.trapz(rill.from {5})", nil, {0}},
    {"rill.trapz(rill.zeros(0))", nil, {0}},
    {"rill.cumtrapz(x)", "5", {2, 4.5, 7, 10, 17}},
    {"rill.cumtrapz(x, {x = u, initial = 0})", "6", {0, 1, 4.75, 6, 10.5, 31.5}},
    {"rill.cumtrapz(c, {axis = 2, spacing = 2, initial = 0})", "2x3x4", {0, 0, 0, 0, 4, 6, 8, 10, 16, 20, 24, 28, 0,
        0, 0, 0, 28, 30, 32, 34, 64, 68, 72, 76}},
    {"rill.cumtrapz(rill.from {5}, {initial = 0})", "1", {0}},
    {"rill.polyfit(u, x, 3)", "4", {-0.05475460739, 0.7186243449, -1.419020952, 2.505624054}},
    {"rill.polyfit(x:domain(1, 3), y:domain(1, 3), 2)", "3", {0.5, -4.5, 11}},
    {"rill.polyfit(u + 1000, x, 1)", "2", {0.9949238579, -993.7436548}},
    {"rill.polyfit(u, x, 2, {weights = y})", "3", {0.2639418749, -0.7621471011, 1.431703678}},
    {"rill.polyfit({1}, {7}, 0)", "1", {7}},
    {"rill.polyfit(u, x, 5)", "6", {-0.2577126577, 3.614652015, -16.2988604, 27.50842491, -14.11522182, 3}},
    {"rill.polyval({2, -1, 3}, x)", "6", {18, 4, 31, 4, 48, 156}},
    {"rill.polyval(y, m)", "2x3", {28, 228, 1166, 4048, 10968, 25148}},
    {"rill.polyval({}, x)", "6", {0, 0, 0, 0, 0, 0}},
    {"rill.polyval({1, 2, 3}, 2)", nil, {11}},
    {"rill.polyval(y, 0.5)", nil, {11.625}},
    {"rill.tril(m)", "2x3", {1, 0, 0, 4, 5, 0}},
    {"rill.tril(m, 1)", "2x3", {1, 2, 0, 4, 5, 6}},
    {"rill.tril(c, -1)", "2x3x4", {0, 0, 0, 0, 4, 0, 0, 0, 8, 9, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 20, 21, 0, 0}},
    {"rill.triu(m)", "2x3", {1, 2, 3, 0, 5, 6}},
    {"rill.triu(c, 2)", "2x3x4", {0, 0, 2, 3, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 14, 15, 0, 0, 0, 19, 0, 0, 0, 0}},
    {"rill.triu(n)", "3x4", {1, nan, 3, 2, 0, 5, nan, 1, 0, 0, nan, nan}},
    {"rill.triu(m, -5)", "2x3", {1, 2, 3, 4, 5, 6}},
    {"rill.diagonal(m)", "2", {1, 5}},
    {"rill.diagonal(m, {offset = 1})", "2", {2, 6}},
    {"rill.diagonal(m, {offset = -1})", "1", {4}},
    {"rill.diagonal(c)", "4x2", {0, 16, 1, 17, 2, 18, 3, 19}},
    {"rill.diagonal(c, {axes = {2, -1}, offset = 1})", "2x3", {1, 6, 11, 13, 18, 23}},
    {"rill.diagonal(m:transpose(), {axes = {2, 1}})", "2", {1, 5}},
    {"rill.diagonal(m, {offset = 7})", "0", {}},
    {"rill.kron(m, rill.from {{1, 2}, {0, 3}})", "4x6", {1, 2, 2, 4, 3, 6, 0, 3, 0, 6, 0, 9, 4, 8, 5, 10, 6, 12, 0,
        12, 0, 15, 0, 18}},
    {"rill.kron(rill.from {1, 10}, rill.from {1, 2, 3})", "6", {1, 2, 3, 10, 20, 30}},
    {"rill.kron(rill.from {1, 10}, m)", "2x6", {1, 2, 3, 10, 20, 30, 4, 5, 6, 40, 50, 60}},
    {"m:rot90()", "3x2", {3, 6, 2, 5, 1, 4}},
    {"m:rot90(2)", "2x3", {6, 5, 4, 3, 2, 1}},
    {"m:rot90(-1)", "3x2", {4, 1, 5, 2, 6, 3}},
    {"m:rot90(4)", "2x3", {1, 2, 3, 4, 5, 6}},
    {"c:rot90(1, {3, 1})", "4x3x2", {12, 0, 16, 4, 20, 8, 13, 1, 17, 5, 21, 9, 14, 2, 18, 6, 22, 10, 15, 3, 19, 7,
        23, 11}},
    {"rill.geomspace(1, 1000, 4)", "4", {1, 10, 100, 1000}},
    {[[rill.geomspace(-1e-3, -1e4, 8, "double")]], "8", {-0.001, -0.01, -0.1, -1, -10, -100, -1000, -10000}},
    {"rill.geomspace(5, 7, 1)", "1", {5}},
    {"rill.geomspace(5, 7, 0)", "0", {}},
    {"x:ewm {alpha = 0.3}", "6", {3, 1.823529412, 2.817351598, 2.099881563, 3.145685334, 5.1361567}},
    {"x:ewm {span = 4, adjust = false}", "6", {3, 2.2, 2.92, 2.152, 3.2912, 5.57472}},
    {"x:ewm {halflife = 2}", "6", {3, 1.828427125, 2.812327357, 2.1045695, 3.134729791, 5.098041643}},
    {"x:ewm {com = 1.5}", "6", {3, 1.75, 2.897959184, 2.025735294, 3.315752949, 5.700725027}},
    {"n:reshape(12):ewm {alpha = 0.6}", "12", {1, 1, 2.724137931, 2.229508197, 2.229508197, 4.474202748,
        4.474202748, 1.572937266, 1.572937266, 1.572937266, 1.572937266, 1.572937266}},
    {"n:reshape(12):ewm {alpha = 0.6, adjust = false}", "12", {1, 1, 2.578947368, 2.231578947, 2.231578947,
        4.417174515, 4.417174515, 1.719405161, 1.719405161, 1.719405161, 1.719405161, 1.719405161}},
    {"x:ewm {alpha = 1}", "6", {3, 1, 4, 1, 5, 9}},
    {"m:ewm {alpha = 0.5, axis = 1}", "2x3", {1, 2, 3, 3, 4, 5}},
    {"rill.from {7}:ewm {com = 0}", "1", {7}},
    {"rill.tensordot(c, c, {{1, 2}, {1, 2}})", "4x4", {880, 940, 1000, 1060, 940, 1006, 1072, 1138, 1000, 1072,
        1144, 1216, 1060, 1138, 1216, 1294}},
    {"rill.tensordot(m, m:transpose(), 1)", "2x2", {14, 32, 32, 77}},
    {"rill.tensordot(m, m)", nil, {91}},
    {"rill.tensordot(m, x, 0)", "2x3x6", {3, 1, 4, 1, 5, 9, 6, 2, 8, 2, 10, 18, 9, 3, 12, 3, 15, 27, 12, 4, 16, 4,
        20, 36, 15, 5, 20, 5, 25, 45, 18, 6, 24, 6, 30, 54}},
    {"rill.tensordot(c, m, {2, -1})", "2x4x2", {32, 68, 38, 83, 44, 98, 50, 113, 104, 248, 110, 263, 116, 278, 122,
        293}},
    {"rill.inner(x, y)", nil, {107}},
    {"rill.inner(m, m)", "2x2", {14, 32, 32, 77}},
    {"rill.inner(c, rill.from {1, 2, 3, 4})", "2x3", {20, 60, 100, 140, 180, 220}},
    {"rill.vdot(m, m)", nil, {91}},
    {"rill.vdot(z, w)", nil, {-36, -8}},
    {"rill.vdot(x, y:reshape {2, 3})", nil, {107}},
    {"rill.vdot(rill.zeros(0), rill.zeros(0))", nil, {0}},
    {[[x:pad {before = 3, after = 2, boundary = "reflect"}]], "11", {1, 4, 1, 3, 1, 4, 1, 5, 9, 5, 1}},
    {[[m:pad {before = {3, 4}, after = {1, 5}, boundary = "reflect"}]], "6x12", {4, 5, 6, 5, 4, 5, 6, 5, 4, 5, 6, 5,
        1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2, 4, 5, 6, 5, 4, 5, 6, 5, 4, 5, 6, 5, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2,
        4, 5, 6, 5, 4, 5, 6, 5, 4, 5, 6, 5, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2}},
    {[[rill.from {7}:pad {before = 2, after = 1, boundary = "reflect"}]], "4", {7, 7, 7, 7}},
    {[[q:quantile({0, 0.05, 0.1, 0.25, 0.3, 0.45, 0.5, 0.75, 0.9, 1}, {method = "inverted_cdf"})]], "10", {1, 1, 1,
        2, 2, 3, 3, 5, 6, 9}},
    {[[q:reshape {2, 5}:quantile({0, 0.3, 0.5, 0.875}, {axis = 2, method = "inverted_cdf"})]], "4x2", {1, 2, 1, 3,
        3, 5, 5, 9}},
    {[[q:quantile({0, 0.05, 0.1, 0.25, 0.3, 0.45, 0.5, 0.75, 0.9, 1}, {method = "averaged_inverted_cdf"})]], "10", {
        1, 1, 1, 2, 2.5, 3, 3.5, 5, 7.5, 9}},
    {[[q:reshape {2, 5}:quantile({0, 0.3, 0.5, 0.875}, {axis = 2, method = "averaged_inverted_cdf"})]], "4x2", {1,
        2, 1, 3, 3, 5, 5, 9}},
    {[[q:quantile({0, 0.05, 0.1, 0.25, 0.3, 0.45, 0.5, 0.75, 0.9, 1}, {method = "closest_observation"})]], "10", {1,
        1, 1, 2, 2, 3, 3, 5, 6, 9}},
    {[[q:reshape {2, 5}:quantile({0, 0.3, 0.5, 0.875}, {axis = 2, method = "closest_observation"})]], "4x2", {1, 2,
        1, 2, 3, 5, 4, 6}},
    {[[q:quantile({0, 0.05, 0.1, 0.25, 0.3, 0.45, 0.5, 0.75, 0.9, 1}, {method = "interpolated_inverted_cdf"})]], "10", {
        1, 1, 1, 1.5, 2, 3, 3, 5, 6, 9}},
    {[[q:reshape {2, 5}:quantile({0, 0.3, 0.5, 0.875}, {axis = 2, method = "interpolated_inverted_cdf"})]], "4x2", {
        1, 2, 1, 2.5, 2, 4, 4.375, 7.125}},
    {[[q:quantile({0, 0.05, 0.1, 0.25, 0.3, 0.45, 0.5, 0.75, 0.9, 1}, {method = "hazen"})]], "10", {1, 1, 1, 2, 2.5,
        3, 3.5, 5, 7.5, 9}},
    {[[q:reshape {2, 5}:quantile({0, 0.3, 0.5, 0.875}, {axis = 2, method = "hazen"})]], "4x2", {1, 2, 1, 3, 3, 5,
        4.875, 8.625}},
    {[[q:quantile({0, 0.05, 0.1, 0.25, 0.3, 0.45, 0.5, 0.75, 0.9, 1}, {method = "weibull"})]], "10", {1, 1, 1, 1.75,
        2.3, 3, 3.5, 5.25, 8.7, 9}},
    {[[q:reshape {2, 5}:quantile({0, 0.3, 0.5, 0.875}, {axis = 2, method = "weibull"})]], "4x2", {1, 2, 1, 2.8, 3,
        5, 5, 9}},
    {[[q:quantile({0, 0.05, 0.1, 0.25, 0.3, 0.45, 0.5, 0.75, 0.9, 1}, {method = "linear"})]], "10", {1, 1, 1, 2.25,
        2.7, 3.05, 3.5, 5, 6.3, 9}},
    {[[q:reshape {2, 5}:quantile({0, 0.3, 0.5, 0.875}, {axis = 2, method = "linear"})]], "4x2", {1, 2, 1.4, 3.4, 3,
        5, 4.5, 7.5}},
    {[[q:quantile({0, 0.05, 0.1, 0.25, 0.3, 0.45, 0.5, 0.75, 0.9, 1}, {method = "median_unbiased"})]], "10", {1, 1,
        1, 1.916666667, 2.433333333, 3, 3.5, 5.083333333, 7.9, 9}},
    {[[q:reshape {2, 5}:quantile({0, 0.3, 0.5, 0.875}, {axis = 2, method = "median_unbiased"})]], "4x2", {1, 2, 1,
        2.933333333, 3, 5, 5, 9}},
    {[[q:quantile({0, 0.05, 0.1, 0.25, 0.3, 0.45, 0.5, 0.75, 0.9, 1}, {method = "normal_unbiased"})]], "10", {1, 1,
        1, 1.9375, 2.45, 3, 3.5, 5.0625, 7.8, 9}},
    {[[q:reshape {2, 5}:quantile({0, 0.3, 0.5, 0.875}, {axis = 2, method = "normal_unbiased"})]], "4x2", {1, 2, 1,
        2.95, 3, 5, 4.96875, 8.90625}},
    {[[q:quantile({0, 0.05, 0.1, 0.25, 0.3, 0.45, 0.5, 0.75, 0.9, 1}, {method = "lower"})]], "10", {1, 1, 1, 2, 2,
        3, 3, 5, 6, 9}},
    {[[q:reshape {2, 5}:quantile({0, 0.3, 0.5, 0.875}, {axis = 2, method = "lower"})]], "4x2", {1, 2, 1, 3, 3, 5, 4,
        6}},
    {[[q:quantile({0, 0.05, 0.1, 0.25, 0.3, 0.45, 0.5, 0.75, 0.9, 1}, {method = "higher"})]], "10", {1, 1, 1, 3, 3,
        4, 4, 5, 9, 9}},
    {[[q:reshape {2, 5}:quantile({0, 0.3, 0.5, 0.875}, {axis = 2, method = "higher"})]], "4x2", {1, 2, 3, 5, 3, 5,
        5, 9}},
    {[[q:quantile({0, 0.05, 0.1, 0.25, 0.3, 0.45, 0.5, 0.75, 0.9, 1}, {method = "midpoint"})]], "10", {1, 1, 1, 2.5,
        2.5, 3.5, 3.5, 5, 7.5, 9}},
    {[[q:reshape {2, 5}:quantile({0, 0.3, 0.5, 0.875}, {axis = 2, method = "midpoint"})]], "4x2", {1, 2, 2, 4, 3, 5,
        4.5, 7.5}},
    {[[q:quantile({0, 0.05, 0.1, 0.25, 0.3, 0.45, 0.5, 0.75, 0.9, 1}, {method = "nearest"})]], "10", {1, 1, 1, 2, 3,
        3, 3, 5, 6, 9}},
    {[[q:reshape {2, 5}:quantile({0, 0.3, 0.5, 0.875}, {axis = 2, method = "nearest"})]], "4x2", {1, 2, 1, 3, 3, 5,
        5, 9}},
}

local function elements(value)
    return type(value) == "table" and not rill.type(value) and value or
        rill.type(value) and value:values() or {value}
end

local function near(code, expected, got, tolerance)
    assert.equal(#expected, #got, code)
    for i, want in ipairs(expected) do
        local have = got[i]
        if type(want) == "boolean" or want ~= want or math.abs(want) == inf then
            assert(want == have or want ~= want and have ~= have, ("%s: element %d is %s"):format(code, i, have))
        else
            assert(math.abs(want - have) <= tolerance * math.max(1e-3, math.abs(want)),
                ("%s: element %d is %.9g, expected %.9g"):format(code, i, have, want))
        end
    end
end

describe("the words of numpy", function()
    leaks.watch(setup, teardown)

    for _, row in ipairs(CASES) do
        -- The cases of quantiles along axes have the methods of those of all elements.
        local long <const> = row[1]:find("q:reshape", 1, true) and not row[1]:find "hazen"
        it("give its results: " .. row[1] .. (long and " #long" or ""), function()
            local result <const> = assert(load(STREAMS .. row[1], row[1]))(rill)
            near(row[1], row[3], elements(result), 5e-6)
            if row[2] and rill.type(result) then
                assert.equal(row[2], table.concat(result.shape, "x"))
            end
        end)
    end

    it("accept doubles, integers, views and expressions", function()
        local d <const> = rill.from({{1, 2, 3}, {4, 5, 6}}, "double")
        local soft <const> = d:softmax(1)
        near("softmax", {1 / (1 + math.exp(3)), 1 / (1 + math.exp(-3))}, {soft:get(1, 1), soft:get(2, 1)}, 1e-14)
        near("logsumexp", {math.log(math.exp(1) + math.exp(2) + math.exp(3))}, {d:logsumexp(2):get(1)}, 1e-14)
        assert.equal("double", rill.from({1, 2}, "int"):softmax().type)
        assert.equal("double", rill.trapz(rill.from({{1, 2}}, "int")).type)
        assert.equal("double", rill.from({1, 2}, "int"):ewm {alpha = 0.5}.type)
        assert.equal("float", rill.from({1, 2}, "half"):softmax().type)
        local view <const> = rill.iota {4, 6}:cast "float":domain({2, 2}, {3, 5}):stride(1, 2)
        near("view", rill.tril(view:copy()):values(), rill.tril(view):values(), 0)
        near("view", rill.gradient(view:copy(), {axis = 1}):values(), rill.gradient(view, {axis = 1}):values(), 0)
        near("view", rill.diagonal(view:copy()):values(), rill.diagonal(view):values(), 0)
        near("view", view:copy():ewm {alpha = 0.5}:values(), view:ewm {alpha = 0.5}:values(), 0)
        local e <const> = rill.from {1, 2, 4} * 2
        near("expression", {2, 3, 4}, rill.gradient(e):values(), 0)
        near("expression", {9}, {rill.trapz(e)}, 0)
        near("bool", {1, 0, 0, 1}, rill.tril(rill.eye(2, "bool")):cast "int":values(), 0)
        local vectors <const> = rill.from({{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}, "vec2")
        near("vectors", {1, 2, 0, 0, 5, 6, 7, 8}, rill.tril(vectors):values(), 0)
        near("vectors", {1, 2, 7, 8}, rill.diagonal(vectors):values(), 0)
    end)

    it("accept streams without elements", function()
        local empty <const> = rill.zeros {0, 3}
        assert.equal("0x3", tostring(empty:softmax(1).shape))
        assert.equal("0x3", tostring(empty:ewm {alpha = 0.5}.shape))
        assert.equal("0x3", tostring(rill.tril(empty).shape))
        assert.equal(0, rill.diagonal(empty).size)
        assert.equal("0x6", tostring(rill.kron(empty, rill.ones(2)).shape))
        near("logsumexp", {-inf, -inf, -inf}, empty:logsumexp(1):values(), 0)
        assert.equal(-inf, empty:logsumexp())
        assert.equal(0, empty:nansum())
        assert.is_nil(empty:nanmean())
        assert.is_nil(empty:nanquantile(0.5))
        near("trapz", {0, 0, 0}, rill.trapz(empty, {axis = 1}):values(), 0)
        assert.equal("0x2", tostring(rill.cumtrapz(empty).shape))
        assert.equal(0, rill.polyval({1, 2}, rill.zeros(0)).size)
        assert.equal(0, rill.isclose(empty, 1):eval().size)
        assert.equal(0, rill.roots({}).size)
        assert.equal(0, rill.roots({5}).size)
        assert.equal(0, rill.roots({0, 0}).size)
        assert.equal(0, (rill.unravel_index(rill.stream("int", 0), {2, 3})).size)
    end)

    it("gives the largest element of softmax without overflow", function()
        near("floats", {0, 1, 0}, rill.from {-3e38, 3e38, 0}:softmax():values(), 1e-6)
        near("floats", {3e38}, {rill.from {-3e38, 3e38, 0}:logsumexp()}, 1e-6)
        near("doubles", {1e308}, {rill.from({1e308, -1e308}, "double"):logsumexp()}, 0)
    end)

    it("finds indices", function()
        local rows, columns = rill.unravel_index({22, 41, 37}, {7, 6})
        near("rows", {3, 6, 6}, rows:values(), 0)
        near("columns", {4, 5, 1}, columns:values(), 0)
        local i, j, k = rill.unravel_index(rill.iota(24):reshape {4, 6}, {2, 3, 4})
        for flat = 0, 23 do
            assert.same({flat // 12, flat // 4 % 3, flat % 4}, {i:get(flat // 6 + 1, flat % 6 + 1),
                j:get(flat // 6 + 1, flat % 6 + 1), k:get(flat // 6 + 1, flat % 6 + 1)})
        end
        assert.equal("3", tostring((rill.unravel_index({0, 1, 2}, 3)).shape))
    end)

    it("means of doubles have the precision of doubles", function()
        local s <const> = rill.from({{nan, 1, 2, nan, 3}, {1, nan, nan, nan, 7}}, "double")
        near("nanmean", {2, 4}, s:nanmean(2):values(), 1e-15)
        local t <const> = rill.from({{nan, 1}, {2, 2}, {nan, 4}}, "double")
        near("keep", {2, 7 / 3}, t:nanmean(1, {keep = true}):values(), 1e-15)
    end)

    it("weighted means stay during any number of NaN", function()
        local list <const> = {1}
        for i = 2, 400 do list[i] = nan end
        list[401] = 2
        local s <const> = rill.from(list)
        for _, o in ipairs {{alpha = 0.9}, {alpha = 1}, {com = 0, adjust = false}, {alpha = 0.9, adjust = false}} do
            local y <const> = s:ewm(o)
            assert.same({1, 1, 1, 2}, {y:get(1), y:get(2), y:get(400), y:get(401)})
        end
        local g <const> = rill.grad(function(x) return x:ewm {alpha = 1}:sum() end)
        near("gradient", {2, 0, 1, 1}, g(rill.from {1, nan, 2, 3}):values(), 1e-6)
    end)

    it("means over long series", function()
        local s <const> = rill.random({3, 20000}, {seed = 1, type = "double"})
        local list, got = s[2]:values(), s:ewm {span = 50, adjust = false}[2]:values()
        local y = list[1]
        for i, value in ipairs(list) do
            y = i == 1 and value or y + 2 / 51 * (value - y)
            assert.is_true(math.abs(got[i] - y) < 1e-13)
        end
    end)
end)

describe("rill.roots", function()
    leaks.watch(setup, teardown)

    -- Checks that p(z) is as small as its rounding error for each root z, and the sum of the roots.
    local function verify(p, tolerance)
        local list = rill.roots(p):values()
        assert.equal(2 * (#p - 1), #list)
        local sum, size = 0.0, 0.0
        for i = 1, #list, 2 do
            local a, b = list[i], list[i + 1]
            local re, im, bound = 0.0, 0.0, 0.0
            for _, c in ipairs(p) do
                re, im = re * a - im * b + c, re * b + im * a
                bound = bound * math.sqrt(a * a + b * b) + math.abs(c)
            end
            assert.is_true(math.sqrt(re * re + im * im) <= 8 * #p * 0x1p-53 * bound, ("root %d"):format(i // 2 + 1))
            sum, size = sum + a, size + math.abs(a)
        end
        assert.is_true(math.abs(sum + p[2] / p[1]) <= tolerance * size)
        return list
    end

    it("are those of known polynomials", function()
        near("real", {1, 0, 2, 0, 3, 0}, rill.roots {1, -6, 11, -6}:values(), 1e-13)
        near("conjugate", {-1, -2, -1, 2}, rill.roots {1, 2, 5}:values(), 1e-13)
        near("linear", {-2.5, 0}, rill.roots {2, 5}:values(), 0)
        near("zeros", {-1, 0, 0, 0, 0, 0}, rill.roots {0, 1, 1, 0, 0}:values(), 1e-13)
        near("stream", {-2, 0, 2, 0}, rill.roots(rill.from {1, 0, -4}):values(), 1e-13)
        near("scales", {-1e8, 0, -1e-8, 0}, rill.roots {1, 1e8 + 1e-8, 1}:values(), 1e-12)
        near("huge", {-1e300, 0, -1, 0}, rill.roots {1e-300, 1, 1}:values(), 1e-12)
        check.raises("rill.roots: argument #1 'p': a root is beyond the range of doubles: coefficient 2 is too small",
            rill.roots, {0, 5e-324, 1, 1})
        near("tiny and huge", {-1e100, 0, 1e-100, 0}, rill.roots {1, 1e100, -1}:values(), 1e-12)
    end)

    it("are zeros of the polynomials", function()
        local wilkinson = {1.0}
        for root = 1, 12 do
            for k = #wilkinson + 1, 1, -1 do
                wilkinson[k] = (wilkinson[k] or 0.0) - root * (wilkinson[k - 1] or 0.0)
            end
        end
        local list <const> = verify(wilkinson, 1e-8)
        for i = 1, 12 do
            assert.is_true(math.abs(list[2 * i - 1] - i) < 1e-7)
            assert.equal(0, list[2 * i])
        end
        local unity = {1}
        for k = 2, 33 do unity[k] = 0 end
        unity[34] = -1
        local circle <const> = verify(unity, 1e-13)
        for i = 1, 66, 2 do
            assert.is_true(math.abs(circle[i] ^ 2 + circle[i + 1] ^ 2 - 1) < 1e-15)
            assert.is_true(math.abs(math.sin(33 * math.atan(circle[i + 1], circle[i]))) < 3e-14)
        end
        for _, part in ipairs((rill.roots {1, -5, 10, -10, 5, -1} - {1, 0}):eval():values()) do
            assert.is_true(math.abs(part) < 5e-3) -- a root of multiplicity 5: the fifth root of the rounding errors
        end
        local state, random = 7, {}
        for k = 1, 60 do
            state = state * 6364136223846793005 + 1442695040888963407
            random[k] = (state >> 11) * 0x1p-53 - 0.5
        end
        verify(random, 1e-12)
    end)

    it("refuse other arguments", function()
        check.raises("rill.roots: argument #1 'p': coefficient 2 is not a finite number", rill.roots, {1, nan})
        check.raises("rill.roots: argument #1 'p': expected one dimension, got shape 2x2", rill.roots, {{1, 2}, {3, 4}})
        check.raises("rill.roots: argument #1 'p': the degree 1001 is above the limit of 1000", rill.roots,
            rill.ones(1002))
    end)
end)

describe("rill.polyfit", function()
    leaks.watch(setup, teardown)

    it("finds polynomials of a high degree", function()
        local x <const> = rill.linspace(-1, 1, 400, "double")
        local p <const> = rill.polyfit(x, rill.polyval({1, 0, -0.5, 0, 0.25, 3, -2, 1, 0, 0, 0, 0, 0.125}, x), 12)
        near("degree 12", {1, 0, -0.5, 0, 0.25, 3, -2, 1, 0, 0, 0, 0, 0.125}, p:values(), 1e-6)
        local far <const> = rill.polyfit(x * 1e-3 + 1e3, 2 * x + 1, 1):values()
        near("far from 0", {2000, 1 - 2e6}, far, 1e-9)
    end)

    it("refuses too few points and other arguments", function()
        check.raises("rill.polyfit: degree 2 requires 3 different points, got 2", rill.polyfit, {1, 1, 2}, {1, 2, 3}, 2)
        check.raises("rill.polyfit: degree 1 requires 2 different points, got 0", rill.polyfit, rill.zeros(0),
            rill.zeros(0), 1)
        check.raises("rill.polyfit: the points, their values and weights must be finite", rill.polyfit,
            {1, nan}, {1, 2}, 1)
        check.raises("rill.polyfit: option 'weights': fewer than 2 of the different points have weights", rill.polyfit,
            {1, 2, 3}, {1, 2, 3}, 1, {weights = {0, 0, 1}})
        check.raises("rill.polyfit: a coefficient is beyond the range of doubles: scale argument #1 'x'", rill.polyfit,
            {1e-200, 2e-200, 3e-200}, {1, 2, 3}, 2)
        near("weights", {1, 0}, rill.polyfit({1, 2, 3}, {1, 2, 3}, 1, {weights = {1e-200, 1e-200, 1e-200}}):values(),
            1e-12)
        check.raises("rill.polyfit: argument #2 'y': expected 2 elements as in 'x', got 3", rill.polyfit,
            {1, 2}, {1, 2, 3}, 1)
        check.raises("rill.polyfit: argument #3 'degree': expected a whole number from 0 to 1000, got number %-1",
            rill.polyfit, {1, 2}, {1, 2}, -1)
        check.raises("rill.polyfit: argument #2 'y': it has no gradient", function()
            return rill.grad(function(y) return rill.polyfit({1, 2}, y, 1):sum() end)(rill.ones(2))
        end)
    end)
end)

describe("the words of numpy", function()
    leaks.watch(setup, teardown)

    it("refuse other arguments", function()
        local m <const> = rill.ones {2, 3}
        for message, call in pairs {
            ["s:softmax: argument #1 'axis': expected 1 .. 2"] = function() return m:softmax(3) end,
            ["s:logsumexp: argument 's': expected a stream of numbers"] = function()
                return rill.stream("vec2", 2):logsumexp()
            end,
            ["s:nanmean: unknown option 'axes': expected axis, keep; did you mean 'axis'?"] = function()
                return m:nanmean {axes = 1}
            end,
            ["rill.isclose: argument #1 'a': expected an open stream, got nil"] = function()
                return rill.isclose(nil, 1)
            end,
            ["rill.gradient: dimension 1 has 2 elements, but edge_order 2 requires 3"] = function()
                return rill.gradient(m, {edge_order = 2})
            end,
            ["rill.gradient: option 'spacing': expected 3 coordinates, one for each index along axis 2"] = function()
                return rill.gradient(m, {axis = 2, spacing = {{1, 2}}})
            end,
            ["rill.gradient: option 'spacing': expected one value for each of 2 axes, got 1"] = function()
                return rill.gradient(m, {spacing = {1}})
            end,
            ["rill.gradient: option 'spacing': expected a number other than 0"] = function()
                return rill.gradient(m, {spacing = 0})
            end,
            ["rill.trapz: expected the option 'x' or the option 'spacing', got both"] = function()
                return rill.trapz(m, {x = {1, 2, 3}, spacing = 1})
            end,
            ["rill.trapz: option 'x': expected 3 coordinates, or the shape 2x3 of 'y', got shape 2"] = function()
                return rill.trapz(m, {x = {1, 2}})
            end,
            ["rill.polyval: argument #1 'p': expected one dimension, got shape 2x3"] = function()
                return rill.polyval(m, 1)
            end,
            ["rill.tril: argument #1 's': expected at least two dimensions, got shape 3"] = function()
                return rill.tril(rill.ones(3))
            end,
            ["rill.triu: argument #2 'k': expected a whole number, got number 0.5"] = function()
                return rill.triu(m, 0.5)
            end,
            ["rill.diagonal: option 'axes': expected two different axes"] = function()
                return rill.diagonal(m, {axes = {1, -2}})
            end,
            ["rill.kron: expected at most 4 dimensions"] = function()
                return rill.kron(m, rill.ones {1, 1, 1, 1, 2})
            end,
            ["s:rot90: argument #2 'axes': expected two different axes"] = function() return m:rot90(1, {1, 1}) end,
            ["s:rot90: argument #2 'axes': expected a table of two axes"] = function() return m:rot90(1, 1) end,
            ["s:rot90: the elements of this view are not regularly spaced"] = function() return m:tile(2):rot90() end,
            ["rill.tensordot: the result would have 10 dimensions, but the limit is 8"] = function()
                return rill.tensordot(rill.ones {1, 1, 1, 1, 1}, rill.ones {1, 1, 1, 1, 1}, 0)
            end,
            ["rill.unravel_index: argument #1 'indices': expected 0-based indices from 0 to 5, got 6"] = function()
                return rill.unravel_index(rill.from({5, 6}, "int"), {2, 3})
            end,
            ["unravel_index: argument #1 'indices': expected 0-based indices from 0 to 5, got 4294967295"] = function()
                return rill.unravel_index(rill.from({0, 4294967295}, "uint"), {2, 3})
            end,
            ["unravel_index: argument #1 'indices': expected 0-based indices from 0 to 5, got 77"] = function()
                return rill.unravel_index(rill.from({{0, 1}, {2, 77}}, "int"), {2, 3})
            end,
            ["rill.roots: argument #1 'p': it has no gradient"] = function()
                return rill.grad(function(q) return rill.roots(q).x:sum() end)(rill.from {1, 2})
            end,
            ["s:rot90: argument #1 'k': expected a whole number"] = function() return m:rot90(0.5) end,
            ["rill.unravel_index: argument #1 'indices': expected 0-based indices from 0 to 5"] = function()
                return rill.unravel_index({6}, {2, 3})
            end,
            ["rill.unravel_index: argument #2 'shape': expected 1 to 8 sizes"] = function()
                return rill.unravel_index({0}, {})
            end,
            ["rill.unravel_index: argument #1 'indices': expected integers, got elements of float"] = function()
                return rill.unravel_index(m, {2, 3})
            end,
            ["rill.geomspace: expected two positive or two negative numbers, got 0 and 1"] = function()
                return rill.geomspace(0, 1, 3)
            end,
            ["rill.geomspace: argument #4 'type': expected \"float\" or \"double\", got \"int\""] = function()
                return rill.geomspace(1, 2, 3, "int")
            end,
            ["s:ewm: a decay is missing: expected one of the options 'alpha', 'span', "] = function()
                return m:ewm()
            end,
            ["s:ewm: options 'alpha' and 'span' are two decays: give one of them"] = function()
                return m:ewm {alpha = 0.5, span = 2}
            end,
            ["s:ewm: option 'alpha': expected a number above 0, at most 1, got number 2"] = function()
                return m:ewm {alpha = 2}
            end,
            ["rill.tensordot: axis 2 of a has size 3, but axis 1 of b has size 2"] = function()
                return rill.tensordot(m, m, 1)
            end,
            ["rill.tensordot: argument #3 'axes': expected a whole number from 0 to the smaller rank"] = function()
                return rill.tensordot(m, m, 3)
            end,
            ["rill.tensordot: argument #3 'axes': expected as many axes of a as of b"] = function()
                return rill.tensordot(m, m, {{1, 2}, {1}})
            end,
            ["rill.tensordot: argument #3 'axes': expected different axes"] = function()
                return rill.tensordot(m, m, {{1, 1}, {1, 2}})
            end,
            ["rill.inner: the last dimension of a has size 3, that of b has size 2"] = function()
                return rill.inner(m, m:transpose())
            end,
            ["rill.vdot: argument #2 'b': expected 6 elements as in 'a', got 2"] = function()
                return rill.vdot(m, rill.ones(2))
            end,
            ["rill.vdot: expected two streams of numbers, or two of vec2 or dvec2, got float and vec2"] = function()
                return rill.vdot(rill.ones(2), rill.stream("vec2", 2))
            end,
            ["s:pad: option 'boundary': dimension 1 has no elements to continue"] = function()
                return rill.zeros(0):pad {before = 1, boundary = "reflect"}
            end,
            ["s:quantile: option 'method': expected "] = function() return m:quantile(0.5, {method = "cubic"}) end,
        } do
            local text <const> = check.failure(call)
            assert(text:find(message, 1, true), text .. "\nexpected: " .. message)
        end
    end)

    -- Weights make the adjoints of the elements differ.
    it("have gradients", function()
        local s <const> = rill.from({{0.3, -1.2, 0.8}, {1.7, 0.4, -0.6}}, "double")
        local u <const> = rill.from({0.1, 0.5, 0.7}, "double")
        local SHORT <const> = {nanmean = true, nanquantile = true, gradient_points = true, cumtrapz = true,
            polyval_p = true, kron = true, ewm = true}
        local function weighted(r)
            if type(r) == "number" or #r == 1 then return r end
            return (r * rill.iota(r.size):reshape(r.shape)):sum()
        end
        for name, f in pairs {
            softmax = function(x) return x:softmax(2) end, softmax_all = function(x) return x:softmax() end,
            logsumexp = function(x) return x:logsumexp(1) end, logsumexp_all = function(x) return x:logsumexp() end,
            nansum = function(x) return x:nansum(1) end, nanmean = function(x) return x:nanmean(2) end,
            nanmean_all = function(x) return x:nanmean() end, nanquantile = function(x) return x:nanquantile(0.3) end,
            nanquantile_axis = function(x) return x:nanquantile(0.3, {axis = 2}) end,
            hazen = function(x) return x:quantile(0.4, {method = "hazen"}) end,
            higher = function(x) return x:quantile({0.4, 0.9}, {axis = 2, method = "higher"}) end,
            gradient = function(x) return rill.gradient(x, {axis = 2, edge_order = 2}) end,
            gradient_points = function(x) return rill.gradient(x, {axis = 2, spacing = u}) end,
            trapz = function(x) return rill.trapz(x, {x = u}) end, trapz_line = function(x) return rill.trapz(x[1]) end,
            cumtrapz = function(x) return rill.cumtrapz(x, {initial = 0, spacing = 2}) end,
            polyval = function(x) return rill.polyval({2, -1, 3}, x) end,
            polyval_p = function(x) return rill.polyval(x[2], u) end,
            tril = function(x) return rill.tril(x) end, triu = function(x) return rill.triu(x, 1) end,
            diagonal = function(x) return rill.diagonal(x, {offset = 1}) end,
            kron = function(x) return rill.kron(x, x) end, rot90 = function(x) return x:rot90():copy() end,
            tensordot = function(x) return rill.tensordot(x, x, {1, 1}) end,
            inner = function(x) return rill.inner(x, x) end, vdot = function(x) return rill.vdot(x, 2 * x) end,
            pad = function(x) return x:pad {before = 3, after = 2, boundary = "reflect"} end,
            ewm = function(x) return x:ewm {alpha = 0.4} end,
            ewm_axis = function(x) return x:ewm {span = 3, axis = 1} end,
            ewm_adjust = function(x) return x:ewm {alpha = 0.4, adjust = false} end,
        } do
            if os.getenv "RILL_SUITE_LONG" or SHORT[name] then
                local done, message = pcall(rill.grad_check, function(x) return weighted(f(x)) end, s)
                assert(done, name .. ": " .. tostring(message))
            end
        end
        local y <const> = (u * u):eval()
        rill.grad_check(function(x) return rill.trapz(y, {x = x}) end, u)
        rill.grad_check(function(x) return rill.gradient(y, {spacing = x}):domain(2, 2):sum() end, u)
    end)

    it("have gradients of elements that are not NaN", function()
        local s <const> = rill.from({1, nan, 3, 4}, "double")
        near("nansum", {1, 0, 1, 1}, rill.grad(function(x) return x:nansum() end)(s):values(), 0)
        near("nanmean", {1 / 3, 0, 1 / 3, 1 / 3}, rill.grad(function(x) return x:nanmean() end)(s):values(), 1e-14)
        near("ewm", {1 / 7, 0, 6 / 7}, rill.grad(function(x)
            return (x:ewm {alpha = 2 / 3, adjust = false} * rill.from({0, 0, 1}, "double")):sum()
        end)(rill.from({1, nan, 3}, "double")):values(), 1e-12)
    end)
end)
