/// A line of gpsd as it came, and what it says.
///
/// Reports that arrived together share the memory of their lines: while one of them exists, up to
/// 64 KiB and the longest line stay in memory. A copy made with ``init(number:report:line:)`` does not.
public struct ReceivedReport: Sendable {
  /// Its place among the subscriber's, from 0, of all receivers together and across connections. A
  /// gap tells that reports were dropped.
  public private(set) var number: Int
  /// What it says. Nil for a sentence or a packet of a receiver, which come only when asked for.
  public let report: GPSDReport?
  /// The lines of the reports that arrived together, one after the other.
  private var lines: [UInt8]
  private let range: Range<Int>

  /// Its bytes without the line's end. They come from outside: escape before printing.
  ///
  /// Each access makes an array, except when the report arrived alone.
  public var line: [UInt8] { range.count == lines.count ? lines : Array(lines[range]) }

  /// Creates a received report, for tests.
  public init(number: Int, report: GPSDReport?, line: [UInt8]) {
    (self.number, self.report, lines, range) = (number, report, line, line.indices)
  }

  /// Creates a report that has no number yet, and whose line is going to be a part of others.
  @inline(__always)
  init(report: GPSDReport?, lineIn range: Range<Int>) {
    (number, self.report, lines, self.range) = (0, report, [], range)
  }

  @inline(__always)
  mutating func complete(number: Int, lines: [UInt8]) {
    (self.number, self.lines) = (number, lines)
  }
}

extension ReceivedReport {
  /// Bytes of memory, about: the value in place, its line, and the list that takes most beside it.
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
