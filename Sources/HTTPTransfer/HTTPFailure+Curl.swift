import CCurl

extension HTTPFailure {
  /// Creates the failure of a transfer; nil if the transfer succeeded. libcurl's own text is not
  /// used: it may contain the address.
  ///
  /// - Parameters:
  ///   - certificate: OpenSSL's result of the verification of the server's certificate.
  ///   - wasConnected: Whether there was a connection.
  init?(_ code: CURLcode, certificate: Int, wasConnected: Bool) {
    switch code {
    case CURLE_OK: return nil
    case CURLE_COULDNT_RESOLVE_HOST: self = .unreachable("its name is unknown")
    case CURLE_COULDNT_RESOLVE_PROXY: self = .unreachable("the name of the proxy is unknown")
    case CURLE_COULDNT_CONNECT: self = .unreachable("the connection was refused")
    case CURLE_OPERATION_TIMEDOUT:
      self = wasConnected ? .timedOut : .unreachable("the connection timed out")
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR:
      self = .insecure(Self.validityErrors.contains(certificate) ? .expired : .untrusted)
    case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM: self = .insecure(.files)
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER: self = .insecure(.handshake)
    case CURLE_FILESIZE_EXCEEDED: self = .tooLong
    default: self = .broken
    }
  }

  /// `X509_V_ERR_CERT_NOT_YET_VALID` and `X509_V_ERR_CERT_HAS_EXPIRED`.
  private static let validityErrors = [9, 10]
}
