/*
 * Prints how libgps' own parser reads lines: one line of JSON for each line of standard input, which
 * begins with the class of the report and a space.
 *
 * The parser runs in a child with a CPU time limit, since it can loop forever or crash on ordinary
 * input: such a line gives {"hang":true} or {"crash":true}, and a new child continues after it.
 */
#define _GNU_SOURCE
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef CGPSD_LIBGPS
#include <gps.h>

static struct gps_data_t data;
static const char *separator;

static void name(const char *key) {
  printf("%s\"%s\":", separator, key);
  separator = ",";
}

static void number(const char *key, double value) {
  if (!isfinite(value)) return;
  name(key);
  printf("%.17g", value);
}

static void integer(const char *key, long long value) {
  name(key);
  printf("%lld", value);
}

static void flag(const char *key, int value) {
  name(key);
  printf(value ? "true" : "false");
}

static void text(const char *key, const char *value) {
  if (!*value) return;
  name(key);
  putchar('"');
  for (; *value; value++) {
    unsigned char byte = (unsigned char)*value;
    if (byte == '"' || byte == '\\')
      printf("\\%c", byte);
    else if (byte < 32)
      printf("\\u%04x", byte);
    else
      putchar(byte);
  }
  putchar('"');
}

static void letter(const char *key, char value) {
  char both[2] = {value, 0};
  text(key, both);
}

/* Seconds since 1970. */
static void instant(const char *key, timespec_t value) {
  if (value.tv_sec == 0 && value.tv_nsec == 0) return;
  name(key);
  printf("%lld.%09ld", (long long)value.tv_sec, (long)value.tv_nsec);
}

static void span(const char *key, timespec_t value) {
  number(key, (double)value.tv_sec + (double)value.tv_nsec / 1e9);
}

static void position(void) {
  const struct gps_fix_t *fix = &data.fix;
  text("device", data.dev.path);
  integer("mode", fix->mode);
  integer("status", fix->status);
  instant("time", fix->time);
  integer("leapseconds", data.leap_seconds);
  number("ept", fix->ept);
  number("lat", fix->latitude);
  number("lon", fix->longitude);
  number("altHAE", fix->altHAE);
  number("altMSL", fix->altMSL);
  number("alt", fix->altitude);
  number("epx", fix->epx);
  number("epy", fix->epy);
  number("epv", fix->epv);
  number("track", fix->track);
  number("magtrack", fix->magnetic_track);
  number("magvar", fix->magnetic_var);
  number("epd", fix->epd);
  number("speed", fix->speed);
  number("eps", fix->eps);
  number("climb", fix->climb);
  number("epc", fix->epc);
  number("eph", fix->eph);
  number("sep", fix->sep);
  number("geoidSep", fix->geoid_sep);
  number("depth", fix->depth);
  number("ecefx", fix->ecef.x);
  number("ecefy", fix->ecef.y);
  number("ecefz", fix->ecef.z);
  number("ecefpAcc", fix->ecef.pAcc);
  number("ecefvx", fix->ecef.vx);
  number("ecefvy", fix->ecef.vy);
  number("ecefvz", fix->ecef.vz);
  number("ecefvAcc", fix->ecef.vAcc);
  number("relN", fix->NED.relPosN);
  number("relE", fix->NED.relPosE);
  number("relD", fix->NED.relPosD);
  number("velN", fix->NED.velN);
  number("velE", fix->NED.velE);
  number("velD", fix->NED.velD);
  text("datum", fix->datum);
  number("dgpsAge", fix->dgps_age);
  integer("dgpsSta", fix->dgps_station);
  number("wanglem", fix->wanglem);
  number("wangler", fix->wangler);
  number("wanglet", fix->wanglet);
  number("wspeedr", fix->wspeedr);
  number("wspeedt", fix->wspeedt);
}

static void sky(void) {
  text("device", data.dev.path);
  instant("time", data.skyview_time);
  number("xdop", data.dop.xdop);
  number("ydop", data.dop.ydop);
  number("vdop", data.dop.vdop);
  number("tdop", data.dop.tdop);
  number("hdop", data.dop.hdop);
  number("pdop", data.dop.pdop);
  number("gdop", data.dop.gdop);
  integer("nSat", data.satellites_visible);
  integer("uSat", data.satellites_used);
  name("satellites");
  putchar('[');
  for (int index = 0; index < data.satellites_visible && index < MAXCHANNELS; index++) {
    const struct satellite_t *satellite = &data.skyview[index];
    printf(index ? ",{" : "{");
    separator = "";
    integer("PRN", satellite->PRN);
    number("el", satellite->elevation);
    number("az", satellite->azimuth);
    number("ss", satellite->ss);
    flag("used", satellite->used);
    integer("gnssid", satellite->gnssid);
    integer("svid", satellite->svid);
    integer("sigid", satellite->sigid);
    integer("freqid", satellite->freqid);
    integer("health", satellite->health);
    putchar('}');
  }
  putchar(']');
  separator = ",";
}

static void attitude(void) {
  const struct attitude_t *attitude = &data.attitude;
  text("device", data.dev.path);
  instant("time", attitude->mtime);
  number("heading", attitude->heading);
  number("pitch", attitude->pitch);
  number("roll", attitude->roll);
  number("yaw", attitude->yaw);
  number("dip", attitude->dip);
  number("mag_len", attitude->mag_len);
  number("mag_x", attitude->mag_x);
  number("mag_y", attitude->mag_y);
  number("mag_z", attitude->mag_z);
  number("acc_len", attitude->acc_len);
  number("acc_x", attitude->acc_x);
  number("acc_y", attitude->acc_y);
  number("acc_z", attitude->acc_z);
  number("gyro_x", attitude->gyro_x);
  number("gyro_y", attitude->gyro_y);
  number("temp", attitude->temp);
  number("depth", attitude->depth);
  letter("mag_st", attitude->mag_st);
  letter("pitch_st", attitude->pitch_st);
  letter("roll_st", attitude->roll_st);
  letter("yaw_st", attitude->yaw_st);
}

