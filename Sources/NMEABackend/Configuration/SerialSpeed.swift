import Glibc

/// A speed of a serial port.
struct SerialSpeed: Hashable, Sendable {
  let bitsPerSecond: Int
  /// The speed in the form that `termios` uses.
  let constant: speed_t

  /// In the order in which detection tries them: NMEA 0183's own speed, the usual ones of receivers,
  /// of AIS and fast multiplexers, and then the rest.
  static let all: [Self] = [
    Self(4_800, B4800), Self(9_600, B9600), Self(38_400, B38400), Self(115_200, B115200),
    Self(19_200, B19200), Self(57_600, B57600), Self(230_400, B230400), Self(460_800, B460800),
    Self(921_600, B921600),
  ]

  private init(_ bitsPerSecond: Int, _ constant: Int32) {
    (self.bitsPerSecond, self.constant) = (bitsPerSecond, speed_t(constant))
  }

  /// Nil for a speed that is not in ``all``.
  init?(_ bitsPerSecond: Int) {
    guard let speed = Self.all.first(where: { $0.bitsPerSecond == bitsPerSecond }) else {
      return nil
    }
    self = speed
  }
}
