#include "CGPSDShims.h"

#ifndef CGPSD_LIBGPS

int32_t cgpsd_api_version(void) { return 0; }

int32_t cgpsd_shared_memory_open(CGPSDSession **session) {
  *session = 0;
  return CGPSD_UNSUPPORTED;
}

int32_t cgpsd_shared_memory_read(
    CGPSDSession *session, CGPSDReport *report, CGPSDSatellite *satellites, int32_t capacity) {
  (void)session, (void)report, (void)satellites, (void)capacity;
  return CGPSD_UNSUPPORTED;
}

void cgpsd_shared_memory_close(CGPSDSession *session) { (void)session; }

#else

#include <errno.h>
#include <gps.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>

#if GPSD_API_MAJOR_VERSION < 11
#error "AsyncLocation needs the libgps of gpsd 3.22 or later."
#endif

// gpsd's default key. The environment variable overrides it in the daemon and its clients.
#define DEFAULT_KEY 0x47505344

// The record is framed by two counters of at most a long each, and padding.
#define LARGEST_FRAME 64

struct CGPSDSession {
  struct gps_data_t data;
  int primed;
  CGPSDReport last;
  int32_t lastCount;
  CGPSDSatellite lastSatellites[CGPSD_SATELLITES];
};

int32_t cgpsd_api_version(void) { return GPSD_API_MAJOR_VERSION; }

static int32_t failure(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
      return CGPSD_DENIED;
    case ENOMEM:
    case EMFILE:
      return CGPSD_EXHAUSTED;
    case EINVAL:
      return CGPSD_MISMATCH;
    default:
      return CGPSD_ABSENT;
  }
}

// libgps accepts any segment of at least its own record's size, so the longer record of another
// release would be misread.
static int32_t check_size(void) {
  const char *name = getenv("GPSD_SHM_KEY");
  const key_t key = (key_t)(name ? strtol(name, NULL, 0) : DEFAULT_KEY);
  const int segment = shmget(key, 0, 0);
  if (segment < 0) return failure(errno);
  struct shmid_ds facts;
  if (shmctl(segment, IPC_STAT, &facts) != 0) return failure(errno);
  if (facts.shm_segsz < sizeof(struct gps_data_t) ||
      facts.shm_segsz > sizeof(struct gps_data_t) + LARGEST_FRAME) {
    return CGPSD_MISMATCH;
  }
  return 0;
}

int32_t cgpsd_shared_memory_open(CGPSDSession **result) {
  *result = NULL;
  const int32_t wrong = check_size();
  if (wrong) return wrong;
  CGPSDSession *session = calloc(1, sizeof *session);
  if (!session) return CGPSD_EXHAUSTED;
  errno = 0;
  if (gps_open(GPSD_SHARED_MEMORY, NULL, &session->data) != 0) {
    const int error = errno;
    free(session);
    return failure(error);
  }
  *result = session;
  return 0;
}

static double number(double value) { return isfinite(value) ? value : NAN; }

static double seconds(timespec_t time) {
  return time.tv_sec > 0 ? (double)time.tv_sec + (double)time.tv_nsec / 1e9 : NAN;
}

