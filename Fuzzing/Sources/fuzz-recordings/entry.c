/* libFuzzer provides main. This reference makes the linker include the function that it calls. */
#include <stddef.h>
#include <stdint.h>

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int (*const fuzz_recordings_entry)(const uint8_t *data, size_t size) = LLVMFuzzerTestOneInput;
