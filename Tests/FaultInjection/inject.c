/*
 * Wrappers of system calls. The test program's own symbols take precedence over those of its
 * libraries. Without an injected fault, or off the thread "location-loop", they only forward the call.
 */
#define _GNU_SOURCE
#include "FaultInjection.h"
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <netdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

void pool_call_resolves(const char *name); /* Of pool_calls.c. */

struct plan {
  atomic_int skipping, count, error, injected;
};

static struct plan plans[FAULT_CALLS];
static atomic_llong wall_offset, suspended_offset;
static atomic_int name_host = -1;
static pthread_mutex_t names_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t names_change = PTHREAD_COND_INITIALIZER;
static int names_stall, names_stalled;

void fault_inject(enum fault_call call, int32_t skipping, int32_t count, int32_t error) {
  plans[call].skipping = skipping;
  plans[call].error = error;
  plans[call].count = count;
}

int32_t fault_injected(enum fault_call call) { return plans[call].injected; }

void fault_set_clocks(int64_t wall, int64_t suspended) {
  wall_offset = wall;
  suspended_offset = suspended;
}

void fault_set_name(int32_t host) { name_host = host; }

void fault_stall_names(int32_t stalls) {
  pthread_mutex_lock(&names_lock);
  names_stall = stalls;
  pthread_cond_broadcast(&names_change);
  pthread_mutex_unlock(&names_lock);
}

int32_t fault_stalled_names(void) {
  pthread_mutex_lock(&names_lock);
  int count = names_stalled;
  pthread_mutex_unlock(&names_lock);
  return count;
}

static void stall(const char *node) {
  if (!node || strncmp(node, "stall", 5)) return;
  pthread_mutex_lock(&names_lock);
  names_stalled++;
  while (names_stall) pthread_cond_wait(&names_change, &names_lock);
  names_stalled--;
  pthread_mutex_unlock(&names_lock);
}

static int fails(enum fault_call call) {
  struct plan *plan = &plans[call];
  if (plan->count <= 0) return 0;
  char name[17] = "";
  prctl(PR_GET_NAME, name);
  if (strcmp(name, "location-loop")) return 0;
  if (plan->skipping > 0) {
    plan->skipping--;
    return 0;
  }
  plan->count--;
  plan->injected++;
  errno = plan->error;
  return 1;
}

ssize_t recv(int descriptor, void *buffer, size_t size, int flags) {
  if (fails(FAULT_RECV)) return -1;
  return recvfrom(descriptor, buffer, size, flags, NULL, NULL);
}

ssize_t send(int descriptor, const void *buffer, size_t size, int flags) {
  if (fails(FAULT_SEND)) return -1;
  return sendto(descriptor, buffer, size, flags, NULL, 0);
}

int epoll_wait(int descriptor, struct epoll_event *events, int most, int timeout) {
  if (fails(FAULT_WAIT)) return -1;
  return epoll_pwait(descriptor, events, most, timeout, NULL);
}

int connect(int descriptor, const struct sockaddr *address, socklen_t size) {
  if (fails(FAULT_CONNECT)) return -1;
  return (int)syscall(SYS_connect, descriptor, address, size);
}

int socket(int family, int kind, int protocol) {
  if (fails(FAULT_SOCKET)) return -1;
  return (int)syscall(SYS_socket, family, kind, protocol);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int status = (int)syscall(SYS_clock_gettime, clock, time);
  if (status == 0 && clock == CLOCK_REALTIME) time->tv_sec += wall_offset + suspended_offset;
  if (status == 0 && clock == CLOCK_BOOTTIME) time->tv_sec += suspended_offset;
  return status;
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                struct addrinfo **answer) {
  // Atomic, since several threads may look for it at once.
  static _Atomic(void *) found;
  int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
  void *symbol = found;
  if (!symbol) found = symbol = dlsym(RTLD_NEXT, "getaddrinfo");
  *(void **)&real = symbol;
  int numeric = hints && hints->ai_flags & AI_NUMERICHOST;
  if (!numeric) pool_call_resolves(node);
  if (!numeric) stall(node);
  if (name_host < 0 || numeric) return real(node, service, hints, answer);
  if (name_host == 0) return EAI_AGAIN;
  char text[] = "127.0.0.0";
  text[8] = (char)('0' + name_host % 10);
  return real(text, service, hints, answer);
}

int32_t fault_open_terminal(char *path, int32_t size) {
  struct termios settings;
  int end = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (end < 0) return -1;
  if (grantpt(end) || unlockpt(end) || ptsname_r(end, path, (size_t)size) ||
      chmod(path, 0666) || tcgetattr(end, &settings)) { /* gpsd is not root for long. */
    close(end);
    return -1;
  }
  cfmakeraw(&settings);
  tcsetattr(end, TCSANOW, &settings);
  return end;
}

int64_t fault_allocated(void) {
  struct mallinfo2 info = mallinfo2();
  return (int64_t)(info.uordblks + info.hblkhd);
}
