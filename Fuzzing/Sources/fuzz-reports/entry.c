/* libFuzzer has the main function; this names what it calls, so that the linker takes it in. */
#include <stddef.h>
#include <stdint.h>

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int (*const fuzz_reports_entry)(const uint8_t *data, size_t size) = LLVMFuzzerTestOneInput;
