import AsyncLocation
import FoundationEssentials

/// The n-th fix of a drive north, a second and about 111 m after the previous one.
func fix(_ n: Int, accuracy: Double? = nil, device: String? = nil) -> Location {
  try! Location(
    latitude: Double(n) / 1000, longitude: 0,
    timestamp: Date(timeIntervalSince1970: 1_800_000_000 + Double(n)),
    horizontalAccuracy: accuracy,
    sourceInformation: device.map { SourceInformation(device: $0) })
}

/// Accurate fixes at the places of ``fix(_:accuracy:device:)``, a minute at each: enough to confirm
/// two crossings of a boundary.
///
/// - Parameter start: Seconds after the first fix of ``fix(_:accuracy:device:)``.
func stops(at places: Int..., from start: Int = 0) -> [Location] {
  places.enumerated().flatMap { index, n in
    [0, 20, 40, 60].map { second in
      try! fix(n, accuracy: 5).with {
        $0.timestamp = fix(0).timestamp + Double(start + index * 80 + second)
      }
    }
  }
}

func heading(_ degrees: Double) -> Heading {
  try! Heading(
    trueHeading: degrees, timestamp: Date(timeIntervalSince1970: 1_800_000_000),
    source: .compass)
}

func view(_ used: Int) -> SatelliteView {
  try! SatelliteView(satellites: (0..<used).map { try! Satellite(prn: $0 + 1, isUsed: true) })
}

extension AsyncSequence {
  /// All elements, and the error at the end.
  func all() async -> (elements: [Element], error: (any Error)?) {
    var elements: [Element] = []
    do {
      for try await element in self { elements.append(element) }
      return (elements, nil)
    } catch {
      return (elements, error)
    }
  }
}

extension LocationManager {
  /// Waits until the manager's statistics satisfy a condition, which is checked after each yield.
  func until(_ condition: @Sendable (Statistics) -> Bool) async {
    while !condition(await statistics) { await Task.yield() }
  }

  /// Waits until the manager reports an authorization that satisfies the predicate.
  nonisolated func waitForAuthorization(where isExpected: (Authorization) -> Bool) async {
    for await authorization in authorizationUpdates where isExpected(authorization) { return }
  }

  /// Returns when earlier calls have reached the manager, which is an actor. Reading a property
  /// does not wait for them.
  func receiveEarlierCalls() {}
}
