import AsyncLocation
import FoundationEssentials
import OwnTracks

extension LocationPublisher {
  func collect(_ locations: LocationBatches) async throws {
    var batches = locations.makeAsyncIterator()
    @Sendable func countLosses() { delivery.count { $0.lost = locations.dropped } }
    while let batch = try await next(&batches) {
      countLosses()
      let made = manager.withdrawals(before: batch.stamp)
      try await store(batch, madeAfter: made, beforeEachAttempt: countLosses)
    }
    countLosses()
    // A cancelled sequence ends as one does whose source has ended.
    try Task.checkCancellation()
  }

  /// The next batch. Notes that a withdrawal of permission ended the locations.
  private func next(
    _ batches: inout LocationBatches.AsyncIterator
  ) async throws -> LocationBatch? {
    do {
      return try await batches.next(isolation: nil)
    } catch {
      if [.denied, .restricted, .locationServicesDisabled].contains(error.code) {
        permission.withLock { $0.endedLocations = true }
      }
      throw error
    }
  }

  private func countUnstored(_ batch: LocationBatch) {
    let inForce = manager.permissionInForce
    let isPermitted = permission.withLock { $0.covers(inForce) }
    delivery.count {
      if isPermitted { $0.lost += batch.count } else { $0.deleted += batch.count }
    }
  }

  /// Stores a batch, or counts it; tries again until the storage works. A disk may have space for a
  /// part of what it has no space for at once, so each part is tried.
  ///
  /// - Parameter made: The withdrawals before the batch was made; nil if there has been one since.
  private func store(
    _ batch: LocationBatch, madeAfter made: Withdrawals?,
    beforeEachAttempt prepare: @escaping @Sendable () -> Void
  ) async throws {
    do {
      while true {
        await waitForPermission()
        try Task.checkCancellation()
        let attempt = { @Sendable () async throws(LocationError) -> Bool in
          prepare()
          return try await self.tryToStore(batch, madeAfter: made)
        }
        if try await batch.count > 1 ? attempt() : storeAgain(attempt) { return }
      }
    } catch let error as LocationError where error.code == .storageUnavailable && batch.count > 1 {
      let (first, second) = batch.split(at: batch.count / 2)
      do {
        try await store(first, madeAfter: made, beforeEachAttempt: prepare)
      } catch {
        countUnstored(second)
        throw error
      }
      try await store(second, madeAfter: made, beforeEachAttempt: prepare)
    } catch {
      prepare()
      countUnstored(batch)
      throw error
    }
  }

  /// Stores a batch. What its permission no longer covers by now is discarded, as what waits is.
  ///
  /// - Returns: Whether nothing of it is left; false if everything was deleted meanwhile.
  private func tryToStore(
    _ batch: LocationBatch, madeAfter made: Withdrawals?
  ) async throws(LocationError) -> Bool {
    // Read at each attempt: full accuracy may be withdrawn while the storage fails.
    let permission = self.permission {
      let inForce = manager.permissionInForce
      return self.permission.withLock { $0.covers(inForce) }
    }
    guard let permission else { return true }
    let inForce = manager.permissionInForce
    guard let made,
      inForce.withdrawals.cover(isPrecise: batch.stamp.isPrecise, since: made)
    else {
      delivery.count { $0.deleted += batch.count }
      return true
    }
    guard permission.follows(inForce) else { return false }
    var last = permission.lastReduced
    let publications = publications(batch, permission, after: &last)
    guard !publications.isEmpty else { return true }
    let isStored = try await append(publications, areLocations: true, under: permission)
    if isStored {
      self.permission.withLock {
        if $0.generation == permission.generation { $0.lastReduced = last }
      }
    }
    return isStored
  }

  /// Waits until the task that watches permission follows the manager's.
  private func waitForPermission() async {
    await steps.wait { permission.withLock { $0.follows(manager.permissionInForce) } }
  }

  /// The publications of locations that permission covers. A location of reduced accuracy is the same
  /// for minutes, and is published once.
  ///
  /// - Parameter last: The payload of the last location if its accuracy was reduced.
  private func publications(
    _ batch: LocationBatch, _ permission: PublisherPermission, after last: inout [UInt8]?
  ) -> [PendingPublication] {
    var publications: [PendingPublication] = []
    for location in batch where !permission.isReduced || location.isReduced {
      let publication = publication(location)
      guard !location.isReduced || publication.payload != last else { continue }
      last = location.isReduced ? publication.payload : nil
      publications.append(publication)
    }
    return publications
  }

  /// Stores something; tries again until the storage works.
  func storeAgain(
    _ store: @Sendable () async throws(LocationError) -> Bool
  ) async throws -> Bool {
    while true {
      do throws(LocationError) {
        return try await store()
      } catch {
        guard error.code == .storageUnavailable else { throw error }
        delivery.set(error, of: .storing)
        try await clock.sleep(for: .seconds(1))
      }
    }
  }

  /// Returns false if everything was deleted since the publications were made.
  private func append(
    _ publications: [PendingPublication], areLocations: Bool, under permission: PublisherPermission
  ) async throws(LocationError) -> Bool {
    let change = try await store.append(
      publications, areLocations: areLocations, accuracy: permission.accuracy,
      madeIn: permission.generation)
    guard let change else { return false }
    delivery.count {
      $0.stored += publications.count
      $0.backlog = change.backlog
      $0.dropped.count += change.dropped.count
      $0.dropped.age += change.dropped.age
      $0.dropped.bytes += change.dropped.bytes
    }
    delivery.set(change.problem, of: .storing)
    delivery.wake()
    return true
  }

  private func publication(_ location: Location) -> PendingPublication {
    var message = LocationMessage(location)
    message.trackerID = options.trackerID
    return PendingPublication(
      topic: topic.description, payload: OwnTracksMessage.location(message).json,
      isRetained: options.retainsLastLocation && channel.keepsRetained, date: location.timestamp)
  }

  /// The last will of the device. Not retained, since it would replace the last location.
  var willMessage: BrokerOptions.Message {
    BrokerOptions.Message(
      topic: topic.description,
      payload: OwnTracksMessage.lastWill(LastWillMessage(connectedAt: Date())).json)
  }

  /// Stores a message. Returns false without permission.
  ///
  /// - Throws: `denied` for a location that reduced accuracy does not cover.
  func store(
    _ message: OwnTracksMessage, isRetained: Bool
  ) async throws(LocationError) -> Bool {
    await waitForPermission()
    guard let permission = self.permission(toStoreIf: { isPermitted }) else { return false }
    guard let message = permission.isReduced ? message.reduced : message else {
      throw LocationError(
        .denied, "With reduced accuracy, only locations of reduced accuracy are published.")
    }
    let publication = PendingPublication(
      topic: topic.with(kind: message.topicKind).description, payload: message.json,
      isRetained: isRetained && channel.keepsRetained, date: Date())
    if publication.isRetained, message.topicKind == .location {
      self.permission.withLock { _ = $0.retainedTopics.insert(ExactText(publication.topic)) }
    }
    return try await append([publication], areLocations: false, under: permission)
  }
}

extension OwnTracksMessage {
  /// What reduced accuracy covers of a message; nil for a location that is more accurate.
  fileprivate var reduced: Self? {
    switch self {
    case .location(let message): return message.location.isReduced ? self : nil
    case .transition(var message):
      (message.coordinate, message.horizontalAccuracy) = (nil, nil)
      return .transition(message)
    default: return self
    }
  }
}
