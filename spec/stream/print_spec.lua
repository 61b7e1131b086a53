-- The text of streams: tostring, rill.print_options.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local preload = require "spec.support.preload"
local process = require "spec.support.process"

-- Compares the text of a stream. The indentation of the first line is removed from all lines.
local function prints(expected, s)
    local indent = expected:match "^ *"
    assert.equal(expected:sub(#indent + 1):gsub("\n" .. indent, "\n"), tostring(s))
end

-- Runs f with options of printing, and restores the former ones.
local function with(options, f)
    local former = rill.print_options(options)
    local good, message = pcall(f)
    rill.print_options(former)
    assert(good, message)
end

describe("tostring of a stream", function()
    leaks.watch(setup, teardown)

    it("shows all elements of a small stream", function()
        prints("stream<float>[0] 0 bytes", rill.zeros(0))
        prints("stream<float>[0x3] 0 bytes", rill.zeros {0, 3})
        prints("stream<float>[1] 4 bytes\n0.5", rill.from {0.5})
        prints("stream<int>[1x1] 4 bytes\n-7", rill.stream("int", {1, 1}, -7))
        prints("stream<bool>[2] 8 bytes\nfalse  true", rill.from {false, true})
        prints("stream<double>[2] 16 bytes\n0.33333333333333  1e+300", rill.from({1 / 3, 1e300}, "double"))
        prints("stream<float>[2] 8 bytes\n0.3333333  1e+30", rill.from {1 / 3, 1e30})
        prints("stream<uint>[2] 8 bytes\n0  4294967295", rill.from({0, 0xFFFFFFFF}, "uint"))
        prints("stream<uint8>[2] 2 bytes\n0  255", rill.from({0, 255}, "uint8"))
        prints("stream<half>[2] 4 bytes\n0.5  65504", rill.from({0.5, 65504}, "half"))
        prints("stream<vec2>[2] 16 bytes\n{1, 2}  {3, 4.5}", rill.from({{1, 2}, {3, 4.5}}, "vec2"))
        prints("stream<float>[4] 16 bytes\nnan  nan  inf  -inf", rill.from {0 / 0, -(0 / 0), 1 / 0, -1 / 0})
        prints([[
        stream<int>[100] 400 bytes
         0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15  16  17  18  19
        20  21  22  23  24  25  26  27  28  29  30  31  32  33  34  35  36  37  38  39
        40  41  42  43  44  45  46  47  48  49  50  51  52  53  54  55  56  57  58  59
        60  61  62  63  64  65  66  67  68  69  70  71  72  73  74  75  76  77  78  79
        80  81  82  83  84  85  86  87  88  89  90  91  92  93  94  95  96  97  98  99]], rill.iota(100))
        local s = rill.iota(3)
        s:close()
        prints("closed stream", s)
    end)

    it("shows structures", function()
        local Point = rill.struct("Point", "vec2 at; int id; bool on;")
        prints("stream<Point>[2] 32 bytes\n{at={1, 2}, id=3, on=true}  {at={0, 0}, id=0, on=false}",
            rill.stream(Point, 2, {{at = {1, 2}, id = 3, on = true}, {at = {0, 0}, id = 0, on = false}}))
    end)

    it("aligns the columns of matrices", function()
        prints([[
        stream<float>[3x3] 36 bytes
         -3  -0.5    2
        4.5     7  9.5
         12  14.5   17]], rill.iota {3, 3} * 2.5 - 3)
        prints([[
        stream<bool>[2x2] 16 bytes
         true  false
        false   true]], rill.from {{true, false}, {false, true}})
        prints([[
        stream<ivec2>[2x2] 32 bytes
           {0, 1}     {10, 11}
        {200, 21}  {3000, 301}]], rill.from({{{0, 1}, {10, 11}}, {{200, 21}, {3000, 301}}}, "ivec2"))
    end)

    it("shows streams of more dimensions as matrices with their indices", function()
        prints([[
        stream<int>[2x2x3] 48 bytes
        [1]
        0   1   2
        3   4   5
        [2]
        6   7   8
        9  10  11]], rill.iota {2, 2, 3})
        prints("stream<int>[1x2x1x1] 8 bytes\n[1, 1]\n0\n[1, 2]\n1", rill.iota {1, 2, 1, 1})
        prints([[
        stream<int>[10x10x10x10] 39.1 KiB
        [1, 1]
           0     1     2  ...     7     8     9
          10    11    12  ...    17    18    19
          20    21    22  ...    27    28    29
        ...
          70    71    72  ...    77    78    79
          80    81    82  ...    87    88    89
          90    91    92  ...    97    98    99
        ...
        [1, 10]
         900   901   902  ...   907   908   909
         910   911   912  ...   917   918   919
         920   921   922  ...   927   928   929
        ...
         970   971   972  ...   977   978   979
         980   981   982  ...   987   988   989
         990   991   992  ...   997   998   999
        ...
        [10, 1]
        9000  9001  9002  ...  9007  9008  9009
        9010  9011  9012  ...  9017  9018  9019
        9020  9021  9022  ...  9027  9028  9029
        ...
        9070  9071  9072  ...  9077  9078  9079
        9080  9081  9082  ...  9087  9088  9089
        9090  9091  9092  ...  9097  9098  9099
        ...
        [10, 10]
        9900  9901  9902  ...  9907  9908  9909
        9910  9911  9912  ...  9917  9918  9919
        9920  9921  9922  ...  9927  9928  9929
        ...
        9970  9971  9972  ...  9977  9978  9979
        9980  9981  9982  ...  9987  9988  9989
        9990  9991  9992  ...  9997  9998  9999]], rill.iota {10, 10, 10, 10})
    end)

    it("shows the first and the last elements of a large stream", function()
        prints("stream<int>[101] 404 bytes\n0  1  2  ...  98  99  100", rill.iota(101))
        prints([[
        stream<int>[8x20] 640 bytes
          0    1    2  ...   17   18   19
         20   21   22  ...   37   38   39
         40   41   42  ...   57   58   59
        ...
        100  101  102  ...  117  118  119
        120  121  122  ...  137  138  139
        140  141  142  ...  157  158  159]], rill.iota {8, 20})
        prints([[
        stream<int>[50x3] 600 bytes
          0    1    2
          3    4    5
          6    7    8
        ...
        141  142  143
        144  145  146
        147  148  149]], rill.iota {50, 3})
        prints("stream<int>[1x101] 404 bytes\n0  1  2  ...  98  99  100", rill.iota {1, 101})
        local seven = tostring(rill.iota {7, 100}):gsub("^.-\n", "")
        assert.equal(7, select(2, seven:gsub("[^\n]+", ""))) -- no row is replaced by "..."
    end)

    it("shows views, iterators and expressions", function()
        local m = rill.iota {12, 12}
        prints("stream<int>[2x2] 16 bytes\n26  24\n38  36", m:domain({3, 1}, {4, 3}):stride(1, -2))
        prints([[
        stream<int>[12x12] 576 bytes
         0  12  24  ...  108  120  132
         1  13  25  ...  109  121  133
         2  14  26  ...  110  122  134
        ...
         9  21  33  ...  117  129  141
        10  22  34  ...  118  130  142
        11  23  35  ...  119  131  143]], m:transpose())
        prints("stream<int>[3] 12 bytes\n7  5  3", rill.iota(9):domain(4, 8):stride(-2))
        prints("stream<int>[101] 404 bytes\n100  99  98  ...  2  1  0", rill.iota(101):flip())
        prints("stream<float>[4] 16 bytes\n0  0.25  0.5  0.75", rill.iter("float", 4, 0, 1))
        prints("stream<float>[200] 800 bytes\n0  1  2  ...  197  198  199", rill.iter("float", 200, 0, 200))
        prints("stream<int>[6] 24 bytes\n0  1  0  1  0  1", rill.iota(2):tile(3))
        prints("stream<int>[3] 12 bytes\n1  2  3", rill.iota(3) + 1)
        prints("stream<int>[3] 12 bytes\n7  8  9", rill.iota(10):filter "x > 6") -- only the device has its length
    end)

    it("breaks rows that are too long", function()
        prints([[
        stream<vec3>[2x2] 48 bytes
        {0.1234567, 0.1234567, 0.1234567}  {0.1234567, 0.1234567, 0.1234567}
        {0.1234567, 0.1234567, 0.1234567}  {0.1234567, 0.1234567, 0.1234567}]],
            rill.full({2, 2}, {0.1234567, 0.1234567, 0.1234567}))
        with({width = 20}, function()
            prints([[
            stream<int>[2x9] 72 bytes
            0   1   2   3   4
               5   6   7   8
            9  10  11  12  13
              14  15  16  17]], rill.iota {2, 9})
            prints("stream<int>[7] 28 bytes\n  0  100  200  300\n400  500  600", rill.iota(7) * 100)
            prints([[
            stream<int>[100x100] 39.1 KiB
               0  ...    99
             100  ...   199
             200  ...   299
            ...
            9700  ...  9799
            9800  ...  9899
            9900  ...  9999]], rill.iota {100, 100})
            prints("stream<vec2>[2] 16 bytes\n{0.3333333, 0.3333333}\n                {0, 0}",
                rill.from({{1 / 3, 1 / 3}, {0, 0}}, "vec2"))
        end)
    end)

    it("describes containers by their pages", function()
        local c = rill.sparse("float", {8, 8}, {page = {4, 4}}):allocate {1, 1}
        assert.equal("container<float>[8x8], pages, 1 of 4 pages mapped", tostring(c))
    end)

    it("reads back only what it shows", function()
        local library = preload("glcount", pending)
        local file = os.tmpname()
        local text = process.output(([[
            local rill = require "rill"
            local dump = assert(package.loadlib("%s", "rill_glcount_dump"))
            local function bytes()
                dump()
                for line in io.lines "%s" do
                    local count = line:match "^bytes_read (%%d+)"
                    if count then return tonumber(count) end
                end
            end
            local s = rill.random(10000000, {seed = 1})
            rill.sync()
            local m = s:reshape {2500, 4000}
            for _, view in ipairs {s, m, m:transpose(), s:reshape {100, 100, 1000}} do
                local before = bytes()
                tostring(view)
                print("bytes", bytes() - before)
            end
        ]]):format(library, file), {LD_PRELOAD = library, RILL_GLCOUNT = file, RILL_FAMILY = "gpu"})
        os.remove(file)
        local counts = {}
        for bytes in text:gmatch "bytes\t(%d+)" do
            counts[#counts + 1] = tonumber(bytes)
        end
        assert.same({4 * 6, 4 * 36, 4 * 36, 4 * 72}, counts)
    end)
end)

describe("rill.print_options", function()
    it("sets precision, threshold, edge items and width, and returns the former options", function()
        local defaults = {precision = "auto", threshold = 100, edge_items = 3, width = 80}
        assert.same(defaults, rill.print_options())
        assert.same(defaults, rill.print_options {precision = 3})
        assert.same({precision = 3, threshold = 100, edge_items = 3, width = 80},
            rill.print_options {threshold = 5.0, edge_items = 1})
        prints("stream<double>[2] 16 bytes\n0.333  1.23e+05", rill.from({1 / 3, 123456}, "double"))
        prints("stream<int>[6] 24 bytes\n0  ...  5", rill.iota(6))
        assert.same({precision = 3, threshold = 5, edge_items = 1, width = 80}, rill.print_options(defaults))
        assert.same(defaults, rill.print_options {})
        prints("stream<double>[1] 8 bytes\n0.33333333333333", rill.from({1 / 3}, "double"))
        with({precision = 17}, function() prints("stream<float>[1] 4 bytes\n0.10000000149011612", rill.from {0.1}) end)
        with({threshold = 0}, function() prints("stream<int>[3] 12 bytes\n0  1  2", rill.iota(3)) end)
        with({threshold = 2 ^ 31 - 1}, function()
            assert.equal(10000, select(2, tostring(rill.zeros {100, 100}):gsub("%f[%d]0%f[%D]", "")))
        end)
    end)

    it("refuses other values, and changes nothing then", function()
        local before = rill.print_options()
        for option, case in pairs {
            precision = {{0, 18, 2.5, "all", 0 / 0}, 'expected a whole number from 1 to 17 or "auto"'},
            threshold = {{-1, 1.5, math.huge, "1"}, "expected a whole number from 0 to 2147483647"},
            edge_items = {{0, 1001, false}, "expected a whole number from 1 to 1000"},
            width = {{0, 10001, {}}, "expected a whole number from 1 to 10000"},
        } do
            for _, value in ipairs(case[1]) do
                check.names({"rill.print_options: option '" .. option .. "': " .. case[2] .. ", got "},
                    rill.print_options, {[option] = value})
            end
        end
        check.names({"rill.print_options: unknown option 'linewidth'"}, rill.print_options, {linewidth = 1})
        check.names({"rill.print_options: expected a table of options, got number 5"}, rill.print_options, 5)
        assert.same(before, rill.print_options())
    end)
end)
