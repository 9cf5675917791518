import FoundationEssentials
import Tally

@testable import GPSDBackend

/// The decoder, and what is made of its values.
struct Values {
  private var reader = ReportReader()

  mutating func read(_ bytes: UnsafeRawBufferPointer) {
    reader.read(bytes) { item in
      guard case .report(let report) = item else { return }
      switch report {
      case .timePositionVelocity(let report): Self.take(report)
      case .sky(let report): Self.take(report)
      default: break
      }
    }
  }

  private static func take(_ report: TimePositionVelocityReport) {
    tally_fix(
      report.latitude ?? .nan, report.longitude ?? .nan, report.altitude ?? .nan,
      report.speed ?? .nan, report.time?.nanoseconds ?? 0)
  }

  private static func take(_ report: SkyReport) {
    guard let satellites = report.satellites else { return }
    for satellite in satellites {
      tally_satellite(
        Int32(satellite.prn ?? 0), satellite.elevation ?? .nan, satellite.azimuth ?? .nan,
        satellite.signalStrength ?? .nan, satellite.isUsed ?? false)
    }
    tally_sky()
  }
}

extension Date {
  /// From 1970.
  fileprivate var nanoseconds: Int64 {
    Int64(timeIntervalSinceReferenceDate * 1e9) + 978_307_200_000_000_000
  }
}
