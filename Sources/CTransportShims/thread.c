#include <sys/prctl.h>

#include "CTransportShims.h"

void ctransport_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
