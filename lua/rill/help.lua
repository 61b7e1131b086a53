--- rill.help, for scripts that require it by this name.
return require("rill.shell.help").help
