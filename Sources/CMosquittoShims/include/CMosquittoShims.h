#pragma once

#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <stdbool.h>
#include <stddef.h>

enum { CMQTT_TEXT_SIZE = 256 };

/// The parts of a TLS connection: an OpenSSL context, and the server's name, which libmosquitto does not
/// know because it connects to an address.
typedef struct CMQTTSecurity CMQTTSecurity;

/// Why a server's certificate was refused.
typedef enum {
  CMQTT_CERTIFICATE_ACCEPTED = 0,
  CMQTT_CERTIFICATE_EXPIRED,
  CMQTT_CERTIFICATE_NOT_YET_VALID,
  CMQTT_CERTIFICATE_WRONG_NAME,
  CMQTT_CERTIFICATE_REVOKED,
  CMQTT_CERTIFICATE_UNTRUSTED,
} CMQTTCertificateProblem;

/// Reads certificates and a key from PEM files, and creates a context that requires TLS 1.2 and a
/// valid certificate of the server.
///
/// - Parameters:
///   - name: The server's name or address, which its certificate must contain.
///   - authorities: A file of certificates; NULL for the system's.
///   - certificate, key: The client's; NULL for none.
///   - text: Receives what failed.
/// - Returns: NULL if that fails.
CMQTTSecurity *_Nullable cmqtt_security_create(
    const char *_Nonnull name, const char *_Nullable authorities,
    const char *_Nullable certificate, const char *_Nullable key, char *_Nonnull text);

/// Releases the context once connections that use it are destroyed too.
void cmqtt_security_destroy(CMQTTSecurity *_Nonnull security);

/// Lets a client use the context.
int cmqtt_security_apply(CMQTTSecurity *_Nonnull security, struct mosquitto *_Nonnull client);

/// Why the certificate of the last handshake was refused. `text` receives OpenSSL's words.
CMQTTCertificateProblem cmqtt_security_problem(
    const CMQTTSecurity *_Nonnull security, char *_Nonnull text);
