import AsyncLocation
import FoundationEssentials
import LocationPublishing
import OwnTracks

/// The permission of a publisher, and the state of the content stored under it.
struct PublisherState: Sendable {
  var permission = PublisherPermissionStateMachine()
  /// The topics on which the broker may retain a position: those of the publisher and of earlier
  /// runs.
  var retainedTopics: Set<ExactText> = []
  /// The payload of each receiver's last stored location, if its accuracy was reduced.
  var lastReduced: [DeviceID: [UInt8]] = [:]
  /// The last stored location.
  var lastLocation: StoredPublication?
  /// Whether the storage is open, and the permission of its content is known.
  var isOpen = false

  /// Records that content is being stored. Returns the state under which it is stored.
  mutating func forStoring() -> Self {
    permission.recordStoring()
    return self
  }

  /// Begins a deletion. Returns the generation of content stored afterwards.
  mutating func beginDeletion() -> UInt64 {
    lastLocation = nil
    return permission.beginDeletion()
  }

  mutating func endDeletion() {
    permission.endDeletion()
    // The last reduced locations may have been deleted, too.
    lastReduced = [:]
  }
}

extension PublisherRun {
  /// Whether content may be sent now.
  var isPermitted: Bool {
    let inForce = manager.permissionInForce
    return state.withLock { $0.permission.allows(inForce) }
  }

  /// The state for storing content now; nil without permission.
  func state(toStoreIf isPermitted: () -> Bool) -> PublisherState? {
    guard isPermitted() else { return nil }
    let state = state.withLock { $0.forStoring() }
    // Permission is checked again after the generation was read: if permission is withdrawn from
    // now on, content of that generation is deleted.
    return isPermitted() ? state : nil
  }

  /// Handles changes of permission. Throws when permission is refused.
  func watch(_ authorizations: AsyncStream<Authorization>) async throws {
    defer {
      state.withLock { $0.permission.stopFollowing() }
      steps.finish()
    }
    for await authorization in authorizations {
      // The withdrawals of this authorization, or of a later one that is read next.
      let withdrawals = manager.permissionInForce.withdrawals
      status.update { $0.changed(authorization) }
      if authorization.isAuthorized {
        try await granted(isReduced: authorization.accuracy != .full, after: withdrawals)
      } else if isRefused {
        state.withLock { $0.permission.endedLocations() }
        if state.withLock(\.permission.needsDeletion) { try await deleteAll(reconnects: false) }
        let change = state.withLock(\.permission.wasGranted) ? "was withdrawn" : "is refused"
        throw LocationError(
          authorization.status == .restricted ? .restricted : .denied,
          "Permission to locate \(change); what waited for the broker is deleted.")
      }
    }
  }

  private var isRefused: Bool {
    let inForce = manager.permissionInForce
    return state.withLock { $0.permission.isRefused(inForce) }
  }

  /// Handles granted permission: deletes content that it does not cover, and then allows to send.
  private func granted(isReduced: Bool, after withdrawals: Withdrawals) async throws {
    if state.withLock({ $0.permission.granted(isReduced: isReduced, after: withdrawals) }) {
      try await deleteAll(reconnects: true)
      status.update { $0.deleted() }
    }
    state.withLock { $0.permission.confirmed() }
    // A status that was refused meanwhile is tried again.
    status.update { _ in }
    steps.take()
    grant.yield()
    delivery.wake()
  }

  /// The removals of the locations that the broker retains. They are the first messages of the next
  /// connection.
  private var removals: [PendingPublication] {
    state.withLock(\.retainedTopics).sorted().map {
      PendingPublication(topic: $0.text, payload: [], isRetained: true, date: Date())
    }
  }

  /// Completes a run that a withdrawal of permission ended: deletes the backlog, unless the task
  /// that watches permission did so before it was cancelled, and removes the last location from the
  /// broker.
  func endWithdrawn() async {
    let permission = state.withLock(\.permission)
    guard isRefused || permission.hasEndedLocations else { return }
    if permission.needsDeletion { try? await deleteAll(reconnects: false) }
    await sendRemoval()
  }

  /// Deletes the backlog; tries again until the storage works. A cancellation prevents all attempts
  /// after the first one.
  ///
  /// - Parameter reconnects: Whether this run may send publications afterwards.
  private func deleteAll(reconnects: Bool) async throws {
    let generation = state.withLock { $0.beginDeletion() }
    let unreceived = delivery.deletedAll(reconnects: reconnects)
    // An exit whose entry was not received would reveal where the device was.
    entered.withLock { $0 = $0.filter { !unreceived.contains($0.value) } }
    while true {
      do throws(LocationError) {
        try await store.removeAll(before: generation, then: removals) { [delivery] in
          delivery.deleted($0, $1)
        }
        delivery.set(nil, of: .removing)
        return state.withLock { $0.endDeletion() }
      } catch {
        delivery.set(error, of: .removing)
        try await clock.sleep(for: .seconds(1))
      }
    }
  }

  /// Sends the removal of the last location over a separate connection without a last will. Gives
  /// up after the channel's `connectTimeout`; the next run with the storage tries again.
  private func sendRemoval() async {
    await store.refuseAppends()
    let backlog = delivery.statistics.backlog
    guard channel.keepsRetained, backlog.count > 0, !state.withLock(\.permission.needsDeletion),
      !Task.isCancelled
    else { return }
    // The connection and the streams of the publisher's own delivery have ended.
    let lastDelivery = PublicationDelivery(window: 1, endpoint: channel.endpoint)
    lastDelivery.count { $0.backlog = backlog }
    let handOver = PublicationHandOver(
      store: store, delivery: lastDelivery, clock: clock, isPermitted: { true })
    try? await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.clock.sleep(for: self.channel.connectTimeout) }
      group.addTask {
        try await self.channel.run(lastDelivery, will: nil, window: 1, isPermitted: { true })
      }
      group.addTask { try await handOver.run { true } }
      defer { group.cancelAll() }
      try await group.next()
    }
    lastDelivery.end()
    delivery.count {
      $0.backlog = lastDelivery.statistics.backlog
      $0.refused += lastDelivery.statistics.refused
    }
  }
}
