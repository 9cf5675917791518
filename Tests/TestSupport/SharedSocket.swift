import AsyncLocation
import Glibc

/// A socket that one thread closes while others may shut it down. Once it is closed, its number may
/// belong to a file of another test, so later calls do nothing.
package final class SharedSocket: Sendable {
  /// Valid until ``close()``.
  package let number: Int32
  private let isClosed = Locked(false)

  package init(_ number: Int32) { self.number = number }

  /// Ends calls that wait for the socket. Does nothing once it is closed.
  package func shutDown() {
    isClosed.withLock { if !$0 { _ = shutdown(number, Int32(SHUT_RDWR)) } }
  }

  /// Closes the socket. Does nothing once it is closed.
  package func close() {
    isClosed.withLock { isClosed in
      if !isClosed { _ = Glibc.close(number) }
      isClosed = true
    }
  }
}
