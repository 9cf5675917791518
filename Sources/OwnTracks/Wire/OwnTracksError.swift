public import FoundationEssentials

/// The error for bytes that are not an OwnTracks message, for a text that is not a JSON object, and
/// for names that cannot form an OwnTracks topic.
///
/// The message never contains a part of the payload.
public struct OwnTracksError: Error, Sendable, Hashable {
  /// A kind of failure; new kinds may appear in minor releases.
  public struct Code: Sendable, Hashable {
    private enum Kind { case notJSON, tooLong, noType, invalidMember, invalidTopic }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// The payload is not one JSON object in UTF-8, or is nested too deeply.
    public static var notJSON: Self { Self(.notJSON) }
    /// The payload has more than 1 MiB, or the object of a command or a status more than 64 KiB.
    public static var tooLong: Self { Self(.tooLong) }
    /// The object has no `_type`, or its `_type` is not a string.
    public static var noType: Self { Self(.noType) }
    /// A required member is absent, of the wrong type or out of range.
    public static var invalidMember: Self { Self(.invalidMember) }
    /// The name of a user or device cannot be a level of a topic, or the topic is too long.
    public static var invalidTopic: Self { Self(.invalidTopic) }
  }

  /// The kind of failure, for code to compare.
  public let code: Code
  /// The problem and its place, for people and logs.
  public let message: String

  init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

  static var invalidTime: Self { .invalid("tst", "seconds since 1970 in the years 1 to 9999") }

  /// The error for a location without a time, for which receivers write 0.
  static var noTime: Self {
    .invalid("tst", "seconds since 1970 in the years 1 to 9999, other than 0")
  }

  static func invalid(_ name: String, _ expected: String) -> Self {
    Self(.invalidMember, "\(name) is absent or not \(expected).")
  }
}

extension OwnTracksError: CustomStringConvertible, LocalizedError {
  public var description: String { message }
  public var errorDescription: String? { message }
}
