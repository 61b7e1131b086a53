-- Distribution functions in doubles, and the chi-squared test of samples.
local probability = {}

-- Returns log Gamma(x) of a positive number: Stirling's series, after an increase of small arguments.
local function log_gamma(x)
    local product = 1
    while x < 12 do
        x, product = x + 1, product * x
    end
    local i = 1 / x
    local z = i * i
    return (x - 0.5) * math.log(x) - x + 0.5 * math.log(2 * math.pi) - math.log(product) +
        i * (1 / 12 - z * (1 / 360 - z * (1 / 1260 - z * (1 / 1680 - z / 1188))))
end

-- Evaluates the continued fraction 1 / (1 + a(1) / (1 + a(2) / (1 + ...))) (Lentz 1976).
local function fraction(a)
    local c, d, value = 1, 0, 1
    for m = 1, 10000000 do
        d = 1 / (1 + a(m) * d)
        c = 1 + a(m) / c
        value = value * c * d
        if math.abs(c * d - 1) < 1e-15 then
            return 1 / value
        end
    end
    error "the continued fraction does not converge"
end

--- probability.gamma(x, shape) returns the probability that a gamma number with scale 1 is at most x.
function probability.gamma(x, shape)
    if x <= 0 then
        return 0
    end
    local front = math.exp(shape * math.log(x) - x - log_gamma(shape + 1))
    if x < shape + 1 then
        local term, sum, n = 1, 1, shape
        while term > sum * 1e-17 do
            n = n + 1
            term = term * x / n
            sum = sum + term
        end
        return front * sum
    end
    -- Legendre's fraction, contracted (Press and others, "Numerical Recipes")
    local b = x + 1 - shape
    local c, d = 1e300, 1 / b
    local h = d
    for i = 1, 10000000 do
        local a = -i * (i - shape)
        b = b + 2
        d = 1 / (a * d + b)
        c = b + a / c
        h = h * d * c
        if math.abs(d * c - 1) < 1e-15 then
            break
        end
    end
    return 1 - front * shape * h
end

--- probability.beta(x, a, b) returns the probability that a beta number is at most x.
function probability.beta(x, a, b)
    if x <= 0 or x >= 1 then
        return x <= 0 and 0 or 1
    end
    if x > (a + 1) / (a + b + 2) then
        return 1 - probability.beta(1 - x, b, a)
    end
    local front = math.exp(a * math.log(x) + b * math.log(1 - x) + log_gamma(a + b) - log_gamma(a + 1) - log_gamma(b))
    return front * fraction(function(m)
        local k = m // 2
        return (m % 2 == 0 and k * (b - k) or -(a + k) * (a + b + k)) * x / ((a + m - 1) * (a + m))
    end)
end

--- probability.poisson(k, mean) returns the probability that a Poisson number is at most k.
function probability.poisson(k, mean)
    return k < 0 and 0 or mean == 0 and 1 or 1 - probability.gamma(mean, k + 1)
end

--- probability.binomial(k, n, p) returns the probability that a binomial number is at most k.
function probability.binomial(k, n, p)
    return k < 0 and 0 or k >= n and 1 or probability.beta(1 - p, n - k, k + 1)
end

--- probability.chi_squared(counts, chances, total) returns the probability that the statistic of random counts is at
-- most the statistic of `counts`, whose expected values are total * chances[i].
function probability.chi_squared(counts, chances, total)
    local sum = 0
    for i, chance in ipairs(chances) do
        local expected = total * chance
        sum = sum + (counts[i] - expected) ^ 2 / expected
    end
    return probability.gamma(sum / 2, (#chances - 1) / 2)
end

return probability
