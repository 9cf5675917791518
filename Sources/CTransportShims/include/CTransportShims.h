#pragma once

#include <sys/epoll.h>
#include <sys/eventfd.h>

/// Sets the name of the calling thread; 15 bytes of it are kept.
void ctransport_name_thread(const char *_Nonnull name);
