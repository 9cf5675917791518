package import AsyncLocation

/// The parts of a recording that were not understood. All are counted; the first ones are stored.
public struct SkippedContent: Hashable, Sendable {
  /// A part that was left out: a point, a line or a value.
  public struct Part: Hashable, Sendable {
    /// The line where the part begins, counted from 1; for FIT, the number of the message.
    public let line: Int
    /// The reason why it was skipped. Never contains a coordinate.
    public let reason: String
  }

  /// The maximum number of ``parts``.
  public static let capacity = 100

  /// The first parts that were skipped, at most ``capacity``, in the order in which they were
  /// skipped.
  public private(set) var parts: [Part] = []
  /// The number of all parts that were skipped.
  public private(set) var count = 0

  /// Whether everything was understood.
  public var isEmpty: Bool { count == 0 }

  init() {}

  mutating func append(line: Int, _ reason: @autoclosure () -> String) {
    count += 1
    if parts.count < Self.capacity { parts.append(Part(line: line, reason: reason())) }
  }
}

extension SkippedContent: Described {
  package var members: [DescribedMember] {
    [DescribedMember("count", count), DescribedMember("parts", parts)]
  }
}

extension SkippedContent.Part: CustomStringConvertible {
  public var description: String { "line \(line): \(reason)" }
}
