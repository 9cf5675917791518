import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import GPSDBackend

/// Encodes and compares the reports of a real gpsd.
@Suite(.serialized, .needsGPSD, .inTurn)
struct RealReportsTests {
  @Test("every report that gpsd sends round-trips, until permission ends")
  func reports() async throws {
    let gpsd = try RealGPSD()
    let policy = SwitchPolicy(.authorizedWhenInUse)
    var configuration = GPSDConfiguration.local(gpsd.port)
    configuration.authorizationPolicy = policy
    let reports = GPSDBackend(configuration).reports(
      ReportOptions(pps: true, nmea: true, buffering: .newest(100_000)))
    var classes: [String: Int] = [:]
    var failure: LocationError?
    do throws(LocationError) {
      for try await received in reports {
        if received.report?.className == "WATCH" { gpsd.feed.start() }
        classes[received.report?.className ?? "sentence", default: 0] += 1
        if let report = received.report { check(report, received.line) }
        if classes["TPV", default: 0] >= 20, classes["SKY", default: 0] >= 5 {
          policy.change(to: .denied)
        }
      }
    } catch {
      failure = error
    }
    gpsd.feed.pause()
    #expect(failure?.code == .denied)
    for name in ["VERSION", "DEVICES", "WATCH", "TPV", "SKY", "sentence"] {
      #expect(classes[name, default: 0] > 0, "no \(name) among \(classes)")
    }
    #expect(classes["TPV"] == 20 || classes["SKY"] == 5, "something came after: \(classes)")
  }

  /// Checks that the encoded report has the content of its line.
  private func check(_ report: GPSDReport, _ line: [UInt8]) {
    do {
      let encoded = try JSONSerialization.jsonObject(with: JSONEncoder().encode(report))
      let expected = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any] ?? [:]
      let text = String(decoding: line, as: UTF8.self)
      // The feed has no value out of range, which would be omitted.
      #expect(encoded as? NSDictionary == expected as NSDictionary, "\(text)")
    } catch {
      Issue.record(error)
    }
  }
}
