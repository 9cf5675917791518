public import AsyncLocation

/// Follows a courier. It uses the manager directly, without a wrapper, a delegate or a callback.
public actor Courier {
  /// An event of the courier.
  public enum Entry: Sendable, Hashable {
    case permission(AuthorizationStatus)
    case moved(Coordinate)
    case turned(Double)
    case lost(LocationError.Code)
  }

  /// The events, in order.
  public private(set) var log: [Entry] = []
  private let manager: LocationManager

  /// Creates a courier that is not followed yet.
  public init(_ manager: LocationManager) { self.manager = manager }

  /// Requests permission to locate the courier. Any number of callers receive the answer.
  public nonisolated func mayBeLocated() async throws -> Bool {
    try await manager.requestWhenInUseAuthorization().isAuthorized
  }

  /// The distance to a customer in metres.
  ///
  /// - Throws: `LocationError` with code `timedOut` if no location arrives within 30 seconds, and
  ///   `CancellationError` when the task is cancelled.
  public nonisolated func distance(to customer: Coordinate) async throws -> Double {
    let location = try await manager.currentLocation(timeout: .seconds(30))
    return location.coordinate.distance(to: customer)
  }

  /// Follows the courier until the source ends or the task is cancelled. The receiver then stops.
  public func follow() async {
    for await event in manager.events(EventOptions(services: [.locations, .headings])) {
      switch event {
      case .didChangeAuthorization(let authorization):
        log.append(.permission(authorization.status))
      case .didUpdateLocations(let locations):
        log += locations.map { .moved($0.coordinate) }
      case .didUpdateHeading(let heading):
        if let degrees = heading.trueHeading { log.append(.turned(degrees)) }
      case .didFailWithError(let error):
        log.append(.lost(error.code))
      default:
        break
      }
    }
  }
}
