// Stands in for gpsd: greets one client, waits for its ?WATCH, sends a file as fast as the client
// reads it, and closes. Prints its port first.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static const char banner[] =
    "{\"class\":\"VERSION\",\"release\":\"3.22\",\"rev\":\"3.22\",\"proto_major\":3,"
    "\"proto_minor\":14}\r\n";
static const char answer[] =
    "{\"class\":\"DEVICES\",\"devices\":[{\"class\":\"DEVICE\",\"path\":\"/dev/ttyACM0\"}]}\r\n"
    "{\"class\":\"WATCH\",\"enable\":true,\"json\":true}\r\n";

int main(int argc, char **argv) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int file = argc == 2 ? open(argv[1], O_RDONLY) : -1;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct stat facts;
    if (file < 0 || fstat(file, &facts) != 0 || bind(listener, (void *)&address, size) != 0 ||
        listen(listener, 1) != 0 || getsockname(listener, (void *)&address, &size) != 0) {
        perror("line-server");
        return 1;
    }
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    alarm(120);  // Whatever happens, it does not stay.
    const int client = accept(listener, NULL, NULL);
    char command[4096];
    size_t length = 0;
    send(client, banner, sizeof banner - 1, MSG_NOSIGNAL);
    do {
        const ssize_t count = recv(client, command + length, sizeof command - 1 - length, 0);
        if (count <= 0) return 1;
        length += (size_t)count;
        command[length] = 0;
    } while (!strstr(command, "WATCH"));
    send(client, answer, sizeof answer - 1, MSG_NOSIGNAL);
    off_t sent = 0;
    while (sent < facts.st_size && sendfile(client, file, &sent, (size_t)(facts.st_size - sent)) > 0)
        ;
    shutdown(client, SHUT_WR);
    while (recv(client, command, sizeof command, 0) > 0)
        ;
}
