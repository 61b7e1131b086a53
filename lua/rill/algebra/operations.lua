-- The operations of the algebra: a list in the order of the manual, and a table by name. define.lua describes the
-- fields of a row.
local define = require "rill.algebra.define"

require "rill.algebra.rows.operators"
require "rill.algebra.rows.elementary"
require "rill.algebra.rows.numbers"
require "rill.algebra.rows.geometry"
require "rill.algebra.rows.complex"

local operations = {list = define.list, named = define.named}

--- operations.signature(op) returns the signature of the operation's function or method, "rill.atan(y: operand, x?:
-- operand): expression", or nil if it is only an operator.
function operations.signature(op)
    if not op.doc then
        return nil
    end
    local words = {}
    for i = op.method and 2 or 1, #op.names do
        words[#words + 1] = ("%s%s: operand"):format(op.names[i], i > op.least and "?" or "")
    end
    return ("%s%s(%s): expression"):format(op.method and "s:" or "rill.", op.title, table.concat(words, ", "))
end

return operations
