import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import MQTTBackend

/// The events that the messages of a device cause.
@Suite(.inTurn) struct DeviceHandlerTests {
  /// A stationary device publishes its last location again when its connection is restored.
  @Test func returningDeviceHasItsLocation() {
    let events = Locked<[BackendEvent]>([])
    let handler = DeviceHandler(
      device: "jane/boat", futureTolerance: .seconds(10),
      now: { Date(timeIntervalSince1970: 1_777_863_600) },
      emit: { new in events.withLock { $0 += new } })
    let location = #"{"_type":"location","lat":60,"lon":24,"tst":1777863600}"#
    let earlier = #"{"_type":"location","lat":60,"lon":24,"tst":1777863599}"#
    let will = #"{"_type":"lwt","tst":1}"#
    for (payload, isRetained) in [
      (location, false), (will, false), (location, true), (earlier, false), (location, false),
      (location, false), (will, false),
    ] {
      handler.received(
        topic: "owntracks/jane/boat".utf8.span, payload: payload.utf8.span, isRetained: isRetained)
    }
    handler.flush()
    let kinds = events.withLock(\.self).map { event in
      switch event {
      case .location: "location"
      case .unavailable: "unavailable"
      default: "\(event)"
      }
    }
    #expect(kinds == ["location", "unavailable", "location", "unavailable"])
  }

  /// A device's clock is set back. Later locations are dropped until it has caught up, so this is
  /// reported.
  @Test func clockSetbackIsReported() {
    let device = TestDevice()
    func reported(_ second: Int, at arrival: Int, isRetained: Bool = false) -> [String] {
      device.now.withLock { $0 = TestDevice.start + arrival }
      return device.receive(TestDevice.location(second), isRetained: isRetained)
    }
    #expect(reported(0, at: 0) == ["location"])
    #expect(reported(-1_800, at: 1) == [])
    #expect(reported(0, at: 5) == [])
    #expect(reported(-1_790, at: 11) == [])
    #expect(reported(-1_789, at: 12, isRetained: true) == [])
    #expect(reported(-1_789, at: 12) == ["clock"])
    #expect(reported(-1_700, at: 100) == [])
    #expect(reported(200, at: 200) == ["location"])
    #expect(reported(100, at: 300) == [])
    #expect(reported(100, at: 311) == ["clock"])
  }

  /// Dropped messages are reported once after each location, so that a program that publishes other
  /// content does not flood the events.
  @Test func reportsDroppedMessages() {
    let device = TestDevice()
    func receive(_ payload: String) -> [String] { device.receive(payload) }
    func location(_ second: Int, latitude: Int = 60) -> String {
      TestDevice.location(second, latitude: latitude)
    }
    #expect(receive("not JSON") == ["malformed"])
    #expect(receive("not JSON") == [])
    #expect(receive(location(0)) == ["location"])
    #expect(receive(location(1, latitude: 999)) == ["malformed"])
    #expect(receive(location(11)) == [])
    // Repeated and late locations are expected, so they are not reported.
    #expect(receive(location(0)) == [])
    #expect(receive(location(2)) == ["location"])
    #expect(receive(location(11)) == ["future"])
    #expect(receive(#"{"_type":"waypoint"}"#) == [])
    // An empty message makes a broker delete the retained location.
    #expect(receive(location(3)) == ["location"])
    #expect(receive("") == [])
    #expect(receive("not JSON") == ["malformed"])
  }
}

/// The handler of a device's messages, with a clock that the test sets.
private struct TestDevice {
  /// Seconds since 1970.
  static let start = PublisherBench.start

  let now = Locked(start)
  private let events = Locked<[BackendEvent]>([])
  private let handler: DeviceHandler

  init() {
    handler = DeviceHandler(
      device: "jane/boat", futureTolerance: .seconds(10),
      now: { [now] in Date(timeIntervalSince1970: Double(now.withLock(\.self))) },
      emit: { [events] new in events.withLock { $0 += new } })
  }

  /// Handles a message, and returns the kinds of the events that it causes.
  func receive(_ payload: String, isRetained: Bool = false) -> [String] {
    handler.received(
      topic: "owntracks/jane/boat".utf8.span, payload: payload.utf8.span, isRetained: isRetained)
    handler.flush()
    return events.withLock { exchange(&$0, with: []) }.map { event in
      switch event {
      case .location: "location"
      case .unavailable(let error):
        if error.message.contains("future") {
          "future"
        } else {
          error.message.contains("an earlier one") ? "clock" : "malformed"
        }
      default: "\(event)"
      }
    }
  }

  static func location(_ second: Int, latitude: Int = 60) -> String {
    #"{"_type":"location","lat":\#(latitude),"lon":24,"tst":\#(start + second)}"#
  }
}
