import AsyncLocation
import Glibc
import LocationTransport

/// A serial port that is open for reading: raw, 8 data bits, no parity, 1 stop bit, no flow control.
///
/// It is used exclusively, as gpsd does: two readers would each receive a part of the bytes. Its
/// former settings are restored when it is closed.
final class SerialPort: SourcePort {
  private let path: String
  private var descriptor: Int32
  private let original: termios
  /// Whether this port has made the device exclusive.
  private let isExclusive: Bool
  /// `TIOCGEXCL`, which is not imported: whether a device is in exclusive use.
  private static let getExclusive: UInt = 0x8004_5440
  private var connection: DescriptorConnection?

  /// Opens a port without waiting for the device: neither a modem's carrier nor a FIFO's writer
  /// delays the call.
  init(
    _ path: String, _ speed: SerialSpeed, on loop: EventLoop, handler: any ConnectionHandler
  ) throws(LocationError) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw .cannotOpenPort(path, errno) }
    guard status.st_mode & S_IFMT == S_IFCHR else { throw .notSerialPort(path) }
    let opened = unsafe Glibc.open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard opened >= 0 else {
      let code = errno
      throw .cannotOpenPort(path, code, group: GroupName.of(status.st_gid))
    }
    var settings = termios()
    guard unsafe tcgetattr(opened, &settings) == 0 else {
      let code = errno
      Glibc.close(opened)
      throw code == ENOTTY ? .notSerialPort(path) : .cannotOpenPort(path, code)
    }
    // The kernel lets root open a device in exclusive use.
    var isInUse: Int32 = 0
    if unsafe ioctl(opened, Self.getExclusive, &isInUse) == 0, isInUse != 0 {
      Glibc.close(opened)
      throw .cannotOpenPort(path, EBUSY)
    }
    (self.path, descriptor, original) = (path, opened, settings)
    // Without the right to lock it, the port is used all the same.
    isExclusive = ioctl(opened, UInt(TIOCEXCL), 0) == 0
    do throws(LocationError) {
      try setSpeed(speed)
      switch loop.read(opened, .stream, handler: handler) {
      case .success(let connection): self.connection = connection
      case .failure(let failure): throw .cannotReadPort(path, failure)
      }
    } catch {
      close()
      throw error
    }
  }

  func setSpeed(_ speed: SerialSpeed) throws(LocationError) {
    var settings = original
    unsafe cfmakeraw(&settings)
    settings.c_cflag &= ~tcflag_t(PARENB | CSTOPB) & ~tcflag_t(CRTSCTS)
    settings.c_cflag |= tcflag_t(CS8 | CREAD | CLOCAL)
    // A read without bytes fails with EAGAIN, so that reading none means a hang-up.
    unsafe withUnsafeMutableBytes(of: &settings.c_cc) { characters in
      unsafe characters[Int(VMIN)] = 1
      unsafe characters[Int(VTIME)] = 0
    }
    // Before the speed is set: what arrives afterwards is complete.
    tcflush(descriptor, TCIFLUSH)
    guard unsafe cfsetspeed(&settings, speed.constant) == 0,
      unsafe tcsetattr(descriptor, TCSANOW, &settings) == 0
    else { throw .cannotOpenPort(path, errno) }
  }

  func close() {
    connection?.stop()
    connection = nil
    guard descriptor >= 0 else { return }
    var settings = original
    _ = unsafe tcsetattr(descriptor, TCSANOW, &settings)
    if isExclusive { _ = ioctl(descriptor, UInt(TIOCNXCL), 0) }
    Glibc.close(descriptor)
    descriptor = -1
  }
}

/// Names of groups, from the system's file. A look-up by `getgrgid` may ask a server.
enum GroupName {
  /// The name of a group; nil if the file does not have it.
  static func of(_ group: gid_t) -> String? {
    guard let file = unsafe fopen("/etc/group", "re") else { return nil }
    defer { unsafe fclose(file) }
    var memory = [CChar](repeating: 0, count: 16_384)
    var entry = unsafe Glibc.group()
    var found: UnsafeMutablePointer<Glibc.group>?
    // SAFETY: `entry` and its texts in `memory` are used only while both exist.
    return unsafe memory.withUnsafeMutableBufferPointer { memory in
      while unsafe fgetgrent_r(file, &entry, memory.baseAddress, memory.count, &found) == 0 {
        if unsafe entry.gr_gid == group { return unsafe String(cString: entry.gr_name) }
      }
      return nil
    }
  }
}
