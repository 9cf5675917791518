import AsyncLocation
import CombinedBackend
import FoundationEssentials
import MockBackend

/// A manager with a combined backend of mock backends and a manual clock.
struct CombinedBench: Sendable {
  static let start = Date(timeIntervalSince1970: 1_800_000_000)

  let clock = ManualClock()
  let mocks: [MockBackend]
  let backend: CombinedBackend
  let manager: LocationManager

  /// Creates sources with the names "a", "b" and so on.
  init(
    _ count: Int = 2, _ configuration: CombinedConfiguration = .init(activation: .always),
    authorization: [MockAuthorization] = [], capabilities: [BackendCapabilities] = []
  ) throws {
    let mocks = (0..<count).map { index in
      MockBackend(
        capabilities: index < capabilities.count ? capabilities[index] : .all,
        authorization: index < authorization.count ? authorization[index] : .granting)
    }
    self.mocks = mocks
    backend = try CombinedBackend(
      zip(["a", "b", "c"], mocks).map { .init($0, $1) }, configuration: configuration,
      clock: clock)
    manager = LocationManager(
      backend: backend, configuration: .init(buffering: .newest(16_384)), clock: clock)
  }

  /// Waits until the sources run.
  func waitUntilRunning(_ sources: Int...) async {
    for source in sources { await mocks[source].waitUntilRunning() }
  }

  /// A fix at the time of the clock.
  ///
  /// - Parameters:
  ///   - metres: The distance north of the origin.
  ///   - offset: Seconds by which the source's clock is ahead.
  func fix(
    _ metres: Double, accuracy: Double? = 5, speed: Double? = 0, offset: Double = 0,
    device: String? = nil
  ) -> Location {
    let seconds = Double(clock.now.offset.components.seconds)
    return try! Location(
      coordinate: Self.place(metres), timestamp: Self.start + seconds + offset,
      horizontalAccuracy: accuracy, speed: speed,
      sourceInformation: device.map { SourceInformation(device: $0) })
  }

  static func place(_ metres: Double) -> Coordinate {
    try! Coordinate(latitude: 50 + metres / 111_229, longitude: 8)
  }

  func emit(_ location: Location, from source: Int) throws {
    try mocks[source].emit(.location(location))
  }

  func tick(_ seconds: Int = 1) { clock.advance(by: .seconds(seconds)) }
}

/// A backend whose run is a closure.
struct ClosureBackend: LocationBackend {
  let capabilities: BackendCapabilities = .all
  let body:
    @Sendable (BackendDemand, @escaping @Sendable ([BackendEvent]) -> Void) async throws -> Void

  init(
    _ body:
      @escaping @Sendable (BackendDemand, @escaping @Sendable ([BackendEvent]) -> Void)
      async throws -> Void
  ) {
    self.body = body
  }

  func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws {
    try await body(demand, emit)
  }
}

extension AsyncSequence {
  /// The elements up to the first that satisfies a condition.
  func until(_ condition: (Element) -> Bool) async throws -> [Element] {
    var elements: [Element] = []
    for try await element in self {
      elements.append(element)
      if condition(element) { break }
    }
    return elements
  }
}

extension Location {
  var device: String? { sourceInformation?.device }
}
