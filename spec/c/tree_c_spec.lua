-- Runs tree_test.c: the tree of a kernel text.
require "spec.support.cmocka".tests("tree", describe, it)
