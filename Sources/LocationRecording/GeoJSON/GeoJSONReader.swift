import AsyncLocation

/// Reads GeoJSON: one document, a document on each line, or a sequence (RFC 8142).
///
/// The features of a collection are read one by one, so that a long one needs little memory, unless
/// its `features` precede its `type`. A feature, or a document without such features, has at most
/// ``maximumLength`` bytes. A point has its time in the property `time` or `timestamp`, a line those
/// of its positions in `times` or `coordTimes`.
struct GeoJSONReader: FormatReader {
  static let maximumLength = 256 << 20

  /// Where the bytes go.
  private enum Part {
    /// White space between documents.
    case nothing
    /// The document, without features that are read one by one.
    case document
    /// A feature of a collection, which has this number.
    case feature(number: Int)
  }

  private var part = Part.nothing
  private var document = PlacedText()
  private var feature = PlacedText()
  private var structure = JSONStructure()
  private var place = TextPlace()
  /// Whether other documents may precede or follow: a record separator or a document was read.
  private var isOneOfMany = false

  mutating func read(
    _ bytes: [UInt8], into output: inout RecordingOutput
  ) throws(RecordingError) {
    /// The first byte that is not in a text yet.
    var start = bytes.startIndex
    for (index, byte) in bytes.enumerated() {
      defer { place.advance(over: byte) }
      if byte == 0x1E {
        // A document before it is not complete: RFC 8142 says to go on with the next.
        keep(bytes[start..<index])
        dropIncomplete(into: &output)
        isOneOfMany = true
        start = index + 1
        continue
      }
      if case .nothing = part {
        start = index
        guard byte > 32 else { continue }
        (part, document) = (.document, PlacedText(at: place))
      }
      let depth = structure.depth
      let element = structure.read(byte)
      switch part {
      case .nothing: break
      case .document:
        if byte == UInt8(ascii: "["), (depth, structure.depth) == (1, 2) {
          keep(bytes[start...index])
          start = index + 1
          beginFeatures(into: &output)
        } else if case .end = element, structure.depth <= 0 {
          keep(bytes[start...index])
          start = index + 1
          try readDocument(into: &output)
        }
      case .feature(let number):
        if structure.depth == 2, byte == UInt8(ascii: ","), case .other = element {
          keep(bytes[start..<index])
          start = index + 1
          try readFeature(number, into: &output)
          (part, feature) = (.feature(number: number + 1), PlacedText(at: place.next))
        } else if structure.depth < 2, case .end = element {
          keep(bytes[start..<index])
          start = index
          if number > 1 || !feature.isBlank { try readFeature(number, into: &output) }
          part = .document
          document.continue(at: place)
        }
      }
    }
    if case .nothing = part { return }
    keep(bytes[start...])
    guard max(document.bytes.count, feature.bytes.count) <= Self.maximumLength else {
      throw RecordingError(
        .tooLarge, line: document.firstLine,
        "the document is longer than \(Self.maximumLength >> 20) MiB; divide it")
    }
  }

  mutating func finish(into output: inout RecordingOutput) throws(RecordingError) {
    switch part {
    case .nothing: return
    case .document: break
    case .feature(let number):
      if !feature.isBlank { try readFeature(number, into: &output) }
      document.continue(at: place)
    }
    // A process that was killed in the moment of a write loses the last one of many.
    if isOneOfMany, structure.depth > 0 { return dropIncomplete(into: &output) }
    // Not complete: reading it tells where it ends.
    try readDocument(into: &output)
  }

  private mutating func keep(_ bytes: ArraySlice<UInt8>) {
    switch part {
    case .nothing: break
    case .document: document.bytes += bytes
    case .feature: feature.bytes += bytes
    }
  }

  /// Reads an array's elements one by one, if it has the features of a collection.
  private mutating func beginFeatures(into output: inout RecordingOutput) {
    guard document.endsWithMember("features") else { return }
    var parts: [GeoJSON.Part] = []
    do throws(GeoJSON.Fault) {
      try GeoJSON.read(document.bytes + Array("]}".utf8)) { parts.append($0) }
    } catch { return }
    for part in parts {
      guard case .name(let name) = part else { return }  // Not a collection, but a feature.
      output.setName(name)
    }
    (part, feature) = (.feature(number: 1), PlacedText(at: place.next))
  }

  private func readFeature(
    _ number: Int, into output: inout RecordingOutput
  ) throws(RecordingError) {
    do throws(GeoJSON.Fault) {
      Self.take(
        .feature(try GeoJSON.Feature.read(feature.bytes, number: number)), feature, into: &output)
    } catch {
      throw RecordingError(error, in: feature)
    }
  }

  private mutating func readDocument(into output: inout RecordingOutput) throws(RecordingError) {
    let text = document
    restart()
    isOneOfMany = true
    do throws(GeoJSON.Fault) {
      try GeoJSON.read(text.bytes, acceptsGeometry: true) { part in
        Self.take(part, text, into: &output)
      }
    } catch {
      throw RecordingError(error, in: text)
    }
  }

