package import AsyncLocation

/// The limit of the buffer for a subscriber that is slower than gpsd.
///
/// The newest reports are kept. When the buffer is full, the oldest are dropped and counted in
/// ``GPSDReportSequence/dropped``.
public struct ReportBufferingPolicy: Sendable, Hashable {
  enum Bound: Sendable, Hashable {
    case count(Int)
    case bytes(Int)
  }

  let bound: Bound

  /// Keeps the newest `limit` reports, and at least one. The line of each report has at most
  /// ``GPSDConfiguration/maximumLineLength`` bytes.
  public static func newest(_ limit: Int) -> Self { Self(bound: .count(max(1, limit))) }

  /// Keeps the newest reports whose lines and decoded values fit into `bytes` bytes of memory, and
  /// at least one. A position takes about 1 kB.
  public static func newest(bytes: Int) -> Self { Self(bound: .bytes(max(1, bytes))) }
}

extension ReportBufferingPolicy: Described {
  package var members: [DescribedMember] {
    switch bound {
    case .count(let limit): [DescribedMember("limit", limit)]
    case .bytes(let bytes): [DescribedMember("bytes", bytes)]
    }
  }
}
