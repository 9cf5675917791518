#pragma once

#include <stddef.h>
#include <stdint.h>

/// The places of GeoNames, in the format of scripts/gazetteer-tools/layout.py, aligned to 16 bytes.
///
/// They are a part of the program's file, so the system reads the pages that are used and shares
/// them between processes.
const uint8_t *_Nonnull gazetteer_data(void);

/// The number of bytes.
size_t gazetteer_size(void);

/// The regions of the world by borders of DCW-GMT, in the format of
/// scripts/gazetteer-tools/borders.py, aligned to 16 bytes.
const uint8_t *_Nonnull borders_data(void);

/// The number of bytes; 0 in a build without borders.
size_t borders_size(void);
