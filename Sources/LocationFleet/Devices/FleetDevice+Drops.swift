package import AsyncLocation

extension FleetDevice {
  /// Why a message of a known device was dropped.
  @nonexhaustive
  public enum DropReason: String, Sendable, Hashable, Codable, CaseIterable {
    /// The message is not OwnTracks JSON, or has no valid position or time.
    case malformed
    /// The message exceeded `FleetLimits.payloadLength`.
    case oversized
    /// The device exceeded `FleetLimits.messagesPerSecond`. The message was not decoded, except for
    /// a few short messages that could be a last will.
    case rateLimited
    /// The location has the same time as the last delivered one.
    case duplicate
    /// The location is older than the last delivered one.
    case stale
    /// The time of the location is further in the future than `FleetLimits.futureTolerance`.
    case future
    /// The message is encrypted, and the device has no key in `FleetConfiguration.keys`.
    case encrypted
    /// The device's key does not decrypt the message: the key is wrong, or the message was altered.
    case undecryptable
  }

  /// The counts of a device's dropped messages since it was added, by reason.
  ///
  /// A count saturates at `UInt32.max`.
  public struct Drops: Sendable, Hashable {
    private var counts = SIMD8<UInt32>()

    /// Creates counts, by default zero; for tests.
    public init(_ counts: [DropReason: UInt32] = [:]) {
      for (reason, count) in counts { self.counts[reason.index] = count }
    }

    /// The count for a reason.
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
  /// The position of the reason's count in the vector, 0...7.
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
