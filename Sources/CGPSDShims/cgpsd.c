int cgpsd_dummy(void) { return 0; }
