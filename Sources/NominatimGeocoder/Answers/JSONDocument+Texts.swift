import JSONScanning

/// Lenient access: a member of an unexpected kind does not make the whole answer unusable.
extension JSONDocument.Value {
  /// A text that a server may also send as a number; nil if it is empty, and for any other value.
  var looseText: String? {
    if let text { return text.isEmpty ? nil : text }
    // A whole number is printed without a fraction.
    return number.map { Int(exactly: $0).map(String.init) ?? "\($0)" }
  }

  /// The texts of an object's members, without members that have none; of several members with the
  /// same name, the first. Empty for any other value.
  var looseTexts: [String: String] {
    guard let members else { return [:] }
    let texts = Dictionary(members.map { ($0.name, $0.value.looseText) }) { first, _ in first }
    return texts.compactMapValues(\.self)
  }

  /// The numbers of an array; nil for any other value, and if an element is not a number.
  var numbers: [Double]? {
    guard let elements else { return nil }
    var numbers: [Double] = []
    for element in elements {
      guard let number = element.number else { return nil }
      numbers.append(number)
    }
    return numbers
  }
}

extension [String: String] {
  /// The value of the first of these keys that is present.
  func first(of keys: String...) -> String? {
    for key in keys { if let value = self[key] { return value } }
    return nil
  }
}
