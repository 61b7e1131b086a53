// A word of a launch's parameters by its number.
#define PARAMETER(word) rill_p[(word) / 4][(word) % 4]
