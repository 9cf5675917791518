import AsyncLocation
import LocationTransport

/// A port of a source that is not a TCP connection. Confined to its transport's thread.
protocol SourcePort: AnyObject {
  /// Receives the error of a call, or nil, on the transport's thread. It is not called after
  /// ``close()``.
  typealias Answer = (LocationError?) -> Void

  /// Sets the speed of a serial port, and discards the bytes that arrived at the previous one. The
  /// answer to an earlier call is omitted if it has not ended.
  func setSpeed(_ speed: SerialSpeed, _ answer: @escaping Answer)
  /// Closes the port, also while it is being opened. Its handler is not notified.
  func close()
}

/// Opens ports. Tests replace the system's.
protocol PortOpening: Sendable {
  /// Begins to open a port.
  ///
  /// - Parameters:
  ///   - source: A serial port, or a port of datagrams.
  ///   - speed: The speed of a serial port.
  ///   - answer: Called after this call has returned.
  func open(
    _ source: NMEASource, speed: SerialSpeed?, handler: any ConnectionHandler,
    _ answer: @escaping SourcePort.Answer
  ) -> any SourcePort
}

/// The ports of the system, read by the event loop.
struct SystemPorts: PortOpening {
  let loop: EventLoop

  func open(
    _ source: NMEASource, speed: SerialSpeed?, handler: any ConnectionHandler,
    _ answer: @escaping SourcePort.Answer
  ) -> any SourcePort {
    switch source {
    case .serial(let path, _):
      SerialPort(path, speed ?? SerialSpeed.all[0], on: loop, handler: handler, answer)
    case .udp: DatagramSocket(source, on: loop, handler: handler, answer)
    case .tcp: preconditionFailure("opened by the transport")
    }
  }
}
