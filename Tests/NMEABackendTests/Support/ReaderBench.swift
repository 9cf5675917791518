import AsyncLocation
import Foundation
import TestSupport

@testable import NMEABackend

/// A reader of a source in virtual time, and its events.
struct ReaderBench {
  private var reader: SourceReader
  private(set) var now = Duration.seconds(1)
  private var events: [BackendEvent] = []
  private(set) var counts = SourceReader.Counts()
  private(set) var content = SourceReader.Content()

  init(hostTime: Date = hostTime) { reader = SourceReader(device: "test-line") { hostTime } }

  /// Receives a chunk, and returns the events since the last call.
  mutating func receive(_ text: String, isDatagram: Bool = false) -> [BackendEvent] {
    receive(Array(text.utf8), isDatagram: isDatagram)
  }

  mutating func receive(_ bytes: [UInt8], isDatagram: Bool = false) -> [BackendEvent] {
    content = reader.read(bytes.span, isDatagram: isDatagram, at: now, into: &events)
    return takeEvents()
  }

  /// Advances the clock, ending each epoch at its deadline, and returns the events since the last
  /// call.
  mutating func advance(milliseconds: Int) -> [BackendEvent] {
    let end = now + .milliseconds(milliseconds)
    while let deadline = reader.deadline, deadline <= end {
      now = max(now, deadline)
      reader.endEpochs(dueBy: now, into: &events)
    }
    now = end
    return takeEvents()
  }

  mutating func endConnection() -> [BackendEvent] {
    reader.endConnection(at: now, into: &events)
    return takeEvents()
  }

  private mutating func takeEvents() -> [BackendEvent] {
    let new = reader.takeCounts()
    counts.bytes += new.bytes
    counts.sentences += new.sentences
    counts.wrongChecksums += new.wrongChecksums
    counts.malformedSentences += new.malformedSentences
    counts.skippedSentences += new.skippedSentences
    counts.otherBytes += new.otherBytes
    counts.epochs += new.epochs
    defer { events = [] }
    return events
  }
}
