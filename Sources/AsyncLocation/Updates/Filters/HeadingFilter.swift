/// Decides which headings a subscriber receives.
struct HeadingFilter: Sendable {
  private let options: HeadingOptions
  /// The receiver that the options name.
  private let device: DeviceID?
  /// True when every heading of a preferred receiver is admitted.
  let admitsAll: Bool
  /// The last delivered heading; only set with a heading filter.
  private var last: Heading?

  init(_ options: HeadingOptions) {
    self.options = options
    device = options.device.map { DeviceID($0) }
    admitsAll = options.headingFilter <= 0 && options.device == nil
  }

  /// True when a heading is to be delivered. Later headings are then compared with this one, if the
  /// options have a heading filter.
  mutating func admits(_ heading: Heading) -> Bool {
    if let device {
      guard heading.sourceInformation.isOf(device) else { return false }
    } else if !heading.sourceInformation.isPreferred {
      return false
    }
    guard options.headingFilter > 0 else { return true }
    if let last, let change = Self.change(from: last, to: heading),
      change < options.headingFilter
    {
      return false
    }
    last = heading
    return true
  }

  /// Degrees between two headings, 0...180; nil when they share neither a true nor a magnetic
  /// heading.
  private static func change(from old: Heading, to new: Heading) -> Double? {
    func angle(_ old: Double?, _ new: Double?) -> Double? {
      guard let old, let new else { return nil }
      let difference = abs(new - old)
      return min(difference, 360 - difference)
    }
    return angle(old.trueHeading, new.trueHeading)
      ?? angle(old.magneticHeading, new.magneticHeading)
  }
}
