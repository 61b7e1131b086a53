-- Files of columns that are written by hand, and round trips.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local order = require "spec.support.order"
local tempfiles = require "spec.support.tempfiles"

local nan <const>, inf <const> = 0 / 0, math.huge

-- Parts of random names and texts.
local PIECES <const> = {
    "a", "x", "7", "2020", "-1.5", "1,5", "1e3", "nan", "NA", "inf", "null", "true", " ", "\t", ",", ";", "|", '"', "'",
    "\n", "\r", "\r\n", "#", "\xEF\xBB\xBF", "\xFF\xFE", "\xFE\xFF", "é", "\0", "\v", "\f", "0x10", "(h;m;s)",
    "_2", "c1", ".", "%", "-", "N/A", "#N/A", "None", "\xC2\xA0",
}

describe("files of columns", function()
    local files
    leaks.watch(setup, teardown)
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    local function load_text(text, options, name)
        return rill.csv.load(files:write(name or "in.csv", text), options)
    end

    -- Compares a file with {name, values, name, values, ...}.
    local function holds(expected, text, options, name)
        local t = load_text(text, options, name)
        assert.equal(#expected, 2 * #t.names)
        for i = 1, #t.names do
            local column, values = t[i], expected[2 * i]
            assert.equal(expected[2 * i - 1], t.names[i])
            assert.equal(column, t[t.names[i]])
            if type(column) == "table" then
                assert.same(values, column)
            else
                assert.equal("double", column.type)
                check.equal(values, column:values())
            end
        end
    end

    local function refused(names, text, options)
        table.insert(names, 1, "rill.csv.load: ")
        check.names(names, load_text, text, options)
    end

    it("with and without a header, line ends and a byte order mark", function()
        holds({"a", {1, 3}, "b", {2, 4}}, "a,b\n1,2\n3,4\n")
        holds({"a", {1, 3}, "b", {2, 4}}, "\xEF\xBB\xBFa,b\r\n1,2\r\n3,4")
        holds({"a", {1, 3}, "b", {2, 4}}, "\n\na,b\r1,2\r\r\n3,4\r")
        holds({"c1", {1, 3}, "c2", {2, 4}}, "1,2\n3,4\n")
        holds({"c1", {"a", "1"}, "c2", {"b", "2"}}, "a,b\n1,2\n", {header = false})
        holds({"1", {3}, "2", {4}}, "1,2\n3,4\n", {header = true})
        holds({"c1", {1}, "c2", {nan}}, "1,NA\n")
        holds({"a", {}, "b", {}}, "a,b")
        holds({"a", {}}, "a\n")
        holds({"c1", {7}}, "7")
        holds({"c1", {nan, nan}, "c2", {nan, nan}}, ",\n,\n")
    end)

    it("with other delimiters, comments and lines to skip", function()
        holds({"x", {1, 3}, "y,z", {2, 4}, "w", {5, 6}}, "x;y,z;w\n1;2;5\n3;4;6\n")
        holds({"x", {1}, "y", {2}}, "x\ty\n1\t2\n")
        holds({"x", {1}, "y", {2}}, "x|y\n1|2\n")
        holds({"x,1", {1}}, "x,1\n1\n", nil, "in.tsv")
        holds({"x", {1}, "y", {2}}, "x y\n1 2\n", {delimiter = " "})
        holds({"x", {1.5, -2}, "y", {2e3, nan}}, "x;y\n1,5;2e3\n-2;\n", {decimal = ","})
        holds({"x", {1, 2}}, "about\nthis\n#x\nx\n1\n#2\n2\n", {skip = 2, comment = "#"})
        holds({"x", {'1"', '"2'}}, 'x\n1"\n"2\n', {quote = false})
        holds({"x", {"a,b", "1"}, "y", {2, 3}}, "x,y\n'a,b',2\n1,3\n", {quote = "'"})
        holds({'"a', {1}, 'b"', {2}}, '"a,b"\n1,2\n', {quote = false})
    end)

    it("with quotes, line breaks in fields and huge fields", function()
        holds({"a", {"x,\n\"y\"", ""}, "b", {1, 2}}, 'a,b\n"x,\n""y""",1\n"","2" \n')
        holds({"a \"q\"", {1}}, '"a ""q"""\n"1"\n')
        holds({"a", {'x"y', '"'}}, 'a\nx"y\n""""\n')
        local huge = ("ab"):rep(300000)
        holds({"t", {huge, huge}, "n", {1, 2}}, ('t,n\n%s,1\n"%s",2\n'):format(huge, huge))
        holds({"n", {("1"):rep(200)}}, "n\n" .. ("1"):rep(200))
        holds({"t", {"\0a", "é"}}, "t\n\0a\né\n")
        refused({"line 2: a quoted field is not closed"}, 'a\n"1\n2\n')
        refused({"line 3: unexpected text after a quoted field"}, 'a\n"1\n"2\n')
        refused({"line 1: a quoted field is not closed"}, '"')
        refused({"line 2: unexpected text after a quoted field"}, 'path,agent,ms\n/a,"Mozilla "5.0"",3\n/b,x,4\n')
        refused({"line 2: unexpected text after a quoted field"}, 'path;agent\n/a;"Mozilla "5.0""\n')
        refused({"line 1: unexpected text after a quoted field"}, 'path,"a"b\n/a,1\n')
        refused({"line 2: a quoted field is not closed"}, 'a,b\n1,"x\n2,y\n')
        holds({"a,b", {'1,"x', "2"}}, 'a,b\n1,"x\n2\n', {delimiter = ";"})
        holds({"a,b", {"1"}, "c", {2}}, '"a,b"\tc\n"1"\t2\n', {type = {["a,b"] = "text"}})
    end)

    it("with numbers, missing values and text", function()
        holds({"x", {nan, nan, inf, -inf, inf, nan, nan, nan, nan}},
            "x\nnan\nNaN\ninf\n-Infinity\n+INF\nNA\nnull\nN/A\nNone\n")
        holds({"x", {1, -999, nan}}, "x\n1\n-999\n?\n", {missing = {"?"}})
        holds({"x", {1, nan, nan}}, "x\n1\n-999\n?\n", {missing = {"?", "-999.0", "-999"}})
        holds({"x", {1, 2, 0.5, -0.25, 12}, "y", {nan, 3, 4, 5, 6}}, "x,y\n 1 , \n+2,3\n.5,4\n-.25,5\n1.2e1,6\n")
        holds({"x", {0.1, 123456789.12345679, 2 ^ 53 + 2, 5e-324, 1.7976931348623157e308, inf}},
            "x\n0.1\n123456789.123456789\n9007199254740993.00000000001\n5e-324\n1.7976931348623157e308\n1e999\n")
        for _, word in ipairs {"0x10", "nan(1)", "1 2", "1e", "--1", "true", "1_000", "infinit"} do
            holds({"x", {"1", word}}, "x\n1\n" .. word .. "\n")
        end
        holds({"x", {"", "NA", "a"}, "y", {1, 2, 3}}, "x,y\n,1\nNA,2\na,3\n")
    end)

    it("in a locale with a decimal comma", function()
        local old = os.setlocale(nil, "numeric")
        for _, name in ipairs {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8"} do
            if os.setlocale(name, "numeric") then break end
        end
        local good, message = pcall(function()
            holds({"x", {0.1, 1.2345678901234567890123, 1e-300}, "y", {5, 6, 7}},
                "x,y\n0.1,5\n1.2345678901234567890123,6\n1e-300,7\n")
            local path = files:path "locale.csv"
            rill.csv.save(path, {x = {0.1, 1 / 3}})
            assert.equal("x\n0.1\n0.3333333333333333\n", tempfiles.read(path))
        end)
        os.setlocale(old, "numeric")
        assert(good, message)
    end)

    it("with equal, empty and reserved names", function()
        holds({"a", {1}, "a_2", {2}, "c3", {3}, "a_2_2", {4}, "a_3", {5}}, "a,a,, a_2 ,a\n1,2,3,4,5\n")
        local t = load_text "names,b\n1,2\n"
        assert.same({"names", "b"}, t.names)
        check.equal({1}, t[1]:values())
    end)

    it("whose delimiter divides all rows alike", function()
        holds({"time (h;m;s)", {1, 3}, "x", {2, 4}}, "time (h;m;s),x\n1,2\n3,4\n")
        holds({"size|kind|place;n", {1, 3}, "x", {2, 4}}, "size|kind|place;n\tx\n1\t2\n3\t4\n")
        holds({"time (h;m;s)", {1, 2}}, "time (h;m;s)\n1\n2\n")
        holds({"a,b;c|d\te", {1}}, "a,b;c|d\te\n1\n")
        holds({"a", {1.5, 2.5}, "b,c", {2, 3}}, "a;b,c\n1,5;2\n2,5;3\n", {decimal = ","})
        holds({"x", {1, 2}, "u;v;w", {"p;q", "r"}}, 'x,"u;v;w"\n1,"p;q"\n2,"r"\n')
        holds({"a;b;c", {}, "d", {}}, '"a;b;c",d\n')
        refused({"line 2 has 3 fields: expected 2, as in line 1"}, "a,b\n1,2,3\n")
    end)

    it("whose names are numbers in quotes", function()
        holds({"2020", {1, 3}, "2021", {2, 4}}, '"2020","2021"\n1,2\n3,4\n')
        holds({"2020", {"a"}}, '"2020"\na\n')
        holds({"2020", {}, "NA", {}}, '"2020","NA"\n')
        holds({" x ", {1}, "y", {2}}, '" x ", y \n1,2\n')
        -- If all numbers are in quotes, the first row contains values.
        holds({"c1", {1, 3}, "c2", {2, 4}}, '"1","2"\n"3","4"\n')
        holds({"c1", {2020, 1}, "c2", {2021, 2}}, '"2020",2021\n1,2\n')
        holds({"c1", {nan, nan}}, '""\n""\n')
    end)

    it("of which columns and types are chosen", function()
        local text = "id,x,n,ok\n007,0.1,-5,true\n008,0.30000001192092896,250,0\n"
        local t = load_text(text, {columns = {"x", 1}, type = {id = "text", [2] = "float"}})
        assert.same({"x", "id"}, t.names)
        assert.same({"007", "008"}, t.id)
        assert.equal("float", t.x.type)
        check.equal({check.float32(0.1), check.float32(0.3)}, t.x:values())
        t = load_text(text, {columns = {"n", "ok"}, type = {n = "int16", ok = "bool"}})
        assert.same({"int16", "bool"}, {t.n.type, t.ok.type})
        check.equal({-5, 250}, t.n:values())
        check.equal({true, false}, t.ok:values())
        check.equal({-5, 250}, load_text(text, {columns = "n", type = "half"}).n:values())
        -- 1 + 2^-24 + 2^-60 is nearest to 1 + 2^-23 as a float, but the nearest double is between two floats.
        t = load_text("x\n1.000000059604644775390625000001\n", {type = "float"})
        assert.equal(1 + 2 ^ -23, t.x:get(1))
        refused({'line 3, field 3: expected a whole number from -128 to 127, got "250"'}, text, {type = {n = "int8"}})
        refused({"line 2, field 3: expected a whole number from 0 to 4294967295"}, text, {type = {n = "uint"}})
        refused({'line 2, field 2: expected a whole number from', 'got "0.1"'}, text, {type = {x = "int"}})
        refused({'line 3, field 1: expected a whole number', 'got ""'}, "a,b\n1,1\n,1\n", {type = "int"})
        refused({'line 2, field 4: expected a number, got "true"'}, text, {type = {ok = "float"}})
        refused({'line 2, field 1: expected true or false, got "maybe"'}, "a\nmaybe\n", {type = "bool"})
        refused({'line 2, field 1: expected true or false, got "NA"'}, "a\nNA\n", {type = "bool"})
    end)

    it("that are empty, ragged or in another encoding", function()
        refused({"cannot read", "in.csv", "the file is empty"}, "")
        refused({"it has no rows"}, "\n\n")
        refused({"it has no rows"}, "a,b\n", {skip = 5})
        refused({"it has no rows"}, "\xEF\xBB\xBF")
        refused({"UTF-16"}, "\xFF\xFEa\0")
        refused({"line 3 has 1 field: expected 2, as in line 1"}, "a,b\n1,2\n3\n")
        refused({"line 5 has 3 fields: expected 2, as in line 1"}, 'a,b\n"1\n\n",2\n3,4,5\n')
        check.names({"rill.csv.load: cannot read", "No such file"}, rill.csv.load, files:path "none.csv")
    end)

    it("with invalid options and arguments", function()
        local text = "a,b\n1,2\n"
        refused({"option 'delimiter': expected one character", '"ab"'}, text, {delimiter = "ab"})
        refused({"option 'delimiter': expected one character"}, text, {delimiter = "e"})
        refused({"options 'delimiter' and 'decimal': expected different"}, text, {delimiter = ",", decimal = ","})
        refused({"options 'delimiter' and 'quote': expected different"}, text, {delimiter = ";", quote = ";"})
        refused({"option 'columns': the file has no column \"c\": its 2 columns are a, b"}, text, {columns = "c"})
        refused({"option 'columns': the file has no column number 3"}, text, {columns = {3}})
        refused({"option 'type': the file has no column \"c\""}, text, {type = {c = "int"}})
        refused({"option 'type': expected", 'for column "a", got "vec3"'}, text, {type = {a = "vec3"}})
        refused({"option 'type': expected", 'got "vec3"'}, text, {type = "vec3"})
        refused({"option 'missing'"}, text, {missing = {1}})
        refused({"option 'skip'"}, text, {skip = -1})
        check.names({"rill.csv.load: argument #1 'path'"}, rill.csv.load, 3)
    end)

    it("that are read again after they were written", function()
        local path = files:path "out.csv"
        local x = rill.from({0.1, 1 / 3, -1e300, 5e-324, nan, inf, -inf, 2 ^ 60, -0.0, 123456789012345}, "double")
        local f = x:cast "float"
        local words = {"", "a,b", 'say "x"', " y", "l\nm", "\t", "r\r", "7", "é", "#z"}
        rill.csv.save(path, {names = {"x", "f", "w", "m"}, x = x, f = f, w = words, m = x:gt(0)})
        local t = rill.csv.load(path, {type = {f = "float", m = "bool"}})
        assert.equal(x:bytes():gsub("\0\0\0\0\0\0\xf8\xff", "\0\0\0\0\0\0\xf8\x7f"),
            (t.x:bytes():gsub("\0\0\0\0\0\0\xf8\xff", "\0\0\0\0\0\0\xf8\x7f")))
        check.equal(f:values(), t.f:values())
        check.equal(x:gt(0):values(), t.m:values())
        assert.same(words, t.w)
        rill.csv.save(path, t)
        assert.same(words, rill.csv.load(path).w)
    end)

    it("with any names and texts, which are read again", function()
        local path = files:path "any.csv"
        local random = order.generator(38)
        local function pick(list) return list[random(#list) + 1] end
        local function text()
            local parts = {}
            for i = 1, random(4) do
                parts[i] = pick(PIECES)
            end
            return table.concat(parts)
        end
        for _ = 1, 400 do
            local columns, names, types, used = {}, {}, {}, {[""] = true, names = true}
            local rows, comma = random(4), random(4) == 0
            for c = 1, 1 + random(3) do
                repeat names[c] = pick {text(), pick(PIECES)} until not used[names[c]]
                local column = {}
                types[c], used[names[c]] = pick {"text", "double"}, true
                for row = 1, rows do
                    column[row] = types[c] == "text" and text() or pick {nan, inf, -inf, 0.1, -7, 1e300, 2 ^ 53}
                end
                columns[names[c]] = types[c] == "text" and column or rill.from(column, "double")
            end
            columns.names = names
            local delimiter <const> = pick(comma and {";", "\t", "|"} or {",", ";", "\t", "|"})
            rill.csv.save(path, columns, {delimiter = delimiter, decimal = comma and "," or nil})
            local t = rill.csv.load(path, {type = types, decimal = comma and "," or nil})
            local message <const> = ("%q"):format(tempfiles.read(path))
            assert.same(names, t.names, message)
            for c, name in ipairs(names) do
                if types[c] == "text" then
                    assert.same(columns[name], t[c], message)
                else
                    check.equal(columns[name]:values(), t[c]:values())
                end
            end
        end
    end)

    it("that are written in other forms", function()
        local path = files:path "out.tsv"
        local function written(columns, options)
            rill.csv.save(path, columns, options)
            return tempfiles.read(path)
        end
        assert.equal("b\ta\n1\tx y\n2\t\n", written {names = {"b", "a"}, a = {"x y", ""}, b = {1, 2}})
        assert.equal("a\tb\n3\t1\n", written {a = {3}, b = {1}})
        assert.equal("0.33333,NA\n", written({{1 / 3}, {nan}}, {header = false, digits = 5, missing = "NA",
            delimiter = ","}))
        assert.equal('a\n1\n""\n', written({a = {1, nan}}, {missing = ""})) -- a blank line would be skipped
        check.equal({1, nan}, rill.csv.load(path).a:values())
        assert.equal('a,b\n"?,",2\n', written({a = {nan}, b = {2}}, {missing = "?,", delimiter = ","}))
        path = files:path "out.csv"
        assert.equal("a;b\n0,5;1e+300\n", written({a = {0.5}, b = {1e300}}, {decimal = ","}))
        assert.equal("c1,c2\n1,2\n", written {rill.from({1}, "uint8"), rill.from {2}})
        assert.equal("a\n", written {a = {}})
        assert.equal('a\n""\n', written {a = {""}})
        assert.equal("a\n0.1\n16777216\n", written {a = rill.from({0.1, 16777217}, "float")})
        assert.equal("a\n3\n", written {a = rill.from {1} + 2})
        local matrix = rill.stream("float", {4, 2}, function(i, j) return 10 * i + j end)
        assert.equal("c1\n11\n21\n31\n41\n", written {matrix:domain({1, 1}, {4, 1}):reshape(4)})

        local function wrong(names, columns, options)
            table.insert(names, 1, "rill.csv.save: ")
            check.names(names, rill.csv.save, path, columns, options)
        end
        wrong({'column "a": expected a stream of numbers with one dimension, got elements of vec3'},
            {a = rill.stream("vec3", 2)})
        wrong({'column "a": expected a stream of numbers', "shape 2x2"}, {a = rill.stream("int", {2, 2})})
        wrong({'column "b" has 1 row, but column "a" has 2'}, {a = {1, 2}, b = {1}})
        wrong({"'names' lists \"z\", which is not a column"}, {names = {"z"}, a = {1}})
        wrong({'column "a": expected only strings or only numbers'}, {a = {1, "x"}})
        wrong({"expected at least one column"}, {})
        wrong({'expected different names that are not empty, got "";'}, {[""] = {1}, a = {1}})
        wrong({'expected different names that are not empty, got "a" twice'}, {names = {"a", "a"}, {1}, {2}})
        wrong({"argument #2 'columns': expected a table of columns, got number 3"}, 3)
        wrong({"column \"a\": expected a stream or a table"}, {a = "x"})
        wrong({"options 'delimiter' and 'decimal'"}, {a = {1}}, {delimiter = ",", decimal = ","})
        assert.equal("c1\n11\n21\n31\n41\n", tempfiles.read(path))
    end)
end)
