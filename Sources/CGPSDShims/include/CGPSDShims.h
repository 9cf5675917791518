#pragma once

#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

/// Why a call failed, where errno alone does not say.
enum {
  CGPSD_UNSUPPORTED = -1,  // Built without libgps.
  CGPSD_ABSENT = -2,       // Nobody shares memory under the key.
  CGPSD_MISMATCH = -3,     // The segment is another release's.
  CGPSD_DENIED = -4,       // The segment may not be read.
  CGPSD_EXHAUSTED = -5,    // No memory for the record's copy.
};

enum { CGPSD_PATH_SIZE = 256, CGPSD_SATELLITES = 256 };

/// A fix and what came with it; numbers are NaN, or -1 where noted, when absent.
typedef struct {
  double time;  // Seconds since 1970, UTC.
  double latitude, longitude, altitudeHAE, altitudeMSL;
  double errorTime, errorLongitude, errorLatitude, errorHorizontal, errorVertical;
  double speed, track, climb;
  double errorSpeed, errorTrack, errorClimb;
  double magneticVariation, geoidSeparation, differentialAge;
  double xdop, ydop, hdop, vdop, pdop, tdop, gdop;
  double skyTime;
  double attitudeTime, heading, pitch, roll, yaw;
  int32_t mode, status;
  int32_t differentialStation;                // -1 when absent.
  int32_t satellitesUsed, satellitesVisible;  // Visible: how many were written.
  char device[CGPSD_PATH_SIZE];               // Ends with a NUL, empty when unknown.
} CGPSDReport;

typedef struct {
  double elevation, azimuth, signalStrength;  // NaN when absent.
  int32_t prn;
  int32_t constellation, vehicle, signal;  // gpsd's gnssid, svid and sigid, -1 when absent.
  int32_t frequency;                       // GLONASS only, -1 when absent.
  int32_t health;                          // 0 unknown, 1 healthy, 2 not.
  int32_t used;
} CGPSDSatellite;

typedef struct CGPSDSession CGPSDSession;

/// The API number of the libgps that this was compiled for, 0 without one.
int32_t cgpsd_api_version(void);

/// Attaches to a local gpsd's memory: 0 and a session to close, or negative.
int32_t cgpsd_shared_memory_open(CGPSDSession *_Nullable *_Nonnull session);

/// 1 with a record that differs from the last, 0 when there is none, negative on error.
///
/// The record found at the first call counts as known: a segment outlives its daemon.
int32_t cgpsd_shared_memory_read(
    CGPSDSession *_Nonnull session, CGPSDReport *_Nonnull report,
    CGPSDSatellite *_Nonnull satellites, int32_t capacity);

void cgpsd_shared_memory_close(CGPSDSession *_Nonnull session);

/// Names the calling thread; of the name 15 bytes are kept.
void cgpsd_name_thread(const char *_Nonnull name);
