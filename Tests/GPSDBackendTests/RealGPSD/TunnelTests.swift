import AsyncLocation
import FoundationEssentials
import SampleDrive
import TestSupport
import Testing

@testable import GPSDBackend

/// Plays the tunnel of the sample drive through a real gpsd.
@Suite(.serialized, .needsGPSD, .inTurn)
struct TunnelTests {
  /// The order of the sentences of an epoch.
  enum Order: CaseIterable {
    /// The speed first, as the drive's receiver sends its sentences.
    case asSent
    /// The position before the speed, which gpsd derives from positions until it receives one.
    case placeFirst
  }

  private static func sentences(_ epoch: Epoch, _ order: Order) -> [UInt8] {
    guard order == .placeFirst else { return Array(epoch.nmea.utf8) }
    let kinds = ["GGA", "GSA", "GSV", "RMC", "VTG", "GLL", "GST", "ZDA"]
    let lines = epoch.nmea.split(separator: "\r\n")
    let sorted = kinds.flatMap { kind in lines.filter { $0.dropFirst(3).hasPrefix(kind) } }
    return Array((sorted.joined(separator: "\r\n") + "\r\n").utf8)
  }

  /// The number of epochs that are sent before gpsd's first answer is awaited.
  private static let ahead = 5

  /// A prefix of the date as gpsd writes it.
  private static func text(_ date: Date) -> String {
    String(date.formatted(.iso8601).dropLast())
  }

  /// Plays epochs of the drive. Returns the delivered locations, and the number of reports that
  /// arrived too late for their epoch.
  private func drive(
    _ epochs: [Epoch], _ order: Order, _ handling: GPSDConfiguration.Epochs
  ) async throws -> (locations: [Location], late: Int) {
    let gpsd = try RealGPSD(
      feed: NMEAFeed(sequence: epochs.map { Self.sentences($0, order) }))
    var configuration = GPSDConfiguration.local(gpsd.port)
    configuration.epochs = handling
    let backend = GPSDBackend(configuration)
    let run = BackendRun(backend)
    #expect(await run.nextState(.connected) != nil)
    let client = try PlainClient(port: gpsd.port)
    _ = await client.reports(1) { $0["class"] as? String == "WATCH" }
    // Sends an epoch once gpsd has reported the second one before it: gpsd may report an epoch only
    // when the next one begins. The first epochs are sent without waiting, because gpsd reports no
    // time before it knows the date.
    gpsd.feed.start(Self.ahead)
    for index in Self.ahead..<epochs.count {
      let earliestTime = Self.text(epochs[index - 2].timestamp)
      if index > Self.ahead {
        _ = await client.reports(1) { report in
          report["class"] as? String == "TPV" && (report["time"] as? String ?? "") >= earliestTime
        }
      }
      gpsd.feed.sendMore(1)
    }
    let last = try #require(epochs.last?.timestamp)
    var locations: [Location] = []
    for await event in run.events {
      guard case .location(let location) = event else { continue }
      locations.append(location)
      if location.timestamp == last { break }
    }
    await run.finish()
    for await event in run.events {
      if case .location(let location) = event { locations.append(location) }
    }
    return (locations, backend.statistics.repeatedPositions)
  }

  /// Returns the locations of a drive whose epochs were complete. On a busy machine, gpsd may take
  /// longer between two reports of an epoch than the backend waits.
  private func undisturbedDrive(_ epochs: [Epoch], _ order: Order) async throws -> [Location] {
    for _ in 0..<20 {
      let (locations, late) = try await drive(epochs, order, .merged)
      if late == 0 { return locations }
    }
    throw TooSlow()
  }

  /// No attempt had only complete epochs.
  private struct TooSlow: Error {}

  /// The epochs from some seconds before the tunnel to some seconds after it.
  private static let epochs: [Epoch] = {
    let all = Drive().epochs
    let lost = all.indices.filter { all[$0].fix == nil }
    return Array(all[((lost.first ?? 0) - 20)...((lost.last ?? 0) + 20)])
  }()

  @Test("F46 no false speed after a tunnel, and one location per second", arguments: Order.allCases)
  func noFalseSpeed(_ order: Order) async throws {
    let epochs = Self.epochs
    let locations = try await undisturbedDrive(epochs, order)
    let fixes = epochs.filter { $0.fix != nil }
    let exit = try #require(epochs.last { $0.fix == nil }?.timestamp)
    let expectedEpochs = fixes.filter { $0.timestamp > exit }
    let datedByReceiver = locations.filter { $0.sourceInformation?.timeSource != .host }
    #expect(Set(datedByReceiver.map(\.timestamp)).count == datedByReceiver.count)
    let fixesAfterTunnel = datedByReceiver.filter { $0.timestamp > exit }
    #expect(fixesAfterTunnel.map(\.timestamp) == expectedEpochs.map(\.timestamp))
    for (epoch, location) in zip(expectedEpochs, fixesAfterTunnel) {
      let speed = try #require(epoch.fix?.speed)
      // The speed is sent in thousandths of a knot.
      let delivered = try #require(location.speed, "at \(epoch.timestamp)")
      #expect(abs(delivered - speed) < 0.01, "at \(epoch.timestamp)")
    }
  }

  @Test("without merging, speeds derived by gpsd are delivered")
  func everyReport() async throws {
    let locations = try await drive(Self.epochs, .placeFirst, .everyReport).locations
    let epochs = Dictionary(uniqueKeysWithValues: Self.epochs.map { ($0.timestamp, $0) })
    let derived = locations.filter { location in
      guard let speed = epochs[location.timestamp]?.fix?.speed else { return false }
      return location.speed.map { abs($0 - speed) > 1 } ?? false
    }
    #expect(!derived.isEmpty)
  }
}
