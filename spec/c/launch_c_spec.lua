-- Launches over containers below the binding: launch_test.c.
require "spec.support.cmocka".tests("launch", describe, it)
