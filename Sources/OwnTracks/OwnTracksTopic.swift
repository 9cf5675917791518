import AsyncLocation

/// The MQTT topic of a device: `owntracks/USER/DEVICE`, or a level below it.
///
/// Names are compared byte by byte, as a broker does: two spellings of one word that differ in
/// their Unicode scalars are two devices.
public struct OwnTracksTopic: Sendable {
  /// The kind of content that is published on a topic.
  @nonexhaustive
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Locations and the last will, on the device's own topic.
    case location = ""
    /// Transitions into and out of regions.
    case event
    /// A region that was defined on the device.
    case waypoint
    /// The list of the device's regions.
    case waypoints
    /// Commands to the device.
    case command = "cmd"
    /// The state of the device.
    case status
    /// The name and picture of the user.
    case card = "info"
    /// Counted steps.
    case step
    /// The configuration of the device.
    case dump
    /// The times of the device's locations that a server has stored.
    case stored
  }

  /// The name of the user; one level of the topic.
  public let user: String
  /// The name of the device; one level of the topic.
  public let device: String
  /// The kind of content that is published on the topic.
  public private(set) var kind: Kind

  private static var prefix: StaticString { "owntracks" }
  /// The maximum length of a topic in bytes.
  private static var maximumLength: Int { 65_535 }

  /// Creates the topic of a device.
  ///
  /// - Throws: ``OwnTracksError`` with ``OwnTracksError/Code/invalidTopic`` for a name that is
  ///   empty or contains `+`, `#`, `/` or a control character, and if the topic is longer than the
  ///   65,535 bytes of MQTT.
  public init(user: String, device: String, kind: Kind = .location) throws(OwnTracksError) {
    try Self.check(user, "user")
    try Self.check(device, "device")
    (self.user, self.device, self.kind) = (user, device, kind)
    guard length <= Self.maximumLength else {
      throw OwnTracksError(.invalidTopic, "A topic has at most 65,535 bytes.")
    }
  }

  /// The device's topic for another kind of message.
  public func with(kind: Kind) -> Self {
    var copy = self
    copy.kind = kind
    return copy
  }

  /// Parses a topic as ``description`` returns it; nil for any other text, such as the topic of
  /// another program or an unrecognized kind.
  public init?(_ topic: some StringProtocol) {
    let utf8 = topic.utf8
    guard utf8.count <= Self.maximumLength else { return nil }
    let parsed = utf8.withContiguousStorageIfAvailable { buffer in
      // SAFETY: the span does not leave the closure.
      unsafe Self(utf8: buffer.span)
    }
    guard let topic = parsed ?? Self(utf8: Array(utf8).span) else { return nil }
    self = topic
  }

  /// Parses the bytes of a topic, which are untrusted.
  package init?(utf8 topic: Span<UInt8>) {
    guard topic.count <= Self.maximumLength else { return nil }
    // The offsets of the slashes between the levels.
    var slashes = InlineArray<3, Int>(repeating: topic.count)
    var count = 0
    for index in topic.indices where topic[index] == UInt8(ascii: "/") {
      guard count < 3 else { return nil }
      slashes[count] = index
      count += 1
    }
    guard count >= 2, Self.hasPrefix(topic, slashes[0]),
      let user = Self.name(topic.extracting(slashes[0] + 1..<slashes[1])),
      let device = Self.name(topic.extracting(slashes[1] + 1..<slashes[2]))
    else { return nil }
    (self.user, self.device) = (user, device)
    guard count == 3 else {
      kind = .location
      return
    }
    guard slashes[2] + 1 < topic.count,
      let level = Self.name(topic.extracting(slashes[2] + 1..<topic.count)),
      let kind = Kind(rawValue: level)
    else { return nil }
    self.kind = kind
  }

  private static func hasPrefix(_ topic: Span<UInt8>, _ length: Int) -> Bool {
    guard length == prefix.utf8CodeUnitCount else { return false }
    // SAFETY: `length` is the number of bytes of the static string.
    return (0..<length).allSatisfy { unsafe topic[$0] == prefix.utf8Start[$0] }
  }

  /// The text of a level; nil if it is not valid.
  private static func name(_ level: Span<UInt8>) -> String? {
    guard let text = try? UTF8Span(validating: level) else { return nil }
    let name = String(copying: text)
    guard (try? check(name, "name")) != nil else { return nil }
    return name
  }

  /// Checks a level of a topic.
  ///
  /// - Parameter part: The part that the level names, for the error.
  private static func check(_ name: String, _ part: StaticString) throws(OwnTracksError) {
    guard !name.isEmpty else {
      throw OwnTracksError(.invalidTopic, "The \(part) of a topic is empty.")
    }
    for scalar in name.unicodeScalars {
      switch scalar {
      case "+", "#", "/", "\0"..<" ", "\u{7F}"..."\u{9F}":
        throw OwnTracksError(
          .invalidTopic,
          "The \(part) of a topic contains +, #, / or a control character.")
      default: break
      }
    }
  }

  private var length: Int {
    let levels = Self.prefix.utf8CodeUnitCount + user.utf8.count + device.utf8.count + 2
    return kind == .location ? levels : levels + kind.rawValue.utf8.count + 1
  }
}

extension OwnTracksTopic: Hashable {
  public static func == (left: Self, right: Self) -> Bool {
    left.kind == right.kind && left.user.hasSameBytes(as: right.user)
      && left.device.hasSameBytes(as: right.device)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(bytesOf: user)
    hasher.combine(bytesOf: device)
    hasher.combine(kind)
  }
}

extension OwnTracksTopic: LosslessStringConvertible {
  /// The topic as it is sent to a broker. An untrusted name may contain any character that MQTT
  /// allows; escape it before printing.
  public var description: String {
    let device = "\(Self.prefix)/\(user)/\(device)"
    return kind == .location ? device : "\(device)/\(kind.rawValue)"
  }
}
