// libgps as its manual shows it: wait, read, look at the fix. Ends when the server closes.
#include <gps.h>
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>

int main(int argc, char **argv) {
    static struct gps_data_t data;
    unsigned long fixes = 0;
    double sum = 0;
    if (argc != 2 || gps_open("127.0.0.1", argv[1], &data) != 0) return 1;
    gps_stream(&data, WATCH_ENABLE | WATCH_JSON, NULL);
    while (gps_waiting(&data, 10000000)) {
        data.set = 0;
        if (gps_read(&data, NULL, 0) < 0) break;
        if (!(data.set & STATUS_SET) || data.fix.mode < MODE_2D) continue;
        fixes++;
        sum += data.fix.latitude + data.fix.longitude + data.fix.altMSL + data.fix.speed;
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("reports %lu cpu %.4f checksum %.3f\n", fixes,
           (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
               (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6,
           sum);
    gps_close(&data);
}
