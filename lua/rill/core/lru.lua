-- A cache of the most recently used values: lru(limit) returns find(key) and keep(key, value). If the cache is full,
-- keep removes the value that was used longest ago.
return function(limit)
    local entries, count = {}, 0
    local ends = {} -- the sentinel of a ring: ends.newer is the oldest entry, ends.older the newest one
    ends.newer, ends.older = ends, ends

    local function unlink(entry)
        entry.newer.older, entry.older.newer = entry.older, entry.newer
    end

    local function link(entry)
        entry.newer, entry.older = ends, ends.older
        ends.older.newer, ends.older = entry, entry
    end

    local function find(key)
        local entry = entries[key]
        if not entry then
            return nil
        end
        if ends.older ~= entry then
            unlink(entry)
            link(entry)
        end
        return entry.value
    end

    local function keep(key, value)
        local entry = entries[key]
        if entry then
            unlink(entry)
        else
            if count == limit then
                entries[ends.newer.key] = nil
                unlink(ends.newer)
                count = count - 1
            end
            entry = {key = key}
            entries[key], count = entry, count + 1
        end
        entry.value = value
        link(entry)
    end

    return find, keep
end
