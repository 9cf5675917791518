import CTransportShims
import Glibc

/// Reads an open descriptor that is not a TCP socket: a terminal's, or a socket of datagrams.
/// Confined to its event loop's thread.
///
/// The descriptor remains its opener's, who stops the connection and then closes the descriptor.
package final class DescriptorConnection: PolledDescriptor {
  package enum Content: Sendable {
    /// Bytes; reading none means that the other end has gone.
    case stream
    /// Datagrams, each of which is passed to the handler alone.
    case datagrams
  }

  /// The maximum number of reads for one event of epoll.
  private static let readsPerEvent = 16

  let id: UInt64
  let descriptor: Int32
  private let content: Content
  private let poller: Poller
  private var handler: (any ConnectionHandler)?

  fileprivate init(
    _ descriptor: Int32, _ content: Content, on poller: Poller, handler: any ConnectionHandler
  ) {
    id = poller.makeID()
    (self.descriptor, self.content) = (descriptor, content)
    (self.poller, self.handler) = (poller, handler)
  }

  fileprivate func start() -> Int32? {
    let code = poller.add(self, EPOLLIN.rawValue)
    if code != nil { stop() }
    return code
  }

  /// Stops reading. The handler is not notified.
  package func stop() {
    guard handler != nil else { return }
    handler = nil
    poller.remove(self)
  }

  func handle(_ events: UInt32, _ buffer: UnsafeMutableRawBufferPointer) {
    for _ in 0..<Self.readsPerEvent {
      guard let handler else { return }
      let count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count > 0 {
        // SAFETY: read initialized this many bytes, and nothing else writes to the buffer meanwhile.
        let bytes = unsafe buffer.bindMemory(to: UInt8.self).span
        handler.connectionReceived(bytes.extracting(first: count))
        if content == .stream, count < buffer.count, events == EPOLLIN.rawValue { return }
      } else if count == 0 {
        if content == .stream { return end(nil) }
      } else {
        switch errno {
        case EINTR: continue
        case EAGAIN:
          // A descriptor that has failed would be reported again and again without a pause.
          if events & ~EPOLLIN.rawValue != 0 { end(nil) }
          return
        default: return end(.system(errno: errno))
        }
      }
    }
  }

  private func end(_ failure: TransportFailure?) {
    let handler = handler
    stop()
    handler?.connectionClosed(failure)
  }
}

extension EventLoop {
  /// Reads a non-blocking descriptor until the connection is stopped or fails.
  ///
  /// - Parameter handler: Receives the bytes, and the end if it is not caused by
  ///   ``DescriptorConnection/stop()``.
  package func read(
    _ descriptor: Int32, _ content: DescriptorConnection.Content, handler: any ConnectionHandler
  ) -> Result<DescriptorConnection, TransportFailure> {
    let connection = DescriptorConnection(descriptor, content, on: poller, handler: handler)
    if let code = connection.start() { return .failure(.system(errno: code)) }
    return .success(connection)
  }
}
