public import AsyncLocation

/// A picture of the satellites in the sky, as SVG.
///
/// ```swift
/// for try await view in manager.satellites {
///   return SkyPicture(view).svg()
/// }
/// ```
///
/// The zenith is in the middle and north at the top. Each constellation has a shape and a color.
/// Satellites that are used in the position are filled; stronger signals are larger. The picture
/// follows the viewer's light or dark color scheme, and contains a list of the drawn satellites as
/// its text alternative.
public struct SkyPicture: Sendable {
  private let sheet: SkySheet

  /// Creates a picture.
  ///
  /// - Parameters:
  ///   - view: The satellites; those without a direction, or below the horizon, are only counted in
  ///     the legend.
  ///   - title: The title; "Satellites" by default.
  public init(_ view: SatelliteView, title: String = "Satellites") {
    sheet = SkySheet(view: view, title: title)
  }

  /// The picture as SVG 1.1 with a style sheet, 500 pixels wide.
  public func svg() -> String { sheet.markup.text }
}
