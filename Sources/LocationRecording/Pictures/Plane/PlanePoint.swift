/// A point of a picture: x to the right, y down.
struct PlanePoint: Hashable, Sendable {
  var x: Double
  var y: Double

  init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }

  func distance(to other: Self) -> Double { .length(x - other.x, y - other.y) }

  /// The distance to the nearest point of the line segment from one point to another.
  func distance(toLineFrom start: Self, to end: Self) -> Double {
    let (dx, dy) = (end.x - start.x, end.y - start.y)
    let square = dx * dx + dy * dy
    guard square > 0 else { return distance(to: start) }
    let fraction = max(0, min(1, ((x - start.x) * dx + (y - start.y) * dy) / square))
    return distance(to: Self(start.x + fraction * dx, start.y + fraction * dy))
  }

  /// The point at a fraction of the way to another, 0...1.
  func point(atFraction fraction: Double, to other: Self) -> Self {
    Self(x + fraction * (other.x - x), y + fraction * (other.y - y))
  }
}

/// A rectangle of a picture, including its edges.
struct PlaneBox: Hashable, Sendable {
  var left: Double
  var top: Double
  var right: Double
  var bottom: Double

  init(left: Double, top: Double, right: Double, bottom: Double) {
    (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
  }

  /// The greater of the width and the height of points; 0 without points.
  static func extent(of points: some Sequence<PlanePoint>) -> Double {
    Self(around: points)?.extent ?? 0
  }

  /// The box around points; nil without points.
  init?(around points: some Sequence<PlanePoint>) {
    var box: Self?
    for point in points {
      let old = box ?? Self(left: point.x, top: point.y, right: point.x, bottom: point.y)
      box = Self(
        left: min(old.left, point.x), top: min(old.top, point.y), right: max(old.right, point.x),
        bottom: max(old.bottom, point.y))
    }
    guard let box else { return nil }
    self = box
  }

  var width: Double { right - left }
  var height: Double { bottom - top }
  /// The greater of width and height.
  var extent: Double { max(width, height) }
  var center: PlanePoint { PlanePoint((left + right) / 2, (top + bottom) / 2) }

  func contains(_ point: PlanePoint) -> Bool {
    (left...right).contains(point.x) && (top...bottom).contains(point.y)
  }

  func intersects(_ other: Self) -> Bool {
    left <= other.right && other.left <= right && top <= other.bottom && other.top <= bottom
  }

  /// The box with every edge moved outwards.
  func expanded(by distance: Double) -> Self {
    Self(
      left: left - distance, top: top - distance, right: right + distance,
      bottom: bottom + distance)
  }
}
