import AsyncLocation
import FoundationEssentials
import LocationPublishing
import OwnTracks

extension PublisherRun {
  /// Stores locations until they end. Counts those that could not be stored.
  func collect(_ locations: LocationBatches) async throws {
    let discards = DiscardCount(locations)
    do {
      try await storeAll(locations, discards)
    } catch {
      countUnstored(count(discards))
      throw error
    }
  }

  private func storeAll(_ locations: LocationBatches, _ discards: DiscardCount) async throws {
    var batches = locations.makeAsyncIterator()
    @Sendable func countLosses() { count(discards) }
    while let batch = try await next(&batches) {
      countLosses()
      let withdrawals = manager.withdrawals(before: batch.stamp)
      try await store(batch, madeAfter: withdrawals, beforeEachAttempt: countLosses)
    }
    countLosses()
    // A cancelled sequence ends in the same way as a sequence whose source has ended.
    try Task.checkCancellation()
  }

  /// Returns the next batch. Records whether a withdrawal of permission ended the locations.
  private func next(
    _ batches: inout LocationBatches.AsyncIterator
  ) async throws -> LocationBatch? {
    do {
      return try await batches.next(isolation: nil)
    } catch {
      if error.isRefusal { state.withLock { $0.permission.endedLocations() } }
      throw error
    }
  }

  /// Counts the locations that were discarded before they were read. Returns the number of unread
  /// locations.
  @discardableResult
  private func count(_ discards: DiscardCount) -> Int {
    let counts = discards.growth()
    delivery.count {
      $0.lost += counts.evicted
      $0.deleted += counts.withdrawn
    }
    return counts.waiting
  }

  /// Counts locations that were not stored: as lost while permission covers them, else as deleted.
  private func countUnstored(_ count: Int) {
    let inForce = manager.permissionInForce
    let isPermitted = state.withLock { $0.permission.covers(inForce) }
    delivery.count {
      if isPermitted { $0.lost += count } else { $0.deleted += count }
    }
  }

  /// Stores a batch, or counts it as lost or deleted; tries again until the storage works. A disk
  /// may have space only for a part of the batch, so a batch that cannot be stored is split.
  ///
  /// - Parameters:
  ///   - withdrawals: The withdrawals before the batch was made; nil if permission was withdrawn
  ///     since.
  ///   - prepare: Called before each attempt.
  private func store(
    _ batch: LocationBatch, madeAfter withdrawals: Withdrawals?,
    beforeEachAttempt prepare: @escaping @Sendable () -> Void
  ) async throws {
    do {
      while true {
        await waitForPermission()
        try Task.checkCancellation()
        let attempt = { @Sendable () async throws(LocationError) -> Bool in
          prepare()
          return try await self.tryToStore(batch, madeAfter: withdrawals)
        }
        if try await batch.count > 1 ? attempt() : storeWithRetries(attempt) { return }
      }
    } catch let error as LocationError where error.code == .storageUnavailable && batch.count > 1 {
      let (first, second) = batch.split(at: batch.count / 2)
      do {
        try await store(first, madeAfter: withdrawals, beforeEachAttempt: prepare)
      } catch {
        countUnstored(second.count)
        throw error
      }
      try await store(second, madeAfter: withdrawals, beforeEachAttempt: prepare)
    } catch {
      prepare()
      countUnstored(batch.count)
      throw error
    }
  }

