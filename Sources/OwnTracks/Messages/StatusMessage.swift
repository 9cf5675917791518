/// The state and settings of a device: `_type` `status`.
///
/// The apps' objects differ between versions and are stored as JSON on one line, up to 64 KiB. They
/// are untrusted input: escape their texts before printing.
public struct StatusMessage: Sendable, Hashable {
  /// The object of an app on iOS, as JSON.
  public let iOS: String?
  /// The object of an app on Android, as JSON.
  public let android: String?
  /// The state of a device that runs this package: the member `linux`, which is this package's own.
  public let linux: DeviceStatus?
  /// The unrecognized members by name, each as JSON on one line; they are encoded again. Only names
  /// of up to 64 ASCII characters and 64 KiB in total are stored.
  public internal(set) var otherMembers: [String: String] = [:]

  /// Creates the message of a device that runs this package.
  public init(_ linux: DeviceStatus) { (iOS, android, self.linux) = (nil, nil, linux) }

  /// Creates the message of an app.
  ///
  /// - Parameters:
  ///   - iOS: The object of an app on iOS, as JSON.
  ///   - android: The object of an app on Android, as JSON.
  /// - Throws: ``OwnTracksError`` unless each text is a JSON object of up to 64 KiB.
  public init(iOS: String? = nil, android: String? = nil) throws(OwnTracksError) {
    self.iOS = if let iOS { try MessageMembers.line(iOS) } else { nil }
    self.android = if let android { try MessageMembers.line(android) } else { nil }
    linux = nil
  }

  init(_ members: MessageMembers) {
    (iOS, android) = (members.json("iOS"), members.json("android"))
    linux = members.object("linux").map { DeviceStatus($0) }
    otherMembers = members.others()
  }

  /// The message as JSON on one line.
  var json: [UInt8] {
    var writer = JSONWriter(type: "status")
    writer.add("iOS", json: iOS)
    writer.add("android", json: android)
    writer.add("linux", object: linux?.json)
    writer.add(others: otherMembers)
    return writer.json
  }
}
