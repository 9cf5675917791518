import AsyncLocation
import FoundationEssentials
import OwnTracks

/// What a publisher may store and send. Reduced accuracy is in force for what is stored at once, for
/// what is sent when everything that waited is deleted.
struct PublisherPermission: Sendable {
  var wasGranted = false
  var isReduced = false
  var sendsReduced = false
  /// Incremented when what waits is deleted.
  var generation: UInt64 = 0
  /// Whether a withdrawal ended the manager's locations. Permission may be there again.
  var endedLocations = false
  /// Whether nothing of an earlier permission waits.
  var isDeleted = false
  /// The payload of the last stored location if its accuracy was reduced.
  var lastReduced: [UInt8]?
}

extension LocationPublisher {
  /// Whether something may leave now.
  var isPermitted: Bool {
    let authorization = manager.currentAuthorization
    return authorization.isAuthorized
      && (authorization.accuracy == .full || permission.withLock(\.sendsReduced))
  }

  func watch(_ authorizations: AsyncStream<Authorization>) async throws {
    for await authorization in authorizations {
      status.update { $0.changed(authorization) }
      if authorization.isAuthorized {
        try await granted(isReduced: authorization.accuracy != .full)
      } else if permission.withLock(\.wasGranted) || authorization.status != .notDetermined {
        try await deleteAll(then: nil)
        throw LocationError(
          authorization.status == .restricted ? .restricted : .denied,
          "Permission to locate was withdrawn; what waited for the broker is deleted.")
      }
    }
  }

  private func granted(isReduced: Bool) async throws {
    let wasReduced = permission.withLock { permission in
      permission.wasGranted = true
      permission.isDeleted = false
      if !isReduced { permission.sendsReduced = false }
      return exchange(&permission.isReduced, with: isReduced)
    }
    if isReduced, !wasReduced {
      try await deleteAll(then: removal)
      permission.withLock { $0.sendsReduced = true }
      status.update { $0.deleted() }
    }
    delivery.wake()
  }

  /// Has the broker forget the last location, which may be exact: with the first message of the next
  /// connection, before a reduced one replaces it.
  private var removal: [PendingPublication] {
    guard options.retainsLastLocation, channel.keepsRetained else { return [] }
    return [
      PendingPublication(topic: topic.description, payload: [], isRetained: true, date: Date())
    ]
  }

  /// Deletes what waits at the end of a run that permission ended. Its task for permission may have
  /// been cancelled before: the locations end with permission, too.
  func deleteIfWithdrawn() async {
    let authorization = manager.currentAuthorization
    let state = permission.withLock(\.self)
    let isRefused =
      !authorization.isAuthorized && (state.wasGranted || authorization.status != .notDetermined)
    if isRefused || state.endedLocations, !state.isDeleted { try? await deleteAll(then: nil) }
  }

  /// Deletes what waits; tries again until the storage works. A cancellation ends it after the first
  /// try.
  ///
  /// - Parameter next: What is sent next; nil if nothing may be sent.
  private func deleteAll(then next: [PendingPublication]?) async throws {
    let generation = permission.withLock { permission in
      permission.generation += 1
      return permission.generation
    }
    delivery.deletedAll(reconnects: next != nil)
    while true {
      do throws(LocationError) {
        let change = try await store.removeAll(before: generation, then: next ?? [])
        delivery.set(nil, of: .removing)
        permission.withLock {
          $0.isDeleted = true
          // It may have been deleted, too.
          $0.lastReduced = nil
        }
        return delivery.count {
          $0.deleted += $0.backlog.count
          $0.backlog = change?.backlog ?? PublicationBacklog()
        }
      } catch {
        delivery.set(error, of: .removing)
        try await clock.sleep(for: .seconds(1))
      }
    }
  }
}
