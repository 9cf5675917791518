import AsyncLocation

/// The positions of a page's cursor: the sample nearest to each column of pixels. Pure.
struct CursorPositions: Hashable, Sendable {
  struct Row: Hashable, Sendable {
    /// The position in the profiles, in pixels.
    let x: Double
    /// The position on the map, in pixels.
    let place: PlanePoint
    /// The description.
    let words: String
  }

  /// The number of columns, and the maximum number of rows.
  static let limit = 800

  let rows: [Row]

  init(_ content: TrackContent) {
    let samples = content.segments.joined().map { $0 }
    let chart = content.chart
    var rows: [Row] = []
    var (index, lastIndex) = (0, -1)
    for column in 0..<Self.limit {
      let fraction = Double(column) / Double(Self.limit - 1)
      // Positions never decrease along the axis.
      while index + 1 < samples.count,
        abs(chart.fraction(of: chart.position(samples[index + 1])) - fraction)
          <= abs(chart.fraction(of: chart.position(samples[index])) - fraction)
      {
        index += 1
      }
      guard index != lastIndex, index < samples.count else { continue }
      lastIndex = index
      rows.append(Self.row(samples[index], content))
    }
    self.rows = rows
  }

  private static func row(_ sample: TrackSample, _ content: TrackContent) -> Row {
    let words = [
      content.clock.instant(content.date(sample.time)),
      PictureText.length(sample.distance), sample.speed.map(PictureText.speed),
      sample.altitude.map(PictureText.altitude), PictureText.coordinate(sample.coordinate),
    ].compactMap { $0 }.joined(separator: " · ")
    return Row(
      x: ProfileFigure.x(
        atFraction: content.chart.fraction(of: content.chart.position(sample))),
      place: content.view.pixel(content.projection.point(sample.coordinate)), words: words)
  }

  /// The rows as an array for the page's script.
  var json: String {
    let items = rows.map { row in
      let numbers = [row.x, row.place.x, row.place.y].map { FixedText.shortest($0, 1) }
      return "[" + numbers.joined(separator: ",") + "," + EscapedText(json: row.words).text + "]"
    }
    return "[" + items.joined(separator: ",\n") + "]"
  }
}
