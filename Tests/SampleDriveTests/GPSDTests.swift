import Foundation
import TestSupport
import Testing

@testable import SampleDrive

/// The drive through a real gpsd.
@Suite(.inTurn)
struct GPSDTests {
  struct Report: Decodable {
    let `class`: String
    let mode: Int?
    let time: String?
    let lat: Double?
    let lon: Double?
    let altMSL: Double?
    let nSat: Int?
    let uSat: Int?
  }

  @Test(
    .enabled(
      if: Programs.gpsd != nil || requiresServers,
      "gpsd is not installed: run scripts/install-dependencies"))
  func gpsdReadsTheDrive() async throws {
    let reports = try await onThread { try Self.record(rate: 30) }
    let epochs = Drive().epochs
    var seen: Set<Int> = []
    for report in reports where report.class == "TPV" {
      let time = try #require(report.time)
      let date = try Date(time, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
      let index = Int(date.timeIntervalSince(Drive.standardStart))
      let epoch = epochs[index]
      seen.insert(index)
      // In the first second gpsd does not know which sentence ends an epoch.
      guard index > 0 else { continue }
      guard let fix = epoch.fix else {
        #expect(report.mode == 1, "at \(time)")
        continue
      }
      #expect(report.mode == (fix.isThreeDimensional ? 3 : 2), "at \(time)")
      #expect(abs((report.lat ?? 0) - fix.latitude) < 1e-6, "at \(time)")
      #expect(abs((report.lon ?? 0) - fix.longitude) < 1e-6, "at \(time)")
      if let altitude = fix.altitude {
        #expect(abs((report.altMSL ?? 0) - altitude) < 0.1, "at \(time)")
      }
    }
    // The drive begins when gpsd connects. The client connects later, and misses the first reports.
    #expect(seen.count > epochs.count * 3 / 4)
    let views = reports.filter { $0.class == "SKY" }
    let listed = Set(epochs.map(\.satellites.count))
    #expect(views.contains { ($0.nSat ?? 0) > 15 && listed.contains($0.nSat ?? 0) })
    let used = Set(epochs.compactMap(\.fix?.satellitesUsed))
    #expect(views.contains { ($0.uSat ?? 0) > 10 && used.contains($0.uSat ?? 0) })
  }

  /// Lets a real gpsd read the drive, and returns its reports up to the last second but one of the
  /// drive.
  private static func record(rate: Double) throws -> [Report] {
    let feed = try ChildProcess(Programs.sampleDrive, ["serve", "--rate", "\(rate)"])
    let greeting = try #require(try feed.line())
    let address = try #require(greeting.split(separator: " ").last)
    let port = UInt16(freePort())
    // With a key of its own, this gpsd shares no memory with another one.
    let key = Int32.random(in: 0x4000_0000...0x7FFF_FFFF)
    defer { _ = shmctl(shmget(key, 0, 0), IPC_RMID, nil) }
    let gpsd = try ChildProcess(
      Programs.gpsd ?? "gpsd", ["-N", "-n", "-b", "-S", "\(port)", "tcp://\(address)"],
      environment: ["GPSD_SHM_KEY": "\(key)"])
    // gpsd listens before it opens its receivers.
    #expect(try feed.line() == "sample-drive: a client connected")
    let client = try FileDescriptorLines(connectingTo: port)
    try client.send("?WATCH={\"enable\":true,\"json\":true};\n")
    let epochs = Drive().epochs
    let last = epochs[epochs.count - 2].timestamp.formatted(.iso8601).dropLast()
    var reports: [Report] = []
    while let line = try client.next() {
      let report = try JSONDecoder().decode(Report.self, from: Data(line.utf8))
      reports.append(report)
      if report.class == "TPV", let time = report.time, time >= last { break }
    }
    #expect(feed.wait() == 0)
    #expect(gpsd.terminate() == 0)
    return reports
  }
}
