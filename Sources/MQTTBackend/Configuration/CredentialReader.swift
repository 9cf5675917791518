import AsyncLocation
import FoundationEssentials

/// Reads a user name and a password. Blocks while it reads a file.
enum CredentialReader {
  /// The maximum size of the file in bytes.
  static let maximumSize = 65_536

  static func read(
    _ credentials: MQTTConfiguration.Credentials,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(LocationError) -> (user: String, password: String) {
    let (user, password) =
      switch credentials {
      case .password(let user, let password): (user, password)
      case .environment(let user, let password):
        (
          try value(of: user, in: environment),
          try value(of: password, in: environment)
        )
      case .file(let path): try read(path)
      }
    guard !user.isEmpty, user.utf8.count <= 65_535, password.utf8.count <= 65_535,
      !user.utf8.contains(0), !password.utf8.contains(0)
    else {
      throw LocationError(
        .invalidValue,
        "The user name for the broker must have 1...65,535 bytes, the password at most 65,535, and "
          + "neither a NUL character.")
    }
    return (user, password)
  }

  private static func value(
    of name: String, in environment: [String: String]
  ) throws(LocationError) -> String {
    guard let value = environment[name] else {
      throw LocationError(
        .invalidValue,
        "The environment variable \(String(printable: name, limit: 80)) with the broker's user "
          + "name or password is not set.")
    }
    return value
  }

  private static func read(_ path: String) throws(LocationError) -> (String, String) {
    let file = try ConfigurationFile(path, content: "The broker's credentials")
    try file.requirePrivacy()
    let bytes = try file.read(limit: maximumSize + 1)
    guard bytes.count <= maximumSize else {
      throw file.unreadable("it has more than \(maximumSize) bytes")
    }
    var lines = bytes.split(separator: newline, omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }  // The empty text after a final newline.
    guard lines.count >= 2 else {
      throw file.unreadable("it must have the user name in line 1 and the password in line 2")
    }
    guard let user = text(lines[0]), let password = text(lines[1]) else {
      throw file.unreadable("it is not UTF-8")
    }
    return (user, password)
  }

  private static let newline = UInt8(ascii: "\n")

  /// The text of a line without a trailing carriage return; nil if it is not UTF-8.
  private static func text(_ line: ArraySlice<UInt8>) -> String? {
    String(
      validating: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
  }
}
