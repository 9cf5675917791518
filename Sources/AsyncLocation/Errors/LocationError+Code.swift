extension LocationError {
  /// A kind of failure; new kinds may appear in minor releases.
  ///
  /// Its description and its JSON are its name. Decoding preserves names that this version does not
  /// know: such a code equals no known code and is not transient.
  public struct Code: Hashable, Sendable {
    private enum Kind: String, Sendable {
      case locationUnknown, denied, locationServicesDisabled, restricted, timedOut
      case backendUnavailable, notGPSD, connectionLost, deviceUnknown, unsupported, invalidValue
      case credentialsRefused, serverUntrusted
      case promptDeclined, shutDown, rangingUnavailable, monitorInUse, storageUnavailable
      case superseded
      case deferredNotUpdatingLocation, deferredAccuracyTooLow, deferredDistanceFiltered
      case deferredCanceled
      case geocodeFoundNoResult, geocodeFoundPartialResult, geocodeCanceled
      case network, rateLimited, geocoderUnavailable
    }

    private let name: String

    private init(_ kind: Kind) { name = kind.rawValue }

    /// The code of this name, which a later version may have added.
    package init(name: String) { self.name = name }

    /// The receiver has no position at the moment. Transient.
    public static var locationUnknown: Self { Self(.locationUnknown) }
    /// Permission was refused or withdrawn, or access to the source was refused.
    public static var denied: Self { Self(.denied) }
    /// Location services are switched off for everybody. Previous grants apply again when they are
    /// switched on.
    public static var locationServicesDisabled: Self { Self(.locationServicesDisabled) }
    /// Permission is refused, and the policy or source cannot grant it.
    public static var restricted: Self { Self(.restricted) }
    /// No acceptable answer arrived in time. Transient.
    public static var timedOut: Self { Self(.timedOut) }
    /// The source of positions cannot be reached. Transient.
    public static var backendUnavailable: Self { Self(.backendUnavailable) }
    /// Something answers at the address, but it is not gpsd.
    public static var notGPSD: Self { Self(.notGPSD) }
    /// An open connection ended. Transient.
    public static var connectionLost: Self { Self(.connectionLost) }
    /// The source does not know the requested receiver.
    public static var deviceUnknown: Self { Self(.deviceUnknown) }
    /// The source or this build does not support the request.
    public static var unsupported: Self { Self(.unsupported) }
    /// A server does not accept the user name, the password or the certificate of this client, or
    /// requires them.
    public static var credentialsRefused: Self { Self(.credentialsRefused) }
    /// The certificate of a server is not trusted, or is another server's.
    public static var serverUntrusted: Self { Self(.serverUntrusted) }
    /// A value is not finite, out of its range or malformed.
    public static var invalidValue: Self { Self(.invalidValue) }
    /// A request for more permission or accuracy was declined, or could not be made.
    public static var promptDeclined: Self { Self(.promptDeclined) }
    /// The location manager was shut down.
    public static var shutDown: Self { Self(.shutDown) }
    /// The backend cannot range beacons.
    public static var rangingUnavailable: Self { Self(.rangingUnavailable) }
    /// The monitor of this name is already open, here or in another process.
    public static var monitorInUse: Self { Self(.monitorInUse) }
    /// A file cannot be read or written. Transient, because a disk may become free.
    public static var storageUnavailable: Self { Self(.storageUnavailable) }
    /// Another server has taken over, and goes on from what is stored.
    public static var superseded: Self { Self(.superseded) }

    /// Locations cannot be deferred: the location service is not started.
    public static var deferredNotUpdatingLocation: Self { Self(.deferredNotUpdatingLocation) }
    /// Locations cannot be deferred with the desired accuracy.
    public static var deferredAccuracyTooLow: Self { Self(.deferredAccuracyTooLow) }
    /// Locations cannot be deferred with a distance filter.
    public static var deferredDistanceFiltered: Self { Self(.deferredDistanceFiltered) }
    /// A deferral of locations was ended early.
    public static var deferredCanceled: Self { Self(.deferredCanceled) }

    /// A geocoder knows no such place.
    public static var geocodeFoundNoResult: Self { Self(.geocodeFoundNoResult) }
    /// A geocoder found a part of the place only; see ``LocationError/partialPlacemarks``.
    public static var geocodeFoundPartialResult: Self { Self(.geocodeFoundPartialResult) }
    /// A request to a geocoder was ended before its answer, but not by its caller. Transient.
    public static var geocodeCanceled: Self { Self(.geocodeCanceled) }
    /// A service in the network cannot be reached, or its answer cannot be used. Transient.
    public static var network: Self { Self(.network) }
    /// A service refuses further requests for a while. Transient.
    public static var rateLimited: Self { Self(.rateLimited) }
    /// A geocoder lacks its data or its service.
    public static var geocoderUnavailable: Self { Self(.geocoderUnavailable) }

    /// Whether permission is refused or was withdrawn.
    package var isRefusal: Bool {
      [.denied, .restricted, .locationServicesDisabled].contains(self)
    }

    var isTransient: Bool {
      switch Kind(rawValue: name) {
      case nil: false
      case .locationUnknown, .timedOut, .backendUnavailable, .connectionLost, .storageUnavailable,
        .geocodeCanceled, .network, .rateLimited:
        true
      case .denied, .locationServicesDisabled, .restricted, .notGPSD, .deviceUnknown,
        .unsupported, .invalidValue, .credentialsRefused, .serverUntrusted, .promptDeclined,
        .shutDown, .rangingUnavailable,
        .monitorInUse, .superseded, .deferredNotUpdatingLocation, .deferredAccuracyTooLow,
        .deferredDistanceFiltered, .deferredCanceled, .geocodeFoundNoResult,
        .geocodeFoundPartialResult, .geocoderUnavailable:
        false
      }
    }
  }
}

extension LocationError.Code: CustomStringConvertible, CustomReflectable {
  public var description: String { String(printable: name) }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension LocationError.Code: Codable {
  public init(from decoder: any Decoder) throws {
    self.init(name: try decoder.singleValueContainer().decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode(name)
  }
}
