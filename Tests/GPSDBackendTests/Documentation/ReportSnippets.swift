import AsyncLocation
import FoundationEssentials
import GPSDBackend

/// The code of the articles, which must compile.
@MainActor
enum ReportSnippets {
  static func locations() async throws {
    let manager = LocationManager(backend: GPSDBackend(host: "boat.local"))
    for try await location in manager.updates { print(location.coordinate) }
  }

  static func reports() async throws {
    let backend = GPSDBackend()
    let options = ReportOptions(classes: ["TPV", "PPS"])
    for try await received in backend.reports(options) {
      switch received.report {
      case .tpv(let fix): print(fix.time ?? .now, fix.mode ?? 0)
      case .pps(let pulse): print(pulse.quantizationError ?? 0)
      default: break
      }
    }
  }

  static func every(_ backend: GPSDBackend) async throws {
    for try await received in backend.reports() {
      if case .tpv(let fix) = received.report { print(fix.mode ?? 0) }
    }
  }

  func fix(at latitude: Double, _ longitude: Double) throws -> TPV {
    try TPV {
      $0.mode = 2
      $0.latitude = latitude
      $0.longitude = longitude
    }
  }
}
