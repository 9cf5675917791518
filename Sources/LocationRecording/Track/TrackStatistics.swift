package import AsyncLocation
public import FoundationEssentials

/// The statistics of a track, computed point by point. Pure, and of constant size.
///
/// ```swift
/// var segmentation = TrackSegmentation()
/// var statistics = TrackStatistics()
/// for event in events {
///   if let point = segmentation.point(for: event.event) { statistics.add(point) }
/// }
/// ```
///
/// The points of a track, added one by one, yield the same statistics as ``Track/statistics(_:)``.
///
/// **Speed.** A step of up to ten seconds has the speed that the receiver reports at its end, which
/// comes from the Doppler shift and is far better than a difference of positions. The speed of a
/// longer step, or of a step without a report, is its length divided by its time.
///
/// **Maximum speed.** A single spike does not count: the receiver must report the speed at two
/// points in a row, or positions must yield it in three steps in a row. An unconfirmed speed counts
/// only if no speed is confirmed.
///
/// **Moving.** The track moves from the time when the speed reaches ``Options/movingSpeed`` until
/// it falls below ``Options/standingSpeed``.
///
/// **Resting.** The positions and altitudes of a standing receiver wander. The track rests if the
/// positions stay within a radius around the first five for a minute. The radius is the distance
/// covered in a minute at three quarters of ``Options/movingSpeed``, 25 m by default. If the
/// horizontal accuracy is worse, the radius is the accuracy, at most 100 m, and the time is
/// proportionally longer. The rest begins with the first of these positions: from then on, the
/// track neither moves nor climbs, until three positions in a row are farther away than 1.5 times
/// the radius. The track does not rest while the receiver reports movement. Points whose times are
/// not the receiver's are no evidence of a rest.
///
/// **Ascent.** Altitudes are noisy. A rise counts in full once the altitude is at least
/// ``Options/altitudeHysteresis`` above the last low. Only `Location.altitude` is used. Each
/// segment is computed separately.
///
/// **Integrity.** A point whose position or time is contradicted
/// (``/AsyncLocation/Location/integrity``) counts in ``contradictedCount`` only.
public struct TrackStatistics: Sendable, Hashable {
  /// The thresholds of a track's statistics.
  public struct Options: Sendable, Hashable {
    /// The speed at which the track begins to move, in metres per second. By default 0.56, 2 km/h.
    public var movingSpeed: Double
    /// The speed below which the track stops moving, in metres per second; at most ``movingSpeed``.
    /// By default 0.28, 1 km/h: the threshold of gpxpy.
    public var standingSpeed: Double
    /// The least rise or descent that counts, in metres. By default 10: about the vertical error of
    /// a receiver without a barometer.
    public var altitudeHysteresis: Double

    /// Creates thresholds.
    public init(
      movingSpeed: Double = 0.56, standingSpeed: Double = 0.28, altitudeHysteresis: Double = 10
    ) {
      (self.movingSpeed, self.standingSpeed) = (movingSpeed, standingSpeed)
      self.altitudeHysteresis = altitudeHysteresis
    }
  }

  /// The number of points.
  public private(set) var pointCount = 0
  /// The number of points that are left out of everything else, because their position or time is
  /// contradicted.
  public private(set) var contradictedCount = 0
  /// The number of segments.
  public private(set) var segmentCount = 0
  /// The number of segments that begin after a gap. A division is no gap.
  public private(set) var gapCount = 0
  /// Metres along the ellipsoid, gaps excluded.
  public private(set) var length = 0.0
  /// The time within segments.
  public private(set) var recordedTime = Duration.zero
  /// The time within segments in which the track moves.
  public var movingTime: Duration { rests.travel.movingTime }
  /// The length of the steps that count as moving, in metres.
  public var movingLength: Double { rests.travel.movingLength }
  /// The greatest speed in metres per second, without spikes; nil if no point has a speed and no
  /// step has a duration. Without reported speeds, it is not below the average speeds if points are
  /// half a minute apart or more on average: long steps seldom confirm each other.
  public var maximumSpeed: Double? {
    let isSparse = recordedTime >= .seconds(30) * max(0, pointCount - segmentCount)
    return peak.value.map {
      peak.hasReports || !isSparse ? $0 : max($0, averageSpeed ?? 0, averageMovingSpeed ?? 0)
    }
  }
  /// The sum of all rises in metres; nil without altitudes.
  public var ascent: Double? { lowestAltitude.map { _ in rests.travel.climbed.up } }
  /// The sum of all descents in metres, positive; nil without altitudes.
  public var descent: Double? { lowestAltitude.map { _ in rests.travel.climbed.down } }
  /// Metres above mean sea level; nil without altitudes.
  public private(set) var lowestAltitude: Double?
  /// Metres above mean sea level; nil without altitudes.
  public private(set) var highestAltitude: Double?
  /// A box around all points; nil without points.
  public private(set) var bounds: GeographicBounds?
  /// The earliest time; nil without points.
  public private(set) var start: Date?
  /// The latest time; nil without points.
  public private(set) var end: Date?

