import LocationFleet

/// Finds the device that a topic names: `BASE/USER/DEVICE`. Pure.
struct FleetTopic: Sendable {
  enum Match: Hashable, Sendable {
    /// The device's name begins at this offset and ends with the topic.
    case device(Int)
    /// The topic is below a device's topic, such as `BASE/USER/DEVICE/event`. The device's name
    /// begins and ends at these offsets.
    case below(Int, Int)
    case unexpected
  }

  /// The part of the topic before `USER/DEVICE`, with a trailing slash.
  private let prefix: [UInt8]
  /// The only user and device; nil for all.
  private let user: [UInt8]?
  private let device: [UInt8]?

  /// - Parameter base: The levels before the user, such as "owntracks".
  init(base: String, user: String? = nil, device: String? = nil) {
    prefix = Array(base.utf8) + [TopicText.slash]
    self.user = user.map { Array($0.utf8) }
    self.device = device.map { Array($0.utf8) }
  }

  /// Finds the device by slashes alone; ``name(_:)`` checks the name of a device that is not known
  /// yet.
  func match(_ topic: Span<UInt8>) -> Match {
    guard topic.count > prefix.count else { return .unexpected }
    for index in prefix.indices where topic[index] != prefix[index] { return .unexpected }
    var slashes = 0
    for index in prefix.count..<topic.count where topic[index] == TopicText.slash {
      slashes += 1
      if slashes == 2 { return .below(prefix.count, index) }
    }
    return slashes == 0 ? .unexpected : .device(prefix.count)
  }

  /// Whether devices publish to a level below their topic: any level except those for messages to
  /// devices.
  ///
  /// - Parameter level: The part of the topic after the device's topic and a slash.
  static func isPublishedByDevices(_ level: Span<UInt8>) -> Bool {
    guard TopicText.isLevel(level) else { return false }
    return !["cmd", "stored"].contains { equal(Array($0.utf8), level) }
  }

  /// The text of a device's name; nil if the bytes are not a name, or name a device that the fleet
  /// does not follow.
  func name(_ bytes: Span<UInt8>) -> String? {
    guard let slash = TopicText.slash(in: bytes), TopicText.isName(bytes),
      Self.equal(user, bytes.extracting(0..<slash)),
      Self.equal(device, bytes.extracting((slash + 1)...)),
      let text = try? UTF8Span(validating: bytes)
    else { return nil }
    return String(copying: text)
  }

  private static func equal(_ expected: [UInt8]?, _ bytes: Span<UInt8>) -> Bool {
    guard let expected else { return true }
    guard expected.count == bytes.count else { return false }
    for index in expected.indices where expected[index] != bytes[index] { return false }
    return true
  }
}
