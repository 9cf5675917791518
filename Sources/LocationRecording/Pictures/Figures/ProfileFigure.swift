import AsyncLocation
import FoundationEssentials

/// A chart of speed or altitude along a track. Pure.
struct ProfileFigure {
  static let height = 192.0
  private static let plot = PlaneBox(left: 88, top: 48, right: TrackContent.width, bottom: 154)
  /// The number of columns of pixels to which the values are reduced.
  private static let columns = 800
  /// The maximum number of rows of the grid.
  private static let rows = 3

  let content: TrackContent
  let coloring: TrackPicture.Coloring
  /// Whether the figure has the line of the cursor, which a page's script moves.
  let hasCursor: Bool

  /// The chart; nil without values.
  var markup: Markup? {
    let chart = content.chart
    guard !chart.isEmpty else { return nil }
    let profile = Profile(
      content.segments.map { segment in
        segment.map { (chart.position($0), coloring.value(of: $0)) }
      }, span: chart.range, columns: Self.columns)
    guard let range = profile.range else { return nil }
    let axis = ValueAxis(range, coloring, rows: Self.rows)
    return """
      <text class="caption" x="0" y="18">\(coloring.caption) in \(coloring.unit)</text>
      <text class="axis" x="\(TrackContent.width)" y="18" text-anchor="end">\(axisCaption)</text>
      \(grid(axis))\(curve(profile, axis))\(labels(axis))\(ticks)\(cursor)
      """
  }

  /// The caption of the horizontal axis.
  private var axisCaption: String {
    switch content.chart.axis {
    case .time: "time, \(zoneNames)"
    case .distance: "distance"
    }
  }

  /// The name of the time zone at the start; both names if it differs at the end.
  private var zoneNames: String {
    let range = content.chart.range
    let names = [range.lowerBound, range.upperBound].map {
      content.clock.zoneName(at: content.date($0))
    }
    return names[0] == names[1] ? names[0] : "\(names[0]) to \(names[1])"
  }

  private static func y(_ value: Double, _ axis: ValueAxis) -> Double {
    plot.bottom - axis.fraction(of: value) * plot.height
  }

  /// The x at a fraction of the horizontal axis, in pixels.
  static func x(atFraction fraction: Double) -> Double { plot.left + fraction * plot.width }

  private func curve(_ profile: Profile, _ axis: ValueAxis) -> Markup {
    var (line, area) = (PathData(), PathData())
    for part in profile.parts {
      let points = part.map { value in
        PlanePoint(
          Self.x(atFraction: content.chart.fraction(of: value.position)), Self.y(value.value, axis))
      }
      line.append(line: points)
      area.append(
        ring: [PlanePoint(points[0].x, Self.plot.bottom)] + points
          + [PlanePoint(points[points.count - 1].x, Self.plot.bottom)])
    }
    return """
      <path class="fill" d="\(area.text)"/>
      <path class="curve" d="\(line.text)"/>

      """
  }

  private func grid(_ axis: ValueAxis) -> Markup {
    var data = PathData()
    for value in axis.marks {
      let y = Self.y(value, axis)
      data.append(line: [PlanePoint(Self.plot.left, y), PlanePoint(Self.plot.right, y)])
    }
    return "<path class=\"grid\" d=\"\(data.text)\"/>\n"
  }

  private func labels(_ axis: ValueAxis) -> Markup {
    var markup = Markup.empty
    for value in axis.marks {
      markup += """
        <text class="axis" x="\(Self.plot.left - 8)" y="\(Self.y(value, axis) + 5)" \
        text-anchor="end">\
        \(FixedText.decimal(value, axis.places))</text>

        """
    }
    return markup
  }

  private var ticks: Markup {
    var data = PathData()
    var markup = Markup.empty
    for mark in PositionMarks(content).marks {
      let x = Self.x(atFraction: content.chart.fraction(of: mark.position))
      data.append(line: [PlanePoint(x, Self.plot.bottom), PlanePoint(x, Self.plot.bottom + 5)])
      let anchor = x > TrackContent.width - 40 ? "end" : "middle"
      markup += """
        <text class="axis" x="\(x)" y="\(Self.plot.bottom + 28)" text-anchor="\(anchor)">\
        \(mark.label)</text>

        """
    }
    return "<path class=\"tick\" d=\"\(data.text)\"/>\n" + markup
  }

  private var cursor: Markup {
    guard hasCursor else { return .empty }
    return """
      <path class="cursor-line" visibility="hidden" d="M0 \(Self.plot.top - 8)V\(Self.plot.bottom)"/>

      """
  }
}

/// The vertical axis of a chart, between round values. Pure.
struct ValueAxis: Hashable, Sendable {
  /// The marked values, in the unit of the chart.
  let marks: [Double]
  /// The decimal places of the labels.
  let places: Int

  init(_ range: ClosedRange<Double>, _ coloring: TrackPicture.Coloring, rows: Int) {
    var (low, high) = (range.lowerBound, range.upperBound)
    if coloring == .speed { low = min(0, low) }
    high = max(high, low + coloring.leastSpan)
    var step = RoundSteps.decimal(span: high - low, maximumCount: rows)
    // Rounding the ends outwards may add a row. The next greater step is used then: the least round
    // number above `step`.
    if (high / step).rounded(.up) - (low / step).rounded(.down) > Double(rows) {
      step = RoundSteps.decimal(span: step * 1.01, maximumCount: 1)
    }
    let first = (low / step).rounded(.down)
    let last = max(first + 1, (high / step).rounded(.up))
    marks = RoundSteps.multiples(of: step, in: first * step...last * step)
    places = RoundSteps.decimalPlaces(of: step)
  }

  /// The fraction of the height from the bottom to a value, 0...1.
  func fraction(of value: Double) -> Double {
    guard let first = marks.first, let last = marks.last, last > first else { return 0 }
    return (value - first) / (last - first)
  }
}

/// The marks below a chart: times of the picture's clock, or distances. Pure.
struct PositionMarks: Hashable, Sendable {
  struct Mark: Hashable, Sendable {
    /// The position along the axis, in seconds or metres.
    let position: Double
    let label: String
  }

  private static let maximumCount = 6

  let marks: [Mark]

  init(_ content: TrackContent) {
    let range = content.chart.range
    let span = range.upperBound - range.lowerBound
    switch content.chart.axis {
    case .distance:
      let step = RoundSteps.decimal(span: span, maximumCount: Self.maximumCount)
      let isLong = step >= 1000
      let places = RoundSteps.decimalPlaces(of: isLong ? step / 1000 : step)
      marks = RoundSteps.multiples(of: step, in: range).map { metres in
        let number = FixedText.decimal(isLong ? metres / 1000 : metres, places)
        return Mark(position: metres, label: number + (isLong ? " km" : " m"))
      }
    case .time:
      let step = RoundSteps.temporal(span: span, maximumCount: Self.maximumCount)
      // Position zero is the track's first point; the marks use the clock's offset there.
      let clock = content.clock
      let start = content.startSeconds + clock.offset(at: content.date(0))
      let shifted = range.lowerBound + start...range.upperBound + start
      marks = RoundSteps.multiples(of: step, in: shifted).map { seconds in
        Mark(
          position: seconds - start, label: Self.label(content.date(seconds - start), clock, step))
      }
    }
  }

  private static func label(_ date: Date, _ clock: PictureClock, _ step: Double) -> String {
    let time = clock.time(date)
    if time == "00:00:00" { return String(clock.date(date).suffix(5)) }
    return step < 60 ? time : String(time.prefix(5))
  }
}
