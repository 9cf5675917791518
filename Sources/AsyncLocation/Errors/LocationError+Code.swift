extension LocationError {
  /// A kind of failure; new kinds may appear in minor releases.
  public struct Code: Hashable, Sendable {
    private enum Kind: String, Sendable {
      case locationUnknown, denied, restricted, timedOut, backendUnavailable, notGPSD
      case connectionLost, deviceUnknown, unsupported, invalidValue, promptDeclined, shutDown
    }

    private let kind: Kind

    private init(_ kind: Kind) { self.kind = kind }

    /// The receiver has no position at the moment. Transient.
    public static var locationUnknown: Self { Self(.locationUnknown) }
    /// Permission was refused or withdrawn.
    public static var denied: Self { Self(.denied) }
    /// Permission cannot be granted by the one who was asked.
    public static var restricted: Self { Self(.restricted) }
    /// No acceptable answer arrived in time. Transient.
    public static var timedOut: Self { Self(.timedOut) }
    /// The source of positions cannot be reached. Transient.
    public static var backendUnavailable: Self { Self(.backendUnavailable) }
    /// Something answers at the address, but it is not gpsd.
    public static var notGPSD: Self { Self(.notGPSD) }
    /// An open connection ended. Transient.
    public static var connectionLost: Self { Self(.connectionLost) }
    /// The source does not know the receiver that was asked for.
    public static var deviceUnknown: Self { Self(.deviceUnknown) }
    /// The source, or this build, cannot do what was asked.
    public static var unsupported: Self { Self(.unsupported) }
    /// A value is not finite, out of its range or malformed.
    public static var invalidValue: Self { Self(.invalidValue) }
    /// A request for more than what holds was declined, or could not be put.
    public static var promptDeclined: Self { Self(.promptDeclined) }
    /// The location manager was shut down.
    public static var shutDown: Self { Self(.shutDown) }

    var isTransient: Bool {
      switch kind {
      case .locationUnknown, .timedOut, .backendUnavailable, .connectionLost: true
      case .denied, .restricted, .notGPSD, .deviceUnknown, .unsupported, .invalidValue,
        .promptDeclined, .shutDown:
        false
      }
    }
  }
}

extension LocationError.Code: CustomStringConvertible {
  public var description: String { kind.rawValue }
}
