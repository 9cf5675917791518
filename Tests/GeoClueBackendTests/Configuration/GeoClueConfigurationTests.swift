import AsyncLocation
import TestSupport
import Testing

@testable import GeoClueBackend

/// The values of a configuration, and their checks.
@Suite(.inTurn) struct GeoClueConfigurationTests {
  static let invalid: [(String, @Sendable (inout GeoClueConfiguration) -> Void)] = [
    ("desktopID", { $0.desktopID = "" }),
    ("desktopID", { $0.desktopID = "a\0b" }),
    ("desktopID", { $0.desktopID = String(repeating: "x", count: 256) }),
    ("Unix", { $0.address = "tcp:host=example.org,port=1" }),
    ("Unix", { $0.address = "unixexec:path=/bin/sh" }),
    ("Unix", { $0.address = "unix:path=/a;unixexec:path=/bin/sh" }),
    ("Unix", { $0.address = "unix:path=/a;" }),
    ("Unix", { $0.address = "unix:path=/a\0b" }),
    ("Unix", { $0.address = "" }),
    ("connectTimeout", { $0.connectTimeout = .zero }),
    ("answerTimeout", { $0.answerTimeout = .seconds(-1) }),
    ("authorizationTimeout", { $0.authorizationTimeout = .seconds(Int64.max) }),
    ("locationTimeout", { $0.locationTimeout = .zero }),
    ("silenceTimeout", { $0.silenceTimeout = .zero }),
    ("jitter", { $0.reconnection = .exponential(jitter: 2) }),
  ]

  @Test(arguments: invalid.indices)
  func invalidValuesAreNamed(_ index: Int) async {
    let (name, change) = Self.invalid[index]
    var configuration = GeoClueConfiguration(address: "unix:path=/nowhere")
    change(&configuration)
    let result = await BackendRun(GeoClueBackend(configuration)).result()
    guard case .failure(let error as LocationError) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(error.code == .invalidValue)
    #expect(error.message.contains(name), "\(error.message)")
  }

  @Test func severalSocketsAreValid() throws {
    var configuration = GeoClueConfiguration(address: "unix:path=/a;unix:abstract=b")
    configuration.desktopID = String(repeating: "x", count: 255)
    try configuration.validate()
  }

  @Test func theProgramHasAnID() {
    #expect(!GeoClueConfiguration().desktopID.isEmpty)
    #expect(!GeoClueConfiguration().desktopID.contains("/"))
    #expect(GeoClueConfiguration(desktopID: "org.example.Boat").desktopID == "org.example.Boat")
  }
}
