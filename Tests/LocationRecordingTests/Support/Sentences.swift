import AsyncLocation
import FoundationEssentials

@testable import LocationRecording

/// Returns the lines of sentences that are given without `$` and without a checksum.
func sentences(_ bodies: [String]) -> [UInt8] {
  Array(
    bodies.map { body in
      let sum = body.utf8.reduce(0, ^)
      return "$\(body)*\(String(sum >> 4, radix: 16))\(String(sum & 15, radix: 16))\r\n"
    }.joined().utf8)
}

func date(_ text: String) -> Date {
  guard let date = CalendarTime.parse(text) else { fatalError("no date: \(text)") }
  return date
}

/// The time at which tests read recordings.
let start = date("2026-05-04T00:00:00Z")

func recording(_ text: String) throws -> Recording { try recording(Array(text.utf8)) }

func recording(_ bytes: [UInt8]) throws -> Recording {
  try Recording(bytes, options: RecordingOptions(start: start))
}

extension Recording {
  /// The receiver's times; nil for locations without one.
  var times: [Date?] {
    locations.map { $0.sourceInformation?.timeSource == .host ? nil : $0.timestamp }
  }
}
