/// A part of a projected map in a picture.
struct MapView: Hashable, Sendable {
  let projection: MapProjection
  /// The width in pixels.
  let width: Double
  /// The height in pixels.
  let height: Double
  /// The number of pixels per unit of the projection.
  let scale: Double
  private let center: PlanePoint

  /// The margin around the shown points in pixels.
  static let margin = 44.0
  /// The least and the greatest height, as fractions of the width.
  private static let heights = 0.45...0.8
  /// The least extent in metres. Smaller extents are not magnified further.
  private static let leastExtent = 120.0

  /// Creates the view that shows points of the projection, with a margin. The points determine its
  /// height.
  init(_ projection: MapProjection, showing points: [PlanePoint], width: Double) {
    let box =
      PlaneBox(around: points) ?? PlaneBox(left: 0, top: 0, right: 0, bottom: 0)
    let latitude = projection.coordinate(at: box.center).latitude
    let least = Self.leastExtent / projection.metresPerUnit(atLatitude: latitude)
    let (extentX, extentY) = (max(box.width, least), max(box.height, least))
    let aspectRatio = extentY / extentX
    let height = (width * max(Self.heights.lowerBound, min(Self.heights.upperBound, aspectRatio)))
      .rounded()
    self.projection = projection
    (self.width, self.height) = (width, height)
    scale = min(
      (width - 2 * Self.margin) / extentX, (height - 2 * Self.margin) / extentY)
    center = box.center
  }

  /// The box of the view, in pixels.
  var box: PlaneBox { PlaneBox(left: 0, top: 0, right: width, bottom: height) }

  /// The pixel of a point of the projection.
  func pixel(_ point: PlanePoint) -> PlanePoint {
    PlanePoint(
      width / 2 + (point.x - center.x) * scale, height / 2 + (point.y - center.y) * scale)
  }

  /// The point of the projection at a pixel.
  func point(atPixel pixel: PlanePoint) -> PlanePoint {
    PlanePoint(
      center.x + (pixel.x - width / 2) / scale, center.y + (pixel.y - height / 2) / scale)
  }

  /// The latitude of the center in degrees.
  var centralLatitude: Double { projection.coordinate(at: center).latitude }

  /// The metres on the ground of one pixel in the middle.
  var metresPerPixel: Double {
    projection.metresPerUnit(atLatitude: centralLatitude) / scale
  }
}
