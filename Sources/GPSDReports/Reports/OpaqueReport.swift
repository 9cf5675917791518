public import AsyncLocation
import FoundationEssentials

/// A report with content that gpsd's documentation does not define, such as AIS, or of a class that
/// the documentation does not name. It holds the bytes for the application to decode.
///
/// Two reports are equal if their lines are the same JSON value. Encoding writes all fields: a
/// number becomes a 64-bit integer or the nearest double, and a token without a finite value, such
/// as `nan` or `1e400`, becomes null.
public struct OpaqueReport: Sendable {
  /// The value of `class`.
  public let className: String
  /// The receiver that sent the report.
  public let device: String?
  /// The received line, a JSON object in UTF-8, without the line terminator.
  public let line: [UInt8]

  init(className: String, device: String?, line: [UInt8]) {
    (self.className, self.device, self.line) = (className, device, line)
  }

  /// Creates a report from its line, of any class, with or without a line terminator.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` if the line is not one JSON
  ///   object with a class.
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

  // The bytes are not hashed: they may differ for equal values.
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
