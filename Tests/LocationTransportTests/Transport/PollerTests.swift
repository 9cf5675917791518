import CTransportShims
import Glibc
import TestSupport
import Testing

@testable import LocationTransport

/// A descriptor stays in epoll after it is closed if another process has a copy of it. Unless the
/// poller removes it, every later wait returns at once.
@Suite(.inTurn) struct PollerTests {
  private final class Reader: PolledDescriptor, DescriptorHandler {
    let id: UInt64
    let descriptor: Int32
    var eventCount = 0

    init(_ descriptor: Int32, on poller: Poller) {
      self.descriptor = descriptor
      id = poller.makeID()
    }

    func handle(_ events: UInt32, _ buffer: UnsafeMutableRawBufferPointer) { eventCount += 1 }
    func descriptorIsReady(readable: Bool, writable: Bool, isClosed: Bool) { eventCount += 1 }
  }

  private let poller: Poller
  /// A connection: one end, a copy of it like that of a child process, and the other end.
  private let end, copy, peer: Int32

  init() throws {
    let (poll, wake) = try Poller.makeDescriptors().get()
    poller = Poller(descriptor: poll, wakeDescriptor: wake)
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    (end, copy, peer) = (ends[0], dup(ends[0]), ends[1])
  }

  @Test func removedDescriptorsHaveNoEvents() {
    defer { close(copy) }
    let reader = Reader(end, on: poller)
    #expect(poller.add(reader, EPOLLIN.rawValue | EPOLLRDHUP.rawValue) == nil)
    close(peer)
    #expect(poller.poll(timeout: 0) == 1)
    #expect(reader.eventCount == 1)
    poller.remove(reader)
    close(end)
    #expect(poller.poll(timeout: 0) == 0)
  }

  @Test func aWatchEndsAfterItsDescriptorWasClosed() {
    defer { close(copy) }
    let reader = Reader(end, on: poller)
    let watch = DescriptorWatch(end, on: poller, handler: reader)
    #expect(watch.start(writing: false) == nil)
    close(end)
    close(peer)
    #expect(poller.poll(timeout: 0) == 1)
    #expect(reader.eventCount == 1)
    watch.stop()
    #expect(poller.poll(timeout: 0) == 0)
  }

  @Test func watchingAnInvalidDescriptorFails() {
    for descriptor in [end, copy, peer] { close(descriptor) }
    let reader = Reader(-1, on: poller)
    #expect(DescriptorWatch(-1, on: poller, handler: reader).start(writing: false) == EBADF)
  }

  @Test func anUnwatchableDescriptorIsNotStored() {
    for descriptor in [end, copy, peer] { close(descriptor) }
    // epoll refuses regular files.
    let file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    let reader = Reader(file, on: poller)
    let watch = DescriptorWatch(file, on: poller, handler: reader)
    #expect(watch.descriptor >= 0)
    #expect(watch.start(writing: false) == EPERM)
    #expect(watch.descriptor == -1)
  }
}
