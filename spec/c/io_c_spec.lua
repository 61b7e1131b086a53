-- Runs io_test.c: readers and writers of files below the binding.
require "spec.support.cmocka".tests("io", describe, it)
