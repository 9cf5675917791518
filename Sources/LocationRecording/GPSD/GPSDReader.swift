import AsyncLocation
import GPSDReports

/// Reads gpsd's JSON, a report on each line, with the decoder that live connections use.
///
/// Sentences of NMEA 0183 and comments are ignored; other lines that are not JSON are counted. Text
/// before a report, such as the time that `gpspipe -t` adds, is ignored too. Keeps one line and the
/// state of a connection in memory.
final class GPSDReader: FormatReader {
  private static let maximumLine = ReportReader.defaultCap

  private var lines = LineSplitter(cap: maximumLine)
  private var reports = ReportReader()
  private var decoder = ReportDecoder()
  private var assembly = GPSDAssembly()

  var cost: ReadingCost { lines.cost }
  var line: Int { lines.number }

  func read(_ bytes: [UInt8], into output: inout RecordingOutput) throws(RecordingError) {
    for line in lines.split(bytes) { handle(line, into: &output) }
  }

  func finish(into output: inout RecordingOutput) throws(RecordingError) {
    for line in lines.finish() { handle(line, into: &output) }
    outputReadable(into: &output)
  }

  func outputReadable(into output: inout RecordingOutput) {
    assembly.finish()
    assembly.move(into: &output)
  }

  private func handle(_ line: LineSplitter.Line, into output: inout RecordingOutput) {
    guard !line.bytes.isEmpty, !Self.isIgnored(line.bytes) else { return }
    guard let start = line.bytes.firstIndex(of: UInt8(ascii: "{")) else {
      return output.skip(line: line.number, "the line is neither JSON nor a sentence")
    }
    guard !line.isTooLong else {
      return output.skip(
        line: line.number, "the line is longer than \(Self.maximumLine >> 20) MiB")
    }
    let report = Array(line.bytes[start...]) + [10]
    reports.read(report.span, with: &decoder, into: &assembly)
    if let reason = assembly.takeMalformed() {
      output.skip(line: line.number, "the report cannot be read: \(reason)")
    }
    // A position may be split over two reports of one time, so only a report with both keys counts.
    if assembly.takeLackOfPosition(), line.bytes.contains(Array("\"lat\"".utf8)),
      line.bytes.contains(Array("\"lon\"".utf8))
    {
      output.skip(line: line.number, "the latitude or the longitude is not understood")
    }
    assembly.move(into: &output)
  }

  /// Whether the line is a sentence or a comment.
  private static func isIgnored(_ line: ArraySlice<UInt8>) -> Bool {
    ["$", "!", "#"].contains { line.first == UInt8(ascii: $0) }
  }
}
