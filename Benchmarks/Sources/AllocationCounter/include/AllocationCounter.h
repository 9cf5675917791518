#pragma once

#include <stdint.h>

/// Allocations of the process so far.
uint64_t allocation_counter_count(void);
