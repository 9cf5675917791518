/// The content of a file to continue: the offset of the next text, and the last segment.
struct RecordedContent: Hashable, Sendable {
  /// The number of bytes up to the last complete point. Later bytes are an ending or incomplete.
  var bodyLength = 0
  /// The number of the last segment; 0 without points.
  var lastSegment = 0
  /// Whether the last point has no line feed, which must precede the next text.
  var lacksLineFeed = false
}

/// Finds the end of a recording that this package has written, complete or truncated anywhere.
/// Pure; retains one line, of at most ``maximumLine`` bytes.
///
/// In every format that a recorder writes, each point has its own line.
struct RecordedContentScanner {
  /// The error for a file that was not written by this package in this format.
  struct ForeignFile: Error, Hashable {}

  static let maximumLine = 1 << 20

  private enum Part {
    case header
    case point
    /// A line between points or after them, which the next text may replace.
    case structure
    case unknown
  }

  private let format: RecordingWriter.Format
  private let header: [UInt8]
  private var content = RecordedContent()
  private var line: [UInt8] = []
  /// The offset of the line.
  private var offset = 0
  /// Whether the header is complete.
  private var hasHeader = false
  /// The reason that the rest of the file is not part of the recording.
  private enum Cut {
    /// A write was interrupted. Only an ending may follow.
    case interrupted
    /// A loss of power left zeros. Any bytes may follow.
    case hole
  }

  /// Nil while no such rest has begun.
  private var cut: Cut?

  init(_ format: RecordingWriter.Format) {
    self.format = format
    var text = RecordingText(format)
    header = text.begin()
  }

