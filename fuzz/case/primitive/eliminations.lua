-- rill.solve.lu, cholesky and tridiagonal: diagonally dominant matrices of small integers, with exchanged rows for
-- lu, and right-hand sides with integer solutions.
local source = require "fuzz.support.source"

local makers = {}

-- rows[i][j]; optionally symmetric, or with three diagonals only.
local function dominant(d, n, symmetric, band)
    local rows = {}
    for i = 1, n do
        rows[i] = {}
        for j = 1, n do
            rows[i][j] = band and math.abs(i - j) > 1 and 0 or symmetric and j < i and rows[j][i] or
                i ~= j and d:int(0, 6) % 7 - 3 or 0
        end
    end
    for i = 1, n do
        local sum = 1
        for j = 1, n do
            sum = sum + math.abs(rows[i][j])
        end
        rows[i][i] = (symmetric or d:chance(1, 2)) and sum or -sum
    end
    return rows
end

local function times(rows, x)
    local b = {}
    for i, row in ipairs(rows) do
        b[i] = 0
        for j, a in ipairs(row) do
            b[i] = b[i] + a * x[j]
        end
    end
    return b
end

local function stream_text(name, type, shape, values)
    return ("local %s = rill.stream(%q, %s, %s)\n"):format(name, type, source.list(shape), source.list(values))
end

-- Returns the three diagonals of rows, one value for each row.
local function bands_of(rows)
    local bands = {{}, {}, {}}
    for i, row in ipairs(rows) do
        bands[1][i], bands[2][i], bands[3][i] = row[i - 1] or 0, row[i], row[i + 1] or 0
    end
    return bands
end

local function append(list, values)
    return table.move(values, 1, #values, #list + 1, list)
end

function makers.elimination(d)
    local method, type = d:pick {"lu", "cholesky", "tridiagonal"}, d:pick {"float", "double"}
    local n, systems = d:int(1, d:chance(1, 6) and 80 or 20), d:weighted {{4, 0}, {2, d:int(0, 3)}, {1, d:int(30, 40)}}
    n = systems > 3 and math.min(n, 8) or n
    local A, b, x, bands = {}, {}, {}, {{}, {}, {}}
    for _ = 1, systems > 0 and systems or 1 do
        local rows, one = dominant(d, n, method == "cholesky", method == "tridiagonal"), {}
        for i = 1, n do
            one[i] = d:int(0, 10) % 11 - 5
        end
        local by = method == "lu" and d:int(0, n - 1) or 0
        local side = times(rows, one)
        for i = 1, n do
            append(A, rows[(i + by - 1) % n + 1])
            b[#b + 1] = side[(i + by - 1) % n + 1]
        end
        append(x, one)
        for k, band in ipairs(bands_of(rows)) do
            append(bands[k], band)
        end
    end
    local vector, matrix = systems > 0 and {systems, n} or {n}, systems > 0 and {systems, n, n} or {n, n}
    local call = ("rill.solve.%s(A, b%s)"):format(method, d:pick {"", ", {precision = 'mixed'}"})
    local text = stream_text("b", type, vector, b)
    if method == "tridiagonal" then
        for k, name in ipairs {"l", "m", "u"} do
            text = text .. stream_text(name, type, vector, bands[k])
        end
        call = call:gsub("%(A", "(l, m, u")
    else
        text = text .. stream_text("A", type, matrix, A)
        if systems == 0 and d:chance(1, 3) then
            text = text .. "local A = A:transpose():copy():transpose()\n"
        end
    end
    return text .. ("local x, report = %s\nsame('elimination', %s, x, 1e-4)\n"):format(call, source.list(x)) ..
        "same('converged', {true}, {report.converged})\n"
end

return makers
