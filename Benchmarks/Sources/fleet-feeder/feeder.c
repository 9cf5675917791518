// Publishes locations of many devices to a broker: fleet-feeder PORT COUNT DEVICES [RATE [confirm]].
// With a rate above 0, so many a second; otherwise as fast as the broker reads. With `confirm`, each
// location requests a confirmation and names the one before it, as if that one were the only one
// without a confirmation. QoS 0, so no answer is read.

#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void send_all(int descriptor, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t sent = send(descriptor, bytes, count, MSG_NOSIGNAL);
        if (sent <= 0) {
            perror("send");
            exit(1);
        }
        bytes += sent;
        count -= (size_t)sent;
    }
}

int main(int count_of_arguments, char **arguments) {
    if (count_of_arguments < 4) {
        fprintf(stderr, "usage: fleet-feeder PORT COUNT DEVICES [RATE [confirm]]\n");
        return 2;
    }
    int64_t count = atoll(arguments[2]), devices = atoll(arguments[3]);
    int64_t rate = count_of_arguments > 4 ? atoll(arguments[4]) : 0;
    int requests = count_of_arguments > 5 && strcmp(arguments[5], "confirm") == 0;
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)atoi(arguments[1])),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        perror("connect");
        return 1;
    }
    static const char hello[] = "\x10\x12\x00\x04MQTT\x04\x02\x00\x00\x00\x06"
                                "feeder";
    send_all(descriptor, hello, sizeof hello - 1);
    char answer[4];
    if (recv(descriptor, answer, sizeof answer, MSG_WAITALL) != 4 || answer[3] != 0) return 1;

    static char buffer[65536];
    size_t filled = 0;
    int64_t begun = now(), second = time(NULL) - count / devices - 1;
    for (int64_t number = 0; number < count; number++) {
        char topic[64], payload[256];
        int64_t device = number % devices;
        int name = snprintf(topic, sizeof topic, "owntracks/u%ld/d%ld", (long)(device % 100),
                            (long)device);
        int size = snprintf(
            payload, sizeof payload,
            "{\"_type\":\"location\",\"lat\":%.6f,\"lon\":%.6f,\"tst\":%ld,\"acc\":5,\"alt\":42,"
            "\"vel\":36,\"cog\":90,\"batt\":87,\"conn\":\"m\",\"tid\":\"d1\"}",
            50 + (double)device / 100000, 8 + (double)(number / devices) / 100000,
            (long)(second + number / devices));
        if (requests) {
            long time = (long)(second + number / devices);
            // Replaces the brace at the end.
            size -= 1;
            size += number < devices
                        ? snprintf(payload + size, sizeof payload - (size_t)size,
                                   ",\"confirm\":%ld}", time)
                        : snprintf(payload + size, sizeof payload - (size_t)size,
                                   ",\"confirm\":%ld,\"after\":%ld}", time - 1, time - 1);
        }
        size_t rest = 2 + (size_t)name + (size_t)size;
        if (filled + rest + 8 > sizeof buffer) {
            send_all(descriptor, buffer, filled);
            filled = 0;
        }
        buffer[filled++] = 0x30;
        if (rest < 128) {
            buffer[filled++] = (char)rest;
        } else {
            buffer[filled++] = (char)(rest % 128 | 0x80);
            buffer[filled++] = (char)(rest / 128);
        }
        buffer[filled++] = (char)(name >> 8);
        buffer[filled++] = (char)name;
        memcpy(buffer + filled, topic, (size_t)name);
        filled += (size_t)name;
        memcpy(buffer + filled, payload, (size_t)size);
        filled += (size_t)size;
        if (rate > 0 && (number + 1) % (rate / 100 > 0 ? rate / 100 : 1) == 0) {
            send_all(descriptor, buffer, filled);
            filled = 0;
            int64_t due = begun + (number + 1) * 1000000000LL / rate - now();
            if (due > 0) usleep((useconds_t)(due / 1000));
        }
    }
    send_all(descriptor, buffer, filled);
    send_all(descriptor, "\xe0\x00", 2);
    // The broker has read all when it closes the connection.
    while (recv(descriptor, answer, sizeof answer, 0) > 0) {
    }
    printf("seconds %.3f\n", (double)(now() - begun) / 1e9);
    return 0;
}
