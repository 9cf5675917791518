@testable import GPSDReports

/// The result of framer and decoder for each line of a stream, for one field.
struct LineOutcomes: ReportHandler {
  enum Outcome: Equatable {
    case malformed(ReportReader.MalformedLine.Reason)
    /// A report, and the field's value in it, bit by bit.
    case number(UInt64?)
    case text(String?)
    /// A report of another class.
    case other
  }

  /// The place of the field in a report.
  enum Place: Sendable {
    /// A field of TPV, by its index.
    case fieldOfTPV(Int)
    case device
    /// A field of the first satellite of a SKY report, by its index.
    case fieldOfSatellite(Int)

    static func tpv<Value>(_ field: KeyPath<TPV.Fields, ReportField<Value>>) -> Self {
      .fieldOfTPV(field.fieldIndex())
    }

    static func satellite<Value>(
      _ field: KeyPath<SatelliteReport.Fields, ReportField<Value>>
    ) -> Self {
      .fieldOfSatellite(field.fieldIndex())
    }
  }

  private let place: Place
  private(set) var outcomes: [Outcome] = []
  private(set) var statistics = ReportReader.Statistics()

  init(of place: Place) { self.place = place }

  mutating func handle(_ report: borrowing TPV) {
    switch place {
    case .fieldOfTPV(let field):
      outcomes.append(.number(report.storage.number(field)?.bitPattern))
    case .device: outcomes.append(.text(report.device))
    case .fieldOfSatellite: outcomes.append(.other)
    }
  }

  mutating func handle(_ report: borrowing SKY) {
    guard case .fieldOfSatellite(let field) = place else { return outcomes.append(.other) }
    outcomes.append(.number(report.satellites?.first?.storage.number(field)?.bitPattern))
  }

  mutating func handle(_ report: borrowing ATT) { outcomes.append(.other) }
  mutating func handle(inertial report: borrowing ATT) { outcomes.append(.other) }
  mutating func handle(_ report: borrowing GPSDReport) { outcomes.append(.other) }
  mutating func handle(_ line: ReportReader.MalformedLine) {
    outcomes.append(.malformed(line.reason))
  }

  /// Reads a stream in chunks that end at these offsets and at its end. The bytes after a chunk are
  /// present in memory and must not be read.
  static func read(
    _ stream: [UInt8], cutAt cuts: some Sequence<Int> = EmptyCollection<Int>(), of place: Place
  ) -> LineOutcomes {
    var reader = ReportReader()
    var decoder = ReportDecoder()
    var found = Self(of: place)
    let bytes = stream.span
    var start = 0
    for cut in cuts {
      reader.read(bytes.extracting(start..<cut), with: &decoder, into: &found)
      start = cut
    }
    reader.read(bytes.extracting(start...), with: &decoder, into: &found)
    found.statistics = reader.statistics
    return found
  }
}
