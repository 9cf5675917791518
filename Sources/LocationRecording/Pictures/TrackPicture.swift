public import AsyncLocation

/// A picture of a track: a map and profiles of speed and altitude, as SVG or as a page of HTML.
///
/// ```swift
/// let picture = TrackPicture(track)
/// let vector = picture.svg()
/// let page = picture.html()
/// ```
///
/// Below the track, the map shows the largest places and, from a width of about 16 kilometres on,
/// land, water and borders (see ``Options/showsGround``). Both forms are one file that needs no
/// network, and follow the viewer's light or dark color scheme. The track is simplified to a
/// quarter of a pixel, or further if its picture would have more than 20,000 points; the profiles
/// retain every peak. So a page without a basemap has less than a megabyte, regardless of the
/// track's length.
///
/// The map is in Mercator's projection, or in a polar projection for a track that comes near to a
/// pole. A track may cross the antimeridian. Lengths are in metres and kilometres, speeds in
/// kilometres per hour, times in a zone of your choice. Names of the track and of a basemap are
/// text in the picture, never markup.
public struct TrackPicture: Sendable {
  /// The quantity that the color of the track shows.
  @nonexhaustive
  public enum Coloring: String, Sendable, Hashable, CaseIterable {
    /// The receiver's speed or, after a step of more than ten seconds or without a report, the
    /// speed between two locations.
    case speed
    /// The altitude above mean sea level.
    case altitude
  }

  /// The horizontal axis of the profiles.
  @nonexhaustive
  public enum ProfileAxis: String, Sendable, Hashable, CaseIterable {
    /// The time; replaced by the distance if a track has no times, or if times go back at a gap.
    case time
    /// The distance travelled, without gaps.
    case distance
  }

  /// The content of a picture.
  public struct Options: Sendable, Hashable {
    /// The quantity that the color of the track shows. The speed by default.
    public var coloring: Coloring
    /// The horizontal axis of the profiles; nil, the default, for the time, or the distance if most
    /// of the time is gaps.
    public var profileAxis: ProfileAxis?
    /// The title; nil, the default, for the name of the track, or its date if it has no name.
    public var title: String?
    /// Whether land and water, borders and the names of the largest places are drawn. True by
    /// default.
    ///
    /// Coasts, lakes and borders are GSHHG's, with an error of 0.3 to 2 kilometres; where this
    /// error would be visible, they are left out. Borders are no statement on disputed territory.
    /// Names are those of GeoNames. A build without borders (`ASYNC_LOCATION_WITHOUT_BORDERS=1`)
    /// has no ground.
    public var showsGround: Bool
    /// The shapes that are drawn on the ground, below the track; nil, the default, for none.
    public var basemap: Basemap?
    /// Conditions whose areas are drawn on the ground, below the track, with their identifiers. At
    /// most 500 areas are drawn. None by default. The map has the extent of the track.
    public var conditions: [String: Condition]
    /// The time zone of all times. UTC by default.
    public var timeZone: LocalTimeZone
    /// The least time within 30 metres that is a stop. Three minutes by default.
    public var leastStop: Duration

    /// Creates options.
    public init(
      coloring: Coloring = .speed, profileAxis: ProfileAxis? = nil, title: String? = nil,
      showsGround: Bool = true, basemap: Basemap? = nil, conditions: [String: Condition] = [:],
      timeZone: LocalTimeZone = .utc, leastStop: Duration = .seconds(180)
    ) {
      (self.coloring, self.profileAxis, self.title) = (coloring, profileAxis, title)
      (self.basemap, self.timeZone) = (basemap, timeZone)
      (self.showsGround, self.conditions, self.leastStop) = (showsGround, conditions, leastStop)
    }
  }

  private let content: TrackContent

  /// Computes the content of both forms, in time about proportional to the number of locations.
  public init(_ track: Track, options: Options = Options()) {
    content = TrackContent(track, options)
  }

  /// The picture as SVG 1.1 with a style sheet, 848 pixels wide.
  public func svg() -> String { TrackSheet(content: content).markup.text }

  /// The picture as an HTML page with the track's statistics, waypoints, stops and gaps.
  ///
  /// A cursor connects map and profiles. It follows the pointer, and the arrow keys while the
  /// profiles have the focus. The page loads nothing; its content security policy forbids loading.
  public func html() -> String { TrackPage(content: content).markup.text }
}
