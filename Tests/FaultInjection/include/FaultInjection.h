/* Injects failures of system calls, only on the thread that serves gpsd's connections; records calls
   that may block on the threads of the cooperative pool. */
#pragma once
#include <stdint.h>

enum fault_call { FAULT_RECV, FAULT_SEND, FAULT_WAIT, FAULT_CONNECT, FAULT_SOCKET, FAULT_CALLS };

/* The next `count` calls of a kind fail with this errno, after `skipping` successful ones. */
void fault_inject(enum fault_call call, int32_t skipping, int32_t count, int32_t error);

/* The number of injected failures of a kind. */
int32_t fault_injected(enum fault_call call);

/* Sets the offsets of this process' clocks in seconds: `wall` shifts the wall clock; `suspended`,
   like a sleep of the machine, shifts the wall clock and the clock that counts suspended time. */
void fault_set_clocks(int64_t wall, int64_t suspended);

/* Sets the address that names resolve to: the last byte of 127.0.0.x; 0 for a transient failure,
   -1 for the system's answer. */
void fault_set_name(int32_t host);

/* Sets whether look-ups of names that begin with "stall" hang. Clearing it releases hanging ones. */
void fault_stall_names(int32_t stalls);

/* The number of hanging look-ups. */
int32_t fault_stalled_names(void);

/* Opens a pseudo-terminal: returns one end's descriptor and the other's path; -1 on failure. */
int32_t fault_open_terminal(char *_Nonnull path, int32_t size);

/* The number of bytes allocated and not freed. */
int64_t fault_allocated(void);

/* Sets whether calls that may block on a thread of the cooperative pool are recorded. Zero if this
   build cannot: a sanitizer has wrappers of its own. */
int32_t pool_calls_watch(int32_t on);

/* The recorded call with a number; NULL after the last. */
const char *_Nullable pool_call(int32_t index);
