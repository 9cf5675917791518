import AsyncLocation
import LocationPublishing

/// The publications that a delivery has handed over and that were not posted yet.
///
/// There are at most as many as the delivery's window: those of an earlier connection are dropped
/// when the first of the next one arrive.
final class ServerQueue: Sendable {
  typealias ConnectionID = DeliveryStateMachine.ConnectionID

  struct Element: Sendable {
    let stored: StoredPublication
    let connection: ConnectionID
  }

  private struct State: Sendable {
    var waiting: ArraySlice<StoredPublication> = []
    var connection = ConnectionID()
  }

  private let state = Locked(State())
  /// Yields when publications arrived.
  let arrivals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation

  init() {
    (arrivals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func append(_ publications: [StoredPublication], _ connection: ConnectionID) {
    state.withLock { state in
      if connection != state.connection { state.waiting = [] }
      state.waiting.append(contentsOf: publications)
      state.connection = connection
    }
    signal.yield()
  }

  func next() -> Element? {
    state.withLock { state in
      let connection = state.connection
      return state.waiting.popFirst().map { Element(stored: $0, connection: connection) }
    }
  }
}
