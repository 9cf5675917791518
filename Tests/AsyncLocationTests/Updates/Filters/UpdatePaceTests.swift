import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// Tests `minimumInterval` with receivers of many rates whose reports arrive unevenly.
@Suite(.inTurn) struct UpdatePaceTests {
  /// A receiver's fixes and when they arrive.
  struct Receiver: Sendable {
    /// Seconds between fixes, by the receiver's clock.
    var period = 1.0
    var count = 1_000
    /// The maximum delay of a report in seconds.
    var jitter = 0.0
    /// The relative rate by which the host clock is slower than the receiver's; slewing permits
    /// 0.0005.
    var drift = 0.0
    var timeSource = SourceInformation.TimeSource.receiver
    var device: String? = "/dev/gps"
    /// The resolution of the receiver's timestamps in seconds; gpsd writes milliseconds.
    var resolution = 0.001
    /// The fix at which a stall starts and its length in seconds; then all fixes arrive at once.
    var stall: (fix: Int, seconds: Double)?

    func reports(seed: UInt64 = 1) -> [Report] {
      var random = SplitMix64(seed: seed)
      var (latest, stallEnds) = (0.0, 0.0)
      return (0..<count).map { index in
        let time = Double(index) * period
        if let stall, stall.fix == index { stallEnds = time + stall.seconds }
        let due = time * (1 - drift) + .random(in: 0...max(jitter, 0), using: &random)
        latest = max(latest, due, stallEnds)
        let stamp = (time / resolution).rounded(.down) * resolution
        return Report(time: time, arrival: latest, location: location(stamp))
      }
    }

    private func location(_ seconds: Double) -> Location {
      try! Location(
        latitude: 50, longitude: 13, timestamp: Sample.date(seconds),
        sourceInformation: SourceInformation(device: device, timeSource: timeSource))
    }
  }

  struct Report: Sendable {
    /// Seconds of the receiver's clock and of the host's.
    let time: Double
    let arrival: Double
    let location: Location
  }

  static func delivered(
    _ reports: [Report], every interval: Double, device: String? = nil, accuracyCounts: Bool = true
  ) -> [Report] {
    var filter = UpdateFilter(
      UpdateOptions(minimumInterval: .seconds(interval), device: device))
    return reports.filter {
      filter.admits($0.location, at: .seconds($0.arrival), accuracyCounts: accuracyCounts)
    }
  }

  // MARK: A receiver that reports at the interval

  @Test(.longWork, arguments: [0.02, 0.05, 0.2, 0.9])
  func dropsNoFixAt1Hz(_ jitter: Double) {
    for seed in 1...5 {
      for drift in [-0.0005, 0, 0.0005] {
        let reports = Receiver(jitter: jitter, drift: drift).reports(seed: UInt64(seed))
        #expect(Self.delivered(reports, every: 1).count == 1_000, "seed \(seed)")
      }
    }
  }

  @Test(arguments: [0.1, 0.5, 1, 2, 3, 4, 5, 7, 8, 10, 16, 20, 25, 50])
  func dropsNoFixAtAnyRate(_ rate: Double) {
    for seed in 1...3 {
      for drift in [-0.0005, 0.0005] {
        let receiver = Receiver(period: 1 / rate, jitter: 0.2 / rate, drift: drift)
        let reports = receiver.reports(seed: UInt64(seed))
        #expect(Self.delivered(reports, every: 1 / rate).count == 1_000, "seed \(seed)")
      }
    }
  }

  /// No fix is dropped with host timestamps and a jitter of up to a quarter of the interval.
  @Test(.longWork, arguments: [1, 2, 5, 10])
  func dropsNoFixWithHostTimestamps(_ rate: Double) {
    for seed in 1...5 {
      for drift in [-0.0005, 0, 0.0005] {
        var receiver = Receiver(period: 1 / rate, jitter: 0.24 / rate, drift: drift)
        receiver.timeSource = .host
        let reports = receiver.reports(seed: UInt64(seed))
        #expect(Self.delivered(reports, every: 1 / rate).count == 1_000, "seed \(seed)")
      }
    }
  }

  @Test(.longWork) func dropsNoFixWithADriftingClock() {
    for timeSource in [SourceInformation.TimeSource.receiver, .provisional, .host] {
      var receiver = Receiver(count: 30_000, jitter: 0.05, drift: 0.0005)
      receiver.timeSource = timeSource
      #expect(Self.delivered(receiver.reports(), every: 1).count == 30_000, "\(timeSource)")
    }
  }

