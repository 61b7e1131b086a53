-- Fuzzes the readers of all formats: readers.lua READERS, where READERS is the program of fuzz/readers.c. SECONDS
-- (default: 60) is the time for all formats together, FORMATS lists the formats to run, such as "png ply". Inputs
-- that reach new code are stored next to the program in corpus/FORMAT, and read first in the next run. Findings are
-- stored there too. Fails if there is a finding.

local program = arg[1]
local folder = program:match "^(.*)/[^/]*$"
local seconds = tonumber(os.getenv "SECONDS") or 60

-- More memory than any input of this length needs: a PNG of 16 KiB decompresses to at most 17 MB of rows, with eight
-- pixels of four bytes per byte.
local FLAGS <const> = "-timeout=10 -rss_limit_mb=2000 -malloc_limit_mb=1000 -max_len=16384 -print_final_stats=1"

local function capture(format, ...)
    local pipe = assert(io.popen(format:format(...)))
    local text = pipe:read "a"
    return text, pipe:close() == true
end

local formats = {}
local requested = os.getenv "FORMATS" or ""
for format in (requested:match "%S" and requested or capture("'%s' formats", program)):gmatch "%S+" do
    formats[#formats + 1] = format
end

local findings = 0
for _, format in ipairs(formats) do
    local kept, seeds = ("%s/corpus/%s"):format(folder, format), "fuzz/corpus/" .. format
    assert(os.execute(("mkdir -p '%s'"):format(kept)))
    seeds = os.execute(("test -d '%s'"):format(seeds)) and seeds or ""
    local each = math.max(1, seconds // #formats)
    local text, good = capture("'%s' %s '%s' %s %s -max_total_time=%d -artifact_prefix='%s/%s-' 2>&1",
        program, format, kept, seeds, FLAGS, each, folder, format)
    local runs, edges = text:match "number_of_executed_units: (%d+)", text:match ".*cov: (%d+)"
    print(("%-5s %9s inputs, %4s edges  %s"):format(format, runs or "?", edges or "?", good and "" or "FAILED"))
    if not good then
        findings = findings + 1
        print((text:gsub("^.-\n(==%d+==)", "%1")))
        local input = text:match "Test unit written to (%S+)"
        print(input and ("again: %s %s %s"):format(program, format, input) or "")
    end
    io.flush()
end
print(("%d formats, %d findings"):format(#formats, findings))
os.exit(findings == 0)
