import AsyncLocation
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct RecordingReaderTests {
  /// Bytes may be supplied before all events of the earlier bytes are returned.
  @Test(.longWork) func bytesCanBeSuppliedBeforeAllEventsAreRead() throws {
    let lines = (0..<12_000).map {
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#(Double($0) / 1000),0]},"#
        + #""properties":{"segment":1}}"# + "\n"
    }
    var reader = RecordingReader()
    var found: [Double] = []
    func collect(_ events: [TimedEvent]?) {
      for event in events ?? [] {
        if case .location(let location) = event.event { found.append(location.longitude) }
      }
    }
    reader.supply(Array(lines[..<5_000].joined().utf8))
    collect(try reader.nextEvents())
    #expect(found.count < 5_000)
    reader.supply(Array(lines[5_000..<10_000].joined().utf8))
    collect(try reader.nextEvents())
    collect(try reader.read(Array(lines[10_000...].joined().utf8)))
    collect(try reader.finish())
    #expect(found == (0..<12_000).map { Double($0) / 1000 })
    #expect(reader.skipped.isEmpty)
  }
}
