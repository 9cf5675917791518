import AsyncLocation
import LocationTransport

/// Asks GeoClue whether the program may use locations, by starting a client.
///
/// If GeoClue cannot be asked, the request is granted: GeoClue decides again when a run starts its
/// client, so nothing arrives without its permission.
final class GeoClueAuthorizationPolicy: AuthorizationPolicy {
  private struct State {
    var lastObserver: UInt64 = 0
    var observers: [UInt64: AsyncStream<AuthorizationRequest>.Continuation] = [:]
  }

  private let connector: GeoClueConnector
  private let state = Locked(State())

  init(_ connector: GeoClueConnector) { self.connector = connector }

  func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision {
    do {
      _ = try await connector.session(for: .ask).run()
    } catch is CancellationError {
      return .notDetermined
    } catch let error as LocationError where error.code == .denied {
      noteRefusal(of: request)
      return .denied.withReason(error.message)
    } catch let error as LocationError where error.code == .restricted {
      noteRefusal(of: request)
      return .restricted.withReason(error.message)
    } catch {}
    return Self.grant(of: request)
  }

  /// Reports the grant of a request that was refused before, once GeoClue permits it.
  func observe(_ report: @escaping @Sendable (AuthorizationChange) -> Void) async {
    let (requests, sink) = AsyncStream.makeStream(
      of: AuthorizationRequest.self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state in
      state.lastObserver += 1
      state.observers[state.lastObserver] = sink
      return state.lastObserver
    }
    defer {
      let removed = state.withLock { $0.observers.removeValue(forKey: id) }
      removed?.finish()
    }
    for await request in requests {
      do {
        _ = try await connector.session(for: .awaitGrant).run()
        report(.decision(Self.grant(of: request)))
      } catch {}  // Cancelled, or refused for good: the refusal remains.
    }
  }

  private func noteRefusal(of request: AuthorizationRequest) {
    let observers = state.withLock { Array($0.observers.values) }
    for observer in observers { observer.yield(request) }
  }

  private static func grant(of request: AuthorizationRequest) -> AuthorizationDecision {
    switch request {
    case .whenInUse: .authorizedWhenInUse
    case .always: .authorizedAlways
    }
  }
}
