/// What a source sends instead of sentences, by its first bytes. Pure.
///
/// A message never quotes the bytes: they may have a position.
enum ForeignContent: Hashable, Sendable {
  case gpsd
  case webServer
  case shell
  /// A binary protocol of receivers, with its name.
  case receiverProtocol(String)
  /// Sentences whose checksums are wrong.
  case wrongChecksums
  case text
  case binary

  private static let greetings: [(bytes: [UInt8], content: Self)] = [
    (Array(#"{"class":"#.utf8), .gpsd), (Array("HTTP/".utf8), .webServer),
    (Array("SSH-".utf8), .shell),
  ]
  private static let preambles: [(bytes: [UInt8], name: String)] = [
    ([0xB5, 0x62], "UBX"), ([0xA0, 0xA2], "SiRF binary"), ([0xAA, 0x44, 0x12], "NovAtel binary"),
  ]

  /// - Parameters:
  ///   - excerpt: The first bytes outside of valid sentences.
  ///   - hasWrongChecksums: Whether there were sentences with a wrong checksum.
  init(_ excerpt: [UInt8], hasWrongChecksums: Bool) {
    if let known = Self.greetings.first(where: { excerpt.starts(with: $0.bytes) }) {
      self = known.content
    } else if let known = Self.preambles.first(where: { excerpt.firstRange(of: $0.bytes) != nil }) {
      self = .receiverProtocol(known.name)
    } else if excerpt.count > 2, excerpt[0] == 0xD3, excerpt[1] & 0xFC == 0 {
      self = .receiverProtocol("RTCM 3")
    } else if hasWrongChecksums {
      self = .wrongChecksums
    } else {
      self = excerpt.allSatisfy(Self.isText) ? .text : .binary
    }
  }

  /// Whether a server greets with it, and then may wait for a request: few bytes are enough.
  var isGreeting: Bool {
    switch self {
    case .gpsd, .webServer, .shell: true
    case .receiverProtocol, .wrongChecksums, .text, .binary: false
    }
  }

  private static func isText(_ byte: UInt8) -> Bool {
    (0x20...0x7E).contains(byte) || byte == 9 || byte == 10 || byte == 13
  }
}
