/// Finds the speed of a serial port by listening. Performs no I/O.
///
/// Each speed is tried for 2.5 s, more than two cycles of a usual receiver, or until 256 bytes have
/// arrived that form no valid sentence, for at least 1.2 s. The speed at which a sentence with a
/// valid checksum arrives is the one. It is tried first after the port was opened again. It is
/// looked for again when 512 bytes and 3 s have passed without a valid sentence.
struct SpeedDetection: Hashable, Sendable {
  enum Step: Hashable, Sendable {
    /// Continue to listen.
    case wait
    case tryNext(SerialSpeed)
    case found
  }

  static let listeningTime = Duration.milliseconds(2_500)
  private static let noiseTime = Duration.milliseconds(1_200)
  private static let noiseBytes = 256
  private static let lossTime = Duration.seconds(3)
  private static let lossBytes = 512

  private let speeds: [SerialSpeed]
  private var index: Int
  /// Whether no speed is found.
  private(set) var isSearching = true
  /// The number of speeds that were tried since the search began.
  private var tried = 0
  /// When the current speed was set; once it is found, when the last valid sentence arrived.
  private var since = Duration.zero
  /// Bytes outside of valid sentences since then.
  private var noise = 0

  /// - Parameter first: The speed to try first, if it is known from an earlier run.
  init(first: SerialSpeed?, speeds: [SerialSpeed] = SerialSpeed.all) {
    self.speeds = speeds
    index = first.flatMap { speeds.firstIndex(of: $0) } ?? 0
  }

  var current: SerialSpeed { speeds[index] }
  /// Whether every speed has been tried, and the first one follows again.
  var hasTriedAll: Bool { tried > 0 && tried.isMultiple(of: speeds.count) }
  /// When to call ``timerFired(at:)``; nil once the speed is found.
  var deadline: Duration? { isSearching ? since + Self.listeningTime : nil }

  /// Begins to listen at ``current``, after the port was opened.
  mutating func begin(at now: Duration) {
    (isSearching, tried, since, noise) = (true, 0, now, 0)
  }

  /// Handles received bytes.
  ///
  /// - Parameters:
  ///   - sentences: The number of valid sentences with a checksum.
  ///   - other: The number of other bytes.
  mutating func received(sentences: Int, other: Int, at now: Duration) -> Step {
    if sentences > 0 {
      let isNew = isSearching
      (isSearching, tried, since, noise) = (false, 0, now, 0)
      return isNew ? .found : .wait
    }
    noise += other
    let (bytes, time) =
      isSearching ? (Self.noiseBytes, Self.noiseTime) : (Self.lossBytes, Self.lossTime)
    guard noise >= bytes, now - since >= time else { return .wait }
    return next(at: now)
  }

  /// Handles the deadline.
  mutating func timerFired(at now: Duration) -> Step {
    guard let deadline, now >= deadline else { return .wait }
    return next(at: now)
  }

  private mutating func next(at now: Duration) -> Step {
    tried = isSearching ? tried + 1 : 1
    isSearching = true
    index = (index + 1) % speeds.count
    (since, noise) = (now, 0)
    return .tryNext(current)
  }
}
