#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/// The counters of every client, and the line that it prints at its end. Only `tally_sum` may be
/// called concurrently.

/// Starts the clocks; call it just before connecting. Reads the environment. With PERF_LATENCY=1
/// the time of a fix is the time when the server sent it. With PERF_SKIP=N the clocks restart at
/// the Nth fix, with PERF_UNTIL=N they stop at the Nth fix. With PERF_THREADS=1 sleeps of the
/// library's own threads are counted separately.
void tally_begin(void);

/// Counts a fix; the altitude is above mean sea level, the time in nanoseconds since 1970.
void tally_fix(double latitude, double longitude, double altitude, double speed, int64_t time);

/// Counts one satellite of a satellite view; `tally_sky` ends the view.
void tally_satellite(int prn, double elevation, double azimuth, double strength, bool used);
void tally_sky(void);

/// Restarts the clocks, for clients that count by themselves.
void tally_restart(void);

/// Adds reports and a checksum that were counted without `tally_fix`.
void tally_merge(uint64_t reports, uint64_t sum);

/// Stops the clocks and prints the line without a newline, so that a client can add to it.
void tally_end(void);

/// The resident memory of the process, in bytes.
int64_t tally_resident(void);
/// The number of bytes allocated and not freed.
int64_t tally_allocated(void);
/// The number of threads whose name begins with `prefix`; of all threads if it is empty.
int tally_threads(const char *prefix);

static inline uint64_t tally_round(double value, double scale) {
    // Integers make the sum independent of floating-point rounding.
    return isfinite(value) ? (uint64_t)llround(value * scale) : 0;
}

/// The contribution of a fix to the checksum.
static inline uint64_t tally_sum(double latitude, double longitude, double altitude, double speed,
                                 int64_t time) {
    return tally_round(latitude, 1e9) + 3 * tally_round(longitude, 1e9) +
           5 * tally_round(altitude, 1e4) + 7 * tally_round(speed, 1e4) +
           11 * (uint64_t)((time + 500000) / 1000000);
}
