#pragma once

#include <stdint.h>

/// The number of allocations of the process so far.
uint64_t allocation_counter_count(void);
