-- Runs commands in separate processes with a time limit.
local child = {}

--- Returns the lines of a file and removes it. Returns no lines if the file does not exist.
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

--- Runs a shell command for at most `limit` seconds. Returns "hang", "crash (signal N)" or nil, and its exit status.
-- Ctrl-C in the command also ends this process.
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
