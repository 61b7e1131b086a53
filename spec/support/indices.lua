-- Indices from 0 below n, pseudo-random, as a table.
return function(count, n, seed)
    local list, state = {}, seed or 1
    for i = 1, count do
        state = (state * 1103515245 + 12345) % 2147483648
        list[i] = state // 65536 % n
    end
    return list
end
