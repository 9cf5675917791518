import CTransportShims
import Glibc

/// A descriptor that a ``Poller`` watches.
protocol PolledDescriptor: AnyObject {
  /// Unique in its poller.
  var id: UInt64 { get }
  var descriptor: Int32 { get }
  /// Handles events of epoll.
  ///
  /// - Parameter buffer: Memory that the callee may use during the call.
  func handle(_ events: UInt32, _ buffer: UnsafeMutableRawBufferPointer)
}

/// The descriptors of one event loop, and the epoll instance that watches them. Not thread-safe.
@safe final class Poller {
  private static let bufferSize = 65_536
  private static let maximumEvents = 128
  private static let wakeID: UInt64 = 0

  private let descriptor: Int32
  private let wakeDescriptor: Int32
  // SAFETY: both are allocated by init, freed by deinit, and used only in between. The kernel
  // writes at most as many events as they hold.
  private let buffer: UnsafeMutableRawBufferPointer
  private let events: UnsafeMutablePointer<epoll_event>
  private var clients: [UInt64: any PolledDescriptor] = [:]
  private var lastID = Poller.wakeID

  /// Takes ownership of both descriptors.
  init(descriptor: Int32, wakeDescriptor: Int32) {
    self.descriptor = descriptor
    self.wakeDescriptor = wakeDescriptor
    unsafe buffer = .allocate(byteCount: Self.bufferSize, alignment: 64)
    unsafe events = .allocate(capacity: Self.maximumEvents)
  }

  deinit {
    unsafe buffer.deallocate()
    unsafe events.deallocate()
    Glibc.close(descriptor)
    Glibc.close(wakeDescriptor)
  }

  /// Returns an ID for a descriptor that is to be added.
  func makeID() -> UInt64 {
    lastID += 1
    return lastID
  }

  /// Starts to watch a descriptor for the epoll events in `interest`. Returns an errno if that
  /// fails; the caller then calls ``remove(_:)``.
  func add(_ client: any PolledDescriptor, _ interest: UInt32) -> Int32? {
    // Events carry the ID instead of the descriptor, which may have been closed and reused before
    // an event is handled.
    clients[client.id] = client
    return control(EPOLL_CTL_ADD, client, interest)
  }

  /// Replaces the epoll events for which a descriptor is watched. Returns an errno if that fails.
  func update(_ client: any PolledDescriptor, _ interest: UInt32) -> Int32? {
    control(EPOLL_CTL_MOD, client, interest)
  }

  /// Stops watching a descriptor, which must still be open. Closing alone is not enough: while
  /// another process holds a copy of the descriptor, epoll would report its events, and each wait
  /// would return immediately.
  func remove(_ client: any PolledDescriptor) {
    _ = control(EPOLL_CTL_DEL, client, 0)
    clients[client.id] = nil
  }

  private func control(
    _ operation: Int32, _ client: any PolledDescriptor, _ interest: UInt32
  ) -> Int32? {
    var event = unsafe epoll_event(events: interest, data: epoll_data_t(u64: client.id))
    return unsafe epoll_ctl(descriptor, operation, client.descriptor, &event) == 0 ? nil : errno
  }

  /// Waits for socket events or a wake-up, and passes the events to their descriptors.
  ///
  /// - Parameter timeout: In milliseconds; -1 waits without limit.
  /// - Returns: The number of events.
  @discardableResult
  func poll(timeout: Int32) -> Int {
    let count = unsafe epoll_wait(descriptor, events, Int32(Self.maximumEvents), timeout)
    guard count > 0 else { return 0 }  // Timed out or interrupted: the loop continues.
    for index in 0..<Int(count) {
      let event = unsafe events[index]
      if unsafe event.data.u64 == Self.wakeID {
        var value: eventfd_t = 0
        unsafe eventfd_read(wakeDescriptor, &value)
      } else {
        unsafe clients[event.data.u64]?.handle(event.events, buffer)
      }
    }
    return Int(count)
  }

  /// Creates an eventfd and an epoll instance that watches it.
  static func makeDescriptors() -> Result<(poll: Int32, wake: Int32), TransportFailure> {
    let poll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard poll >= 0 else { return .failure(.system(errno: errno)) }
    let wake = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard wake >= 0 else {
      let failure = TransportFailure.system(errno: errno)
      Glibc.close(poll)
      return .failure(failure)
    }
    var event = unsafe epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: wakeID))
    guard unsafe epoll_ctl(poll, EPOLL_CTL_ADD, wake, &event) == 0 else {
      let failure = TransportFailure.system(errno: errno)
      Glibc.close(poll)
      Glibc.close(wake)
      return .failure(failure)
    }
    return .success((poll, wake))
  }
}
