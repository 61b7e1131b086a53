-- Readers and writers of files below the binding: io_test.c.
require "spec.support.cmocka".tests("io", describe, it)
