import CGPSDShims
import Foundation
import Testing

@testable import GPSDBackend

/// Every field of reports, as we read it and as libgps does. What differs is explained in
/// Documentation/LibGPS.md, or fails.
@Suite(
  .timeLimit(.minutes(5)),
  .enabled(if: cgpsd_api_version() == 11, "explained for libgps 3.22, built with trait LibGPS"))
struct DifferentialTests {
  /// One field, over all lines.
  fileprivate struct Row {
    var equal = 0
    var differing: [Explanation: Int] = [:]
  }

  fileprivate struct Tally {
    var rows: [String: Row] = [:]
    var lines = 0
    var refused: [Explanation: Int] = [:]
    var unexplained: [String] = []
  }

  @Test func everyDifferenceIsExplained() throws {
    var tally = Tally()
    for lines in [
      DifferentialLines.written, try DifferentialLines.fuzzed(),
      DifferentialLines.generated(count: 4500, seed: 7), try Self.recorded(),
    ] { try compare(lines, &tally) }
    Self.show(tally)
    #expect(tally.unexplained.isEmpty)
    for line in tally.unexplained.prefix(4000) { print("UNEXPLAINED", line) }
    #expect(tally.rows.count > 100)
  }

  @Test func everyExplanationIsDocumented() throws {
    let file = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Documentation/LibGPS.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    for explanation in Explanation.allCases {
      #expect(text.contains("| \(explanation.rawValue) |"), "\(explanation) is not explained")
    }
  }

  /// The lines of a folder of recordings, if there is one.
  private static func recorded() throws -> [String] {
    guard let path = ProcessInfo.processInfo.environment["ASYNC_LOCATION_CORPUS"] else { return [] }
    let root = URL(fileURLWithPath: path)
    return try ["gpsd-3.22", "gpsd-next"].flatMap { folder in
      let folder = root.appendingPathComponent(folder)
      return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        .filter { $0.hasSuffix(".chk") }
        .flatMap { file in
          String(
            decoding: try Data(contentsOf: folder.appendingPathComponent(file)), as: UTF8.self
          ).split(whereSeparator: \.isNewline).filter { $0.first == "{" }.map(String.init)
        }
    }
  }

  private func compare(_ lines: [String], _ tally: inout Tally) throws {
    // What is no report for us is none to compare; nor is what keeps its bytes.
    let reports = lines.compactMap { line in
      (try? GPSDReport(line: Array(line.utf8))).map { (line: line, report: $0) }
    }
    let answers = try LibGPSParser.parse(
      reports.map { ($0.report.className, Array($0.line.utf8)) })
    for ((line, report), answer) in zip(reports, answers) {
      tally.lines += 1
      let encoded = try JSONEncoder().encode(report)
      let ours = try #require(
        try JSONSerialization.jsonObject(with: encoded) as? [String: Any])
      let whole = Explanation.Line(report: report, text: line, ours: ours)
      switch answer {
      case .hang, .crash: tally.refuse(whole, Explanation.refusal(whole, answer))
      case .values(let theirs):
        if let reason = Explanation.refusal(whole, answer) {
          tally.refuse(whole, reason)
        } else {
          compare(ours, theirs, in: report.className, whole, &tally)
        }
      }
    }
  }

  private func compare(
    _ ours: [String: Any], _ theirs: [String: Any], in name: String, _ line: Explanation.Line,
    _ tally: inout Tally
  ) {
    for key in Set(ours.keys).union(theirs.keys).subtracting(["class", "set", "result"]) {
      let field = "\(name).\(key)"
      let pair = Explanation.Pair(
        name: name, key: key, ours: ours[key], theirs: theirs[key], allOurs: ours,
        allTheirs: theirs)
      if let (left, right) = pair.lists {
        if left.count == right.count {
          tally.rows[field, default: Row()].equal += 1
        } else {
          tally.count(field, pair, Explanation.of(pair), line)
        }
        for (left, right) in zip(left, right) {
          let inner = ["devices": "DEVICES.device", "satellites": "satellite"][key] ?? key
          compare(left, right, in: inner, line, &tally)
        }
      } else if pair.isEqual {
        tally.rows[field, default: Row()].equal += 1
      } else {
        tally.count(field, pair, Explanation.of(pair), line)
      }
    }
  }

  private static func show(_ tally: Tally) {
    func cell(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(0, width - text.count))
    }
    print("\(cell("field", 28))\(cell("equal", 9))\(cell("differ", 9))explanation")
    var sums = Row()
    for (field, row) in tally.rows.sorted(by: { $0.key < $1.key }) {
      let differing = row.differing.values.reduce(0, +)
      let reasons = row.differing.sorted { $0.key.rawValue < $1.key.rawValue }
        .map { "\($0.key.rawValue) ×\($0.value)" }.joined(separator: ", ")
      print("\(cell(field, 28))\(cell("\(row.equal)", 9))\(cell("\(differing)", 9))\(reasons)")
      sums.equal += row.equal
      sums.differing.merge(row.differing, uniquingKeysWith: +)
    }
    for (reason, count) in tally.refused.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      print("\(cell("whole lines", 46))\(reason.rawValue) ×\(count)")
    }
    print(
      "\(tally.lines) lines; fields equal \(sums.equal), different and explained "
        + "\(sums.differing.values.reduce(0, +)), whole lines explained "
        + "\(tally.refused.values.reduce(0, +)), unexplained \(tally.unexplained.count)")
  }
}

extension DifferentialTests.Tally {
  fileprivate mutating func refuse(_ line: Explanation.Line, _ reason: Explanation?) {
    guard let reason else {
      unexplained.append("the whole line: \(line.text)")
      return
    }
    refused[reason, default: 0] += 1
  }

  fileprivate mutating func count(
    _ field: String, _ pair: Explanation.Pair, _ reason: Explanation?, _ line: Explanation.Line
  ) {
    guard let reason else {
      let (ours, theirs) = (pair.ours.map { "\($0)" }, pair.theirs.map { "\($0)" })
      unexplained.append(
        "\(field): ours \(ours ?? "absent"), libgps \(theirs ?? "absent"): \(line.text.prefix(700))")
      return
    }
    rows[field, default: .init()].differing[reason, default: 0] += 1
  }
}
