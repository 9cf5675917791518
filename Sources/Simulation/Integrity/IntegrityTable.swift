import AsyncLocation

/// The table in the documentation that shows which attacks the checks of locations detect.
package struct IntegrityTable: Sendable {
  /// The attacks of each kind, and the simulated hours without an attack.
  private let attacks: Int
  private let hours: Int
  private let seed: UInt64

  package init(attacks: Int = 200, hours: Int = 100, seed: UInt64) {
    (self.attacks, self.hours, self.seed) = (attacks, hours, seed)
  }

  /// The lines of the table, in Markdown.
  package var lines: [String] {
    var lines = [
      "| attack | flagged | median | 90 % | reasons |", "| --- | ---: | ---: | ---: | --- |",
    ]
    var delays: [Double] = []
    for attack in Attack.allCases {
      let outcomes = (0..<attacks).map {
        IntegrityTrial.outcome(of: attack, seed: seed &+ UInt64($0))
      }
      if attack != .consistentDrag { delays += outcomes.compactMap(\.delay) }
      lines.append(row("\(attack)", outcomes))
    }
    let total = attacks * Attack.detectable.count
    lines.append(
      "| all but the last | \(percent(delays.count, of: total)) | \(quantile(0.5, of: delays)) | "
        + "\(quantile(0.9, of: delays)) | |")
    let alarms = (0..<hours).compactMap {
      IntegrityTrial.falseAlarm(seconds: 3_600, seed: seed &+ 10_000 &+ UInt64($0))
    }
    lines += ["", "False alarms in \(hours) hours without an attack: \(alarms.count)."]
    lines += alarms.map { "- seed \($0.seed) at \($0.time) s: \($0.reasons)" }
    return lines
  }

  private func row(_ name: String, _ outcomes: [IntegrityTrial.Outcome]) -> String {
    let delays = outcomes.compactMap(\.delay)
    let counts = LocationIntegrity.Reasons.names.map { reason in
      (reason.name, outcomes.count { $0.reasons.contains(reason.option) })
    }
    let reasons = counts.filter { $0.1 > 0 }.sorted { $0.1 > $1.1 }.map { "\($0.0) \($0.1)" }
    return
      "| \(name) | \(percent(delays.count, of: outcomes.count)) | \(quantile(0.5, of: delays)) | "
      + "\(quantile(0.9, of: delays)) | \(reasons.joined(separator: ", ")) |"
  }

  private func percent(_ count: Int, of total: Int) -> String {
    "\((Double(count) / Double(max(total, 1)) * 1_000).rounded() / 10) %"
  }

  private func quantile(_ share: Double, of delays: [Double]) -> String {
    guard !delays.isEmpty else { return "" }
    let sorted = delays.sorted()
    let delay = sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
    return "\((delay * 10).rounded() / 10) s"
  }
}
