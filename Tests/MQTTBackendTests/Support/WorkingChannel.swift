import AsyncLocation
import FoundationEssentials
import OwnTracks

@testable import MQTTBackend

/// Takes and acknowledges every publication, once it is open.
struct WorkingChannel: PublicationChannel {
  let endpoint = "nowhere"
  let connectTimeout = Duration.seconds(10)
  let keepsRetained: Bool
  /// The publications, in the order of arrival.
  let received = Locked<[PendingPublication]>([])
  private let gate = AsyncStream.makeStream(of: Void.self)

  init(isOpen: Bool = true, keepsRetained: Bool = true) {
    self.keepsRetained = keepsRetained
    if isOpen { open() }
  }

  func open() {
    gate.continuation.yield()
    gate.continuation.finish()
  }

  /// The times of the received locations.
  var seconds: [Int] {
    received.withLock(\.self).compactMap { publication in
      guard case .location(let message)? = try? OwnTracksMessage(json: publication.payload) else {
        return nil
      }
      return Int(message.location.timestamp.timeIntervalSince1970) - PublisherBench.start
    }
  }

  func validate() throws(LocationError) {}

  func run(
    _ delivery: PublicationDelivery, will: (@Sendable () -> BrokerOptions.Message)?, window: Int,
    isPermitted: @escaping @Sendable () -> Bool
  ) async throws {
    for await _ in gate.stream { break }
    try Task.checkCancellation()
    // Publications under way when the connection is dropped do not arrive, however late they are.
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
          if arrives { delivery.acknowledged(publication.number, on: connection) }
        }
      }
    }
    defer {
      received.withLock { _ in isOpen.withLock { $0 = false } }
      delivery.closed()
    }
    let (end, ending) = AsyncStream.makeStream(of: Void.self)
    defer { ending.finish() }
    for await _ in end {}
    throw CancellationError()
  }
}