  private let options: Options
  private var last: Location?
  /// How a segment begins whose first points were left out.
  private var leftOutBeginning: TrackPoint.Beginning?
  private var movement = MovementDetector()
  private var rests: RestDetector
  private var peak = SpeedPeak()

  /// Creates statistics without points.
  public init(_ options: Options = Options()) {
    self.options = options
    rests = RestDetector(options)
  }

  /// Adds the next point.
  public mutating func add(_ point: TrackPoint) {
    let location = point.location
    guard !location.isContradicted else {
      contradictedCount += 1
      leftOutBeginning = leftOutBeginning ?? point.beginning
      return
    }
    let beginning = leftOutBeginning.take() ?? point.beginning(after: last)
    if let beginning {
      beginSegment(beginning, at: location)
    } else if let last {
      addStep(from: last, to: location)
    }
    pointCount += 1
    bounds = bounds?.union(location.coordinate) ?? GeographicBounds(location.coordinate)
    start = start.map { min($0, location.timestamp) } ?? location.timestamp
    end = end.map { max($0, location.timestamp) } ?? location.timestamp
    if let height = location.altitude {
      lowestAltitude = min(lowestAltitude ?? height, height)
      highestAltitude = max(highestAltitude ?? height, height)
    }
    last = location
  }

  private mutating func beginSegment(_ beginning: TrackPoint.Beginning, at location: Location) {
    if segmentCount > 0, beginning != .division { gapCount += 1 }
    segmentCount += 1
    movement = MovementDetector()
    rests.beginSegment(at: location)
    peak.beginSegment()
    if let speed = location.speed { peak.add(reported: speed) }
  }

  private mutating func addStep(from last: Location, to location: Location) {
    let stepLength = last.distance(to: location)
    let time = last.duration(to: location)
    let meanSpeed = Self.speed(stepLength, time)
    let speed = time <= .seconds(10) ? location.speed ?? meanSpeed : meanSpeed
    length += stepLength
    recordedTime += time
    rests.add(
      TrackStep(
        end: location, length: stepLength, time: time,
        isMoving: movement.isMoving(at: speed, options)))
    if let reported = location.speed {
      peak.add(reported: reported)
    } else if let meanSpeed {
      peak.add(derived: meanSpeed)
    }
  }
}

extension TrackStatistics {
  /// The time from the earliest to the latest point, gaps included; zero without points.
  public var duration: Duration {
    guard let start, let end else { return .zero }
    return CivilTime.duration(from: start, to: end)
  }

  /// ``length`` divided by ``recordedTime``, in metres per second; nil without time.
  public var averageSpeed: Double? { Self.speed(length, recordedTime) }

  /// ``movingLength`` divided by ``movingTime``, in metres per second; nil without movement.
  public var averageMovingSpeed: Double? { Self.speed(movingLength, movingTime) }

  private static func speed(_ length: Double, _ time: Duration) -> Double? {
    time > .zero ? length / (time / .seconds(1)) : nil
  }
}

extension TrackStatistics: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("points", pointCount),
      DescribedMember("contradicted", contradictedCount > 0 ? contradictedCount : nil),
      DescribedMember("segments", segmentCount),
      DescribedMember("gaps", gapCount), DescribedMember("start", start),
      DescribedMember("end", end), DescribedMember("duration", duration),
      DescribedMember("recordedTime", recordedTime), DescribedMember("movingTime", movingTime),
      DescribedMember("length", length, "m"), DescribedMember("movingLength", movingLength, "m"),
      DescribedMember("averageSpeed", averageSpeed, "m/s"),
      DescribedMember("averageMovingSpeed", averageMovingSpeed, "m/s"),
      DescribedMember("maximumSpeed", maximumSpeed, "m/s"),
      DescribedMember("ascent", ascent, "m"), DescribedMember("descent", descent, "m"),
      DescribedMember("lowestAltitude", lowestAltitude, "m"),
      DescribedMember("highestAltitude", highestAltitude, "m"),
      DescribedMember("bounds", bounds),
    ]
  }
}
