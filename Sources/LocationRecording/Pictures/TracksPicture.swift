public import AsyncLocation

/// A map of several tracks, such as those of a fleet, or of conditions, as SVG or as a page of
/// HTML.
///
/// ```swift
/// let picture = TracksPicture([track, other], title: "Deliveries")
/// let vector = picture.svg()
/// ```
///
/// Each track has a color, which the legend shows with its name, and a mark at its last location;
/// after seven tracks the colors repeat. Otherwise the map is that of ``TrackPicture``: one file
/// that needs no network, simplified, with names as text and never as markup.
public struct TracksPicture: Sendable {
  private let content: TracksContent

  /// Computes the content of both forms, in time about proportional to the number of locations.
  ///
  /// - Parameters:
  ///   - tracks: The tracks, drawn in this order. Tracks without locations are left out.
  ///   - conditions: Conditions whose areas are drawn below the tracks, with their identifiers. At
  ///     most 500 areas are drawn. The map has the extent of the tracks; without tracks, that of
  ///     the conditions.
  ///   - title: The title; nil, the default, for the number of tracks or, without tracks, of
  ///     conditions.
  ///   - showsGround: See ``TrackPicture/Options/showsGround``.
  ///   - timeZone: The time zone of all times. UTC by default.
  public init(
    _ tracks: [Track], conditions: [String: Condition] = [:], title: String? = nil,
    showsGround: Bool = true, timeZone: LocalTimeZone = .utc
  ) {
    content = TracksContent(
      tracks, conditions: conditions, title: title, showsGround: showsGround, timeZone: timeZone)
  }

  /// The picture as SVG 1.1 with a style sheet, 848 pixels wide.
  public func svg() -> String { TracksSheet(content: content).svg.text }

  /// The picture as an HTML page with a table of the tracks.
  ///
  /// The page loads nothing and has no script, and its content security policy forbids both.
  public func html() -> String { TracksSheet(content: content).html.text }
}
