/// Reads Google's location history: `Records.json`, the months of `Semantic Location History`, and
/// the phone exports `Timeline.json` and `location-history.json`. Several files may be
/// concatenated.
///
/// Keeps one element in memory, and the activities that wait for a path; see
/// ``GoogleHistoryAssembly``.
struct GoogleHistoryReader: FormatReader {
  private var json = JSONTokenizer()
  private var assembly = GoogleHistoryAssembly()

  var cost: ReadingCost { ReadingCost(processed: json.processed, held: assembly.heldCount) }
  var line: Int { json.place.line }

  mutating func read(
    _ bytes: [UInt8], into output: inout RecordingOutput
  ) throws(RecordingError) {
    var index = 0
    while let token = try token(bytes.span, at: &index) {
      assembly.handle(token, into: &output)
      if let error = assembly.error { throw error }
      if json.depth == 0 { json.restart() }
    }
  }

  mutating func finish(into output: inout RecordingOutput) throws(RecordingError) {
    guard !json.isAtStart else { return }
    do throws(JSONTokenizer.Fault) {
      if let token = try json.finish() { assembly.handle(token, into: &output) }
    } catch {
      throw RecordingError(GeoJSON.Fault(error))
    }
  }

  mutating func outputReadable(into output: inout RecordingOutput) {
    assembly.outputTruncatedPath(into: &output)
  }

  private mutating func token(
    _ bytes: Span<UInt8>, at index: inout Int
  ) throws(RecordingError) -> JSONToken? {
    do throws(JSONTokenizer.Fault) {
      return try json.next(bytes, at: &index)
    } catch {
      throw RecordingError(GeoJSON.Fault(error))
    }
  }
}
