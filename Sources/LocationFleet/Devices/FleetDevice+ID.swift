public import AsyncLocation

extension FleetDevice {
  /// Identifies a device by its user and its name, as in the topic `owntracks/USER/DEVICE`.
  ///
  /// Two identifiers are equal if their UTF-8 bytes are. They are ordered by these bytes.
  public struct ID: Sendable {
    /// `USER/DEVICE`, already validated: printable text without control characters.
    package let name: String

    /// The part of the topic that names the user.
    public var user: String { String(name.prefix { $0 != "/" }) }
    /// The part of the topic that names the user's device.
    public var device: String { String(name.drop { $0 != "/" }.dropFirst()) }

    package init(checked name: String) { self.name = name }

    /// Creates an identifier.
    ///
    /// - Throws: ``/AsyncLocation/LocationError`` with
    ///   ``/AsyncLocation/LocationError/Code/invalidValue`` for a part that is empty or contains
    ///   `/`, `+`, `#` or a control, format, separator, unassigned or private-use character.
    public init(user: String, device: String) throws(LocationError) {
      let name = "\(user)/\(device)"
      guard TopicText.isName(name.utf8.span) else {
        throw LocationError(
          .invalidValue,
          "A user and a device must be parts of a topic, without '/', '+', '#' and control "
            + "characters; got \"\(String(printable: user))\" and \"\(String(printable: device))\"."
        )
      }
      self.init(checked: name)
    }
  }
}

extension FleetDevice.ID: Hashable {
  public static func == (left: Self, right: Self) -> Bool {
    left.name.hasSameBytes(as: right.name)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: name) }
}

extension FleetDevice.ID: Comparable {
  public static func < (left: Self, right: Self) -> Bool {
    left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
  }
}

extension FleetDevice.ID: LosslessStringConvertible {
  /// `USER/DEVICE`, as in the topic.
  public var description: String { name }

  /// Creates an identifier from `USER/DEVICE`; nil for other text.
  public init?(_ description: String) {
    guard TopicText.isName(description.utf8.span) else { return nil }
    self.init(checked: description)
  }
}

/// Encoded as its ``description``.
extension FleetDevice.ID: Codable {
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let id = Self(text) else {
      throw LocationError(
        .invalidValue, "\"\(String(printable: text))\" is not USER/DEVICE.")
    }
    self = id
  }

  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode(name)
  }
}
