-- The lid-driven cavity of Ghia, Ghia and Shin (1982), against the values of a solver of its own that is refined until
-- it changes no more.
local rill = require "rill"
local example = require "spec.support.example"
local warning = require "rill.core.warning"

local FOLDER <const> = "../shared/reference/"

-- The rows of a table of reference values: coordinate and columns by their names.
local function rows_of(name)
    local file = io.open(FOLDER .. name)
    if not file then
        return nil
    end
    local rows, names = {}, nil
    for line in file:lines() do
        local row, k = {}, 0
        for word in line:gmatch "[^,]+" do
            k = k + 1
            row[names and names[k] or k] = names and tonumber(word) or word
        end
        if line:sub(1, 1) ~= "#" then
            names, rows[#rows + 1] = names or row, names and row or nil
        end
    end
    file:close()
    return rows
end

-- A cavity of unit width at rest with itself; the lid is the high side of y.
local function cavity(reynolds, seconds)
    local n = 128
    local f = rill.fluid {
        shape = {n, n}, spacing = 1 / n, viscosity = 1 / reynolds, dt = 2 / n, cfl = 4,
        boundary = {y = {"wall", {velocity = {1, 0}}}},
    }
    for _ = 1, math.ceil(seconds * n / 2) do
        f:step()
    end
    return f, n
end

-- The largest difference along a center line, of component k: u over y, or v over x. `lid`: its value at the high end.
local function difference(f, n, rows, column, k, lid)
    local values, worst = f.velocity:values(), 0
    local function cell(i, j)
        return values[2 * ((i - 1) * n + j - 1) + k]
    end
    local function along(c)
        if c < 1 then
            return -along(1)
        elseif c > n then
            return 2 * lid - along(n)
        end
        local middle = n // 2
        return k == 1 and 0.5 * (cell(c, middle) + cell(c, middle + 1)) or 0.5 * (cell(middle, c) + cell(middle + 1, c))
    end
    for _, row in ipairs(rows) do
        local place = row.coord * n + 0.5
        local low = math.floor(place)
        local value = along(low) + (place - low) * (along(low + 1) - along(low))
        worst = math.max(worst, math.abs(value - row[column]))
    end
    return worst
end

describe("a cavity whose lid moves", function()
    local u, v = rows_of "cavity_u_vertical_centerline.csv", rows_of "cavity_v_horizontal_centerline.csv"
    local write
    setup(function() write, warning.write = warning.write, function() end end)
    teardown(function() warning.write = write end)

    it("is drawn by an example, which checks itself #long", function()
        local script = example.open()
        finally(function() script:close() end)
        script:run("cavity", 100, 8, script.directory, "--movie")
        script:picture("cavity.png", 384, 384)
        script:picture("cavity-movie.png", 384, 384)
        script:names "cavity.png"
        script:says "off by at most 0%."
        local done, message = pcall(script.run, script, "cavity", 100, "x", script.directory)
        assert.is_false(done)
        assert.matches("cells: expected a whole number", tostring(message), 1, true)
    end)

    for _, case in ipairs {{100, 8, "converged100", 0.01}, {400, 20, "converged400", 0.01}, {1000, 40, "ghia1000",
        0.02}} do
        local reynolds, seconds, column, most = table.unpack(case)
        it(("is that of the tables at Re = %d #long"):format(reynolds), function()
            if not u or not v then
                pending("the tables of reference values are not beside this tree")
                return
            elseif reynolds > 100 and rill.device().software and rill.device().family == "gpu" then
                pending("takes minutes with a GPU's variants on a processor; Re = 100 is run")
                return
            end
            local f, n = cavity(reynolds, seconds)
            local off_u, off_v = difference(f, n, u, column, 1, 1), difference(f, n, v, column, 2, 0)
            assert(off_u < most and off_v < most, ("u %.4f, v %.4f"):format(off_u, off_v))
        end)
    end
end)
