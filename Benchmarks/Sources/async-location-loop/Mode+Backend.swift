import AsyncLocation
import GPSDBackend
import Tally

/// Modes that use the backend without a manager.
extension Mode {
  func readEvents(_ port: Int) async throws -> String {
    let backend = makeBackend(port)
    tally_begin()
    try await untilLost {
      // Calls of `emit` are serialized, and end before the run returns.
      try await backend.run(BackendDemand(kinds: .all)) { events in
        for event in events {
          switch event {
          case .location(let location): location.tally()
          case .satellites(let view): view.tally()
          default: break
          }
        }
      }
    }
    return ""
  }

  func readReports(_ port: Int) async throws -> String {
    let backend = makeBackend(port)
    tally_begin()
    let reports = backend.reports(ReportOptions(buffering: everyReport))
    try await untilLost {
      for try await received in reports {
        switch received.report {
        case .tpv(let report): report.tally()
        case .sky(let report): report.tally()
        default: break
        }
      }
    }
    return " dropped \(reports.dropped)"
  }
}

extension TPV {
  func tally() {
    tally_fix(
      self.latitude ?? .nan, self.longitude ?? .nan, self.altitude ?? .nan, self.speed ?? .nan,
      self.time?.nanoseconds ?? 0)
  }
}

extension SKY {
  func tally() {
    guard let satellites = self.satellites else { return }
    for satellite in satellites {
      tally_satellite(
        Int32(satellite.prn ?? 0), satellite.elevation ?? .nan, satellite.azimuth ?? .nan,
        satellite.signalStrength ?? .nan, satellite.isUsed ?? false)
    }
    tally_sky()
  }
}
