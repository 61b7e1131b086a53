-- Lists the passes of tools/suite.lua, their settings, and what each leaves out, with the reason.
--
-- A pass has these fields: title; env (words for the command `env`); options (of busted); out (lists of spec files,
-- each with its reason); tags (of tests that it leaves out, with the reasons below); expects (a pattern of the
-- device's name, if the pass is for one driver); absent (why that driver is not available); whole (together with
-- another such pass it covers the default device); quick (additional words for `env`, except for the spec files
-- listed).

local function capture(command)
    local pipe = assert(io.popen(command .. " 2>/dev/null"))
    local text = pipe:read "a"
    pipe:close()
    return text
end

-- ---- tests that are left out

local no_device = {reason = "it does not depend on the driver",
    "colormap", "command", "contributing", "deps", "examples", "format", "hostile", "install", "io_c", "interrupt",
    "manual_checks", "npy", "plot", "png", "pnm", "prompt", "prompt_parts", "qoi", "rillfile", "suite"}
local pages = {reason = "the passes own, cpu and gpu run the pages of the manual", "readme"}
local no_collector = {reason = "it does not depend on the garbage collector",
    "command", "contributing", "deps", "examples", "install", "interrupt", "manual_checks", "prompt",
    "prompt_parts", "readme", "suite"}
local repeated = {reason = "it repeats launches that other files make, which takes minutes on an interpreter",
    "horn", "inject", "life", "mandelbrot", "smoke"}
local beyond = {reason = "its lists are longer than a buffer texture of softpipe", "shadow"}
local drawn = {reason = "softpipe draws nothing if a fragment shader reads gl_PrimitiveID", "render", "raster_c"}
local timed = {reason = "it counts GL calls or measures times", "counters", "counts", "profile"}

-- Reasons for leaving out tests, by their tags.
local tags = {
    long = "it takes long: make test-all runs it",
    slow = "the passes own and cpu run it",
    large = "its launches take minutes on an interpreter",
    lanes = "on softpipe, invocations that write to different elements of a private array overwrite each other",
    tables = "the primitives of this family use a private array per invocation: see #lanes",
    doubles = [[softpipe has registers for two doubles; if it needs more, it prints "NIR-to-TGSI: error"]],
    refused = "rill refuses softpipe: it is used because RILL_TRUST is set, and tested in every process",
    ten = "lavapipe (under zink) rounds ten-bit render targets to eight bits",
    precise = "softpipe computes some functions of doubles, such as smoothstep, with the precision of floats",
    overflow = "dividing the smallest int by -1 ends the process on softpipe (SIGFPE)",
}

-- ---- passes on the default device

-- If the shader cache is empty, LLVM takes most of the time of `make test` on llvmpipe, and a third of that is
-- optimization. When the whole suite runs, `make test` therefore disables the optimization, except for the files
-- below, whose programs some drivers have compiled incorrectly. Runs of single files, `make test-all` and `make
-- drivers` keep it. Mesa caches both sorts of programs separately.
local quick = not os.getenv "RILL_SUITE_LONG" and not os.getenv "GALLIVM_PERF" and {env = "GALLIVM_PERF=nopt",
    title = "programs of some spec files only are optimized (others: GALLIVM_PERF=nopt); make test-all: all",
    "compact", "counters", "gather", "group", "histogram", "loop", "matmul", "predication", "private_array", "profile",
    "quotients", "random_access", "reach", "reduce", "reduce_rows", "resample", "scan", "scatter", "selftest", "slices",
    "sort", "struct", "driver_test"} or nil

-- Tests that take minutes run only on request (RILL_SUITE_LONG).
local function short(...)
    return os.getenv "RILL_SUITE_LONG" and {...} or {"long", ...}
end

-- Returns the path of the library that emulates functions of subgroups.
local function wrong_driver()
    local path = dofile "spec/support/compile.lua"("wrongdriver", "-ldl -lpthread") or ""
    return path:find "^/" and path or os.getenv "PWD" .. "/" .. path
