import AsyncLocation
import FoundationEssentials
import LocationRecording

/// The entry point of libFuzzer: reads arbitrary bytes as a recording, as a whole and in pieces.
///
/// The first byte selects the length of the pieces; the rest is the recording.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRecordings(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let input = UnsafeBufferPointer(start: data, count: count)
  guard input.count > 1 else { return 0 }
  let bytes = Array(input[1...])
  let whole = Outcome(bytes, pieces: max(1, bytes.count))
  let pieces = Outcome(bytes, pieces: Int(input[0]) % 61 + 1)
  require(whole == pieces, "pieces give something else: \(whole), \(pieces)")
  let offsets = whole.events.map(\.offset)
  require(zip(offsets, offsets.dropFirst()).allSatisfy { $0 <= $1 }, "an offset decreases")
  require(offsets.first.map { $0 == .zero } ?? true, "the first offset is not zero")
  for event in whole.events {
    guard case .location(let location) = event.event else { continue }
    require(location.sourceInformation?.isSimulated == true, "a location is not marked")
  }
  return 0
}

/// What a reader gives before it ends or fails.
private struct Outcome: Equatable {
  private(set) var events: [TimedEvent] = []
  private var skipped = 0
  private var error: RecordingError?
  private var format: RecordingFormat?

  init(_ bytes: [UInt8], pieces length: Int) {
    let options = RecordingOptions(start: Date(timeIntervalSinceReferenceDate: 800_000_000))
    var reader = RecordingReader(options: options)
    do throws(RecordingError) {
      for start in stride(from: 0, to: bytes.count, by: length) {
        events += try reader.read(Array(bytes[start..<min(start + length, bytes.count)]))
      }
      events += try reader.finish()
    } catch {
      self.error = error
      // How much was returned before depends on the pieces.
      events = []
    }
    (skipped, format) = (error == nil ? reader.skipped.count : 0, reader.format)
  }
}

/// Ends the program with a message if a condition is false; libFuzzer then stores the input.
private func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  if !condition { fatalError(message()) }
}
