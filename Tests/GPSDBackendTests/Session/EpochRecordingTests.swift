import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import GPSDBackend
@testable import LocationTransport

/// Plays recordings of gpsd's reports in virtual time: each epoch is delivered once, with its
/// values.
@Suite(.needsCorpus, .inTurn) struct EpochRecordingTests {
  /// Consecutive reports of one time, as gpsd sent them.
  struct Epoch {
    var reports: [[String: Any]]
    var lastArrival: Duration
  }

  /// How the lines of a recording are divided into chunks.
  enum Cut: String, CaseIterable {
    /// Every report arrives alone, those of one epoch 10 ms apart.
    case lines
    /// The reports of one epoch arrive together.
    case epochs
    /// Everything arrives at once, in chunks of 1,500 bytes.
    case bytes
  }

  struct Outcome {
    var reports = 0
    var epochs = 0
    /// The number of epochs with more than one report.
    var several = 0
    var delivered = 0
    /// The number of locations with the values of all reports of their epoch.
    var whole = 0
    /// The number of locations that are delivered later than the last report of their epoch.
    var delayed = 0
    /// The longest delay after the last report of an epoch.
    var longest = Duration.zero
  }

  @Test("F46 each epoch of a recording is one location", .longWork, arguments: Cut.allCases)
  func recordings(_ cut: Cut) throws {
    var total = Outcome()
    print("| recording | reports | epochs | of several | delivered | whole | delayed | longest |")
    print("|---|---|---|---|---|---|---|---|")
    for folder in Corpus.folders {
      for (file, data) in try Corpus.reports(in: folder) {
        let outcome = try play(data, cut, "\(folder)/\(file)")
        guard outcome.epochs > 0 else { continue }
        show(outcome, String(file.dropLast(8)))
        total.reports += outcome.reports
        total.epochs += outcome.epochs
        total.several += outcome.several
        total.delivered += outcome.delivered
        total.whole += outcome.whole
        total.delayed += outcome.delayed
        total.longest = max(total.longest, outcome.longest)
      }
    }
    show(total, "all, by \(cut.rawValue)")
    #expect(total.epochs > 700)
    #expect(total.several > 40)
    #expect(total.delivered == total.epochs)
  }

  private func show(_ outcome: Outcome, _ name: String) {
    print(
      "| \(name) | \(outcome.reports) | \(outcome.epochs) | \(outcome.several) | "
        + "\(outcome.delivered) | \(outcome.whole) | \(outcome.delayed) | "
        + "\(Int(outcome.longest / .milliseconds(1))) ms |")
  }

