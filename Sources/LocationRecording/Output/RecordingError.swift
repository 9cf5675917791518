public import FoundationEssentials

/// An error in reading a recording, and its place in the content.
///
/// Errors of single points do not end the reading; they are counted in ``SkippedContent``.
public struct RecordingError: Error, Hashable, Sendable {
  /// The kind of failure; new kinds may appear in minor releases.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: String { case unreadable, unknownFormat, malformed, refused, tooLarge }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// The file cannot be opened or read.
    public static var unreadable: Self { Self(.unreadable) }
    /// The content has none of the formats in ``RecordingFormat``.
    public static var unknownFormat: Self { Self(.unknownFormat) }
    /// The content violates the rules of its format, or ends too early.
    public static var malformed: Self { Self(.malformed) }
    /// The content requires something that is refused, such as expanding entities.
    public static var refused: Self { Self(.refused) }
    /// The content exceeds a stated limit.
    public static var tooLarge: Self { Self(.tooLarge) }

    public var description: String { kind.rawValue }
  }

  /// The kind of failure, for comparison in code.
  public let code: Code
  /// The line, counted from 1; for FIT, the number of the message. Nil if the failure has no place
  /// in the content.
  public let line: Int?
  /// The column in bytes, counted from 1; nil if unknown.
  public let column: Int?
  /// The problem and its remedy. Never contains a coordinate.
  public let message: String

  /// Creates an error.
  public init(_ code: Code, line: Int? = nil, column: Int? = nil, _ message: String) {
    (self.code, self.line, self.column, self.message) = (code, line, column, message)
  }
}

extension RecordingError: LocalizedError, CustomStringConvertible {
  public var errorDescription: String? { description }

  /// The place, if there is one, and the message.
  public var description: String {
    guard let line else { return message }
    return "line \(line)\(column.map { ", column \($0)" } ?? ""): \(message)"
  }
}
