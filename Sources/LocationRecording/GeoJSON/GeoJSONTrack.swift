import AsyncLocation

/// Outputs the locations of a feature in batches. Pure.
///
/// Points and lines have locations; areas and waypoints have none.
struct GeoJSONTrack {
  private let reference: GeoJSON.Reference
  private let place: TextPlace
  private let properties: [String: GeoJSON.Value]
  private var omittedNames: [String]
  /// The names of properties whose texts are too long.
  private var longNames: [String]
  /// The properties that are columns, sorted by their names.
  private let columns: [(field: RecordedField, text: String)]
  private let lines: [[GeoJSON.Position]]
  /// The times of each line.
  private let times: [[RecordedTime?]]
  /// Whether the locations are one line, or several lines that each begin a segment.
  private let isLine, isSeveralLines: Bool
  /// The reason to report for a feature without locations.
  private let absence: String?
  /// The waypoint, if the feature is one.
  private let waypoint: (text: WaypointText, fix: RecordedFix)?

  /// The indices of the line and of the next position.
  private var line = 0
  private var index = 0
  /// The values that all positions of the line share.
  private var template = RecordedFix(latitude: 0, longitude: 0)

  init(_ feature: GeoJSON.Feature) {
    (reference, place, properties) = (feature.reference, feature.place, feature.properties)
    omittedNames = feature.omittedNames
    longNames = feature.properties.filter { $0.value == .tooLong && Self.isRead($0.key) }.keys
      .sorted()
    let columns = feature.properties.sorted { $0.key < $1.key }
      .compactMap { name, value -> (field: RecordedField, text: String)? in
        guard case .field(let field) = RecordedField.reading(of: name), let text = value.text,
          field.column == .fix || !RecordedFix.isAbsent(text)
        else { return nil }
        return (field, text)
      }
    self.columns = Self.chosen(columns)
    let times = PropertyAssembly.timeNames.lazy.compactMap { feature.properties[$0] }.first
    var recordedTimes: RecordedTimes?
    if case .times(let value)? = times { recordedTimes = value }
    var absence: String?
    var (isLine, isSeveralLines) = (false, false)
    waypoint = Self.waypoint(feature, at: Self.time(self.columns))
    switch feature.geometry {
    case .point? where waypoint != nil: (lines, self.times) = ([], [])
    case .point(let position)?: (lines, self.times) = ([[position]], [[Self.time(self.columns)]])
    case .multiPoint(let positions)?:
      (lines, self.times) = ([positions], [recordedTimes?.elements ?? []])
    case .lineString(let positions)?:
      (lines, self.times) = ([positions], [recordedTimes?.elements ?? []])
      isLine = true
    case .multiLineString(let lines)?:
      (self.lines, self.times) = (lines, recordedTimes?.lists ?? [])
      isSeveralLines = true
    case .polygon?, .multiPolygon?:
      (lines, self.times) = ([], [])
      absence = "\(feature.reference) is an area, not a track"
    case nil:
      (lines, self.times) = ([], [])
      absence = "\(feature.reference) has no geometry"
    }
    (self.isLine, self.isSeveralLines, self.absence) = (isLine, isSeveralLines, absence)
  }

  /// Appends the next locations, until the output is full.
  ///
  /// - Returns: Whether all locations were appended.
  mutating func append(to output: inout RecordingOutput) -> Bool {
    for name in longNames {
      output.skip(line: place.line, "\(reference): the text of \"\(name)\" is too long")
    }
    longNames = []
    if let waypoint {
      output.append(waypoint.text, waypoint.fix, line: place.line)
      return true
    }
    if line == 0, index == 0 { begin(in: &output) }
    while line < lines.count {
      if index == 0 { beginLine(in: &output) }
      let times = line < times.count ? times[line] : []
      while index < lines[line].count {
        guard !output.isFull else { return false }
        append(lines[line][index], index < times.count ? times[index] : .unknown, to: &output)
        index += 1
      }
      (line, index) = (line + 1, 0)
    }
    return true
  }

  /// Enters the segment with the feature's number, or begins the segment of a line without one.
  /// Reports the content that is left out.
  private mutating func begin(in output: inout RecordingOutput) {
    if case .integer(let number)? = properties[RecordedColumn.segmentName] {
      output.enterSegment("\(number)")
    } else if isLine {
      output.beginSegment()
    }
    if let absence { output.skip(line: place.line, absence) }
    for name in omittedNames { output.omitExtension(name) }
    omittedNames = []
  }

  private mutating func beginLine(in output: inout RecordingOutput) {
    if isSeveralLines { output.beginSegment() }
    let isPoint = lines[line].count == 1
    template = RecordedFix(latitude: 0, longitude: 0)
    // Of a line's properties, only the device applies to each of its positions.
    for (field, text) in columns
    where (isPoint || field.column == .device) && ![.latitude, .longitude].contains(field.column) {
      template.set(field, text)
    }
  }

  private func append(
    _ position: GeoJSON.Position, _ time: RecordedTime?, to output: inout RecordingOutput
  ) {
    guard !template.hasNoFix else {
      return output.skip(line: place.line, "\(reference): the receiver had no fix")
    }
    var fix = template
    fix.latitude = position.coordinate.latitude
    fix.longitude = position.coordinate.longitude
    fix.altitude = position.altitude ?? fix.altitude
    if time == nil {
      output.skip(line: place.line, "a time of \(reference) is not understood")
    }
    fix.time = time ?? .unknown
    output.append(fix, line: place.line)
  }

  /// Whether a property of this name is read.
  private static func isRead(_ name: String) -> Bool {
    if case .field = RecordedField.reading(of: name) { return true }
    return WaypointProperty.all.contains(name)
  }

  /// The columns that are used. Alternative times are left out if they result in no valid time.
  private static func chosen(
    _ columns: [(field: RecordedField, text: String)]
  ) -> [(field: RecordedField, text: String)] {
    let chosen = zip(RecordedField.chosen(of: columns.map(\.field)), columns)
      .compactMap { field, column in field.map { ($0, column.text) } }
    let hasAlternatives = chosen.contains { $0.0.isAlternativeTime }
    return hasAlternatives && time(chosen) == nil
      ? chosen.filter { !$0.0.isAlternativeTime } : chosen
  }

  /// The time of a point; nil if it is not understood.
  private static func time(_ columns: [(field: RecordedField, text: String)]) -> RecordedTime? {
    var text = RecordedTimeText()
    for (field, value) in columns { text.set(field, value) }
    return text.value
  }
}
