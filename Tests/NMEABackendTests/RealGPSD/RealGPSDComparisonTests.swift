import AsyncLocation
import Foundation
import GPSDBackend
import NMEABackend
import SampleDrive
import TestSupport
import Testing

/// The same bytes through a real gpsd and without it: equal positions at equal times.
@Suite(.needsGPSD, .inTurn) struct RealGPSDComparisonTests {
  /// The locations of a backend that have a time of their own, until one is at or after `end`.
  private static func locations(
    _ run: NMEARun, until end: Date
  ) async -> [Location] {
    var locations: [Location] = []
    for await event in run.events {
      // Before gpsd knows the time, it reports positions without it.
      guard case .location(let location) = event,
        location.sourceInformation?.timeSource != .host
      else { continue }
      locations.append(location)
      if location.timestamp >= end { break }
    }
    return locations
  }

  @Test func theDriveHasEqualLocations() async throws {
    let epochs = Array(Drive().epochs.prefix(240))
    let bytes = epochs.map { Array($0.nmea.utf8) }
    let end = try #require(epochs.dropLast(2).last { $0.fix != nil }).timestamp

    let gpsd = try RealGPSD(feed: NMEAFeed(sequence: bytes))
    var configuration = GPSDConfiguration(
      host: "127.0.0.1", port: gpsd.port,
      reconnection: .exponential(initial: .milliseconds(10), maximum: .milliseconds(40)))
    configuration.epochs = .everyReport
    let reference = NMEARun(GPSDBackend(configuration))
    let device = gpsd.device
    _ = await reference.nextState { state in state.receivers.contains { $0.name == device } }
    gpsd.feed.start(bytes.count)
    let theirs = Dictionary(grouping: await Self.locations(reference, until: end), by: \.timestamp)
    await reference.finish()

    let feed = NMEAFeed(sequence: bytes)
    let run = NMEARun(NMEABackend(.local(.tcp(host: "127.0.0.1", port: feed.port))))
    feed.start(bytes.count)
    let ours = await Self.locations(run, until: end)
    await run.finish()

    // gpsd does not report every epoch while it does not know the end of a cycle.
    #expect(theirs.count > epochs.count / 2)
    #expect(Set(ours.map(\.timestamp)).count == ours.count)
    #expect(ours.count == epochs.filter { $0.fix != nil && $0.timestamp <= end }.count)
    var (compared, cut) = (0, 0)
    for location in ours {
      // gpsd may report an epoch several times; its last report is complete.
      guard let report = theirs[location.timestamp]?.last else { continue }
      compared += 1
      #expect(abs(location.latitude - report.latitude) < 1.5e-9, "\(location)")
      #expect(abs(location.longitude - report.longitude) < 1.5e-9, "\(location)")
      #expect(location.gnss?.mode == report.gnss?.mode, "\(location), gpsd: \(report)")
      // An epoch in which the line was quiet, because the feed had to wait for a processor.
      if report.altitude != nil && location.altitude == nil
        || report.speed != nil && location.speed == nil
      {
        cut += 1
        continue
      }
      if let altitude = report.altitude, location.gnss?.mode == .threeDimensional {
        #expect(abs((location.altitude ?? .nan) - altitude) < 0.001, "\(location)")
      }
      if let speed = report.speed, report.speed != 0 {
        #expect(abs((location.speed ?? .nan) - speed) < 0.002, "\(location), gpsd: \(report)")
      }
    }
    #expect(compared == theirs.keys.count { $0 <= end })
    #expect(cut <= compared / 10)
  }
}
