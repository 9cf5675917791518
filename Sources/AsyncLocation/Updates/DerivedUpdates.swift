/// One subscriber's visits; see ``LocationManager/visits(_:)``.
public typealias VisitUpdates = DerivedUpdates<Visit>

/// One subscriber's trips; see ``LocationManager/trips(_:)``.
public typealias TripUpdates = DerivedUpdates<Trip>

/// One subscriber's significant changes; see ``LocationManager/significantLocationChanges``.
public typealias SignificantLocationChanges = DerivedUpdates<Location>

/// Visits, trips or significant changes, derived from one subscriber's locations when an element is
/// awaited.
///
/// Iterating does not leave the caller's actor. Permission is checked on that actor when a location
/// is taken, so no element is derived from a location that permission no longer covers, however
/// busy the actor was. The sequence ends and throws as ``Updates`` does. Iterators of one sequence
/// share its elements: each element is returned once.
public struct DerivedUpdates<Element: Sendable>: AsyncSequence, Sendable {
  public typealias Failure = LocationError

  private let source: Source

  /// - Parameter derive: Derives an element from a location and its arrival. `mustReset` is true if
  ///   permission no longer covers the earlier locations.
  init(
    _ locations: Subscription<Location>,
    _ derive: @escaping @Sendable (Location, Duration, _ mustReset: Bool) -> Element?
  ) { source = Source(locations: locations, derive: derive) }

  public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

  /// Returns the elements one at a time.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let source: Source

    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(LocationError) -> Element? {
      while let (location, stamp) = try await source.locations.nextStamped(isolation: actor) {
        if let element = source.element(location, stamp) { return element }
      }
      return nil
    }
  }

  fileprivate final class Source: Sendable {
    let locations: Subscription<Location>
    private let derive: @Sendable (Location, Duration, Bool) -> Element?
    /// The permission of the last location.
    private let lastStamp = Locked(DeliveryStamp.unrestricted)

    init(
      locations: Subscription<Location>,
      derive: @escaping @Sendable (Location, Duration, Bool) -> Element?
    ) { (self.locations, self.derive) = (locations, derive) }

    /// Returns the element that a location completes, if any.
    func element(_ location: Location, _ stamp: DeliveryStamp) -> Element? {
      guard let instant = location.arrival?.instant else { return nil }
      let earlierStamp = lastStamp.withLock { exchange(&$0, with: stamp) }
      return derive(location, instant, locations.channel.gate?.admits(earlierStamp) == false)
    }
  }
}

@available(*, unavailable)
extension DerivedUpdates.Iterator: Sendable {}
