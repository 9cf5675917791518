/// The partial result of a geocoder: the cause of an error with
/// ``LocationError/Code/geocodeFoundPartialResult``.
private struct PartialPlacemarks: Error, CustomStringConvertible, CustomReflectable {
  let placemarks: [Placemark]

  // Without coordinates, because errors are logged and dumped.
  var description: String { "Placemarks found: \(placemarks.count)." }
  var customMirror: Mirror { Mirror(self, children: []) }
}

extension LocationError {
  /// An error with ``Code/geocodeFoundPartialResult``.
  ///
  /// - Parameters:
  ///   - placemarks: The places that were found, such as the nearest place of a point far at sea.
  ///   - message: The reason why the result is partial. Must not contain a coordinate.
  public static func geocodePartialResult(_ placemarks: [Placemark], _ message: String) -> Self {
    Self(.geocodeFoundPartialResult, message, cause: PartialPlacemarks(placemarks: placemarks))
  }

  /// The places that were found, if the code is ``Code/geocodeFoundPartialResult``; empty for any
  /// other error, and for a decoded error.
  public var partialPlacemarks: [Placemark] { (cause as? PartialPlacemarks)?.placemarks ?? [] }

  /// The error for a geocoder that must not follow a manager's locations; nil if it may.
  static func followingUnsupported(by geocoder: any Geocoder) -> Self? {
    guard !geocoder.allowsPeriodicUse else { return nil }
    return Self(
      .unsupported,
      "The rules of the geocoder's service forbid periodic requests. Follow locations with a "
        + "server of your own or with data on the device.")
  }

  /// Converts the error of a geocoder whose caller was not cancelled. An error of another type
  /// becomes the cause.
  init(ofGeocoder error: any Error) {
    switch error {
    case let error as LocationError: self = error
    case is CancellationError:
      self.init(.geocodeCanceled, "The geocoder ended the request before its answer; ask again.")
    default:
      self.init(.geocoderUnavailable, "The geocoder failed; see the cause.", cause: error)
    }
  }

  /// True if the error is the result of a completed request: there is no place, or only a part was
  /// found.
  var isGeocodingResult: Bool {
    code == .geocodeFoundNoResult || code == .geocodeFoundPartialResult
  }

  /// The same error without the cause that the geocoder supplied, because such a cause may retain
  /// objects of the program. A partial result is kept.
  var withoutForeignCause: Self {
    guard cause != nil else { return self }
    return cause is PartialPlacemarks ? self : Self(code, message)
  }

  /// The same error with the distances of a partial result measured from a point.
  func measured(from point: Coordinate) -> Self {
    guard let partial = cause as? PartialPlacemarks else { return self }
    return .geocodePartialResult(partial.placemarks.map { $0.measured(from: point) }, message)
  }
}
