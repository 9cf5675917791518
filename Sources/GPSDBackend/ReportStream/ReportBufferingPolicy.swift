package import AsyncLocation

/// How much waits for a subscriber to gpsd's reports that is slower than gpsd.
///
/// The newest reports are kept: when the buffer is full, the oldest make room and are counted in
/// ``GPSDReports/dropped``.
public struct ReportBufferingPolicy: Sendable, Hashable {
  enum Bound: Sendable, Hashable {
    case count(Int)
    case bytes(Int)
  }

  let bound: Bound

  /// Keeps the newest reports, at least one, each of at most
  /// ``GPSDConfiguration/maximumLineLength``.
  public static func newest(_ limit: Int) -> Self { Self(bound: .count(max(1, limit))) }

  /// Keeps the newest reports that fit into so many bytes of memory, lines and values made of them
  /// together, and at least one. A position takes about 1 kB.
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
