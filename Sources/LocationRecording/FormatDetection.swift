import AsyncLocation

/// Recognizes the format of a recording by its first bytes. Pure.
enum FormatDetection {
  /// The maximum number of bytes to examine. Lines are examined only when this many bytes, or the
  /// whole content, are available, since gpsd reports may follow NMEA sentences.
  static let limit = 1 << 14

  /// The format of binary content; nil for text.
  static func binaryFormat(of bytes: [UInt8]) -> RecordingFormat? {
    format { if case .binary(_, let recognizes) = $0 { recognizes(bytes) } else { false } }
  }

  /// The format of a text; nil if there are too few bytes, or if the format is unknown.
  ///
  /// - Parameter isComplete: Whether the bytes are the whole content.
  static func format(of bytes: [UInt8], isComplete: Bool) -> RecordingFormat? {
    guard let first = bytes.first(where: { !$0.isWhiteSpace }) else { return nil }
    let marked = format { if case .character(first) = $0 { true } else { false } }
    if let marked { return marked }
    switch first {
    case UInt8(ascii: "<") where isHTML(bytes): return nil
    case UInt8(ascii: "<"):
      switch XMLRootElement(bytes[...]) {
      case .name(let root):
        let format = format { if case .rootElement(root) = $0 { true } else { false } }
        // The GPX reader reports the error about other documents.
        return format ?? .gpx
      case .incomplete where !isComplete && bytes.count < limit: return nil
      case .none, .incomplete: return .gpx
      }
    case UInt8(ascii: "{"):
      if let format = format(ofObject: bytes[...]) { return format }
    case UInt8(ascii: "["):
      if let format = format(ofArray: bytes[...]) { return format }
    default: break
    }
    guard isComplete || bytes.count >= limit else { return nil }
    return format(ofLines: bytes)
  }

  private static func format(
    where isTrue: (RecordingFormat.Mark) -> Bool
  ) -> RecordingFormat? {
    RecordingFormat.all.first { $0.marks.contains(where: isTrue) }
  }

