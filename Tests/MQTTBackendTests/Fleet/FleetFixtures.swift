import AsyncLocation
import FoundationEssentials
import MockBackend
import OwnTracks

@testable import MQTTBackend

/// The current time of a test's fleet in seconds since 2001, long after most of its locations.
let testNow = 800_000_000.0

/// A location at a time in seconds since 2001.
func location(at time: Double, latitude: Double = 47, longitude: Double = 8) -> Location {
  try! Location(
    latitude: latitude, longitude: longitude,
    timestamp: Date(timeIntervalSinceReferenceDate: time), horizontalAccuracy: 5)
}

func id(_ name: String) -> FleetDevice.ID { FleetDevice.ID(name)! }

func update(_ name: String, at time: Double, isRetained: Bool = false) -> FleetUpdate {
  FleetUpdate(device: id(name), location: location(at: time), isRetained: isRetained)
}

/// A stand-in for OwnTracks' JSON: "TIME", "TIME LATITUDE", "TIME LATITUDE PREVIOUS" with a request
/// for confirmations, "will" or "other".
func decodeTestPayload(_ payload: Span<UInt8>) -> FleetContent {
  let parts = Array(String(copying: payload).split(separator: " "))
  switch parts.first {
  case "will": return .lastWill
  case "other": return .other
  default:
    guard let time = parts.first.flatMap({ Double($0) }) else { return .malformed }
    let latitude = parts.count > 1 ? Double(parts[1]) ?? 47 : 47
    let request = parts.count > 2 ? Double(parts[2]).map(request(after:)) : nil
    return .location(location(at: time, latitude: latitude), request: request)
  }
}

/// A request with the time of the previous location in seconds since 2001.
private func request(after time: Double) -> ConfirmationRequest {
  let previous = LocationTime(Date(timeIntervalSinceReferenceDate: time))
  return ConfirmationRequest(from: previous, after: previous)
}

extension String {
  fileprivate init(copying bytes: Span<UInt8>) {
    self = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
  }
}

extension FleetHub {
  convenience init(
    limits: FleetLimits = FleetLimits(), clock: ManualClock = ManualClock(),
    stored: StoredFleet? = nil
  ) {
    self.init(
      FleetConfiguration(limits: limits), clock: clock,
      now: { Date(timeIntervalSinceReferenceDate: testNow) }, stored: stored,
      decode: decodeTestPayload)
  }

  /// Receives a message for `owntracks/NAME`.
  func receive(_ name: String, _ payload: String, isRetained: Bool = false) {
    let (topic, payload) = ("owntracks/" + name, payload)
    received(topic: topic.utf8.span, payload: payload.utf8.span, isRetained: isRetained)
  }
}

/// A fleet without a broker, and its hub.
struct TestFleet {
  let hub: FleetHub
  let fleet: Fleet
  let clock = ManualClock()
  /// How often the connection was stopped.
  let stops = Locked(0)

  init(limits: FleetLimits = FleetLimits()) {
    hub = FleetHub(limits: limits, clock: clock)
    let stops = stops
    fleet = Fleet(
      hub, FleetConnection(start: {}, stop: { stops.withLock { $0 += 1 } }, waitUntilStopped: {}))
  }

  /// A fleet that continues from the content of a storage.
  init(limits: FleetLimits = FleetLimits(), storage: some FleetStorage) async throws {
    let (session, stored) = try await storage.open()
    hub = FleetHub(limits: limits, clock: clock, stored: stored)
    let (stops, writer) = (stops, FleetWriter(hub, session, clock: clock))
    let connection = FleetConnection(
      start: {}, stop: { stops.withLock { $0 += 1 } }, waitUntilStopped: {})
    fleet = Fleet(hub, connection, writer)
    writer.start(stoppingWith: connection.stop)
  }
}
