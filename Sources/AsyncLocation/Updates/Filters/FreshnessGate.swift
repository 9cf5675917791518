/// Rejects fixes that are not newer than earlier ones, separately for each receiver.
///
/// Within a session a fix may have the same time as the previous one (several reports share an
/// epoch), but not an older one. The first fix of a new session must be newer than the last of the
/// previous session: a fix that the source repeats on reconnection is rejected.
///
/// After a receiver's clock was set back, its fixes are accepted again once the timestamps of
/// ``advancingFixes`` fixes in a row have advanced, at most twice as fast as real time: the
/// timestamps of a backlog of old fixes also advance, but the fixes arrive in a burst. A fix that
/// the host timestamped on arrival carries no receiver time: it always passes and is not compared
/// with others. Headings have their own gate.
package struct FreshnessGate: Sendable {
  /// The number of fixes in a row with advancing timestamps that show that a clock was set back.
  static let advancingFixes = 3
  /// Names are external input, so the table is bounded: when it is full, all entries are removed.
  static let rememberedDevices = 256

  /// Times are in seconds from 2001-01-01.
  private struct Track: Sendable {
    let device: DeviceID
    var newest: Double
    var sessionIsNew = false
    /// Recently rejected fixes that may belong to a clock that was set back.
    var candidate: Candidate?

    /// Accepts a timestamp; later ones are compared with it.
    mutating func begin(_ timestamp: Double) {
      newest = timestamp
      sessionIsNew = false
      candidate = nil
    }
  }

  private struct Candidate: Sendable {
    let first: (timestamp: Double, instant: Duration)
    var last: Double
    /// The number of fixes whose timestamps advanced, including the first.
    var count = 1

    init(_ timestamp: Double, at instant: Duration) {
      (first, last) = ((timestamp, instant), timestamp)
    }

    /// Whether the timestamps advanced at most twice as fast as the fixes arrived. The factor
    /// allows for irregular arrival.
    func keepsPace(at instant: Duration) -> Bool {
      last - first.timestamp <= 2 * ((instant - first.instant) / .seconds(1))
    }
  }

  private var tracks: [Track] = []
  /// The index of each receiver in `tracks`.
  private var indices: [DeviceID: Int] = [:]
  /// The index of the receiver of the last fix: most fixes come from the same receiver as the
  /// previous one.
  private var recent = 0

  package init() {}

  /// The source connected or started again.
  package mutating func beginSession() {
    for index in tracks.indices { tracks[index].sessionIsNew = true }
  }

  /// True when a fix that arrived at `instant` is accepted.
  package mutating func admits(_ location: borrowing Location, at instant: Duration) -> Bool {
    admits(location.timestampSeconds, from: location.sourceInformation, at: instant)
  }

  /// True when a heading that arrived at `instant` is accepted.
  mutating func admits(_ heading: borrowing Heading, at instant: Duration) -> Bool {
    admits(heading.timestampSeconds, from: heading.sourceInformation, at: instant)
  }

  private mutating func admits(
    _ timestamp: Double, from source: SourceInformation?, at instant: Duration
  ) -> Bool {
    if let source, source.timeSource == .host { return true }
    let device = source.deviceID
    if recent >= tracks.count || tracks[recent].device != device {
      guard let index = indices[device] else {
        add(Track(device: device, newest: timestamp))
        return true
      }
      recent = index
    }
    return Self.admits(timestamp, at: instant, &tracks[recent])
  }

  private mutating func add(_ track: Track) {
    if tracks.count >= Self.rememberedDevices {
      tracks.removeAll()
      indices.removeAll()
    }
    recent = tracks.count
    indices[track.device] = recent
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
    // A further report of the same epoch neither counts nor restarts the count.
    if timestamp > candidate.last { candidate.count += 1 }
    candidate.last = timestamp
    guard candidate.count >= advancingFixes else {
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
