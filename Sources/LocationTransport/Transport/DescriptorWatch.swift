import CTransportShims
import Glibc

/// Handles the events of a descriptor that a C library owns, on its event loop's thread.
package protocol DescriptorHandler: AnyObject {
  /// Called when the descriptor is readable, writable or both. A failed descriptor counts as
  /// readable.
  ///
  /// - Parameter isClosed: Whether both directions of the connection are closed. Data that arrived
  ///   before may still be read.
  func descriptorIsReady(readable: Bool, writable: Bool, isClosed: Bool)
}

/// Watches a descriptor that a C library opens, and may close at any time. Confined to its event
/// loop's thread.
package final class DescriptorWatch: PolledDescriptor {
  private static let reading = EPOLLIN.rawValue | EPOLLRDHUP.rawValue

  let id: UInt64
  /// A duplicate of the library's descriptor, which can be removed from epoll even after the
  /// library closes the original; -1 if duplication failed or watching has stopped.
  package private(set) var descriptor: Int32
  private let poller: Poller
  private weak var handler: (any DescriptorHandler)?
  private var interest: UInt32 = 0

  init(_ descriptor: Int32, on poller: Poller, handler: any DescriptorHandler) {
    id = poller.makeID()
    self.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    self.poller = poller
    self.handler = handler
  }

  /// Starts watching. If that fails, closes the duplicate and returns an errno.
  func start(writing: Bool) -> Int32? {
    guard descriptor >= 0 else { return errno }
    interest = Self.interest(writing: writing)
    let code = poller.add(self, interest)
    if code != nil { stop() }
    return code
  }

  /// Sets whether the handler is called when the descriptor is writable. Returns an errno if that
  /// fails.
  package func setWriting(_ writing: Bool) -> Int32? {
    let newInterest = Self.interest(writing: writing)
    guard newInterest != interest else { return nil }
    interest = newInterest
    return poller.update(self, newInterest)
  }

  /// Stops watching and closes the duplicate, which kept the connection open.
  package func stop() {
    guard descriptor >= 0 else { return }
    handler = nil
    poller.remove(self)
    close(descriptor)
    descriptor = -1
  }

  func handle(_ events: UInt32, _ buffer: UnsafeMutableRawBufferPointer) {
    handler?.descriptorIsReady(
      readable: events & ~EPOLLOUT.rawValue != 0, writable: events & EPOLLOUT.rawValue != 0,
      isClosed: events & EPOLLHUP.rawValue != 0)
  }

  private static func interest(writing: Bool) -> UInt32 {
    writing ? reading | EPOLLOUT.rawValue : reading
  }
}

extension EventLoop {
  /// Watches a descriptor for reading, and for writing if requested.
  package func watch(
    _ descriptor: Int32, writing: Bool, handler: any DescriptorHandler
  ) -> Result<DescriptorWatch, TransportFailure> {
    let watch = DescriptorWatch(descriptor, on: poller, handler: handler)
    if let code = watch.start(writing: writing) { return .failure(.system(errno: code)) }
    return .success(watch)
  }
}
