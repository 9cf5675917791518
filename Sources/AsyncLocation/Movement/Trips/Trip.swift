public import FoundationEssentials

/// A drive from one place to another; the element of ``LocationManager/trips``.
///
/// A trip is delivered twice: without an end once it is established, and with one after it has
/// ended. Both have the same start; the later one has the numbers of the whole trip.
public struct Trip: Sendable, Hashable {
  /// A wait during a trip that is shorter than ``TripOptions/minimumRest``, such as at a level
  /// crossing or to unload.
  public struct Stop: Sendable, Hashable {
    /// The mean position of the stop.
    public let coordinate: Coordinate
    /// The time of the first location at the stop, by the clock of ``Location/timestamp``.
    public let start: Date
    /// The time of the last location at the stop.
    public let end: Date

    /// Creates a stop.
    ///
    /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` for a time outside the
    ///   years 1 to 9999, or an end before the start.
    public init(coordinate: Coordinate, start: Date, end: Date) throws(LocationError) {
      let (start, end) = try Trip.exact(start, end)
      self.init(checked: coordinate, start: start, end: end)
    }

    /// Creates a stop from values that are in range.
    init(checked coordinate: Coordinate, start: Date, end: Date) {
      (self.coordinate, self.start, self.end) = (coordinate, start, end)
    }
  }

  /// The greatest number of elements in ``stops``: 1,000. Later stops of a trip are not listed, and
  /// do not count as moving either.
  public static let maximumStopCount = 1_000

  /// The departure, by the clock of ``Location/timestamp``: between the last location at the place
  /// of departure and the first elsewhere. After a time without locations, it is estimated from the
  /// distance of the first location elsewhere.
  public let start: Date
  /// The arrival at the last place, decided once the rest there has lasted for
  /// ``TripOptions/minimumRest``. Nil while the trip lasts.
  public let end: Date?
  /// The mean position of the place of departure, or the first location if the receiver was already
  /// moving.
  public let startCoordinate: Coordinate
  /// The mean position of the last place; nil while the trip lasts.
  public let endCoordinate: Coordinate?
  /// Metres along the ellipsoid from position to position, without outliers: positions that require
  /// more than 100 m/s, or much more than the reported speeds. Where there were no locations, such
  /// as in a tunnel or on a ferry, the straight distance counts.
  public let distance: Double
  /// The time from ``start`` to ``end`` without ``stops``; nil while the trip lasts.
  public let movingTime: Duration?
  /// The greatest speed in metres per second, which other locations of the trip confirm: reported
  /// by the receiver, else between positions at least a second apart. Nil if unknown.
  public let maximumSpeed: Double?
  /// The number of the locations that were used.
  public let locationCount: Int
  /// The stops of at least ``TripOptions/minimumStop``, in the order of their times, at most
  /// ``maximumStopCount``. A stop that is shorter than the interval of the locations is not noticed.
  public let stops: [Stop]

  /// Creates a trip.
  ///
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` for a distance, time,
  ///   speed or count that is negative or not finite, a time outside the years 1 to 9999, an end
  ///   before the start, or too many stops; the message names the parameter.
  public init(
    start: Date, end: Date? = nil, startCoordinate: Coordinate, endCoordinate: Coordinate? = nil,
    distance: Double, movingTime: Duration? = nil, maximumSpeed: Double? = nil,
    locationCount: Int, stops: [Stop] = []
  ) throws(LocationError) {
    try ClosedRange.nonNegative.check(distance, "distance")
    try ClosedRange.nonNegative.check(maximumSpeed, "maximumSpeed")
    guard movingTime ?? .zero >= .zero else {
      throw LocationError(.invalidValue, "movingTime must not be negative; use zero or nil.")
    }
    guard locationCount >= 0 else {
      throw LocationError(
        .invalidValue, "locationCount must not be negative; got \(locationCount).")
    }
    guard stops.count <= Self.maximumStopCount else {
      throw LocationError(
        .invalidValue,
        "stops must have at most \(Self.maximumStopCount) elements; got \(stops.count).")
    }
    let (exactStart, exactEnd) = try Self.exact(start, end ?? start)
    self.init(
      checked: exactStart, end: end == nil ? nil : exactEnd, startCoordinate: startCoordinate,
      endCoordinate: endCoordinate, distance: distance.normalizedZero,
      movingTime: movingTime.map(ExactSeconds.exact),
      maximumSpeed: maximumSpeed?.normalizedZero, locationCount: locationCount, stops: stops)
  }

  /// Creates a trip from values that are in range.
  init(
    checked start: Date, end: Date?, startCoordinate: Coordinate, endCoordinate: Coordinate?,
    distance: Double, movingTime: Duration?, maximumSpeed: Double?, locationCount: Int,
    stops: [Stop]
  ) {
    (self.start, self.end) = (start, end)
    (self.startCoordinate, self.endCoordinate) = (startCoordinate, endCoordinate)
    (self.distance, self.movingTime, self.maximumSpeed) = (distance, movingTime, maximumSpeed)
    (self.locationCount, self.stops) = (locationCount, stops)
  }

  private static func exact(_ start: Date, _ end: Date) throws(LocationError) -> (Date, Date) {
    let (start, end) = (try Timestamp.exact(start, "start"), try Timestamp.exact(end, "end"))
    guard start <= end else {
      throw LocationError(
        .invalidValue,
        "end must not be before start; got \(Timestamp.format(end)) before \(Timestamp.format(start))."
      )
    }
    return (start, end)
  }

  /// The time from ``start`` to ``end``; nil while the trip lasts.
  public var duration: Duration? { end.map { CivilTime.duration(from: start, to: $0) } }
}
