import AsyncLocation
import CTestShims
import Foundation
import Glibc

/// A listening TCP socket on 127.0.0.1, for the servers of tests.
package final class Listener: Sendable {
  package let port: Int
  private let socket: SharedSocket

  /// - Parameter port: One of ``freePort()``, or that of an earlier listener, which must have
  ///   ended; 0 for any free port.
  package convenience init(port: Int = 0, backlog: Int32 = 64) {
    guard let (descriptor, port) = Self.open(port, backlog) else {
      preconditionFailure("no listener on 127.0.0.1: \(errno)")
    }
    self.init(descriptor, port)
  }

  private init(_ descriptor: Int32, _ port: Int) {
    (socket, self.port) = (SharedSocket(descriptor), port)
  }

  deinit { socket.close() }

  /// Accepts connections until ``stop()``, on a thread of its own that blocks all signals.
  ///
  /// - Parameter serve: Called on that thread with the descriptor of a connection, which it must
  ///   close. The next connection is accepted when it returns.
  package func accept(_ serve: @escaping @Sendable (Int32) -> Void) {
    var all = sigset_t()
    var previous = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
    Thread.detachNewThread { [self] in
      while true {
        let connection = ctest_accept(socket.number)
        if connection >= 0 {
          serve(connection)
        } else if [EMFILE, ENFILE, EINTR, ECONNABORTED].contains(errno) {
          // System clock: a test that exhausts the descriptors closes them later.
          poll(nil, 0, 10)
        } else {
          break
        }
      }
      socket.close()
    }
  }

  /// Ends the thread. Connections are refused afterwards.
  package func stop() { socket.shutDown() }

  private static func open(_ port: Int, _ backlog: Int32) -> (descriptor: Int32, port: Int)? {
    let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var isOn: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        bind(descriptor, raw, size) == 0 && listen(descriptor, backlog) == 0
          && getsockname(descriptor, raw, &size) == 0
      }
    }
    guard isListening else {
      close(descriptor)
      return nil
    }
    return (descriptor, Int(in_port_t(bigEndian: address.sin_port)))
  }

  fileprivate static func isFree(_ port: Int) -> Bool {
    guard let (descriptor, _) = open(port, 1) else { return false }
    close(descriptor)
    return true
  }
}

/// Returns a free TCP port of 127.0.0.1, for a server that cannot choose one itself. Each call
/// returns a different port, below the range from which the system assigns ports, so that no
/// connection of a test uses it meanwhile.
package func freePort() -> Int {
  lastFreePort.withLock { last in
    for _ in freePorts {
      last = last < freePorts.upperBound ? last + 1 : freePorts.lowerBound
      if Listener.isFree(last) { return last }
    }
    preconditionFailure("no free port")
  }
}

private let freePorts = 20_000...32_767
/// Starts at a random port, since other processes may run the same tests.
private let lastFreePort = Locked(Int.random(in: freePorts))
