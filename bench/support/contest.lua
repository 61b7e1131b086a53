-- Compares one application of the paper in three versions: rill's kernels, hand-written GLSL over raw OpenGL, and C. Results are compared before timing, and
-- the versions run in turns.
local rill = require "rill"
local peer = require "peer"
local support = require "bench.support"

local contest = {}

local function core_count()
    local pipe <close> = assert(io.popen "nproc")
    return tonumber(pipe:read "l") or 1
end
contest.cores = core_count()

-- Fails if a result differs from rill's by more than a share of the largest value.
local apart = rill.kernel "kernel void apart(float a<>, float b<>, out float r<>) { r = a == b ? 0.0 : abs(a - b); }"
local function verify(title, whose, number, ours, bytes, tolerance)
    local theirs <close> = rill.stream("float", ours.size, bytes)
    local off <close> = apart(ours, theirs)
    local sizes <close> = ours:map "abs(x)"
    local most = off:max()
    if most ~= most or most > tolerance * sizes:max() then
        error(("%s: result %d of %s is off by %g of %g"):format(title, number, whose, most, sizes:max()), 0)
    end
end

-- Returns the same numbers as a stream of floats of one dimension.
local function floats_of(s)
    return s.type == "float" and s:reshape {s.size} or rill.stream("float", s.nbytes // 4, s:bytes())
end

--- contest.run(case): compares the versions of a case. Returns rows and a record of seconds. Fields of case: `title`; `work`, the number of operations; `run`, rill's
--- side, and `outputs`, the streams that it writes; `gl` and `host`, the numbers of the peers' workloads (host may be nil, with the reason `missing`), with
--- `gl_outputs` and `host_outputs`, their buffers in the same order (`in_host_order`: a function that converts the outputs to C's layout); `tolerance`;
--- `reset`, a function called once before results are compared; `compare`, a function used instead of the difference of values.
function contest.run(case)
    if case.reset then case.reset() end
    case.run()
    peer.gl_run(case.gl)
    if case.host then peer.host_run(case.host, 1, 1) end
    local check, tolerance = case.compare or verify, case.tolerance or 1e-6
    for i, s in ipairs(case.outputs) do
        check(case.title, "the GLSL by hand", i, floats_of(s), peer.gl_read(case.gl, case.gl_outputs[i]), tolerance)
    end
    for i, s in ipairs(case.host and (case.in_host_order and case.in_host_order() or case.outputs) or {}) do
        check(case.title, "C", i, floats_of(s), peer.host_read(case.host, case.host_outputs[i]), tolerance)
    end
    local runs, cores = case.runs or 1, contest.cores
    local contenders = {
        function() return support.timed(case.run, runs) end,
        function() return peer.gl_run(case.gl, runs) end,
    }
    if case.host then
        contenders[3] = function() return peer.host_run(case.host, runs, 1) end
        contenders[4] = function() return peer.host_run(case.host, runs, cores) end
    end
    for _, other in ipairs(case.others or {}) do
        contenders[#contenders + 1] = function() return support.timed(other[2], runs) end
    end
    local seconds = {support.race(case.rounds or 9, table.unpack(contenders))}
    local ours, gl, one, all = table.unpack(seconds)
    local c = case.host_name or "C, -O3 -ffast-math"
    local rows = {support.faster(case.title, ours, "GLSL by hand, raw OpenGL", gl, 0.8)}
    if case.host then
        rows[2] = support.faster(case.title, ours, c .. ", 1 thread", one)
        rows[3] = support.faster(case.title, ours, ("%s, %d threads"):format(c, cores), all)
    else
        rows[2] = support.note(case.title .. " in C", case.missing)
    end
    for i, other in ipairs(case.others or {}) do
        rows[#rows + 1] = support.faster(case.title, ours, other[1], seconds[(case.host and 4 or 2) + i])
    end
    return rows, {title = case.title, work = case.work, unit = case.unit or "MFLOPS", rill = ours, gl = gl,
        one = one, all = all, paper = case.paper or ""}
end

--- contest.transfer(title, up, down): returns a line with the seconds for writing the streams `up` and for reading `down`.
function contest.transfer(title, up, down, kernel)
    local texts, bytes_up, bytes_down = {}, 0, 0
    for i, s in ipairs(up) do texts[i], bytes_up = s:bytes(), bytes_up + s.nbytes end
    for _, s in ipairs(down) do bytes_down = bytes_down + s.nbytes end
    local to, from = support.race(5,
        function() return support.timed(function() for i, s in ipairs(up) do s:write(texts[i]) end end, 1) end,
        function() return support.timed(function() for _, s in ipairs(down) do s:bytes() end end, 1) end)
    return {title, bytes_up / 2 ^ 20, to * 1e3, bytes_up / to / 1e9, bytes_down / 2 ^ 20, from * 1e3,
        bytes_down / from / 1e9, kernel * 1e3}
end

return contest