  // MARK: A receiver that reports more often

  /// The fixes at whole seconds pass, with any jitter.
  @Test(arguments: [2, 4, 5, 8, 10, 20])
  func aFastReceiverPassesOneFixPerInterval(_ rate: Double) {
    for seed in 1...4 {
      let reports = Receiver(period: 1 / rate, jitter: 0.5 / rate).reports(seed: UInt64(seed))
      let times = Self.delivered(reports, every: 1).map { Int(($0.time * 1_000).rounded()) }
      #expect(times == (0...Int(999 / rate)).map { $0 * 1_000 }, "seed \(seed)")
    }
  }

  struct Load: CustomTestStringConvertible, Sendable {
    let (rate, interval): (Double, Double)
    let timeSource: SourceInformation.TimeSource
    var testDescription: String { "\(rate) Hz, every \(interval) s, stamped by the \(timeSource)" }
  }

  static let loads = [0.3, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 16, 50].flatMap { rate in
    [0.1, 0.2, 0.35, 0.5, 0.7, 1, 1.3, 2.5, 10].flatMap { interval in
      [SourceInformation.TimeSource.receiver, .host].map {
        Load(rate: rate, interval: interval, timeSource: $0)
      }
    }
  }

  /// In the long run, at most one fix per interval passes, and not many fewer.
  @Test(arguments: loads)
  func atMostOneFixPerIntervalPasses(_ load: Load) {
    for seed in 1...2 {
      var receiver = Receiver(
        period: 1 / load.rate, count: 400, jitter: 0.05, drift: 0.0002)
      receiver.timeSource = load.timeSource
      let reports = receiver.reports(seed: UInt64(seed))
      let kept = Self.delivered(reports, every: load.interval)
      Self.checkPace(kept, every: load.interval, "seed \(seed)")
      // The gap is at most the interval, the delay of a report and the wait for the next one.
      for (one, next) in zip(kept, kept.dropFirst()) {
        #expect(
          next.arrival - one.arrival <= load.interval * 1.25 + 1 / load.rate + 0.06,
          "seed \(seed)")
      }
    }
  }

  /// Checks that at most one report passes per interval, and that no two reports are too close
  /// together by both clocks.
  static func checkPace(_ kept: [Report], every interval: Double, _ context: String) {
    guard let first = kept.first else { return }
    for (index, report) in kept.enumerated() {
      // The first report, one more because the first may have been late, a quarter because a report
      // may be early, and one for each elapsed interval, less the permitted clock error.
      let most = 2.26 + (report.arrival - first.arrival) / (interval * 0.999)
      if Double(index + 1) > most {
        Issue.record("\(context): \(index + 1) within \(report.arrival - first.arrival) s")
        return
      }
    }
    for (one, next) in zip(kept, kept.dropFirst()) {
      // A report may be early by a quarter of the interval; timestamps have milliseconds.
      let gap = max(next.arrival - one.arrival, next.time - one.time)
      if gap < interval * 0.749 - 0.001 {
        Issue.record("\(context): two within \(gap) s")
        return
      }
    }
  }

  // MARK: Other cases

  /// A backlog is delivered at once where the receiver's times are an interval apart.
  @Test(arguments: [1, 5, 10])
  func deliversABacklogAfterAStall(_ rate: Double) {
    let reports = Receiver(
      period: 1 / rate, jitter: 0.02, stall: (fix: Int(20 * rate), seconds: 30.5)
    ).reports()
    let kept = Self.delivered(reports, every: 1)
    Self.checkPace(kept, every: 1, "\(rate) Hz")
    #expect(kept.count == Int(999 / rate) + 1)
  }

  @Test func aBurstWithHostTimestampsPassesOneFix() {
    var receiver = Receiver(period: 0.1, stall: (fix: 200, seconds: 30))
    receiver.timeSource = .host
    let kept = Self.delivered(receiver.reports(), every: 1)
    #expect(kept.count { $0.arrival == 50 } == 1)
    Self.checkPace(kept, every: 1, "stall")
  }

  /// The host clock limits a fast receiver clock, as in a replay.
  @Test(.longWork, arguments: [2.0, 10, 100, 10_000])
  func aFastReceiverClockIsLimitedByArrival(_ speed: Double) {
    var reports: [Report] = []
    for report in Receiver(count: 20_000).reports() {
      reports.append(
        Report(
          time: report.time, arrival: report.time / speed + (report.time >= 10_000 ? 600 : 0),
          location: report.location))
    }
    let kept = Self.delivered(reports, every: 1)
    Self.checkPace(kept, every: 1, "\(speed) times")
    // After ten minutes of silence, a bounded number of intervals (64) is made up for.
    let burst = kept.count { $0.time >= 10_000 && $0.arrival < 10_000 / speed + 601 }
    #expect(burst <= 67)
  }

  /// Tests and sources without a clock have arbitrary timestamps: only the host clock counts.
  @Test(arguments: [0, 1e-6, 0.001, -1])
  func constantTimestampsFallBackToArrival(_ step: Double) {
    var filter = UpdateFilter(UpdateOptions(minimumInterval: .seconds(2)))
    for second in 0..<20 {
      let location = Sample.location(Double(second) * step)
      #expect(filter.admits(location, at: .seconds(second)) == second.isMultiple(of: 2))
    }
  }

  @Test func wholeSecondTimestampsDropNoFix() {
    let reports = Receiver(period: 0.2, jitter: 0.04, resolution: 1).reports()
    #expect(Self.delivered(reports, every: 0.2).count == 1_000)
    #expect(Self.delivered(reports, every: 1).count == 200)
  }

  @Test func severalReportsOfOneEpochPassOnce() {
    let reports = Receiver(jitter: 0.02).reports().flatMap { report in
      [0, 0.02, 0.04].map {
        Report(time: report.time, arrival: report.arrival + $0, location: report.location)
      }
    }
    #expect(Self.delivered(reports, every: 1).count == 1_000)
    #expect(Set(Self.delivered(reports, every: 1).map(\.time)).count == 1_000)
  }

  /// The location is unchanged for minutes; its arrival counts.
  @Test func reducedAccuracyIsPacedByArrival() {
    let reports = Receiver(count: 2_000, jitter: 0.05, resolution: 300).reports()
    let kept = Self.delivered(reports, every: 10, accuracyCounts: false)
    #expect(kept.count == 200)
    Self.checkPace(kept, every: 10, "reduced")
  }

  @Test func aClockSetBackDropsNothing() {
    let before = Receiver(count: 100, jitter: 0.02).reports()
    let after = Receiver(count: 100, jitter: 0.02).reports(seed: 2).map {
      Report(time: $0.time + 100, arrival: $0.arrival + 100, location: $0.location)
    }
    let kept = Self.delivered(before + after, every: 1)
    #expect(kept.count == 200)
    Self.checkPace(kept, every: 1, "set back")
  }

  @Test func aClockSetForwardPassesNoExtraFixes() {
    let before = Receiver(period: 0.1, count: 1_000).reports()
    let after = Receiver(period: 0.1, count: 1_000).reports().map { report in
      Report(
        time: report.time + 100, arrival: report.arrival + 100,
        location: Sample.location(report.time + 1e9, latitude: 50, device: "/dev/gps"))
    }
    let kept = Self.delivered(before + after, every: 1)
    #expect(kept.count == 200)
  }

  @Test func aGapPassesNoExtraFixes() {
    let first = Receiver(period: 0.1, count: 100).reports()
    let second = first.map { report in
      Report(
        time: report.time + 1_000, arrival: report.arrival + 1_000,
        location: Sample.location(report.time + 1_000, latitude: 50, device: "/dev/gps"))
    }
    #expect(Self.delivered(first + second, every: 1).count == 20)
  }

  /// Each receiver has its own clock: between receivers the host clock counts.
  @Test func aChangeOfReceiverIsMeasuredByArrival() {
    let first = Receiver(count: 100, jitter: 0.02).reports()
    let second = first.map { report in
      Report(
        time: report.time + 100.5, arrival: report.arrival + 100.5,
        location: Sample.location(report.time - 5_000, latitude: 50, device: "/dev/other"))
    }
    let kept = Self.delivered(first + second, every: 1)
    #expect(kept.count == 200)
    let named = Self.delivered(first + second, every: 1, device: "/dev/other")
    #expect(named.count == 100)
  }

  @Test func extremeIntervalsDoNotTrap() {
    let reports = Receiver(count: 10).reports()
    for interval in [Duration.seconds(Int64.max), .seconds(1e19), Duration(attoseconds: .max)] {
      var filter = UpdateFilter(UpdateOptions(minimumInterval: interval))
      #expect(reports.count { filter.admits($0.location, at: .seconds($0.arrival)) } == 1)
    }
    var filter = UpdateFilter(UpdateOptions(minimumInterval: Duration(attoseconds: 1)))
    #expect(reports.count { filter.admits($0.location, at: .seconds($0.arrival)) } == 10)
  }
}
