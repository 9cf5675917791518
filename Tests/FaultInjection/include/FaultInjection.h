/* Makes calls of the system fail on purpose, on the thread that serves gpsd's connections alone. */
#pragma once
#include <stdint.h>

enum fault_call { FAULT_RECV, FAULT_SEND, FAULT_WAIT, FAULT_CONNECT, FAULT_SOCKET, FAULT_CALLS };

/* The next so many calls of a kind fail with this errno, after `skipping` that do not. */
void fault_inject(enum fault_call call, int32_t skipping, int32_t count, int32_t error);

/* How many calls of a kind have been made to fail. */
int32_t fault_injected(enum fault_call call);

/* What the clocks of this process are ahead by, in seconds: the wall clock, and, as after a sleep of
   the machine, both it and the clock that goes on meanwhile. */
void fault_set_clocks(int64_t wall, int64_t suspended);

/* Which address names stand for from now on: the last byte of 127.0.0.x; 0 for a failure that may
   pass, -1 for what the system says. */
void fault_set_name(int32_t host);

/* Whether names that begin with "stall" hang: from now on, or no longer; who hung goes on then. */
void fault_stall_names(int32_t stalls);

/* How many look-ups hang. */
int32_t fault_stalled_names(void);

/* Opens a terminal that nobody sits at: one end's descriptor, and the other's path; -1 for none. */
int32_t fault_open_terminal(char *_Nonnull path, int32_t size);

/* Bytes that the process has allocated and not freed. */
int64_t fault_allocated(void);
