import CTransportShims
import Glibc

/// A non-blocking TCP connection on an event loop, confined to the loop's thread.
final class SocketConnection: Connection, PolledDescriptor {
  private enum State {
    case connecting
    case open
    /// Failed and closed; the handler has not been notified yet.
    case failed
    case closed
  }

  /// The maximum number of bytes that wait to be sent.
  private static let maximumPending = 65_536
  /// The maximum number of reads for one event of epoll.
  private static let readsPerEvent = 16
  private static let reading = EPOLLIN.rawValue | EPOLLRDHUP.rawValue

  let id: UInt64
  private(set) var descriptor: Int32 = -1
  private let poller: Poller
  private let schedule: (@escaping () -> Void) -> Void
  private var handler: (any ConnectionHandler)?
  private var state = State.connecting
  /// The bytes that wait to be sent.
  private var pending: [UInt8] = []
  /// Whether epoll reports when more can be sent.
  private var isWriting = false

  /// - Parameter schedule: Schedules a closure on the loop's thread; never calls it before
  ///   returning.
  init(
    to address: SocketAddress, on poller: Poller, handler: any ConnectionHandler,
    schedule: @escaping (@escaping () -> Void) -> Void
  ) {
    id = poller.makeID()
    self.poller = poller
    self.handler = handler
    self.schedule = schedule
    connect(to: address)
  }

  private func connect(to address: SocketAddress) {
    let kind =
      Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    descriptor = socket(address.family, kind, Int32(IPPROTO_TCP))
    guard descriptor >= 0 else { return fail(.system(errno: errno)) }
    var on: Int32 = 1
    unsafe setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    let status = unsafe address.withSocketAddress { unsafe Glibc.connect(descriptor, $0, $1) }
    // An interrupted connect continues in the background.
    guard status == 0 || errno == EINPROGRESS || errno == EINTR else {
      return fail(.system(errno: errno))
    }
    if let code = poller.add(self, EPOLLOUT.rawValue) { fail(.system(errno: code)) }
  }

  func handle(_ events: UInt32, _ buffer: UnsafeMutableRawBufferPointer) {
    switch state {
    case .connecting: finishConnecting()
    case .open:
      if events & EPOLLOUT.rawValue != 0 { flush() }
      if events & ~EPOLLOUT.rawValue != 0 { unsafe read(into: buffer) }
    case .failed, .closed: break
    }
  }

  private func finishConnecting() {
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    if unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) != 0 { code = errno }
    if code == 0 { code = poller.update(self, Self.reading) ?? 0 }
    guard code == 0 else { return fail(.system(errno: code)) }
    state = .open
    handler?.connectionOpened()
  }

  private func read(into buffer: UnsafeMutableRawBufferPointer) {
    // After a full buffer there may be more data. Read it without another epoll call, but limit the
    // reads so that other connections are served too.
    for _ in 0..<Self.readsPerEvent {
      guard case .open = state else { return }
      let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count > 0 {
        // SAFETY: recv initialized this many bytes, and nothing else writes to the buffer
        // meanwhile.
        let bytes = unsafe buffer.bindMemory(to: UInt8.self).span
        handler?.connectionReceived(bytes.extracting(first: count))
        if count < buffer.count { return }
      } else if count == 0 {
        return end(nil)
      } else {
        switch errno {
        case EINTR: continue
        case EAGAIN: return
        // Even a lack of memory ends the connection: epoll would otherwise report the same bytes
        // again and again without a pause.
        default: return end(.system(errno: errno))
        }
      }
    }
  }

  func send(_ bytes: [UInt8]) {
    switch state {
    case .connecting, .open: break
    case .failed, .closed: return
    }
    guard pending.count + bytes.count <= Self.maximumPending else { return fail(.unread) }
    let isFirst = pending.isEmpty
    pending += bytes
    if case .open = state, isFirst { flush() }
  }

  private func flush() {
    guard !pending.isEmpty else { return }
    var sent = 0
    while sent < pending.count {
      // MSG_NOSIGNAL: a SIGPIPE would terminate the process.
      let count = unsafe pending.withUnsafeBytes { bytes in
        unsafe Glibc.send(
          descriptor, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count >= 0 {
        sent += count
        continue
      }
      let code = errno
      if code == EINTR { continue }
      if code == EAGAIN { break }
      return fail(.system(errno: code))
    }
    pending.removeFirst(sent)
    // Epoll must report that more can be sent if and only if bytes wait.
    guard isWriting == pending.isEmpty else { return }
    isWriting = !pending.isEmpty
    let interest = isWriting ? Self.reading | EPOLLOUT.rawValue : Self.reading
    if let code = poller.update(self, interest) { fail(.system(errno: code)) }
  }

  /// Closes the descriptor. Notifies the handler later, because the handler may be the caller.
  private func fail(_ failure: TransportFailure) {
    let wasOpen = if case .open = state { true } else { false }
    state = .failed
    release()
    schedule { [self] in
      guard let handler, case .failed = state else { return }
      state = .closed
      self.handler = nil
      if wasOpen { handler.connectionClosed(failure) } else { handler.connectionFailed(failure) }
    }
  }

  /// Closes an open connection and notifies the handler at once. Called only for an event of epoll.
  private func end(_ failure: TransportFailure?) {
    let handler = handler
    close()
    handler?.connectionClosed(failure)
  }

  func close() {
    state = .closed
    handler = nil
    release()
  }

  private func release() {
    pending = []
    poller.remove(self)
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    descriptor = -1
  }
}
