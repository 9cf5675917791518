import FoundationEssentials

/// The reduced tracks of one key, shared by all managers of the process.
///
/// A manager with its own tracks would choose a cell from its first fix. Near a border, the
/// locations reported by many managers would then reveal more than one location does. With a
/// ``ReducedTrackStorage``, other processes share the tracks too, and a location is reported only
/// after it is stored.
package final class ReducedTracks: Sendable {
  private struct State: Sendable {
    var reducer: LocationReducer
    var storage: (any ReducedTrackStorage)?
    /// Receivers whose last location could not be stored, so that the stored track is older.
    var unstored: Set<DeviceID> = []
    /// The task of the latest choice, for which the next one waits.
    var lastChoice: Task<Bool, Never>?
    /// True while a call of the storage that timed out has not returned. The storage is not called
    /// again until then.
    var isStorageHanging = false
  }

  private let state: Locked<State>
  private let grid: ReducedGrid

  init(key: ReducedAccuracyKey) {
    let reducer = LocationReducer(key: key)
    (grid, state) = (reducer.grid, Locked(State(reducer: reducer)))
  }

  /// Stores the tracks from now on. Only the first storage of a key is used.
  func store(in storage: any ReducedTrackStorage) {
    state.withLock { if $0.storage == nil { $0.storage = storage } }
  }

  /// Returns the reduced location for a fix; nil when ``choose(_:if:)`` must be called first, which
  /// never happens without a storage.
  func reduce(_ location: Location) -> Location? {
    state.withLock { state in
      guard state.storage == nil else { return state.reducer.repeated(location) }
      return state.reducer.reduce(location)
    }
  }

  /// Chooses the reduced location for a fix that starts a time step, and stores it. Another process
  /// may have chosen it already. Choices are made one after the other.
  ///
  /// If the storage does not succeed in time, this process makes the choice alone. Until the
  /// storage returns, it also makes all later choices alone, without waiting.
  ///
  /// - Parameter isWanted: Called before the choice. Returns false when no caller waits for the
  ///   choice any more.
  /// - Returns: False if the choice was made and could not be stored.
  @discardableResult
  func choose(_ location: Location, if isWanted: @escaping @Sendable () -> Bool) async -> Bool {
    let choice = state.withLock { state in
      let previous = state.lastChoice
      let choice = Task {
        _ = await previous?.value
        return await self.choose(inTurn: location, isWanted)
      }
      state.lastChoice = choice
      return choice
    }
    return await choice.value
  }

  private func choose(
    inTurn location: Location, _ isWanted: @escaping @Sendable () -> Bool
  ) async -> Bool {
    guard reduce(location) == nil, let storage = state.withLock({ $0.storage }) else { return true }
    let choice = ReducedChoice(location, self)
    let isStored =
      state.withLock(\.isStorageHanging) ? false : await choice.store(in: storage, isWanted)
    // A choice that no caller waited for is dropped, and made again when it is needed.
    guard !choice.wasUnwanted, isWanted() else { return true }
    let device = location.sourceInformation.deviceID
    let chosen = choice.chosen ?? self.choice(for: location, nil)
    // Adopted only now, because a location is reported only after it is stored.
    state.withLock { state in
      state.reducer.adopt(chosen, of: device, isStored: isStored)
      if isStored { state.unstored.remove(device) } else { state.unstored.insert(device) }
    }
    return isStored
  }

  fileprivate func setStorageHanging(_ isHanging: Bool) {
    state.withLock { $0.isStorageHanging = isHanging }
  }

  /// Returns the track of a receiver and the reported cells after a choice. Continues the stored
  /// track unless this process has a later one.
  ///
  /// - Parameter stored: Nil if nothing was read.
  fileprivate func choice(
    for location: Location, _ stored: StoredTracks?
  ) -> LocationReducer.Choice {
    let device = location.sourceInformation.deviceID
    // Computed outside the lock, because locations are delivered under it.
    let cells = stored?.reportedCells(in: grid)
    return state.withLock { state in
      let track = state.unstored.contains(device) ? nil : stored?[device.name]
      return state.reducer.choice(for: location, after: track, cells: cells)
    }
  }

  // MARK: Sharing

  /// The tracks by key. A process has few keys, so the limit is not reached in practice.
  private static let shared = Locked(
    RecentlyUsed<ReducedAccuracyKey, ReducedTracks>(limit: 256))

  /// The tracks of a key in this process.
  static func shared(for key: ReducedAccuracyKey) -> ReducedTracks {
    shared.withLock { $0.use(key, default: ReducedTracks(key: key)) { $0 } }
  }
}

