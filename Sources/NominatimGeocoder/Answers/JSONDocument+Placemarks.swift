import AsyncLocation
import JSONScanning

extension JSONDocument.Elements {
  /// The placemarks of the first usable elements.
  ///
  /// - Parameter placemark: Returns nil for an unusable element, which is skipped.
  /// - Throws: `Malformed` if there are elements, but none can be used.
  func placemarks(
    limit: Int, _ placemark: (JSONDocument.Value) -> Placemark?
  ) throws(NominatimAnswer.Malformed) -> [Placemark] {
    var placemarks: [Placemark] = []
    var isEmpty = true
    for element in self {
      isEmpty = false
      guard placemarks.count < limit else { break }
      if let placemark = placemark(element) { placemarks.append(placemark) }
    }
    guard isEmpty || !placemarks.isEmpty else { throw NominatimAnswer.Malformed() }
    return placemarks
  }
}
