public import AsyncLocation
public import FoundationEssentials

/// The stored location history of the devices of a fleet.
///
/// Results are read from the storage in parts, so that a long track needs little memory. They do
/// not include locations that the fleet has received but not yet stored.
public struct FleetHistory: Sendable {
  private let source: any FleetHistorySource

  /// Creates a history that reads from a source, such as the session of a storage.
  public init(_ source: any FleetHistorySource) { self.source = source }

  /// The locations of a device in a time range, each once, in ascending order of time. Locations
  /// that arrived late are included.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - start: The start of the time range, inclusive.
  ///   - end: The end of the time range, exclusive.
  public func track(
    of device: FleetDevice.ID, from start: Date = .distantPast, to end: Date = .distantFuture
  ) -> FleetTrack {
    FleetTrack(source: source, device: device, start: start, end: end)
  }

  /// The last location of a device at or before an instant; nil if there is none.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `storageUnavailable` if the storage cannot be
  ///   read.
  public func location(
    of device: FleetDevice.ID, at instant: Date
  ) async throws(LocationError) -> Location? {
    try await source.location(of: device, at: instant)
  }

  /// The trips of a device in a time range: those that have ended, in order, and the one that lasts.
  ///
  /// They are the trips that the locations of ``track(of:from:to:)`` yield, as
  /// ``/AsyncLocation/LocationManager/trips(_:)`` describes; a trip that began before `start` is
  /// not complete.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - start: The start of the time range, inclusive.
  ///   - end: The end of the time range, exclusive.
  ///   - options: The criteria. ``/AsyncLocation/TripOptions/device`` has no effect.
  /// - Throws: ``/AsyncLocation/LocationError`` with `storageUnavailable` if the storage cannot be
  ///   read, or `CancellationError` between two parts of the track.
  public func trips(
    of device: FleetDevice.ID, from start: Date = .distantPast, to end: Date = .distantFuture,
    _ options: TripOptions = TripOptions()
  ) async throws -> [Trip] {
    var machine = TripStateMachine(options)
    var trips: [Trip] = []
    for try await location in track(of: device, from: start, to: end) {
      if let trip = machine.located(location), trip.end != nil { trips.append(trip) }
    }
    return trips + [machine.currentTrip].compactMap(\.self)
  }

  /// The devices with a location in an area and a time range, sorted by identifier.
  ///
  /// A location matches if it lies in the area or on its boundary, on the WGS 84 ellipsoid. Its
  /// accuracy is ignored. A device that crossed the area between two locations is not found. With a
  /// SQLite file, nothing is stored while a part is read: a large area or a long time range delays
  /// the fleet's events.
  ///
  /// - Parameters:
  ///   - area: A circle, a polygon or a corridor. Its dwell time and expiry are ignored.
  ///   - start: The start of the time range, inclusive.
  ///   - end: The end of the time range, exclusive.
  public func devices(
    in area: Condition, from start: Date, to end: Date
  ) -> FleetVisits {
    FleetVisits(source: source, area: area, start: start, end: end)
  }
}

/// The locations of a device; see ``FleetHistory/track(of:from:to:)``.
///
/// Each iteration reads the storage again, in parts. An error ends the iteration:
/// ``/AsyncLocation/LocationError`` with `storageUnavailable` if the storage cannot be read, or
/// `CancellationError` between two parts if the task is cancelled.
public struct FleetTrack: AsyncSequence, Sendable {
  public typealias Element = Location

  /// The number of locations in a part.
  static let partCount = 4_096

  let source: any FleetHistorySource
  let device: FleetDevice.ID
  let start: Date
  let end: Date

  public func makeAsyncIterator() -> Iterator { Iterator(track: self, next: start) }

  /// Reads the locations one by one.
  public struct Iterator: AsyncIteratorProtocol {
    private let track: FleetTrack
    /// The start of the next part; nil after the last part.
    private var following: Date?
    private var part: ArraySlice<Location> = []

    init(track: FleetTrack, next: Date) { (self.track, following) = (track, next) }

    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Location? {
      if part.isEmpty, let following {
        try Task.checkCancellation()
        part = try await track.source.locations(
          of: track.device, from: following, to: track.end, count: FleetTrack.partCount)[...]
        // A device has at most one location for each time.
        self.following =
          part.count < FleetTrack.partCount
          ? nil : part.last.map { Date(timeIntervalSinceReferenceDate: $0.timestampSeconds.nextUp) }
      }
      return part.popFirst()
    }
  }
}

@available(*, unavailable)
extension FleetTrack.Iterator: Sendable {}

/// The devices with a location in an area; see ``FleetHistory/devices(in:from:to:)``.
///
/// Each iteration reads the storage again, in parts. An error ends the iteration, as in
/// ``FleetTrack``; the area of a beacon causes `unsupported`.
public struct FleetVisits: AsyncSequence, Sendable {
  public typealias Element = FleetVisit

  /// The number of devices in a part.
  static let partCount = 65_536

  let source: any FleetHistorySource
  let area: Condition
  let start: Date
  let end: Date

  public func makeAsyncIterator() -> Iterator { Iterator(visits: self) }

  /// Reads the devices one by one.
  public struct Iterator: AsyncIteratorProtocol {
    private let visits: FleetVisits
    /// The last device of the previous parts; nil before the first part.
    private var last: FleetDevice.ID?
    /// Whether the last part was read.
    private var isAtEnd = false
    private var part: ArraySlice<FleetVisit> = []

    init(visits: FleetVisits) { self.visits = visits }

    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> FleetVisit? {
      if part.isEmpty, !isAtEnd {
        try Task.checkCancellation()
        part = try await visits.source.visits(
          to: visits.area, from: visits.start, to: visits.end, after: last,
          count: FleetVisits.partCount)[...]
        isAtEnd = part.count < FleetVisits.partCount
        last = part.last?.device
      }
      return part.popFirst()
    }
  }
}

@available(*, unavailable)
extension FleetVisits.Iterator: Sendable {}
