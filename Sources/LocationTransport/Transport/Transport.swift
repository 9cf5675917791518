/// A network, a clock, and the single thread on which all callbacks run.
///
/// Only ``submit(_:)``, ``isCurrent`` and ``workspace`` may be used on other threads. All callbacks
/// run on the transport's thread, and never during a call on that thread that requests them.
package protocol Transport: AnyObject, Sendable {
  /// Whether the caller is on the transport's thread.
  var isCurrent: Bool { get }
  /// Calls `work` on the transport's thread, in order of submission. May be called on any thread.
  func submit(_ work: @escaping @Sendable () -> Void)

  /// Memory that the connections of this transport share. May be used on any thread.
  var workspace: Workspace { get }
  /// The time on a monotonic clock with an arbitrary origin.
  func now() -> Duration
  /// Calls `action` once at an instant, unless the timer is cancelled.
  func arm(at instant: Duration, _ action: @escaping () -> Void) -> TimerID
  /// Postpones a timer to a later instant; an earlier one changes nothing.
  func postpone(_ timer: TimerID, to instant: Duration)
  func cancel(_ timer: TimerID)

  /// Looks up a host. `answer` is not called after the look-up is cancelled.
  func resolve(
    host: String, port: Int,
    _ answer: @escaping (Result<[SocketAddress], TransportFailure>) -> Void
  ) -> LookupID
  func cancel(_ lookup: LookupID)
  /// Opens a connection. The handler is not called after the connection is closed.
  func open(_ address: SocketAddress, handler: any ConnectionHandler) -> any Connection
}

/// Handles the events of a connection, on its transport's thread.
package protocol ConnectionHandler: AnyObject {
  func connectionOpened()
  /// The connection could not be opened.
  func connectionFailed(_ failure: TransportFailure)
  func connectionReceived(_ bytes: Span<UInt8>)
  /// An open connection ended. The failure is nil if the peer closed the connection.
  func connectionClosed(_ failure: TransportFailure?)
}

/// Identifies a look-up; never reused.
package struct LookupID: Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// One connection.
package protocol Connection: AnyObject {
  /// Sends bytes, and buffers those that cannot be sent yet. The connection fails if the buffer
  /// overflows because the peer does not read.
  func send(_ bytes: [UInt8])
  /// Closes the connection without notifying the handler. Buffered bytes are discarded.
  func close()
}

/// Why a network operation failed.
package enum TransportFailure: Error, Hashable, Sendable {
  /// `getaddrinfo` failed with this code.
  case lookup(code: Int32)
  /// Too many names wait for a look-up.
  case tooManyLookups
  /// A system call failed with this errno.
  case system(errno: Int32)
  /// The send buffer is full because the peer does not read.
  case unread
}
