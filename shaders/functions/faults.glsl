#include "shared/fault_words.h"
layout(std430, binding = RILL_FAULT_BINDING) coherent buffer Rill_fault { uint rill_fault[RILL_FAULT_WORDS]; };
