#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>

/// Serves an IPv4 address on one thread. Swift cannot call functions with variable arguments.
///
/// Returns NULL, with `errno`, if the address is not valid or cannot be listened on.
static inline struct MHD_Daemon *_Nullable cmicrohttpd_start(
    const char *_Nonnull host, uint16_t port, MHD_AccessHandlerCallback _Nonnull handler,
    void *_Nonnull context) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  if (inet_pton(AF_INET, host, &address.sin_addr) != 1) {
    errno = EINVAL;
    return NULL;
  }
  return MHD_start_daemon(
      MHD_USE_AUTO_INTERNAL_THREAD, port, NULL, NULL, handler, context,
      MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_CONNECTION_LIMIT, 100u,
      MHD_OPTION_CONNECTION_TIMEOUT, 10u, MHD_OPTION_END);
}

/// The port that a server listens on.
static inline uint16_t cmicrohttpd_port(struct MHD_Daemon *_Nonnull daemon) {
  return MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
}