  /// Stores a batch. Locations that permission no longer covers are discarded, like pending
  /// publications.
  ///
  /// - Returns: Whether the batch was stored or discarded. False if permission changed meanwhile;
  ///   the caller then tries again.
  private func tryToStore(
    _ batch: LocationBatch, madeAfter withdrawals: Withdrawals?
  ) async throws(LocationError) -> Bool {
    // The state is read at each attempt: full accuracy may be withdrawn while the storage fails.
    let state = self.state {
      let inForce = manager.permissionInForce
      return self.state.withLock { $0.permission.covers(inForce) }
    }
    let inForce = manager.permissionInForce
    guard let state, let withdrawals,
      inForce.withdrawals.cover(isPrecise: batch.stamp.isPrecise, since: withdrawals)
    else {
      delivery.count { $0.deleted += batch.count }
      return true
    }
    guard state.permission.follows(inForce) else { return false }
    var last = state.lastReduced
    let publications = publications(batch, state.permission, after: &last)
    guard !publications.isEmpty else { return true }
    let number = try await append(
      publications, areLocations: true, under: state.permission,
      apply: { [last] number in
        self.state.withLock {
          guard $0.permission.generation == state.permission.generation else { return }
          $0.lastReduced = last
          $0.lastLocation = publications.last.map { StoredPublication(number: number, $0) }
        }
      })
    return number != nil
  }

  /// Waits until the task that watches permission is up to date with the manager.
  private func waitForPermission() async { await steps.wait { !isBehind } }

  /// Whether the task that watches permission is not up to date with the manager.
  private var isBehind: Bool {
    state.withLock { !$0.permission.follows(manager.permissionInForce) }
  }

  /// Returns the publications of the locations that permission covers. A receiver's location of
  /// reduced accuracy stays the same for minutes, and is published once.
  ///
  /// - Parameter last: The payload of each receiver's last location, if its accuracy was reduced.
  private func publications(
    _ batch: LocationBatch, _ permission: PublisherPermissionStateMachine,
    after last: inout [DeviceID: [UInt8]]
  ) -> [PendingPublication] {
    var publications: [PendingPublication] = []
    for location in batch where !permission.isReduced || location.isReduced {
      let publication = publication(location)
      let device = location.sourceInformation?.deviceID ?? .none
      guard !location.isReduced || publication.payload != last[device] else { continue }
      last[device] = location.isReduced ? publication.payload : nil
      publications.append(publication)
    }
    return publications
  }

  /// Stores content; tries again until the storage works.
  func storeWithRetries(
    _ store: @Sendable () async throws(LocationError) -> Bool
  ) async throws -> Bool {
    var hasFailed = false
    while true {
      do throws(LocationError) {
        let isStored = try await store()
        // Otherwise, only an append would clear the problem.
        if hasFailed { delivery.set(nil, of: .storing) }
        return isStored
      } catch {
        guard error.code == .storageUnavailable else { throw error }
        hasFailed = true
        delivery.set(error, of: .storing)
        try await clock.sleep(for: .seconds(1))
      }
    }
  }

  /// Appends publications. Returns the number of the last one; nil if everything was deleted since
  /// the publications were made, or if they are no longer wanted.
  ///
  /// - Parameters:
  ///   - isWanted: Returns whether the publications are still wanted. Called after earlier appends
  ///     have been applied.
  ///   - apply: Applies the number of the last publication, before anything else is appended.
  func append(
    _ publications: [PendingPublication], areLocations: Bool = false,
    under permission: PublisherPermissionStateMachine,
    onlyIf isWanted: @escaping @Sendable () -> Bool = { true },
    apply: @escaping @Sendable (UInt64) -> Void = { _ in }
  ) async throws(LocationError) -> UInt64? {
    let change = try await store.append(
      publications, areLocations: areLocations, accuracy: permission.accuracy,
      madeIn: permission.generation, onlyIf: isWanted
    ) { [delivery] change in
      apply(change.lastNumber)
      delivery.appended(change)
      delivery.wake()
    }
    return change?.lastNumber
  }

  private func publication(_ location: Location) -> PendingPublication {
    var message = LocationMessage(location)
    message.trackerID = options.trackerID
    return PendingPublication(
      topic: topic.description, payload: OwnTracksMessage.location(message).json,
      isRetained: options.retainsLastLocation && channel.keepsRetained, date: location.timestamp)
  }

