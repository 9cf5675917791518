import Glibc

/// A failed system call.
struct SystemFailure: Error, Hashable, CustomStringConvertible {
  let number: Int32

  init(_ number: Int32) { self.number = number }

  var description: String {
    unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
  }

  /// Makes a call until no signal interrupts it. Throws its error number if its result is negative.
  @discardableResult
  static func check<Status: SignedInteger>(
    _ call: () -> Status
  ) throws(SystemFailure) -> Status {
    while true {
      let status = call()
      if status >= 0 { return status }
      guard errno == EINTR else { throw SystemFailure(errno) }
    }
  }
}
