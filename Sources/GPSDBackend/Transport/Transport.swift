/// Where connections live: one thread that makes every call, a clock, and a network.
///
/// All but ``submit(_:)``, ``isCurrent`` and ``workspace`` may be called on the transport's thread
/// only, and all that is called back is called on it, never from within the call that asked for it.
package protocol Transport: AnyObject, Sendable {
  /// Whether the caller is on the transport's thread.
  var isCurrent: Bool { get }
  /// Calls `work` on the transport's thread, in the order of submission. From any thread.
  func submit(_ work: @escaping @Sendable () -> Void)

  /// From any thread; what is in it is the transport's thread's.
  var workspace: Workspace { get }
  /// The time on a monotonic clock of no particular origin.
  func now() -> Duration
  /// Calls `action` once at an instant, unless cancelled.
  func arm(at instant: Duration, _ action: @escaping () -> Void) -> TimerID
  /// Lets a timer be due at a later instant; an earlier one changes nothing.
  func postpone(_ timer: TimerID, to instant: Duration)
  func cancel(_ timer: TimerID)

  /// Looks a host up; however long that takes, nothing is called back once it is cancelled.
  func resolve(
    host: String, port: Int,
    _ answer: @escaping (Result<[SocketAddress], TransportFailure>) -> Void
  ) -> LookupID
  func cancel(_ lookup: LookupID)
  /// Opens a connection; nothing is called back once it is closed.
  func open(_ address: SocketAddress, handler: any ChannelHandler) -> any Channel
}

/// What hears of a connection, on its transport's thread.
package protocol ChannelHandler: AnyObject {
  func channelOpened()
  func channelFailed(_ failure: TransportFailure)
  /// The bytes are gone after the call.
  func channelReceived(_ bytes: UnsafeRawBufferPointer)
  /// The peer ended an open connection, or the network did.
  func channelClosed(_ failure: TransportFailure?)
}

/// Names a lookup; never used twice.
package struct LookupID: Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// One connection.
package protocol Channel: AnyObject {
  /// Sends, later if need be. A peer that reads nothing makes the connection fail, not grow.
  func send(_ bytes: [UInt8])
  func close()
}

/// Why the network refused.
package enum TransportFailure: Error, Hashable, Sendable {
  /// `getaddrinfo` said so.
  case lookup(code: Int32)
  /// So many names wait for a look-up that no other may.
  case tooManyLookups
  /// A system call said so.
  case system(errno: Int32)
  /// The peer does not read what is sent.
  case unread
}
