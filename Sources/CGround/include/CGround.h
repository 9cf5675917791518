#pragma once

#include <stddef.h>
#include <stdint.h>

/// Land and borders of GSHHG and the largest places of GeoNames, in the format of
/// scripts/gazetteer-tools/ground.py.
///
/// They are a part of the program's file, so the system reads the pages that are used and shares
/// them between processes.
const uint8_t *_Nonnull ground_data(void);

/// The number of bytes; 0 in a build without borders.
size_t ground_size(void);
