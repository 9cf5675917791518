package import AsyncLocation

extension FleetDevice {
  /// Why a message of a known device was dropped.
  @nonexhaustive
  public enum DropReason: String, Sendable, Hashable, Codable, CaseIterable {
    /// It is not OwnTracks' JSON, or lacks a valid position or time.
    case malformed
    /// It exceeded `FleetLimits.payloadLength`.
    case oversized
    /// It was beyond `FleetLimits.messagesPerSecond`. It was not decoded, except for a few short ones
    /// that might have been a last will.
    case rateLimited
    /// Its location has the time of the last one that was delivered.
    case duplicate
    /// Its location is older than the last one that was delivered.
    case stale
    /// The time of its location is beyond `FleetLimits.futureTolerance`.
    case future
    /// It is encrypted, and there is no key for the device; see `FleetConfiguration.keys`.
    case encrypted
    /// The device's key does not decrypt it: the key is another one, or the message was changed.
    case undecryptable
  }

  /// The numbers of a device's messages that were dropped since it was added, by reason.
  ///
  /// A number stays at `UInt32.max` once it is there.
  public struct Drops: Sendable, Hashable {
    private var counts = SIMD8<UInt32>()

    /// Creates numbers, by default zeros; for tests.
    public init(_ counts: [DropReason: UInt32] = [:]) {
      for (reason, count) in counts { self.counts[reason.index] = count }
    }

    /// The number for a reason.
    public subscript(_ reason: DropReason) -> UInt32 { counts[reason.index] }

    /// The number of all dropped messages.
    public var total: UInt64 {
      counts.indices.reduce(0) { $0 + UInt64(counts[$1]) }
    }

    package mutating func count(_ reason: DropReason) {
      if counts[reason.index] < .max { counts[reason.index] += 1 }
    }
  }
}

extension FleetDevice.DropReason {
  /// Below 8.
  package var index: Int {
    switch self {
    case .malformed: 0
    case .oversized: 1
    case .rateLimited: 2
    case .duplicate: 3
    case .stale: 4
    case .future: 5
    case .encrypted: 6
    case .undecryptable: 7
    }
  }
}

extension FleetDevice.Drops: Described {
  package var members: [DescribedMember] {
    FleetDevice.DropReason.allCases.map {
      DescribedMember($0.rawValue, self[$0] > 0 ? self[$0] : nil)
    }
  }
}
