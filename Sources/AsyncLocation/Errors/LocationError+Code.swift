extension LocationError {
  /// A kind of failure; new kinds may appear in minor releases.
  ///
  /// A code is described and encoded as its name. Decoding preserves names that this version does
  /// not define: such a code equals no defined code and is not transient.
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

    /// Creates the code with a name, which this version need not define.
    package init(name: String) { self.name = name }

    /// The receiver has no position at the moment. Transient.
    public static var locationUnknown: Self { Self(.locationUnknown) }
    /// Permission was refused or withdrawn, or access to the source was refused.
    public static var denied: Self { Self(.denied) }
    /// Location services are switched off for every client. Previous grants apply again when
    /// location services are switched on.
    public static var locationServicesDisabled: Self { Self(.locationServicesDisabled) }
    /// Permission is refused, and the policy or source cannot grant it.
    public static var restricted: Self { Self(.restricted) }
    /// No acceptable answer arrived in time. Transient.
    public static var timedOut: Self { Self(.timedOut) }
    /// The source of positions cannot be reached. Transient.
    public static var backendUnavailable: Self { Self(.backendUnavailable) }
    /// The server at the address is not gpsd.
    public static var notGPSD: Self { Self(.notGPSD) }
    /// An open connection ended. Transient.
    public static var connectionLost: Self { Self(.connectionLost) }
    /// The source has no receiver with the requested name.
    public static var deviceUnknown: Self { Self(.deviceUnknown) }
    /// The source or this build does not support the request.
    public static var unsupported: Self { Self(.unsupported) }
    /// A server rejects this client's user name, password or certificate, or requires one that is
    /// missing.
    public static var credentialsRefused: Self { Self(.credentialsRefused) }
    /// A server's certificate is not trusted, or was issued for another server.
    public static var serverUntrusted: Self { Self(.serverUntrusted) }
    /// A value is not finite, out of its range or malformed.
    public static var invalidValue: Self { Self(.invalidValue) }
    /// A request for more permission or accuracy was declined, or could not be made.
    public static var promptDeclined: Self { Self(.promptDeclined) }
    /// The location manager was shut down.
    public static var shutDown: Self { Self(.shutDown) }
    /// The backend cannot range beacons.
    public static var rangingUnavailable: Self { Self(.rangingUnavailable) }
    /// The monitor of this name is already open, in this process or another.
    public static var monitorInUse: Self { Self(.monitorInUse) }
    /// Storage cannot be read or written. Transient, because disk space or a database may become
    /// available.
    public static var storageUnavailable: Self { Self(.storageUnavailable) }
    /// Another server has taken over and continues from the stored state.
    public static var superseded: Self { Self(.superseded) }

    /// Locations cannot be deferred: the location service is not started.
    public static var deferredNotUpdatingLocation: Self { Self(.deferredNotUpdatingLocation) }
    /// Locations cannot be deferred with the desired accuracy.
    public static var deferredAccuracyTooLow: Self { Self(.deferredAccuracyTooLow) }
    /// Locations cannot be deferred with a distance filter.
    public static var deferredDistanceFiltered: Self { Self(.deferredDistanceFiltered) }
    /// A deferral of locations ended early.
    public static var deferredCanceled: Self { Self(.deferredCanceled) }

    /// A geocoder found no such place.
    public static var geocodeFoundNoResult: Self { Self(.geocodeFoundNoResult) }
    /// A geocoder found only a part of the place; see ``LocationError/partialPlacemarks``.
    public static var geocodeFoundPartialResult: Self { Self(.geocodeFoundPartialResult) }
    /// A request to a geocoder ended before its answer, and its caller did not cancel it.
    /// Transient.
    public static var geocodeCanceled: Self { Self(.geocodeCanceled) }
    /// A network service cannot be reached, or its response is unusable. Transient.
    public static var network: Self { Self(.network) }
    /// A service refuses further requests for a while. Transient.
    public static var rateLimited: Self { Self(.rateLimited) }
    /// A geocoder's data or service is unavailable.
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
