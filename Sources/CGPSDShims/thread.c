#include <sys/prctl.h>

#include "CGPSDShims.h"

void cgpsd_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