  /// Stores the part of a message that every permission since a moment covers.
  ///
  /// - Parameters:
  ///   - earlier: The permission at that moment.
  ///   - isWanted: Called before the message is stored.
  ///   - apply: Called with the message's number, and with the generation of the permission under
  ///     which it is stored, before anything else is stored.
  /// - Returns: False without permission, and if the message is not wanted any more.
  /// - Throws: `denied` for a location that reduced accuracy does not cover.
  func store(
    _ message: OwnTracksMessage, isRetained: Bool, since earlier: PermissionInForce,
    onlyIf isWanted: @escaping @Sendable () -> Bool = { true },
    apply: @escaping @Sendable (_ number: UInt64, _ generation: UInt64) -> Void = { _, _ in }
  ) async throws(LocationError) -> Bool {
    while true {
      await waitForPermission()
      guard let permission = state(toStoreIf: { isPermitted })?.permission else {
        // Permission may have changed since.
        if isBehind, !Task.isCancelled { continue }
        return false
      }
      guard
        let publication = try covered(message, isRetained, since: earlier, by: permission)
      else { return false }
      let number = try await append(
        [publication], under: permission, onlyIf: isWanted,
        apply: { apply($0, permission.generation) })
      if number != nil { return true }
      // If everything was deleted meanwhile, the permission after the deletion decides. Otherwise,
      // the storage accepts no more appends.
      guard state.withLock(\.permission.generation) > permission.generation else { return false }
    }
  }

  /// The part of a message that all permissions since the call cover; nil if one was withdrawn.
  private func covered(
    _ message: OwnTracksMessage, _ isRetained: Bool, since earlier: PermissionInForce,
    by permission: PublisherPermissionStateMachine
  ) throws(LocationError) -> PendingPublication? {
    let withdrawals = manager.permissionInForce.withdrawals
    guard
      !message.topicKind.revealsPosition
        || withdrawals.cover(isPrecise: false, since: earlier.withdrawals)
    else { return nil }
    let isReduced =
      permission.isReduced || earlier.authorization.isReduced
      || !withdrawals.cover(isPrecise: true, since: earlier.withdrawals)
    guard let message = isReduced ? message.reduced : message else {
      throw LocationError(
        .denied, "With reduced accuracy, only locations of reduced accuracy are published.")
    }
    let publication = PendingPublication(
      topic: topic.with(kind: message.topicKind).description, payload: message.json,
      isRetained: isRetained && channel.keepsRetained, date: Date())
    if publication.isRetained, message.topicKind.revealsPosition {
      state.withLock { _ = $0.retainedTopics.insert(ExactText(publication.topic)) }
    }
    return publication
  }
}

extension PublicationChange {
  fileprivate var lastNumber: UInt64 { numbers.upperBound - 1 }
}

/// Counts the locations that a subscription has discarded.
private final class DiscardCount: Sendable {
  private let locations: LocationBatches
  private let known = Locked(BufferCounts())

  init(_ locations: LocationBatches) { self.locations = locations }

  /// Returns the counts of the locations that were discarded since the last call, and of unread
  /// locations.
  func growth() -> BufferCounts {
    var counts = locations.counts
    let earlier = known.withLock { exchange(&$0, with: counts) }
    counts.evicted -= earlier.evicted
    counts.withdrawn -= earlier.withdrawn
    return counts
  }
}

extension Authorization {
  fileprivate var isReduced: Bool { isAuthorized && accuracy == .reduced }
}

extension OwnTracksMessage {
  /// The part of a message that reduced accuracy covers: unrecognized members are removed. Nil for
  /// a more accurate location, and for messages that may contain one: encrypted ones and those of
  /// an unrecognized type.
  fileprivate var reduced: Self? {
    switch self {
    case .location(let message):
      return message.location.isReduced ? withoutOtherMembers : nil
    case .transition(var message):
      (message.coordinate, message.horizontalAccuracy) = (nil, nil)
      return Self.transition(message).withoutOtherMembers
    case .waypoint, .waypoints, .lastWill, .status, .card, .command, .steps:
      return withoutOtherMembers
    case .encrypted, .other: return nil
    @unknown default: return nil
    }
  }
}
