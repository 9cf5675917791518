// Counts the heap allocations of the process that it is preloaded into (LD_PRELOAD), and forwards
// each to glibc's internal function.
#include "AllocationCounter.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static _Atomic uint64_t count;

uint64_t allocation_counter_count(void) {
    return atomic_load_explicit(&count, memory_order_relaxed);
}

static void tick(void) { atomic_fetch_add_explicit(&count, 1, memory_order_relaxed); }

void *malloc(size_t size) {
    tick();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    tick();
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    tick();
    return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
    tick();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
    void *memory = memalign(alignment, size);
    if (!memory) return ENOMEM;
    *result = memory;
    return 0;
}
