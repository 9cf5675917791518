import FoundationEssentials

/// The reduced tracks of one key, shared by all managers of the process.
///
/// A manager with tracks of its own would choose a cell from its first fix. Near a border, the
/// answers of many managers would then reveal what one answer does not. With a
/// ``ReducedTrackStorage``, other processes share the tracks too: an answer is given once it is
/// stored.
package final class ReducedTracks: Sendable {
  private struct State: Sendable {
    var reducer: LocationReducer
    var storage: (any ReducedTrackStorage)?
    /// Receivers whose last answer could not be stored, so that the stored one is older.
    var unstored: Set<DeviceID> = []
  }

  private let state: Locked<State>

  init(key: ReducedAccuracyKey) {
    state = Locked(State(reducer: LocationReducer(key: key)))
  }

  /// Stores the tracks from now on. The first storage of a key is kept.
  func store(in storage: any ReducedTrackStorage) {
    state.withLock { if $0.storage == nil { $0.storage = storage } }
  }

  /// Returns the reduced location for a fix; nil when ``choose(_:)`` must be called first, which
  /// never happens without a storage.
  func reduce(_ location: Location) -> Location? {
    state.withLock { state in
      guard state.storage == nil else { return state.reducer.repeated(location) }
      return state.reducer.reduce(location)
    }
  }

  /// Chooses the reduced location for a fix that starts a time step, and stores it. Another process
  /// may have chosen it already.
  ///
  /// Without success of the storage, the answer is that of this process.
  func choose(_ location: Location) async {
    guard let storage = state.withLock({ $0.storage }) else { return }
    let device = location.sourceInformation.deviceID
    let isStored = await storage.update { contents in
      var stored = StoredTracks(contents) ?? StoredTracks()
      let chosen = state.withLock { state -> ReducedTrack.Stored? in
        if let track = stored[device.name], !state.unstored.contains(device) {
          state.reducer.restore(track, of: device)
        }
        guard state.reducer.repeated(location) == nil else { return nil }
        _ = state.reducer.reduce(location)
        return state.reducer.stored(device)
      }
      guard let chosen else { return nil }
      stored.put(chosen)
      return stored.contents
    }
    state.withLock { state in
      if isStored { state.unstored.remove(device) } else { state.unstored.insert(device) }
    }
  }

  // MARK: Sharing

  private struct Shared {
    var tracks: [ReducedAccuracyKey: (tracks: ReducedTracks, lastUse: UInt64)] = [:]
    var uses: UInt64 = 0
  }

  /// A process has one key, or a few.
  private static let rememberedKeys = 256
  private static let shared = Locked(Shared())

  /// The tracks of a key in this process.
  static func shared(for key: ReducedAccuracyKey) -> ReducedTracks {
    shared.withLock { shared in
      shared.uses += 1
      if shared.tracks.count >= rememberedKeys, shared.tracks[key] == nil,
        let oldest = shared.tracks.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        shared.tracks[oldest.key] = nil
      }
      let tracks = shared.tracks[key]?.tracks ?? ReducedTracks(key: key)
      shared.tracks[key] = (tracks, shared.uses)
      return tracks
    }
  }
}

/// Keeps the reduced tracks of a key for later processes, and for others that run meanwhile.
package protocol ReducedTrackStorage: Sendable {
  /// Reads what is stored, calls `change` with it, and stores what that returns, while other
  /// processes wait.
  ///
  /// `change` is called exactly once, with nil if nothing is stored or readable. When it returns
  /// nil, nothing is stored.
  ///
  /// - Returns: False when something should be stored and could not be.
  func update(_ change: @Sendable ([UInt8]?) -> [UInt8]?) async -> Bool
}
