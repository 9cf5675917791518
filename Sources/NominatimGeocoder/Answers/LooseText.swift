import FoundationEssentials

/// A text that a server may also give as a number; nil for any other value.
///
/// A member of an unexpected kind must not make a whole answer unusable.
struct LooseText: Decodable, Sendable {
  let text: String?

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let text = try? value.decode(String.self) {
      self.text = text.isEmpty ? nil : text
    } else {
      text = (try? value.decode(Double.self)).map {
        $0 == $0.rounded() ? "\($0.wholeText)" : "\($0)"
      }
    }
  }
}

extension Double {
  /// The number without a fraction, if it has none and fits.
  fileprivate var wholeText: String { Int(exactly: self).map(String.init) ?? "\(self)" }
}

extension KeyedDecodingContainer {
  /// The text of a member; nil if it is absent or of another kind.
  func text(_ key: Key) -> String? {
    (try? decodeIfPresent(LooseText.self, forKey: key))?.flatMap(\.text)
  }

  /// The texts of an object's members; empty if it is absent or of another kind.
  func texts(_ key: Key) -> [String: String] {
    let values = (try? decodeIfPresent([String: LooseText].self, forKey: key)) ?? [:]
    return values.compactMapValues(\.text)
  }
}

extension [String: String] {
  /// The value of the first of these keys that is there.
  func first(of keys: String...) -> String? {
    for key in keys { if let value = self[key] { return value } }
    return nil
  }
}
