import AsyncLocation
import Foundation
import TestSupport

@testable import NMEABackend

/// A reader of a source in virtual time, and its events.
struct ReaderBench {
  private var reader: SourceReader
  private(set) var now = Duration.seconds(1)
  private var events: [BackendEvent] = []
  private(set) var counts = NMEAStatistics()
  private(set) var content = SourceReader.Content()

  init(hostTime: Date = hostTime) { reader = SourceReader(source: "test-line") { hostTime } }

  /// Opens the source now. Otherwise it was opened a second before the first chunk, so that the line
  /// was quiet.
  mutating func open() { reader.begin(at: now) }

  var devices: LineDevices { reader.devices }

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

  /// Receives bytes at 4,800 bits per second, 16 in 33 ms, and lets the rest of a second pass.
  mutating func receiveForASecond(_ bytes: [UInt8]) -> [BackendEvent] {
    var (events, elapsed) = ([BackendEvent](), 0)
    for start in stride(from: 0, to: bytes.count, by: 16) {
      events += receive(Array(bytes[start..<min(start + 16, bytes.count)]))
      events += advance(milliseconds: 33)
      elapsed += 33
    }
    return events + advance(milliseconds: 1_000 - elapsed)
  }

  mutating func endConnection() -> [BackendEvent] {
    reader.endConnection(at: now, into: &events)
    return takeEvents()
  }

  private mutating func takeEvents() -> [BackendEvent] {
    counts.add(reader.takeCounts())
    defer { events = [] }
    return events
  }
}
