/// The commands that are sent to gpsd.
package enum WatchCommand {
  /// The options of `?WATCH` that differ from the defaults.
  struct Flags: OptionSet, Hashable, Sendable {
    let rawValue: Int

    static let nmea = Self(rawValue: 1)
    static let raw = Self(rawValue: 2)
    static let scaled = Self(rawValue: 4)
    static let split24 = Self(rawValue: 8)
    static let pps = Self(rawValue: 16)
    static let timing = Self(rawValue: 32)

    fileprivate static let members: [(flag: Self, text: String)] = [
      (.nmea, #","nmea":true"#), (.raw, #","raw":1"#), (.scaled, #","scaled":true"#),
      (.split24, #","split24":true"#), (.pps, #","pps":true"#), (.timing, #","timing":true"#),
    ]
  }

  /// Returns a command that requests reports as JSON, of one receiver or of all.
  ///
  /// The device name is untrusted: it is escaped so that it cannot end the string or the command.
  /// gpsd documents a limit of 80 bytes for commands, but accepts longer ones.
  package static func watch(device: String? = nil) -> [UInt8] { watch(device: device, flags: []) }

  static func watch(device: String?, flags: Flags) -> [UInt8] {
    var command = Array("?WATCH={\"enable\":true,\"json\":true".utf8)
    for member in Flags.members where flags.contains(member.flag) {
      command.append(contentsOf: member.text.utf8)
    }
    if let device {
      command.append(contentsOf: ",\"device\":\"".utf8)
      for byte in device.utf8 { append(byte, to: &command) }
      command.append(UInt8(ascii: "\""))
    }
    command.append(contentsOf: "};\n".utf8)
    return command
  }

  /// The command that stops reports.
  package static let unwatch = Array("?WATCH={\"enable\":false};\n".utf8)
  /// The command that requests the greeting again.
  package static let version = Array("?VERSION;\n".utf8)
  /// The command that requests the list of receivers.
  package static let devices = Array("?DEVICES;\n".utf8)

  private static func append(_ byte: UInt8, to command: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      command.append(contentsOf: [UInt8(ascii: "\\"), byte])
    case 0..<0x20, 0x7F:
      let digits = Array("0123456789abcdef".utf8)
      command.append(contentsOf: "\\u00".utf8)
      command.append(contentsOf: [digits[Int(byte >> 4)], digits[Int(byte & 15)]])
    default:
      // gpsd accepts raw UTF-8, but truncates escapes of larger code points to one byte.
      command.append(byte)
    }
  }
}
