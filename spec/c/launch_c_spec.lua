-- Runs launch_test.c: launches over containers below the binding.
require "spec.support.cmocka".tests("launch", describe, it)
