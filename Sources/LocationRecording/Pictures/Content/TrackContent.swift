import AsyncLocation
import FoundationEssentials

/// The content of a track's picture, computed once for all of its forms. Pure.
struct TrackContent: Sendable {
  /// The width of the map and of the charts in pixels.
  static let width = 800.0
  /// The maximum number of stops, and of rows of a table. The longest stops are chosen.
  static let listLimit = 100
  /// The maximum number of lines of gaps.
  private static let gapLimit = 2000

  let title: String?
  let coloring: TrackPicture.Coloring
  let statistics: TrackStatistics
  let segments: [[TrackSample]]
  let view: MapView
  let scale: ColorScale
  let lines: ColoredLines
  let ends: (start: PlanePoint, end: PlanePoint)?
  let gapLines: [[PlanePoint]]
  let gaps: [Track.Gap]
  let stops: [StopDetector.Stop]
  let waypoints: MapWaypoints
  let ground: GroundShapes
  let conditions: MapConditions
  let basemap: BasemapShapes
  let chart: ChartSpan
  let clock: PictureClock
  /// The time of the first point, in seconds since the reference date.
  let startSeconds: Double

  init(_ track: Track, _ options: TrackPicture.Options) {
    title = options.title ?? track.name
    coloring = options.coloring
    clock = PictureClock(zone: options.timeZone)
    statistics = track.statistics()
    gaps = track.gaps
    segments = TrackSample.segments(of: track)
    let bounds = statistics.bounds
    let projection =
      bounds.map(MapProjection.init) ?? MapProjection(.mercator, centralMeridian: 0)
    let points = segments.map { $0.map { projection.point($0.coordinate) } }
    let view = MapView(projection, showing: points.flatMap { $0 }, width: Self.width)
    self.view = view
    let values = segments.joined().compactMap { options.coloring.value(of: $0) }
    scale = ColorScale(
      values, leastSpan: options.coloring.leastSpan,
      prefersZero: options.coloring == .speed)
    lines = ColoredLines(
      zip(segments, points).flatMap { [scale] samples, points in
        Self.parts(samples, points, view, options.coloring, scale)
      })
    ends = points.first?.first.flatMap { first in
      points.last?.last.map { (view.pixel(first), view.pixel($0)) }
    }
    gapLines = Self.lines(of: gaps, view)
    let detector = StopDetector(leastDuration: options.leastStop / .seconds(1))
    let allStops = detector.stops(segments.joined())
    let longest = allStops.sorted { $0.duration > $1.duration }.prefix(Self.listLimit)
    stops = longest.sorted { $0.start < $1.start }
    waypoints = MapWaypoints(track.waypoints, in: view)
    ground = GroundShapes(options.showsGround ? .embedded : nil, in: view)
    conditions = MapConditions(options.conditions, in: view)
    basemap = BasemapShapes(options.basemap?.features ?? [], in: view)
    chart = ChartSpan(segments, statistics, options.profileAxis)
    let first = track.segments.first?.locations.first
    startSeconds = first?.timestamp.timeIntervalSinceReferenceDate ?? 0
  }

  var projection: MapProjection { view.projection }

  /// The date of a time in seconds since the first point, as in ``TrackSample/time``.
  func date(_ time: Double) -> Date {
    Timestamp.nearest(Date(timeIntervalSinceReferenceDate: startSeconds + time))
  }

  /// A segment's pixels with their colors, divided where the segment leaves the map at a side.
  private static func parts(
    _ samples: [TrackSample], _ points: [PlanePoint], _ view: MapView,
    _ coloring: TrackPicture.Coloring, _ scale: ColorScale
  ) -> [[ColoredLines.Point]] {
    let colors = samples.map { sample in
      coloring.value(of: sample).flatMap(scale.index).map(scale.colorIndex)
    }
    var index = 0
    return view.projection.lines(points).enumerated().map { number, line in
      line.enumerated().map { offset, point in
        // Points at the sides of the map were added as the last of a line and the first of the
        // next.
        let color = colors[min(index, colors.count - 1)]
        let isAdded =
          number > 0 && offset == 0
          || offset == line.count - 1 && index < points.count && points[index] != point
        if !isAdded { index += 1 }
        return ColoredLines.Point(place: view.pixel(point), color: color)
      }
    }
  }

  /// The lines of gaps of a pixel or more; the longest ones if there are many.
  private static func lines(of gaps: [Track.Gap], _ view: MapView) -> [[PlanePoint]] {
    let lines = gaps.flatMap { gap in
      view.projection.lines(
        [gap.last, gap.next].map { view.projection.point($0.coordinate) }
      ).map { $0.map(view.pixel) }
    }
    let visible = lines.filter { $0[0].distance(to: $0[$0.count - 1]) >= 1 }
    guard visible.count > gapLimit else { return visible }
    return Array(
      visible.sorted { $0[0].distance(to: $0[1]) > $1[0].distance(to: $1[1]) }.prefix(gapLimit))
  }
}

/// The horizontal axis of the charts. Pure.
struct ChartSpan: Hashable, Sendable {
  let axis: TrackPicture.ProfileAxis
  /// The range of positions in seconds or metres.
  let range: ClosedRange<Double>

  /// - Parameter wanted: Nil for the time, or the distance if most of the time is gaps. Without
  ///   times, or if times go back between segments, the axis is the distance in any case.
  init(
    _ segments: [[TrackSample]], _ statistics: TrackStatistics,
    _ wanted: TrackPicture.ProfileAxis? = nil
  ) {
    let times = segments.joined().lazy.map(\.time)
    let (start, end) = (times.min() ?? 0, times.max() ?? 0)
    let recorded = statistics.recordedTime / .seconds(1)
    let isOrdered = zip(segments, segments.dropFirst()).allSatisfy { before, after in
      (before.last?.time ?? 0) <= (after.first?.time ?? 0)
    }
    let isMostlyRecorded = recorded * 2 >= end - start
    if recorded > 0, isOrdered, wanted.map({ $0 == .time }) ?? isMostlyRecorded {
      (axis, range) = (.time, start...end)
    } else {
      (axis, range) = (.distance, 0...(segments.last?.last?.distance ?? 0))
    }
  }

  var isEmpty: Bool { range.upperBound <= range.lowerBound }

  /// The position of a sample along the axis, in seconds or metres.
  func position(_ sample: TrackSample) -> Double {
    switch axis {
    case .time: sample.time
    case .distance: sample.distance
    }
  }

  /// The fraction of the axis from the left to a position, 0...1.
  func fraction(of position: Double) -> Double {
    isEmpty ? 0 : (position - range.lowerBound) / (range.upperBound - range.lowerBound)
  }
}
