#include "CGazetteer.h"

#include <stdalign.h>

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc23-extensions"
static alignas(16) const uint8_t places[] = {
#embed "places.gazetteer"
};

#ifndef WITHOUT_BORDERS
static alignas(16) const uint8_t borders[] = {
#embed "world.borders"
};
#endif
#pragma clang diagnostic pop

const uint8_t *gazetteer_data(void) { return places; }

size_t gazetteer_size(void) { return sizeof places; }

#ifdef WITHOUT_BORDERS
const uint8_t *borders_data(void) { return places; }

size_t borders_size(void) { return 0; }
#else
const uint8_t *borders_data(void) { return borders; }

size_t borders_size(void) { return sizeof borders; }
#endif
