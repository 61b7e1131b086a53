-- Runs host_test.c: elements in host memory, and structures parsed from text.
require "spec.support.cmocka".tests("host", describe, it)
