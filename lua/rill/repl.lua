--- rill.repl, for scripts that require it by this name.
return require("rill.shell.repl").repl
