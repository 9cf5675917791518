import AsyncLocation
import FoundationEssentials

@testable import MockBackend

/// Returns a location of a drive north, one second after that with the previous number.
func location(_ number: Int) throws -> Location {
  try Location(
    latitude: 60 + Double(number) / 1000, longitude: 25,
    timestamp: Date(timeIntervalSince1970: 1_780_000_000 + Double(number)), altitude: 12.5,
    ellipsoidalAltitude: 30, horizontalAccuracy: 4, verticalAccuracy: 6, speed: 111,
    speedAccuracy: 1, course: 0, courseAccuracy: 2, climb: 0.5, floor: 1,
    sourceInformation: SourceInformation(isSimulated: true, device: "/dev/ttyMock0"),
    gnss: GNSSFix(mode: .threeDimensional, satellitesUsed: 9))
}

func event(_ number: Int) throws -> BackendEvent { .location(try location(number)) }

let demand = BackendDemand(kinds: .locations)
let breakdown = LocationError(.connectionLost, "The mast fell over.")

/// A run of a backend, and the events that it emitted.
final class RecordedRun: Sendable {
  private let batches = Journal<[BackendEvent]>()
  private let task: Task<Void, any Error>

  init(_ backend: some LocationBackend, demand: BackendDemand = demand) {
    task = Task { [batches] in try await backend.run(demand) { batches.append($0) } }
  }

  var events: [BackendEvent] { batches.entries.flatMap(\.self) }
  var batchSizes: [Int] { batches.entries.map(\.count) }

  /// Returns the events once there are at least `count`.
  func events(atLeast count: Int) async -> [BackendEvent] {
    _ = await batches.wait { events.count >= count }
    return events
  }

  /// Waits for the end of the run and returns its error; nil if the run returned.
  func end() async -> (any Error)? {
    switch await task.result {
    case .success: nil
    case .failure(let error): error
    }
  }

  /// Cancels the run and returns its error; nil if the run returned.
  @discardableResult
  func cancel() async -> (any Error)? {
    task.cancel()
    return await end()
  }
}
