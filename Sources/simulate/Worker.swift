import Foundation
import Simulation

/// Runs a share of the schedules on a single thread.
struct Worker {
  let span: Arguments.Span
  let share: Int
  let shares: Int
  let url: URL

  func work() throws {
    let progress = try Progress(url.appendingPathExtension("progress"))
    let scenarios = span.scenario.flatMap(Scenario.named).map { [$0] } ?? Scenario.all
    var report = Report()
    var hashes = [UInt64]()
    // A file that a worker creates when it finds a violation, and that stops the others.
    let found = url.deletingLastPathComponent().appendingPathComponent("found")
    for number in stride(from: share, to: span.schedules, by: shares) {
      if span.stopsAtFirst, report.schedules % 64 == 0,
        FileManager.default.fileExists(atPath: found.path)
      {
        break
      }
      let seed = span.seed &+ UInt64(number)
      progress.record(seed)
      let scenario = scenarios[Int(seed % UInt64(scenarios.count))]
      let outcome = Simulator.run(scenario, seed: seed)
      report.schedules += 1
      report.steps += outcome.steps
      report.operations += outcome.schedule.operations.count
      hashes.append(outcome.hash)
      guard let violation = outcome.violation else { continue }
      add(violation, of: outcome, in: scenario, number: number, seed: seed, to: &report)
      if span.stopsAtFirst {
        try Data().write(to: found)
        break
      }
    }
    report.hashes = hashes.withUnsafeBytes { Data($0) }
    try JSONEncoder().encode(report).write(to: url)
  }

  /// Adds a violation to a report. The schedule of the first one of its kind is shrunk.
  private func add(
    _ violation: Violation, of outcome: Outcome, in scenario: Scenario, number: Int, seed: UInt64,
    to report: inout Report
  ) {
    if let index = report.findings.firstIndex(where: {
      $0.scenario == scenario.name && $0.name == violation.name
    }) {
      report.findings[index].count += 1
      return
    }
    let shrunk = Simulator.shrink(scenario, outcome.schedule, violation.name)
    report.findings.append(
      Report.Finding(
        scenario: scenario.name, name: violation.name,
        details: shrunk.violation?.details ?? violation.details, seed: seed,
        schedulesBefore: number + 1,
        story: ["operations:"] + shrunk.schedule.operations.map { "  \($0)" }
          + ["steps:"] + shrunk.log.map { "  \($0)" }))
  }
}

/// Writes the current seed to a file, so that a crash can be attributed to its seed.
final class Progress {
  private let memory: UnsafeMutableRawPointer

  init(_ url: URL) throws {
    let descriptor = Glibc.open(url.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
    defer { close(descriptor) }
    guard ftruncate(descriptor, 8) == 0,
      let memory = mmap(nil, 8, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
      memory != MAP_FAILED
    else { throw CocoaError(.fileWriteUnknown) }
    self.memory = memory
  }

  deinit { munmap(memory, 8) }

  func record(_ seed: UInt64) { memory.storeBytes(of: seed, as: UInt64.self) }

  /// The last seed that a worker started; nil if it started none.
  static func last(_ url: URL) -> UInt64? {
    guard let data = try? Data(contentsOf: url), data.count == 8 else { return nil }
    return data.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
  }
}
