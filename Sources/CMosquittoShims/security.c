#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CMosquittoShims.h"

struct CMQTTSecurity {
  SSL_CTX *context;
  long verification;  // The result of the last handshake's verification, X509_V_OK or an error.
  bool has_name;      // False for an address, which is not sent to the server.
  char name[256];
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int saved_index;

static void make_index(void) {
  saved_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, NULL);
}

static int context_index(void) {
  pthread_once(&once, make_index);
  return saved_index;
}

static CMQTTSecurity *security_of(SSL *connection) {
  return SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), context_index());
}

/// Notes why a certificate is refused; OpenSSL's decision stands.
static int verified(int accepted, X509_STORE_CTX *store) {
  SSL *connection = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
  CMQTTSecurity *security = security_of(connection);
  if (!accepted) security->verification = X509_STORE_CTX_get_error(store);
  return accepted;
}

/// libmosquitto names the address as the server's name; the handshake needs the name itself.
static void handshake_begins(const SSL *connection, int where, int result) {
  (void)result;
  if (!(where & SSL_CB_HANDSHAKE_START)) return;
  SSL *mutable_connection = (SSL *)connection;
  CMQTTSecurity *security = security_of(mutable_connection);
  security->verification = X509_V_OK;
  SSL_set_tlsext_host_name(mutable_connection, security->has_name ? security->name : NULL);
}

static CMQTTSecurity *fail(CMQTTSecurity *security, const char *what, char *text) {
  unsigned long code = ERR_peek_last_error();
  const char *reason = code ? ERR_reason_error_string(code) : NULL;
  snprintf(text, CMQTT_TEXT_SIZE, "%s: %s", what, reason ? reason : "unknown reason");
  ERR_clear_error();
  if (security->context) SSL_CTX_free(security->context);
  free(security);
  return NULL;
}

CMQTTSecurity *cmqtt_security_create(
    const char *name, const char *authorities, const char *certificate, const char *key,
    char *text) {
  CMQTTSecurity *security = calloc(1, sizeof *security);
  if (!security) {
    snprintf(text, CMQTT_TEXT_SIZE, "no memory is left");
    return NULL;
  }
  ERR_clear_error();
  snprintf(security->name, sizeof security->name, "%s", name);
  SSL_CTX *context = SSL_CTX_new(TLS_client_method());
  security->context = context;
  if (!context) return fail(security, "TLS", text);
  if (!SSL_CTX_set_ex_data(context, context_index(), security)
      || !SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION))
    return fail(security, "TLS", text);
  SSL_CTX_set_mode(
      context, SSL_MODE_AUTO_RETRY | SSL_MODE_ENABLE_PARTIAL_WRITE
                   | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  int loaded = authorities ? SSL_CTX_load_verify_file(context, authorities)
                           : SSL_CTX_set_default_verify_paths(context);
  if (!loaded) return fail(security, "the authorities' certificates", text);
  if (certificate && SSL_CTX_use_certificate_chain_file(context, certificate) != 1)
    return fail(security, "the client's certificate", text);
  if (key && SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1)
    return fail(security, "the client's key", text);
  if (key && SSL_CTX_check_private_key(context) != 1)
    return fail(security, "the client's key", text);
  X509_VERIFY_PARAM *parameters = SSL_CTX_get0_param(context);
  security->has_name = X509_VERIFY_PARAM_set1_ip_asc(parameters, name) != 1;
  if (security->has_name) {
    ERR_clear_error();
    // RFC 9525: the common name of a subject names no server.
    X509_VERIFY_PARAM_set_hostflags(
        parameters, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    if (X509_VERIFY_PARAM_set1_host(parameters, name, 0) != 1)
      return fail(security, "the server's name", text);
  }
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, verified);
  SSL_CTX_set_info_callback(context, handshake_begins);
  return security;
}

void cmqtt_security_destroy(CMQTTSecurity *security) {
  SSL_CTX_free(security->context);
  free(security);
}

int cmqtt_security_apply(CMQTTSecurity *security, struct mosquitto *client) {
  int status = mosquitto_void_option(client, MOSQ_OPT_SSL_CTX, security->context);
  if (status == MOSQ_ERR_SUCCESS)
    status = mosquitto_int_option(client, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0);
  return status;
}

CMQTTCertificateProblem cmqtt_security_problem(const CMQTTSecurity *security, char *text) {
  snprintf(text, CMQTT_TEXT_SIZE, "%s", X509_verify_cert_error_string(security->verification));
  switch (security->verification) {
    case X509_V_OK: return CMQTT_CERTIFICATE_ACCEPTED;
    case X509_V_ERR_CERT_HAS_EXPIRED: return CMQTT_CERTIFICATE_EXPIRED;
    case X509_V_ERR_CERT_NOT_YET_VALID: return CMQTT_CERTIFICATE_NOT_YET_VALID;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH: return CMQTT_CERTIFICATE_WRONG_NAME;
    case X509_V_ERR_CERT_REVOKED: return CMQTT_CERTIFICATE_REVOKED;
    default: return CMQTT_CERTIFICATE_UNTRUSTED;
  }
}
