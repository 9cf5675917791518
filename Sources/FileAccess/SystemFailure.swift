#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A failed system call.
package struct SystemFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error number.
  package let number: Int32

  package init(_ number: Int32) { self.number = number }

  package var description: String {
    unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
  }

  /// No file has the name.
  package static var missing: Self { Self(ENOENT) }
  /// The name exists.
  package static var exists: Self { Self(EEXIST) }
  /// The name is a symbolic link.
  package static var link: Self { Self(ELOOP) }
  /// The file cannot grow.
  package static var full: Self { Self(ENOSPC) }

  /// Whether the failure may be transient, such as a lack of descriptors.
  package var mayPass: Bool {
    [EMFILE, ENFILE, ENOMEM, EINTR, EAGAIN, EIO].contains(number)
  }

  /// Whether the file system does not support locks.
  package var isLackOfLocks: Bool { [ENOLCK, EOPNOTSUPP, ENOSYS].contains(number) }

  /// Makes a call, and repeats it while signals interrupt it. Returns the result; throws the
  /// failure that `errno` contains if the result is negative.
  @discardableResult
  package static func check<Status: SignedInteger>(
    _ call: () -> Status
  ) throws(SystemFailure) -> Status {
    while true {
      let status = call()
      if status >= 0 { return status }
      guard errno == EINTR else { throw SystemFailure(errno) }
    }
  }
}
