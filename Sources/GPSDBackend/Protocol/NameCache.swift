#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The last few names of devices, so that a report need not make its device's string anew.
struct NameCache {
  private static let capacity = 8
  private static let longestName = 256

  private var names: [(bytes: [UInt8], name: String)] = []
  private var oldest = 0

  mutating func name(_ text: ScannedText) -> String {
    guard let start = text.bytes.baseAddress, !text.bytes.isEmpty else { return "" }
    for entry in names where entry.bytes.count == text.bytes.count {
      if memcmp(entry.bytes, start, text.bytes.count) == 0 { return entry.name }
    }
    let name = text.string()
    guard text.bytes.count <= Self.longestName else { return name }
    let entry = (bytes: Array(text.bytes), name: name)
    if names.count < Self.capacity {
      names.append(entry)
    } else {
      names[oldest] = entry
      oldest = (oldest + 1) % Self.capacity
    }
    return name
  }
}
