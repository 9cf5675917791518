import AsyncLocation
import LocationPublishing

/// The publications that a delivery has handed over and that are not posted yet.
///
/// Their number is at most the delivery's window: publications of an earlier connection are dropped
/// when the first ones of the next connection arrive.
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
  /// Yields when publications have arrived.
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
