// Returns a word of a launch's parameters.
#define PARAMETER(word) rill_p[(word) / 4][(word) % 4]
