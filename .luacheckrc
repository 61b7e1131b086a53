std = "lua54"
max_line_length = 120
-- Kernel text, messages and tables in comments keep the width they need.
max_string_line_length = false
max_comment_line_length = false

files["spec"].std = "lua54+busted"
files["tools/busted.lua"].std = "lua54+busted"
files[".busted"].std = "lua54"
files["**/*.rockspec"].std = "rockspec"
