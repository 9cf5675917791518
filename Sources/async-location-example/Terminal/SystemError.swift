import Glibc

/// The system's description of an error number.
enum SystemError {
  static func text(_ number: Int32) -> String {
    strerror(number).map { String(cString: $0) } ?? "error \(number)"
  }
}
