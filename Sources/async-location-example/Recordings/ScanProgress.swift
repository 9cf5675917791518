/// Decides when and how to show the progress of reading. Pure.
struct ScanProgress: Sendable {
  /// The time before anything is shown, and between two texts.
  static let interval = Duration.milliseconds(200)
  /// Removes the text from the terminal.
  static let clearing = "\r\u{1B}[K"

  /// The number of bytes; nil if it is not known.
  private let length: Int?
  private var lastShown = Duration.zero
  /// Whether there is a text on the terminal.
  private(set) var isShown = false

  init(length: Int?) { self.length = length }

  /// The text to write at a time since the beginning; nil for none.
  mutating func text(_ byteCount: Int, _ pointCount: Int, at time: Duration) -> String? {
    guard time >= lastShown + Self.interval else { return nil }
    (lastShown, isShown) = (time, true)
    let points = "\(pointCount) points"
    guard let length, length > 0 else { return Self.clearing + points }
    return Self.clearing + "\(min(99, byteCount * 100 / length)) %, " + points
  }
}
