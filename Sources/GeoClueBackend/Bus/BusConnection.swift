import CSystemd
import Glibc
import LocationTransport

/// Handles the messages of a bus, on the event loop's thread.
protocol BusConnectionHandler: AnyObject {
  /// The bus has accepted the connection and given it a name.
  func busOpened()
  /// A message arrived.
  func busReceived(_ message: BusMessage)
  /// The messages that had arrived were handled. Also called if the handler has closed the
  /// connection meanwhile.
  func busHandledMessages()
  /// The connection broke, with an errno. The handler is not called after that.
  func busFailed(_ code: Int32)
}

/// One connection of libsystemd to a bus, used once. Confined to its event loop's thread.
///
/// libsystemd opens the socket and speaks D-Bus, and the loop watches the socket. No call waits:
/// answers arrive as messages.
@safe final class BusConnection {
  /// The maximum number of messages that are handled in one turn of the loop.
  private static let messagesPerTurn = 64

  // SAFETY: created by init, destroyed by deinit. Only the loop's thread uses it.
  private let raw: OpaquePointer
  private let loop: EventLoop
  private weak var handler: (any BusConnectionHandler)?
  private var watch: DescriptorWatch?
  private var timer: TimerID?
  private var isOpen = false

  /// Begins to connect.
  ///
  /// - Parameter address: One or more addresses of Unix sockets. Others would start programs or
  ///   wait for a look-up of a name.
  /// - Throws: An errno.
  init(
    _ address: String, on loop: EventLoop, handler: any BusConnectionHandler
  ) throws(BusFailure) {
    var bus: OpaquePointer?
    try BusFailure.check(unsafe sd_bus_new(&bus))
    guard let bus = unsafe bus else { throw BusFailure(errno: ENOMEM) }
    unsafe raw = bus
    self.loop = loop
    self.handler = handler
    try BusFailure.check(unsafe sd_bus_set_address(raw, address))
    try BusFailure.check(unsafe sd_bus_set_bus_client(raw, 1))
    try BusFailure.check(unsafe sd_bus_start(raw))
    let descriptor = unsafe sd_bus_get_fd(raw)
    try BusFailure.check(descriptor)
    switch loop.watch(descriptor, writing: true, handler: self) {
    case .success(let watch): self.watch = watch
    case .failure(.system(let code)): throw BusFailure(errno: code)
    case .failure: throw BusFailure(errno: EIO)
    }
  }

  deinit { unsafe sd_bus_close_unref(raw) }

  /// Stops watching. The handler is not called again.
  func close() {
    handler = nil
    watch?.stop()
    watch = nil
    if let timer { loop.cancel(timer) }
    timer = nil
  }

  /// Sends a call. Returns its cookie, which the answer has.
  func call(_ call: BusCall) throws(BusFailure) -> UInt64 {
    var message: OpaquePointer?
    try BusFailure.check(
      unsafe sd_bus_message_new_method_call(
        raw, &message, call.destination, call.path, call.interface, call.member))
    guard let message = unsafe message else { throw BusFailure(errno: ENOMEM) }
    return try send(unsafe BusMessage(owning: message), call.arguments)
  }

  /// Appends arguments to a message and sends it. Returns its cookie.
  @discardableResult
  func send(_ message: BusMessage, _ arguments: [BusValue]) throws(BusFailure) -> UInt64 {
    guard message.append(arguments) else { throw BusFailure(errno: EINVAL) }
    var cookie: UInt64 = 0
    try BusFailure.check(unsafe sd_bus_send(raw, message.raw, &cookie))
    updateInterest()
    return cookie
  }

  /// Calls a function of libsystemd with the connection.
  func withBus<Result>(_ body: (OpaquePointer) -> Result) -> Result { unsafe body(raw) }
}

// MARK: - The socket

extension BusConnection: DescriptorHandler {
  func descriptorIsReady(readable: Bool, writable: Bool, isClosed: Bool) { process() }

  private func process() {
    guard let handler else { return }
    defer { handler.busHandledMessages() }
    for _ in 0..<Self.messagesPerTurn {
      var message: OpaquePointer?
      let status = unsafe sd_bus_process(raw, &message)
      let received = unsafe message.map { unsafe BusMessage(owning: $0) }
      if !isOpen, unsafe sd_bus_is_ready(raw) > 0 {
        isOpen = true
        handler.busOpened()
      }
      // A connection that ends makes libsystemd report it by a message of its own.
      guard status >= 0, unsafe sd_bus_is_open(raw) > 0 else {
        close()
        return handler.busFailed(status < 0 ? -status : ECONNRESET)
      }
      if let received { handler.busReceived(received) }
      // Closed by the handler.
      if self.handler == nil { return }
      if status == 0 { break }
    }
    updateInterest()
  }

  /// Watches for what libsystemd waits for, and sets the timer that it asks for.
  private func updateInterest() {
    guard let watch else { return }
    let events = unsafe sd_bus_get_events(raw)
    if let code = watch.setWriting(events > 0 && events & POLLOUT != 0) {
      let handler = handler
      close()
      _ = loop.arm(at: loop.now()) { handler?.busFailed(code) }
      return
    }
    var microseconds: UInt64 = 0
    let status = unsafe sd_bus_get_timeout(raw, &microseconds)
    if let timer { loop.cancel(timer) }
    timer = nil
    // Zero if messages wait that were read together with others. They are handled in the next turn of
    // the loop, so that a bus that floods lets it serve other connections.
    guard status > 0, microseconds < UInt64(Int64.max) else { return }
    let instant = max(.microseconds(Int64(microseconds)), loop.now())
    timer = loop.arm(at: instant) { [weak self] in
      self?.timer = nil
      self?.process()
    }
  }
}

/// A failed function of libsystemd.
struct BusFailure: Error, Hashable, Sendable {
  var errno: Int32

  /// Throws if a function returned a negative errno.
  static func check(_ status: Int32) throws(BusFailure) {
    if status < 0 { throw BusFailure(errno: -status) }
  }
}
