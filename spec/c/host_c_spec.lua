-- Elements in host memory, and structures read from text: host_test.c.
require "spec.support.cmocka".tests("host", describe, it)
