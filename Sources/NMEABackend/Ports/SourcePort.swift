import AsyncLocation
import LocationTransport

/// An open port of a source that is not a TCP connection. Confined to its transport's thread.
protocol SourcePort: AnyObject {
  /// Sets the speed of a serial port, and discards the bytes that arrived at the previous one.
  func setSpeed(_ speed: SerialSpeed) throws(LocationError)
  /// Closes the port. Its handler is not notified.
  func close()
}

/// Opens ports. Tests replace the system's.
protocol PortOpening: Sendable {
  /// - Parameters:
  ///   - source: A serial port, or a port of datagrams.
  ///   - speed: The speed of a serial port.
  func open(
    _ source: NMEASource, speed: SerialSpeed?, handler: any ConnectionHandler
  ) throws(LocationError) -> any SourcePort
}

/// The ports of the system, read by the event loop.
struct SystemPorts: PortOpening {
  let loop: EventLoop

  func open(
    _ source: NMEASource, speed: SerialSpeed?, handler: any ConnectionHandler
  ) throws(LocationError) -> any SourcePort {
    switch source {
    case .serial(let path, _):
      try SerialPort(path, speed ?? SerialSpeed.all[0], on: loop, handler: handler)
    case .udp: try DatagramSocket(source, on: loop, handler: handler)
    case .tcp: preconditionFailure("opened by the transport")
    }
  }
}