static void flatten(const struct gps_data_t *data, CGPSDReport *report) {
  const struct gps_fix_t *fix = &data->fix;
  memset(report, 0, sizeof *report);
  report->time = seconds(fix->time);
  report->latitude = number(fix->latitude);
  report->longitude = number(fix->longitude);
  report->altitudeHAE = number(fix->altHAE);
  report->altitudeMSL = number(fix->altMSL);
  report->errorTime = number(fix->ept);
  report->errorLongitude = number(fix->epx);
  report->errorLatitude = number(fix->epy);
  report->errorHorizontal = number(fix->eph);
  report->errorVertical = number(fix->epv);
  report->speed = number(fix->speed);
  report->track = number(fix->track);
  report->climb = number(fix->climb);
  report->errorSpeed = number(fix->eps);
  report->errorTrack = number(fix->epd);
  report->errorClimb = number(fix->epc);
  report->magneticVariation = number(fix->magnetic_var);
  report->geoidSeparation = number(fix->geoid_sep);
  // The daemon leaves both at zero until it has received a correction.
  const int corrected = fix->dgps_age > 0 || fix->dgps_station > 0;
  report->differentialAge = corrected && fix->dgps_age >= 0 ? number(fix->dgps_age) : NAN;
  report->differentialStation = corrected && fix->dgps_station >= 0 ? fix->dgps_station : -1;
  report->xdop = number(data->dop.xdop);
  report->ydop = number(data->dop.ydop);
  report->hdop = number(data->dop.hdop);
  report->vdop = number(data->dop.vdop);
  report->pdop = number(data->dop.pdop);
  report->tdop = number(data->dop.tdop);
  report->gdop = number(data->dop.gdop);
  report->skyTime = seconds(data->skyview_time);
  report->mode = fix->mode;
  report->status = fix->status;
  report->satellitesUsed = data->satellites_used;
  // The path comes from another process and may lack a NUL terminator. `report` was zeroed.
  const size_t length = sizeof data->dev.path < sizeof report->device ? sizeof data->dev.path
                                                                      : sizeof report->device - 1;
  memcpy(report->device, data->dev.path, strnlen(data->dev.path, length));
  report->attitudeTime = report->heading = report->pitch = report->roll = report->yaw = NAN;
  // Up to API 11 the attitude shares a union with other reports; only the bit shows which is valid.
  if (data->set & ATTITUDE_SET) {
    report->attitudeTime = seconds(data->attitude.mtime);
    report->heading = number(data->attitude.heading);
    report->pitch = number(data->attitude.pitch);
    report->roll = number(data->attitude.roll);
    report->yaw = number(data->attitude.yaw);
  }
}

static int32_t flatten_sky(
    const struct gps_data_t *data, CGPSDSatellite *satellites, int32_t capacity) {
  int32_t count = data->satellites_visible;
  if (count > MAXCHANNELS) count = MAXCHANNELS;
  if (count > capacity) count = capacity;
  if (count < 0) count = 0;
  for (int32_t index = 0; index < count; index++) {
    const struct satellite_t *from = &data->skyview[index];
    CGPSDSatellite *to = &satellites[index];
    memset(to, 0, sizeof *to);
    to->elevation = number(from->elevation);
    to->azimuth = number(from->azimuth);
    to->signalStrength = from->ss >= 0 ? number(from->ss) : NAN;
    to->prn = from->PRN;
    to->constellation = from->svid ? from->gnssid : -1;
    to->vehicle = from->svid ? from->svid : -1;
    to->signal = from->svid ? from->sigid : -1;
    to->frequency = from->svid && from->gnssid == GNSSID_GLO ? from->freqid : -1;
    to->health = from->health;
    to->used = from->used;
  }
  return count;
}

int32_t cgpsd_shared_memory_read(
    CGPSDSession *session, CGPSDReport *report, CGPSDSatellite *satellites, int32_t capacity) {
  // gps_waiting() would never report data again after a daemon restart, which resets the counters.
  const int status = gps_read(&session->data, NULL, 0);
  if (status < 0) return failure(errno);
  if (status == 0) return 0;  // The daemon was writing at the same time.

  if (capacity > CGPSD_SATELLITES) capacity = CGPSD_SATELLITES;
  flatten(&session->data, report);
  const int32_t count = flatten_sky(&session->data, satellites, capacity);
  report->satellitesVisible = count;
  const size_t size = (size_t)count * sizeof *satellites;
  const int same = session->primed && session->lastCount == count &&
                   memcmp(&session->last, report, sizeof *report) == 0 &&
                   memcmp(session->lastSatellites, satellites, size) == 0;
  const int known = same || !session->primed;
  session->primed = 1;
  memcpy(&session->last, report, sizeof *report);
  session->lastCount = count;
  memcpy(session->lastSatellites, satellites, size);
  return !known;
}

void cgpsd_shared_memory_close(CGPSDSession *session) {
  gps_close(&session->data);
  free(session);
}

#endif
