import FoundationEssentials
import Tally

@testable import GPSDReports

/// The decoder and the handling of its values.
struct Values: ~Copyable {
  private var reader = ReportReader()
  private var decoder = ReportDecoder()
  private var totals = Totals()

  mutating func read(_ bytes: Span<UInt8>) {
    reader.read(bytes, with: &decoder, into: &totals)
  }
}

private struct Totals: ReportHandler {
  mutating func handle(_ report: borrowing TPV) {
    tally_fix(
      report.latitude ?? .nan, report.longitude ?? .nan, report.altitude ?? .nan,
      report.speed ?? .nan, report.time?.nanoseconds ?? 0)
  }

  mutating func handle(_ report: borrowing SKY) {
    guard let satellites = report.satellites else { return }
    for satellite in satellites {
      tally_satellite(
        Int32(satellite.prn ?? 0), satellite.elevation ?? .nan, satellite.azimuth ?? .nan,
        satellite.signalStrength ?? .nan, satellite.isUsed ?? false)
    }
    tally_sky()
  }

  mutating func handle(_ report: borrowing ATT) {}
  mutating func handle(inertial report: borrowing ATT) {}
  mutating func handle(_ report: borrowing GPSDReport) {}
  mutating func handle(_ line: ReportReader.MalformedLine) {}
}

extension Date {
  /// Nanoseconds since 1970.
  fileprivate var nanoseconds: Int64 {
    Int64(timeIntervalSinceReferenceDate * 1e9) + 978_307_200_000_000_000
  }
}
