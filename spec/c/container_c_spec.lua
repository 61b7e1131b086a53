-- Runs container_test.c: containers below the binding.
require "spec.support.cmocka".tests("container", describe, it)
