#pragma once
int cgpsd_dummy(void);