end

local passes = {
    own = {env = "", title = "the device's own family", whole = true, quick = quick, tags = short()},
    cpu = {env = "RILL_FAMILY=cpu", title = "RILL_FAMILY=cpu", whole = true, quick = quick, tags = short()},
    gpu = {env = "RILL_FAMILY=gpu", title = "RILL_FAMILY=gpu", whole = true, quick = quick, out = {no_device},
        tags = short "slow"},
    -- The family gpu with what most GPUs have, and software devices do not: subgroups of 32 lanes (wrongdriver.c emulates
    -- them), and sorts that look back.
    traits = {env = ("RILL_FAMILY=gpu RILL_TUNE=look_back=2 RILL_WRONG=subgroups LD_PRELOAD='%s'"):format(
            wrong_driver()), title = "RILL_FAMILY=gpu with the traits of a GPU, emulated",
        out = {no_device, pages, timed}, tags = short "slow"},
    gc = {env = "", title = "an aggressive garbage collector", out = {no_collector},
        options = "--helper=spec/support/gc.lua", tags = short "slow"},
    -- RILL_POISON defaults to INT_MAX, a NaN, -1 (also a NaN) and 1e30. MALLOC_PERTURB_ fills what glibc's malloc
    -- returns. The garbage collector settings recycle memory soon. To investigate a failure, use RILL_POISON=...
    -- make test SPEC=... without them.
    poison = {env = ("RILL_POISON=%s MALLOC_PERTURB_=85"):format(os.getenv "RILL_POISON"
            or "2147483647,0x7fc00000,-1,0x7149f2ca"),
        title = "an aggressive garbage collector, with memory filled with hostile values", out = {no_collector},
        options = "--helper=spec/support/gc.lua", tags = short "slow"},
    -- make test-plain prepares its PATH and its build tree.
    plain = {env = "", title = "without optional libraries and programs", tags = {"long", "slow"}},
    sanitize = {title = "sanitizers", out = {no_collector}, tags = {"long", "slow"},
        env = ("LD_PRELOAD='%s' RILL_SANITIZE=1"):format(os.getenv "RILL_PRELOAD" or "")
            -- Without intercept_tls_get_addr=0 the leak checker crashes in thread-local storage that Mesa has
            -- released.
            .. " ASAN_OPTIONS=detect_leaks=1:intercept_tls_get_addr=0:exitcode=99"
            .. " UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1"
            .. " LSAN_OPTIONS=suppressions=$PWD/tools/lsan.supp:print_suppressions=0"},
}

-- ---- drivers

-- A directory that only its owner can access. Vulkan's loader requires one for windows, although no window is
-- opened.
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

-- An interpreter takes 50 to 500 times as long. Tests with many elements are left out, and other tests are stopped
-- after this number of seconds.
local patience = os.getenv "RILL_SUITE_PATIENCE" or 10

-- The drivers: name of the passes; a function that returns env, or nil and the reason why the driver is not
-- available; a pattern of its name; options, tags and files that it leaves out, and additional tags for one family.
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
    -- Softpipe, an interpreter, which checks the GLSL independently. rill refuses it by default: invocations that
    -- write to different elements of a private array overwrite each other's. It reports buffer textures of 65,536
    -- texels, but reads those from index 32,768 on from a wrong address.
    {"softpipe", function()
        return "LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=softpipe MESA_GL_VERSION_OVERRIDE=4.5"
            .. " MESA_GLSL_VERSION_OVERRIDE=450 RILL_TRUST=1 RILL_MAX_TEXELS=32768 RILL_SUITE_PATIENCE=" .. patience
    end, expects = "^softpipe", out = {repeated, beyond, drawn}, options = "--helper=spec/support/patience.lua",
        tags = {"long", "slow", "large", "overflow", "lanes", "refused", "precise"},
        of_family = {cpu = {"tables"}, gpu = {"doubles"}}},
    -- Launches are queued, as on a GPU.
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
