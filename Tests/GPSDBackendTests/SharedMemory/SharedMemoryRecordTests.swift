import AsyncLocation
import CGPSDShims
import FoundationEssentials
import TestSupport
import Testing

@testable import GPSDBackend
@testable import LocationTransport

/// Converts flat records to gpsd's lines, and the lines to reports.
@Suite(.inTurn) struct SharedMemoryRecordTests {
  private static func record(
    device: String = "/dev/ttyUSB0", _ change: (inout CGPSDReport) -> Void = { _ in },
    satellites: [CGPSDSatellite] = []
  ) -> SharedMemoryRecord {
    var report = CGPSDReport()
    // All members before `mode` are doubles; NaN means that a value is absent.
    withUnsafeMutableBytes(of: &report) { bytes in
      for offset in stride(from: 0, to: MemoryLayout<CGPSDReport>.offset(of: \.mode) ?? 0, by: 8) {
        bytes.storeBytes(of: Double.nan, toByteOffset: offset, as: Double.self)
      }
    }
    report.differentialStation = -1
    withUnsafeMutableBytes(of: &report.device) { $0.copyBytes(from: device.utf8) }
    change(&report)
    return SharedMemoryRecord(report: report, satellites: satellites)
  }

  /// Parses the lines of a record.
  private static func reports(_ record: SharedMemoryRecord) -> [GPSDReport] {
    var reader = ReportReader()
    var reports: [GPSDReport] = []
    let lines = record.lines(since: nil)
    reader.read(lines.span) { item in
      if case .report(let report) = item { reports.append(report) }
    }
    #expect(reader.statistics.malformed == 0)
    return reports
  }

  @Test func everyFieldArrives() throws {
    var satellite = CGPSDSatellite()
    (satellite.prn, satellite.elevation, satellite.azimuth) = (65, 45, 120)
    (satellite.signalStrength, satellite.used, satellite.health) = (40, 1, 1)
    (satellite.constellation, satellite.vehicle, satellite.signal) = (6, 1, 0)
    satellite.frequency = 7
    let record = Self.record(
      {
        ($0.mode, $0.status, $0.time) = (3, 2, 1_777_863_722.1)
        ($0.latitude, $0.longitude, $0.altitudeHAE, $0.altitudeMSL) = (60.25, -24.5, 47.7, 30.5)
        ($0.speed, $0.track, $0.climb, $0.errorHorizontal) = (5.5, 90, -0.5, 3.25)
        ($0.heading, $0.attitudeTime, $0.hdop, $0.satellitesUsed) = (12, 1_777_863_722, 0.9, 1)
        ($0.differentialAge, $0.differentialStation) = (2, 17)
      }, satellites: [satellite])
    let reports = Self.reports(record)
    try #require(reports.count == 3)
    guard case .sky(let sky) = reports[0], case .tpv(let fix) = reports[1],
      case .att(let attitude) = reports[2]
    else {
      Issue.record("got \(reports)")
      return
    }
    #expect(fix.mode == 3)
    #expect(fix.status == 2)
    #expect(fix.latitude == 60.25)
    #expect(fix.longitude == -24.5)
    #expect(fix.ellipsoidalAltitude == 47.7)
    #expect(fix.altitude == 30.5)
    #expect(fix.speed == 5.5)
    #expect(fix.track == 90)
    #expect(fix.climb == -0.5)
    #expect(fix.horizontalError == 3.25)
    #expect(fix.verticalError == nil)
    #expect(fix.differentialAge == 2)
    #expect(fix.differentialStation == 17)
    #expect(abs((fix.time?.timeIntervalSince1970 ?? 0) - 1_777_863_722.1) < 1e-6)
    #expect(fix.device == "/dev/ttyUSB0")
    #expect(sky.device == "/dev/ttyUSB0")
    #expect(sky.horizontalDilution == 0.9)
    #expect(sky.usedCount == 1)
    let parsedSatellite = try #require(sky.satellites?.first)
    #expect(parsedSatellite.prn == 65)
    #expect(parsedSatellite.elevation == 45)
    #expect(parsedSatellite.azimuth == 120)
    #expect(parsedSatellite.signalStrength == 40)
    #expect(parsedSatellite.isUsed == true)
    #expect(parsedSatellite.health == 1)
    #expect(parsedSatellite.constellation == 6)
    #expect(parsedSatellite.vehicle == 1)
    #expect(parsedSatellite.frequency == 7)
    #expect(attitude.heading == 12)
  }

  @Test(
    "F18 values that are not finite and invalid times are absent",
    arguments: [.nan, .infinity, -.infinity, 1e300, -5] as [Double])
  func hostileNumbers(_ number: Double) {
    let reports = Self.reports(
      Self.record {
        ($0.mode, $0.time, $0.skyTime, $0.attitudeTime) = (3, number, number, number)
        ($0.latitude, $0.longitude, $0.heading) = (number, number, number)
      })
    for case .tpv(let fix) in reports {
      #expect(fix.time == nil)
      #expect(fix.latitude.map { (-90...90).contains($0) } ?? true)
      #expect(fix.longitude.map { (-180...180).contains($0) } ?? true)
    }
  }

  @Test(
    "F40 no character of a device's name ends its string",
    arguments: ["a\"},{", "a\\", "a\n{}\u{1}"])
  func hostileNames(_ name: String) {
    let record = Self.record(device: name) { $0.mode = 1 }
    #expect(record.device == name)
    for case .tpv(let fix) in Self.reports(record) { #expect(fix.device == name) }
  }

  @Test func anUnterminatedNameIsCut() {
    let record = Self.record(device: String(repeating: "x", count: Int(CGPSD_PATH_SIZE)))
    #expect(record.device?.utf8.count == Int(CGPSD_PATH_SIZE))
  }

  @Test func unchangedPartsOfARecordAreNotRepeated() {
    let first = Self.record { ($0.mode, $0.time) = (1, 100) }
    let second = Self.record { ($0.mode, $0.time) = (1, 101) }
    #expect(first.lines(since: first).isEmpty)
    let text = String(decoding: second.lines(since: first), as: UTF8.self)
    #expect(text.contains("TPV"))
    #expect(!text.contains("SKY"))
  }

  @Test(.enabled(if: cgpsd_api_version() == 0, "built with libgps"))
  func sharedMemoryWithoutLibGPSIsRefusedWithAReason() async {
    var configuration = GPSDConfiguration()
    configuration.transport = .sharedMemory
    let result = await BackendRun(GPSDBackend(configuration)).result()
    #expect {
      try result.get()
    } throws: { error in
      guard let error = error as? LocationError else { return false }
      return error.code == .unsupported && error.message.contains("LibGPS")
    }
  }
}
