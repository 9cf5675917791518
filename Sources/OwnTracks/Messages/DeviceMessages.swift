import AsyncLocation
public import FoundationEssentials

/// A device lost its connection: `_type` `lwt`, which the broker publishes for the device.
public struct LastWillMessage: Sendable, Hashable {
  /// When the device connected, to the second; not when the connection was lost.
  public var connectedAt: Date?
  /// The unrecognized members by name, each as JSON on one line; they are encoded again. Only names
  /// of up to 64 ASCII characters and 64 KiB in total are stored.
  public internal(set) var otherMembers: [String: String] = [:]

  /// Creates the last will that a device registers with the broker.
  public init(connectedAt: Date?) { self.connectedAt = connectedAt }

  init(_ members: MessageMembers) {
    self.init(connectedAt: members.time("tst"))
    otherMembers = members.others()
  }

  /// The message as JSON on one line.
  var json: [UInt8] {
    var writer = JSONWriter(type: "lwt")
    writer.add("tst", connectedAt)
    writer.add(others: otherMembers)
    return writer.json
  }
}

/// The name and picture of a user: `_type` `card`.
public struct CardMessage: Sendable, Hashable {
  /// The maximum length of a picture in bytes; a longer one is absent after decoding.
  public static var maximumFaceLength: Int { 196_608 }

  /// The name of the user.
  public var name: String?
  /// A picture, usually a PNG. Untrusted: its format was not checked.
  public var face: Data?
  /// The short name of the device that the card belongs to.
  public var trackerID: String?
  /// The unrecognized members by name, each as JSON on one line; they are encoded again. Only names
  /// of up to 64 ASCII characters and 64 KiB in total are stored.
  public internal(set) var otherMembers: [String: String] = [:]

  /// Creates a card.
  public init(name: String?, face: Data? = nil, trackerID: String? = nil) {
    (self.name, self.face, self.trackerID) = (name, face, trackerID)
  }

  init(_ members: MessageMembers) {
    let face = members.text("face").flatMap {
      Data(base64Encoded: $0, options: .ignoreUnknownCharacters)
    }
    self.init(
      name: members.text("name"),
      face: face.flatMap { (1...Self.maximumFaceLength).contains($0.count) ? $0 : nil },
      trackerID: members.text("tid"))
    otherMembers = members.others()
  }

  /// The message as JSON on one line.
  var json: [UInt8] {
    var writer = JSONWriter(type: "card")
    writer.add("name", name)
    writer.add("face", face?.base64EncodedString())
    writer.add("tid", trackerID)
    writer.add(others: otherMembers)
    return writer.json
  }
}

/// The steps that a device counted: `_type` `step` or `steps`.
public struct StepsMessage: Sendable, Hashable {
  /// When the message was created.
  public var time: Date
  /// The number of steps; nil if the device cannot count them.
  public var count: Int?
  /// The start of the time in which the steps were counted.
  public var start: Date?
  /// The end of the time in which the steps were counted.
  public var end: Date?
  /// The distance that was walked, in metres.
  public var distance: Double?
  /// The number of floors that were ascended.
  public var floorsAscended: Int?
  /// The number of floors that were descended.
  public var floorsDescended: Int?
  /// The unrecognized members by name, each as JSON on one line; they are encoded again. Only names
  /// of up to 64 ASCII characters and 64 KiB in total are stored.
  public internal(set) var otherMembers: [String: String] = [:]

  /// Creates a message; set the other members if they are known.
  public init(_ count: Int?, time: Date, start: Date? = nil, end: Date? = nil) {
    (self.count, self.time, self.start, self.end) = (count, time, start, end)
  }

  init(_ members: MessageMembers) throws(OwnTracksError) {
    // Apps write -1 for a device that does not count steps.
    self.init(
      members.integer("steps", in: 0...Int.max), time: try members.requiredTime(),
      start: members.time("from"), end: members.time("to"))
    distance = members.number("distance", in: .nonNegative)
    floorsAscended = members.integer("floorsup", in: 0...Int.max)
    floorsDescended = members.integer("floorsdown", in: 0...Int.max)
    otherMembers = members.others()
  }

  /// The message as JSON on one line.
  var json: [UInt8] {
    var writer = JSONWriter(type: "steps")
    writer.add(time: time)
    writer.add("steps", count ?? -1)
    writer.add("from", start)
    writer.add("to", end)
    writer.add("distance", exactly: distance)
    writer.add("floorsup", floorsAscended)
    writer.add("floorsdown", floorsDescended)
    writer.add(others: otherMembers)
    return writer.json
  }
}

/// A message that only the holder of a device's key can read: `_type` `encrypted`.
public struct EncryptedMessage: Sendable, Hashable {
  /// The nonce of 24 bytes, followed by the output of libsodium's `crypto_secretbox_easy`.
  public var data: Data

  /// Creates a message.
  public init(_ data: Data) { self.data = data }

  init(_ members: MessageMembers) throws(OwnTracksError) {
    guard let data = members.text("data").flatMap({ Data(base64Encoded: $0) }) else {
      throw .invalid("data", "a text in Base64")
    }
    self.init(data)
  }

  /// The message as JSON on one line.
  var json: [UInt8] {
    var writer = JSONWriter(type: "encrypted")
    writer.add("data", data.base64EncodedString())
    return writer.json
  }
}

/// A message of an unrecognized type.
public struct OtherMessage: Sendable, Hashable {
  /// The type.
  public let type: String
  /// The members by name, each as JSON on one line; they are encoded again. Only names of up to 64
  /// ASCII characters and 64 KiB in total are stored.
  public internal(set) var otherMembers: [String: String] = [:]

  /// Creates a message without members.
  public init(type: String) { self.type = type }

  init(type: String, _ members: MessageMembers) {
    self.type = type
    otherMembers = members.others()
  }

  /// The message as JSON on one line.
  var json: [UInt8] {
    var writer = JSONWriter(type: type)
    writer.add(others: otherMembers)
    return writer.json
  }
}
