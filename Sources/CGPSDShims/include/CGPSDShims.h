#pragma once

#include <stdint.h>

/// Status codes of failed calls.
enum {
  CGPSD_UNSUPPORTED = -1,  // Built without libgps.
  CGPSD_ABSENT = -2,       // No segment exists under the key.
  CGPSD_MISMATCH = -3,     // The segment belongs to another release of gpsd.
  CGPSD_DENIED = -4,       // The process may not read the segment.
  CGPSD_EXHAUSTED = -5,    // No memory or descriptor is left.
};

enum { CGPSD_PATH_SIZE = 256, CGPSD_SATELLITES = 256 };

/// A fix and the data that belongs to it. Absent numbers are NaN, or -1 where noted.
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
  int32_t satellitesUsed, satellitesVisible;  // satellitesVisible: how many were written.
  char device[CGPSD_PATH_SIZE];               // NUL-terminated; empty if unknown.
} CGPSDReport;

typedef struct {
  double elevation, azimuth, signalStrength;  // NaN when absent.
  int32_t prn;
  int32_t constellation, vehicle, signal;  // gpsd's gnssid, svid and sigid, -1 when absent.
  int32_t frequency;                       // GLONASS only, -1 when absent.
  int32_t health;                          // 0 unknown, 1 healthy, 2 unhealthy.
  int32_t used;
} CGPSDSatellite;

typedef struct CGPSDSession CGPSDSession;

/// The API version of the libgps that this was compiled with; 0 without libgps.
int32_t cgpsd_api_version(void);

/// Attaches to a local gpsd's shared memory. Returns 0 and a session to close, or a negative
/// status.
int32_t cgpsd_shared_memory_open(CGPSDSession *_Nullable *_Nonnull session);

/// Returns 1 with a record that differs from the last one, 0 if there is none, or a negative
/// status.
///
/// The record found by the first call counts as known, because a segment may outlive its daemon.
int32_t cgpsd_shared_memory_read(
    CGPSDSession *_Nonnull session, CGPSDReport *_Nonnull report,
    CGPSDSatellite *_Nonnull satellites, int32_t capacity);

void cgpsd_shared_memory_close(CGPSDSession *_Nonnull session);
