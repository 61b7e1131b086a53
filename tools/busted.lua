-- Runs busted with the interpreter that runs this file, whatever interpreter the command `busted` uses.
require "busted.runner" {standalone = false}
