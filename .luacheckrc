std = "lua54"
max_line_length = 120

-- Kernel text and tables in comments of specs, tools and examples keep the width they need, and so do rows with one
-- function per line.
for _, directory in ipairs {"spec", "tools", "bench", "examples", "fuzz", "bin"} do
    files[directory] = {max_string_line_length = false, max_comment_line_length = false}
end
for _, rows in ipairs {"shell/reference.lua", "shell/reference_modules.lua", "image/filters.lua", "solve/methods.lua",
    "linalg/methods.lua"} do
    files["lua/rill/" .. rows] = {max_string_line_length = false}
end

files["spec"].std = "lua54+busted"
files["tools/busted.lua"].std = "lua54+busted"
files[".busted"].std = "lua54"
files["**/*.rockspec"].std = "rockspec"
