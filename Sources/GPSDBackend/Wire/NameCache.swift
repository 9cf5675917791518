#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Caches the most recent device names, so that reports do not create the same string again.
struct NameCache {
  private static let capacity = 8
  private static let longestName = 256

  private var names: [(bytes: [UInt8], name: String)] = []
  private var oldest = 0

  mutating func name(_ text: ScannedText) -> String {
    guard let start = text.bytes.baseAddress, !text.bytes.isEmpty else { return "" }
    for index in names.indices where names[index].bytes.count == text.bytes.count {
      if memcmp(names[index].bytes, start, text.bytes.count) == 0 { return names[index].name }
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