  mutating func read(_ bytes: [UInt8]) throws(ForeignFile) {
    for part in bytes.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
      if part.offset > 0 { try endLine() }
      line += part.element
      guard line.count <= Self.maximumLine else { throw ForeignFile() }
    }
  }

  /// Handles the end of the file, and returns its content.
  mutating func finish() throws(ForeignFile) -> RecordedContent {
    // The recorder was killed during its first write.
    let isBeginning = offset + line.count <= header.count && !hasHeader
    guard !isBeginning else {
      guard isPrefix(header) else { throw ForeignFile() }
      return RecordedContent()
    }
    if cut == nil, header.isEmpty, line.starts(with: lineStart), isObject {
      if case .point = try part() {
        includePoint(before: offset + line.count)
        content.lacksLineFeed = true
      }
      return content
    }
    // Any other line is dropped: without a line feed, a number may lack digits.
    guard !hasHeader else { return content }
    let isFirstPoint = line.starts(with: lineStart) || lineStart.utf8.starts(with: line)
    guard header.isEmpty, isFirstPoint else { throw ForeignFile() }
    return RecordedContent()
  }

  /// Whether the line continues a prefix of the header at the line's offset.
  private func isPrefix(_ header: [UInt8]) -> Bool {
    header.dropFirst(offset).starts(with: line)
  }

  /// Whether the line is a complete JSON object, possibly with a comma.
  private var isObject: Bool {
    var structure = JSONStructure()
    for byte in line { _ = structure.read(byte) }
    return line.count > "{},".utf8.count && structure.isComplete
  }

  /// Handles a line that ends with a line feed.
  private mutating func endLine() throws(ForeignFile) {
    defer {
      offset += line.count + 1
      line = []
    }
    if let cut { return try checkEnd(after: cut) }
    let end = offset + line.count + 1
    switch try part() {
    case .header: content.bodyLength = format.isDocument ? headerEnd(end) : end
    case .structure: break
    case .point: includePoint(before: format == .geoJSON ? featureEnd(end) : end)
    // A damaged line is retained if readers skip it.
    case .unknown:
      if format.skipsLines {
        content.bodyLength = end
      } else {
        cut = line.contains(0) ? .hole : .interrupted
        // A complete object was not interrupted: another program wrote it.
        guard cut == .hole || !isObject else { throw ForeignFile() }
      }
    }
  }

  /// Ends the body with the point in the line.
  private mutating func includePoint(before end: Int) {
    content.bodyLength = end
    content.lastSegment = segment ?? max(content.lastSegment, 1)
  }

  /// Refuses a file in which more than an ending follows an interrupted write.
  private mutating func checkEnd(after cut: Cut) throws(ForeignFile) {
    guard cut == .interrupted, !line.contains(0) else { return }
    if case .structure = try part() { return }
    throw ForeignFile()
  }

  private mutating func part() throws(ForeignFile) -> Part {
    if !hasHeader { return try headerPart() }
    // A loss of power may leave zeros.
    if line.contains(0) { return .unknown }
    switch format {
    case .gpx:
      if line.starts(with: "<trkpt ") { return line.ends(with: "</trkpt>") ? .point : .unknown }
      if content.lastSegment == 0, line.starts(with: "<name>") { return .header }
      return line.first == UInt8(ascii: "<") && line.last == UInt8(ascii: ">")
        ? .structure : .unknown
    case .geoJSON:
      if line.starts(with: "{\"type\":\"Feature\"") {
        return line.ends(with: "}}") || line.ends(with: "}},") ? .point : .unknown
      }
      return line.first == UInt8(ascii: "]") ? .structure : .unknown
    default:
      return line.starts(with: lineStart) ? .point : .unknown
    }
  }

  /// Handles a line of the header, and refuses the file if the line differs.
  private mutating func headerPart() throws(ForeignFile) -> Part {
    switch format {
    case .geoJSON:
      guard line.starts(with: "{\"type\":\"FeatureCollection\""), line.ends(with: "\"features\":[")
      else { throw ForeignFile() }
    case .gpx, .csv:
      guard isPrefix(header) else { throw ForeignFile() }
      hasHeader = offset + line.count + 1 >= header.count
      return hasHeader ? .header : .structure
    default:
      guard line.starts(with: lineStart) else { throw ForeignFile() }
      hasHeader = true
      return .point
    }
    hasHeader = true
    return .header
  }

  /// The start of each line of a line-based format.
  private var lineStart: String {
    switch format {
    case .geoJSONSequence: "\u{1E}{\"type\":\"Feature\""
    case .geoJSONLines: "{\"type\":\"Feature\""
    case .gpsd: "{\"class\":"
    case .locationJSON: "{\""
    default: ""
    }
  }

  /// The end of a header. The line feed of a collection's header belongs to the next feature.
  private func headerEnd(_ end: Int) -> Int { format == .geoJSON ? end - 1 : end }

  /// The end of a feature, without the comma and the line feed.
  private func featureEnd(_ end: Int) -> Int { end - (line.last == UInt8(ascii: ",") ? 2 : 1) }

  /// The number of the segment in the line of a point.
  private var segment: Int? {
    switch format {
    case .csv:
      let fields = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      return fields.count > 1 ? Int(String(decoding: fields[fields.count - 2], as: UTF8.self)) : nil
    case .geoJSON, .geoJSONLines, .geoJSONSequence:
      let key = Array("\"properties\":{\"segment\":".utf8)
      guard let range = line.firstRange(of: key) else { return nil }
      let digits = line[range.upperBound...].prefix { (48...57).contains($0) }
      return Int(String(decoding: digits, as: UTF8.self))
    default: return nil
    }
  }
}

extension RecordingWriter.Format {
  /// Whether the format has an ending after the last point.
  var isDocument: Bool { self == .gpx || self == .geoJSON }

  /// Whether the format's reader skips damaged lines.
  fileprivate var skipsLines: Bool { [.csv, .gpsd, .locationJSON].contains(self) }
}

extension [UInt8] {
  fileprivate func starts(with text: String) -> Bool { starts(with: text.utf8) }
  fileprivate func ends(with text: String) -> Bool {
    suffix(text.utf8.count).elementsEqual(text.utf8)
  }
}
