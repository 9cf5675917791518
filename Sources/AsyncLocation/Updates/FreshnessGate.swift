/// Keeps fixes from the past out, a receiver at a time.
///
/// Within a session a fix may be as old as the one before (several reports share an epoch), never
/// older. The first fix of a new session must be newer than the last of the former: what a source
/// repeats on reconnecting is not news. A receiver whose clock was set back is believed again once
/// ``steadyFixes`` fixes in a row have moved forward on the new time, and no faster than time itself
/// passed: a backlog of old fixes moves forward too, but comes in a burst. A fix that the host
/// stamped at its arrival says nothing of the receiver's time: it passes, and is no measure for
/// others. Headings have a gate of their own.
struct FreshnessGate: Sendable {
  static let steadyFixes = 3
  /// Names come from outside: so many are remembered, then all are forgotten.
  static let rememberedDevices = 256

  /// Times are in seconds from 2001-01-01.
  private struct Track: Sendable {
    let device: DeviceID
    var newest: Double
    var sessionIsNew = false
    /// The fixes refused of late that may be a new time.
    var candidate: Candidate?

    /// What comes is measured by this from now on.
    mutating func begin(_ timestamp: Double) {
      newest = timestamp
      sessionIsNew = false
      candidate = nil
    }
  }

  private struct Candidate: Sendable {
    let first: (timestamp: Double, instant: Duration)
    var last: Double
    /// How many moved forward up to the last.
    var count = 1

    init(_ timestamp: Double, at instant: Duration) {
      (first, last) = ((timestamp, instant), timestamp)
    }

    /// Whether they came in as much time as they tell, or half of it: receivers stutter.
    func keepsPace(at instant: Duration) -> Bool {
      last - first.timestamp <= 2 * ((instant - first.instant) / .seconds(1))
    }
  }

  private var tracks: [Track] = []
  private var positions: [DeviceID: Int] = [:]
  /// Whose fix was looked at last: most come from the same receiver as the one before.
  private var recent = 0

  /// A source was connected, or started, anew.
  mutating func beginSession() {
    for index in tracks.indices { tracks[index].sessionIsNew = true }
  }

  /// True when a fix that arrived at an instant is news.
  mutating func admits(_ location: borrowing Location, at instant: Duration) -> Bool {
    admits(location.timestampSeconds, from: location.sourceInformation, at: instant)
  }

  /// True when a heading that arrived at an instant is news.
  mutating func admits(_ heading: borrowing Heading, at instant: Duration) -> Bool {
    admits(heading.timestampSeconds, from: heading.sourceInformation, at: instant)
  }

  private mutating func admits(
    _ timestamp: Double, from source: SourceInformation?, at instant: Duration
  ) -> Bool {
    if let source, source.timeSource == .host { return true }
    let device = source.deviceID
    if recent >= tracks.count || tracks[recent].device != device {
      guard let position = positions[device] else {
        add(Track(device: device, newest: timestamp))
        return true
      }
      recent = position
    }
    return Self.admits(timestamp, at: instant, &tracks[recent])
  }

  private mutating func add(_ track: Track) {
    if tracks.count >= Self.rememberedDevices {
      tracks.removeAll()
      positions.removeAll()
    }
    recent = tracks.count
    positions[track.device] = recent
    tracks.append(track)
  }

  private static func admits(
    _ timestamp: Double, at instant: Duration, _ track: inout Track
  ) -> Bool {
    if timestamp > track.newest || (timestamp == track.newest && !track.sessionIsNew) {
      track.begin(timestamp)
      return true
    }
    if timestamp == track.newest { return false }
    guard var candidate = track.candidate, timestamp >= candidate.last else {
      track.candidate = Candidate(timestamp, at: instant)
      return false
    }
    // A further report of the same epoch neither counts nor starts the count anew.
    if timestamp > candidate.last { candidate.count += 1 }
    candidate.last = timestamp
    guard candidate.count >= steadyFixes else {
      track.candidate = candidate
      return false
    }
    guard candidate.keepsPace(at: instant) else {
      track.candidate = Candidate(timestamp, at: instant)
      return false
    }
    track.begin(timestamp)
    return true
  }
}