  private func play(_ data: Data, _ cut: Cut, _ name: String) throws -> Outcome {
    let bench = try SessionBench.connected()
    var epochs: [String: [Epoch]] = [:]
    /// The time of the last fix of each receiver.
    var lastTimes: [String: String] = [:]
    /// The receivers whose last position report has no fix.
    var lostDevices: Set<String> = []
    var locations: [String: [(Location, Duration)]] = [:]
    func receive(_ events: [BackendEvent]) {
      for location in events.locations {
        let device = location.sourceInformation?.device ?? ""
        locations[device, default: []].append((location, bench.transport.time))
      }
    }
    // Advances by single milliseconds, because `receive` records the time of each location.
    func advance(milliseconds count: Int) {
      for _ in 0..<count { receive(bench.advance(milliseconds: 1)) }
    }
    var chunk = ""
    for line in data.split(separator: 10) where line.first == UInt8(ascii: "{") {
      let report = try #require(
        try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
      let text = String(decoding: line, as: UTF8.self) + "\r\n"
      let device = report["device"] as? String ?? ""
      let isPosition = report["class"] as? String == "TPV"
      let isFix =
        isPosition && (report["mode"] as? Int ?? 0) >= 2 && report["lat"] is NSNumber
        && report["lon"] is NSNumber
      let time = report["time"] as? String
      let isSame = isFix && time != nil && time == lastTimes[device]
      if isPosition, !isSame, cut != .bytes {
        receive(try bench.receive(chunk))
        chunk = ""
        advance(milliseconds: cut == .lines ? 960 : 1000)
      }
      if cut == .lines { advance(milliseconds: 10) }
      if isSame, lostDevices.contains(device) {
        // After a loss, the delivered epoch is not repeated.
      } else if isSame, let index = epochs[device]?.indices.last {
        epochs[device]?[index].reports.append(report)
        epochs[device]?[index].lastArrival = bench.transport.time
      } else if isFix {
        epochs[device, default: []].append(
          Epoch(reports: [report], lastArrival: bench.transport.time))
      }
      if isFix { lastTimes[device] = time }
      if isPosition, !isSame {
        if isFix { lostDevices.remove(device) } else { lostDevices.insert(device) }
      }
      switch cut {
      case .lines: receive(try bench.receive(text))
      case .epochs: chunk += text
      case .bytes:
        chunk += text
        while chunk.utf8.count > 1500 {
          receive(try bench.receive(String(decoding: chunk.utf8.prefix(1500), as: UTF8.self)))
          chunk = String(decoding: chunk.utf8.dropFirst(1500), as: UTF8.self)
        }
      }
    }
    receive(try bench.receive(chunk))
    advance(milliseconds: 1000)
    var outcome = Outcome()
    for (device, epochs) in epochs {
      let found = locations[device] ?? []
      #expect(found.count == epochs.count, "\(name), \(cut), \(device)")
      guard found.count == epochs.count else { continue }
      for (index, (epoch, (location, instant))) in zip(epochs, found).enumerated() {
        outcome.reports += epoch.reports.count
        outcome.epochs += 1
        outcome.delivered += 1
        outcome.several += epoch.reports.count > 1 ? 1 : 0
        // The number of reports whose merged values equal the location.
        let reportCount = (1...epoch.reports.count).last { count in
          agrees(location, epoch.reports.prefix(count))
        }
        #expect(reportCount != nil, "\(name), \(cut): \(location) is none of \(epoch.reports)")
        outcome.whole += reportCount == epoch.reports.count ? 1 : 0
        if cut == .epochs { #expect(reportCount == epoch.reports.count, "\(name)") }
        let delay = instant - epoch.lastArrival
        outcome.longest = max(outcome.longest, delay)
        guard delay > .zero, cut == .lines else { continue }
        outcome.delayed += 1
        // A delay occurs only if two of three consecutive epochs before it, among the last eight,
        // had more than one report.
        let reportCounts = epochs[max(0, index - 8)..<index].map(\.reports.count)
        let hadSeveralReports = reportCounts.indices.contains { last in
          reportCounts[max(0, last - 2)...last].count { $0 > 1 } >= 2
        }
        #expect(hadSeveralReports, "\(name): epoch \(index) came late for nothing")
      }
    }
    return outcome
  }

  /// Whether a location equals the merged values of reports, read by Foundation.
  private func agrees(_ location: Location, _ reports: ArraySlice<[String: Any]>) -> Bool {
    var fix: [String: Any] = [:]
    for report in reports { fix.merge(report) { $1 } }
    func number(_ name: String, _ range: ClosedRange<Double> = -1e9...1e9) -> Double? {
      (fix[name] as? NSNumber).map(\.doubleValue).flatMap { range.contains($0) ? $0 : nil }
    }
    let isMoving = number("speed").map { $0 >= 0.5 } ?? true
    let course = isMoving ? number("track", 0...360) : nil
    let combinedError = number("epx").flatMap { east in
      number("epy").map { (hypot(east, $0) * 1_000).rounded() / 1_000 }
    }
    let gnss = location.gnss
    return location.latitude == number("lat") && location.longitude == number("lon")
      && location.speed == number("speed") && location.course == (course == 360 ? 0 : course)
      && location.climb == number("climb") && location.speedAccuracy == number("eps")
      && location.ellipsoidalAltitude == number("altHAE")
      && location.altitude
        == (number("altMSL") ?? (number("altHAE") == nil ? number("alt") : nil))
      && location.horizontalAccuracy == (number("eph") ?? combinedError)
      && location.verticalAccuracy == number("epv")
      && gnss?.geoidSeparation == number("geoidSep") && gnss?.timeUncertainty == number("ept")
      && gnss?.magneticVariation == number("magvar", -180...180)
      && (gnss?.mode == .threeDimensional) == (number("mode") == 3)
  }
}
