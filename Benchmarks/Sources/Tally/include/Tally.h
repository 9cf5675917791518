#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/// What every client counts, and the line that it ends with. One thread at a time calls it, but for
/// `tally_sum`.

/// Starts the clocks; called just before connecting. Reads the environment: with PERF_LATENCY=1 the
/// time of a fix is when the server sent it, with PERF_SKIP=N the clocks start anew at the Nth fix,
/// with PERF_UNTIL=N they stop at the Nth, and with PERF_THREADS=1 the sleeps of the library's own
/// threads are told apart.
void tally_begin(void);

/// Takes a fix; the altitude is that above mean sea level, the time in nanoseconds from 1970.
void tally_fix(double latitude, double longitude, double altitude, double speed, int64_t time);

/// Takes one satellite of a view of the sky, and the end of the view.
void tally_satellite(int prn, double elevation, double azimuth, double strength, bool used);
void tally_sky(void);

/// Starts the clocks anew, for those who count by themselves.
void tally_restart(void);

/// Takes what was counted without `tally_fix`.
void tally_merge(uint64_t reports, uint64_t sum);

/// Stops the clocks and prints the line, without its end: a client may have more to say.
void tally_end(void);

/// The memory that the process holds, in bytes, and its threads: all, and those whose name begins
/// with `prefix`.
int64_t tally_resident(void);
/// Bytes that are allocated and not freed.
int64_t tally_allocated(void);
int tally_threads(const char *prefix);

static inline uint64_t tally_round(double value, double scale) {
    // Integers, so that the last bit of a sum of floats does not matter.
    return isfinite(value) ? (uint64_t)llround(value * scale) : 0;
}

/// What a fix adds to the checksum.
static inline uint64_t tally_sum(double latitude, double longitude, double altitude, double speed,
                                 int64_t time) {
    return tally_round(latitude, 1e9) + 3 * tally_round(longitude, 1e9) +
           5 * tally_round(altitude, 1e4) + 7 * tally_round(speed, 1e4) +
           11 * (uint64_t)((time + 500000) / 1000000);
}
