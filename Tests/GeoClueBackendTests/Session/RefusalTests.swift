import AsyncLocation
import TestSupport
import Testing

@testable import GeoClueBackend

/// The statuses and messages of GeoClue's refusals.
@Suite(.inTurn) struct RefusalTests {
  struct Row: CustomTestStringConvertible, Sendable {
    /// GeoClue's message.
    let message: String
    let code: LocationError.Code
    let parts: [String]

    var testDescription: String { message }
  }

  static let file = "/etc/geoclue/geoclue.conf"
  static let rows = [
    Row(
      message: "'boat' disallowed, no agent for UID 1000", code: .denied,
      parts: ["no agent for UID 1000", file, "[agent]: whitelist=ID"]),
    Row(
      message: "Geolocation disabled for UID 1000", code: .restricted,
      parts: ["switched off for UID 1000", "privacy settings"]),
    Row(
      message: "'boat' disallowed by configuration for UID 1000", code: .restricted,
      parts: [file, "[boat]", "allowed=true", "1000 to users="]),
    Row(
      message: "Agent rejected 'boat' for user '1000'. Please ensure that 'boat' has installed",
      code: .denied, parts: ["agent of UID 1000", file, "[boat] allowed=true"]),
    Row(message: "'DesktopId' property must be set", code: .denied, parts: ["'DesktopId'", file]),
    Row(message: "\u{1B}[2J", code: .denied, parts: [#"\u{1b}[2J"#]),
  ]

  @Test(arguments: rows)
  func namesWhatChangesIt(_ row: Row) {
    var service = GeoClueStateMachine.Configuration()
    (service.desktopID, service.user) = ("boat", 1000)
    let error = BusError(name: FakeGeoClue.denied, message: row.message)
    let refusal = LocationError.refused(.init(error), service, error)
    #expect(refusal.code == row.code)
    for part in row.parts { #expect(refusal.message.contains(part), "\(refusal.message)") }
    #expect(!refusal.message.contains("\u{1B}"))
  }

  @Test func rootIsNamed() {
    let service = GeoClueStateMachine.Configuration()
    #expect(LocationError.refused(.noAgent, service, nil).message.contains("root (UID 0)"))
    #expect(LocationError.refused(.noAgent, service, nil).message.contains("as the user"))
  }
}
