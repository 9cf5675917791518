public import AsyncLocation
public import FoundationEssentials

/// The current state of a backend, and counters over all of its runs.
public struct NMEAStatistics: Sendable, Hashable {
  /// The latest connection phase of any run.
  public var phase: ConnectionState.Phase = .idle
  /// When ``phase`` began, by this computer's clock, which may be adjusted; nil before the first
  /// run.
  public var phaseDate: Date?
  /// The speed of the serial port in bits per second; nil while it is being detected, and for other
  /// sources.
  public var speed: Int?
  /// Bytes received.
  public var bytes = 0
  /// Valid sentences received that begin with `$`, of any type, used or not.
  public var sentences = 0
  /// Sentences whose checksum is wrong. They are not used.
  public var wrongChecksums = 0
  /// Sentences that are cut, too long or contain an invalid time or position, and sentences without
  /// a checksum from a source whose other sentences have one. They are not used.
  public var malformedSentences = 0
  /// Valid sentences that were not used: AIS and other sentences that begin with `!`, proprietary
  /// ones, and those of a receiver or compass that is not the selected one.
  public var skippedSentences = 0
  /// Bytes outside of sentences, such as UBX or RTCM messages.
  public var otherBytes = 0
  /// Epochs of any receiver on the line, with or without a position.
  public var epochs = 0
  /// Attempts to open the source.
  public var attempts = 0
  /// Connections and ports that were opened.
  public var connections = 0
  /// The last error.
  public var lastError: LocationError?

  /// Creates statistics with all counts zero.
  public init() {}
}

/// Encoded as an object with all members by name; a missing count is decoded as 0, and an unknown
/// phase as `connecting`.
extension NMEAStatistics: SourceStatistics, Codable {
  /// The counts.
  package static let table: [TabulatedMember<Self>] = [
    TabulatedMember("speed", \.speed, "bits/s"),
    TabulatedMember("bytes", \.bytes),
    TabulatedMember("sentences", \.sentences),
    TabulatedMember("wrongChecksums", \.wrongChecksums),
    TabulatedMember("malformedSentences", \.malformedSentences),
    TabulatedMember("skippedSentences", \.skippedSentences),
    TabulatedMember("otherBytes", \.otherBytes),
    TabulatedMember("epochs", \.epochs),
    TabulatedMember("attempts", \.attempts),
    TabulatedMember("connections", \.connections),
  ]

  public init(from decoder: any Decoder) throws {
    self.init()
    try decodeMembers(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws { try encodeMembers(to: encoder) }
}
