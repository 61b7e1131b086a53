-- Returns a table of pseudo-random indices from 0 to n - 1.
return function(count, n, seed)
    local list, state = {}, seed or 1
    for i = 1, count do
        state = (state * 1103515245 + 12345) % 2147483648
        list[i] = state // 65536 % n
    end
    return list
end
