-- The methods of streams that containers apply to their mapped elements: {name, number of the argument that is an axis,
-- result = its type, doc = a remark about the result}.
return {
    {"sum", 1}, {"prod", 1}, {"min", 1}, {"max", 1}, {"mean", 1}, {"var", 1}, {"std", 1}, {"any", 1}, {"all", 1},
    {"count", 1}, {"argmin", 1}, {"argmax", 1}, {"norm", 1}, {"dot", 2},
    {"scan", result = "container", doc = "a container mapped like this one"}, {"filter"},
    {"find", doc = "coordinates from 0, x first"}, {"partition"}, {"runs"}, {"unique"}, {"sort"},
    {"top_k", doc = "places as coordinates"}, {"histogram"}, {"stats"}, {"median", 1}, {"quantile"}, {"percentile"},
}
