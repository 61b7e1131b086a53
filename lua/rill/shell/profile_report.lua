-- Tables of what launches cost, for rill.profile and views of rill.live. A device has one profile at a time:
-- report.taken is true while rill.profile runs; report.background is the view that measures otherwise, or nil.
local report = {taken = false}

local UNITS = { { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "us" } }

--- report.duration(seconds) returns a time as a text.
function report.duration(seconds)
    for _, unit in ipairs(UNITS) do
        if seconds >= unit[1] then
            return ("%.3g %s"):format(seconds / unit[1], unit[2])
        end
    end
    return seconds > 0 and ("%.0f ns"):format(seconds * 1e9) or "0"
end

--- report.size(bytes) returns a number of bytes as a text.
function report.size(bytes)
    for power, unit in ipairs { "GiB", "MiB", "KiB" } do
        local one = 1024.0 ^ (4 - power)
        if bytes >= one then
            return ("%.1f %s"):format(bytes / one, unit)
        end
    end
    return ("%d bytes"):format(bytes)
end

--- report.heads: the names of the columns.
report.heads = { "kernel", "calls", "device", "per call", "host", "bytes", "GB/s", "of copy" }

--- report.rows(list) returns the rows of a list of kernels as texts.
function report.rows(list)
    local rows = {}
    for i, row in ipairs(list) do
        rows[i] = {
            row.name, tostring(row.calls), report.duration(row.device_time),
            report.duration(row.device_time / row.calls), report.duration(row.host_time), report.size(row.bytes),
            ("%.1f"):format(row.rate / 1e9), ("%.0f %%"):format(100 * row.share),
        }
    end
    return rows
end

--- report.complete(recorded, copy_rate) adds the rate and its share of the copy rate to the rows of a profile, and
-- sorts them, the longest first. Returns the rows.
function report.complete(recorded, copy_rate)
    for _, row in ipairs(recorded.rows) do
        row.rate = row.device_time > 0 and row.bytes / row.device_time or 0
        row.share = row.rate / copy_rate
    end
    table.sort(recorded.rows, function(a, b) return a.device_time > b.device_time end)
    return recorded.rows
end

return report
