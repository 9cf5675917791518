import FoundationEssentials

/// Times for tests; their exact value does not matter.
enum Timestamps {
  static let first = Date(timeIntervalSince1970: 1_777_863_600)
}
