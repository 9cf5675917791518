import FoundationEssentials

/// Times that tests need and whose exact value does not matter.
enum Timestamps {
  static let first = Date(timeIntervalSince1970: 1_777_863_600)
}
