// Receives bytes and ignores them: the kernel cost that every client has.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "Tally.h"

int main(int argc, char **argv) {
    static const char watch[] = "?WATCH={\"enable\":true,\"json\":true};\n";
    static char buffer[1 << 16];
    struct sockaddr_in address = {.sin_family = AF_INET};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons((uint16_t)(argc == 2 ? atoi(argv[1]) : 0));
    tally_begin();
    const int server = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(server, (void *)&address, sizeof address) != 0 ||
        send(server, watch, sizeof watch - 1, MSG_NOSIGNAL) < 0) {
        perror("floor-loop");
        return 1;
    }
    while (recv(server, buffer, sizeof buffer, 0) > 0)
        ;
    tally_end();
    puts("");
}
