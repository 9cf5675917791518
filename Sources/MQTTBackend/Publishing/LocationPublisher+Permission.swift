import AsyncLocation
import FoundationEssentials
import LocationPublishing
import OwnTracks

/// The content that a publisher may store and send. Reduced accuracy is in force for what is stored
/// at once, for what is sent when all that is more accurate is deleted.
struct PublisherPermission: Sendable {
  /// Whether a task notes changes of the manager's permission.
  var isWatched = false
  var wasGranted = false
  var isReduced = false
  var sendsReduced = false
  /// The highest accuracy of what was stored since everything was deleted; nil if nothing was. It may
  /// wait, or the broker may keep it.
  var storedAccuracy: AccuracyAuthorization?
  /// Incremented when what waits is deleted.
  var generation: UInt64 = 0
  /// Whether a withdrawal ended the manager's locations, or was noted otherwise. Permission may be
  /// there again.
  var endedLocations = false
  /// Whether a deletion is due, or began and has not succeeded. Nothing leaves meanwhile.
  var isDeleting = false
  /// The withdrawals whose content is deleted, or is being deleted.
  var handled = Withdrawals()
  /// The topics of which the broker may keep a place: the publisher's, and those of earlier runs.
  var retainedTopics: Set<ExactText> = []
  /// The conditions whose entry was published, and no exit after it, with the numbers of the entries.
  var entered: [ExactText: UInt64] = [:]
  /// The payloads of the receivers' last stored locations, of those whose accuracy was reduced.
  var lastReduced: [DeviceID: [UInt8]] = [:]
  /// The last location that was stored.
  var lastLocation: StoredPublication?

  /// Notes that something is being stored. Returns the permission for it.
  mutating func forStoring() -> Self {
    storedAccuracy = accuracy.raised(to: storedAccuracy)
    return self
  }

  var accuracy: AccuracyAuthorization { isReduced ? .reduced : .full }

  /// Whether permission covers what was made with it, also after permission for once has lapsed.
  func covers(_ inForce: PermissionInForce) -> Bool {
    inForce.authorization.isAuthorized
      || wasGranted && inForce.authorization.status == .notDetermined
        && inForce.withdrawals == handled
  }

  /// Whether something may leave: permission covers it, and what an earlier one allowed is deleted.
  func allows(_ inForce: PermissionInForce) -> Bool {
    guard covers(inForce), inForce.withdrawals == handled, !isDeleting else { return false }
    let isReduced =
      inForce.authorization.isAuthorized
      ? inForce.authorization.accuracy == .reduced : self.isReduced
    return isReduced ? sendsReduced : !self.isReduced
  }

  /// Whether what is stored now is neither deleted with something earlier nor left out.
  func follows(_ inForce: PermissionInForce) -> Bool {
    !isWatched || !covers(inForce) || allows(inForce)
  }

  /// Whether something of an earlier permission may wait, or be with the broker.
  var needsDeletion: Bool { isDeleting || storedAccuracy != nil }

  /// Returns the generation of what is stored after a deletion.
  mutating func beginDeletion() -> UInt64 {
    generation += 1
    (isDeleting, storedAccuracy, lastLocation) = (true, nil, nil)
    return generation
  }

  /// Permission is there. Returns whether what was stored before must be deleted.
  mutating func granted(isReduced: Bool, after withdrawals: Withdrawals) -> Bool {
    let wasReduced = exchange(&self.isReduced, with: isReduced)
    let earlier = exchange(&handled, with: withdrawals)
    wasGranted = true
    if !isReduced { sendsReduced = false }
    let mustDelete =
      switch storedAccuracy {
      case .full: isReduced || !withdrawals.cover(isPrecise: true, since: earlier)
      case .reduced: !withdrawals.cover(isPrecise: false, since: earlier)
      // Another storage may have been used before.
      case nil: isReduced && !wasReduced
      }
    if mustDelete { isDeleting = true }
    return mustDelete
  }
}

extension LocationPublisher {
  /// Whether something may leave now.
  var isPermitted: Bool {
    let inForce = manager.permissionInForce
    return permission.withLock { $0.allows(inForce) }
  }

