package import FoundationEssentials

extension KeyedDecodingContainer {
  /// Builds a value from decoded members. A ``LocationError`` becomes a `DecodingError` with the
  /// coding path and the original error as `underlyingError`.
  func validated<Value>(_ build: () throws -> Value) throws -> Value {
    do {
      return try build()
    } catch let error as LocationError {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: codingPath, debugDescription: error.message, underlyingError: error))
    }
  }

  /// Decodes a time in the package's format.
  func decodeTimestamp(forKey key: Key) throws -> Date {
    let text = try decode(String.self, forKey: key)
    guard let date = Timestamp.parse(text) else {
      // A character may consist of many scalars, so both are limited.
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self,
        debugDescription:
          "\(String(quoted: text.prefix(40), limit: 80)) is not a timestamp such as "
          + "2026-05-04T03:02:01.250Z.")
    }
    return date
  }

  /// Decodes a time that may be absent.
  package func decodeTimestampIfPresent(forKey key: Key) throws -> Date? {
    guard contains(key), try !decodeNil(forKey: key) else { return nil }
    return try decodeTimestamp(forKey: key)
  }

  /// Decodes a duration in seconds that may be absent.
  func decodeDurationIfPresent(forKey key: Key) throws -> Duration? {
    guard let seconds = try decodeIfPresent(Double.self, forKey: key) else { return nil }
    guard let duration = ExactSeconds.duration(seconds) else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self,
        debugDescription: "\(seconds) seconds do not fit in a duration.")
    }
    return duration
  }

  /// Decodes a case of an enumeration to which later versions may add cases. Returns nil if the
  /// member is absent or if this version does not define the name.
  package func decodeKnown<Value: RawRepresentable<String>>(
    _ type: Value.Type, forKey key: Key
  ) throws -> Value? {
    try decodeIfPresent(String.self, forKey: key).flatMap(Value.init(rawValue:))
  }
}
