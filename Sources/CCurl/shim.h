#include <curl/curl.h>

// Swift cannot call functions with variable arguments.

static inline CURLcode ccurl_set_number(CURL *_Nonnull handle, CURLoption option, long number) {
  return curl_easy_setopt(handle, option, number);
}

static inline CURLcode ccurl_set_size(CURL *_Nonnull handle, CURLoption option, curl_off_t size) {
  return curl_easy_setopt(handle, option, size);
}

/// Sets a copy of a text.
static inline CURLcode ccurl_set_text(
    CURL *_Nonnull handle, CURLoption option, const char *_Nonnull text) {
  return curl_easy_setopt(handle, option, text);
}

static inline CURLcode ccurl_set_list(
    CURL *_Nonnull handle, CURLoption option, struct curl_slist *_Nullable list) {
  return curl_easy_setopt(handle, option, list);
}

/// Receives bytes; returns how many it took. Fewer than there are end the transfer.
typedef size_t (*ccurl_receiver)(
    char *_Nullable bytes, size_t size, size_t count, void *_Nullable context);

static inline CURLcode ccurl_set_receivers(
    CURL *_Nonnull handle, ccurl_receiver _Nonnull header, ccurl_receiver _Nonnull body,
    void *_Nonnull context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, header);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
  return code;
}

/// Sets a function that is called when there is a connection, before the request is sent.
static inline CURLcode ccurl_set_gate(
    CURL *_Nonnull handle, curl_prereq_callback _Nonnull gate, void *_Nonnull context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, gate);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_PREREQDATA, context);
  return code;
}

/// Makes the request a POST with a copy of a body.
static inline CURLcode ccurl_set_body(
    CURL *_Nonnull handle, const void *_Nullable bytes, curl_off_t count) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_POST, 1L);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, count);
  if (code == CURLE_OK) {
    code = curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, count > 0 ? bytes : "");
  }
  return code;
}

/// OpenSSL's result of the verification of the server's certificate; 0 if there is none.
static inline long ccurl_certificate_result(CURL *_Nonnull handle) {
  long result = 0;
  return curl_easy_getinfo(handle, CURLINFO_SSL_VERIFYRESULT, &result) == CURLE_OK ? result : 0;
}

static inline CURLMcode ccurl_set_limit(CURLM *_Nonnull handle, CURLMoption option, long limit) {
  return curl_multi_setopt(handle, option, limit);
}

/// The status of the latest response; 0 before there is one.
static inline long ccurl_status(CURL *_Nonnull handle) {
  long status = 0;
  return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0;
}
