-- The name that core/options had, for modules that still use it.
return require "rill.core.options"
