#include "CGazetteer.h"

#include <stdalign.h>

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc23-extensions"
static alignas(16) const uint8_t data[] = {
#embed "places.gazetteer"
};
#pragma clang diagnostic pop

const uint8_t *gazetteer_data(void) { return data; }

size_t gazetteer_size(void) { return sizeof data; }
