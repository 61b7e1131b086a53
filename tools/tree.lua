-- Prints the tree of a kernel text: tree.lua [--text] FILE. Each line is a node and its token. With --text, prints the
-- text that the tree represents, after the expansion of macros. Needs the build tree: eval "$(make -s env)".

local core = require "rill.core"
local files = require "tools.site.files"

local text = arg[1] == "--text"
local ok, result = pcall(core._tree, files.read(arg[text and 2 or 1]), text and "text" or "types")
io.stderr:write(ok and "" or result .. "\n")
io.write(ok and result or "")
os.exit(ok)
