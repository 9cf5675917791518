import AsyncLocation

/// Reads GeoJSON: one document, a document on each line, or a sequence (RFC 8142).
///
/// Keeps one document in memory, of at most ``maximumLength`` bytes. A point has its time in the
/// property `time` or `timestamp`, a line those of its positions in `times` or `coordTimes`.
struct GeoJSONReader: FormatReader {
  static let maximumLength = 256 << 20

  private var document: [UInt8] = []
  /// Whether a document has begun; its first bytes may not be in ``document`` yet.
  private var isOpen = false
  private var structure = JSONStructure()
  private var line = 1
  private var firstLine = 1

  mutating func read(
    _ bytes: [UInt8], into output: inout RecordingOutput
  ) throws(RecordingError) {
    var start = bytes.startIndex
    for (index, byte) in bytes.enumerated() {
      if byte == 0x1E {
        // A document before it is not complete: RFC 8142 says to go on with the next.
        document += bytes[start..<index]
        try dropIncomplete(into: &output)
        start = index + 1
        continue
      }
      if !isOpen, byte <= 32 {
        // White space between documents.
        start = index + 1
        if byte == 10 { line += 1 }
        firstLine = line
        continue
      }
      isOpen = true
      if byte == 10 { line += 1 }
      guard case .end = structure.read(byte), structure.depth <= 0 else { continue }
      document += bytes[start...index]
      start = index + 1
      try readDocument(into: &output)
    }
    document += bytes[start...]
    guard document.count <= Self.maximumLength else {
      throw RecordingError(
        .tooLarge, line: firstLine,
        "the document is longer than \(Self.maximumLength >> 20) MiB; divide it")
    }
  }

  mutating func finish(into output: inout RecordingOutput) throws(RecordingError) {
    guard !document.isEmpty else { return }
    // Not complete: reading it tells where it ends.
    try readDocument(into: &output)
  }

  private mutating func dropIncomplete(into output: inout RecordingOutput) throws(RecordingError) {
    if document.contains(where: { $0 > 32 }) {
      output.skip(line: firstLine, "the document is cut")
    }
    restart()
  }

  private mutating func restart() {
    document = []
    isOpen = false
    (structure, firstLine) = (JSONStructure(), line)
  }

  private mutating func readDocument(into output: inout RecordingOutput) throws(RecordingError) {
    let (text, first) = (document, firstLine)
    restart()
    func lineNumber(_ offset: Int) -> Int {
      first + TextPosition.lineAndColumn(of: offset, in: text).line - 1
    }
    do throws(GeoJSON.Fault) {
      let (name, features) = try GeoJSON.document(text, acceptsGeometry: true)
      if let name { output.setName(name) }
      for result in features {
        switch result {
        case .success(let feature):
          GeoJSONTrack(feature).append(to: &output, line: { lineNumber(feature.offset) })
        case .failure(let fault):
          output.skip(line: lineNumber(fault.offset), fault.description)
        }
      }
    } catch {
      throw RecordingError(error, in: text, firstLine: first)
    }
  }
}

extension RecordingError {
  /// The error for a document that cannot be read as a whole.
  init(_ fault: GeoJSON.Fault, in text: [UInt8], firstLine: Int = 1) {
    let (line, column) = TextPosition.lineAndColumn(of: fault.offset, in: text)
    var message = fault.description
    if case .invalidJSON(_, _, let isCut) = fault.problem {
      message = "not valid JSON" + (isCut ? "; the file seems to be cut" : "; correct it")
    }
    self.init(.malformed, line: firstLine + line - 1, column: column, message)
  }
}

/// The locations of a feature. Pure.
struct GeoJSONTrack {
  private let feature: GeoJSON.Feature

  init(_ feature: GeoJSON.Feature) { self.feature = feature }

  /// Appends the locations of a point or a line. Areas have none.
  func append(to output: inout RecordingOutput, line: () -> Int) {
    beginSegment(in: &output)
    switch feature.geometry {
    case .point(let position)?: append([position], [time], to: &output, line)
    case .multiPoint(let positions)?, .lineString(let positions)?:
      append(positions, times.map(Self.times) ?? [], to: &output, line)
    case .multiLineString(let lines)?:
      var lists: [GeoJSON.Value] = []
      if case .list(let found)? = times { lists = found }
      for (index, positions) in lines.enumerated() {
        output.beginSegment()
        let times = index < lists.count ? Self.times(lists[index]) : []
        append(positions, times, to: &output, line)
      }
    case .polygon?, .multiPolygon?:
      output.skip(line: line(), "\(feature.reference) is an area, not a track")
    case nil: output.skip(line: line(), "\(feature.reference) has no geometry")
    }
  }

  /// Points with a number of a segment, and lines, are tracks.
  private func beginSegment(in output: inout RecordingOutput) {
    if case .integer(let number)? = feature.properties[RecordedColumn.segmentName] {
      output.enterSegment(Int(number))
    } else if case .lineString? = feature.geometry {
      output.beginSegment()
    }
  }

  private func append(
    _ positions: [GeoJSON.Position], _ times: [RecordedTime?], to output: inout RecordingOutput,
    _ line: () -> Int
  ) {
    let isPoint = positions.count == 1
    var template = RecordedFix(latitude: 0, longitude: 0)
    // The properties of a line are not those of each of its positions, but for the device.
    for (name, value) in feature.properties.sorted(by: { $0.key < $1.key }) {
      guard let column = RecordedColumn(named: name), let text = value.text,
        isPoint || column == .device, column != .latitude, column != .longitude
      else { continue }
      template.set(column, text)
    }
    for (index, position) in positions.enumerated() {
      var fix = template
      fix.latitude = position.coordinate.latitude
      fix.longitude = position.coordinate.longitude
      fix.altitude = position.altitude ?? fix.altitude
      let time = index < times.count ? times[index] : .unknown
      if time == nil {
        output.skip(line: line(), "a time of \(feature.reference) is not understood")
      }
      fix.time = time ?? .unknown
      output.append(fix, line: line())
    }
  }

  /// The time of a point; nil if it is not understood.
  private var time: RecordedTime? {
    var text = RecordedTimeText()
    for (name, value) in feature.properties {
      guard let column = RecordedColumn(named: name), let value = value.text else { continue }
      text.set(column, value)
    }
    return text.value
  }

  /// The times of a line: `times`, or `coordTimes` as other programs name it.
  private var times: GeoJSON.Value? {
    ["times", "coordTimes", "coordinateTimes", "timestamps"].lazy
      .compactMap { feature.properties[$0] }.first
  }

  private static func times(_ value: GeoJSON.Value) -> [RecordedTime?] {
    guard case .list(let values) = value else { return [] }
    return values.map { value in
      guard let text = value.text else { return value == .null ? .unknown : nil }
      return RecordedTimeText(timestamp: text).value
    }
  }
}
