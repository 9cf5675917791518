import AsyncLocation
import FoundationEssentials
import GPSDBackend
import Tally

/// Buffers everything, since dropping elements would reduce the measured work.
let everything = BufferingPolicy.newest(10_000_000)
let everyReport = ReportBufferingPolicy.newest(10_000_000)

func makeBackend(_ port: Int) -> GPSDBackend {
  var configuration = GPSDConfiguration()
  configuration.host = "127.0.0.1"
  configuration.port = port
  configuration.reconnection = .never  // Ends when the server closes.
  return GPSDBackend(configuration)
}

func makeManager(_ port: Int) -> LocationManager {
  LocationManager(backend: makeBackend(port), configuration: .init(buffering: everything))
}

/// Treats the loss of the connection as the end of the input.
func untilLost(_ body: () async throws -> Void) async throws {
  do {
    try await body()
  } catch let error as LocationError where error.code == .connectionLost {
    // The server has sent everything.
  }
}

/// Returns the number of dropped elements, as text for the line of `Tally`.
func remarks(_ manager: LocationManager) async -> String {
  " dropped \(await manager.statistics.elementsDropped)"
}

extension Date {
  /// Nanoseconds since 1970, with the precision of a current `Date`, about 0.12 µs.
  var nanoseconds: Int64 {
    Int64(timeIntervalSinceReferenceDate * 1e9) + 978_307_200_000_000_000
  }
}

extension Location {
  func tally() {
    tally_fix(latitude, longitude, altitude ?? .nan, speed ?? .nan, timestamp.nanoseconds)
  }

  /// The contribution to the checksum, for clients that count by themselves.
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
