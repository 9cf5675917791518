import AsyncLocation
import FoundationEssentials
import GPSDBackend
import Tally

/// Keeps what a server sends faster than it is read: dropping would be less work.
let everything = BufferingPolicy.newest(10_000_000)
let everyReport = ReportBufferingPolicy.newest(10_000_000)

func makeBackend(_ port: Int) -> GPSDBackend {
  var configuration = GPSDConfiguration()
  configuration.host = "127.0.0.1"
  configuration.port = port
  configuration.reconnection = .never  // The server's end is the end.
  return GPSDBackend(configuration)
}

func makeManager(_ port: Int) -> LocationManager {
  LocationManager(backend: makeBackend(port), configuration: .init(buffering: everything))
}

/// Takes a server's end for the end of what is read.
func untilLost(_ body: () async throws -> Void) async throws {
  do {
    try await body()
  } catch let error as LocationError where error.code == .connectionLost {
    // The server has sent all.
  }
}

/// What the manager says of its work.
func remarks(_ manager: LocationManager) async -> String {
  " dropped \(await manager.statistics.elementsDropped)"
}

extension Date {
  /// From 1970, to an eighth of a microsecond: what a `Date` of these years holds.
  var nanoseconds: Int64 {
    Int64(timeIntervalSinceReferenceDate * 1e9) + 978_307_200_000_000_000
  }
}

extension Location {
  func tally() {
    tally_fix(latitude, longitude, altitude ?? .nan, speed ?? .nan, timestamp.nanoseconds)
  }

  /// What it adds to the checksum, for those who count by themselves.
  var sum: UInt64 {
    tally_sum(latitude, longitude, altitude ?? .nan, speed ?? .nan, timestamp.nanoseconds)
  }
}

extension SatelliteView {
  func tally() {
    for satellite in satellites {
      tally_satellite(
        Int32(satellite.prn), satellite.elevation ?? .nan, satellite.azimuth ?? .nan,
        satellite.signalStrength ?? .nan, satellite.isUsed)
    }
    tally_sky()
  }
}
