import AsyncLocation
import Foundation
import Testing

@testable import GPSDBackend

/// Recordings of receivers: each epoch once, and what it says.
@Suite(.needsCorpus) struct EpochRecordingTests {
  /// The reports of one time in a row, as gpsd sent them.
  struct Epoch {
    var reports: [[String: Any]]
    var firstArrival: Duration
    var lastArrival: Duration
  }

  enum Cut: String, CaseIterable {
    /// Every report arrives alone, those of one epoch 10 ms apart.
    case lines
    /// The reports of one epoch arrive together.
    case epochs
    /// Everything arrives at once in chunks of any place.
    case bytes
  }

  struct Outcome {
    var reports = 0
    var epochs = 0
    var several = 0
    var delivered = 0
    /// With all that the epoch's reports say.
    var whole = 0
    /// Delivered after their last report.
    var delayed = 0
    var longest = Duration.zero
  }

  @Test("F46 each epoch of a recording is one location", arguments: Cut.allCases)
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
    #expect(total.epochs > 700 && total.several > 40 && total.delivered == total.epochs)
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
    var last: [String: String] = [:]
    var isLost: Set<String> = []
    var locations: [String: [(Location, Duration)]] = [:]
    func hear(_ events: [BackendEvent]) {
      for location in events.locations {
        let device = location.sourceInformation?.device ?? ""
        locations[device, default: []].append((location, bench.transport.time))
      }
    }
    func hearFor(_ milliseconds: Int) {
      for _ in 0..<milliseconds { hear(bench.pass(1)) }
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
      let isSame = isFix && time != nil && time == last[device]
      if isPosition, !isSame, cut != .bytes {
        hear(try bench.receive(chunk))
        chunk = ""
        hearFor(cut == .lines ? 960 : 1000)
      }
      if cut == .lines { hearFor(10) }
      if isSame, isLost.contains(device) {
        // After a loss the epoch that was delivered does not come again.
      } else if isSame, let index = epochs[device]?.indices.last {
        epochs[device]?[index].reports.append(report)
        epochs[device]?[index].lastArrival = bench.transport.time
      } else if isFix {
        epochs[device, default: []].append(
          Epoch(
            reports: [report], firstArrival: bench.transport.time,
            lastArrival: bench.transport.time))
      }
      if isFix { last[device] = time }
      if isPosition, !isSame { if isFix { isLost.remove(device) } else { isLost.insert(device) } }
      switch cut {
      case .lines: hear(try bench.receive(text))
      case .epochs: chunk += text
      case .bytes:
        chunk += text
        while chunk.utf8.count > 1500 {
          hear(try bench.receive(String(decoding: chunk.utf8.prefix(1500), as: UTF8.self)))
          chunk = String(decoding: chunk.utf8.dropFirst(1500), as: UTF8.self)
        }
      }
    }
    hear(try bench.receive(chunk))
    hearFor(1000)
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
        // What the last reports say and the earlier ones complete; how many had arrived.
        let heard = (1...epoch.reports.count).last { count in
          agrees(location, epoch.reports.prefix(count))
        }
        #expect(heard != nil, "\(name), \(cut): \(location) is none of \(epoch.reports)")
        outcome.whole += heard == epoch.reports.count ? 1 : 0
        if cut == .epochs { #expect(heard == epoch.reports.count, "\(name)") }
        let delay = instant - epoch.lastArrival
        outcome.longest = max(outcome.longest, delay)
        guard delay > .zero, cut == .lines else { continue }
        outcome.delayed += 1
        // Only where epochs of several were frequent just before.
        let before = epochs[max(0, index - 8)..<index].map(\.reports.count)
        let frequent = before.indices.contains { last in
          before[max(0, last - 2)...last].count { $0 > 1 } >= 2
        }
        #expect(frequent, "\(name): epoch \(index) came late for nothing")
      }
    }
    return outcome
  }

  /// Whether a location says what reports say together, read by Foundation.
  private func agrees(_ location: Location, _ reports: ArraySlice<[String: Any]>) -> Bool {
    var fix: [String: Any] = [:]
    for report in reports { fix.merge(report) { $1 } }
    func number(_ name: String, _ range: ClosedRange<Double> = -1e9...1e9) -> Double? {
      (fix[name] as? NSNumber).map(\.doubleValue).flatMap { range.contains($0) ? $0 : nil }
    }
    let moves = number("speed").map { $0 >= 0.5 } ?? true
    let course = moves ? number("track", 0...360) : nil
    let parts = number("epx").flatMap { east in number("epy").map { hypot(east, $0) } }
    let gnss = location.gnss
    return location.latitude == number("lat") && location.longitude == number("lon")
      && location.speed == number("speed") && location.course == (course == 360 ? 0 : course)
      && location.climb == number("climb") && location.speedAccuracy == number("eps")
      && location.ellipsoidalAltitude == number("altHAE")
      && location.altitude
        == (number("altMSL") ?? (number("altHAE") == nil ? number("alt") : nil))
      && location.horizontalAccuracy == (number("eph") ?? parts)
      && location.verticalAccuracy == number("epv")
      && gnss?.geoidSeparation == number("geoidSep") && gnss?.timeUncertainty == number("ept")
      && gnss?.magneticVariation == number("magvar", -180...180)
      && (gnss?.mode == .threeDimensional) == (number("mode") == 3)
  }
}
