import AsyncLocation
import GPSDBackend

/// Reads gpsd's JSON, a report on each line, with the decoder of live reports.
///
/// Lines that are not JSON, such as sentences, are ignored. Text before a report, such as the time
/// that `gpspipe -t` adds, is ignored too. Keeps one line, and the state of a connection.
final class GPSDReader: FormatReader {
  private static let maximumLine = ReportReader.defaultCap

  private var lines = LineSplitter(cap: maximumLine)
  private var reports = ReportReader()
  private var decoder = ReportDecoder()
  private var assembly = GPSDAssembly()

  func read(_ bytes: [UInt8], into output: inout RecordingOutput) throws(RecordingError) {
    for line in lines.split(bytes) { take(line, into: &output) }
  }

  func finish(into output: inout RecordingOutput) throws(RecordingError) {
    for line in lines.finish() { take(line, into: &output) }
    assembly.finish()
    assembly.move(into: &output)
  }

  private func take(_ line: LineSplitter.Line, into output: inout RecordingOutput) {
    guard let start = line.bytes.firstIndex(of: UInt8(ascii: "{")), !Self.isSentence(line.bytes)
    else { return }
    guard !line.isTooLong else {
      return output.skip(
        line: line.number, "the line is longer than \(Self.maximumLine >> 20) MiB")
    }
    let report = Array(line.bytes[start...]) + [10]
    reports.read(report.span, with: &decoder, into: &assembly)
    if let reason = assembly.takeMalformed() {
      output.skip(line: line.number, "the report cannot be read: \(reason)")
    }
    assembly.move(into: &output)
  }

  private static func isSentence(_ line: ArraySlice<UInt8>) -> Bool {
    line.first == UInt8(ascii: "$") || line.first == UInt8(ascii: "!")
  }
}
