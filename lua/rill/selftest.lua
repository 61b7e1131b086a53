--- rill.selftest, for scripts that require it by this name.
return require("rill.shell.selftest").selftest
