-- Commands in processes of their own, for a limited time.
local child = {}

--- The lines of a file, which is removed; none where there is no such file.
function child.take(path)
    local list = {}
    local file = io.open(path)
    for line in file and file:lines() or function() end do
        list[#list + 1] = line
    end
    if file then
        file:close()
        os.remove(path)
    end
    return list
end

--- Runs a shell's command for at most `limit` seconds: "hang" or "crash (signal N)", nil where it ended by itself, and its exit status.
-- Ctrl-C there ends this process too.
function child.run(limit, command)
    local _, how, status = os.execute(("timeout -k 2 %d %s"):format(limit, command))
    local signal = how == "signal" and status or (status > 128 and status - 128)
    if signal == 2 then
        print "interrupted"
        os.exit(130)
    elseif status == 124 or signal == 9 then
        return "hang", status
    elseif signal then
        return "crash (signal " .. signal .. ")", status
    end
    return nil, status
end

return child
