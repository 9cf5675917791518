#define _GNU_SOURCE
#include "Tally.h"

#include <dirent.h>
#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

// The values of all clocks and counters at one moment.
struct moment {
    int64_t time;
    struct rusage usage;
    uint64_t allocations, reports;
    long switches;  // Only the library's threads.
};

static uint64_t reports, skies, sum, sky_sum, skip, until;
static struct moment begun, ended;
static bool measures_latency, looks_at_threads;
static int32_t *latencies;
static size_t latency_count, latency_capacity;
// Set when the allocation counter is preloaded.
static uint64_t (*allocations)(void);

static int64_t nanoseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// The number of voluntary switches of threads whose name starts with `prefix`; sets their number.
static long sleeps(const char *prefix, int *number) {
    long sum = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks && (task = readdir(tasks));) {
        char path[300], line[128], name[64] = "";
        long count = 0;
        snprintf(path, sizeof path, "/proc/self/task/%s/status", task->d_name);
        FILE *file = fopen(path, "r");
        while (file && fgets(line, sizeof line, file)) {
            sscanf(line, "Name: %63s", name);
            sscanf(line, "voluntary_ctxt_switches: %ld", &count);
        }
        if (file) fclose(file);
        if (name[0] == 0 || strncmp(name, prefix, strlen(prefix)) != 0) continue;
        sum += count;
        if (number) ++*number;
    }
    if (tasks) closedir(tasks);
    return sum;
}

static struct moment now(void) {
    struct moment moment = {.allocations = allocations ? allocations() : 0, .reports = reports};
    if (looks_at_threads) moment.switches = sleeps("gpsd-", NULL);
    getrusage(RUSAGE_SELF, &moment.usage);
    moment.time = nanoseconds(CLOCK_MONOTONIC);
    return moment;
}

static uint64_t setting(const char *name) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : 0;
}

void tally_begin(void) {
    skip = setting("PERF_SKIP");
    until = setting("PERF_UNTIL");
    measures_latency = getenv("PERF_LATENCY") != NULL;
    looks_at_threads = getenv("PERF_THREADS") != NULL;
    *(void **)&allocations = dlsym(RTLD_DEFAULT, "allocation_counter_count");
    if (measures_latency) {  // Before the clocks start, so that this memory is not counted.
        latency_capacity = 1 << 21;
        latencies = malloc(latency_capacity * sizeof *latencies);
    }
    begun = now();
}

static void note_latency(int64_t time) {
    // Some servers stamp fixes with a monotonic clock, whose values are too small for a date.
    const clockid_t clock = time > 1000000000000000000 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    const int64_t latency = nanoseconds(clock) - time;
    if (latency_count < latency_capacity && reports > skip)
        latencies[latency_count++] = latency < INT32_MAX ? (int32_t)latency : INT32_MAX;
}

void tally_fix(double latitude, double longitude, double altitude, double speed, int64_t time) {
    reports++;
    sum += tally_sum(latitude, longitude, altitude, speed, time);
    if (measures_latency) note_latency(time);
    if (reports == skip) begun = now();
    if (reports == until) ended = now();
}

void tally_satellite(int prn, double elevation, double azimuth, double strength, bool used) {
    sky_sum += (uint64_t)prn + 3 * tally_round(elevation, 10) + 5 * tally_round(azimuth, 10) +
               7 * tally_round(strength, 10) + 11 * (uint64_t)used;
}

void tally_sky(void) { skies++; }

void tally_restart(void) { begun = now(); }

void tally_merge(uint64_t more_reports, uint64_t more_sum) {
    reports += more_reports;
    sum += more_sum;
}

// A value from /proc/self/status; ru_maxrss is not used because a process inherits it.
static int64_t status(const char *format) {
    char line[256];
    long long value = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, format, &value) == 1) break;
    if (file) fclose(file);
    return value;
}

int64_t tally_resident(void) { return status("VmRSS: %lld") * 1024; }

int64_t tally_allocated(void) { return (int64_t)mallinfo2().uordblks; }

int tally_threads(const char *prefix) {
    int number = 0;
    sleeps(prefix, &number);
    return number;
}

static double seconds(struct timeval from, struct timeval to) {
    return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_usec - from.tv_usec) / 1e6;
}

static int compare(const void *left, const void *right) {
    const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

static double percentile(double part) {
    return latencies[(size_t)((double)(latency_count - 1) * part)] / 1e3;
}

void tally_end(void) {
    if (ended.time == 0) ended = now();
    const double user = seconds(begun.usage.ru_utime, ended.usage.ru_utime);
    const double sys = seconds(begun.usage.ru_stime, ended.usage.ru_stime);
    printf("reports %llu seconds %.4f cpu %.4f checksum %016llx maxrss %lld user %.4f sys %.4f "
           "nvcsw %ld sky %llu skysum %016llx counted %llu",
           (unsigned long long)reports, (double)(ended.time - begun.time) / 1e9, user + sys,
           (unsigned long long)sum, (long long)status("VmHWM: %lld"), user, sys,
           ended.usage.ru_nvcsw - begun.usage.ru_nvcsw, (unsigned long long)skies,
           (unsigned long long)sky_sum, (unsigned long long)(ended.reports - begun.reports));
    if (looks_at_threads) printf(" loopcsw %ld", ended.switches - begun.switches);
    if (allocations)
        printf(" allocations %llu", (unsigned long long)(ended.allocations - begun.allocations));
    if (latency_count > 0) {
        qsort(latencies, latency_count, sizeof *latencies, compare);
        printf(" p50 %.1f p99 %.1f p999 %.1f max %.1f", percentile(0.5), percentile(0.99),
               percentile(0.999), percentile(1));
    }
    fflush(stdout);
}