  /// The permission for something to store now; nil if there is none.
  func permission(toStoreIf isPermitted: () -> Bool) -> PublisherPermission? {
    guard isPermitted() else { return nil }
    let permission = permission.withLock { $0.forStoring() }
    // Checked again after the generation: content stored for it is deleted if permission goes now.
    return isPermitted() ? permission : nil
  }

  func watch(_ authorizations: AsyncStream<Authorization>) async throws {
    defer {
      permission.withLock { $0.isWatched = false }
      steps.finish()
    }
    for await authorization in authorizations {
      // Of this authorization, or of one that follows and is read next.
      let withdrawals = manager.permissionInForce.withdrawals
      status.update { $0.changed(authorization) }
      if authorization.isAuthorized {
        try await granted(isReduced: authorization.accuracy != .full, after: withdrawals)
      } else if isRefused {
        permission.withLock { $0.endedLocations = true }
        if permission.withLock(\.needsDeletion) { try await deleteAll(reconnects: false) }
        let what = permission.withLock(\.wasGranted) ? "was withdrawn" : "is refused"
        throw LocationError(
          authorization.status == .restricted ? .restricted : .denied,
          "Permission to locate \(what); what waited for the broker is deleted.")
      }
    }
  }

  /// Whether permission is refused, and has not just lapsed or not been requested.
  private var isRefused: Bool {
    let inForce = manager.permissionInForce
    guard !inForce.authorization.isAuthorized else { return false }
    return permission.withLock {
      inForce.authorization.status == .notDetermined
        ? $0.wasGranted && !$0.covers(inForce) : true
    }
  }

  private func granted(isReduced: Bool, after withdrawals: Withdrawals) async throws {
    if permission.withLock({ $0.granted(isReduced: isReduced, after: withdrawals) }) {
      try await deleteAll(reconnects: true)
      status.update { $0.deleted() }
    }
    if isReduced { permission.withLock { $0.sendsReduced = true } }
    // A status that was refused meanwhile is tried again.
    status.update { _ in }
    steps.take()
    grant.yield()
    delivery.wake()
  }

  /// Has the broker forget the last locations, with the first messages of the next connection to it.
  private var removals: [PendingPublication] {
    permission.withLock(\.retainedTopics).sorted().map {
      PendingPublication(topic: $0.text, payload: [], isRetained: true, date: Date())
    }
  }

  /// Ends a run that permission ended: deletes what waits, unless the task for permission did before
  /// it was cancelled, and has the broker forget the last location.
  func endWithdrawn() async {
    let state = permission.withLock(\.self)
    guard isRefused || state.endedLocations else { return }
    if state.needsDeletion { try? await deleteAll(reconnects: false) }
    await sendRemoval()
  }

  /// Deletes what waits; tries again until the storage works. A cancellation ends it after the first
  /// try.
  ///
  /// - Parameter reconnects: Whether something may be sent afterwards by this run.
  private func deleteAll(reconnects: Bool) async throws {
    let generation = permission.withLock { $0.beginDeletion() }
    let unreceived = delivery.deletedAll(reconnects: reconnects)
    // The exit of an entry that nobody has received would reveal where the device was.
    permission.withLock { state in
      state.entered = state.entered.filter { !unreceived.contains($0.value) }
    }
    while true {
      do throws(LocationError) {
        try await store.removeAll(before: generation, then: removals) { [delivery] in
          delivery.deleted($0, $1)
        }
        delivery.set(nil, of: .removing)
        return permission.withLock {
          $0.isDeleting = false
          // It may have been deleted, too.
          $0.lastReduced = [:]
        }
      } catch {
        delivery.set(error, of: .removing)
        try await clock.sleep(for: .seconds(1))
      }
    }
  }

  /// Sends the removal of the last location, over a connection of its own that announces nothing.
  /// Gives up when the channel's time is over: the next run with the storage tries again.
  private func sendRemoval() async {
    await store.refuseAppends()
    let backlog = delivery.statistics.backlog
    guard channel.keepsRetained, backlog.count > 0, !permission.withLock(\.needsDeletion),
      !Task.isCancelled
    else { return }
    // Apart from the publisher's own, whose connection and streams have ended.
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
