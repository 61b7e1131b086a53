-- busted under the interpreter that runs this file, whatever the interpreter of its own command is.
require "busted.runner" {standalone = false}