  private mutating func dropIncomplete(into output: inout RecordingOutput) {
    if case .nothing = part { return }
    output.skip(line: document.firstLine, "the document is cut")
    restart()
  }

  private mutating func restart() {
    (part, structure) = (.nothing, JSONStructure())
    (document, feature) = (PlacedText(), PlacedText())
  }

  private static func take(
    _ part: GeoJSON.Part, _ text: PlacedText, into output: inout RecordingOutput
  ) {
    switch part {
    case .name(let name): output.setName(name)
    case .feature(.success(let feature)): GeoJSONTrack(feature, text).append(to: &output)
    case .feature(.failure(let fault)):
      output.skip(line: text.place(at: fault.offset).line, fault.description)
    }
  }
}

extension PlacedText {
  /// True if the text ends where the array of a member of this name begins.
  fileprivate func endsWithMember(_ name: String) -> Bool {
    var rest = bytes.dropLast()
    func dropSpace() { rest = rest.prefix((rest.lastIndex { $0 > 32 } ?? rest.startIndex - 1) + 1) }
    dropSpace()
    guard rest.popLast() == UInt8(ascii: ":") else { return false }
    dropSpace()
    return rest.suffix(name.utf8.count + 2).elementsEqual("\"\(name)\"".utf8)
  }
}

extension RecordingError {
  /// The error for a text that cannot be read as a whole.
  init(_ fault: GeoJSON.Fault, in text: PlacedText) {
    let place = text.place(at: fault.offset)
    var message = fault.description
    if case .invalidJSON(_, _, let isCut) = fault.problem {
      message = "not valid JSON" + (isCut ? "; the file seems to be cut" : "; correct it")
    }
    self.init(.malformed, line: place.line, column: place.column, message)
  }
}

/// The locations of a feature. Pure.
struct GeoJSONTrack {
  private let feature: GeoJSON.Feature
  /// The properties that are columns, sorted by their names.
  private let columns: [(field: RecordedField, text: String)]
  private let text: PlacedText

  init(_ feature: GeoJSON.Feature, _ text: PlacedText) {
    (self.feature, self.text) = (feature, text)
    columns = feature.properties.sorted { $0.key < $1.key }.compactMap { name, value in
      guard case .field(let field) = RecordedField.reading(of: name), let text = value.text else {
        return nil
      }
      return (field, text)
    }
  }

  /// Appends the locations of a point or a line. Areas have none.
  func append(to output: inout RecordingOutput) {
    if let (text, fix) = Self.waypoint(feature, at: time) {
      return output.append(text, fix, line: line)
    }
    beginSegment(in: &output)
    switch feature.geometry {
    case .point(let position)?: append([position], [time], to: &output)
    case .multiPoint(let positions)?, .lineString(let positions)?:
      append(positions, times.map(Self.times) ?? [], to: &output)
    case .multiLineString(let lines)?:
      var lists: [GeoJSON.Value] = []
      if case .list(let found)? = times { lists = found }
      for (index, positions) in lines.enumerated() {
        output.beginSegment()
        let times = index < lists.count ? Self.times(lists[index]) : []
        append(positions, times, to: &output)
      }
    case .polygon?, .multiPolygon?:
      output.skip(line: line, "\(feature.reference) is an area, not a track")
    case nil: output.skip(line: line, "\(feature.reference) has no geometry")
    }
  }

  private var line: Int { text.place(at: feature.offset).line }

  /// Points with a number of a segment, and lines, are tracks.
  private func beginSegment(in output: inout RecordingOutput) {
    if case .integer(let number)? = feature.properties[RecordedColumn.segmentName] {
      output.enterSegment(Int(number))
    } else if case .lineString? = feature.geometry {
      output.beginSegment()
    }
  }

  private func append(
    _ positions: [GeoJSON.Position], _ times: [RecordedTime?], to output: inout RecordingOutput
  ) {
    let isPoint = positions.count == 1
    var template = RecordedFix(latitude: 0, longitude: 0)
    // The properties of a line are not those of each of its positions, but for the device.
    for (field, text) in columns
    where (isPoint || field.column == .device) && ![.latitude, .longitude].contains(field.column) {
      template.set(field, text)
    }
    for (index, position) in positions.enumerated() {
      var fix = template
      fix.latitude = position.coordinate.latitude
      fix.longitude = position.coordinate.longitude
      fix.altitude = position.altitude ?? fix.altitude
      let time = index < times.count ? times[index] : .unknown
      if time == nil {
        output.skip(line: line, "a time of \(feature.reference) is not understood")
      }
      fix.time = time ?? .unknown
      output.append(fix, line: line)
    }
  }

  /// The time of a point; nil if it is not understood.
  private var time: RecordedTime? {
    var text = RecordedTimeText()
    for (field, value) in columns { text.set(field.column, value) }
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
