import AsyncLocation
import Glibc
import LocationTransport

/// A UDP socket that receives datagrams, also broadcast ones.
final class DatagramSocket: SourcePort {
  private var descriptor: Int32 = -1
  private var connection: DescriptorConnection?
  private var isClosed = false

  init(
    _ source: NMEASource, on loop: EventLoop, handler: any ConnectionHandler,
    _ answer: @escaping Answer
  ) {
    var problem: LocationError?
    do throws(LocationError) {
      try open(source, on: loop, handler: handler)
    } catch {
      problem = error
    }
    _ = loop.arm(at: loop.now()) { [self] in
      if !isClosed { answer(problem) }
    }
  }

  private func open(
    _ source: NMEASource, on loop: EventLoop, handler: any ConnectionHandler
  ) throws(LocationError) {
    var code = EADDRNOTAVAIL
    for candidate in source.datagramAddresses ?? [] {
      switch Self.bind(candidate) {
      case .success(let bound): descriptor = bound
      case .failure(let failure): code = failure.code
      }
      if descriptor >= 0 { break }
    }
    guard descriptor >= 0 else { throw .cannotBind(source, code) }
    switch loop.read(descriptor, .datagrams, handler: handler) {
    case .success(let connection): self.connection = connection
    case .failure(let failure):
      Glibc.close(descriptor)
      descriptor = -1
      throw .cannotConnect(to: source.endpoint, failure)
    }
  }

  private struct Failure: Error { let code: Int32 }

  private static func bind(_ address: SocketAddress) -> Result<Int32, Failure> {
    let kind =
      Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.family, kind, Int32(IPPROTO_UDP))
    guard descriptor >= 0 else { return .failure(Failure(code: errno)) }
    if address.family == AF_INET6 {
      var off: Int32 = 0
      unsafe setsockopt(
        descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, socklen_t(MemoryLayout<Int32>.size))
    }
    guard unsafe address.withSocketAddress({ unsafe Glibc.bind(descriptor, $0, $1) }) == 0 else {
      let code = errno
      Glibc.close(descriptor)
      return .failure(Failure(code: code))
    }
    return .success(descriptor)
  }

  /// Datagrams have no speed.
  func setSpeed(_ speed: SerialSpeed, _ answer: @escaping Answer) {}

  func close() {
    isClosed = true
    connection?.stop()
    connection = nil
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    descriptor = -1
  }
}
