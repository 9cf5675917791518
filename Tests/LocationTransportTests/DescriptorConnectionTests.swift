import AsyncLocation
import Glibc
import TestSupport
import Testing

@testable import LocationTransport

@Suite(.inTurn) struct DescriptorConnectionTests {
  /// Collects what a connection reads.
  private final class Collector: ConnectionHandler, Sendable {
    let chunks: AsyncStream<[UInt8]?>
    private let sink: AsyncStream<[UInt8]?>.Continuation

    init() { (chunks, sink) = AsyncStream.makeStream() }

    func connectionOpened() {}
    func connectionFailed(_ failure: TransportFailure) {}
    func connectionReceived(_ bytes: Span<UInt8>) {
      sink.yield(bytes.indices.map { bytes[$0] })
    }
    func connectionClosed(_ failure: TransportFailure?) { sink.yield(nil) }
  }

  private func pair(_ kind: __socket_type) -> [Int32] {
    var ends: [Int32] = [0, 0]
    let type = Int32(kind.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    #expect(socketpair(AF_UNIX, type, 0, &ends) == 0)
    return ends
  }

  private func start(
    _ descriptor: Int32, _ content: DescriptorConnection.Content, _ collector: Collector
  ) async throws -> LoopBound<DescriptorConnection> {
    let loop = try EventLoop.shared()
    return await withCheckedContinuation { caller in
      loop.submit {
        guard case .success(let connection) = loop.read(descriptor, content, handler: collector)
        else { preconditionFailure("not read") }
        caller.resume(returning: LoopBound(to: loop, connection))
      }
    }
  }

  @Test func readsAStreamToItsEnd() async throws {
    let ends = pair(SOCK_STREAM)
    let collector = Collector()
    let connection = try await start(ends[0], .stream, collector)
    var chunks = collector.chunks.makeAsyncIterator()
    for text in ["one", "two"] {
      #expect(write(ends[1], text, text.utf8.count) == text.utf8.count)
      #expect(await chunks.next() == Array(text.utf8))
    }
    close(ends[1])
    #expect(await chunks.next() == .some(nil))
    connection.submit { connection in
      connection.stop()
      close(ends[0])
    }
  }

  @Test func readsDatagramsOneByOne() async throws {
    let ends = pair(SOCK_DGRAM)
    let collector = Collector()
    let connection = try await start(ends[0], .datagrams, collector)
    // An empty datagram is no end.
    for text in ["one", "", "two"] { _ = send(ends[1], text, text.utf8.count, 0) }
    var chunks = collector.chunks.makeAsyncIterator()
    #expect(await chunks.next() == Array("one".utf8))
    #expect(await chunks.next() == Array("two".utf8))
    connection.submit { connection in
      connection.stop()
      close(ends[0])
      close(ends[1])
    }
  }

  @Test func nothingIsReadAfterStopping() async throws {
    let ends = pair(SOCK_STREAM)
    let collector = Collector()
    let connection = try await start(ends[0], .stream, collector)
    await withCheckedContinuation { caller in
      connection.submit { connection in
        connection.stop()
        connection.stop()
        caller.resume()
      }
    }
    #expect(write(ends[1], "late", 4) == 4)
    var buffer = [UInt8](repeating: 0, count: 8)
    #expect(read(ends[0], &buffer, 8) == 4)
    for end in ends { close(end) }
  }

  @Test func aFileIsRefused() async throws {
    let descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    let loop = try EventLoop.shared()
    let isRefused = await withCheckedContinuation { caller in
      loop.submit {
        let result = loop.read(descriptor, .stream, handler: Collector())
        caller.resume(returning: (try? result.get()) == nil)
      }
    }
    #expect(isRefused)
  }
}
