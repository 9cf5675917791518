public import AsyncLocation
public import FoundationEssentials

/// Where the devices of a fleet were, as a storage knows it.
///
/// Answers are read from the storage in parts, so that a long track takes little memory. They lack what
/// the fleet has received and not stored yet.
public struct FleetHistory: Sendable {
  private let source: any FleetHistorySource

  /// Creates a history of what a session has stored.
  public init(_ source: any FleetHistorySource) { self.source = source }

  /// The locations of a device in a range of time, in ascending order of their times, each once. They
  /// include those that arrived late.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - start: The time of the first location at the earliest.
  ///   - end: The time before which the last one is.
  public func track(
    of device: FleetDevice.ID, from start: Date = .distantPast, to end: Date = .distantFuture
  ) -> FleetTrack {
    FleetTrack(source: source, device: device, start: start, end: end)
  }

  /// The last location of a device at an instant or before it; nil without one.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `storageUnavailable` if the storage cannot be read.
  public func location(
    of device: FleetDevice.ID, at instant: Date
  ) async throws(LocationError) -> Location? {
    try await source.location(of: device, at: instant)
  }

  /// The devices that have a location in an area and a range of time, sorted by their identifiers.
  ///
  /// A location counts if it lies in the area or on its boundary, on the WGS 84 ellipsoid; its accuracy
  /// does not. A device that crossed the area between two locations is not found. The storage answers such a
  /// question as a whole, and stores nothing meanwhile: a wide area or a long time holds up the fleet's events.
  ///
  /// - Parameters:
  ///   - area: A circle, a polygon or a corridor. Its dwell and expiry do not count.
  ///   - start: The time of a location at the earliest.
  ///   - end: The time before which it is.
  public func devices(
    in area: Condition, from start: Date, to end: Date
  ) -> FleetVisits {
    FleetVisits(source: source, area: area, start: start, end: end)
  }
}

/// The locations of a device; see ``FleetHistory/track(of:from:to:)``.
///
/// Each iteration reads the storage anew, in parts. An error ends it: ``/AsyncLocation/LocationError`` with
/// `storageUnavailable` if the storage cannot be read. It is cancelled with its task, between two parts.
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
    /// The time of the next part; nil after the last one.
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
        // No other location of the device has the time of the last one.
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

/// The devices that were in an area; see ``FleetHistory/devices(in:from:to:)``.
///
/// Each iteration reads the storage anew, in parts. An error ends it, as in ``FleetTrack``.
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
    private var last: FleetDevice.ID?
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
