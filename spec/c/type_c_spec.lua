-- Runs type_test.c: names and types in the tree of a kernel text.
require "spec.support.cmocka".tests("type", describe, it)
