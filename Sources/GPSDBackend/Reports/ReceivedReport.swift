/// A line of gpsd as it came, and what it says.
public struct ReceivedReport: Sendable, Hashable {
  /// Its place among the subscriber's, from 0, of all receivers together and across connections. A
  /// gap tells that reports were dropped.
  public let number: Int
  /// What it says. Nil for a sentence or a packet of a receiver, which come only when asked for.
  public let report: GPSDReport?
  /// Its bytes without the line's end. They come from outside: escape before printing.
  public let line: [UInt8]

  /// Creates a received report, for tests.
  public init(number: Int, report: GPSDReport?, line: [UInt8]) {
    (self.number, self.report, self.line) = (number, report, line)
  }
}
