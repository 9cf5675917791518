public import GPSDReports

/// A line that gpsd sent, and the report decoded from it.
///
/// Reports that arrived together share the memory of their lines. While one of them exists, up to
/// 64 KiB plus the longest line stay in memory. A copy made with ``init(number:report:line:)`` does
/// not share that memory.
public struct ReceivedReport: Sendable {
  /// The report's number in this subscription, counted from 0 across all receivers and connections.
  /// A gap means that reports were dropped.
  public private(set) var number: Int
  /// The decoded report. Nil for a raw NMEA sentence or binary packet, which gpsd sends only on
  /// request.
  public let report: GPSDReport?
  /// The concatenated lines of the reports that arrived together.
  private var lines: [UInt8]
  /// The range of this report's line in `lines`.
  private var range: Range<Int>

  /// The bytes of the line without its terminator. They are untrusted input: escape them before
  /// printing.
  ///
  /// Each access creates an array, except when the report arrived alone.
  public var line: [UInt8] { range.count == lines.count ? lines : Array(lines[range]) }

  /// Creates a received report, for tests or to copy a report without its shared memory.
  public init(number: Int, report: GPSDReport?, line: [UInt8]) {
    (self.number, self.report, lines, range) = (number, report, line, line.indices)
  }

  /// Creates a report whose line and number are set later by ``setLine(_:)`` and
  /// ``complete(number:lines:)``.
  @inline(__always)
  init(report: GPSDReport?) {
    (number, self.report, lines, range) = (0, report, [], 0..<0)
  }

  /// Sets the range of the report's line within the lines that arrived together.
  @inline(__always)
  mutating func setLine(_ range: Range<Int>) { self.range = range }

  /// Sets the number, and the lines that arrived together.
  @inline(__always)
  mutating func complete(number: Int, lines: [UInt8]) {
    (self.number, self.lines) = (number, lines)
  }
}

extension ReceivedReport {
  /// The approximate memory use in bytes: the value, its line, and the satellites of a SKY report
  /// or the devices of a DEVICES report.
  var memorySize: Int {
    let size = MemoryLayout<Self>.stride + 32 + range.count
    return switch report {
    case .sky(let sky): size + 32 + sky.satelliteCount * MemoryLayout<SatelliteReport>.stride
    case .devices(let list): size + 32 + list.devices.count * MemoryLayout<DeviceReport>.stride
    default: size
    }
  }
}

extension ReceivedReport: Hashable {
  public static func == (left: Self, right: Self) -> Bool {
    left.number == right.number && left.lines[left.range] == right.lines[right.range]
      && left.report == right.report
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(number)
    hasher.combine(report)
    hasher.combine(lines[range])
  }
}
