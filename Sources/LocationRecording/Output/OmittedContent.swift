package import AsyncLocation

/// What a reader understood and left out, since it is not a part of the track.
///
/// Unlike ``SkippedContent``, nothing is wrong with it.
public struct OmittedContent: Hashable, Sendable {
  /// The number of points of routes, beside a track.
  public internal(set) var routePointCount = 0
  /// The number of positions of KML's lines, which have no times, beside a `gx:Track`.
  public internal(set) var linePointCount = 0

  /// The number of elements in the extensions of points whose meaning is not known.
  public internal(set) var extensionCount = 0
  /// The names of the first such elements, without their prefixes, at most ten. They come from outside:
  /// escape them before printing.
  public internal(set) var extensionNames: [String] = []

  /// True if nothing was left out.
  public var isEmpty: Bool { self == Self() }

  init() {}

  mutating func addExtension(_ name: String) {
    extensionCount += 1
    guard extensionNames.count < 10, !extensionNames.contains(name) else { return }
    extensionNames.append(name)
  }
}

extension OmittedContent: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("routePointCount", routePointCount),
      DescribedMember("linePointCount", linePointCount),
      DescribedMember("extensionCount", extensionCount),
      DescribedMember("extensionNames", extensionNames),
    ]
  }
}
