/// Reads a format whose lines are independent. Keeps one line in memory.
protocol LineReader: FormatReader {
  var lines: LineSplitter { get set }
  mutating func handle(_ line: LineSplitter.Line, into output: inout RecordingOutput)
}

extension LineReader {
  var cost: ReadingCost { lines.cost }
  var line: Int { lines.number }

  mutating func read(
    _ bytes: [UInt8], into output: inout RecordingOutput
  ) throws(RecordingError) {
    for line in lines.split(bytes) { handle(line, into: &output) }
  }

  mutating func finish(into output: inout RecordingOutput) throws(RecordingError) {
    for line in lines.finish() { handle(line, into: &output) }
  }
}
