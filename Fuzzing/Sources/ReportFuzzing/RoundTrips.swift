import FoundationEssentials
import Synchronization

@testable import GPSDReports

/// Checks that encoded reports decode to equal reports.
enum RoundTrips {
  /// Hashes of checked lines. Most lines of an input also occur in the previous one, and encoding
  /// costs more than everything else together.
  private static let checked = Mutex<Set<UInt64>>([])
  private static let maximumChecked = 1 << 16

  static func check(_ report: GPSDReport, of line: [UInt8]) {
    let isNew = checked.withLock { checked in
      if checked.count >= maximumChecked { checked.removeAll(keepingCapacity: true) }
      return checked.insert(hash(line)).inserted
    }
    guard isNew else { return }
    do {
      require(try GPSDReport(line: line) == report, "another report from the line alone")
      let encoded = try JSONEncoder().encode(report)
      require(try GPSDReport(line: encoded) == report, "written and read: \(report)")
      let decoded = try JSONDecoder().decode(GPSDReport.self, from: encoded)
      require(decoded == report, "written and decoded: \(decoded) and \(report)")
    } catch {
      require(false, "\(error) of \(report)")
    }
  }

  /// The FNV-1a hash.
  private static func hash(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
