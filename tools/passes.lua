-- What tools/suite.lua runs: the passes, what each sets, and what is left out of it, with the reason.
--
-- A pass has: title; env (words for the command `env`); options (busted's); out (lists of spec files, each with its reason); tags (of
-- tests it leaves out, whose reasons are listed below); expects (a pattern of the device's name, where the pass is about one driver); absent (why that driver cannot be had here); whole
-- (with another such pass it covers the device that rill chooses by itself); quick (more words for `env`, but for the spec files listed).

local function capture(command)
    local pipe = assert(io.popen(command .. " 2>/dev/null"))
    local text = pipe:read "a"
    pipe:close()
    return text
end

-- ---- what is left out

local no_device = {reason = "what drives the device makes no difference to it",
    "colormap", "command", "contributing", "deps", "examples", "format", "hostile", "install", "io_c", "interrupt",
    "manual_checks", "npy", "plot", "png", "pnm", "prompt", "prompt_parts", "qoi", "rillfile", "suite"}
local pages = {reason = "the passes own, cpu and gpu have run the pages of the manual", "readme"}
local no_collector = {reason = "the collector makes no difference to it",
    "command", "contributing", "deps", "examples", "install", "interrupt", "manual_checks", "prompt",
    "prompt_parts", "readme", "suite"}
local repeated = {reason = "it launches what other files launch, over and over, which an interpreter takes minutes for",
    "horn", "inject", "life", "mandelbrot", "smoke"}
local beyond = {reason = "its lists are longer than the texels of a buffer texture that softpipe offers", "shadow"}
local timed = {reason = "it counts GL calls, or takes times", "counters", "profile"}

-- Tests by their tags.
local tags = {
    long = "it takes long: make test-all runs it",
    slow = "the passes own and cpu have run it",
    large = "its launches take minutes on an interpreter",
    lanes = "of lanes that store at places of their own in a private array one decides for its neighbours on softpipe",
    tables = "this family's primitives keep a table per lane, in a private array: see #lanes",
    doubles = [[softpipe's registers hold two doubles; where it needs more it says "NIR-to-TGSI: error" and goes on]],
    refused = "softpipe is refused: it is used because RILL_TRUST is set, and tried in every process anew",
    ten = "lavapipe, below zink, rounds what is drawn into ten bits to eight",
    overflow = "softpipe's process ends (SIGFPE) where the least int is divided by -1",
}

-- ---- passes on the device that rill chooses by itself

-- Most of what make test takes with an empty cache is LLVM's time in llvmpipe, a third of it for optimising: where the whole suite is run make test does
-- without it, but for the files below, whose programs drivers have been seen to get wrong. A file that is named, make test-all and the
-- drivers know nothing of it. Mesa keeps programs of either kind apart.
local quick = not os.getenv "RILL_SUITE_LONG" and not os.getenv "GALLIVM_PERF" and {env = "GALLIVM_PERF=nopt",
    title = "llvmpipe optimises programs of some spec files only (others: GALLIVM_PERF=nopt); make test-all of all",
    "compact", "counters", "gather", "group", "histogram", "loop", "matmul", "predication", "private_array", "profile",
    "quotients", "random_access", "reach", "reduce", "reduce_rows", "resample", "scan", "scatter", "selftest", "slices",
    "sort", "struct", "trial"} or nil

-- What takes minutes is run where it is asked for.
local function short(...)
    return os.getenv "RILL_SUITE_LONG" and {...} or {"long", ...}
end

local passes = {
    own = {env = "", title = "the device's own family", whole = true, quick = quick, tags = short()},
    cpu = {env = "RILL_FAMILY=cpu", title = "RILL_FAMILY=cpu", whole = true, quick = quick, tags = short()},
    gpu = {env = "RILL_FAMILY=gpu", title = "RILL_FAMILY=gpu", whole = true, quick = quick, out = {no_device},
        tags = short "slow"},
    gc = {env = "", title = "an aggressive collector", out = {no_collector},
        options = "--helper=spec/support/gc.lua", tags = short "slow"},
    -- INT_MAX, a NaN, -1, which is another NaN, and 1e30, unless RILL_POISON is set; MALLOC_PERTURB_ is glibc's, of what malloc gives. The collector has
    -- memory recycled soon. What this finds is looked for by RILL_POISON=... make test SPEC=..., without it.
    poison = {env = ("RILL_POISON=%s MALLOC_PERTURB_=85"):format(os.getenv "RILL_POISON"
            or "2147483647,0x7fc00000,-1,0x7149f2ca"),
        title = "an aggressive collector, in memory that holds hostile values", out = {no_collector},
        options = "--helper=spec/support/gc.lua", tags = short "slow"},
    sanitize = {title = "sanitizers", out = {no_collector}, tags = {"long", "slow"},
        env = ("LD_PRELOAD='%s' RILL_SANITIZE=1"):format(os.getenv "RILL_PRELOAD" or "")
            -- Without intercept_tls_get_addr=0 the leak checker itself crashes: in thread-local storage Mesa has let go.
            .. " ASAN_OPTIONS=detect_leaks=1:intercept_tls_get_addr=0:exitcode=99"
            .. " UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1"
            .. " LSAN_OPTIONS=suppressions=$PWD/tools/lsan.supp:print_suppressions=0"},
}

-- ---- drivers

-- A folder that only its owner may enter: Vulkan's loader wants one for windows, though nobody opens any.
local function runtime_folder()
    local path = os.getenv "XDG_RUNTIME_DIR"
    if not path then
        path = (os.getenv "RILL_BUILD" or "build") .. "/runtime"
        capture(("mkdir -p '%s' && chmod 700 '%s'"):format(path, path))
    end
    return path
end

-- OpenGL over Vulkan: Mesa's zink on the Vulkan driver that a file names.
local function zink(icd)
    return ("LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=zink VK_ICD_FILENAMES='%s' XDG_RUNTIME_DIR='%s'"):format(
        icd, runtime_folder())
end

-- An interpreter takes 50 to 500 times as long: tests that need many elements are left out, others are cut off after so many
-- seconds.
local patience = os.getenv "RILL_SUITE_PATIENCE" or 10

-- Each: the name of its passes; a function that gives env, or nil and why it cannot be had; what its name holds; options, tags and a list of
-- files that it leaves out, and more tags for one family.
local drivers = {
    {"hardware", function()
        local name = capture((os.getenv "RILL_LUA" or "lua5.4") .. [[ -e '
            for _, device in ipairs(require "rill".devices()) do
                if not device.software then io.write(device.name) break end
            end']])
        if name == "" then
            return nil, "this machine has no GPU with OpenGL 4.3"
        end
        return ("RILL_DEVICE='%s'"):format(name:gsub("'", "'\\''"))
    end, expects = ""},
    {"llvmpipe", function() return "LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=llvmpipe" end, expects = "^llvmpipe"},
    -- An interpreter, another reading of GLSL. It is refused by itself: of lanes that store at different places of a private array one
    -- decides for its neighbours. Of a buffer texture it offers 65,536 texels, and reads those from the 32,768th on at another place.
    {"softpipe", function()
        return "LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=softpipe MESA_GL_VERSION_OVERRIDE=4.5"
            .. " MESA_GLSL_VERSION_OVERRIDE=450 RILL_TRUST=1 RILL_MAX_TEXELS=32768 RILL_SUITE_PATIENCE=" .. patience
    end, expects = "^softpipe", out = {repeated, beyond}, options = "--helper=spec/support/patience.lua",
        tags = {"long", "slow", "large", "overflow", "lanes", "refused"},
        of_family = {cpu = {"tables"}, gpu = {"doubles"}}},
    -- Work is queued, as on a GPU.
    {"zink", function()
        local icd = capture "ls /usr/share/vulkan/icd.d/lvp_icd*.json":match "[^\n]+"
        if not icd then
            return nil, "no lavapipe: tools/deps.sh drivers installs it"
        end
        return zink(icd)
    end, expects = "^zink", tags = {"long", "slow", "ten"}},
}

local function joined(list, more)
    local all = table.move(list, 1, #list, 1, {})
    return more and table.move(more, 1, #more, #all + 1, all) or all
end

local names = {}
for _, driver in ipairs(drivers) do
    local env, absent = driver[2]()
    for _, family in ipairs {"cpu", "gpu"} do
        local name = driver[1] .. "-" .. family
        passes[name] = {title = ("%s, RILL_FAMILY=%s"):format(driver[1], family),
            expects = driver.expects, absent = absent,
            env = env and env .. " RILL_FAMILY=" .. family,
            out = joined({no_device, pages, timed}, driver.out), options = driver.options,
            tags = joined(driver.tags or {"long", "slow"},
                driver.of_family and driver.of_family[family])}
        names[#names + 1] = name
    end
end

return {passes = passes, drivers = names, tags = tags, capture = capture}
