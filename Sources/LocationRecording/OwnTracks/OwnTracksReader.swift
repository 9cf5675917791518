import AsyncLocation
import OwnTracks

/// Reads OwnTracks' messages, one on each line: the recorder's `.rec`, in which a time and a kind precede
/// each, or the payloads alone. Other kinds than locations are left out.
struct OwnTracksReader: LineReader {
  var lines = LineSplitter(cap: 1 << 20)

  func take(_ line: LineSplitter.Line, into output: inout RecordingOutput) {
    guard let start = line.bytes.firstIndex(of: UInt8(ascii: "{")) else {
      guard line.bytes.contains(where: { !$0.isWhiteSpace }) else { return }
      return output.skip(line: line.number, "the line has no message")
    }
    do {
      guard case .location(let message) = try OwnTracksMessage(json: Array(line.bytes[start...]))
      else { return }
      output.append(RecordedFix(message.location), line: line.number)
    } catch {
      output.skip(line: line.number, "\(error)")
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
