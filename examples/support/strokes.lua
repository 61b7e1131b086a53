-- The strokes of examples/paint3d.lua: views, and for each a list of strokes with radius, color, coverage and paths. Coordinates are parts of the image's side.
local from_side <const>, from_front <const> = {{1.7, 0.85, -0.3}, 2.35}, {{0.9, 0.95, -0.8}, 2.1}
local brown <const>, dark <const>, rose <const> = {0.45, 0.24, 0.12}, {0.10, 0.08, 0.08}, {0.95, 0.55, 0.55}
local cream <const>, gold <const>, blue <const> = {1.0, 0.95, 0.8}, {0.95, 0.72, 0.2}, {0.1, 0.45, 0.75}
local loops <const> = {}
for i = 0, 48 do
    local t = 2 * math.pi * i / 16
    loops[i + 1] = {0.27 + 0.005 * i + 0.035 * math.sin(t), 0.475 - 0.03 * math.cos(t)}
end
local seen_from_side <const> = {
    {0.10, brown, 1, {{0.32, 0.60}, {0.50, 0.60}}},
    {0.03, dark, 1, {{0.45, 0.895}, {0.54, 0.895}}, {{0.22, 0.795}, {0.30, 0.795}}, {{0.605, 0.80}, {0.64, 0.80}}},
    {0.024, gold, 1, {{0.66, 0.09}, {0.665, 0.16}}},
    {0.022, rose, 0.8, {{0.57, 0.235}, {0.63, 0.235}}},
    {0.018, blue, 0.6, loops},
    {0.008, cream, 1, -- rill
        {{0.335, 0.59}, {0.335, 0.67}}, {{0.335, 0.62}, {0.35, 0.60}, {0.37, 0.595}},
        {{0.405, 0.595}, {0.405, 0.67}}, {{0.405, 0.56}},
        {{0.445, 0.54}, {0.445, 0.67}}, {{0.485, 0.54}, {0.485, 0.67}}},
}
local seen_from_front <const> = {
    {0.08, brown, 1, {{0.69, 0.30}, {0.66, 0.34}}},
    {0.06, rose, 0.85, {{0.50, 0.55}, {0.74, 0.535}}},
    {0.024, gold, 1, {{0.475, 0.14}, {0.50, 0.20}}, {{0.67, 0.14}, {0.65, 0.20}}},
    {0.026, dark, 1, {{0.50, 0.34}}, {{0.67, 0.34}}},
    {0.007, cream, 1, {{0.508, 0.33}}, {{0.678, 0.33}}},
    {0.002, dark, 1, {{0.478, 0.325}, {0.468, 0.315}}, {{0.69, 0.313}, {0.697, 0.303}}},
    {0.012, dark, 1, {{0.55, 0.50}}, {{0.68, 0.49}}},
    {0.01, dark, 1, {{0.50, 0.56}, {0.56, 0.585}, {0.63, 0.59}, {0.70, 0.575}, {0.74, 0.55}}},
}

return {
    {from = from_side, strokes = seen_from_side}, {from = from_front, strokes = seen_from_front},
}
