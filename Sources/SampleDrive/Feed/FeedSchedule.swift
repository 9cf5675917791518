import FoundationEssentials

/// What a feed sends, and when: drives one after the other, each starting when the last ended.
package struct FeedSchedule: Sendable {
  private var drive: Drive
  private let seed: UInt64
  private let loops: Bool
  private var index = 0
  private var elapsed = Duration.zero

  /// - Parameters:
  ///   - seed: Of every drive; later ones differ by their sky and their time.
  ///   - loops: Whether another drive follows the last.
  package init(seed: UInt64 = Drive.standardSeed, loops: Bool = false) {
    drive = Drive(seed: seed)
    self.seed = seed
    self.loops = loops
  }

  /// The next second's lines and when they are due since the start, at the recorded pace; nil at
  /// the end.
  package mutating func next() -> (offset: Duration, bytes: [UInt8])? {
    if index == drive.epochs.count {
      guard loops else { return nil }
      elapsed += drive.duration
      let (seconds, _) = drive.duration.components
      drive = Drive(seed: seed, start: drive.start + Double(seconds))
      index = 0
    }
    let epoch = drive.epochs[index]
    index += 1
    return (elapsed + epoch.offset, Array(epoch.nmea.utf8))
  }
}
