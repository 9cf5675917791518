public import AsyncLocation
public import LocationFleet

/// The trips of all devices for one subscriber; see ``Fleet/trips(_:)``.
///
/// A trip is found when an element is awaited, without leaving the caller's actor. The sequence ends
/// and throws as ``Fleet/updates`` does. Iterators of one sequence share its elements: each is
/// returned once, and the locations of a device are used in order only if one task iterates.
public struct FleetTrips: AsyncSequence, Sendable {
  public typealias Element = FleetTrip
  public typealias Failure = LocationError

  private let locations: Updates<TripLocation>
  private let table: Locked<FleetTripTable>

  init(_ locations: Updates<TripLocation>, _ table: FleetTripTable) {
    (self.locations, self.table) = (locations, Locked(table))
  }

  /// The number of locations that were dropped because they were read too slowly. The trips of
  /// their devices have gaps.
  public var dropped: Int { locations.dropped }

  public func makeAsyncIterator() -> Iterator {
    Iterator(locations: locations.makeAsyncIterator(), table: table)
  }

  /// Returns the trips one at a time.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var locations: Updates<TripLocation>.Iterator
    fileprivate let table: Locked<FleetTripTable>

    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(LocationError) -> FleetTrip? {
      while let location = try await locations.next(isolation: actor) {
        if let trip = table.withLock({ $0.located(location) }) { return trip }
      }
      return nil
    }
  }
}

@available(*, unavailable)
extension FleetTrips.Iterator: Sendable {}

/// A location of a device, for its trips.
struct TripLocation: Sendable {
  let device: FleetDevice.ID
  /// Identifies the device until it is forgotten: another number is another history.
  let number: UInt32
  let location: Location
}

/// The trips of the devices of a fleet, each by a machine of its own.
struct FleetTripTable: Sendable {
  /// The number of devices from which on those that the fleet has forgotten are removed.
  static let leastCount = 1_024

  private struct Row: Sendable {
    let number: UInt32
    var machine: TripStateMachine
  }

  private let options: TripOptions
  private let isKnown: @Sendable (FleetDevice.ID) -> Bool
  private var rows: [FleetDevice.ID: Row] = [:]
  /// The number of devices with which the forgotten ones are next removed, so that the search costs
  /// each device little.
  private var removalCount = leastCount

  var count: Int { rows.count }

  /// - Parameter isKnown: Whether the fleet knows a device.
  init(_ options: TripOptions, isKnown: @escaping @Sendable (FleetDevice.ID) -> Bool) {
    (self.options, self.isKnown) = (options, isKnown)
  }

  /// Handles a location and returns a trip of its device that it establishes or ends.
  mutating func located(_ location: TripLocation) -> FleetTrip? {
    let device = location.device
    if rows[device]?.number != location.number {
      if rows.count >= removalCount, rows[device] == nil { removeForgotten() }
      rows[device] = Row(number: location.number, machine: TripStateMachine(options))
    }
    return rows[device]?.machine.located(location.location).map {
      FleetTrip(device: device, trip: $0)
    }
  }

  private mutating func removeForgotten() {
    rows = rows.filter { isKnown($0.key) }
    removalCount = max(Self.leastCount, 2 * rows.count)
  }
}
