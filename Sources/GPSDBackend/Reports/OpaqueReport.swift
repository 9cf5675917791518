public import AsyncLocation
import FoundationEssentials

/// A report whose content gpsd's documentation leaves open, such as AIS, or of a class that it does
/// not name: its bytes, to be decoded by whoever knows what they mean.
///
/// Two are equal when they are the same JSON, however written. Encoding writes all fields; numbers
/// keep their value, words that are not JSON, such as `nan`, become null.
public struct OpaqueReport: Sendable {
  /// What `class` says.
  public let className: String
  /// The receiver that reports.
  public let device: String?
  /// The line as it came, a JSON object in UTF-8, without the line's end.
  public let line: [UInt8]

  init(className: String, device: String?, line: [UInt8]) {
    (self.className, self.device, self.line) = (className, device, line)
  }

  /// Creates a report from its line, which may be of any class and may have its end.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` for what is not one JSON object
  ///   with a class.
  public init(line: some Sequence<UInt8>) throws(LocationError) {
    var bytes = Array(line)
    _ = try GPSDReport(line: bytes)
    while let last = bytes.last, last == 10 || last == 13 { bytes.removeLast() }
    self.init(JSONValue(line: bytes), line: bytes)
  }

  private init(_ value: JSONValue, line: [UInt8]) {
    self.init(
      className: value["class"]?.stringValue ?? "", device: value["device"]?.stringValue, line: line
    )
  }
}

extension OpaqueReport: Hashable {
  public static func == (left: Self, right: Self) -> Bool {
    guard left.className == right.className, left.device == right.device else { return false }
    return left.line == right.line || JSONValue(line: left.line) == JSONValue(line: right.line)
  }

  // Not the bytes: they differ where values do not.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(className)
    hasher.combine(device)
  }
}

extension OpaqueReport: Codable {
  public init(from decoder: any Decoder) throws {
    let value = try JSONValue(from: decoder)
    guard value["class"]?.stringValue != nil else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "The report has no class."))
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    self.init(value, line: Array(try encoder.encode(value)))
  }

  public func encode(to encoder: any Encoder) throws {
    try JSONValue(line: line).encode(to: encoder)
  }
}
