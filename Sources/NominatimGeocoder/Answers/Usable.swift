import AsyncLocation

/// An element of an answer. Without a value it cannot be used, and must not spoil the others.
struct Usable<Value: Decodable>: Decodable {
  let value: Value?

  init(from decoder: any Decoder) { value = try? Value(from: decoder) }
}

extension Array {
  /// The placemarks of the first elements that can be used.
  ///
  /// - Throws: `Malformed` if there are elements, and none can be used.
  func placemarks<Value>(
    limit: Int, _ placemark: (Value) throws -> Placemark
  ) throws(NominatimAnswer.Malformed) -> [Placemark] where Element == Usable<Value> {
    var placemarks: [Placemark] = []
    for case let value? in lazy.map(\.value) {
      guard placemarks.count < limit else { break }
      if let placemark = try? placemark(value) { placemarks.append(placemark) }
    }
    guard isEmpty || !placemarks.isEmpty else { throw NominatimAnswer.Malformed() }
    return placemarks
  }
}
