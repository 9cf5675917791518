import CGPSDShims
import Foundation
import TestSupport
import Testing

@testable import GPSDReports

/// Compares every field of reports with libgps. Differences must be explained in
/// Documentation/LibGPS.md.
@Suite(
  .enabled(if: cgpsd_api_version() == 11, "explained for libgps 3.22, built with trait LibGPS"),
  .inTurn)
struct DifferentialTests {
  /// The comparisons of one field, over all lines.
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

  @Test(.longWork) func everyDifferenceIsExplained() throws {
    var tally = Tally()
    for lines in [
      DifferentialLines.written, try DifferentialLines.fuzzed(),
      DifferentialLines.generated(count: 4500, seed: 7), try Self.recorded(),
    ] { try compare(lines, &tally) }
    Self.show(tally)
    #expect(tally.unexplained.isEmpty)
    for line in tally.unexplained.prefix(40) { print("UNEXPLAINED", line) }
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
    guard Corpus.path != nil else { return [] }
    return try Corpus.folders.flatMap { folder in
      try Corpus.reports(in: folder).flatMap { _, bytes in
        String(decoding: bytes, as: UTF8.self)
          .split(whereSeparator: \.isNewline).filter { $0.first == "{" }.map(String.init)
      }
    }
  }

  private func compare(_ lines: [String], _ tally: inout Tally) throws {
    // Lines that this library refuses, and reports that it keeps as bytes, are not compared.
    let reports = lines.compactMap { line in
      (try? GPSDReport(line: Array(line.utf8))).map { (line: line, report: $0) }
    }
    let answers = try LibGPSParser.parse(
      reports.map { ($0.report.className, Array($0.line.utf8)) })
    for ((line, report), answer) in zip(reports, answers) {
      tally.lines += 1
      if let reason = Explanation.refusal(report, answer) {
        tally.refused[reason, default: 0] += 1
      } else if case .values(let theirs) = answer {
        let ours = try object(JSONEncoder().encode(report))
        let raw = (try? object(Data(line.utf8))) ?? Self.membersWithOddTokens(of: line)
        compare(ours, theirs, raw, in: report.className, line, &tally)
      } else {
        tally.unexplained.append("\(answer): \(line)")
      }
    }
  }

  private func object(_ json: Data) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
  }

  /// The members of a line that JSONSerialization rejects because of invalid numbers.
  private static func membersWithOddTokens(of line: String) -> [String: Any] {
    func object(_ members: [JSONReference.Member]) -> [String: Any] {
      Dictionary(
        members.map { (String(decoding: $0.key, as: UTF8.self), any($0.value)) },
        uniquingKeysWith: { $1 })
    }
    func any(_ value: JSONReference.Value) -> Any {
      switch value {
      case .number(let number): number
      case .flag(let flag): flag
      case .text(let text): String(decoding: text, as: UTF8.self)
      case .list(let list): list.map(any)
      case .object(let members): object(members)
      case .null: NSNull()
      case .unreadable(let token):
        Explanation.OddToken(text: String(decoding: token, as: UTF8.self))
      }
    }
    return object(JSONReference.members(of: Array(line.utf8)[...]) ?? [])
  }

  private func compare(
    _ ours: [String: Any], _ theirs: [String: Any], _ raw: [String: Any], in name: String,
    _ line: String, _ tally: inout Tally
  ) {
    for key in Set(ours.keys).union(theirs.keys).subtracting(["class", "set", "result"]) {
      let pair = Explanation.Pair(
        name: name, key: key, ours: ours[key], theirs: theirs[key], allOurs: ours,
        allTheirs: theirs, raw: raw)
      guard let (left, right) = pair.lists, left.count == right.count else {
        tally.count(pair, line)
        continue
      }
      tally.rows["\(name).\(key)", default: Row()].equal += 1
      let elements = (raw[key] as? [Any])?.compactMap { $0 as? [String: Any] } ?? []
      for (index, (left, right)) in zip(left, right).enumerated() {
        let inner = ["devices": "DEVICES.device", "satellites": "satellite"][key] ?? key
        let element = index < elements.count ? elements[index] : [:]
        compare(left, right, element, in: inner, line, &tally)
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
  fileprivate mutating func count(_ pair: Explanation.Pair, _ line: String) {
    let field = "\(pair.name).\(pair.key)"
    if pair.isEqual {
      rows[field, default: .init()].equal += 1
    } else if let reason = Explanation.of(pair) {
      rows[field, default: .init()].differing[reason, default: 0] += 1
    } else {
      let (ours, theirs) = (pair.ours.map { "\($0)" }, pair.theirs.map { "\($0)" })
      unexplained.append(
        "\(field): ours \(ours ?? "absent"), libgps \(theirs ?? "absent"): \(line.prefix(700))")
    }
  }
}
