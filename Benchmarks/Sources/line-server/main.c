// Replaces gpsd: greets its clients, waits for their ?WATCH, sends the lines of a file, and closes.
// `line-server --help` lists the options. Prints its port first.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/resource.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

enum { stamp_length = 30 };  // 2026-01-01T00:00:00.000000000Z

static const char banner[] =
    "{\"class\":\"VERSION\",\"release\":\"3.22\",\"rev\":\"3.22\",\"proto_major\":3,"
    "\"proto_minor\":14}\r\n";
static const char answer[] =
    "{\"class\":\"DEVICES\",\"devices\":[{\"class\":\"DEVICE\",\"path\":\"/dev/ttyACM0\"}]}\r\n"
    "{\"class\":\"WATCH\",\"enable\":true,\"json\":true}\r\n";
static const char usage[] =
    "usage: line-server [--rate N] [--count N] [--clients N] [--stamp] [--limit SECONDS] FILE\n"
    "  --rate     lines a second, each sent by itself; without it, as fast as the client reads\n"
    "  --count    lines to each client, from the beginning again after the last\n"
    "  --clients  how many are served before it ends, all at once; 1\n"
    "  --stamp    a line's time becomes that of its sending, to the nanosecond\n"
    "  --limit    ends it whatever happens; 120\n";

static const char *data;
static size_t size;
static double rate;
static unsigned long count;
static bool stamps;

static bool send_all(int client, const char *bytes, size_t length) {
    while (length > 0) {
        const ssize_t sent = send(client, bytes, length, MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes += sent;
        length -= (size_t)sent;
    }
    return true;
}

static bool greet(int client) {
    char command[4096];
    size_t length = 0;
    if (!send_all(client, banner, sizeof banner - 1)) return false;
    do {
        const ssize_t got = recv(client, command + length, sizeof command - 1 - length, 0);
        if (got <= 0) return false;
        length += (size_t)got;
        command[length] = 0;
    } while (!strstr(command, "WATCH"));
    return send_all(client, answer, sizeof answer - 1);
}

static void write_stamp(char *text) {
    struct timespec time;
    struct tm date;
    char stamp[stamp_length + 1];
    clock_gettime(CLOCK_REALTIME, &time);
    gmtime_r(&time.tv_sec, &date);
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &date);
    snprintf(stamp + 19, sizeof stamp - 19, ".%09ldZ", time.tv_nsec);
    memcpy(text, stamp, stamp_length);
}

// Sends a line with its time replaced by the current time.
static bool send_stamped(int client, const char *line, size_t length) {
    static const char key[] = "\"time\":\"";
    char text[1 << 14];
    const char *time = memmem(line, length, key, sizeof key - 1);
    if (!time || length + stamp_length > sizeof text) return send_all(client, line, length);
    time += sizeof key - 1;
    const char *rest = memchr(time, '"', length - (size_t)(time - line));
    const size_t head = (size_t)(time - line), tail = length - (size_t)(rest - line);
    memcpy(text, line, head);
    memcpy(text + head + stamp_length, rest, tail);
    write_stamp(text + head);
    return send_all(client, text, head + stamp_length + tail);
}

static void wait_until(const struct timespec *start, double seconds) {
    struct timespec time = *start;
    time.tv_sec += (time_t)seconds;
    time.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
    if (time.tv_nsec >= 1000000000) {
        time.tv_sec++;
        time.tv_nsec -= 1000000000;
    }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

static void send_lines(int client) {
    struct timespec start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    const char *line = data;
    for (unsigned long i = 0; count == 0 ? line < data + size : i < count; i++) {
        if (line == data + size) line = data;
        const char *end = memchr(line, '\n', (size_t)(data + size - line));
        const size_t length = (size_t)((end ? end + 1 : data + size) - line);
        if (rate > 0) wait_until(&start, (double)i / rate);
        if (!(stamps ? send_stamped : send_all)(client, line, length)) return;
        line += length;
    }
}

static void *serve(void *argument) {
    const int client = (int)(intptr_t)argument;
    char rest[4096];
    prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    if (greet(client)) {
        if (rate == 0 && !stamps && count == 0) {
            send_all(client, data, size);
        } else {
            send_lines(client);
        }
    }
    shutdown(client, SHUT_WR);
    while (recv(client, rest, sizeof rest, 0) > 0)
        ;
    close(client);
    return NULL;
}

static bool map(const char *path) {
    struct stat facts;
    const int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &facts) != 0 || facts.st_size == 0) return false;
    size = (size_t)facts.st_size;
    data = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    return data != MAP_FAILED;
}

int main(int argc, char **argv) {
    static const struct option options[] = {
        {"rate", 1, 0, 'r'},  {"count", 1, 0, 'n'}, {"clients", 1, 0, 'c'},
        {"stamp", 0, 0, 's'}, {"limit", 1, 0, 'l'}, {0}};
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof address;
    unsigned clients = 1, limit = 120;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (option) {
        case 'r': rate = atof(optarg); break;
        case 'n': count = strtoul(optarg, NULL, 10); break;
        case 'c': clients = (unsigned)atoi(optarg); break;
        case 's': stamps = true; break;
        case 'l': limit = (unsigned)atoi(optarg); break;
        default: fputs(usage, stderr); return 2;
        }
    }
    if (optind != argc - 1 || clients < 1 || rate < 0) {
        fputs(usage, stderr);
        return 2;
    }
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    alarm(limit);  // Ends the process in any case.
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (!map(argv[optind]) || bind(listener, (void *)&address, length) != 0 ||
        listen(listener, 4096) != 0 || getsockname(listener, (void *)&address, &length) != 0) {
        perror("line-server");
        return 1;
    }
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    pthread_t *threads = calloc(clients, sizeof *threads);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 17);
    for (unsigned i = 0; i < clients; i++) {
        const int client = accept(listener, NULL, NULL);
        if (client < 0 ||
            pthread_create(&threads[i], &attributes, serve, (void *)(intptr_t)client) != 0) {
            perror("line-server");
            return 1;
        }
    }
    for (unsigned i = 0; i < clients; i++) pthread_join(threads[i], NULL);
}
