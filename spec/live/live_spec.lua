-- Tests of rill.live with a browser that is written in Lua: panels, controls, events, pause, recordings.
local found = pcall(require, "rill.live.core")
local rill = require "rill"
local process = require "spec.support.process"
local tempfiles = require "spec.support.tempfiles"
local browser = found and require "spec.support.browser"

describe("rill.live", function()
    local views, files = {}, tempfiles.open()
    teardown(function() files:close() end)

    local function open(options)
        options = options or {}
        options.port, options.quiet = options.port or 0, true
        local view = rill.live(options)
        views[#views + 1] = view
        return view
    end

    after_each(function()
        for _, view in ipairs(views) do view:close() end
        views = {}
    end)

    local function test(name, f)
        it(name, function()
            if not found then
                return pending "there is no libwebsockets here: apt install libwebsockets-dev, and build again"
            end
            f()
        end)
    end

    -- Opens a view and a browser, which has received hello and the layout.
    local function both(options)
        local view = open(options)
        local client = assert(browser.open(view))
        assert.equal("hello", client:next().type)
        assert.equal(1, view.clients)
        return view, client
    end

    -- Returns the next message of a panel.
    local function shown(client, name)
        return assert(client:wait(function(header) return header.name == name and header.type ~= "layout" end))
    end

    -- Returns the next message of a panel for which matches(header) holds. Devices that queue work publish images when the
    -- view goes on.
    local function later(view, client, matches)
        local header
        for _ = 1, 50 do
            view:running()
            header = client:wait(function(h) return h.name and h.type ~= "layout" and matches(h) end, 0.1)
            if header then break end
        end
        return assert(header, "no such message")
    end

    -- Returns the first image of a panel that has a size and shows a part. Devices that queue work publish an image
    -- when the view goes on, so that older ones may come first.
    local function shows(view, client, name, size, part)
        local header
        for _ = 1, 20 do
            view:running()
            header = client:wait(function(h)
                return h.name == name and h.type == "image" and h.shown[1] == size[1] and h.view[1] == part[1]
            end, 0.1)
            if header then break end
        end
        assert.same({size, part}, header and {header.shown, header.view})
        return header
    end

    -- Returns the image of a message as a stream.
    local function decoded(header, type)
        return rill.image.load(files:write("image." .. header.mime:match "%w+$", header.payload), type)
    end

    local function psnr(a, b)
        local d = ((a - b) * (a - b)):eval()
        local mean = d:cast "vec3":sum()
        local total = (mean[1] + mean[2] + mean[3]) / (3 * d.size)
        return total == 0 and math.huge or -10 * math.log(total, 10)
    end

    local function receive(view, client)
        -- A message has been handled when a later one of another socket operation was.
        client.socket:send(browser.frame(9, "x"))
        repeat local opcode = client:read_frame(10) until opcode == 10 or not opcode
        return view:running()
    end

    test("serves the page to whoever has the key", function()
        local view = open {title = "a <b>"}
        local port, key = browser.port_key(view)
        local status, body, text = browser.get(port, "/?key=" .. key)
        assert.equal(200, status)
        assert.matches("live.js?key=" .. key, body, 1, true)
        assert.falsy(body:find("$key", 1, true))
        for _, header in ipairs {"content-security-policy: default-src 'none'", "x-content-type-options: nosniff",
            "referrer-policy: no-referrer", "cache-control: no-store", "x-frame-options: DENY"} do
            assert.matches(header, text, 1, true)
        end
        for _, path in ipairs {"/live.js", "/live.css"} do
            assert.equal(200, (browser.get(port, path .. "?key=" .. key)))
            assert.equal(403, (browser.get(port, path)))
        end
        for _, path in ipairs {"/nothing", "/../live.lua", "/page/live.js", "//etc/passwd", "/live.js/"} do
            assert.equal(404, (browser.get(port, path .. "?key=" .. key)), path)
        end
        local client = assert(browser.open(view))
        local hello = client:next()
        assert.same({type = "hello", title = "a <b>", size = {960, 720}, steer = true, client = 1, payload = ""}, hello)
    end)

    test("shows images of numbers as they are stored in files", function()
        local view, client = both()
        local s = (rill.random({37, 53}) * 3 - 1):eval()
        local path = files:path "image.png"
        for name, options in pairs {plain = {}, map = {colormap = "viridis", min = -1, max = 2}, down = {min = 2,
            max = -1}} do
            view:image(name, s, options)
            local header = shown(client, name)
            assert.same({53, 37}, header.shown)
            assert.same({1, 1, 37, 53}, header.view)
            assert.equal(options.min or 0, header.min)
            assert.equal(options.max or 1, header.max)
            assert.equal(options.colormap, header.colormap)
            rill.image.save(s, path, options)
            local expected = rill.image.load(path, "vec3")
            assert.is_true(psnr(decoded(header, "vec3"), expected) > 50, name)
        end
    end)

    test("shows every type of stream that can be drawn", function()
        local view, client = both()
        for _, case in ipairs {
            {"half", 0.5, 128}, {"double", 0.25, 64}, {"uint8", 200, 200}, {"unorm8", 0.5, 128}, {"bool", 1, 255},
            {"uint16", 65535, 255},
        } do
            local s = rill.stream(case[1], {3, 4})
            s:fill(case[1] == "bool" and true or case[2])
            view:image(case[1], s)
            local values = decoded(shown(client, case[1]), "uint8"):values()
            assert.equal(case[3], values[5], case[1])
        end
        local ints = rill.from({{-5, 0, 5}, {1, 2, 3}}, "int")
        view:image("int", ints)
        assert.same({0, 128, 255}, {table.unpack(decoded(shown(client, "int"), "uint8"):values(), 1, 3)})
        for _, kind in ipairs {"vec3", "vec4", "half4", "unorm8x4"} do
            local s = rill.stream(kind, {2, 2})
            s:fill(kind == "vec3" and {1, 0.5, 0} or {1, 0.5, 0, 1})
            view:image(kind, s)
            local header = shown(client, kind)
            assert.equal("image/png", header.mime)
            local first = decoded(header, "vec3"):get(1, 1)
            assert.same({1, 0}, {first[1], first[3]})
            assert.near(0.5, first[2], 0.003)
        end
        view:image("nan", rill.from({{0 / 0, 1 / 0}, {-1 / 0, 0.5}}, "float"))
        assert.same({0, 255, 0, 128}, decoded(shown(client, "nan"), "uint8"):values())
    end)

    test("reduces an image to the size of its panel, and shows a part of it", function()
        local view, client = both()
        local rows, columns = 400, 600
        local s = rill.kernel [[kernel void ramp(out float r<>) {
            r = float(indexof(r).y) / 400.0 + 0.0 * float(indexof(r).x); }]] {shape = {rows, columns}}
        view:image("ramp", s)
        assert.same({600, 400}, shown(client, "ramp").shown)
        client:send("size", "ramp", 150, 100)
        receive(view, client)
        view:image("ramp", s)
        local header = shows(view, client, "ramp", {150, 100}, {1, 1, 400, 600})
        local column = decoded(header, "float"):domain({1, 70}, {100, 70}):values()
        for i = 1, 100 do
            assert.near((4 * i - 2.5) / 400, column[i], 0.003)
        end
        client:send("view", "ramp", 101, 301, 50, 75)
        receive(view, client)
        view:image("ramp", s)
        header = shows(view, client, "ramp", {75, 50}, {101, 301, 50, 75})
        assert.near(100 / 400, decoded(header, "float"):get(1, 1), 0.003)
        client:send("view", "ramp", 399.5, 599.5, 5, 5)
        receive(view, client)
        view:image("ramp", s)
        shows(view, client, "ramp", {5, 5}, {396, 596, 5, 5})
    end)

    test("reads images back asynchronously on devices that queue work", function()
        local view, client = both()
        view._state.queues = true
        local s = rill.random({20, 30})
        for i = 1, 3 do
            s:fill(i / 4)
            view:image("s", s)
            s:fill(0)
            local header = later(view, client, function(h) return h.name == "s" end)
            local values = decoded(header, "uint8"):values()
            assert.equal(({64, 128, 191})[i], values[7])
            local stop = rill.clock() + 0.05
            repeat until rill.clock() > stop
        end
    end)

    test("tells the value under the pointer", function()
        local view, client = both()
        local s = rill.from({{1, 2, 3}, {4, 5, 6}}, "float")
        view:image("s", s)
        shown(client, "s")
        client:send("probe", "s", 2.4, 3.3)
        receive(view, client)
        view:image("s", s)
        assert.same({row = 2, column = 3, text = "6"}, shown(client, "s").value)
    end)

    test("shows curves, histograms, texts, tables, meshes and the profile", function()
        local view, client = both {fps = 1000}
        for i = 1, 5 do view:plot("energy", i * i) end
        view:plot("energy", 36, {points = 3, log = true, xlabel = "step"})
        local start = rill.clock()
        repeat until rill.clock() > start + 0.002
        view:running() -- publishes what came too early
        local header
        repeat header = shown(client, "energy") until header.log
        assert.same({{name = "energy", n = 3}}, header.series)
        assert.same({4, 5, 6, 16, 25, 36}, {table.unpack({("<dddddd"):unpack(header.payload)}, 1, 6)})
        assert.same({"y", "step"}, {header.log, header.xlabel})
        view:plot("empty", 5, {}) -- no options
        assert.equal(1, shown(client, "empty").series[1].n)
        view:plot("pair", rill.from({1, 2}, "float"), {3, 4})
        assert.same({1, 2, 3, 4}, {table.unpack({("<dddd"):unpack(shown(client, "pair").payload)}, 1, 4)})
        view:plot("named", {b = 1, a = 0 / 0})
        header = shown(client, "named")
        assert.same({{name = "a", n = 1}, {name = "b", n = 1}}, header.series)
        view:histogram("h", rill.from({0, 0, 1, 2}, "float"), {bins = 2})
        header = shown(client, "h")
        assert.same({0, 2, 2}, {header.min, header.max, header.bins})
        assert.same({2, 2}, {table.unpack({("<dd"):unpack(header.payload)}, 1, 2)})
        view:text("t", "a\nb\"\\\0</script>\xff")
        assert.equal("a\nb\"\\\0</script>?", shown(client, "t").text)
        view:table("rows", {{name = "x", n = 1}, {name = "y"}}, {columns = {"name", "n"}})
        header = shown(client, "rows")
        assert.same({{name = "name", type = "text"}, {name = "n", type = "number"}}, header.columns)
        assert.same({{"x", "1"}, {"y", ""}}, header.rows)
        view:table("columns", {a = rill.iota(500), b = {1.5}}, {rows = 2})
        header = shown(client, "columns")
        assert.equal(500, header.total)
        assert.same({{"0", "1.5"}, {"1", ""}}, header.rows)
        view:mesh("m", rill.mesh.icosphere(1))
        header = shown(client, "m")
        assert.same({"mesh", 960, 720}, {header.type, header.shown[1], header.shown[2]})
        view:profile()
        rill.iota(10):sum()
        os.execute "sleep 1.1"
        view:profile()
        header = shown(client, "profile")
        assert.equal("kernel", header.columns[1].name)
        assert.is_true(#header.rows > 0)
    end)

    test("turns meshes and points with the mouse", function()
        local view, client = both {size = {64, 48}}
        local points = rill.from({{0, 0, 0}, {0, 0, 1}}, "vec3")
        view:mesh("p", points, {camera = {eye = {0, 0, 5}, target = {0, 0, 0.5}}, color = "red", background = "black",
            radius = 0.1})
        local function lit(header)
            return decoded(header, "vec3").x:gt(0.3):eval():cast "int":sum()
        end
        local first = lit(shown(client, "p"))
        assert.is_true(first > 4)
        client:send("orbit", "p", math.pi / 2, 0, 1) -- a quarter of a turn shows both
        receive(view, client)
        view:mesh("p", points, {camera = {eye = {0, 0, 5}, target = {0, 0, 0.5}}, color = "red", background = "black",
            radius = 0.1})
        assert.is_true(lit(shown(client, "p")) > 1.5 * first)
        client:send("orbit", "p", 0, 0, 0.5)
        client:send("orbit", "p", 0, 100, 1)
        receive(view, client)
        view:mesh("p", points, {color = "red", background = "black", radius = 0.1})
        assert.is_true(lit(shown(client, "p")) > 0)
    end)

    test("has controls that browsers and the script change", function()
        local view, client = both()
        local slider = view:slider("slider", {min = 0, max = 2, value = 1})
        local whole = view:number("whole", {min = 1, max = 9, step = 2})
        local number = view:number("number")
        local choice = view:choice("choice", {"a", "b"})
        local toggle = view:toggle("toggle", {value = true})
        local button = view:button("button")
        assert.equal(slider, view:slider("slider", {min = 0, max = 2}))
        assert.same({1, 1, 0, "a", true, 0}, {slider.value, whole.value, number.value, choice.value, toggle.value,
            button.value})
        view:running()
        for _, message in ipairs {{"slider", 0.5}, {"whole", 6.1}, {"number", -1e6}, {"choice", 2}, {"toggle", 0},
            {"button", "press"}, {"button", "press"}} do
            client:send("set", message[1], message[2])
        end
        receive(view, client)
        assert.same({0.5, 7, -1e6, "b", false, 2}, {slider.value, whole.value, number.value, choice.value, toggle.value,
            button.value})
        assert.equal("integer", math.type(whole.value))
        for _, control in ipairs {slider, whole, number, choice, toggle, button} do
            assert.is_true(control.changed)
        end
        view:running()
        assert.is_false(slider.changed)
        slider.value = 2
        local layout = assert(client:wait(function(h) return h.type == "layout" and h.controls[1]
            and h.controls[1].value == 2
        end))
        assert.same({name = "slider", type = "slider", min = 0, max = 2, value = 2}, layout.controls[1])
        assert.same({name = "number", type = "number", value = -1e6}, layout.controls[3])
        assert.same({name = "choice", type = "choice", min = 1, max = 2, value = 2, choices = {"a", "b"}},
            layout.controls[4])
        assert.is_false(layout.controls[5].value)
        assert.has_error(function() slider.value = 3 end,
            "control 'slider': value: expected a number from 0 to 2, got number 3")
        assert.has_error(function() button.value = 3 end)
        assert.has_error(function() toggle.value = 1 end)
        assert.has_error(function() choice.value = "c" end)
    end)

    test("ignores values that a control cannot have", function()
        local view, client = both()
        local slider = view:slider("slider", {min = 0, max = 2, value = 1})
        local toggle, choice = view:toggle "toggle", view:choice("choice", {"a"})
        for _, message in ipairs {{"slider", 3}, {"slider", "press"}} do client:send("set", message[1], message[2]) end
        receive(view, client)
        client:close()
        client = assert(browser.open(view))
        for _, message in ipairs {{"toggle", 2}, {"choice", 1.5}} do client:send("set", message[1], message[2]) end
        receive(view, client)
        assert.same({1, false, "a"}, {slider.value, toggle.value, choice.value})
        assert.is_false(slider.changed or toggle.changed or choice.changed)
    end)

    test("passes on the events of pointer and keys", function()
        local view, client = both()
        local called = {}
        view:on("drag", function(event) called[#called + 1] = event end)
        view:image("i", rill.stream("float", {10, 20}))
        client:send("pointer", "i", "press", 2, 3.25, 1)
        client:send("pointer", "i", "drag", 4, 3, 1)
        client:send("pointer", "i", "drag", -7, 100, 1)
        client:send("pointer", "i", "release", 5, 5, 0)
        client:send("key", "i", "ArrowLeft", "press")
        client:send("key", "i", "é", "release")
        receive(view, client)
        local list = {}
        for event in view:events() do list[#list + 1] = event end
        assert.same({
            {panel = "i", type = "press", row = 2, column = 3.25, drow = 0, dcolumn = 0, buttons = 1},
            {panel = "i", type = "drag", row = 4, column = 3, drow = 2, dcolumn = -0.25, buttons = 1},
            {panel = "i", type = "drag", row = 0.5, column = 20.5, drow = -3.5, dcolumn = 17.5, buttons = 1},
            {panel = "i", type = "release", row = 5, column = 5, drow = 4.5, dcolumn = -15.5, buttons = 0},
            {panel = "i", type = "key", key = "ArrowLeft", row = 5, column = 5, drow = 0, dcolumn = 0},
            {panel = "i", type = "keyup", key = "é", row = 5, column = 5, drow = 0, dcolumn = 0},
        }, list)
        assert.same({list[2], list[3]}, called)
        assert.is_nil(view:events()())
    end)

    test("calls a function once per event", function()
        local view, client = both()
        local called = 0
        view:on("press", function() called = called + 1 end)
        view:image("i", rill.stream("float", {10, 20}))
        client:send("pointer", "i", "press", 2, 3, 1)
        receive(view, client)
        view:running()
        assert.equal(1, called)
        client:send("pointer", "i", "press", 2, 3, 1)
        receive(view, client)
        assert.equal(2, called)
        local count = 0
        for _ in view:events() do count = count + 1 end
        assert.equal(2, count)
        view:on("release", function() view:close() end)
        client:send("pointer", "i", "release", 2, 3, 0)
        repeat until not view:running()
    end)

    test("ignores events of a panel that was removed since", function()
        local view, client = both()
        local internal = require "rill.live.view"
        view:image("i", rill.stream("float", {10, 20}))
        for _, message in ipairs {{"view", "i", 1, 1, 4, 4}, {"probe", "i", 1, 1}, {"size", "i", 50, 50},
            {"key", "i", "a", "press"}, {"pointer", "i", "press", 1, 1, 1}} do
            client:send(table.unpack(message))
        end
        local stop = rill.clock() + 5
        repeat until view._state.server:counts().messages == 5 or rill.clock() > stop
        internal.retype(view, "i", "text")
        assert.is_true(view:running())
        assert.is_nil(view:events()())
        -- The number of panels counts those that exist.
        for i = 1, 300 do
            view:text("t" .. i, i)
            internal.retype(view, "t" .. i, nil)
        end
        view:text("last", "x")
        assert.equal("x", shown(client, "last").text)
    end)

    test("does not draw what was closed since", function()
        local view, client = both()
        local mesh, s = rill.mesh.box(), rill.stream("float", {4, 4})
        view:mesh("one", mesh)
        view:mesh("list", {mesh})
        view:image("i", s)
        for _ = 1, 2 do
            view:mesh("one", mesh)
            view:mesh("list", {mesh})
            view:image("i", s)
        end
        local column, curve = rill.iota(3), rill.from({1, 2, 3}, "float")
        for _ = 1, 2 do
            view:table("columns", {a = column, b = {1, 2}})
            view:plot("curve", curve)
        end
        view:plot("other", curve)
        mesh:close()
        s:close()
        column:close()
        curve:close()
        client:send("size", "one", 40, 40)
        client:send("size", "list", 40, 40)
        receive(view, client)
        view:plot("curve", 7)
    end)

    test("does not draw expressions whose memory was written since", function()
        local view, client = both {fps = 1}
        local s, line = rill.zeros({4, 4}), rill.zeros(4)
        local function draw(image, curve)
            view:image("i", image)
            view:plot("p", curve)
            view:plot("q", {y = curve})
            view:histogram("h", curve)
            view:table("t", {a = curve})
        end
        for _ = 1, 4 do -- the last ones are not published yet
            draw(s + 1, line + 1)
        end
        local image, curve = s + 2, line + 2
        draw(image, curve)
        s:set(5, 1, 1)
        line:set(5, 1)
        client:send("run", "stop") -- publishes what was not
        assert.is_false(receive(view, client))
        for name, arguments in pairs {image = {image}, plot = {curve}, histogram = {curve}, table = {{a = curve}}} do
            assert.error_matches(function() view[name](view, name:sub(1, 1), table.unpack(arguments)) end,
                "was built before memory it reads was written")
        end
    end)

    test("publishes what waits if the next value is refused", function()
        local view, client = both {fps = 5}
        local s = rill.zeros {4, 4}
        local stale = s + 1
        s:fill(3)
        for i = 1, 3 do -- the last one waits
            view:image("i", rill.zeros {4, 4}, {min = 0, max = i})
            view:histogram("h", rill.stream("float", i), {min = 0, max = i})
        end
        for _, name in ipairs {"image", "histogram"} do
            assert.is_false(pcall(view[name], view, name:sub(1, 1), stale))
        end
        local last = {}
        local function complete(header)
            last[header.name] = header.max
            return last.i == 3 and last.h == 3
        end
        later(view, client, complete)
    end)

    test("reads the streams of curves when it publishes them", function()
        local view, client = both {fps = 1000}
        local s = rill.from({1, 2, 3}, "float")
        view:plot("p", s, {points = 2})
        local function values(count)
            local header
            repeat header = shown(client, "p") until header.series[1].n == count
            return {("<" .. ("d"):rep(2 * count)):unpack(header.payload)}
        end
        assert.same({2, 3, 2, 3}, {table.unpack(values(2), 1, 4)})
        view:plot("q", s)
        client:close()
        local stop = rill.clock() + 30
        repeat view:running() until view.clients == 0 or rill.clock() > stop
        local report = rill.profile(function()
            for _ = 1, 100 do
                view:plot("p", s, {points = 10})
                view:plot("p", s + 1)
                view:running()
            end
        end)
        assert.equal(0, report.launches)
        s:set(9, 1)
        client = assert(browser.open(view))
        while view.clients == 0 do view:running() end
        view:plot("p", s)
        view:plot("p", 5) -- appends
        local list = {}
        stop = rill.clock() + 30
        while list[5] ~= 9 and rill.clock() < stop do
            view:running()
            list = values(4)
        end
        assert.same({1, 2, 3, 1, 9, 2, 3, 5}, {table.unpack(list, 1, 8)})
    end)

    test("launches nothing when the garbage collector closes it", function()
        local s = rill.random({64, 64})
        local view = rill.live {port = 0, quiet = true, fps = 1}
        local client <close> = assert(browser.open(view))
        while view.clients == 0 do view:running() end
        for _ = 1, 6 do -- the last ones are not published yet
            view:histogram("h", s)
        end
        local report = rill.profile(function()
            view = nil -- luacheck: ignore 311
            collectgarbage()
            collectgarbage()
        end)
        assert.equal(0, report.launches)
        assert.truthy(client:wait "closed")
    end)

    test("shows the profile while the script takes profiles", function()
        local view, client = both {fps = 1000}
        local function wait()
            os.execute "sleep 1.05"
        end
        view:profile()
        local report = rill.profile(function()
            rill.iota(10):sum()
            view:running()
            wait()
            view:profile() -- has no effect here
            rill.iota(11):sum()
        end)
        assert.is_true(report.launches >= 2)
        view:profile()
        rill.iota(12):sum()
        wait()
        view:profile()
        assert.is_true(#shown(client, "profile").rows > 0)
        local other = open()
        assert.has_error(function() other:profile() end, "v:profile: another view measures launches: close it first, "
            .. "as the device has one profile")
        view:close()
        other:profile()
    end)

    test("sends the limits of controls exactly, and keeps to steps", function()
        local view, client = both()
        local angle = view:slider("angle", {min = -math.pi, max = 2 * math.pi})
        local step = view:number("step", {min = 0, max = 10, step = 4})
        local tenth = view:slider("tenth", {min = 0, max = 1, step = 0.1})
        view:running()
        local layout = assert(client:wait(function(h) return h.type == "layout" and h.controls[3] end))
        assert.equal(2 * math.pi, layout.controls[1].max)
        assert.equal(-math.pi, layout.controls[1].min)
        client:send("set", "angle", ("%.17g"):format(layout.controls[1].max))
        client:send("set", "step", 10)
        client:send("set", "tenth", 1)
        receive(view, client)
        assert.same({2 * math.pi, 8, 1}, {angle.value, step.value, tenth.value})
    end)

    test("shows images of equal numbers, and texts that are not UTF-8", function()
        local view, client = both()
        for _, value in ipairs {0, 7} do
            local s = rill.stream("int", {3, 3})
            s:fill(value)
            view:image("i" .. value, s)
            local header = shown(client, "i" .. value)
            assert.same({value, value + 1}, {header.min, header.max})
            assert.equal(0, decoded(header, "float"):max())
        end
        view:text("t", ("a\255é\xe2\x82"):rep(20000))
        assert.equal(("a?é??"):rep(20000), shown(client, "t").text)
        view:plot("p", {1, 2}, {3, 4})
        assert.has_error(function() view:plot("p", {1, 2}, {1, 2, 3}) end)
        assert.is_true(view:running())
    end)

    test("pauses, makes a step, goes on and stops", function()
        local view, client = both()
        local s = rill.stream("float", {4, 4})
        client:send("run", "pause")
        client:send("run", "step")
        assert.is_true(receive(view, client))
        s:fill(1)
        view:image("s", s)
        shown(client, "s")
        s:fill(0)
        view:image("s", s) -- comes too early for 30 frames per second, but is shown by the pause
        client:send("run", "resume")
        assert.is_true(receive(view, client))
        view:image("s", s)
        client:send("run", "stop")
        assert.is_false(receive(view, client))
        assert.is_false(view:running())
        local state = assert(client:wait(function(h) return h.type == "state" and not h.running end))
        assert.equal(2, state.frame)
    end)

    test("lets one browser steer, or all", function()
        local view, first = both()
        local slider = view:slider "slider"
        local second = assert(browser.open(view))
        assert.is_false(second:next().steer)
        second:send("set", "slider", 1)
        receive(view, second)
        assert.equal(0, slider.value)
        second:send("steer", "take")
        assert.is_true(second:wait "hello".steer)
        assert.is_false(first:wait "hello".steer)
        second:send("set", "slider", 1)
        receive(view, second)
        assert.equal(1, slider.value)
        second:close()
        assert.is_true(first:wait "hello".steer)
        local every = open {steer = "all"}
        local a, b = assert(browser.open(every)), assert(browser.open(every))
        assert.is_true(a:next().steer and b:next().steer)
    end)

    test("shows a browser that reconnects everything", function()
        local view, client = both()
        view:text("t", "hello")
        view:slider("slider", {value = 0.5})
        shown(client, "t")
        client:close()
        local again = assert(browser.open(view))
        assert.equal(0.5, again:wait "layout".controls[1].value)
        assert.equal("hello", shown(again, "t").text)
        view:close()
        assert.equal("closed", again:wait "closed".type)
    end)

    test("uses the next port if one is in use", function()
        local first = open()
        local port = browser.port_key(first)
        local second = open {port = port}
        assert.is_true(browser.port_key(second) > port)
        assert.not_equal(select(2, browser.port_key(first)), select(2, browser.port_key(second)))
    end)

    test("records an image as an animated PNG", function()
        local view = open()
        local path = files:path "image.png"
        view:record(path, {fps = 60})
        local s = rill.stream("float", {8, 8})
        for i = 1, 5 do
            view:running()
            s:fill(i / 5)
            view:image("s", s)
            local stop = rill.clock() + 0.04
            repeat until rill.clock() > stop
        end
        view:record()
        local bytes = tempfiles.read(path)
        assert.matches("acTL", bytes, 1, true)
        assert.is_true(select(2, bytes:gsub("fcTL", "")) >= 3)
    end)

    test("shows more panels than a plot in one step without a browser", function()
        local view = open()
        local s = rill.stream("float", {4, 4})
        for _ = 1, 3 do
            assert.is_true(view:running())
            view:image("a", s)
            view:plot("b", 1)
            view:text("c", 1)
        end
        assert.equal(3, view.frame)
    end)

    test("refuses arguments, and names them", function()
        local view = open()
        local s = rill.stream("float", {4, 4})
        for message, f in pairs {
            ["rill.live: option 'port': expected a whole number from 0 to 65535, got number -1"] =
                function() rill.live {port = -1} end,
            ["rill.live: 'nonsense' is not an IP address"] = function() rill.live {listen = "nonsense",
                quiet = true} end,
            ["rill.live: option 'steer': expected"] = function() rill.live {steer = "none"} end,
            ["v:image: argument #1 'name': expected a name of 1 to 64 bytes"] = function() view:image("a\tb", s) end,
            ["v:image: argument #2 's': expected"] = function() view:image("a", 7) end,
            ["v:image: option 'colormap': expected the name of a color map"] =
                function() view:image("a", s, {colormap = "none"}) end,
            ["v:image: argument #2 's': option 'colormap': expected a stream of numbers"] =
                function() view:image("a", rill.stream("vec3", {2, 2}), {colormap = "magma"}) end,
            ["of two dimensions of numbers, vec3 or vec4, got stream<float>[16]"] =
                function() view:image("a", s:reshape {16}) end,
            ["v:plot: expected a number, a stream or a table of numbers"] = function() view:plot("p", "x") end,
            ["v:plot: the stream is a category"] = function() view:plot("p", rill.frame.category {"a", "b"}) end,
            ["v:histogram: argument #2 's' is a category"] =
                function() view:histogram("h", rill.frame.category {"a", "b"}) end,
            ["v:mesh: argument #2 'm': expected a mesh"] = function() view:mesh("m", 3) end,
            ["v:table: argument #2 'data': expected a list of rows"] = function() view:table("t", 3) end,
            ["v:table: column 'a': expected a list or an open stream of numbers, got closed stream"] = function()
                local column = rill.iota(3)
                column:close()
                view:table("t", {a = column})
            end,
            ["v:table: column 'b': expected a list or a stream of numbers, got nil"] =
                function() view:table("t", {a = {1}}, {columns = {"a", "b"}}) end,
            ["v:plot: x has 2 numbers, y 0"] = function() view:plot("p", {1, 2}, {}) end,
            ["v:slider: options 'min' and 'max': expected min below max"] =
                function() view:slider("s", {min = 3, max = 1}) end,
            ["v:choice: argument #2 'list': expected a list of different texts"] =
                function() view:choice("c", {"a", "a"}) end,
            ["v:on: argument #1 'type': expected"] = function() view:on("click", print) end,
            ["v:record: option 'panel': the view has no panel 'x'"] =
                function() view:record("x.png", {panel = "x"}) end,
        } do
            local done, reason = pcall(f)
            assert.is_false(done)
            assert.matches(message, reason, 1, true)
        end
        view:text("name", 1)
        assert.has_error(function() view:image("name", s) end,
            "v:image: argument #1 'name': 'name' is the name of a panel of type text")
        view:close()
        assert.has_error(function() view:running() end, "v:running: the view was closed")
        view:close()
    end)

    test("ends the loop at the first Ctrl-C, and the script at the second", function()
        local script = [[
            local rill = require "rill"
            local view = rill.live {port = 0, quiet = true}
            local steps, start = 0, rill.clock()
            local function interrupt() -- os.execute ignores the signal while it waits
                os.execute("(sleep 0.1; kill -INT " .. io.open "/proc/self/stat":read "n" .. ") &")
            end
            while view:running() do
                steps = steps + 1
                if steps == 3 then interrupt() end
                assert(rill.clock() < start + 20)
            end
            print("ended", steps >= 3)
            io.stdout:flush()
            if arg[1] then
                interrupt()
                repeat until rill.clock() > start + 20
            end
        ]]
        local result = process.run(script)
        assert.same({0, "ended\ttrue\n"}, {result.status, result.out})
        result = process.run(script, nil, "again")
        assert.equal("ended\ttrue\n", result.out)
        assert.matches("interrupted!", result.err, 1, true)
    end)
end)

describe("rill.live without libwebsockets", function()
    it("names the package to install", function()
        local result = process.run([[
            package.preload["rill.live.core"] = function() error "missing" end
            print(pcall(require "rill".live))
        ]])
        assert.matches("install Debian's package libwebsockets-dev and build rill again", result.out, 1, true)
    end)
end)

describe("rill --live and the prompt", function()
    local function test(name, f)
        it(name, function()
            if not found then
                return pending "there is no libwebsockets here: apt install libwebsockets-dev, and build again"
            end
            f()
        end)
    end

    test("shows what a script passes to rill.show and rill.plot", function()
        local files = tempfiles.open()
        local script = files:write("script.lua", [[
            local rill = require "rill"
            local s = rill.random({20, 30})
            repeat
                rill.show(s, {colormap = "magma"})
                rill.plot {{{1, 2, 3}, label = "a"}, {{3, 2}, {1, 0}, label = "b"}}
                rill.plot({1, 2, 3, 3}, {kind = "histogram", bins = 2, title = "h"})
                rill.plot({1, 2}, {title = "a\n" .. ("é"):rep(40)})
            until false
        ]])
        os.execute(("timeout 30 lua5.4 bin/rill --live '%s' >'%s' 2>'%s' &"):format(script, files:path "out",
            files:path "err"))
        local url, stop = nil, rill.clock() + 20 -- luacheck: ignore 311
        repeat
            local file <close> = io.open(files:path "out")
            url = file and file:read "a":match "http://%S+"
        until url or rill.clock() > stop
        local client = assert(browser.open {url = url})
        local kinds, long = {}, "a " .. ("é"):rep(31) -- 64 bytes
        repeat
            local header = client:next(5)
            if header and header.name and header.name ~= "" then
                kinds[header.name] = header.type
                if header.name == "script.lua:5" then
                    assert.same({{name = "a", n = 3}, {name = "b", n = 2}}, header.series)
                end
            end
        until not header or kinds["script.lua:4"] and kinds["script.lua:5"] and kinds.h and kinds[long]
        assert.same({["script.lua:4"] = "image", ["script.lua:5"] = "plot", h = "histogram", [long] = "plot"}, kinds)
        client:send("run", "stop")
        assert.truthy(client:wait "closed")
        client:close()
        stop = rill.clock() + 10
        local said
        repeat
            local file <close> = io.open(files:path "err")
            said = file:read "a"
        until said ~= "" or rill.clock() > stop
        assert.matches("the script was stopped in the browser", said, 1, true)
        files:close()
    end)

    test("shows the results and the globals of the prompt", function()
        local result = process.run [[
            local repl = require "rill.shell.repl"
            local rill = require "rill"
            local browser = require "spec.support.browser"
            local names = {}
            print(repl.is_running())
            rawset(repl, "is_running", function() return true end)
            package.loaded["rill.shell.repl"] = repl
            view = rill.live()
            local _, watcher = next(repl.watchers)
            x = rill.random({4, 5})
            watcher {true, rill.iota(7)}
            local client = browser.open(view)
            repeat
                local header = client:next(2)
                if header and header.name and header.name ~= "" then names[header.name] = header.type end
            until not header
            print(names._, names.x, names.rill)
            client:send("run", "stop")
            client:send("run", "pause")
            os.execute "sleep 0.1"
            watcher {true, 1}
            local state = client:wait "state"
            print(state.running, state.paused, state.prompt, view:running())
            view:close()
            watcher {true, 1}
            print(next(repl.watchers))
        ]]
        assert.matches("false\nhttp://%S+\nplot\timage\tnil\ntrue\tfalse\ttrue\ttrue\nnil\n", result.out)
    end)
end)
