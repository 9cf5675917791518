import AsyncLocation
import CMosquittoShims

/// The TLS context of one connection attempt.
// SAFETY: created on any thread, then used by one client at a time, on the event loop's thread. It
// is released after the client that uses it.
@safe final class TransportSecurity: @unchecked Sendable {
  private let raw: OpaquePointer

  /// Reads the files of a configuration. Blocks.
  init(_ configuration: MQTTConfiguration.TLS, host: String) throws(LocationError) {
    try configuration.checkAccess()
    var name = configuration.serverName ?? host
    // Host names in certificates and SNI have no trailing dot (RFC 6066).
    if name.hasSuffix("."), name.count > 1 { name.removeLast() }
    let authorities = configuration.authorityFile
    let certificate = configuration.certificateFile
    let key = configuration.keyFile
    var text = [CChar](repeating: 0, count: Int(CMQTT_TEXT_SIZE))
    guard
      let raw = unsafe text.withUnsafeMutableBufferPointer({ text in
        unsafe cmqtt_security_create(name, authorities, certificate, key, text.baseAddress!)
      })
    else {
      throw .tlsFiles(Self.string(text), configuration)
    }
    unsafe self.raw = raw
  }

  deinit { unsafe cmqtt_security_destroy(raw) }

  func apply(to client: OpaquePointer) -> Int32 { unsafe cmqtt_security_apply(raw, client) }

  /// Why the server's certificate was refused in the last handshake; nil if it was not.
  var certificateProblem: CertificateProblem? {
    var text = [CChar](repeating: 0, count: Int(CMQTT_TEXT_SIZE))
    let problem = unsafe text.withUnsafeMutableBufferPointer {
      unsafe cmqtt_security_problem(raw, $0.baseAddress!)
    }
    let kind: CertificateProblem.Kind? =
      switch problem {
      case CMQTT_CERTIFICATE_ACCEPTED: nil
      case CMQTT_CERTIFICATE_EXPIRED: .expired
      case CMQTT_CERTIFICATE_NOT_YET_VALID: .notYetValid
      case CMQTT_CERTIFICATE_WRONG_NAME: .wrongName
      case CMQTT_CERTIFICATE_REVOKED: .revoked
      default: .untrusted
      }
    return kind.map { CertificateProblem(kind: $0, text: Self.string(text)) }
  }

  private static func string(_ text: [CChar]) -> String {
    String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// Why a server's certificate is refused.
struct CertificateProblem: Hashable, Sendable {
  enum Kind: Hashable, Sendable { case expired, notYetValid, wrongName, revoked, untrusted }

  let kind: Kind
  /// OpenSSL's text for the error.
  let text: String
}
