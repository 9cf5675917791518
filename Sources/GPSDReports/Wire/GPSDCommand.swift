/// A command that is sent to gpsd.
package enum GPSDCommand: Hashable, Sendable {
  /// Requests JSON reports from one device or from all.
  case watch(device: String?, flags: WatchFlags = [])
  /// Stops reports.
  case unwatch
  /// Requests the list of receivers.
  case devices
  /// Requests the `VERSION` report, which gpsd also sends on connect.
  case version

  /// The options of `?WATCH` that differ from the defaults.
  package struct WatchFlags: OptionSet, Hashable, Sendable {
    package let rawValue: Int

    package static let nmea = Self(rawValue: 1)
    package static let raw = Self(rawValue: 2)
    package static let scaled = Self(rawValue: 4)
    package static let split24 = Self(rawValue: 8)
    package static let pps = Self(rawValue: 16)
    package static let timing = Self(rawValue: 32)

    package init(rawValue: Int) { self.rawValue = rawValue }

    fileprivate static let members: [(flag: Self, text: String)] = [
      (.nmea, #","nmea":true"#), (.raw, #","raw":1"#), (.scaled, #","scaled":true"#),
      (.split24, #","split24":true"#), (.pps, #","pps":true"#), (.timing, #","timing":true"#),
    ]
  }

  /// The command as a line, with its terminator.
  package var bytes: [UInt8] {
    switch self {
    case .watch(let device, let flags): Self.watchLine(device, flags)
    case .unwatch: Array("?WATCH={\"enable\":false};\n".utf8)
    case .devices: Array("?DEVICES;\n".utf8)
    case .version: Array("?VERSION;\n".utf8)
    }
  }

  /// Returns the line of a watch command.
  ///
  /// The device name is untrusted: it is escaped so that it cannot end the string or the command.
  /// gpsd documents a limit of 80 bytes for commands, but accepts longer ones.
  private static func watchLine(_ device: String?, _ flags: WatchFlags) -> [UInt8] {
    var line = Array("?WATCH={\"enable\":true,\"json\":true".utf8)
    for member in WatchFlags.members where flags.contains(member.flag) {
      line.append(contentsOf: member.text.utf8)
    }
    if let device {
      line.append(contentsOf: ",\"device\":\"".utf8)
      for byte in device.utf8 { appendEscaped(byte, to: &line) }
      line.append(UInt8(ascii: "\""))
    }
    line.append(contentsOf: "};\n".utf8)
    return line
  }

  private static func appendEscaped(_ byte: UInt8, to line: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      line.append(contentsOf: [UInt8(ascii: "\\"), byte])
    case 0..<0x20, 0x7F:
      let digits = Array("0123456789abcdef".utf8)
      line.append(contentsOf: "\\u00".utf8)
      line.append(contentsOf: [digits[Int(byte >> 4)], digits[Int(byte & 15)]])
    default:
      // gpsd accepts raw UTF-8, but truncates escapes of larger code points to one byte.
      line.append(byte)
    }
  }
}
