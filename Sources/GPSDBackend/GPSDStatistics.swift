public import AsyncLocation

/// What a backend has received since it was made, all of its runs together.
public struct GPSDStatistics: Sendable, Hashable {
  /// Bytes received.
  public var bytes = 0
  /// Reports understood, of every class; records, with shared memory.
  public var reports = 0
  /// Lines skipped since they were not a report.
  public var malformedLines = 0
  /// Lines skipped since they were longer than ``GPSDConfiguration/maximumLineLength``.
  public var overlongLines = 0
  /// Attempts to connect.
  public var attempts = 0
  /// Connections on which gpsd greeted.
  public var connections = 0
  /// What went wrong last.
  public var lastError: LocationError?

  /// Lines received.
  public var lines: Int { reports + malformedLines + overlongLines }

  /// Creates statistics in which nothing has happened.
  public init() {}
}
