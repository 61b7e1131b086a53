-- Tests the website of the manual: the index of the search, links and images of the pages, and the search itself in
-- headless Chromium, if it is installed.
local searches = require "spec.support.searches"
local tempfiles = require "spec.support.tempfiles"

local lua = os.getenv "RILL_LUA" or "lua5.4"
local installed = os.execute "command -v cmark-gfm >/dev/null" == true
local browser = os.execute "command -v chromium >/dev/null" == true

-- Steps of a person who uses the search. They run in a page that shows the start page in a frame, with keys as
-- events, and write what they find into the element `said`.
local visit = [==[
<!doctype html><meta charset="utf-8"><iframe id="frame" src="index.html" width="WIDTH" height="800"></iframe><pre id="said"></pre>
<script>
var frame = document.getElementById("frame"), said = document.getElementById("said");
function say(name, value) { said.textContent += name + "=" + value + "\n"; }
function later(step) { return new Promise(function (done) { setTimeout(function () { done(step && step()); }, 100); }); }
frame.onload = async function () {
  frame.onload = null;
  var view = frame.contentWindow, page = view.document;
  view.addEventListener("error", function (event) { say("error", event.message); });
  var field = page.querySelector("#search input"), list = page.getElementById("results");
  function key(name, target) {
    (target || field).dispatchEvent(new view.KeyboardEvent("keydown", {key: name, bubbles: true, cancelable: true}));
  }
  function query(text) {
    field.value = text;
    field.dispatchEvent(new view.Event("input"));
    return Array.from(list.children).map(function (item) { return item.firstChild.textContent; });
  }
  function selected() { return Array.from(list.children).indexOf(list.querySelector("[aria-selected]")); }
  function luminance(color) { // of WCAG 2
    var c = color.match(/\d+/g).slice(0, 3).map(function (v) { v /= 255; return v <= .04045 ? v / 12.92 : Math.pow((v + .055) / 1.055, 2.4); });
    return .2126 * c[0] + .7152 * c[1] + .0722 * c[2];
  }
  var paper = luminance(view.getComputedStyle(page.body).backgroundColor);
  say("scheme", paper < .1 ? "dark" : paper > .9 ? "light" : paper);
  say("contrast", ["body", "main a", "main code", "#search input"].every(function (place) {
    var text = luminance(view.getComputedStyle(page.querySelector(place)).color);
    return (Math.max(text, paper) + .05) / (Math.min(text, paper) + .05) >= 4.5;
  }));
  say("overflow", page.documentElement.scrollWidth > view.innerWidth);
  key("/", page.body);
  say("focused", page.activeElement === field);
  for (var i = 0; i < 50 && !query("gaussian").length; i++) await later();
  say("names first", query("gaussian")[0]);
  say("method first", query("sort")[0]);
  say("title", query("sparse matrices")[0]);
  say("text", query("brook lefohn").length > 0);
  var first = ["nearest neighbors", "group by", "sorting by two keys", "signed distances", "slice rows"];
  say("topics", first.map(function (words) { return query(words)[0]; }).join(", "));
  say("searches", SEARCHES.filter(function (row) { // the first three results are names, or pages such as "sparse.html"
    query(row[0]);
    return !Array.from(list.children).slice(0, 3).some(function (item) {
      return row[1].includes(item.getAttribute("href")) || row[1].includes(item.firstChild.textContent.replace(/\(.*/, ""));
    });
  }).map(function (row) { return row[0]; }).join(", "));
  query("close <close>");
  say("markup", page.querySelectorAll("#results close").length + " " + /<close>/.test(list.textContent));
  query("gaussian");
  say("selected", selected());
  key("ArrowDown");
  say("down", selected());
  key("ArrowUp");
  key("ArrowUp");
  say("up wraps", selected() === list.children.length - 1);
  say("expanded", field.getAttribute("aria-expanded"));
  key("Escape");
  say("closed", list.hidden && page.activeElement !== field);
  say("none", query("zzzqqq").length + " " + page.getElementById("search-note").textContent);
  query("rill.image.gaussian");
  key("Enter");
  await later();
  await later();
  say("opened", frame.contentWindow.location.href.replace(/.*\//, ""));
  say("anchor", !!frame.contentDocument.getElementById(frame.contentWindow.location.hash.slice(1)));
  say("done", true);
};
</script>
]==]

describe("the site of the manual", function()
    local files, site

    setup(function()
        files = tempfiles.open()
        site = files:path "site"
        if installed then
            local pipe = io.popen(("%s tools/site.lua --check '%s' 2>&1"):format(lua, site))
            local text = pipe:read "a"
            assert(pipe:close(), text)
        end
    end)
    teardown(function() files:close() end)

    local function check(name, body)
        if installed then it(name, body) else pending(name .. ": there is no cmark-gfm, which make docs installs") end
    end

    check("has an index of titles, sections, names and words", function()
        local index = tempfiles.read(site .. "/search_index.js")
        assert.equal("rill_index({", index:match "^[%w_]+%(%{")
        assert.truthy(index:find('["Linear solvers","solve.html",""]', 1, true))
        assert.truthy(index:find('"example-raytrace.html","examples/raytrace.lua"]', 1, true))
        assert.truthy(index:find('"rillimagegaussians-sigma","rill.image.gaussian","smooths', 1, true))
        assert.truthy(index:find '\n"multigrid":"%d+[ %d]*"')
        assert.is_nil(index:find("<", 1, true))
        assert.is_true(#index < 600000, #index)
    end)

    check("has an index whose pages and anchors exist", function()
        local index = tempfiles.read(site .. "/search_index.js")
        local pages, count = {}, 0
        for file in index:match("pages:(.-)\nparts:"):gmatch '","([^"]+%.html)","' do
            pages[#pages + 1] = tempfiles.read(site .. "/" .. file)
        end
        for _, list in ipairs {index:match "\nparts:(.-)\nnames:", (index:match "\nnames:(.-)\nwords:")} do
            for page, anchor in list:gmatch '%[(%d+),"([^"]*)",' do
                local text = assert(pages[page + 1])
                assert.truthy(anchor == "" or text:find(('id="%s"'):format(anchor), 1, true), anchor)
                count = count + 1
            end
        end
        assert.is_true(count > 1000, count)
    end)

    check("shows titles instead of file names, and links examples", function()
        local manual = tempfiles.read(site .. "/manual.html")
        assert.truthy(manual:find('<a href="solve.html">Linear solvers</a>', 1, true))
        local texts = manual:gsub("<code>.-</code>", "")
        assert.is_nil(texts:match ">[%w_/.]+%.md</a>")
        local start = tempfiles.read(site .. "/index.html")
        local link = '<a href="driver.html#refused-drivers">Installing a driver: Refused drivers</a>'
        assert.truthy(start:find(link, 1, true))
        local collide = tempfiles.read(site .. "/collide.html")
        assert.truthy(collide:find('<a href="example-collide.html"><code>examples/collide.lua</code></a>', 1, true))
    end)

    check("shows images of the newest examples on the start page", function()
        local start = tempfiles.read(site .. "/index.html")
        for _, name in ipairs {"raytrace", "envelopes", "agents", "reuse"} do
            local link = ('<a href="example-%s.html"><img loading="lazy" src="images-%s.png"'):format(name, name)
            assert.truthy(start:find(link, 1, true), name)
            assert.equal("\137PNG", tempfiles.read(("%s/images-%s.png"):format(site, name)):sub(1, 4))
        end
    end)

    -- Returns what the steps above found in a window of a width, in a color scheme, by name.
    local function walk(width, scheme)
        local file = assert(io.open(site .. "/visit.html", "w"))
        local rows = {}
        for text, wanted in pairs(searches) do
            wanted = wanted:gsub("docs/([%w_]+)%.md", "%1.html"):gsub(" ", '","')
            rows[#rows + 1] = ('["%s",["%s"]]'):format(text, wanted)
        end
        file:write((visit:gsub("%u+", {WIDTH = width, SEARCHES = "[" .. table.concat(rows, ",") .. "]"})))
        file:close()
        local command = "chromium --headless --no-sandbox --disable-gpu --allow-file-access-from-files "
            .. "--blink-settings=preferredColorScheme=%d "
            .. "--user-data-dir='%s' --virtual-time-budget=20000 --dump-dom 'file://%s/visit.html' 2>/dev/null"
        local pipe = io.popen(command:format(scheme == "dark" and 0 or 1, files:path "profile", site))
        local text = pipe:read "a":match '<pre id="said">(.-)</pre>'
        pipe:close()
        local found = {}
        for name, value in (text or ""):gmatch "([^=\n]+)=([^\n]*)" do found[name] = value end
        return found
    end

    for _, case in ipairs {{400, "light"}, {400, "dark"}, {1200, "light"}, {1200, "dark"}} do
        local width <const>, scheme <const> = case[1], case[2]
        local long <const> = (width == 400) == (scheme == "light") and " #long" or ""
        local name = ("is searched with the keyboard in a %s window of %d pixels #slow%s"):format(scheme, width, long)
        if browser then
            check(name, function()
                assert.same({
                    overflow = "false", focused = "true", ["names first"] = "rill.image.gaussian",
                    ["method first"] = "s:sort",
                    topics = "Nearest neighbors, frame:group, rill.lexsort, T:distance, s:domain",
                    searches = "",
                    title = "Sparse matrices", text = "true", markup = "0 true",
                    selected = "0", down = "1", ["up wraps"] = "true", expanded = "true", closed = "true",
                    none = "0 No results", anchor = "true", opened = "image.html#rillimagegaussians-sigma",
                    scheme = scheme, contrast = "true", done = "true",
                }, walk(width, scheme))
            end)
        else
            pending(name .. ": there is no Chromium (apt-get install chromium)")
        end
    end
end)
