import AsyncLocation
import Glibc
import LocationTransport
import TestSupport
import Testing

@testable import MQTTBackend

@Suite(.inTurn) struct SecurityMessageTests {
  @Test(
    arguments: [
      (
        "OpenSSL Error[0]: error:0A000126:SSL routines::unexpected eof while reading",
        "unexpected eof while reading"
      ),
      ("OpenSSL Error[0]: error:0A000086:SSL routines:tls_f:failed", "OpenSSL Error[0]: "),
      ("Unable to set TLS", "Unable to set TLS"), ("", ""), ("::", ""),
    ])
  func keepsTheReasonOfOpenSSL(_ line: String, _ reason: String) {
    #expect(LocationError.openSSLReason(line).hasPrefix(reason))
  }

  @Test func namesTLSForABrokenHandshake() {
    let error = LocationError.cannotConnect(toBroker: "mqtts://a:8883", .system(errno: EPROTO))
    #expect(error.code == .backendUnavailable)
    #expect(error.message.contains("TLS failed. Check whether the broker accepts the certificate"))
    #expect(!error.message.contains("Protocol error"))
  }
}
