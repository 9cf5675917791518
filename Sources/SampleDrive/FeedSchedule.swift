import FoundationEssentials

/// The data of a feed and its timing: consecutive drives, each of which starts when the previous
/// one ends.
package struct FeedSchedule: Sendable {
  private var drive: Drive
  private let seed: UInt64
  private let loops: Bool
  private var index = 0
  private var elapsed = Duration.zero

  /// - Parameters:
  ///   - seed: The seed of every drive; later drives differ in satellite positions and time.
  ///   - loops: Whether the feed continues with another drive.
  package init(seed: UInt64 = Drive.standardSeed, loops: Bool = false) {
    drive = Drive(seed: seed)
    self.seed = seed
    self.loops = loops
  }

  /// Returns the lines of the next second and their time since the start at the recorded speed; nil
  /// at the end.
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
