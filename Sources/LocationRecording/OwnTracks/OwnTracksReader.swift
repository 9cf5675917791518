import AsyncLocation
import OwnTracks

/// Reads OwnTracks messages, one on each line: the recorder's `.rec` files, in which a time and a
/// kind precede each message, or the payloads alone. Messages other than locations are left out and
/// counted.
struct OwnTracksReader: LineReader {
  var lines = LineSplitter(cap: 1 << 20)

  func handle(_ line: LineSplitter.Line, into output: inout RecordingOutput) {
    guard let start = line.bytes.firstIndex(of: UInt8(ascii: "{")) else {
      guard line.bytes.contains(where: { !$0.isWhiteSpace }) else { return }
      return output.skip(line: line.number, "the line has no message")
    }
    do {
      switch try OwnTracksMessage(json: Array(line.bytes[start...])) {
      case .location(let message):
        output.append(RecordedFix(message.location), line: line.number)
      case let message: output.omitMessage(message.kind)
      }
    } catch {
      output.skip(line: line.number, "\(error)")
    }
  }
}

extension OwnTracksMessage {
  /// The `_type` of the message.
  fileprivate var kind: String {
    switch self {
    case .location: "location"
    case .transition: "transition"
    case .waypoint: "waypoint"
    case .waypoints: "waypoints"
    case .lastWill: "lwt"
    case .status: "status"
    case .card: "card"
    case .command: "cmd"
    case .steps: "steps"
    case .encrypted: "encrypted"
    case .other(let message): message.type
    }
  }
}

extension RecordedFix {
  fileprivate init(_ location: Location) {
    self.init(
      latitude: location.coordinate.latitude, longitude: location.coordinate.longitude)
    time = .date(location.timestamp)
    altitude = location.altitude
    horizontalAccuracy = location.horizontalAccuracy
    verticalAccuracy = location.verticalAccuracy
    speed = location.speed
    course = location.course
  }
}
