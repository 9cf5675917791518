import FoundationEssentials

/// Keeps fixes from the past out, a receiver at a time.
///
/// Within a session a fix may be as old as the one before (several reports share an epoch), never
/// older. The first fix of a new session must be newer than the last of the former: what a source
/// repeats on reconnecting is not news. A receiver whose clock was set back is believed again once
/// ``steadyFixes`` fixes in a row have moved forward on the new time. A fix that the host stamped at
/// its arrival says nothing of the receiver's time: it passes, and is no measure for others.
struct FreshnessGate: Sendable {
  static let steadyFixes = 3
  /// Names come from outside: so many are remembered, then all are forgotten.
  static let rememberedDevices = 256

  private struct Track: Sendable {
    var newest: Date
    var sessionIsNew = false
    /// The last refused fix and how many moved forward up to it.
    var candidate: (timestamp: Date, count: Int)?
  }

  private var tracks: [String: Track] = [:]

  /// A source was connected, or started, anew.
  mutating func beginSession() {
    for name in tracks.keys { tracks[name]?.sessionIsNew = true }
  }

  /// True when a fix is news.
  mutating func admits(_ location: Location) -> Bool {
    let source = location.sourceInformation
    if let source, source.timeSource == .host { return true }
    let timestamp = location.timestamp
    let name = source?.device ?? ""
    guard var track = tracks[name] else {
      if tracks.count >= Self.rememberedDevices { tracks.removeAll() }
      tracks[name] = Track(newest: timestamp)
      return true
    }
    let isNews = Self.admits(timestamp, &track)
    tracks[name] = track
    return isNews
  }

  private static func admits(_ timestamp: Date, _ track: inout Track) -> Bool {
    if timestamp > track.newest || (timestamp == track.newest && !track.sessionIsNew) {
      track = Track(newest: timestamp)
      return true
    }
    if timestamp == track.newest { return false }
    var count = 1
    if let candidate = track.candidate, timestamp >= candidate.timestamp {
      // A further report of the same epoch neither counts nor starts the count anew.
      count = timestamp == candidate.timestamp ? candidate.count : candidate.count + 1
    }
    if count >= steadyFixes {
      track = Track(newest: timestamp)
      return true
    }
    track.candidate = (timestamp, count)
    return false
  }
}