  private static func format(ofLines bytes: [UInt8]) -> RecordingFormat? {
    guard container(of: bytes)?.hasLines != true else { return nil }
    var weakFormat: RecordingFormat?
    var unmarkedCount = 0
    // A comment line may contain the names of the columns.
    var commentFormat: RecordingFormat?
    func headerFormat(_ line: ArraySlice<UInt8>) -> RecordingFormat? {
      format { if case .header(let recognizes) = $0 { recognizes(line) } else { false } }
    }
    for line in bytes.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
      if line.first == UInt8(ascii: "#") {
        commentFormat = commentFormat ?? headerFormat(line.dropFirst())
        continue
      }
      let lineFormat = format {
        if case .line(let recognizes) = $0 { recognizes(line) } else { false }
      }
      if let lineFormat { return lineFormat }
      let weakLineFormat = format {
        if case .weakLine(let recognizes) = $0 { recognizes(line) } else { false }
      }
      if let weakLineFormat {
        weakFormat = weakLineFormat
      } else if let start = line.firstIndex(of: UInt8(ascii: "{")),
        let format = format(ofObject: line[start...])
      {
        return format
      } else if unmarkedCount < CSVHeader.searchedLines {
        if let format = headerFormat(line) { return format }
        unmarkedCount += 1
      }
    }
    return weakFormat ?? commentFormat
  }

  private static func format(ofObject bytes: ArraySlice<UInt8>) -> RecordingFormat? {
    format(ofJSON: bytes, level: 1) { key in
      format { if case .key(key) = $0 { true } else { false } }
    }
  }

  private static func format(ofArray bytes: ArraySlice<UInt8>) -> RecordingFormat? {
    format(ofJSON: bytes, level: 2) { key in
      format { if case .elementKey(key) = $0 { true } else { false } }
    }
  }

  /// The format that the first known key at a level identifies.
  ///
  /// - Parameters:
  ///   - level: The number of objects and arrays around the key.
  ///   - formatOf: Returns the format that a key identifies; nil for an unknown key.
  private static func format(
    ofJSON bytes: ArraySlice<UInt8>, level: Int, _ formatOf: (String) -> RecordingFormat?
  ) -> RecordingFormat? {
    var structure = JSONStructure()
    var key: [UInt8] = []
    for byte in bytes {
      switch structure.read(byte) {
      case .string: key = []
      case .character where structure.depth == level && key.count < 32: key.append(byte)
      case .other where structure.depth == level && byte == UInt8(ascii: ":"):
        if let format = formatOf(String(decoding: key, as: UTF8.self)) { return format }
      case .end where structure.depth == 0: return nil
      default: break
      }
    }
    return nil
  }

  private static func isHTML(_ bytes: [UInt8]) -> Bool {
    let start = String(decoding: bytes.drop(while: \.isWhiteSpace).prefix(14), as: UTF8.self)
      .lowercased()
    return start.hasPrefix("<!doctype html") || start.hasPrefix("<html")
  }

  /// A recognized kind of file that is not supported.
  private struct Container: Sendable {
    let mark: [UInt8]
    let offset: Int
    /// Completes the message "the content is …", with a remedy if there is one.
    let name: String
    /// Whether its lines belong to the files inside. Such lines are not examined.
    let hasLines: Bool

    init(_ mark: [UInt8], at offset: Int = 0, _ name: String, hasLines: Bool = false) {
      (self.mark, self.offset, self.name, self.hasLines) = (mark, offset, name, hasLines)
    }

    init(_ mark: String, at offset: Int = 0, _ name: String, hasLines: Bool = false) {
      self.init(Array(mark.utf8), at: offset, name, hasLines: hasLines)
    }
  }

  private static let containers = [
    Container("BZh", "compressed by bzip2; decompress it with bunzip2"),
    Container([0x28, 0xB5, 0x2F, 0xFD], "compressed by Zstandard; decompress it with unzstd"),
    Container([0xFD, 0x37, 0x7A, 0x58, 0x5A], "compressed by xz; decompress it with unxz"),
    Container("SQLite format 3\0", "a SQLite database; export its points"),
    Container([0xB5, 0x62], "UBX of a u-blox receiver; record NMEA 0183 instead"),
    Container("RINEX VERSION / TYPE", at: 60, "RINEX, which has no positions on the way"),
    Container("OziExplorer", "a file of OziExplorer; convert it to GPX with gpsbabel"),
    Container("MsRcf", "a database of Garmin's MapSource; convert it to GPX with gpsbabel"),
    Container([0xFF, 0xD8, 0xFF], "a picture (JPEG)"),
    Container([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "a picture (PNG)"),
    Container("%PDF-", "a PDF document"),
    Container("Rar!\u{1A}\u{7}", "a RAR archive; extract its files"),
    Container([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7z archive; extract its files"),
    Container("ustar", at: 257, "a tar archive; extract its files", hasLines: true),
  ]

  private static func container(of bytes: [UInt8]) -> Container? {
    containers.first { bytes.dropFirst($0.offset).starts(with: $0.mark) }
  }

  /// The error for content in none of the formats.
  static func failure(_ bytes: [UInt8]) -> RecordingError {
    guard bytes.contains(where: { !$0.isWhiteSpace }) else {
      return RecordingError(.unknownFormat, "the recording is empty")
    }
    let name =
      isHTML(bytes)
      ? "an HTML page instead of a recording"
      : container(of: bytes)?.name
    if let name { return RecordingError(.unknownFormat, line: 1, "the content is \(name)") }
    let names = RecordingFormat.all.map(\.description)
    return RecordingError(
      .unknownFormat, line: 1,
      "the content is not \(names.dropLast().joined(separator: ", ")) or \(names.last ?? ""); convert "
        + "it to one of them. CSV needs a header that names the latitude and the longitude")
  }
}
