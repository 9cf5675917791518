import FoundationEssentials

extension KeyedDecodingContainer {
  /// Builds a value of what was decoded. A value that refuses its members is a fault of the data:
  /// the error says where in the data, and the refusal lies beneath it.
  func validated<Value>(_ build: () throws -> Value) throws -> Value {
    do {
      return try build()
    } catch let error as LocationError {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: codingPath, debugDescription: error.message, underlyingError: error))
    }
  }

  /// Reads a time as the package writes them.
  func decodeTimestamp(forKey key: Key) throws -> Date {
    let text = try decode(String.self, forKey: key)
    guard let date = Timestamp.parse(text) else {
      // The text is from outside: cut, and with its control characters escaped.
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self,
        debugDescription:
          "\(String(text.prefix(40)).debugDescription) is not a time like 2026-05-04T03:02:01.250Z."
      )
    }
    return date
  }

  /// Reads a time that may be absent.
  func decodeTimestampIfPresent(forKey key: Key) throws -> Date? {
    guard contains(key), try !decodeNil(forKey: key) else { return nil }
    return try decodeTimestamp(forKey: key)
  }
}