/// A choice that is being stored. If storing takes too long, the choice counts as not stored.
private final class ReducedChoice: Sendable {
  private struct State {
    var chosen: LocationReducer.Choice?
    /// Whether the storage has returned or timed out.
    var isOver = false
    /// Whether the stored content has a later version of the format, and must not be changed.
    var isRefused = false
    var wasUnwanted = false
    var waiter: CheckedContinuation<Bool, Never>?
  }

  private let location: Location
  private let tracks: ReducedTracks
  private let state = Locked(State())

  init(_ location: Location, _ tracks: ReducedTracks) {
    (self.location, self.tracks) = (location, tracks)
  }

  /// Stores the choice, and returns whether it was stored once the storage has returned or timed
  /// out.
  func store(
    in storage: any ReducedTrackStorage, _ isWanted: @escaping @Sendable () -> Bool
  ) async -> Bool {
    await withCheckedContinuation { waiter in
      state.withLock { $0.waiter = waiter }
      let timeout = Task {
        await storage.waitForTimeout()
        guard !Task.isCancelled else { return }
        self.tracks.setStorageHanging(true)
        self.end(isStored: false)
      }
      Task {
        let isStored = await storage.update { self.change($0, isWanted) }
        timeout.cancel()
        // A timeout that has just passed must not set the flag after it is cleared below.
        await timeout.value
        self.tracks.setStorageHanging(false)
        self.end(isStored: isStored)
      }
    }
  }

  private func end(isStored: Bool) {
    let waiter = state.withLock { state in
      state.isOver = true
      return state.waiter.take()
    }
    waiter?.resume(returning: isStored && !state.withLock(\.isRefused))
  }

  /// Makes the choice from the stored contents. Returns the new contents; nil to keep the stored
  /// ones.
  private func change(_ contents: [UInt8]?, _ isWanted: () -> Bool) -> [UInt8]? {
    // After the timeout, the storage must not store a location that was not reported.
    guard !state.withLock(\.isOver) else { return nil }
    guard isWanted() else {
      state.withLock { $0.wasUnwanted = true }
      return nil
    }
    let read = StoredTracks(contents)
    if read == nil, let contents, StoredTracks.isOfLaterVersion(contents) {
      state.withLock { $0.isRefused = true }
      return nil
    }
    let device = location.sourceInformation.deviceID.name
    let choice = tracks.choice(for: location, read)
    let isOver = state.withLock { state in
      if !state.isOver { state.chosen = choice }
      return state.isOver
    }
    guard !isOver, choice.isNew, let kept = choice.track.stored(of: device) else { return nil }
    var stored = read ?? StoredTracks()
    stored.put(kept)
    stored.replaceCells(with: choice.cells)
    return stored.contents
  }

  /// Whether no caller waited for the choice when the storage requested it.
  var wasUnwanted: Bool { state.withLock { $0.wasUnwanted } }

  /// The choice; nil if the storage did not request it in time.
  var chosen: LocationReducer.Choice? { state.withLock { $0.chosen } }
}

/// Stores the reduced tracks of a key for later and concurrent processes.
package protocol ReducedTrackStorage: Sendable {
  /// Reads the stored bytes, calls `change` with them, and stores its result, while other processes
  /// wait.
  ///
  /// `change` is called exactly once, with nil if nothing is stored or readable. If it returns nil,
  /// the stored bytes are not changed.
  ///
  /// - Returns: False when the result of `change` could not be stored.
  func update(_ change: @escaping @Sendable ([UInt8]?) -> [UInt8]?) async -> Bool

  /// Returns when an update has taken too long, or when the calling task is cancelled.
  func waitForTimeout() async
}
