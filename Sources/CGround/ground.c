#include "CGround.h"

#ifdef WITHOUT_BORDERS
static const uint8_t ground[] = {0};

size_t ground_size(void) { return 0; }
#else
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc23-extensions"
static const uint8_t ground[] = {
#embed "world.ground"
};
#pragma clang diagnostic pop

size_t ground_size(void) { return sizeof ground; }
#endif

const uint8_t *ground_data(void) { return ground; }
