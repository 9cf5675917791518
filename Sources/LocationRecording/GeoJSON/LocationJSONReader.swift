import AsyncLocation
import FoundationEssentials

/// Reads `Location` values in JSON, one on each line, as the command-line tool prints them. Keeps
/// one line in memory.
struct LocationJSONReader: LineReader {
  private static let maximumLine = 1 << 16
  var lines = LineSplitter(cap: maximumLine)
  private let decoder = JSONDecoder()

  func handle(_ line: LineSplitter.Line, into output: inout RecordingOutput) {
    guard line.bytes.contains(where: { $0 > 32 }) else { return }
    guard !line.isTooLong, let location = try? decoder.decode(Location.self, from: Data(line.bytes))
    else { return output.skip(line: line.number, "the line is not a Location in JSON") }
    let source = location.sourceInformation
    // A host time does not affect the offsets: it may differ from the receiver's by years.
    let isDated = source?.timeSource != .host
    do throws(LocationError) {
      try output.appendReport(at: isDated ? .date(location.timestamp) : .unknown) {
        (_) throws(LocationError) in
        .location(
          try location.with {
            $0.sourceInformation = SourceInformation(
              isSimulated: true, device: source?.device,
              timeSource: source?.timeSource ?? .receiver, isPreferred: source?.isPreferred ?? true)
          })
      }
    } catch {
      output.skip(line: line.number, error.message)
    }
  }
}
