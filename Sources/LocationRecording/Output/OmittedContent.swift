package import AsyncLocation

/// What a reader understood and left out, since it is not a part of the track.
///
/// Unlike ``SkippedContent``, nothing is wrong with it.
public struct OmittedContent: Hashable, Sendable {
  /// The number of points of routes, beside a track.
  public internal(set) var routePointCount = 0

  /// True if nothing was left out.
  public var isEmpty: Bool { self == Self() }

  init() {}
}

extension OmittedContent: Described {
  package var members: [DescribedMember] {
    [DescribedMember("routePointCount", routePointCount)]
  }
}
