import AsyncLocation
import FoundationEssentials
import TestSupport

@testable import GPSDReports

/// Reads bytes, in chunks of a size or at once.
func read(
  _ bytes: [UInt8], chunk: Int = .max, cap: Int = ReportReader.defaultCap
) -> (items: [ReportReader.Item], statistics: ReportReader.Statistics) {
  var reader = ReportReader(maximumLineLength: cap)
  var items: [ReportReader.Item] = []
  var rest = bytes[...]
  while !rest.isEmpty {
    let bytes = Array(rest.prefix(chunk))
    reader.read(bytes.span) { items.append(copy $0) }
    rest = rest.dropFirst(min(chunk, rest.count))
  }
  return (items, reader.statistics)
}

/// The items of a chunk.
private struct CollectedItems: LineHandler, ReportValueHandler {
  private(set) var items: [ReportReader.Item] = []
  private(set) var lines: [[UInt8]] = []

  mutating func finish(_ line: Span<UInt8>) { lines.append(Array(copying: line)) }
  mutating func handle(_ report: borrowing GPSDReport) { items.append(.report(copy report)) }
  mutating func handle(_ line: ReportReader.MalformedLine) { items.append(.malformed(line)) }
}

extension ReportReader {
  /// Reads a chunk and passes each item with its line to a closure.
  mutating func readWhole(
    _ bytes: Span<UInt8>, with decoder: inout ReportDecoder,
    _ handle: (Item, [UInt8]) -> Void
  ) {
    var collected = CollectedItems()
    readWhole(bytes, with: &decoder, into: &collected)
    for (item, line) in zip(collected.items, collected.lines) { handle(item, line) }
  }
}

/// The report of one line; nil if the line is malformed.
func report(_ line: String) -> GPSDReport? {
  guard case .report(let report)? = read(Array(line.utf8) + [13, 10]).items.first else {
    return nil
  }
  return report
}

/// The reason why a line is malformed; nil if it is a report.
func fault(_ line: [UInt8]) -> ReportReader.MalformedLine.Reason? {
  guard case .malformed(let line)? = read(line + [13, 10]).items.first else { return nil }
  return line.reason
}

func tpv(_ line: String) -> TPV? {
  guard case .tpv(let report)? = report(line) else { return nil }
  return report
}

func sky(_ line: String) -> SKY? {
  guard case .sky(let report)? = report(line) else { return nil }
  return report
}

/// The events of a new assembler for lines, at a time of the host's clock.
func assembled(
  _ lines: [String], host: Date = date(2026, 11, 21)
) -> [BackendEvent] {
  var assembler = EventAssembler()
  return assembled(lines, host: host, &assembler)
}

func assembled(
  _ lines: [String], host: Date = date(2026, 11, 21), _ assembler: inout EventAssembler
) -> [BackendEvent] {
  var batch = EventBatch { host }
  for line in lines {
    guard let report = report(line) else { continue }
    assembler.add(report, to: &batch)
  }
  return batch.events
}
