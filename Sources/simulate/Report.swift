import Foundation

/// The results of one share of the schedules, or of all shares.
struct Report: Codable, Sendable {
  /// The violations of one guarantee in one scenario, and the schedule with the lowest seed.
  struct Finding: Codable, Sendable {
    let scenario: String
    let name: String
    let details: String
    let seed: UInt64
    /// The number of schedules up to and including this one, in order of seeds.
    let schedulesBefore: Int
    var count = 1
    /// The shrunk schedule and its log.
    let story: [String]
  }

  var schedules = 0
  var steps = 0
  var operations = 0
  var findings: [Finding] = []
  /// The hashes of all schedules, eight bytes each.
  var hashes = Data()

  /// Adds the results of another worker.
  mutating func add(_ other: Report) {
    schedules += other.schedules
    steps += other.steps
    operations += other.operations
    hashes.append(other.hashes)
    for finding in other.findings {
      guard
        let index = findings.firstIndex(where: {
          $0.scenario == finding.scenario && $0.name == finding.name
        })
      else {
        findings.append(finding)
        continue
      }
      let count = findings[index].count + finding.count
      if finding.seed < findings[index].seed { findings[index] = finding }
      findings[index].count = count
    }
  }

  /// The number of distinct schedules.
  var distinct: Int {
    var values = [UInt64](repeating: 0, count: hashes.count / 8)
    _ = values.withUnsafeMutableBytes { hashes.copyBytes(to: $0) }
    return Set(values).count
  }
}
