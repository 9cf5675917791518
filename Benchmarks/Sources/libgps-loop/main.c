// Uses libgps as in its manual: wait, read, use the fix. Ends when the server closes.
#include <gps.h>
#include <stdio.h>

#include "Tally.h"

int main(int argc, char **argv) {
    static struct gps_data_t data;
    tally_begin();
    if (argc != 2 || gps_open("127.0.0.1", argv[1], &data) != 0) return 1;
    gps_stream(&data, WATCH_ENABLE | WATCH_JSON, NULL);
    while (gps_waiting(&data, 60000000)) {
        data.set = 0;  // libgps keeps flags of earlier reports.
        if (gps_read(&data, NULL, 0) < 0) break;
        if (data.set & STATUS_SET)  // Set by every TPV.
            tally_fix(data.fix.latitude, data.fix.longitude, data.fix.altMSL, data.fix.speed,
                      data.fix.time.tv_sec * 1000000000LL + data.fix.time.tv_nsec);
        if (data.set & SATELLITE_SET) {
            tally_sky();
            for (int i = 0; i < data.satellites_visible; i++)
                tally_satellite(data.skyview[i].PRN, data.skyview[i].elevation,
                                data.skyview[i].azimuth, data.skyview[i].ss, data.skyview[i].used);
        }
    }
    tally_end();
    puts("");
    gps_close(&data);
}