static void noise(void) {
  text("device", data.dev.path);
  instant("time", data.gst.utctime);
  number("rms", data.gst.rms_deviation);
  number("major", data.gst.smajor_deviation);
  number("minor", data.gst.sminor_deviation);
  number("orient", data.gst.smajor_orientation);
  number("lat", data.gst.lat_err_deviation);
  number("lon", data.gst.lon_err_deviation);
  number("alt", data.gst.alt_err_deviation);
}

static void device(const struct devconfig_t *device) {
  text("path", device->path);
  instant("activated", device->activated);
  integer("flags", device->flags);
  text("driver", device->driver);
  text("subtype", device->subtype);
  text("subtype1", device->subtype1);
  integer("bps", device->baudrate);
  letter("parity", device->parity);
  integer("stopbits", device->stopbits);
  integer("native", device->driver_mode);
  span("cycle", device->cycle);
  span("mincycle", device->mincycle);
}

static void devices(void) {
  name("devices");
  putchar('[');
  for (int index = 0; index < data.devices.ndevices && index < MAXUSERDEVS; index++) {
    printf(index ? ",{" : "{");
    separator = "";
    device(&data.devices.list[index]);
    putchar('}');
  }
  putchar(']');
  separator = ",";
}

static void version(void) {
  text("release", data.version.release);
  text("rev", data.version.rev);
  text("remote", data.version.remote);
  integer("proto_major", data.version.proto_major);
  integer("proto_minor", data.version.proto_minor);
}

static void policy(void) {
  flag("enable", data.policy.watcher);
  flag("json", data.policy.json);
  flag("nmea", data.policy.nmea);
  integer("raw", data.policy.raw);
  flag("scaled", data.policy.scaled);
  flag("timing", data.policy.timing);
  flag("split24", data.policy.split24);
  flag("pps", data.policy.pps);
  text("device", data.policy.devpath);
  text("remote", data.policy.remote);
}

static void delta(const struct timedelta_t *delta) {
  text("device", data.dev.path);
  integer("real_sec", delta->real.tv_sec);
  integer("real_nsec", delta->real.tv_nsec);
  integer("clock_sec", delta->clock.tv_sec);
  integer("clock_nsec", delta->clock.tv_nsec);
}

static void oscillator(void) {
  text("device", data.dev.path);
  flag("running", data.osc.running);
  flag("reference", data.osc.reference);
  flag("disciplined", data.osc.disciplined);
  integer("delta", data.osc.delta);
}

static void unpack(char *line) {
  char *json = strchr(line, ' ');
  if (!json) _exit(3);
  *json++ = 0;
  memset(&data, 0, sizeof data);
  gps_clear_fix(&data.fix);
  int status = gps_unpack(json, &data);
  separator = "";
  putchar('{');
  integer("result", status);
  integer("set", (long long)data.set);
  if (!strcmp(line, "TPV")) position();
  else if (!strcmp(line, "SKY")) sky();
  else if (!strcmp(line, "ATT") || !strcmp(line, "IMU")) attitude();
  else if (!strcmp(line, "GST")) noise();
  else if (!strcmp(line, "DEVICE")) device(&data.dev);
  else if (!strcmp(line, "DEVICES")) devices();
  else if (!strcmp(line, "VERSION")) version();
  else if (!strcmp(line, "WATCH")) policy();
  else if (!strcmp(line, "ERROR")) text("message", data.error);
  else if (!strcmp(line, "TOFF")) delta(&data.toff);
  else if (!strcmp(line, "PPS")) delta(&data.pps), integer("qErr", data.qErr);
  else if (!strcmp(line, "OSC")) oscillator();
  puts("}");
  fflush(stdout);
}

static void run(char **lines, size_t count, volatile size_t *next) {
  /* 0.2 s of CPU: a thousand times the usual time of a line. */
  const struct itimerval limit = {{0, 0}, {0, 200000}}, none = {{0, 0}, {0, 0}};
  for (; *next < count; ++*next) {
    setitimer(ITIMER_VIRTUAL, &limit, NULL);
    unpack(lines[*next]);
    setitimer(ITIMER_VIRTUAL, &none, NULL);
  }
}

int main(void) {
  /* The parent may have blocked or ignored the signals that end a child. */
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGVTALRM, SIG_DFL);
  signal(SIGALRM, SIG_DFL);

  char **lines = NULL, *line = NULL;
  size_t count = 0, capacity = 0;
  ssize_t length;
  while ((length = getline(&line, &capacity, stdin)) > 0) {
    if (line[length - 1] == '\n') line[length - 1] = 0;
    lines = realloc(lines, (count + 1) * sizeof *lines);
    if (!lines || !(lines[count++] = strdup(line))) return 1;
  }
  volatile size_t *next =
      mmap(NULL, sizeof *next, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (next == MAP_FAILED) return 1;
  for (*next = 0; *next < count; ++*next) {
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) {
      alarm(60);
      run(lines, count, next);
      _exit(0);
    }
    int status;
    if (waitpid(child, &status, 0) < 0) return 1;
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    int hung = WTERMSIG(status) == SIGVTALRM || WTERMSIG(status) == SIGALRM;
    printf("{\"%s\":true}\n", hung ? "hang" : "crash");
  }
  return 0;
}

#else

int main(void) {
  fputs("Built without the trait LibGPS.\n", stderr);
  return 4;
}

#endif
