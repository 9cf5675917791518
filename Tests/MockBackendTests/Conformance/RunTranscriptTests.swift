import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import MockBackend

@Suite(.inTurn) struct RunTranscriptTests {
  enum Input: Sendable {
    case began([BackendEvent])
    case ended
    case returned
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var capabilities = BackendCapabilities.all
    let inputs: [Input]
    let rules: [BackendViolation.Rule]
  }

  private static func location(
    _ latitude: Double = 60, _ longitude: Double = 25, at seconds: Double = 1_780_000_000
  ) -> BackendEvent {
    do {
      return .location(
        try Location(
          latitude: latitude, longitude: longitude,
          timestamp: Date(timeIntervalSince1970: seconds)))
    } catch {
      preconditionFailure("\(error)")
    }
  }

  private static func connection(_ phase: ConnectionState.Phase) -> BackendEvent {
    .connection(ConnectionState(phase))
  }

  static let scenarios = [
    Scenario(
      testDescription: "one call after another",
      inputs: [
        .began([connection(.connecting), connection(.connected), location()]), .ended,
        .began([location()]), .ended, .returned,
      ], rules: []),
    Scenario(
      testDescription: "no connection states at all", inputs: [.began([location()]), .ended],
      rules: []),
    Scenario(
      testDescription: "overlapping calls",
      inputs: [.began([]), .began([]), .ended, .ended, .began([]), .ended],
      rules: [.emitsOneAtATime]),
    Scenario(
      testDescription: "a call after the end, noted once",
      inputs: [.returned, .began([]), .ended, .began([]), .ended],
      rules: [.staysSilentAfterReturn]),
    Scenario(
      testDescription: "a call across the end", inputs: [.began([]), .returned, .ended],
      rules: [.staysSilentAfterReturn]),
    Scenario(
      testDescription: "an undeclared kind", capabilities: [.headings],
      inputs: [.began([location(), .unavailable(breakdown), connection(.connected)]), .ended],
      rules: [.staysWithinCapabilities, .connectsBeforeLocations]),
    Scenario(
      testDescription: "events that need no capability", capabilities: [],
      inputs: [
        .began([.unavailable(breakdown), connection(.waiting), .authorization(.denied)]), .ended,
      ], rules: []),
    Scenario(
      testDescription: "a location before the connection",
      inputs: [.began([connection(.connecting), location()]), .ended],
      rules: [.connectsBeforeLocations]),
    Scenario(
      testDescription: "a late connection state",
      inputs: [.began([location(), connection(.connected), location()]), .ended],
      rules: [.connectsBeforeLocations]),
    Scenario(
      testDescription: "a location after a lost connection",
      inputs: [.began([connection(.connected), connection(.waiting), location()]), .ended],
      rules: [.connectsBeforeLocations]),
    Scenario(
      testDescription: "null island", inputs: [.began([location(0, 0)]), .ended],
      rules: [.emitsMeasuredLocations]),
    Scenario(
      testDescription: "on the equator, or on the meridian",
      inputs: [.began([location(0, 25), location(60, 0)]), .ended], rules: []),
    Scenario(
      testDescription: "no time", inputs: [.began([location(at: 0)]), .ended],
      rules: [.emitsMeasuredLocations]),
  ]

  @Test(arguments: scenarios)
  func violationsOfTheProtocolAreNoted(_ scenario: Scenario) {
    var transcript = RunTranscript(capabilities: scenario.capabilities)
    for input in scenario.inputs {
      switch input {
      case .began(let events): transcript.emissionBegan(events)
      case .ended: transcript.emissionEnded()
      case .returned: transcript.returned()
      }
    }
    #expect(transcript.violations.map(\.rule) == scenario.rules)
  }
}
