-- The page of rill.live in headless Chromium, which is controlled through pipes: what the page shows, and what it sends.
local rill = require "rill"
local chromium = require "spec.support.chromium"
local tempfiles = require "spec.support.tempfiles"

local missing = not package.searchpath("rill.live.core", package.cpath)
    and "rill.live is not built (apt-get install libwebsockets-dev)" or chromium.missing

local SHIFT <const> = 8 -- of Page:key

-- Returns the JavaScript expression of an element in a panel, or of the panel.
local function of(name, selector)
    return ("document.querySelector(`[data-panel='%s'] %s`)"):format(name, selector or "")
end

-- Returns the selector of a control's field.
local function control(name, tag)
    return ("[data-control='%s'] %s"):format(name, tag)
end

describe("the page of rill.live", function()
    local function check(name, test)
        if missing then
            it(name, function() return pending(missing) end)
        else
            it(name, test)
        end
    end

    local files, browser
    local views, pages = {}, {}

    setup(function()
        if missing then return end
        files, browser = tempfiles.open(), chromium.open()
    end)
    teardown(function()
        if missing then return end
        browser:close()
        files:close()
    end)
    after_each(function()
        for _, page in ipairs(pages) do page:close() end
        for _, view in ipairs(views) do view:close() end
        views, pages = {}, {}
    end)

    local function open_view(options)
        local view = rill.live {quiet = true, port = 0, fps = 500, title = options and options.title or "test"}
        views[#views + 1] = view
        return view
    end

    -- Opens a page, and runs steps of the script until the page is connected and all panels show something.
    local function open_page(view, step, options)
        local page = browser:page(options)
        pages[#pages + 1] = page
        page:navigate(view.url)
        page:wait("session.open && panels.size > 0 && "
            .. "[...panels.values()].every((panel) => !panel.canvas || panel.note.hidden)", step)
        return page
    end

    -- Gives a page the time to send its events and to draw what has arrived.
    local function pause(page, milliseconds)
        page:eval(("new Promise((done) => setTimeout(() => requestAnimationFrame(() => done()), %d))")
            :format(milliseconds or 20))
    end

    -- Runs steps until what a page has sent has an effect, and is drawn.
    local function settle(page, step)
        for _ = 1, 3 do
            pause(page)
            if step then step() end
        end
        pause(page, 40)
    end

    -- Runs steps until a function returns true.
    local function await(page, step, f)
        local deadline = os.time() + 20
        while not f() do
            assert.is_true(os.time() < deadline, "the script waits for nothing")
            pause(page, 5)
            step()
        end
    end

    -- Returns a function that runs a step of a view, and the list of all events.
    local function steps(view, show)
        local events = {}
        return function()
            assert.is_true(view:running())
            show()
            for event in view:events() do events[#events + 1] = event end
        end, events
    end

    -- Returns the image of an element, a stream of vec3.
    local function seen(page, selector)
        local path = files:path "seen.png"
        page:screenshot(path, page:rectangle(selector))
        return rill.image.load(path, "vec3")
    end

    -- Returns the colors in which rill saves a stream.
    local function colors(s, options)
        local path = files:path "colors.png"
        rill.image.save(s, path, options)
        return rill.image.load(path, "vec3")
    end

    -- Returns the peak signal-to-noise ratio of an image and a reference, which is resized to the size of the image, in dB.
    local function psnr(image, reference, filter)
        local difference = image - rill.image.resize(reference, {image.shape[1], image.shape[2]}, {filter = filter})
        local sum = (difference * difference):sum()
        return 10 * math.log((image.size * 3) / math.max(sum[1] + sum[2] + sum[3], 1e-9), 10)
    end

    local function waves(rows, columns)
        return rill.stream("float", {rows, columns}, function(i, j)
            return 0.5 + 0.25 * math.sin(i / 5) + 0.25 * math.cos(j / 7 + i / 11)
        end)
    end

    check("shows every panel and every control", function()
        local view = open_view {title = "everything <b>"}
        local s, mesh = waves(40, 60), rill.mesh.icosphere(1)
        view:slider("strength", {min = 0, max = 2, value = 0.5})
        view:number("count", {min = 0, max = 10, value = 3})
        view:choice("mode", {"one", "two", "three"}, {value = "two"})
        view:toggle("on", {value = true})
        view:button "go"
        local n = 0
        local step = steps(view, function()
            n = n + 1
            view:image("waves", s, {colormap = "magma", min = 0, max = 1})
            view:plot("energy", {kinetic = n, potential = -n})
            view:histogram("values", s, {bins = 16})
            view:mesh("ball", mesh)
            view:text("notes", "<i>line</i> 1\nline 2")
            view:table("rows", {{name = "a", value = 1}, {name = "b", value = 2.5}}, {columns = {"name", "value"}})
            view:profile()
        end)
        local page = open_page(view, step, {width = 1600})
        settle(page, step)
        assert.equal("waves energy values ball notes rows profile",
            page:eval "[...document.querySelectorAll('.panel')].map((node) => node.dataset.panel).join(' ')")
        assert.equal("everything <b>", page:eval "document.querySelector('h1').textContent")
        assert.equal("<i>line</i> 1\nline 2", page:eval(of("notes", "pre") .. ".textContent"))
        assert.equal("name,value|a,1|b,2.5", page:eval(
            "[..." .. of("rows", "table") .. ".rows].map((row) => "
            .. "[...row.cells].map((cell) => cell.textContent).join()).join('|')"))
        page:wait("[..." .. of("profile", "table") .. ".rows].length > 1", step)
        assert.truthy(page:eval(of("energy", ".legend") .. ".textContent"):find "kinetic %d+potential %-%d+")
        assert.equal("magma", page:eval(of("waves", ".bar") .. ".lastChild.textContent"))
        assert.truthy(page:eval(of("values", "canvas") .. ".focus(), document.activeElement.getAttribute('aria-label')")
            :find "^values, histogram. 2,400 values in 16 bins from ")
        page:wait "Number(document.getElementById('frame').textContent.replaceAll(',', '')) > 0"
        assert.equal("0.5 3 2 true go", page:eval([[["strength input", "count input", "mode select", "on input", "go button"].map((text) => {
            const [name, tag] = text.split(" ");
            const node = document.querySelector(`[data-control="${name}"] ${tag}`);
            if (node.type === "checkbox") return node.checked;
            return node.tagName === "BUTTON" ? node.textContent : node.value;
        }).join(" ")]]))
        assert.same({}, page.messages)
    end)

    for _, scale in ipairs {1, 2} do
        check(("draws the elements of streams, with %d pixels per CSS pixel%s"):format(scale,
            scale == 1 and " #long" or ""), function()
            local view = open_view()
            local s = waves(48, 64)
            local photo = rill.stream("vec3", {90, 120}, function(i, j)
                return {i / 90, j / 120, 0.5 + 0.5 * math.sin(i * j / 900)}
            end)
            local mesh = rill.mesh.icosphere(2)
            local step = steps(view, function()
                view:image("waves", s, {colormap = "viridis"})
                view:image("photo", photo)
                view:mesh("ball", mesh)
            end)
            local page = open_page(view, step, {width = 420, height = 1300, scale = scale})
            settle(page, step)
            local options = {colormap = "viridis"}
            assert.truthy(psnr(seen(page, "[data-panel=waves] canvas"), colors(s, options), "nearest") > 30)
            assert.truthy(psnr(seen(page, "[data-panel=photo] canvas"), colors(photo), "nearest") > 30)
            local size = page:eval(of("ball", "canvas") .. ".width + ' ' + " .. of("ball", "canvas") .. ".height")
            local width, height = size:match "(%d+) (%d+)"
            local ball = rill.render(mesh, {size = {math.tointeger(height), math.tointeger(width)}})
            assert.truthy(psnr(seen(page, "[data-panel=ball] canvas"), colors(ball), "linear") > 30)
            page:eval "panels.get('waves').setView([9, 17, 24, 32])"
            settle(page, step)
            local part = colors(s:domain({9, 17}, {32, 48}):copy(), options)
            assert.truthy(psnr(seen(page, "[data-panel=waves] canvas"), part, "nearest") > 30)
            assert.same({}, page.messages)
        end)
    end

    check("draws points and bars at their values", function()
        local view = open_view()
        local s = rill.from {1, 1, 1, 2, 3, 3}
        local step = steps(view, function()
            view:plot("line", {0, 1, 2, 3}, {5, 5, 7, 6})
            view:histogram("bars", s, {min = 0, max = 4, bins = 4})
        end)
        local page = open_page(view, step)
        settle(page, step)
        local series = page:eval "color('series-1')"
        local red, green, blue = series:match "(%d+), (%d+), (%d+)"
        local images = {line = seen(page, "[data-panel=line] canvas"), bars = seen(page, "[data-panel=bars] canvas")}
        -- Returns whether a pixel of a canvas, or one next to it, has the color of the series.
        local function drawn(name, x, y)
            local place = page:eval(("[panels.get('%s').toX(%g), panels.get('%s').toY(%g)]"):format(name, x, name, y))
            local image, found = images[name], false
            for i = 0, 2 do
                for j = 0, 2 do
                    local pixel = image:get(math.floor(place[2]) + i, math.floor(place[1]) + j)
                    local distance = math.max(math.abs(pixel[1] - red / 255), math.abs(pixel[2] - green / 255),
                        math.abs(pixel[3] - blue / 255))
                    found = found or distance < 0.02
                end
            end
            return found
        end
        for _, point in ipairs {{0.5, 5}, {1.5, 6}, {2.5, 6.5}} do assert.is_true(drawn("line", point[1], point[2])) end
        for _, point in ipairs {{0.5, 6}, {1.5, 5}, {2.5, 7}} do assert.is_false(drawn("line", point[1], point[2])) end
        for i, count in ipairs {0, 3, 1, 2} do
            assert.equal(count > 0, drawn("bars", i - 0.5, 0.3))
            assert.is_false(drawn("bars", i - 0.5, count + 0.1))
            assert.equal(count > 0, drawn("bars", i - 0.5, count - 0.1))
        end
        -- The values at the pointer
        local box = page:rectangle "[data-panel=line] canvas"
        page:mouse("moved", box.x + box.width * 0.66, box.y + 80)
        settle(page)
        assert.equal("x 2: line 7", page:eval [[(() => {
            const panel = panels.get("line"), found = panel.near(panel.toData(panel.hover)[0]);
            return `${found.title}: ${found.rows.map((row) => `${row.name} ${row.text}`).join()}`;
        })()]])
        -- A wheel zooms, "0" shows all.
        page:wheel(box.x + box.width * 0.66, box.y + 80, -240)
        settle(page)
        assert.is_true(page:eval "panels.get('line').range.x[1] - panels.get('line').range.x[0] < 1.6")
        page:eval(of("line", "canvas") .. ".focus()")
        page:key "0"
        settle(page)
        assert.equal(3, page:eval "panels.get('line').range.x[1]")
        -- A logarithmic axis
        page:click "[data-panel=line] [data-tool='Logarithmic y axis']"
        settle(page)
        assert.is_true(page:eval "panels.get('line').range.y[1] < 1")
        assert.same({}, page.messages)
    end)

    for _, scale in ipairs {1, 1.5} do
        check(("sends positions in indices of the stream, with %g pixels per CSS pixel"):format(scale), function()
            local view = open_view()
            local s = waves(48, 64)
            local step, events = steps(view, function() view:image("waves", s) end)
            local page = open_page(view, step, {width = 777, height = 900, scale = scale})
            settle(page, step)
            local box = page:rectangle "[data-panel=waves] canvas"

            -- Presses, drags and releases at positions (row, column). `first`, `count`: the view.
            local function paint(first, count, positions)
                local function at(position)
                    return box.x + (position[2] + 0.5 - first[2]) / count[2] * box.width,
                        box.y + (position[1] + 0.5 - first[1]) / count[1] * box.height
                end
                page:mouse("moved", at(positions[1]))
                settle(page, step)
                for i = #events, 1, -1 do events[i] = nil end
                for i, position in ipairs(positions) do
                    local x, y = at(position)
                    page:mouse(i == 1 and "pressed" or i == #positions and "released" or "moved", x, y,
                        {button = "left", buttons = i < #positions and 1 or 0})
                    await(page, step, function() return #events >= i end)
                end
                assert.equal(#positions, #events)
                for i, position in ipairs(positions) do
                    local event = events[i]
                    assert.equal("waves", event.panel)
                    assert.equal(i == 1 and "press" or i == #positions and "release" or "drag", event.type)
                    -- A pixel of the screen is the precision of the pointer.
                    assert.near(position[1], event.row, 1.01 * count[1] / box.height)
                    assert.near(position[2], event.column, 1.01 * count[2] / box.width)
                end
                assert.near(positions[2][1] - positions[1][1], events[2].drow, 2.02 * count[1] / box.height)
            end

            paint({1, 1}, {48, 64}, {{1, 1}, {10.25, 20.5}, {10.25, 20.5}})
            paint({1, 1}, {48, 64}, {{48, 64}, {24, 32}, {24, 32}})
            -- The wheel zooms; the element under the pointer stays there.
            local x, y = box.x + 0.25 * box.width, box.y + 0.25 * box.height
            page:wheel(x, y, -240)
            settle(page, step)
            page:wheel(x, y, -240)
            settle(page, step)
            local shown = page:eval "panels.get('waves').view"
            assert.is_true(shown[3] < 24)
            assert.near(12.5, shown[1] - 0.5 + 0.25 * shown[3], 0.1)
            paint({shown[1], shown[2]}, {shown[3], shown[4]}, {{12.5, 16.5}, {14.75, 18}, {14.75, 18}})
            assert.is_true(page:eval [[(() => {
                const {view, header} = panels.get("waves");
                return header.view[0] <= view[0] && header.view[0] > view[0] - 1 && header.view[2] < view[2] + 2;
            })()]])
            -- The value under the pointer
            local text = (".textContent === 'row 15, column 18: %.6g'"):format(s:get(15, 18))
            page:wait(of("waves", ".readout") .. text, step)

            for i = #events, 1, -1 do events[i] = nil end
            page:key "a"
            page:key " "
            await(page, step, function() return #events >= 4 end)
            local keys = {}
            for i, event in ipairs(events) do keys[i] = event.type .. " " .. event.key end
            assert.same({"key a", "keyup a", "key  ", "keyup  "}, keys)
            page:key "0"
            page:wait("panels.get('waves').header.view.join() === '1,1,48,64'", step)
            assert.same({}, page.messages)
        end)
    end

    check("sends the values of controls", function()
        local view = open_view()
        local s = waves(8, 8)
        local strength = view:slider("strength", {min = 0, max = 2, value = 1, step = 0.5})
        local count = view:number("count", {min = 0, max = 10, value = 3})
        local mode = view:choice("mode", {"one", "two", "three"})
        local on, go = view:toggle "on", view:button "go"
        local changed = {}
        local step = steps(view, function()
            view:image("waves", s)
            for _, one in ipairs {strength, count, mode, on, go} do
                if one.changed then changed[#changed + 1] = one.name end
            end
        end)
        local page = open_page(view, step)
        page:eval(("document.querySelector(`%s`).focus()"):format(control("strength", "input")))
        page:key "ArrowRight"
        await(page, step, function() return strength.value == 1.5 end)
        page:eval(("document.querySelector(`%s`).select()"):format(control("count", "input")))
        page:key "7"
        page:key "Enter"
        page:eval(("document.querySelector(`%s`).focus()"):format(control("mode", "select")))
        page:key "ArrowDown"
        page:click(control("on", "input"))
        page:click(control("go", "button"))
        page:click(control("go", "button"))
        await(page, step, function() return go.value == 2 end)
        assert.same({7, "two", true, 2}, {count.value, mode.value, on.value, go.value})
        assert.same({"strength", "count", "mode", "on", "go"}, {table.unpack(changed, 1, 5)})
        -- A value outside of the range is not sent.
        page:eval(("document.querySelector(`%s`).select()"):format(control("count", "input")))
        for digit in ("99"):gmatch "." do page:key(digit) end
        page:key "Enter"
        settle(page, step)
        assert.equal(7, count.value)
        local problem = ("document.querySelector(`%s`).textContent"):format(control("count", ".problem"))
        assert.equal("At most 10.", page:eval(problem))
        -- The script sets a value.
        strength.value, mode.value = 0.5, "three"
        page:wait(("document.querySelector(`%s`).value === '0.5'"):format(control("strength", "input")), step)
        page:wait(("document.querySelector(`%s`).value === '3'"):format(control("mode", "select")), step)
        assert.same({}, page.messages)
    end)

    check("pauses, steps, resumes and stops", function()
        local view = open_view()
        local s, shown = waves(8, 8), 0
        local page
        -- A paused view waits in view:running(), so that the browser must act before: each click precedes a step.
        local step = steps(view, function()
            shown = shown + 1
            view:image("waves", s)
        end)
        page = open_page(view, step)
        page:click "#pause"
        page:click "#pause" -- The text of the button changes only when the script knows.
        page:wait("true", step)
        assert.is_true(page:eval "document.getElementById('step').disabled")
        -- The browser presses Step and Resume by itself, while the script waits.
        page:eval [[(() => {
            window.seen = [];
            const watch = setInterval(() => {
                if (!session.state.paused) return;
                seen.push(session.state.frame);
                if (seen.length < 4) document.getElementById("step").click();
                else {
                    clearInterval(watch);
                    document.getElementById("pause").click();
                }
            }, 150);
            document.getElementById("pause").click();
        })()]]
        local before = shown
        page:wait("window.seen.length === 4 && !session.state.paused", step)
        local frames = page:eval "window.seen"
        assert.is_true(frames[4] - frames[1] == 3 and shown >= before + 3)
        page:click "#stop"
        assert.is_true(page:eval "document.getElementById('confirm').open")
        assert.equal("confirm-no", page:eval "document.activeElement.id")
        page:click "#confirm-yes"
        local running = true
        for _ = 1, 100 do
            running = view:running()
            if not running then break end
            page:eval "new Promise((done) => setTimeout(done, 10))"
        end
        assert.is_false(running)
        page:wait "document.getElementById('status-text').textContent === 'finished'"
        view:close()
        page:wait "document.getElementById('status-text').textContent === 'ended'"
        assert.same({}, page.messages)
    end)

    check("reconnects and continues", function()
        local view = open_view()
        local s, n = waves(8, 8), 0
        local count = view:number("count", {min = 0, max = 10, value = 3})
        local step = steps(view, function()
            n = n + 1
            view:image("waves", s)
            view:text("notes", tostring(n))
        end)
        local page = open_page(view, step)
        page:eval [[(() => {
            window.seen = [];
            new MutationObserver(() => {
                seen.push(`${document.getElementById("status-text").textContent} ${document.getElementById("control-list").disabled}`);
            }).observe(document.getElementById("status"), {attributes: true});
            window.first = session.client;
            session.socket.close();
        })()]]
        count.value = 5
        page:wait("session.open && session.client !== window.first", step)
        settle(page, step)
        assert.equal("5", page:eval(("document.querySelector(`%s`).value"):format(control("count", "input"))))
        assert.equal(n, math.tointeger(tonumber(page:eval(of("notes", "pre") .. ".textContent"))))
        page:wait "document.getElementById('status-text').textContent === 'running'"
        assert.same({"reconnecting true", "running false"}, page:eval "window.seen")
        assert.is_true(page:eval "session.steer && !document.getElementById('control-list').disabled")
        assert.same({}, page.messages)
    end)

    check("shows the same in two browsers, of which one steers", function()
        local view = open_view()
        local s = waves(48, 64)
        local strength = view:slider("strength", {min = 0, max = 2, value = 1, step = 0.5})
        local step, events = steps(view, function() view:image("waves", s) end)
        local first = open_page(view, step)
        local second = open_page(view, step, {private = true})
        settle(second, step)
        assert.is_true(second:eval "!session.steer && document.getElementById('control-list').disabled")
        first:wait("document.getElementById('clients').textContent === '2'", step)
        -- The second browser sends nothing, and zooms for itself.
        local box = second:rectangle "[data-panel=waves] canvas"
        second:click "[data-panel=waves] canvas"
        second:wheel(box.x + 50, box.y + 50, -240)
        settle(second, step)
        assert.equal(0, #events)
        assert.equal(24, second:eval "panels.get('waves').view[2]")
        assert.equal(48, first:eval "panels.get('waves').view[2]")
        second:click "#steer"
        second:wait("session.steer", step)
        first:wait("!session.steer", step)
        second:eval(("document.querySelector(`%s`).focus()"):format(control("strength", "input")))
        second:key "ArrowRight"
        await(second, step, function() return strength.value == 1.5 end)
        first:wait(("document.querySelector(`%s`).value === '1.5'"):format(control("strength", "input")), step)
        -- The first browser follows the view of the second.
        second:eval "panels.get('waves').setView([1, 1, 12, 16])"
        first:wait("panels.get('waves').view[2] === 12", step)
        assert.same({}, first.messages)
        assert.same({}, second.messages)
    end)

    -- The ratio of the luminances of the texts and their backgrounds (WCAG) that is too small, by element.
    local contrast <const> = [[(() => {
        const channel = (v) => v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4;
        const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
        const parse = (text) => text.match(/[\d.]+/g).map(Number);
        const background = (node) => {
            for (; node; node = node.parentElement) {
                const value = parse(getComputedStyle(node).backgroundColor);
                if (value.length === 3 || value[3] === 1) return value;
            }
            return [255, 255, 255];
        };
        return [...document.querySelectorAll("body *")].filter((node) => {
            const text = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
            if (!text || !node.checkVisibility() || node.closest(":disabled")) return false;
            const [a, b] = [luminance(parse(getComputedStyle(node).color)), luminance(background(node))];
            return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5;
        }).map((node) => node.tagName + node.id + node.className).join();
    })()]]

    check("is light or dark, at 400 and 1600 pixels", function()
        local view = open_view {title = "a title that is much longer than the width of a telephone"}
        local s, n = waves(48, 64), 0
        view:slider("strength", {})
        view:choice("mode", {"one", "two"})
        local step = steps(view, function()
            n = n + 1
            view:image("waves", s, {colormap = "coolwarm"})
            view:plot("energy", {kinetic = n, potential = 2})
            view:text("text", ("long"):rep(100))
            view:table("table", {{a_name_of_a_column = 1, another_name_of_a_column = 2, a_third_name_of_a_column = 3}})
        end)
        local page = open_page(view, step)
        local lightness = {}
        for _, width in ipairs {400, 1600} do
            for _, dark in ipairs {false, true} do
                page:emulate {width = width, height = 900, dark = dark}
                settle(page, step)
                assert.equal("", page:eval(contrast))
                assert.equal(width, page:eval "document.documentElement.scrollWidth")
                lightness[dark] = tonumber(page:eval "getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]")
            end
            assert.is_true(lightness[false] > 200 and lightness[true] < 50)
        end
        -- The button has precedence over the preference.
        page:click "#theme"
        assert.equal("Theme: light", page:eval "document.getElementById('theme').getAttribute('aria-label')")
        assert.is_true(tonumber(page:eval "getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]") > 200)
        page:click "#theme"
        page:emulate {dark = false}
        assert.is_true(tonumber(page:eval "getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]") < 50)
        page:click "#theme"
        assert.same({}, page.messages)
    end)

    check("is used with the keyboard, and all that has the focus has a name", function()
        local view = open_view()
        local s, mesh = waves(48, 64), rill.mesh.icosphere(0)
        local strength = view:slider("strength", {min = 0, max = 2, value = 1, step = 0.5})
        view:toggle "on"
        local step, events = steps(view, function()
            view:image("waves", s)
            view:plot("energy", {5, 6, 7, 8})
            view:mesh("ball", mesh)
            view:text("notes", "text")
        end)
        local page = open_page(view, step, {width = 1000})
        settle(page, step)
        for _, node in ipairs(page:call("Accessibility.getFullAXTree").nodes) do
            for _, property in ipairs(node.properties or {}) do
                if property.name == "focusable" and property.value.value then
                    assert.truthy(node.name and node.name.value ~= "", node.role.value)
                end
            end
        end

        -- Presses Tab until an element has the focus.
        local function reach(selector)
            for _ = 1, 60 do
                page:key "Tab"
                if page:eval(("document.activeElement.matches(`%s`)"):format(selector)) then return end
            end
            error("Tab does not reach " .. selector)
        end
        reach ".skip"
        reach "#pause"
        reach(control("strength", "input"))
        page:key "ArrowLeft"
        await(page, step, function() return strength.value == 0.5 end)
        reach "[data-panel=waves] [data-tool='Zoom in']"
        page:key "Enter"
        settle(page, step)
        assert.equal(24, page:eval "panels.get('waves').view[2]")
        reach "[data-panel=waves] canvas"
        page:key "+"
        page:key "ArrowLeft"
        settle(page, step)
        assert.is_true(page:eval "panels.get('waves').view[2] < 20 && panels.get('waves').view[1] < 20")
        -- A cursor presses, drags and releases.
        for i = #events, 1, -1 do events[i] = nil end
        for i, key in ipairs {"Enter", "ArrowRight", "Enter"} do
            page:key(key)
            await(page, step, function() return #events >= i end)
        end
        local types = {}
        for i, event in ipairs(events) do types[i] = event.type end
        assert.same({"press", "drag", "release"}, types)
        assert.equal(1, events[2].dcolumn)
        assert.equal(events[2].column, events[3].column)
        page:wait "document.getElementById('announcer').textContent.includes('row ')"
        reach "[data-panel=energy] canvas"
        page:key("ArrowRight", SHIFT)
        page:key("ArrowRight", SHIFT)
        page:wait "document.getElementById('announcer').textContent === 'x 2, energy 6'"
        reach "[data-panel=ball] canvas"
        local before = page:eval "panels.get('ball').header.version"
        page:key "ArrowRight"
        page:key "+"
        page:wait(("panels.get('ball').header.version > %d"):format(before), step)
        reach "[data-panel=notes] pre"
        assert.same({}, page.messages)
    end)

    check("turns meshes", function()
        local view = open_view()
        local mesh = rill.mesh.box and rill.mesh.box() or rill.mesh.icosphere(0)
        local step = steps(view, function() view:mesh("ball", mesh) end)
        local page = open_page(view, step, {width = 400})
        settle(page, step)
        local initial = seen(page, "[data-panel=ball] canvas")
        local box = page:rectangle "[data-panel=ball] canvas"
        local x, y = box.x + box.width / 2, box.y + box.height / 2
        page:mouse("pressed", x, y, {buttons = 1})
        page:mouse("moved", x + 60, y + 20, {button = "left", buttons = 1})
        page:mouse("released", x + 60, y + 20)
        settle(page, step)
        local turned = seen(page, "[data-panel=ball] canvas")
        assert.is_true(psnr(turned, initial, "nearest") < 30)
        page:wheel(x, y, -240)
        settle(page, step)
        assert.is_true(psnr(seen(page, "[data-panel=ball] canvas"), turned, "nearest") < 30)
        page:key "0"
        settle(page, step)
        assert.is_true(psnr(seen(page, "[data-panel=ball] canvas"), initial, "nearest") > 40)
        assert.same({}, page.messages)
    end)

    check("saves images and data", function()
        local view = open_view {title = "a/b"}
        local s = waves(48, 64)
        local step = steps(view, function()
            view:image("waves", s, {colormap = "magma"})
            view:plot("line", {1, 2}, {0.5, 1e-7})
            view:table("rows", {{name = 'say "a"', value = 1}}, {columns = {"name", "value"}})
        end)
        local page = open_page(view, step)
        local folder = files:path "saved"
        assert(os.execute(("rm -rf '%s'; mkdir '%s'"):format(folder, folder)))
        browser:call("Browser.setDownloadBehavior", {behavior = "allow", downloadPath = folder})
        local saved = setmetatable({directory = folder}, {__index = tempfiles})
        local function save(selector, count)
            page:click(selector)
            local deadline = os.time() + 20
            while os.time() < deadline and (#saved:list() < count or table.concat(saved:list()):find "crdownload") do
                page:eval "new Promise((done) => setTimeout(done, 20))"
            end
            assert.equal(count, #saved:list())
        end
        save("[data-panel=waves] [data-tool='Save image']", 1)
        assert.truthy(saved:list()[1]:find "^a%-b%-waves%-%d+%.png$")
        local image = rill.image.load(saved:path(saved:list()[1]), "vec3")
        assert.truthy(psnr(image, colors(s, {colormap = "magma"}), "nearest") > 50)
        os.remove(saved:path(saved:list()[1]))
        save("[data-panel=line] [data-tool='Save data']", 1)
        assert.equal('series,x,y\n"line",1,0.5\n"line",2,1e-7\n', tempfiles.read(saved:path(saved:list()[1])))
        os.remove(saved:path(saved:list()[1]))
        save("[data-panel=rows] [data-tool='Save data']", 1)
        assert.equal('"name","value"\n"say ""a""","1"\n', tempfiles.read(saved:path(saved:list()[1])))
        assert.same({}, page.messages)
    end)

    check("decodes only the newest frame when a hidden page is shown again", function()
        local view = open_view()
        local s, n = waves(8, 8), 0
        local step = steps(view, function()
            n = n + 1
            view:image("waves", s)
        end)
        local page = open_page(view, step)
        settle(page, step)
        page:eval [[(() => {
            window.hiddenNow = true;
            Object.defineProperty(document, "hidden", {get: () => window.hiddenNow});
            window.decoded = 0;
            const decode = window.createImageBitmap;
            window.createImageBitmap = (...given) => { window.decoded += 1; return decode(...given); };
        })()]]
        settle(page, step)
        assert.equal(0, page:eval "window.decoded")
        local newest = page:eval "panels.get('waves').pending.header.version"
        assert.is_true(newest > page:eval "panels.get('waves').header.version" + 1)
        page:eval "window.hiddenNow = false, document.dispatchEvent(new Event('visibilitychange'))"
        page:wait(("panels.get('waves').header.version >= %d"):format(newest))
        assert.equal(1, page:eval "window.decoded")
        assert.same({}, page.messages)
    end)
end)
