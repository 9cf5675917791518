import Foundation
import Simulation

/// Divides schedules among processes, each of which observes its own locks.
struct Team {
  let span: Arguments.Span
  let workers: Int

  /// Runs all schedules and prints the results. Returns true if there are no violations.
  func run() throws -> Bool {
    let start = ContinuousClock.now
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("simulate-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let shares = try (0..<workers).map { try begin($0, folder) }
    var (report, isSound) = (Report(), true)
    for (process, url, errorOutput) in shares {
      process.waitUntilExit()
      isSound = readReport(process, url, errorOutput, &report) && isSound
    }
    for finding in report.findings.sorted(by: { $0.seed < $1.seed }) { printFinding(finding) }
    printTotal(report, ContinuousClock.now - start)
    return isSound && report.findings.isEmpty
  }

  /// Starts a worker. Returns its process, and the files of its report and of its error output.
  private func begin(_ share: Int, _ folder: URL) throws -> (Process, URL, URL) {
    let url = folder.appendingPathComponent("\(share)")
    let errorOutput = folder.appendingPathComponent("\(share).errorOutput")
    try Data().write(to: errorOutput)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments =
      [
        "--schedules", "\(span.schedules)", "--seed", "\(span.seed)", "--share", "\(share)",
        "--shares", "\(workers)", "--report", url.path,
      ] + (span.scenario.map { ["--scenario", $0] } ?? [])
      + (span.stopsAtFirst ? ["--first"] : [])
    process.standardError = try FileHandle(forWritingTo: errorOutput)
    try process.run()
    return (process, url, errorOutput)
  }

  /// Reads the report of a worker. Returns false if the worker crashed or did not start, or if a
  /// continuation was misused.
  private func readReport(
    _ process: Process, _ url: URL, _ errorOutput: URL, _ report: inout Report
  ) -> Bool {
    let errors = (try? String(contentsOf: errorOutput, encoding: .utf8)) ?? ""
    FileHandle.standardError.write(Data(errors.utf8))
    var isSound = true
    if errors.contains("MISUSE") {
      print("VIOLATION O5 exactly once: the runtime found a continuation misused; see above")
      isSound = false
    }
    if let data = try? Data(contentsOf: url),
      let share = try? JSONDecoder().decode(Report.self, from: data)
    {
      report.add(share)
    } else if let seed = Progress.last(url.appendingPathExtension("progress")) {
      let scenario = span.scenario ?? Scenario.all[Int(seed % UInt64(Scenario.all.count))].name
      print("VIOLATION crash: seed \(seed) in \(scenario) ended the process")
      print("replay: \(replay(seed))")
      isSound = false
    } else {
      print("a worker failed to start, with status \(process.terminationStatus)")
      isSound = false
    }
    return isSound
  }

  private func replay(_ seed: UInt64) -> String {
    "scripts/simulate --replay \(seed)" + (span.scenario.map { " --scenario \($0)" } ?? "")
  }

  private func printFinding(_ finding: Report.Finding) {
    print(
      """
      VIOLATION \(finding.name): \(finding.details)
        scenario \(finding.scenario), first in seed \(finding.seed), \
      after \(finding.schedulesBefore) schedules, in \(finding.count) in all
      """)
    for line in finding.story { print("  \(line)") }
    print("replay: \(replay(finding.seed))")
  }

  private func printTotal(_ report: Report, _ time: Duration) {
    let distinct = report.distinct
    let percent = (Double(distinct) / Double(max(1, report.schedules)) * 10_000).rounded() / 100
    let violations = report.findings.reduce(0) { $0 + $1.count }
    let seconds = time / .seconds(1)
    print(
      """
      total: \(report.schedules) schedules, \(distinct) distinct (\(percent) %), \
      \(report.operations) operations, \(report.steps) steps checked, \(violations) violations, \
      \((seconds * 10).rounded() / 10) s on \(workers) processes
      """)
  }
}
