import JSONScanning

/// The objects of a message that are kept as JSON.
struct RawMembers {
  /// The maximum length of an object in bytes; a longer one is absent.
  private static let maximumLength = 1 << 16

  let payload: [UInt8]

  /// Returns an object as JSON of one line; nil if the member is absent or not an object. Of members
  /// with the same name the first counts.
  ///
  /// - Parameter name: A name in ASCII.
  func object(_ name: String) -> String? {
    guard let value = try? value(name), value.first == UInt8(ascii: "{"),
      value.count <= Self.maximumLength
    else { return nil }
    return Self.line(value)
  }

  /// Returns a JSON object in one line.
  static func object(_ text: String) throws(OwnTracksError) -> String {
    let bytes = Array(text.utf8)
    guard bytes.count <= maximumLength else {
      throw OwnTracksError(.tooLong, "The object has more than 64 KiB.")
    }
    // An object inside of another, so that it is valid there, too.
    let outer = Self(payload: Array("{\"x\":".utf8) + bytes + Array("}".utf8))
    do throws(PayloadScanner.Fault) {
      guard let value = try outer.value("x"), value.first == UInt8(ascii: "{") else {
        throw .notAnObject
      }
      // Another member must not follow.
      guard outer.payload[value.endIndex...].dropLast().allSatisfy({ $0 <= 0x20 }) else {
        throw .trailingBytes
      }
      return line(value)
    } catch {
      throw OwnTracksError(error)
    }
  }

  private func value(_ name: String) throws(PayloadScanner.Fault) -> ArraySlice<UInt8>? {
    let bytes = payload.span
    var scanner = try PayloadScanner(bytes)
    var value: ArraySlice<UInt8>?
    if !scanner.takeEmptyObject() {
      repeat {
        let isFound = try scanner.matches(scanner.text(), name)
        try scanner.takeColon()
        let start = scanner.position
        try scanner.skipValue()
        if isFound, value == nil { value = payload[start..<scanner.position] }
      } while try scanner.takeSeparator(or: UInt8(ascii: "}"))
    }
    try scanner.finish()
    return value
  }

  /// Texts in JSON contain no control characters, so these are between values.
  private static func line(_ json: ArraySlice<UInt8>) -> String {
    String(decoding: json.map { $0 < 0x20 ? 0x20 : $0 }, as: UTF8.self)
  }
}
