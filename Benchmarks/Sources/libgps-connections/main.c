// `libgps-connections N PORT`: opens N connections and reads each until a fix arrives. Prints the
// memory per connection.
#include <gps.h>
#include <stdio.h>
#include <stdlib.h>

#include "Tally.h"

int main(int argc, char **argv) {
    const int count = argc == 3 ? atoi(argv[1]) : 0;
    int fixes = 0;
    if (count < 1) return 2;
    struct gps_data_t **connections = calloc((size_t)count, sizeof *connections);
    const int64_t before = tally_resident();
    for (int i = 0; i < count; i++) {
        connections[i] = malloc(sizeof **connections);
        if (gps_open("127.0.0.1", argv[2], connections[i]) != 0) return 1;
        gps_stream(connections[i], WATCH_ENABLE | WATCH_JSON, NULL);
    }
    for (int i = 0; i < count; i++) {
        bool fixed = false;
        while (!fixed && gps_waiting(connections[i], 10000000)) {
            connections[i]->set = 0;
            if (gps_read(connections[i], NULL, 0) < 0) break;
            fixed = (connections[i]->set & STATUS_SET) != 0;
        }
        fixes += fixed;
    }
    printf("connections %d fixes %d bytes %lld\n", count, fixes,
           (long long)(tally_resident() - before) / count);
}
