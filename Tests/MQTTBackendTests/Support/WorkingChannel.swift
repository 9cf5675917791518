import AsyncLocation
import FoundationEssentials
import OwnTracks

@testable import MQTTBackend

/// A channel that accepts and acknowledges every permitted publication once it has been opened.
struct WorkingChannel: PublicationChannel {
  let endpoint = "nowhere"
  let connectTimeout = Duration.seconds(10)
  let keepsRetained: Bool
  /// The accepted publications, in the order of arrival.
  let received = Locked<[PendingPublication]>([])
  var beforeAcknowledging: @Sendable () async -> Void = {}
  /// Called when the run is cancelled, in a task that is not cancelled.
  var beforeClosing: @Sendable () async -> Void = {}
  private let gate = AsyncStream.makeStream(of: Void.self)

  init(isOpen: Bool = true, keepsRetained: Bool = true) {
    self.keepsRetained = keepsRetained
    if isOpen { open() }
  }

  func open() {
    gate.continuation.yield()
    gate.continuation.finish()
  }

  /// The times of the received locations in seconds since `PublisherBench.start`.
  var seconds: [Int] {
    received.withLock(\.self).compactMap { publication in
      guard case .location(let message)? = try? OwnTracksMessage(json: publication.payload) else {
        return nil
      }
      return message.location.secondsSinceStart
    }
  }

  func validate(confirms: Bool) throws(LocationError) {}

  func run(
    _ delivery: PublicationDelivery, will: (@Sendable () -> BrokerOptions.Message)?, window: Int,
    isPermitted: @escaping @Sendable () -> Bool
  ) async throws {
    for await _ in gate.stream { break }
    try Task.checkCancellation()
    // Publications still in flight when the connection closes never arrive.
    let isOpen = Locked(true)
    delivery.opened { publications, connection in
      Task.detached {
        for publication in publications
        where isPermitted() && delivery.isCurrent(connection) {
          let arrives = received.withLock { received in
            let isOpen = isOpen.withLock(\.self)
            if isOpen { received.append(publication.publication) }
            return isOpen
          }
          guard arrives else { continue }
          await beforeAcknowledging()
          delivery.acknowledged(publication.number, on: connection)
        }
      }
    }
    defer {
      received.withLock { _ in isOpen.withLock { $0 = false } }
      delivery.closed()
    }
    let (untilCancelled, continuation) = AsyncStream.makeStream(of: Void.self)
    defer { continuation.finish() }
    for await _ in untilCancelled {}
    await Task { await beforeClosing() }.value
    throw CancellationError()
  }
}
