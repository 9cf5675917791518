package import FoundationEssentials

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
  package func decodeTimestampIfPresent(forKey key: Key) throws -> Date? {
    guard contains(key), try !decodeNil(forKey: key) else { return nil }
    return try decodeTimestamp(forKey: key)
  }

  /// Reads a duration, a number of seconds, that may be absent.
  func decodeDurationIfPresent(forKey key: Key) throws -> Duration? {
    guard let seconds = try decodeIfPresent(Double.self, forKey: key) else { return nil }
    guard let duration = ExactSeconds.duration(seconds) else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self,
        debugDescription: "\(seconds) seconds are more than a duration can be.")
    }
    return duration
  }

  /// Reads a case of an enumeration that may grow. Nil when it is absent, and when the name is one
  /// that this version does not know.
  package func decodeKnown<Value: RawRepresentable<String>>(
    _ type: Value.Type, forKey key: Key
  ) throws -> Value? {
    try decodeIfPresent(String.self, forKey: key).flatMap(Value.init(rawValue:))
  }
}
