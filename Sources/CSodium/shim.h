#include <sodium/core.h>
#include <sodium/crypto_secretbox.h>
#include <sodium/randombytes.h>
