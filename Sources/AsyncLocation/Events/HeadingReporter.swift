/// Decides which headings the streams of events receive. Stores the last heading for streams that
/// join later: on a moored ship, the next heading may be hours away.
struct HeadingReporter: Sendable {
  private var filter: HeadingFilter
  /// The last heading that was reported.
  private(set) var last: Heading?

  /// - Parameter headingFilter: See ``LocationManager/Properties/headingFilter``.
  init(headingFilter: Double) {
    filter = HeadingFilter(HeadingOptions(headingFilter: headingFilter))
  }

  /// Returns whether a heading is reported. Stores a reported heading.
  mutating func reports(_ heading: Heading) -> Bool {
    guard filter.admits(heading) else { return false }
    last = heading
    return true
  }
}
