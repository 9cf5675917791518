import AsyncLocation
import MockBackend
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

/// A publisher over a channel without a network. The channel breaks repeatedly, and its
/// acknowledgements come from other threads.
@Suite(.inTurn) struct DeliveryConcurrencyTests {
  private struct BreakingChannel: PublicationChannel {
    typealias ConnectionID = PublicationDelivery.ConnectionID

    static let connections = Rounds.of(100)
    static let publicationsPerConnection = 30

    let endpoint = "nowhere"
    let connectTimeout = Duration.seconds(10)
    var keepsRetained: Bool { true }
    /// The numbers of the publications, in the order of arrival.
    let received = Locked<[UInt64]>([])

    func validate(confirms: Bool) throws(LocationError) {}

    func run(
      _ delivery: PublicationDelivery, will: (@Sendable () -> BrokerOptions.Message)?, window: Int,
      isPermitted: @escaping @Sendable () -> Bool
    ) async throws {
      for connection in 1... {
        let limit = connection < Self.connections ? Self.publicationsPerConnection : .max
        delivery.changed(ConnectionState(.connected))
        try await serve(delivery, limit: limit)
        delivery.closed()
        delivery.changed(ConnectionState(.waiting))
      }
    }

    /// Serves one connection, which breaks after `limit` publications. Throws when the stream of
    /// publications ends, which happens at a cancellation.
    private func serve(_ delivery: PublicationDelivery, limit: Int) async throws {
      let (handed, sink) = AsyncStream.makeStream(of: ([StoredPublication], ConnectionID).self)
      defer { sink.finish() }
      delivery.opened { sink.yield(($0, $1)) }
      var count = 0
      for await (publications, connection) in handed {
        for publication in publications {
          received.withLock { $0.append(publication.number) }
          Task.detached { delivery.acknowledged(publication.number, on: connection) }
          count += 1
          if count == limit { return }
        }
      }
      throw CancellationError()
    }
  }

  @Test func deliversAllInOrder() async throws {
    // System clock: the mock has no script that waits.
    let (backend, channel) = (MockBackend(clock: ContinuousClock()), BreakingChannel())
    let manager = LocationManager(backend: backend)
    let publisher = LocationPublisher(
      manager, topic: try OwnTracksTopic(user: "jane", device: "boat"), over: channel,
      storage: MemoryPublicationStorage(),
      options: PublisherOptions(updates: UpdateOptions(buffering: .newest(100_000)), window: 10),
      clock: ManualClock())
    let total = 2 * BreakingChannel.connections * BreakingChannel.publicationsPerConnection
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await publisher.run() }
      let states = publisher.connectionStates
      group.addTask {
        // The count never becomes negative.
        for await _ in states { #expect(publisher.statistics.backlog.count >= 0) }
      }
      await backend.waitUntilRunning()
      for second in 0..<total {
        try backend.emit([.location(try PublisherBench.location(second))])
      }
      try backend.end()
      try await group.waitForAll()
    }
    var known: Set<UInt64> = []
    let first = channel.received.withLock(\.self).filter { known.insert($0).inserted }
    #expect(first == Array(1...UInt64(total)))
    #expect(publisher.statistics.published == total)
    #expect(publisher.statistics.backlog == PublicationBacklog())
  }
}
