import AsyncLocation
import Foundation
import GPSDBackend
import TestSupport
import Testing

/// Plays recordings of receivers through a real gpsd, and compares the delivered values with gpsd's
/// reports.
@Suite(
  .serialized, .needsCorpus,
  .needsGPSD, .inTurn)
struct PlaybackTests {
  /// The classes that gpsd sends to each client or that have no recorded counterpart.
  private static let unrecordedClasses: Set<String> = [
    "VERSION", "DEVICES", "DEVICE", "WATCH", "ERROR",
  ]

  @Test func deliveredValuesMatchGPSDsReports() async throws {
    let logs = try Corpus.files(in: "gpsd-3.22", ".log")
    var total = Agreement()
    for url in logs {
      let log = url.lastPathComponent
      let recorded = try Data(contentsOf: url.appendingPathExtension("chk"))
        .split(separator: 10).filter { $0.first == UInt8(ascii: "{") }.count
      let agreement = try await play(Data(contentsOf: url), reports: recorded, log)
      print("\(log): \(agreement)")
      total += agreement
    }
    print("\(logs.count) recordings through gpsd: \(total)")
    #expect(total.locations > 500)
    #expect(total.views > 100)
    #expect(total.fields > 5_000)
  }

  private func play(_ log: Data, reports count: Int, _ name: String) async throws -> Agreement {
    let gpsd = try RealGPSD(feed: NMEAFeed(playing: Array(log)))
    var configuration = GPSDConfiguration.local(gpsd.port)
    // Compares single reports; `EpochRecordingTests` tests whole epochs.
    configuration.epochs = .everyReport
    let run = BackendRun(GPSDBackend(configuration))
    #expect(await run.nextState(.connected) != nil)
    let client = try PlainClient(port: gpsd.port)
    _ = await client.reports(1) { $0["class"] as? String == "WATCH" }
    gpsd.feed.start(1)
    let reports = await client.reports(count) {
      !Self.unrecordedClasses.contains($0["class"] as? String ?? "")
    }
    var agreement = Agreement()
    for report in reports where agreement.mustBeDelivered(report) {
      var delivered = await run.first(Agreement.Delivered.init)
      // A heading follows the location that has its course.
      while case .heading(let heading)? = delivered, heading.source == .courseOverGround {
        agreement.compareCourse(heading)
        delivered = await run.first(Agreement.Delivered.init)
      }
      agreement.compare(report, try #require(delivered, "\(name)"))
    }
    await run.finish()
    for await event in run.events {
      switch Agreement.Delivered(event) {
      case nil: break
      case .heading(let heading)? where heading.source == .courseOverGround:
        agreement.compareCourse(heading)
      case let event?: Issue.record("\(name): beyond what gpsd says: \(event)")
      }
    }
    return agreement
  }
}
