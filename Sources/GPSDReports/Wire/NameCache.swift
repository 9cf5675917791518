import JSONScanning

/// Caches the device names that were added last, so that reports do not create the same string
/// again.
struct NameCache {
  private static let capacity = 8
  private static let longestName = 256

  private var names: [(bytes: [UInt8], name: String)] = []
  private var oldest = 0

  /// Returns the string of a device name.
  mutating func name(_ text: JSONText) -> String {
    for entry in names where entry.bytes.count == text.bytes.count {
      let bytes = entry.bytes
      if text.bytes.elementsEqual(bytes.span) { return entry.name }
    }
    let name = text.string()
    guard text.bytes.count <= Self.longestName else { return name }
    let entry = (bytes: Array(copying: text.bytes), name: name)
    if names.count < Self.capacity {
      names.append(entry)
    } else {
      names[oldest] = entry
      oldest = (oldest + 1) % Self.capacity
    }
    return name
  }
}
