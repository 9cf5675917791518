#include "CGazetteer.h"

#include <stdalign.h>

#ifdef GAZETTEER_WITHOUT_BORDERS

const uint8_t *borders_data(void) { return gazetteer_data(); }

size_t borders_size(void) { return 0; }

#else

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc23-extensions"
static alignas(16) const uint8_t data[] = {
#embed "world.borders"
};
#pragma clang diagnostic pop

const uint8_t *borders_data(void) { return data; }

size_t borders_size(void) { return sizeof data; }

#endif
